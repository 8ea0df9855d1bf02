#include "kernels/cpu/rows.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/copy.h"
#include "kernels/cpu/reduce_plan.h"

namespace ceph::kernels {

namespace {

// One side of the walk: where lines lie and what their elements are.
struct Side {
  char* data;
  DType dtype;
  int64_t item;
  int64_t stride;         // bytes between the elements of a line
  int64_t column_stride;  // bytes between neighbouring lines

  Side(const Tensor& t, int64_t dim, const DimVector& kept)
      : data(static_cast<char*>(t.data())), dtype(t.dtype()),
        item(static_cast<int64_t>(item_size(t.dtype()))),
        stride(t.dim() == 0 ? item : t.stride(dim) * item),
        column_stride(kept.empty() ? 0 : kept.back()) {}
};

struct Item16 {
  char bytes[16];
};

// to[c][i] = from[i][c] in items: `lines` lines of `count` elements, strides in bytes.
template <class T>
void move_items(char* to, int64_t to_line, int64_t to_item, const char* from, int64_t from_line,
                int64_t from_item, int64_t lines, int64_t count) {
  constexpr int64_t kBlock = 64;  // elements whose cache lines stay near while all lines pass
  for (int64_t i0 = 0; i0 < count; i0 += kBlock) {
    int64_t i1 = std::min(count, i0 + kBlock);
    for (int64_t line = 0; line < lines; ++line) {
      for (int64_t i = i0; i < i1; ++i) {
        std::memcpy(to + line * to_line + i * to_item, from + line * from_line + i * from_item,
                    sizeof(T));
      }
    }
  }
}

void move(int64_t item, char* to, int64_t to_line, int64_t to_item, const char* from,
          int64_t from_line, int64_t from_item, int64_t lines, int64_t count) {
  auto function = item == 1   ? move_items<uint8_t>
                  : item == 2 ? move_items<uint16_t>
                  : item == 4 ? move_items<uint32_t>
                  : item == 8 ? move_items<uint64_t>
                              : move_items<Item16>;
  function(to, to_line, to_item, from, from_line, from_item, lines, count);
}

class Rows {
 public:
  Rows(const Tensor& self, int64_t dim, const Tensor& out, DType compute, RowFunction row)
      : plan_(self, flags(self, dim), true, out), in_(self, dim, plan_.kept_in),
        out_(out, dim, plan_.kept_out), compute_(compute), row_(row), count_(plan_.terms) {
    bool adjoin = in_.stride == in_.item && out_.stride == out_.item;
    constexpr int64_t kTileItems = 32768, kMostLines = 64;
    int64_t group = plan_.kept_sizes.empty() ? 1 : plan_.kept_sizes.back();
    lines_ = adjoin ? 1 : std::clamp<int64_t>(kTileItems / count_, 1, kMostLines);
    lines_ = std::min(lines_, group);
    group_ = adjoin ? plan_.outputs : group;
  }

  void run() {
    int64_t tiles = plan_.outputs / group_ * ((group_ + lines_ - 1) / lines_);
    int64_t grain = std::max<int64_t>(1, kGrain / (count_ * lines_));
    parallel_for(0, tiles, grain, [&](int64_t first, int64_t last) {
      for (int64_t tile = first; tile < last; ++tile) run_tile(tile);
    });
  }

 private:
  static SmallVector<uint8_t, 8> flags(const Tensor& self, int64_t dim) {
    SmallVector<uint8_t, 8> reduced(static_cast<size_t>(self.dim()), 0);
    if (self.dim() != 0) reduced[static_cast<size_t>(dim)] = 1;
    return reduced;
  }

  void run_tile(int64_t tile) {
    int64_t tiles_per_group = (group_ + lines_ - 1) / lines_;
    int64_t line = tile % tiles_per_group * lines_;
    int64_t lines = std::min(lines_, group_ - line);
    int64_t index = tile / tiles_per_group * group_ + line;
    const char* from = in_.data + plan_.input_offset(index);
    char* to = out_.data + plan_.output_offset(index);
    bool read_in_place =
        in_.dtype == compute_ && (count_ == 1 || in_.stride == in_.item) && lines == 1;
    bool write_in_place =
        out_.dtype == compute_ && (count_ == 1 || out_.stride == out_.item) && lines == 1;
    thread_local std::vector<char> raw, values;
    auto width = static_cast<int64_t>(item_size(compute_));
    auto size = static_cast<size_t>(lines * count_);
    if (!read_in_place || !write_in_place) values.resize(size * static_cast<size_t>(width));
    if (!read_in_place) gather(from, lines, raw, values);
    for (int64_t i = 0; i < lines; ++i) {
      char* buffer = values.data() + i * count_ * width;
      row_(read_in_place ? from : buffer, write_in_place ? to : buffer, count_);
    }
    if (!write_in_place) scatter(to, lines, raw, values);
  }

  void gather(const char* from, int64_t lines, std::vector<char>& raw, std::vector<char>& values) {
    bool convert = in_.dtype != compute_;
    auto size = static_cast<size_t>(lines * count_);
    const char* source = from;
    if (lines > 1 || in_.stride != in_.item) {
      if (convert) raw.resize(size * static_cast<size_t>(in_.item));
      char* to = convert ? raw.data() : values.data();
      move(in_.item, to, count_ * in_.item, in_.item, from, in_.column_stride, in_.stride, lines,
           count_);
      source = to;
    }
    if (convert) convert_elements(values.data(), compute_, source, in_.dtype, lines * count_);
  }

  void scatter(char* to, int64_t lines, std::vector<char>& raw, std::vector<char>& values) {
    bool convert = out_.dtype != compute_;
    auto size = static_cast<size_t>(lines * count_);
    bool adjoin = lines == 1 && (count_ == 1 || out_.stride == out_.item);
    const char* source = values.data();
    if (convert) {
      if (!adjoin) raw.resize(size * static_cast<size_t>(out_.item));
      char* converted = adjoin ? to : raw.data();
      convert_elements(converted, out_.dtype, values.data(), compute_, lines * count_);
      source = converted;
      if (adjoin) return;
    }
    move(out_.item, to, out_.column_stride, out_.stride, source, count_ * out_.item, out_.item,
         lines, count_);
  }

  ReducePlan plan_;
  Side in_, out_;
  DType compute_;
  RowFunction row_;
  int64_t count_;  // elements of a line
  int64_t lines_;  // lines of a tile
  int64_t group_;  // lines that lie at one stride
};

}  // namespace

void for_each_row(const Tensor& self, int64_t dim, const Tensor& out, DType compute,
                  RowFunction row) {
  if (self.numel() != 0) Rows(self, dim, out, compute, row).run();
}

DType row_dtype(DType result) {
  if (is_integral(result, true)) return DType::Int64;
  bool reduced = is_floating(result) && item_size(result) < 4;
  return reduced ? DType::Float32 : result;
}

}  // namespace ceph::kernels
