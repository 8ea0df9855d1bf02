#pragma once

#include "kernels/dnn/conv2d.h"
#include "kernels/dnn/primitives.h"

#ifdef CEPHEID_DNNL_LIBRARY

namespace ceph::kernels::dnn {

// A convolution of one shape, made once: the primitive and the changes of layout around it. Plans
// hold no data and may run on several threads at once (the scratch memory is the caller's).
class ConvPlan {
 public:
  // What tells plans apart beside the sizes. `image_step` is how many elements lie from one image
  // of the output to the next: more than an image's where its channels are a part.
  struct Form {
    DType dtype;
    Wanted wanted = Wanted::kOutput;
    bool bias = false, channels_last = false;
    int64_t image_step = 0;
  };

  // Null where oneDNN has no implementation for the shape and dtype.
  static std::shared_ptr<const ConvPlan> find(const Conv2d& conv, const Form& form);

  // The weight in the layout that the primitive wants; itself where that is its own.
  Tensor arranged_weight(const Tensor& weight) const;
  // `weight` as arranged_weight gave it, unless it is wanted; bias may be null.
  void run(char* input, char* weight, char* bias, char* output) const;

 private:
  // What one operand is in the tensor and in the primitive.
  struct Operand {
    Owned<dnnl_memory_desc_t> outside, inside;
    Owned<dnnl_primitive_t> reorder;  // null: the layouts are the same
  };

  // An operand's memory while the primitive runs.
  struct Held {
    Tensor own;  // undefined where the tensor's is taken
    void* data;
  };

  bool build(const Conv2d& conv, const Form& form);
  Owned<dnnl_primitive_desc_t> describe(const Conv2d& conv) const;
  bool arrange(Operand& operand, const_dnnl_memory_desc_t chosen);
  Held hold(Run& step, const Operand& operand, void* data) const;

  Wanted wanted_ = Wanted::kOutput;
  Operand input_, weight_, output_;
  Operand* written_ = &output_;
  Owned<dnnl_memory_desc_t> bias_, scratch_;
  Owned<dnnl_primitive_t> conv_;
};

}  // namespace ceph::kernels::dnn

#endif
