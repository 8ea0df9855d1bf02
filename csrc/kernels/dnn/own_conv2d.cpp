#include "base/overflow.h"
#include "base/thread_pool.h"
#include "kernels/blas/gemm.h"
#include "kernels/dnn/conv2d.h"

namespace ceph::kernels::dnn {
namespace {

// Elements of the unfolded input that are held at once (per thread).
constexpr int64_t kUnfolded = 1 << 18;

// One image's one group: out[k, y, x] = sum over (c, r, s) of weight[k, crs] input[crs, yx].
template <class T>
class GroupConv {
 public:
  GroupConv(const Conv2d& conv, const Conv2dOperands& t, int64_t image, int64_t group)
      : conv_(conv), channels_(conv.in_channels / conv.groups),
        filters_(conv.out_channels / conv.groups) {
    int64_t in_plane = conv.in_size[0] * conv.in_size[1];
    int64_t first_filter = group * filters_;
    input_ = t.input.data_as<T>() + (image * conv.in_channels + group * channels_) * in_plane;
    weight_ = t.weight.data_as<T>() + first_filter * depth();
    bias_ = t.bias.defined() ? t.bias.data_as<T>() + first_filter : nullptr;
    output_ = t.output.data_as<T>() + (image * conv.out_channels + first_filter) * out_plane();
  }

  void run(const char* op) {
    int64_t width = conv_.out_size[1];
    int64_t rows = std::max<int64_t>(1, kUnfolded / std::max<int64_t>(1, depth() * width));
    rows = std::min(rows, conv_.out_size[0]);
    columns_.resize(static_cast<size_t>(depth() * rows * width));
    for (int64_t y = 0; y < conv_.out_size[0]; y += rows) {
      int64_t count = std::min(rows, conv_.out_size[0] - y);
      unfold(y, count);
      fill_bias(y * width, count * width);
      gemm(op, dtype_of<T>::value, filters_, count * width, depth(), {weight_, depth(), 1},
           {columns_.data(), count * width, 1}, {output_ + y * width, out_plane()},
           {1, bias_ ? 1 : 0});
    }
  }

 private:
  int64_t depth() const { return channels_ * conv_.kernel[0] * conv_.kernel[1]; }
  int64_t out_plane() const { return conv_.out_size[0] * conv_.out_size[1]; }

  void fill_bias(int64_t first, int64_t count) const {
    for (int64_t k = 0; bias_ && k < filters_; ++k) {
      std::fill_n(output_ + k * out_plane() + first, count, bias_[k]);
    }
  }

  // columns[(c, r, s), (y, x)] = the input under that element of the kernel, 0 in the padding.
  void unfold(int64_t y0, int64_t rows) {
    T* to = columns_.data();
    for (int64_t c = 0; c < channels_; ++c) {
      const T* plane = input_ + c * conv_.in_size[0] * conv_.in_size[1];
      for (int64_t r = 0; r < conv_.kernel[0]; ++r) {
        for (int64_t s = 0; s < conv_.kernel[1]; ++s) {
          for (int64_t y = y0; y < y0 + rows; ++y, to += conv_.out_size[1]) {
            unfold_row(plane, y * conv_.stride[0] - conv_.padding[0] + r * conv_.dilation[0],
                       s * conv_.dilation[1] - conv_.padding[1], to);
          }
        }
      }
    }
  }

  void unfold_row(const T* plane, int64_t y, int64_t x0, T* to) const {
    bool inside = y >= 0 && y < conv_.in_size[0];
    for (int64_t i = 0; i < conv_.out_size[1]; ++i) {
      int64_t x = x0 + i * conv_.stride[1];
      to[i] = inside && x >= 0 && x < conv_.in_size[1] ? plane[y * conv_.in_size[1] + x] : T(0);
    }
  }

  const Conv2d& conv_;
  int64_t channels_, filters_;
  const T* input_;
  const T* weight_;
  const T* bias_;
  T* output_;
  std::vector<T> columns_;
};

template <class T>
void conv_of(const Conv2d& conv, const Conv2dOperands& t) {
  parallel_for(0, conv.batch * conv.groups, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      GroupConv<T>(conv, t, i / conv.groups, i % conv.groups).run("conv2d");
    }
  });
}

}  // namespace

void own_conv2d(const Conv2d& conv, const Conv2dOperands& t) {
  CEPH_INTERNAL(!t.channels_last);
  switch (t.output.dtype()) {
  case DType::Float32:
    return conv_of<float>(conv, t);
  case DType::Float64:
    return conv_of<double>(conv, t);
  default:
    fail(ErrorKind::kNotImplemented, "conv2d", "does not work for ", name_of(t.output.dtype()));
  }
}

}  // namespace ceph::kernels::dnn
