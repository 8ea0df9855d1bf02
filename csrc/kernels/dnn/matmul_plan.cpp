#include "kernels/dnn/matmul_plan.h"

#ifdef CEPHEID_DNNL_LIBRARY

#include <map>
#include <mutex>

#include "kernels/dnn/primitives.h"

namespace ceph::kernels::dnn {
namespace {

// Plans that are kept; a program with more shapes than this starts over.
constexpr size_t kMaxPlans = 512;

Owned<dnnl_memory_desc_t> matrix_desc(int64_t rows, int64_t cols, int64_t row_stride,
                                      int64_t col_stride) {
  dnnl_dims_t dims{rows, cols}, strides{row_stride, col_stride};
  dnnl_memory_desc_t out = nullptr;
  library()->memory_desc_create_with_strides(&out, 2, dims, dnnl_bf16, strides);
  return Owned<dnnl_memory_desc_t>(out);
}

}  // namespace

std::shared_ptr<const MatmulPlan> MatmulPlan::find(const MatmulShape& shape) {
  static std::mutex mutex;
  static auto& plans = *new std::map<MatmulShape, std::shared_ptr<const MatmulPlan>>();
  std::lock_guard<std::mutex> lock(mutex);
  auto at = plans.find(shape);
  if (at != plans.end()) return at->second;
  if (plans.size() >= kMaxPlans) plans.clear();
  auto plan = std::make_shared<MatmulPlan>();
  OneOpenMpThread one;
  if (!plan->build(shape)) plan = nullptr;
  plans.emplace(shape, plan);
  return plan;
}

bool MatmulPlan::build(const MatmulShape& s) {
  a_ = matrix_desc(s.m, s.k, s.a_row, s.a_col);
  b_ = matrix_desc(s.k, s.n, s.b_row, s.b_col);
  c_ = matrix_desc(s.m, s.n, s.c_row, 1);
  if (s.bias) bias_ = matrix_desc(1, s.n, s.n, 1);
  Owned<dnnl_primitive_attr_t> attr = caller_scratch();
  dnnl_primitive_desc_t made = nullptr;
  library()->matmul_primitive_desc_create(&made, library()->engine, a_.get(), b_.get(), bias_.get(),
                                          c_.get(), attr.get());
  Owned<dnnl_primitive_desc_t> desc(made);
  if (!desc) return false;
  scratch_ = clone(library()->primitive_desc_query_md(desc.get(), dnnl_query_scratchpad_md, 0));
  matmul_ = primitive(desc);
  return matmul_ != nullptr;
}

void MatmulPlan::run(const char* op, const void* a, const void* b, const void* bias,
                     void* c) const {
  OneOpenMpThread one;
  Tensor scratch = bytes_for(op, scratch_);
  Run step(op);
  step.with(DNNL_ARG_SRC, a_, const_cast<void*>(a))
      .with(DNNL_ARG_WEIGHTS, b_, const_cast<void*>(b))
      .with(DNNL_ARG_DST, c_, c)
      .with(DNNL_ARG_SCRATCHPAD, scratch_, scratch.data());
  if (bias) step.with(DNNL_ARG_BIAS, bias_, const_cast<void*>(bias));
  step.execute(matmul_);
}

}  // namespace ceph::kernels::dnn

#endif
