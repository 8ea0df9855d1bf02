#pragma once

#include "kernels/dnn/conv2d.h"
#include "kernels/dnn/library.h"

#ifdef CEPHEID_DNNL_LIBRARY

namespace ceph::kernels::dnn {

// A convolution of one shape, made once: the primitive and the changes of layout around it. Plans
// hold no data and may run on several threads at once (the scratch memory is the caller's).
class ConvPlan {
 public:
  // Null where oneDNN has no implementation for the shape and dtype.
  static std::shared_ptr<const ConvPlan> find(const Conv2d& conv, DType dtype, bool bias,
                                              bool channels_last);

  // The weight in the layout that the primitive wants; itself where that is its own.
  Tensor arranged_weight(const Tensor& weight) const;
  // `weight` as arranged_weight gave it; bias may be null.
  void run(char* input, const Tensor& weight, char* bias, char* output) const;

 private:
  // What one operand is in the tensor and in the primitive.
  struct Operand {
    Owned<dnnl_memory_desc_t> outside, inside;
    Owned<dnnl_primitive_t> reorder;  // null: the layouts are the same
  };

  bool build(const Conv2d& conv, DType dtype, bool bias, bool channels_last);
  Owned<dnnl_primitive_desc_t> describe(const Conv2d& conv) const;
  bool arrange(Operand& operand, const_dnnl_memory_desc_t chosen, bool is_output);

  Operand input_, weight_, output_;
  Owned<dnnl_memory_desc_t> bias_, scratch_;
  Owned<dnnl_primitive_t> conv_;
};

}  // namespace ceph::kernels::dnn

#endif
