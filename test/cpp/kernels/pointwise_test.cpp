#include <limits>

#include "generated/ops/abs.h"
#include "generated/ops/add.h"
#include "generated/ops/eq.h"
#include "generated/ops/exp.h"
#include "generated/ops/lt.h"
#include "generated/ops/mul.h"
#include "generated/ops/neg.h"
#include "generated/ops/where.h"
#include "isa.h"
#include "testing.h"
#include "values.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

template <class T>
std::vector<T> counting(int64_t count, int first = 1) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(first + i));
  return values;
}

template <class T>
Tensor counted(IntArrayRef sizes, int layout, int first = 1) {
  Tensor t = laid_out(sizes, dtype_of<T>::value, layout);
  set_values(t, counting<T>(t.numel(), first));
  return t;
}

}  // namespace

TEST(every_layout_gives_the_same_sum) {
  for_each_isa([] {
    for (int a = 0; a < kLayouts; ++a) {
      for (int b = 0; b < kLayouts; ++b) {
        Tensor sum = ops::add(counted<float>({3, 5, 67}, a), counted<float>({3, 5, 67}, b, 10), 2);
        for (int64_t i = 0; i < sum.numel(); ++i) {
          EXPECT_EQ(element<float>(sum, i), float(i + 1) + 2 * float(i + 10));
        }
      }
    }
  });
}

TEST(operands_are_broadcast) {
  for_each_isa([] {
    Tensor row = counted<int64_t>({1, 300}, 0), column = counted<int64_t>({700, 1}, 0);
    Tensor product = ops::mul(row, column);
    EXPECT(product.sizes() == IntArrayRef({700, 300}));
    for (int64_t i = 0; i < 700; i += 37) {
      for (int64_t j = 0; j < 300; j += 23) {
        EXPECT_EQ(element<int64_t>(product, i * 300 + j), (i + 1) * (j + 1));
      }
    }
  });
}

TEST(zero_dim_operands_are_converted_to_the_others_dtype) {
  Tensor x = tensor_of<float>({3}, {1, 2, 3});
  Tensor sum = ops::add(x, tensor_of<double>({}, {0.5}));
  EXPECT(sum.dtype() == DType::Float32);
  EXPECT_EQ(values_of<float>(sum), std::vector<float>({1.5f, 2.5f, 3.5f}));
  Tensor doubled = ops::mul(tensor_of<int32_t>({2}, {3, 4}), wrapped_number(int64_t(2)));
  EXPECT_EQ(values_of<int32_t>(doubled), std::vector<int32_t>({6, 8}));
}

TEST(operands_of_other_dtypes_are_converted) {
  Tensor sum = ops::add(counted<int64_t>({4, 33}, 1), counted<float>({4, 33}, 2));
  EXPECT(sum.dtype() == DType::Float32);
  EXPECT_EQ(element<float>(sum, 131), 264.0f);
}

TEST(integers_wrap) {
  for_each_isa([] {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    Tensor x = tensor_of<int64_t>({1}, {kMost}), one = tensor_of<int64_t>({1}, {1});
    EXPECT_EQ(element<int64_t>(ops::add(x, one), 0), std::numeric_limits<int64_t>::min());
    Tensor byte = tensor_of<int8_t>({2}, {-128, 100});
    EXPECT_EQ(values_of<int8_t>(ops::neg(byte)), std::vector<int8_t>({-128, -100}));
    EXPECT_EQ(values_of<int8_t>(ops::abs(byte)), std::vector<int8_t>({-128, 100}));
    Tensor word = tensor_of<int16_t>({1}, {-32768});
    EXPECT_EQ(element<int16_t>(ops::mul(word, word), 0), int16_t(0));
  });
}

TEST(where_takes_bool_conditions_of_any_layout) {
  for_each_isa([] {
    for (int layout = 0; layout < kLayouts; ++layout) {
      Tensor x = counted<float>({2, 40}, layout);
      Tensor small = ops::lt(x, wrapped_number(41.0));
      Tensor chosen = ops::where(small, x, ops::neg(x));
      EXPECT_EQ(element<float>(chosen, 39), 40.0f);
      EXPECT_EQ(element<float>(chosen, 40), -41.0f);
    }
  });
}

TEST(in_place_keeps_storage_and_shape) {
  Tensor x = counted<float>({2, 3}, 1);
  void* before = x.data();
  uint32_t version = x->version();
  ops::add_(x, tensor_of<float>({3}, {10, 20, 30}));
  EXPECT(x.data() == before);
  EXPECT(x->version() > version);
  EXPECT_EQ(values_of<float>(x), std::vector<float>({11, 22, 33, 14, 25, 36}));
  EXPECT_THROWS(ops::add_(tensor_of<float>({2}, {1, 2}), counted<float>({3, 2}, 0)), Error,
                "add_: self [2] can't hold the broadcast shape [3, 2]");
}

TEST(results_that_do_not_fit_are_refused_before_a_write) {
  Tensor whole = counted<int64_t>({3}, 0);
  EXPECT_THROWS(ops::exp_(whole), Error, "exp_: result type float32 can't be cast");
  EXPECT_EQ(values_of<int64_t>(whole), counting<int64_t>(3));
  Tensor x = counted<float>({8}, 0);
  Tensor early = view_of(x, {4}, {1}, 0), late = view_of(x, {4}, {1}, 2);
  EXPECT_THROWS(ops::neg_out(late, early), Error, "neg");
  Tensor spread = view_of(x, {4}, {0}, 0);
  EXPECT_THROWS(ops::neg_(spread), Error, "neg_");
  EXPECT_EQ(values_of<float>(x), counting<float>(8));
}

TEST(out_is_resized_and_converted) {
  Tensor out = empty_tensor({0}, DType::Float64, DeviceKind::CPU);
  ops::add_out(out, counted<float>({2, 2}, 0), counted<float>({2, 2}, 0));
  EXPECT_EQ(values_of<double>(out), std::vector<double>({2, 4, 6, 8}));
  Tensor flags = empty_tensor({4}, DType::Float32, DeviceKind::CPU);
  ops::eq_out(flags, counted<float>({4}, 0), wrapped_number(3.0));
  EXPECT_EQ(values_of<float>(flags), std::vector<float>({0, 0, 1, 0}));
}

TEST(dtypes_without_the_op_are_named) {
  Tensor flag = tensor_of<uint8_t>({1}, {1});
  flag->set_dtype(DType::Bool);
  EXPECT_THROWS(ops::neg(flag), Error, "neg: dtype bool is not supported; convert to one of uint8");
}

TEST(large_operands_are_split_over_threads) {
  Tensor x = counted<int32_t>({1 << 20}, 0);
  Tensor sum = ops::add(x, x);
  for (int64_t i = 0; i < sum.numel(); i += 4099) {
    EXPECT_EQ(element<int32_t>(sum, i), int32_t(2 * (i + 1)));
  }
}

TEST(empty_operands_give_empty_results) {
  Tensor none = empty_tensor({0, 3}, DType::Float32, DeviceKind::CPU);
  EXPECT(ops::add(none, tensor_of<float>({3}, {1, 2, 3})).sizes() == IntArrayRef({0, 3}));
}
