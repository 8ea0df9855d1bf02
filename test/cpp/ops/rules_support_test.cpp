#include "ops/rules/support.h"

#include "testing.h"

// What shape rules call when they are emitted as C++.

using namespace ceph;
using namespace ceph::rules;

TEST(sizes_are_divided_towards_minus_infinity) {
  EXPECT_EQ(floor_div("x", 7, 2), 3);
  EXPECT_EQ(floor_div("x", 6, 2), 3);
  EXPECT_EQ(floor_div("x", -3, 2), -2);
  EXPECT_EQ(floor_div("x", -4, 2), -2);
  EXPECT_EQ(floor_div("x", 3, -2), -2);
  EXPECT_EQ(floor_div("x", -3, -2), 1);
  EXPECT_EQ(floor_mod("x", -3, 2), 1);
  EXPECT_EQ(floor_mod("x", -4, 2), 0);
  EXPECT_EQ(floor_mod("x", 3, -2), -1);
}

TEST(a_division_without_a_result_is_refused) {
  EXPECT_THROWS(floor_div("x", 1, 0), Error, "x: a size can't be divided by 0; got 1 / 0");
  EXPECT_THROWS(floor_div("x", 4, -1), Error, "a divisor must not be -1; got 4 / -1");
  EXPECT_THROWS(floor_div("x", INT64_MIN, -1), Error, "a divisor must not be -1");
  EXPECT_THROWS(floor_mod("x", 1, 0), Error, "divided by 0");
}

TEST(checked_sizes_do_not_wrap) {
  EXPECT_EQ(int64_t(Checked("x", INT64_MAX) - 1), INT64_MAX - 1);
  EXPECT_EQ(int64_t(Checked("x", INT64_MAX - 1) + 1), INT64_MAX);
  EXPECT_EQ(int64_t(Checked("x", int64_t(1) << 61) * 2), int64_t(1) << 62);
  EXPECT_THROWS(Checked("x", INT64_MAX) + 1, Error, "x: a size must fit into 64 bits");
  EXPECT_THROWS(Checked("x", INT64_MIN) - 1, Error, "64 bits");
  EXPECT_THROWS(Checked("x", int64_t(1) << 62) * 2, Error, "64 bits");
}

TEST(lists_are_read_from_both_ends) {
  DimVector list = repeated({1}, 40000);
  EXPECT_EQ(len(list), 40000);
  list.back() = 7;
  EXPECT_EQ(at(list, 39999), 7);
  EXPECT_EQ(at(list, -1), 7);
  EXPECT_EQ(at(list, -40000), 1);
}
