#include <algorithm>
#include <vector>

#include "base/thread_pool.h"
#include "core/layout.h"
#include "generated/kernels/sort.h"
#include "kernels/cpu/sort_keys.h"
#include "kernels/cpu/sort_lines.h"

namespace ceph::kernels {
namespace {

// Below this length a comparison sort is faster than the radix sort's histograms.
constexpr int64_t kShort = 256;

// Sorts keys with the positions that they had; everything here is stable.
template <class Key>
class LineSorter {
 public:
  explicit LineSorter(int64_t n) : keys_(size(n)), positions_(size(n)) {
    if (n > kShort) {
      other_keys_.resize(size(n));
      other_positions_.resize(size(n));
    } else {
      pairs_.resize(size(n));
    }
  }

  Key* keys() { return keys_.data(); }
  const int64_t* positions() const { return positions_.data(); }

  void sort() {
    if (std::is_sorted(keys_.begin(), keys_.end())) {
      for (size_t i = 0; i < keys_.size(); ++i) positions_[i] = static_cast<int64_t>(i);
    } else if (!pairs_.empty()) {
      sort_pairs();
    } else {
      radix_sort();
    }
  }

 private:
  struct Pair {
    Key key;
    int32_t position;
    bool operator<(const Pair& other) const {
      return key < other.key || (key == other.key && position < other.position);
    }
  };
  static size_t size(int64_t n) { return static_cast<size_t>(n); }

  void sort_pairs() {
    for (size_t i = 0; i < keys_.size(); ++i) pairs_[i] = {keys_[i], static_cast<int32_t>(i)};
    std::sort(pairs_.begin(), pairs_.end());
    for (size_t i = 0; i < keys_.size(); ++i) positions_[i] = pairs_[i].position;
  }

  // One pass per byte, lowest first; a byte that all keys share needs none.
  void radix_sort() {
    constexpr int kPasses = sizeof(Key);
    std::vector<int64_t> counts(kPasses * 256, 0);
    for (Key key : keys_) {
      for (int pass = 0; pass < kPasses; ++pass) ++counts[size(pass * 256 + digit(key, pass))];
    }
    for (size_t i = 0; i < keys_.size(); ++i) positions_[i] = static_cast<int64_t>(i);
    for (int pass = 0; pass < kPasses; ++pass) {
      int64_t* count = &counts[size(pass * 256)];
      if (count[digit(keys_[0], pass)] != static_cast<int64_t>(keys_.size())) {
        scatter(pass, count);
      }
    }
  }

  void scatter(int pass, int64_t* count) {
    int64_t at = 0;
    for (int d = 0; d < 256; ++d) at += std::exchange(count[d], at);
    for (size_t i = 0; i < keys_.size(); ++i) {
      size_t to = size(count[digit(keys_[i], pass)]++);
      other_keys_[to] = keys_[i];
      other_positions_[to] = positions_[i];
    }
    keys_.swap(other_keys_);
    positions_.swap(other_positions_);
  }

  static int digit(Key key, int pass) { return static_cast<int>(key >> (8 * pass)) & 0xff; }

  std::vector<Key> keys_, other_keys_;
  std::vector<int64_t> positions_, other_positions_;
  std::vector<Pair> pairs_;
};

template <class T>
void sort_line(LineSorter<SortKey<T>>& sorter, const Lines& l, const T* from, bool descending,
               T* values, int64_t* indices) {
  using Key = SortKey<T>;
  Key flip = descending ? static_cast<Key>(~Key(0)) : Key(0);
  Key* keys = sorter.keys();
  for (int64_t i = 0; i < l.length; ++i) {
    keys[i] = static_cast<Key>(sort_key(from[i * l.from_step]) ^ flip);
  }
  sorter.sort();
  const int64_t* positions = sorter.positions();
  for (int64_t i = 0; i < l.length; ++i) {
    values[i * l.values_step] = from[positions[i] * l.from_step];
    indices[i * l.indices_step] = positions[i];
  }
}

template <class T>
void sort_lines(const Tensor& self, const Lines& l, bool descending, const Tensor& values,
                const Tensor& indices) {
  int64_t grain = std::max<int64_t>(1, kGrain / 8 / std::max<int64_t>(1, l.length));
  parallel_for(0, l.count, grain, [&](int64_t first, int64_t last) {
    LineSorter<SortKey<T>> sorter(l.length);
    for (int64_t line = first; line < last; ++line) {
      sort_line(sorter, l, self.data_as<T>() + l.offset(line, l.from), descending,
                values.data_as<T>() + l.offset(line, l.values),
                indices.data_as<int64_t>() + l.offset(line, l.indices));
    }
  });
}

void sort_any(const Tensor& self, int64_t dim, bool descending, const Tensor& values,
              const Tensor& indices) {
  if (self.numel() == 0) return;
  Lines lines(self, self.dim() == 0 ? -1 : wrap_dim(dim, self.dim(), "sort"), values, indices);
  for_ordered("sort", self.dtype(),
              [&]<class T>(T) { sort_lines<T>(self, lines, descending, values, indices); });
}

}  // namespace

void sort(const Tensor& self, int64_t dim, bool descending, const Tensor& values,
          const Tensor& indices) {
  sort_any(self, dim, descending, values, indices);
}

void sort_stable(const Tensor& self, std::optional<bool>, int64_t dim, bool descending,
                 const Tensor& values, const Tensor& indices) {
  sort_any(self, dim, descending, values, indices);
}

}  // namespace ceph::kernels
