#include "base/scalar.h"

#include <cmath>
#include <limits>
#include <new>
#include <sstream>

#include "base/error.h"
#include "testing.h"

using namespace ceph;

namespace {

std::string text(const Scalar& s) {
  std::ostringstream out;
  out << s;
  return out.str();
}

constexpr uint64_t kTwo63 = uint64_t(1) << 63;
using Complex = std::complex<double>;

}  // namespace

TEST(integers_wrap) {
  EXPECT_EQ(Scalar(300).to<uint8_t>(), uint8_t(44));
  EXPECT_EQ(Scalar(-1).to<uint8_t>(), uint8_t(255));
  EXPECT_EQ(Scalar(kTwo63).to<uint64_t>(), kTwo63);
  EXPECT_EQ(Scalar(kTwo63).to<double>(), 9223372036854775808.0);
  EXPECT(Scalar(256).to<bool>());
}

TEST(floats_out_of_range_are_refused) {
  EXPECT_EQ(Scalar(2.9).to<int32_t>(), 2);
  EXPECT_EQ(Scalar(-0.5).to<uint8_t>(), uint8_t(0));
  EXPECT_THROWS(Scalar(-1.0).to<uint8_t>("fill_"), Error,
                "fill_: value -1.0 cannot be converted to uint8");
  EXPECT_THROWS(Scalar(NAN).to<int64_t>(), Error, "nan");
  EXPECT_THROWS(Scalar(9223372036854775808.0).to<int64_t>(), Error, "without overflow");
  EXPECT_EQ(Scalar(-9223372036854775808.0).to<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_THROWS(Scalar(INFINITY).to<uint64_t>(), Error, "inf");
  EXPECT(Scalar(NAN).to<bool>());
}

TEST(complex_needs_no_imaginary_part) {
  EXPECT_EQ(Scalar(Complex(2, 0)).to<float>(), 2.0f);
  EXPECT_THROWS(Scalar(Complex(2, 1)).to<float>("add"), Error, "add: expected a real number");
  EXPECT(Scalar(Complex(0, 1)).to<bool>());
  EXPECT(Scalar(1.5).to<std::complex<float>>() == std::complex<float>(1.5f, 0));
}

TEST(complex_parts_keep_their_precision) {
  EXPECT(Scalar(Complex(0.1, 0.2)).to<Complex>() == Complex(0.1, 0.2));
  EXPECT(Scalar(Complex(0.1, 0.2)).to<std::complex<float>>() == std::complex<float>(0.1f, 0.2f));
}

TEST(representable) {
  EXPECT(!Scalar(300).representable_in(DType::UInt8));
  EXPECT(!Scalar(-1).representable_in(DType::UInt64));
  EXPECT(Scalar(kTwo63).representable_in(DType::UInt64));
  EXPECT(!Scalar(kTwo63).representable_in(DType::Int64));
  EXPECT(Scalar(-128).representable_in(DType::Int8));
  EXPECT(!Scalar(128.0).representable_in(DType::Int8));
  EXPECT(!Scalar(NAN).representable_in(DType::Int8));
  EXPECT(Scalar(NAN).representable_in(DType::Float16));
  EXPECT(!Scalar(1e40).representable_in(DType::Float32));
  EXPECT(Scalar(1e40).representable_in(DType::Float64));
  EXPECT(!Scalar(Complex(0, 1)).representable_in(DType::Float64));
  EXPECT(Scalar(Complex(0, 1)).representable_in(DType::Complex64));
  EXPECT(Scalar(7).representable_in(DType::Bool));
}

TEST(equality_is_mathematical) {
  EXPECT(Scalar(1).equals(Scalar(1.0)));
  EXPECT(Scalar(true).equals(Scalar(1)));
  EXPECT(!Scalar((int64_t(1) << 53) + 1).equals(Scalar(9007199254740992.0)));
  EXPECT(Scalar(kTwo63).equals(Scalar(9223372036854775808.0)));
  EXPECT(!Scalar(kTwo63).equals(Scalar(std::numeric_limits<int64_t>::min())));
  EXPECT(!Scalar(NAN).equals(Scalar(NAN)));
  EXPECT(Scalar(Complex(1, 0)).equals(Scalar(1)));
  EXPECT(!Scalar(Complex(1, 2)).equals(Scalar(1)));
  EXPECT(Scalar(Complex(1, 2)).equals(Complex(1, 2)));
  EXPECT(!Scalar(Complex(1, 2)).equals(Complex(1, 3)));
  EXPECT(!Scalar(1).equals(Scalar(2)));
  EXPECT(!Scalar(std::numeric_limits<int64_t>::min()).equals(Scalar(-0x1p70)));
}

TEST(a_real_number_has_no_imaginary_part) {  // whatever lies where one would be
  alignas(Scalar) unsigned char place[sizeof(Scalar)];
  volatile unsigned char* bytes = place;  // so that the stores are kept
  for (size_t i = 0; i < sizeof(Scalar); ++i) bytes[i] = 0x3f;
  asm volatile("" : : "r"(place) : "memory");
  const Scalar* one = ::new (place) Scalar(1.0);
  EXPECT(one->equals(Complex(1, 0)));
  EXPECT(!one->equals(Complex(1, 1)));
}

TEST(negation) {
  EXPECT_EQ(Scalar(5).negate().to<int64_t>(), int64_t(-5));
  EXPECT(Scalar(5).negate().tag() == Scalar::Tag::Int);
  const Scalar least(std::numeric_limits<int64_t>::min());
  EXPECT_EQ(least.negate().to<uint64_t>(), kTwo63);
  EXPECT(least.negate().negate().equals(least));
  EXPECT_THROWS(Scalar(kTwo63 + 1).negate(), Error, "range of int64");
  EXPECT(std::signbit(Scalar(0.0).negate().to<double>()));
}

TEST(dtypes) {
  EXPECT_EQ(Scalar(1.0).wrapped_dtype(), DType::Float32);
  EXPECT_EQ(Scalar(1.0).full_dtype(), DType::Float64);
  EXPECT_EQ(Scalar(1).wrapped_dtype(), DType::Int64);
  EXPECT_EQ(Scalar(Complex(0, 1)).wrapped_dtype(), DType::Complex64);
  EXPECT_EQ(Scalar(kTwo63).full_dtype(), DType::UInt64);
  set_default_dtype(DType::Float64);
  EXPECT_EQ(Scalar(1.0).wrapped_dtype(), DType::Float64);
  EXPECT_EQ(Scalar(Complex(0, 1)).wrapped_dtype(), DType::Complex128);
  set_default_dtype(DType::Float32);
}

TEST(printing_is_pythons) {
  EXPECT_EQ(text(true), std::string("True"));
  EXPECT_EQ(text(1.0), std::string("1.0"));
  EXPECT_EQ(text(1e-05), std::string("1e-05"));
  EXPECT_EQ(text(Scalar(kTwo63)), std::string("9223372036854775808"));
  EXPECT_EQ(text(Complex(1, -2)), std::string("(1.0-2.0j)"));
}
