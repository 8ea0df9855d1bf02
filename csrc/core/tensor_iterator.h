#pragma once

#include "base/function_ref.h"
#include "base/thread_pool.h"
#include "core/layout.h"

namespace ceph {

namespace detail {
struct Operands;
}

// Walks operands of one broadcast shape together: outputs first, then inputs. Dimensions are
// ordered by the outputs' strides and coalesced, so that a contiguous call is one loop of size0.
// Operands must already have the dtypes that the loop expects.
class CEPH_API TensorIterator {
 public:
  static constexpr int kMaxOperands = 8;
  // Data pointers and byte strides of each operand: strides[k] of the inner dimension,
  // strides[n_operands + k] of the outer one.
  using Loop =
      FunctionRef<void(char* const* data, const int64_t* strides, int64_t size0, int64_t size1)>;

  // `outputs` undefined handles are allocated in `dtypes` with the layout that the inputs suggest
  // (PyTorch's documented rule: permuted dense inputs give a permuted dense result). Defined ones
  // must have the broadcast shape already or, with `resize`, are resized. Before anything is
  // written: an output that overlaps itself, or partially overlaps an input or another output, is
  // refused (errors name `op`).
  static TensorIterator build(const char* op, ArrayRef<Tensor*> outputs, ArrayRef<DType> dtypes,
                              ArrayRef<const Tensor*> inputs, bool resize);
  // Walks given geometry: sizes and, per operand, pointer and element strides in bytes. For kernels
  // that iterate over the dimensions they don't fold (a reduction hands in stride 0 for folded
  // ones).
  static TensorIterator over(IntArrayRef sizes, ArrayRef<char*> data,
                             ArrayRef<IntArrayRef> byte_strides);

  int64_t numel() const { return numel_; }
  IntArrayRef shape() const { return shape_; }  // after coalescing, inner dimension first
  int operand_count() const { return count_; }
  char* data(int operand) const { return data_[operand]; }
  const DimVector& byte_strides(int operand) const { return strides_[operand]; }
  bool is_one_loop() const { return shape_.size() <= 1; }

  // Runs `loop` over everything, split over the pool in pieces of at least `grain` elements.
  void for_each(Loop loop, int64_t grain = kGrain) const;
  // The same on the calling thread, in order.
  void serial_for_each(Loop loop) const;

 private:
  void one_line(const detail::Operands& operands, const Tensor& widest);
  void broadcast(const detail::Operands& operands);
  void coalesce();
  void run_range(Loop loop, int64_t first, int64_t last) const;

  int count_ = 0;
  int64_t numel_ = 0;
  DimVector shape_;
  char* data_[kMaxOperands] = {};
  DimVector strides_[kMaxOperands];
};

// ---- accessor: how kernels read and write; never a bare pointer (strides and offset are in it)
// -----

// Element access by coordinates, N fixed at compile time.
template <class T, int N>
class Accessor {
 public:
  explicit Accessor(const Tensor& t) : data_(static_cast<T*>(t.data())) {
    CEPH_INTERNAL(t.dim() == N);
    for (int d = 0; d < N; ++d) {
      sizes_[d] = t.sizes()[d];
      strides_[d] = t.strides()[d];
    }
  }
  int64_t size(int d) const { return sizes_[d]; }
  int64_t stride(int d) const { return strides_[d]; }
  template <class... I>
  T& operator()(I... index) const {
    static_assert(sizeof...(I) == N);
    int64_t offset = 0;
    int d = 0;
    ((offset += index * strides_[d++]), ...);
    return data_[offset];
  }

 private:
  T* data_;
  int64_t sizes_[N > 0 ? N : 1];
  int64_t strides_[N > 0 ? N : 1];
};

}  // namespace ceph
