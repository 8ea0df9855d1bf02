#include <limits>

#include "generated/ops/bernoulli.h"
#include "generated/ops/bernoulli_.h"
#include "generated/ops/clamp.h"
#include "generated/ops/empty.h"
#include "generated/ops/expand.h"
#include "generated/ops/max_pool2d_with_indices.h"
#include "generated/ops/ones.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

// What is refused before anything is computed (on meta as elsewhere), and what has no result.

namespace {

Tensor meta(IntArrayRef sizes, DType dtype = DType::Float32) {
  return ops::empty(sizes, dtype, std::nullopt, Device(DeviceKind::Meta));
}

}  // namespace

TEST(complex_numbers_are_no_outcomes) {
  const Tensor x = meta({3}, DType::Complex64);
  EXPECT_THROWS(ops::bernoulli_(x, 0.5), Error, "complex64");
  EXPECT_THROWS(ops::bernoulli(x, 0.5), Error, "complex64");
}

TEST(outcomes_in_one_place_are_refused) {
  const Tensor x = ops::expand(meta({1}), {3});
  EXPECT_THROWS(ops::bernoulli_(x, meta({3})), Error, "bernoulli_: several elements of self");
  EXPECT_THROWS(ops::bernoulli_(x, 0.5), Error, "bernoulli_: several elements of self");
}

TEST(bounds_that_are_tensors_are_given_too) {
  const Tensor x = ops::ones({2});
  EXPECT_THROWS(ops::clamp(x, Tensor(), Tensor()), Error, "clamp: min or max must be given");
}

// A window of one column with gaps can miss a plane of one column: it has no largest element.
TEST(a_window_in_the_padding_has_no_place) {
  const auto [values, places] =
      ops::max_pool2d_with_indices(ops::ones({1, 3, 1}), {1, 2}, {1, 1}, {0, 1}, {1, 2});
  EXPECT(values.sizes() == (IntArrayRef{1, 3, 1}));
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(values.data_as<float>()[i], -std::numeric_limits<float>::infinity());
    EXPECT_EQ(places.data_as<int64_t>()[i], 0);
  }
}
