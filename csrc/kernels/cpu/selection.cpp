#include <algorithm>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "core/layout.h"
#include "generated/kernels/scan.h"
#include "generated/kernels/sort.h"
#include "kernels/copy.h"
#include "kernels/cpu/sort_keys.h"
#include "kernels/cpu/sort_lines.h"
#include "kernels/fill.h"

namespace ceph::kernels {
namespace {

// The k smallest keys of a line, in one walk: whatever isn't below the k-th smallest found so far
// is passed over. Of equal keys the first ones are kept.
template <class Key>
class Smallest {
 public:
  struct Item {
    Key key;
    int64_t position;
    bool operator<(const Item& other) const {
      return key < other.key || (key == other.key && position < other.position);
    }
  };

  explicit Smallest(int64_t k) : k_(static_cast<size_t>(k)), most_(2 * k_ + 64) {
    items_.reserve(most_);
  }

  void clear() {
    items_.clear();
    bounded_ = false;
  }
  // Whether none of these keys can be among the smallest.
  bool passes_over(const Key* keys, int64_t count) const {
    Key least = keys[0];
    for (int64_t i = 0; i < count; ++i) least = std::min(least, keys[i]);
    return bounded_ && least >= bound_;
  }
  void take(Key key, int64_t position) {
    if (bounded_ && key >= bound_) return;
    items_.push_back({key, position});
    if (items_.size() == most_) shrink();
  }
  const std::vector<Item>& sorted() {
    shrink();
    std::sort(items_.begin(), items_.end());
    return items_;
  }
  // The k-th smallest of at least k.
  const Item& last() {
    shrink();
    return *std::max_element(items_.begin(), items_.end());
  }

 private:
  void shrink() {
    if (items_.size() <= k_) return;
    auto end = items_.begin() + static_cast<int64_t>(k_);
    std::nth_element(items_.begin(), end - 1, items_.end());
    items_.erase(end, items_.end());
    bound_ = items_[k_ - 1].key;
    bounded_ = true;
  }

  size_t k_, most_;
  std::vector<Item> items_;
  Key bound_ = 0;
  bool bounded_ = false;
};

// Calls `work(from, values, indices)` for every line, with a state that `make()` makes per thread.
template <class T, class Make, class Work>
void for_each_line(const Tensor& self, const Lines& l, const Tensor& values, const Tensor& indices,
                   Make make, Work work) {
  int64_t grain = std::max<int64_t>(1, kGrain / 4 / std::max<int64_t>(1, l.length));
  parallel_for(0, l.count, grain, [&](int64_t first, int64_t last) {
    auto state = make();
    for (int64_t line = first; line < last; ++line) {
      work(state, self.data_as<T>() + l.offset(line, l.from),
           values.data_as<T>() + l.offset(line, l.values),
           indices.data_as<int64_t>() + l.offset(line, l.indices));
    }
  });
}

int64_t line_dim(const char* op, const Tensor& self, int64_t dim) {
  return self.dim() == 0 ? -1 : wrap_dim(dim, self.dim(), op);
}

// `out` with the folded dimension as one of size 1.
Tensor with_dim(const Tensor& out, int64_t dim, const Tensor& self) {
  if (out.dim() == self.dim()) return out;
  DimVector sizes, strides;
  for (int64_t d = 0; d < self.dim(); ++d) {
    sizes.push_back(d == dim ? 1 : out.size(d - (d > dim)));
    strides.push_back(d == dim ? 1 : out.stride(d - (d > dim)));
  }
  return view_of(out, sizes, strides, out.storage_offset());
}

// Takes the keys of a line, block by block.
template <class T>
void take_line(Smallest<SortKey<T>>& smallest, const T* from, const Lines& l, SortKey<T> flip) {
  using Key = SortKey<T>;
  constexpr int64_t kBlock = 32;
  int64_t i = 0;
  if (l.from_step == 1) {
    for (; i + kBlock <= l.length; i += kBlock) {
      Key keys[kBlock];
      for (int64_t j = 0; j < kBlock; ++j) keys[j] = static_cast<Key>(sort_key(from[i + j]) ^ flip);
      if (smallest.passes_over(keys, kBlock)) continue;
      for (int64_t j = 0; j < kBlock; ++j) smallest.take(keys[j], i + j);
    }
  }
  for (; i < l.length; ++i) {
    smallest.take(static_cast<Key>(sort_key(from[i * l.from_step]) ^ flip), i);
  }
}

template <class T>
void topk_lines(const Tensor& self, const Lines& l, int64_t k, bool largest, const Tensor& values,
                const Tensor& indices) {
  using Key = SortKey<T>;
  const Key flip = largest ? static_cast<Key>(~Key(0)) : Key(0);
  for_each_line<T>(
      self, l, values, indices, [&] { return Smallest<Key>(k); },
      [&](Smallest<Key>& smallest, const T* from, T* to, int64_t* places) {
        smallest.clear();
        take_line(smallest, from, l, flip);
        int64_t rank = 0;
        for (const auto& item : smallest.sorted()) {
          to[rank * l.values_step] = from[item.position * l.from_step];
          places[rank * l.indices_step] = item.position;
          ++rank;
        }
      });
}

// Which element of a line a median is: of all unless there is a NaN, which is the median then; or
// of those that aren't NaN.
enum class Nans : uint8_t { kLast, kWin, kIgnored };

template <class T>
void select_lines(const Tensor& self, const Lines& l, int64_t k, Nans nans, const Tensor& values,
                  const Tensor& indices) {
  using Key = SortKey<T>;
  for_each_line<T>(
      self, l, values, indices, [] { return 0; },
      [&](int, const T* from, T* to, int64_t* place) {
        int64_t numbers = 0, first_nan = -1;
        for (int64_t i = 0; i < l.length; ++i) {
          bool nan = is_nan_key<T>(sort_key(from[i * l.from_step]));
          numbers += !nan;
          if (nan && first_nan < 0) first_nan = i;
        }
        int64_t position = first_nan;
        bool decided = first_nan >= 0 && (nans == Nans::kWin || numbers == 0);
        if (!decided) {
          int64_t median = ((nans == Nans::kIgnored ? numbers : l.length) + 1) / 2;
          Smallest<Key> smallest(nans == Nans::kLast ? k : median);
          take_line(smallest, from, l, Key(0));
          position = smallest.last().position;
        }
        *to = from[position * l.from_step];
        *place = position;
      });
}

void select(const char* op, const Tensor& self, int64_t dim, int64_t k, Nans nans,
            const Tensor& values, const Tensor& indices) {
  if (self.numel() == 0) return;
  int64_t d = line_dim(op, self, dim);
  Tensor v = with_dim(values, d, self), i = with_dim(indices, d, self);
  Lines lines(self, d, v, i);
  for_ordered(op, self.dtype(), [&]<class T>(T) { select_lines<T>(self, lines, k, nans, v, i); });
}

// The median of everything; of nothing NaN, which integers don't have.
void select_all(const char* op, const Tensor& self, Nans nans, const Tensor& out) {
  if (self.numel() == 0) {
    return fill(op, out, Scalar(std::numeric_limits<double>::quiet_NaN()));
  }
  Tensor flat = empty_tensor({self.numel()}, self.dtype(), self.device());
  copy_into(view_of(flat, self.sizes(), contiguous_strides(self.sizes()), 0), self);
  Tensor place = empty_tensor({}, DType::Int64, self.device());
  select(op, flat, 0, 0, nans, out, place);
}

// Running extremes; of equal ones the last is where it is.
template <class T>
void extreme_lines(const Tensor& self, const Lines& l, bool largest, const Tensor& values,
                   const Tensor& indices) {
  using Key = SortKey<T>;
  const Key flip = largest ? Key(0) : static_cast<Key>(~Key(0));
  for_each_line<T>(
      self, l, values, indices, [] { return 0; },
      [&](int, const T* from, T* to, int64_t* places) {
        Key best = 0;
        int64_t place = 0;
        for (int64_t i = 0; i < l.length; ++i) {
          Key key = sort_key(from[i * l.from_step]);
          if (!is_nan_key<T>(key)) key = static_cast<Key>(key ^ flip);
          if (key >= best) {
            best = key;
            place = i;
          }
          to[i * l.values_step] = from[place * l.from_step];
          places[i * l.indices_step] = place;
        }
      });
}

void extremes(const char* op, const Tensor& self, int64_t dim, bool largest, const Tensor& values,
              const Tensor& indices) {
  if (self.numel() == 0) return;
  Lines lines(self, line_dim(op, self, dim), values, indices);
  for_ordered(op, self.dtype(),
              [&]<class T>(T) { extreme_lines<T>(self, lines, largest, values, indices); });
}

}  // namespace

void topk(const Tensor& self, int64_t k, int64_t dim, bool largest, bool, const Tensor& values,
          const Tensor& indices) {
  if (values.numel() == 0) return;
  int64_t d = line_dim("topk", self, dim);
  Lines lines(self, d, values, indices);
  int64_t count = self.dim() == 0 ? 1 : k;
  for_ordered("topk", self.dtype(),
              [&]<class T>(T) { topk_lines<T>(self, lines, count, largest, values, indices); });
}

void kthvalue(const Tensor& self, int64_t k, int64_t dim, bool, const Tensor& values,
              const Tensor& indices) {
  select("kthvalue", self, dim, k, Nans::kLast, values, indices);
}

void median_all(const Tensor& self, const Tensor& out) {
  select_all("median", self, Nans::kWin, out);
}

void median_dim(const Tensor& self, int64_t dim, bool, const Tensor& values,
                const Tensor& indices) {
  select("median", self, dim, 0, Nans::kWin, values, indices);
}

void nanmedian_all(const Tensor& self, const Tensor& out) {
  select_all("nanmedian", self, Nans::kIgnored, out);
}

void nanmedian_dim(const Tensor& self, int64_t dim, bool, const Tensor& values,
                   const Tensor& indices) {
  select("nanmedian", self, dim, 0, Nans::kIgnored, values, indices);
}

void cummax(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices) {
  extremes("cummax", self, dim, true, values, indices);
}

void cummin(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices) {
  extremes("cummin", self, dim, false, values, indices);
}

}  // namespace ceph::kernels
