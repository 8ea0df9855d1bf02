#include <cstring>
#include <string>

#include "generated/kernels/index.h"
#include "kernels/copy.h"
#include "kernels/cpu/combine.h"
#include "kernels/cpu/index_lines.h"
#include "kernels/cpu/index_transfer.h"
#include "kernels/cpu/representable.h"
#include "kernels/fill.h"
#include "kernels/inspect.h"

// Writes to places along one dimension. Every index is checked before the first write.

namespace ceph::kernels {
namespace {

enum class How { kWrite, kSum, kProduct, kGreatest, kLeast };

// One number as a tensor of this dtype, without strides: it stands for one of any size.
Tensor number_tensor(const char* op, const Scalar& value, DType dtype, IntArrayRef sizes) {
  check_representable(op, "value", value, dtype);
  Tensor number = empty_tensor({}, dtype, DeviceKind::CPU, op);
  fill(op, number, value);
  return view_of(number, sizes, DimVector(sizes.size(), 0), 0);
}

template <class T, class F>
void each_element(const Tensor& self, size_t dim, const Tensor& index, const Tensor& source,
                  F&& body) {
  for_each_run(index, dim, self, source, [&](const Run& run) {
    if (index.dtype() == DType::Int32) {
      each_place<T, int32_t>(run, body);
    } else {
      each_place<T, int64_t>(run, body);
    }
  });
}

template <class T>
void write_all(const Tensor& self, size_t dim, const Tensor& index, const Tensor& source) {
  each_element<T>(self, dim, index, source,
                  [](char* to, const char* from) { std::memcpy(to, from, sizeof(T)); });
}

template <class T, template <class> class C>
void combine_all(const Tensor& self, size_t dim, const Tensor& index, const Tensor& source) {
  each_element<T>(self, dim, index, source, [](char* to, const char* from) {
    T* at = reinterpret_cast<T*>(to);
    *at = C<T>::of(*at, *reinterpret_cast<const T*>(from));
  });
}

// kComplex: whether complex numbers combine in this way, which have no order.
template <template <class> class C, bool kComplex>
void combine(const Tensor& self, size_t dim, const Tensor& index, const Tensor& source) {
  switch (self.dtype()) {
#define CEPH_CASE(name, type)                                                                      \
  case DType::name:                                                                                \
    return combine_all<type, C>(self, dim, index, source);
    CEPH_CASE(Bool, bool)
    CEPH_CASE(UInt8, uint8_t)
    CEPH_CASE(Int8, int8_t)
    CEPH_CASE(Int16, int16_t)
    CEPH_CASE(Int32, int32_t)
    CEPH_CASE(Int64, int64_t)
    CEPH_CASE(Float32, float)
    CEPH_CASE(Float64, double)
#undef CEPH_CASE
  case DType::Complex64:
    if constexpr (kComplex) return combine_all<std::complex<float>, C>(self, dim, index, source);
    break;
  case DType::Complex128:
    if constexpr (kComplex) return combine_all<std::complex<double>, C>(self, dim, index, source);
    break;
  default:
    break;
  }
  fail(ErrorKind::kInternal, "scatter", "no way to combine ", name_of(self.dtype()));
}

// What follows needs the index checked, at least one dimension and self in the dtype of `source`.
void scatter_into(How how, const Tensor& self, size_t dim, const Tensor& index,
                  const Tensor& source) {
  switch (how) {
  case How::kWrite:
    return with_item(self.dtype(),
                     [&](auto item) { write_all<decltype(item)>(self, dim, index, source); });
  case How::kSum:
    return combine<Sum, true>(self, dim, index, source);
  case How::kProduct:
    return combine<Product, true>(self, dim, index, source);
  case How::kGreatest:
    return combine<Greatest, false>(self, dim, index, source);
  case How::kLeast:
    return combine<Least, false>(self, dim, index, source);
  }
}

bool is_narrow(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }

void check_fits(const char* op, const Tensor& self, size_t dim, const Tensor& index,
                const Tensor* source) {
  bool ranks = index.dim() == self.dim() && (!source || source->dim() == self.dim());
  CEPH_CHECK(ranks, ErrorKind::kRuntime, op,
             "self, index and source must have equally many dimensions; got self ", self.sizes(),
             ", index ", index.sizes(), " and source ", (source ? *source : index).sizes());
  for (size_t d = 0; d < index.sizes().size(); ++d) {
    int64_t size = index.sizes()[d];
    CEPH_CHECK(d == dim || size <= self.sizes()[d], ErrorKind::kRuntime, op,
               "index must not be larger than self except in dim ", dim, "; got self ",
               self.sizes(), " and index ", index.sizes());
    CEPH_CHECK(!source || size <= source->sizes()[d], ErrorKind::kRuntime, op,
               "index must not be larger than the source; got source ", source->sizes(),
               " and index ", index.sizes());
  }
}

void check_source_dtype(const char* op, const Tensor& self, const Tensor& source) {
  CEPH_CHECK(source.dtype() == self.dtype(), ErrorKind::kRuntime, op,
             "the source must have self's dtype; got self ", name_of(self.dtype()), " and source ",
             name_of(source.dtype()), "; convert the source first");
}

// One call: what all of the scatter ops begin with.
struct Scatter {
  Tensor self, index;
  size_t dim;
  bool nothing;

  Scatter(const char* op, const Tensor& to, int64_t along, const Tensor& places,
          const Tensor* source)
      : self(at_least_1d(to)), index(at_least_1d(places)),
        dim(static_cast<size_t>(wrap_dim(along, to.dim(), op))), nothing(places.numel() == 0) {
    check_index_dtype(op, places);
    if (source) check_source_dtype(op, to, *source);
    if (nothing) return;
    if (source) {
      Tensor from = at_least_1d(*source);
      check_fits(op, self, dim, index, &from);
    } else {
      check_fits(op, self, dim, index, nullptr);
    }
    check_range(op, ErrorKind::kRuntime, index, static_cast<int64_t>(dim), self.sizes()[dim]);
  }

  // Sums of many terms of 16 bits are kept in float32 and rounded once.
  void run(How how, const Tensor& source) const {
    if (nothing) return;
    if (how == How::kWrite || !is_narrow(self.dtype())) {
      return scatter_into(how, self, dim, index, at_least_1d(source));
    }
    Tensor wide = cast(self, DType::Float32);
    scatter_into(how, wide, dim, index, at_least_1d(cast(source, DType::Float32)));
    copy_into(self, wide);
  }
};

enum class Reduce { kSum, kProduct, kMean, kGreatest, kLeast };

Reduce reduce_of(const char* op, std::string_view text) {
  if (text == "sum") return Reduce::kSum;
  if (text == "prod") return Reduce::kProduct;
  if (text == "mean") return Reduce::kMean;
  if (text == "amax") return Reduce::kGreatest;
  CEPH_CHECK(text == "amin", ErrorKind::kRuntime, op,
             "reduce must be sum, prod, mean, amax or amin; got ", std::string(text));
  return Reduce::kLeast;
}

How how_of(Reduce reduce) {
  switch (reduce) {
  case Reduce::kProduct:
    return How::kProduct;
  case Reduce::kGreatest:
    return How::kGreatest;
  case Reduce::kLeast:
    return How::kLeast;
  default:
    return How::kSum;
  }
}

template <class T>
void set_neutral(const Tensor& number, Reduce reduce) {
  T* at = number.data_as<T>();
  switch (reduce) {
  case Reduce::kProduct:
    *at = Product<T>::kNeutral;
    return;
  case Reduce::kGreatest:
    *at = Greatest<T>::kNeutral;
    return;
  case Reduce::kLeast:
    *at = Least<T>::kNeutral;
    return;
  default:
    *at = Sum<T>::kNeutral;
    return;
  }
}

template <class T>
T quotient(T sum, int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    // Towards minus infinity, in 64 bits: a count need not fit T.
    const auto wide = static_cast<int64_t>(sum);
    return static_cast<T>(wide / count - (wide % count < 0));
  } else {
    return sum / static_cast<T>(count);
  }
}

// self /= counts, where these aren't 0.
template <class T>
void divide(const Tensor& self, const Tensor& counts) {
  DimVector self_strides = byte_strides(self), count_strides = byte_strides(counts);
  char* data[] = {static_cast<char*>(self.data()), static_cast<char*>(counts.data())};
  IntArrayRef strides[] = {self_strides, count_strides};
  auto it = TensorIterator::over(self.sizes(), ArrayRef<char*>(data, 2),
                                 ArrayRef<IntArrayRef>(strides, 2));
  it.for_each([](char* const* at, const int64_t* s, int64_t n0, int64_t n1) {
    for (int64_t j = 0; j < n1; ++j) {
      for (int64_t i = 0; i < n0; ++i) {
        T* to = reinterpret_cast<T*>(at[0] + j * s[2] + i * s[0]);
        int64_t count = *reinterpret_cast<const int64_t*>(at[1] + j * s[3] + i * s[1]);
        if (count > 0) *to = quotient(*to, count);
      }
    }
  });
}

// Calls body(T()) for the type that terms of this dtype are kept in.
template <class F>
void with_real(DType dtype, F&& body) {
  switch (dtype) {
#define CEPH_CASE(name, type)                                                                      \
  case DType::name:                                                                                \
    return body(type());
    CEPH_CASE(Bool, bool)
    CEPH_CASE(UInt8, uint8_t)
    CEPH_CASE(Int8, int8_t)
    CEPH_CASE(Int16, int16_t)
    CEPH_CASE(Int32, int32_t)
    CEPH_CASE(Int64, int64_t)
    CEPH_CASE(Float32, float)
    CEPH_CASE(Float64, double)
#undef CEPH_CASE
  default:
    fail(ErrorKind::kInternal, "scatter_reduce", "unknown dtype");
  }
}

// How many terms each place has; with self's own where it counts.
Tensor counts_of(const Scatter& call, bool include_self) {
  const char* op = "scatter_reduce";
  Tensor counts = empty_tensor(call.self.sizes(), DType::Int64, DeviceKind::CPU, op);
  fill(op, counts, Scalar(include_self ? int64_t(1) : int64_t(0)));
  Tensor one = number_tensor(op, Scalar(int64_t(1)), DType::Int64, call.index.sizes());
  scatter_into(How::kSum, counts, call.dim, call.index, one);
  return counts;
}

How how_of(const char* op, std::string_view reduce) {
  if (reduce == "add") return How::kSum;
  CEPH_CHECK(reduce == "multiply", ErrorKind::kRuntime, op, "reduce must be add or multiply; got ",
             std::string(reduce));
  return How::kProduct;
}

}  // namespace

void scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  Scatter("scatter", self, dim, index, &src).run(How::kWrite, src);
}

void scatter_value(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  Scatter call("scatter", self, dim, index, nullptr);
  call.run(How::kWrite, number_tensor("scatter", value, self.dtype(), call.index.sizes()));
}

void scatter_by(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                std::string_view reduce) {
  How how = how_of("scatter", reduce);
  Scatter("scatter", self, dim, index, &src).run(how, src);
}

void scatter_value_by(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
                      std::string_view reduce) {
  How how = how_of("scatter", reduce);
  Scatter call("scatter", self, dim, index, nullptr);
  call.run(how, number_tensor("scatter", value, self.dtype(), call.index.sizes()));
}

void scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  Scatter("scatter_add", self, dim, index, &src).run(How::kSum, src);
}

void scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                    std::string_view reduce, bool include_self) {
  const char* op = "scatter_reduce";
  Reduce kind = reduce_of(op, reduce);
  CEPH_CHECK(kind != Reduce::kMean || self.dtype() != DType::Bool, ErrorKind::kNotImplemented, op,
             "bools have no mean; convert self to an integer or floating dtype");
  Scatter call(op, self, dim, index, &src);
  if (call.nothing) return;
  bool narrow = is_narrow(self.dtype());
  Tensor sum = narrow ? cast(call.self, DType::Float32) : call.self;
  Tensor terms = at_least_1d(narrow ? cast(src, DType::Float32) : src);
  with_real(sum.dtype(), [&](auto item) {
    using T = decltype(item);
    if (!include_self) {
      Tensor neutral = empty_tensor({}, sum.dtype(), DeviceKind::CPU, op);
      set_neutral<T>(neutral, kind);
      DimVector still(call.index.sizes().size(), 0);
      Tensor expanded = view_of(neutral, call.index.sizes(), still, 0);
      scatter_into(How::kWrite, sum, call.dim, call.index, expanded);
    }
    scatter_into(how_of(kind), sum, call.dim, call.index, terms);
    if (kind == Reduce::kMean) divide<T>(sum, counts_of(call, include_self));
  });
  if (narrow) copy_into(call.self, sum);
}

}  // namespace ceph::kernels
