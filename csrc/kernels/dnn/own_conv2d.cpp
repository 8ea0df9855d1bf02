#include "base/overflow.h"
#include "base/thread_pool.h"
#include "kernels/blas/gemm.h"
#include "kernels/dnn/conv2d.h"

namespace ceph::kernels::dnn {
namespace {

// Elements of the unfolded input that are held at once (per thread).
constexpr int64_t kUnfolded = 1 << 18;

// One image's one group: out[k, y, x] = sum over (c, r, s) of weight[k, crs] input[crs, yx], and
// its two gradients, by parts of the unfolded input.
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

  void output(const char* op) {
    by_rows([&](int64_t y, int64_t rows, int64_t first, int64_t count) {
      fill_bias(first, count);
      gemm(op, dtype_of<T>::value, filters_, count, depth(), {weight_, depth(), 1},
           columns_of(y, rows), {output_ + first, out_plane()}, {1, bias_ ? 1 : 0});
    });
  }

  // The input's gradient: columns = weight^T output, folded.
  void input(const char* op) {
    if (conv_.is_product()) {
      return gemm(op, dtype_of<T>::value, depth(), out_plane(), filters_, {weight_, 1, depth()},
                  {output_, out_plane(), 1}, {input_, out_plane()});
    }
    std::fill_n(input_, channels_ * conv_.in_size[0] * conv_.in_size[1], T(0));
    by_rows([&](int64_t y, int64_t rows, int64_t first, int64_t count) {
      gemm(op, dtype_of<T>::value, depth(), count, filters_, {weight_, 1, depth()},
           {output_ + first, out_plane(), 1}, {columns_.data(), count});
      fold(y, rows);
    });
  }

  // Adds this image's part of the weight's gradient: output columns^T.
  void weight(const char* op) {
    by_rows([&](int64_t y, int64_t rows, int64_t first, int64_t count) {
      gemm(op, dtype_of<T>::value, filters_, depth(), count, {output_ + first, out_plane(), 1},
           columns_of(y, rows).transposed(), {weight_, depth()}, {1, 1});
    });
  }

 private:
  // Calls for rows of the output that make up a part: the first, how many, their elements.
  template <class Body>
  void by_rows(const Body& body) {
    int64_t width = conv_.out_size[1];
    int64_t rows = std::max<int64_t>(1, kUnfolded / std::max<int64_t>(1, depth() * width));
    rows = std::min(rows, conv_.out_size[0]);
    if (conv_.is_product()) rows = conv_.out_size[0];
    columns_.resize(static_cast<size_t>(depth() * rows * width));
    for (int64_t y = 0; y < conv_.out_size[0]; y += rows) {
      int64_t count = std::min(rows, conv_.out_size[0] - y);
      body(y, count, y * width, count * width);
    }
  }

  int64_t depth() const { return channels_ * conv_.kernel[0] * conv_.kernel[1]; }
  int64_t out_plane() const { return conv_.out_size[0] * conv_.out_size[1]; }

  // Rows of the unfolded input; the input itself where each column is one of its elements.
  ConstMatrix columns_of(int64_t y, int64_t rows) {
    const int64_t width = conv_.out_size[1];
    if (conv_.is_product()) return {input_ + y * width, out_plane(), 1};
    unfold(y, rows);
    return {columns_.data(), rows * width, 1};
  }

  void fill_bias(int64_t first, int64_t count) const {
    for (int64_t k = 0; bias_ && k < filters_; ++k) {
      std::fill_n(output_ + k * out_plane() + first, count, bias_[k]);
    }
  }

  // columns[(c, r, s), (y, x)] = the input under that element of the kernel, 0 in the padding.
  void unfold(int64_t y0, int64_t rows) {
    by_lines(y0, rows, [&](T* line, int64_t x0, T* columns) {
      for (int64_t i = 0; i < conv_.out_size[1]; ++i) {
        const int64_t x = x0 + i * conv_.stride[1];
        columns[i] = line && x >= 0 && x < conv_.in_size[1] ? line[x] : T(0);
      }
    });
  }

  // Adds each column's elements to the places of the input that they lie over.
  void fold(int64_t y0, int64_t rows) {
    by_lines(y0, rows, [&](T* line, int64_t x0, const T* columns) {
      for (int64_t i = 0; line && i < conv_.out_size[1]; ++i) {
        const int64_t x = x0 + i * conv_.stride[1];
        if (x >= 0 && x < conv_.in_size[1]) line[x] += columns[i];
      }
    });
  }

  // Calls for each row of each element of the kernel: the input's line under it (null in the
  // padding), where in it the row starts, and the row of the columns.
  template <class Body>
  void by_lines(int64_t y0, int64_t rows, const Body& body) {
    T* columns = columns_.data();
    for (int64_t c = 0; c < channels_; ++c) {
      T* plane = input_ + c * conv_.in_size[0] * conv_.in_size[1];
      for (int64_t r = 0; r < conv_.kernel[0]; ++r) {
        for (int64_t s = 0; s < conv_.kernel[1]; ++s) {
          const int64_t x0 = s * conv_.dilation[1] - conv_.padding[1];
          for (int64_t i = y0; i < y0 + rows; ++i, columns += conv_.out_size[1]) {
            const int64_t y = i * conv_.stride[0] - conv_.padding[0] + r * conv_.dilation[0];
            const bool inside = y >= 0 && y < conv_.in_size[0];
            body(inside ? plane + y * conv_.in_size[1] : nullptr, x0, columns);
          }
        }
      }
    }
  }

  const Conv2d& conv_;
  int64_t channels_, filters_;
  T* input_;
  T* weight_;
  const T* bias_;
  T* output_;
  std::vector<T> columns_;
};

template <class T>
void conv_of(const Conv2d& conv, const Conv2dOperands& t, Wanted wanted) {
  if (wanted == Wanted::kWeight) {
    // Images one after the other, so that the order of the sum is always the same.
    std::fill_n(t.weight.data_as<T>(), t.weight.numel(), T(0));
    for (int64_t i = 0; i < conv.batch * conv.groups; ++i) {
      GroupConv<T>(conv, t, i / conv.groups, i % conv.groups).weight("conv2d_weight");
    }
    return;
  }
  parallel_for(0, conv.batch * conv.groups, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      GroupConv<T> group(conv, t, i / conv.groups, i % conv.groups);
      wanted == Wanted::kInput ? group.input("conv2d_input") : group.output("conv2d");
    }
  });
}

}  // namespace

void own_conv2d(const Conv2d& conv, const Conv2dOperands& t, Wanted wanted) {
  CEPH_INTERNAL(!t.channels_last);
  switch (t.output.dtype()) {
  case DType::Float32:
    return conv_of<float>(conv, t, wanted);
  case DType::Float64:
    return conv_of<double>(conv, t, wanted);
  default:
    fail(ErrorKind::kNotImplemented, "conv2d", "does not work for ", name_of(t.output.dtype()));
  }
}

}  // namespace ceph::kernels::dnn
