#include "base/dtype.h"

#include "base/error.h"
#include "testing.h"

using namespace ceph;

namespace {

DType at(int i) { return static_cast<DType>(i); }

bool throws(DType a, DType b) {
  try {
    promote_types(a, b);
    return false;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kRuntime;
  }
}

}  // namespace

// The documented table, written out: rows and columns in the order of the enumeration. Short names:
// b bool, B uint8, c int8, s int16, i int32, l int64, S I L the wide unsigned, h f16, g bf16, f d
// floats, F D complex, 4 5 float8, '.' no common type.
TEST(promotion_table) {
  const std::string names = "bBcsilSILhgfdFD45";
  const char* rows[] = {
      "bBcsil...hgfdFD..", "BBssil...hgfdFD..", "cscsil...hgfdFD..", "ssssil...hgfdFD..",
      "iiiiil...hgfdFD..", "llllll...hgfdFD..", "......S..hgfd....", ".......I.hgfd....",
      "........Lhgfd....", "hhhhhhhhhhffdFD..", "gggggggggfgfdFD..", "ffffffffffffdFD..",
      "dddddddddddddDD..", "FFFFFF...FFFDFD..", "DDDDDD...DDDDDD..", "...............4.",
      "................5",
  };
  for (int a = 0; a < kNumDTypes; ++a) {
    const std::string row = rows[a];
    for (int b = 0; b < kNumDTypes; ++b) {
      if (row[static_cast<size_t>(b)] == '.') {
        EXPECT(throws(at(a), at(b)));
        continue;
      }
      const auto expected = at(static_cast<int>(names.find(row[static_cast<size_t>(b)])));
      EXPECT_EQ(promote_types(at(a), at(b)), expected);
    }
  }
}

TEST(promotion_corners) {
  EXPECT_EQ(promote_types(DType::Float16, DType::BFloat16), DType::Float32);
  EXPECT_EQ(promote_types(DType::BFloat16, DType::Float32), DType::Float32);
  EXPECT_EQ(promote_types(DType::BFloat16, DType::Complex64), DType::Complex64);
  EXPECT_EQ(promote_types(DType::Float64, DType::Complex64), DType::Complex128);
  EXPECT_EQ(promote_types(DType::Float32, DType::Complex128), DType::Complex128);
  EXPECT(throws(DType::Float8E4M3FN, DType::Float8E5M2));
  EXPECT(throws(DType::Float8E4M3FN, DType::Float32));
  EXPECT(throws(DType::Complex64, DType::UInt16));
  for (int t = 0; t < kNumDTypes; ++t) EXPECT_EQ(promote_types(at(t), at(t)), at(t));
}

TEST(promotion_is_symmetric_and_never_narrows) {
  for (int a = 0; a < kNumDTypes; ++a) {
    for (int b = 0; b < kNumDTypes; ++b) {
      EXPECT_EQ(throws(at(a), at(b)), throws(at(b), at(a)));
      if (throws(at(a), at(b))) continue;
      const DType joined = promote_types(at(a), at(b));
      EXPECT_EQ(joined, promote_types(at(b), at(a)));
      EXPECT(can_cast(at(a), joined));
      EXPECT_EQ(promote_types(joined, at(a)), joined);
    }
  }
}

TEST(can_cast_table) {
  for (int t = 0; t < kNumDTypes; ++t) {
    EXPECT(can_cast(DType::Bool, at(t)));
    EXPECT_EQ(can_cast(DType::Int64, at(t)), at(t) != DType::Bool);
    EXPECT_EQ(can_cast(DType::Float32, at(t)), is_floating(at(t)) || is_complex(at(t)));
    EXPECT_EQ(can_cast(DType::Float8E5M2, at(t)), is_floating(at(t)) || is_complex(at(t)));
    EXPECT_EQ(can_cast(DType::Complex64, at(t)), is_complex(at(t)));
  }
}

TEST(names_round_trip) {
  for (int t = 0; t < kNumDTypes; ++t) EXPECT(dtype_named(name_of(at(t))) == at(t));
  EXPECT(!dtype_named("float"));
}

TEST(item_sizes) {
  EXPECT_EQ(item_size(DType::Bool), size_t(1));
  EXPECT_EQ(item_size(DType::BFloat16), size_t(2));
  EXPECT_EQ(item_size(DType::Float8E5M2), size_t(1));
  EXPECT_EQ(item_size(DType::Complex128), size_t(16));
}

TEST(default_dtype_takes_floating_only) {
  EXPECT_EQ(default_dtype(), DType::Float32);
  set_default_dtype(DType::Float64);
  EXPECT_EQ(default_dtype(), DType::Float64);
  set_default_dtype(DType::Float32);
  EXPECT_THROWS(set_default_dtype(DType::Int32), Error, "got int32");
  EXPECT_EQ(default_dtype(), DType::Float32);
}
