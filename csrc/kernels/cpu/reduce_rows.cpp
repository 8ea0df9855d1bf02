#include "kernels/cpu/reduce_rows.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/copy.h"

namespace ceph::kernels {

namespace {

// The terms of one result after the other, contiguous and converted.
class Terms {
 public:
  Terms(const Tensor& self, const ReducePlan& plan, DType compute)
      : plan_(plan), in_(static_cast<const char*>(self.data())), dtype_(self.dtype()),
        compute_(compute), item_(item_size(dtype_)), offsets_(static_cast<size_t>(plan.terms)) {
    plan.term_offsets(0, plan.terms, offsets_.data());
    for (size_t t = 0; t < offsets_.size(); ++t) {
      adjoin_ = adjoin_ && offsets_[t] == static_cast<int64_t>(t * item_);
    }
  }

  const void* of(int64_t result) {
    const char* source = in_ + plan_.input_offset(result);
    if (!adjoin_) {
      raw_.resize(offsets_.size() * item_);
      for (size_t t = 0; t < offsets_.size(); ++t) {
        std::memcpy(raw_.data() + t * item_, source + offsets_[t], item_);
      }
      source = raw_.data();
    }
    if (dtype_ == compute_) return source;
    converted_.resize(offsets_.size() * item_size(compute_));
    convert_elements(converted_.data(), compute_, source, dtype_, plan_.terms);
    return converted_.data();
  }

 private:
  const ReducePlan& plan_;
  const char* in_;
  DType dtype_, compute_;
  size_t item_;
  std::vector<int64_t> offsets_;
  bool adjoin_ = true;
  std::vector<char> raw_, converted_;
};

}  // namespace

void for_each_result(const Tensor& self, const ReduceFlags& reduced, bool keepdim,
                     const Tensor& out, DType compute, ResultFunction function) {
  ReducePlan plan(self, reduced, keepdim, out);
  auto item = static_cast<int64_t>(item_size(out.dtype()));
  int64_t grain = std::max<int64_t>(1, kGrain / plan.terms);
  parallel_for(0, plan.outputs, grain, [&](int64_t first, int64_t last) {
    Terms terms(self, plan, compute);
    for (int64_t i = first; i < last; ++i) {
      function(terms.of(i), plan.terms, plan.output_offset(i) / item);
    }
  });
}

}  // namespace ceph::kernels
