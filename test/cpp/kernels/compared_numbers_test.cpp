// Comparisons of integer tensors with Python integers that their dtype can't hold.

#include <limits>

#include "generated/ops/eq.h"
#include "generated/ops/ge.h"
#include "generated/ops/gt.h"
#include "generated/ops/le.h"
#include "generated/ops/lt.h"
#include "generated/ops/ne.h"
#include "testing.h"
#include "values.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();

// eq ne lt le gt ge of one element and one number, as digits.
std::string answers(const Tensor& x, const Scalar& number) {
  const Tensor n = wrapped_number(number);
  const Tensor results[] = {ops::eq(x, n), ops::ne(x, n), ops::lt(x, n),
                            ops::le(x, n), ops::gt(x, n), ops::ge(x, n)};
  std::string digits;
  for (const Tensor& r : results) digits += values_of<bool>(r).at(0) ? '1' : '0';
  return digits;
}

constexpr const char* kBelow = "011100";  // the element is less than the number
constexpr const char* kAbove = "010011";
constexpr const char* kEqual = "100101";

}  // namespace

TEST(numbers_beyond_the_dtype_do_not_wrap) {
  EXPECT_EQ(answers(tensor_of<uint8_t>({1}, {0}), int64_t(256)), std::string(kBelow));
  EXPECT_EQ(answers(tensor_of<uint8_t>({1}, {255}), int64_t(-1)), std::string(kAbove));
  EXPECT_EQ(answers(tensor_of<int8_t>({1}, {-128}), int64_t(128)), std::string(kBelow));
  EXPECT_EQ(answers(tensor_of<int32_t>({}, {0}), int64_t(1) << 32), std::string(kBelow));
  EXPECT_EQ(answers(tensor_of<int16_t>({1}, {0}), kMin64), std::string(kAbove));
}

TEST(numbers_beyond_int64_do_not_wrap) {
  EXPECT_EQ(answers(tensor_of<int64_t>({1}, {kMin64}), uint64_t(1) << 63), std::string(kBelow));
  EXPECT_EQ(answers(tensor_of<int64_t>({1}, {-1}), ~uint64_t(0)), std::string(kBelow));
}

TEST(numbers_within_the_dtype_are_compared) {
  EXPECT_EQ(answers(tensor_of<uint8_t>({1}, {255}), int64_t(255)), std::string(kEqual));
  EXPECT_EQ(answers(tensor_of<int8_t>({1}, {-128}), int64_t(-128)), std::string(kEqual));
  EXPECT_EQ(answers(tensor_of<int64_t>({1}, {kMin64}), kMin64), std::string(kEqual));
  EXPECT_EQ(answers(tensor_of<uint8_t>({1}, {4}), int64_t(3)), std::string(kAbove));
}

TEST(a_number_on_the_left_does_not_wrap) {
  Tensor less = ops::lt(wrapped_number(int64_t(256)), tensor_of<uint8_t>({2}, {0, 1}));
  EXPECT_EQ(values_of<bool>(less), std::vector<bool>({false, false}));
}

TEST(outputs_and_in_place_forms_agree) {
  Tensor x = tensor_of<uint8_t>({2}, {0, 7}), flags = tensor_of<bool>({2}, {false, false});
  ops::ne_out(flags, x, wrapped_number(int64_t(263)));
  EXPECT_EQ(values_of<bool>(flags), std::vector<bool>({true, true}));
  ops::ge_(x, wrapped_number(int64_t(-249)));
  EXPECT_EQ(values_of<uint8_t>(x), std::vector<uint8_t>({1, 1}));
}

TEST(the_layout_is_kept) {
  Tensor x = laid_out({2, 3}, DType::Int16, 0);
  Tensor transposed = view_of(x, {3, 2}, {1, 3}, 0);
  Tensor result = ops::lt(transposed, wrapped_number(int64_t(1) << 40));
  EXPECT(result.sizes() == IntArrayRef({3, 2}) && result.strides() == IntArrayRef({1, 3}));
  Tensor meta =
      ops::lt(empty_tensor({4}, DType::Int16, DeviceKind::Meta), wrapped_number(int64_t(1) << 40));
  EXPECT(meta.device().is_meta() && meta.sizes() == IntArrayRef({4}));
}
