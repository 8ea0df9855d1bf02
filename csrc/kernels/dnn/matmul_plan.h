#pragma once

#include "kernels/dnn/library.h"

#ifdef CEPHEID_DNNL_LIBRARY

#include "kernels/dnn/matmul.h"

namespace ceph::kernels::dnn {

// A product of bfloat16 matrices of one shape and layout, made once. Holds no data and may run on
// several threads at once.
class MatmulPlan {
 public:
  // Null where oneDNN has no implementation.
  static std::shared_ptr<const MatmulPlan> find(const MatmulShape& shape);

  void run(const char* op, const void* a, const void* b, const void* bias, void* c) const;

 private:
  bool build(const MatmulShape& shape);

  Owned<dnnl_memory_desc_t> a_, b_, bias_, c_, scratch_;
  Owned<dnnl_primitive_t> matmul_;
};

}  // namespace ceph::kernels::dnn

#endif
