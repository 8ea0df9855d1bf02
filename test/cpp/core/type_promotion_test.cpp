#include "core/type_promotion.h"

#include "testing.h"

using namespace ceph;

namespace {

Tensor with_dims(DType t) { return empty_tensor({2}, t, DeviceKind::CPU); }
Tensor zero_dim(DType t) { return empty_tensor({}, t, DeviceKind::CPU); }

DType result(const Tensor& a, const Tensor& b) {
  const Tensor* operands[] = {&a, &b};
  return result_type({operands, 2});
}

using Complex = std::complex<double>;

}  // namespace

TEST(equal_weights_take_the_lattice) {
  EXPECT_EQ(result(with_dims(DType::Int8), with_dims(DType::UInt8)), DType::Int16);
  EXPECT_EQ(result(zero_dim(DType::Float32), zero_dim(DType::Float64)), DType::Float64);
  EXPECT_EQ(result(wrapped_number(1), wrapped_number(1.5)), DType::Float32);
}

TEST(dimensions_outweigh_scalars) {
  EXPECT_EQ(result(with_dims(DType::Float16), zero_dim(DType::Float64)), DType::Float16);
  EXPECT_EQ(result(zero_dim(DType::Int64), with_dims(DType::Int8)), DType::Int8);
  EXPECT_EQ(result(with_dims(DType::Int8), zero_dim(DType::Float64)), DType::Float64);
  EXPECT_EQ(result(with_dims(DType::Int32), zero_dim(DType::UInt16)), DType::Int32);
  EXPECT_EQ(result(with_dims(DType::Float8E5M2), zero_dim(DType::Float64)), DType::Float8E5M2);
}

TEST(numbers_weigh_least) {
  EXPECT_EQ(result(with_dims(DType::Int8), wrapped_number(1.5)), DType::Float32);
  EXPECT_EQ(result(zero_dim(DType::Int8), wrapped_number(300)), DType::Int8);
  EXPECT_EQ(result(with_dims(DType::Bool), wrapped_number(1)), DType::Int64);
  EXPECT_EQ(result(with_dims(DType::UInt16), wrapped_number(1)), DType::UInt16);
  EXPECT_EQ(result(with_dims(DType::BFloat16), wrapped_number(Complex(0, 1))), DType::Complex64);
  EXPECT_EQ(result(with_dims(DType::Float64), wrapped_number(Complex(0, 1))), DType::Complex128);
  EXPECT_EQ(result(zero_dim(DType::Float32), wrapped_number(Complex(0, 1))), DType::Complex64);
  set_default_dtype(DType::Float64);
  EXPECT_EQ(result(with_dims(DType::Int8), wrapped_number(1.5)), DType::Float64);
  set_default_dtype(DType::Float32);
}

TEST(impossible_pairs_are_refused) {
  EXPECT_THROWS(result(with_dims(DType::Float8E5M2), with_dims(DType::Float32)), Error,
                "float8_e5m2 and float32");
  EXPECT_THROWS(result(with_dims(DType::Float8E5M2), wrapped_number(Complex(0, 1))), Error,
                "no complex type");
  EXPECT_THROWS(result(with_dims(DType::Int32), zero_dim(DType::Float8E5M2)), Error,
                "no common type");
}

TEST(named_rules) {
  const Tensor i8 = with_dims(DType::Int8), u8 = with_dims(DType::UInt8),
               f16 = with_dims(DType::Float16);
  EXPECT_EQ(promote::accumulate(i8, std::nullopt), DType::Int64);
  EXPECT_EQ(promote::accumulate(f16, std::nullopt), DType::Float16);
  EXPECT_EQ(promote::accumulate(f16, DType::Float64), DType::Float64);
  EXPECT_EQ(promote::truth(u8), DType::UInt8);
  EXPECT_EQ(promote::truth(i8), DType::Bool);
  EXPECT_THROWS(promote::mean("mean", i8, std::nullopt), Error,
                "mean: the input dtype must be floating");
  EXPECT_EQ(promote::mean("mean", i8, DType::Float32), DType::Float32);
  EXPECT_THROWS(promote::mean("mean", f16, DType::Int8), Error, "mean: dtype must be floating");
  EXPECT_THROWS(promote::equal_dtypes("mm", i8, f16), Error,
                "mm: expected one dtype; got int8 and float16");
  const Tensor list[] = {i8, u8, f16};
  EXPECT_EQ(promote::list({list, 3}), DType::Float16);
}

TEST(pointwise_rules) {
  const Tensor i8 = with_dims(DType::Int8), c = with_dims(DType::Complex64);
  const Tensor* ints[] = {&i8};
  const Tensor* complex[] = {&c};
  EXPECT_EQ(promoted(Promote::kIntToFloat, {ints, 1}).compute, DType::Float32);
  EXPECT_EQ(promoted(Promote::kCompare, {ints, 1}).result, DType::Bool);
  EXPECT_EQ(promoted(Promote::kCompare, {ints, 1}).compute, DType::Int8);
  EXPECT_EQ(promoted(Promote::kComplexToFloat, {complex, 1}).result, DType::Float32);
  EXPECT_EQ(promoted(Promote::kDefault, {complex, 1}).result, DType::Complex64);
}

TEST(casts_to_out_are_checked) {
  check_can_cast("add", DType::Float32, DType::Float16);
  EXPECT_THROWS(check_can_cast("add", DType::Float32, DType::Int64), Error,
                "add: result type float32 can't be cast to the output's dtype int64");
}
