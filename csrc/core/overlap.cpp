#include <algorithm>
#include <numeric>

#include "core/layout.h"

// Note [Overlap]
// Two element sets meet where a sum of stride * index of one equals one of the other. With every
// coefficient made positive that is one question: does sum(c_i * x_i) = target have a solution with
// 0 <= x_i <= m_i? Terms that together cover a whole arithmetic progression are merged first, which
// answers slices, transposes and expansions at once; what is left is searched, largest coefficient
// first, pruned by the reachable range and by divisibility. The question is NP-hard in general, so
// the search ends after kMostSteps and then answers yes: such geometries (many dimensions with
// unrelated strides that interleave) are refused or copied, never written to on a guess.

namespace ceph {
namespace {

constexpr int64_t kMostSteps = 1'000'000;

using Wide = __int128;  // sums of two extents leave int64

struct Term {
  Wide step;
  Wide most;
};
using Terms = SmallVector<Term, 24>;

Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

void sort_and_merge(Terms& terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return a.step < b.step; });
  Terms merged;
  for (const Term& term : terms) {
    if (term.most == 0) continue;
    if (!merged.empty()) {
      Term& last = merged.back();
      // last covers 0, step, ..., step * most; copies of it shifted by term.step leave no gap.
      if (term.step % last.step == 0 && term.step / last.step <= last.most + 1) {
        last.most += term.step / last.step * term.most;
        continue;
      }
    }
    merged.push_back(term);
  }
  terms = merged;
}

// Inverse of a modulo m, for coprime a and m > 1.
Wide inverse_modulo(Wide a, Wide m) {
  Wide old_r = a % m, r = m, old_s = 1, s = 0;
  while (r != 0) {
    const Wide q = old_r / r;
    std::swap(old_r, r);
    r -= q * old_r;
    std::swap(old_s, s);
    s -= q * old_s;
  }
  return (old_s % m + m) % m;
}

class Search {
 public:
  explicit Search(const Terms& terms) : terms_(terms) {
    for (const Term& term : terms) {
      reach_.push_back((reach_.empty() ? 0 : reach_.back()) + term.step * term.most);
      divisor_.push_back(gcd(divisor_.empty() ? 0 : divisor_.back(), term.step));
    }
  }

  bool solvable(Wide target) const { return solve(terms_.size(), target); }

 private:
  // Uses the first `count` terms, smallest steps first.
  bool solve(size_t count, Wide target) const {
    if (target == 0 || ++steps_ > kMostSteps) return true;
    if (count == 0 || target < 0 || target > reach_[count - 1]) return false;
    if (target % divisor_[count - 1] != 0) return false;
    const Term& term = terms_[count - 1];
    if (count == 1) return true;  // divisible and in reach
    const Wide rest = reach_[count - 2];
    const Wide highest = std::min(term.most, target / term.step);
    const Wide lowest = target > rest ? (target - rest + term.step - 1) / term.step : 0;
    // Only every period-th index leaves a rest that the smaller terms' divisor divides.
    const Wide divisor = divisor_[count - 2];
    const Wide common = gcd(term.step, divisor);
    const Wide period = divisor / common;
    Wide first = lowest;
    if (period > 1) {
      const Wide wanted =
          target / common % period * inverse_modulo(term.step / common, period) % period;
      first = lowest + ((wanted - lowest) % period + period) % period;
    }
    for (Wide x = first; x <= highest; x += period) {
      if (solve(count - 1, target - x * term.step)) return true;
    }
    return false;
  }

  const Terms& terms_;
  SmallVector<Wide, 24> reach_;
  SmallVector<Wide, 24> divisor_;
  mutable int64_t steps_ = 0;
};

bool solvable(Terms terms, Wide target) {
  if (target < 0) return false;
  sort_and_merge(terms);
  return Search(terms).solvable(target);
}

// Dimensions that move: size > 1, by ascending stride.
Terms moving_dims(const Tensor& t) {
  Terms dims;
  for (size_t d = 0; d < t.sizes().size(); ++d) {
    if (t.sizes()[d] > 1) dims.push_back({t.strides()[d], t.sizes()[d] - 1});
  }
  std::sort(dims.begin(), dims.end(), [](const Term& a, const Term& b) { return a.step < b.step; });
  return dims;
}

struct Extent {
  Wide first;  // address of the first byte, or its offset in a storage without memory
  Wide last;
};

Extent extent_of(const Tensor& t) {
  const auto item = static_cast<Wide>(item_size(t.dtype()));
  const Wide base = reinterpret_cast<intptr_t>(t->storage()->data());
  Wide reach = 0;
  for (size_t d = 0; d < t.sizes().size(); ++d) reach += Wide(t.sizes()[d] - 1) * t.strides()[d];
  const Wide first = base + Wide(t.storage_offset()) * item;
  return {first, first + reach * item + item - 1};
}

bool same_elements(const Tensor& a, const Tensor& b) {
  if (item_size(a.dtype()) != item_size(b.dtype()) || !(a.sizes() == b.sizes())) return false;
  for (size_t d = 0; d < a.sizes().size(); ++d) {
    if (a.sizes()[d] > 1 && a.strides()[d] != b.strides()[d]) return false;
  }
  return true;
}

void add_bytes_of(const Tensor& t, Terms& terms) {
  const auto item = static_cast<Wide>(item_size(t.dtype()));
  for (const Term& dim : moving_dims(t)) {
    if (dim.step > 0) terms.push_back({dim.step * item, dim.most});
  }
  terms.push_back({1, item - 1});
}

bool share_a_byte(const Tensor& a, const Extent& in_a, const Tensor& b, const Extent& in_b) {
  // a's index counts up from its first byte, b's down from its last.
  Terms terms;
  add_bytes_of(a, terms);
  add_bytes_of(b, terms);
  return solvable(std::move(terms), in_b.last - in_a.first);
}

}  // namespace

bool overlaps_itself(const Tensor& t) {
  if (t.is_contiguous() || t.numel() <= 1) return false;
  const Terms dims = moving_dims(t);
  Terms smaller;
  Wide reach = 0;
  for (const Term& dim : dims) {
    if (dim.step == 0) return true;
    // Two indices that differ first (from above) in this dimension, by 1 + x, reach one element
    // when the smaller dimensions make up the difference: sum of d_i * step_i with |d_i| <= most_i.
    if (dim.step <= reach) {
      Terms terms = smaller;
      terms.push_back({dim.step, dim.most - 1});
      if (solvable(std::move(terms), reach - dim.step)) return true;
    }
    smaller.push_back({dim.step, dim.most * 2});
    reach += dim.step * dim.most;
  }
  return false;
}

Overlap overlap_between(const Tensor& a, const Tensor& b) {
  if (!a->has_storage() || !b->has_storage() || a.numel() == 0 || b.numel() == 0)
    return Overlap::None;
  const bool same_storage = a->storage() == b->storage();
  const bool in_memory = a->storage()->data() && b->storage()->data();
  if (!same_storage && (!in_memory || !(a.device() == b.device()))) return Overlap::None;
  const Extent in_a = extent_of(a);
  const Extent in_b = extent_of(b);
  if (in_a.last < in_b.first || in_b.last < in_a.first) return Overlap::None;
  if (in_a.first == in_b.first && same_elements(a, b)) return Overlap::Full;
  return share_a_byte(a, in_a, b, in_b) ? Overlap::Partial : Overlap::None;
}

}  // namespace ceph
