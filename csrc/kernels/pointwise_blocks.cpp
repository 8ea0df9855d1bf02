#include "kernels/pointwise_blocks.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/repeat.h"

namespace ceph::kernels {

namespace {

constexpr int64_t kBufferBytes = 4096;  // per operand: all of them stay in the first-level cache

template <class T>
void copy_line(char* to, int64_t to_item, const char* from, int64_t from_item, int64_t count) {
  constexpr int64_t kSize = sizeof(T);
  if (to_item == kSize && from_item == kSize) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  } else if (to_item == kSize && from_item == 0) {
    repeat_item(to, from, kSize, count);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * to_item, from + i * from_item, sizeof(T));
    }
  }
}

template <class T>
void copy_rows(char* to, int64_t to_row, int64_t to_item, const char* from, int64_t from_row,
               int64_t from_item, int64_t rows, int64_t count) {
  for (int64_t row = 0; row < rows; ++row, to += to_row, from += from_row) {
    copy_line<T>(to, to_item, from, from_item, count);
  }
}

struct Item16 {
  char bytes[16];
};

void copy_items(int64_t item, char* to, int64_t to_row, int64_t to_item, const char* from,
                int64_t from_row, int64_t from_item, int64_t rows, int64_t count) {
  auto copy = item == 1   ? copy_rows<uint8_t>
              : item == 2 ? copy_rows<uint16_t>
              : item == 4 ? copy_rows<uint32_t>
              : item == 8 ? copy_rows<uint64_t>
                          : copy_rows<Item16>;
  copy(to, to_row, to_item, from, from_row, from_item, rows, count);
}

// The walk over a two-dimensional range in tiles of rows x columns that fit the buffers.
class TileWalk {
 public:
  TileWalk(const BlockKernel& kernel, char* const* data, const int64_t* strides, int64_t size0,
           int64_t size1, const void* scalars)
      : kernel_(kernel), data_(data), strides_(strides), scalars_(scalars) {
    int64_t widest = *std::max_element(kernel.item_sizes, kernel.item_sizes + kernel.operand_count);
    int64_t capacity = kBufferBytes / widest;
    columns_ = std::min(size0, capacity);
    rows_ = std::min(size1, std::max<int64_t>(1, capacity / columns_));
    for (int k = 0; k < kernel.operand_count; ++k) {
      bool items_adjoin = inner(k) == size_of(k) || columns_ == 1;
      bool rows_adjoin = outer(k) == columns_ * size_of(k) && columns_ == size0;
      in_place_[k] = items_adjoin && (rows_ == 1 || rows_adjoin);
      constant_[k] = inner(k) == 0 && (outer(k) == 0 || rows_ == 1);
    }
  }

  void run(int64_t size0, int64_t size1) {
    for (int64_t row = 0; row < size1; row += rows_) {
      for (int64_t column = 0; column < size0; column += columns_) {
        run_tile(row, column, std::min(rows_, size1 - row), std::min(columns_, size0 - column));
      }
    }
  }

 private:
  int64_t size_of(int k) const { return kernel_.item_sizes[k]; }
  int64_t inner(int k) const { return strides_[k]; }
  int64_t outer(int k) const { return strides_[kernel_.operand_count + k]; }

  void run_tile(int64_t row, int64_t column, int64_t rows, int64_t columns) {
    char* tile[BlockKernel::kMaxOperands];
    for (int k = 0; k < kernel_.operand_count; ++k) {
      char* at = data_[k] + row * outer(k) + column * inner(k);
      tile[k] = in_place_[k] ? at : buffers_[k];
      // The first tile with an element is the largest.
      bool filled = constant_[k] && at == filled_from_[k];
      if (in_place_[k] || k == 0 || filled) continue;
      copy_items(size_of(k), buffers_[k], columns * size_of(k), size_of(k), at, outer(k), inner(k),
                 rows, columns);
      filled_from_[k] = at;
    }
    kernel_.loop(tile, rows * columns, scalars_);
    if (in_place_[0]) return;
    char* at = data_[0] + row * outer(0) + column * inner(0);
    copy_items(size_of(0), at, outer(0), inner(0), buffers_[0], columns * size_of(0), size_of(0),
               rows, columns);
  }

  const BlockKernel& kernel_;
  char* const* data_;
  const int64_t* strides_;
  const void* scalars_;
  int64_t rows_, columns_;
  bool in_place_[BlockKernel::kMaxOperands];  // the tile's elements adjoin in the operand itself
  bool constant_[BlockKernel::kMaxOperands];  // one element for the whole tile
  const char* filled_from_[BlockKernel::kMaxOperands] = {};
  alignas(64) char buffers_[BlockKernel::kMaxOperands][kBufferBytes];
};

}  // namespace

void run_blocks(const BlockKernel& kernel, char* const* data, const int64_t* strides, int64_t size0,
                int64_t size1, const void* scalars) {
  if (size0 == 0 || size1 == 0) return;
  bool contiguous = true, one = size0 == 1 && size1 == 1;
  for (int k = 0; k < kernel.operand_count; ++k) contiguous &= strides[k] == kernel.item_sizes[k];
  if (one || (contiguous && size1 == 1)) {
    kernel.loop(data, size0, scalars);
    return;
  }
  TileWalk(kernel, data, strides, size0, size1, scalars).run(size0, size1);
}

}  // namespace ceph::kernels
