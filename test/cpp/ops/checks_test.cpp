#include "kernels/values.h"
#include "ops/checks.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

Tensor of(DType dtype) { return empty_tensor({1}, dtype, DeviceKind::CPU); }

void alpha(DType a, DType b, const Scalar& value) {
  ops::checks::arithmetic_alpha("add", of(a), of(b), value);
}

}  // namespace

TEST(alpha_must_suit_the_result) {
  alpha(DType::Int64, DType::Float32, 1.5);
  alpha(DType::Bool, DType::Bool, true);
  alpha(DType::Bool, DType::Bool, 2);
  alpha(DType::Complex64, DType::Int64, std::complex<double>(0, 1));
  EXPECT_THROWS(alpha(DType::Int64, DType::Int64, 1.5), Error, "add: alpha must be an integer");
  EXPECT_THROWS(alpha(DType::Int64, DType::Int64, 2.0), Error, "got 2");
  EXPECT_THROWS(alpha(DType::Bool, DType::Bool, 1.0), Error, "alpha must be an integer");
  EXPECT_THROWS(alpha(DType::Int64, DType::Int64, true), Error, "a bool alpha needs a bool result");
  EXPECT_THROWS(alpha(DType::Float32, DType::Float32, true), Error, "a bool alpha");
  EXPECT_THROWS(alpha(DType::Float32, DType::Float32, std::complex<double>(0, 1)), Error, "real");
}

TEST(alpha_must_be_in_range) {
  alpha(DType::UInt8, DType::UInt8, -1);
  EXPECT_THROWS(alpha(DType::UInt8, DType::UInt8, 300), Error, "representable in uint8");
  EXPECT_THROWS(alpha(DType::Int8, DType::Int8, -129), Error, "representable in int8");
  EXPECT_THROWS(alpha(DType::Float16, DType::Float16, 1e6), Error, "representable in float16");
  EXPECT_THROWS(alpha(DType::Float32, DType::Float32, 1e300), Error, "representable in float32");
}

TEST(bool_tensors_are_not_subtracted) {
  ops::checks::subtract_alpha("sub", of(DType::Int32), of(DType::Int32), 1);
  EXPECT_THROWS(ops::checks::subtract_alpha("sub", of(DType::Bool), of(DType::Int32), 1), Error,
                "sub: bool tensors");
  EXPECT_THROWS(ops::checks::subtract_alpha("sub", of(DType::Int32), of(DType::Bool), 1), Error,
                "logical_xor");
}

TEST(integers_have_no_negative_powers) {
  Tensor negative = tensor_of<int64_t>({2}, {2, -1});
  EXPECT_THROWS(ops::checks::integer_power("pow", of(DType::Int64), negative), Error,
                "pow: integers");
  ops::checks::integer_power("pow", of(DType::Float32), negative);
  ops::checks::integer_power("pow", of(DType::Int64), tensor_of<int64_t>({2}, {2, 0}));
  ops::checks::integer_power("pow", of(DType::Int64),
                             empty_tensor({0}, DType::Int64, DeviceKind::CPU));
  ops::checks::integer_power("pow", empty_tensor({1}, DType::Int64, DeviceKind::Meta),
                             empty_tensor({1}, DType::Int64, DeviceKind::Meta));
}

TEST(integers_are_not_divided_by_zero) {
  Tensor zero = tensor_of<int32_t>({3}, {1, 0, 2});
  EXPECT_THROWS(ops::checks::integer_division("floor_divide", of(DType::Int32), zero), Error,
                "division by zero");
  ops::checks::integer_division("floor_divide", of(DType::Float32), zero);
}

TEST(nothing_is_divided_in_an_empty_tensor) {
  Tensor zero = tensor_of<int32_t>({1}, {0});
  ops::checks::integer_division("floor_divide", tensor_of<int32_t>({0}, {}), zero);
}

TEST(a_number_that_would_wrap_is_refused) {
  const Tensor large = wrapped_number(int64_t(300)), negative = wrapped_number(int64_t(-1));
  const Tensor bytes = tensor_of<uint8_t>({1}, {3});
  using namespace ops::checks;
  EXPECT_THROWS(ordered_numbers("clamp", bytes, large), Error, "in the range of uint8; got 300");
  EXPECT_THROWS(ordered_numbers("clamp", bytes, negative), Error, "in the range of uint8; got -1");
  EXPECT_THROWS(integer_division("floor_divide", bytes, large), Error, "in the range of uint8");
  EXPECT_THROWS(integer_power("pow", bytes, large), Error, "300");
  EXPECT_THROWS(condition_is_bool("where", of(DType::Bool), large, bytes), Error, "300");
  EXPECT_THROWS(ordered_numbers("clamp", large, bytes), Error, "in the range of uint8; got 300");
  EXPECT_THROWS(condition_is_bool("where", of(DType::Bool), bytes, large), Error, "300");
  ordered_numbers("clamp", of(DType::Float16), large);
  ordered_numbers("clamp", of(DType::Int16), large);
}

TEST(a_number_of_one_byte_is_not_read_as_eight) {
  unsigned char memory[8] = {1, 255, 255, 255, 255, 255, 255, 255};  // True, then others' bytes
  auto storage = make_intrusive<StorageImpl>(memory, size_t(1), Device(DeviceKind::CPU), nullptr,
                                             nullptr, true);
  Tensor yes(make_intrusive<TensorImpl>(storage, DType::Bool, Device(DeviceKind::CPU),
                                        DispatchKeySet(DispatchKey::CPU)));
  yes->set_contiguous({});
  yes->set_wrapped_number(true);
  ops::checks::ordered_numbers("clamp", tensor_of<uint8_t>({1}, {3}), yes);
  ops::checks::integer_power("pow", tensor_of<uint8_t>({1}, {3}), yes);
}

TEST(a_condition_is_bool) {
  ops::checks::condition_is_bool("where", of(DType::Bool), of(DType::Int8), of(DType::Int8));
  EXPECT_THROWS(
      ops::checks::condition_is_bool("where", of(DType::UInt8), of(DType::Int8), of(DType::Int8)),
      Error, "condition must be a bool tensor; got uint8");
}
