#include <cmath>
#include <cstring>
#include <limits>

#include "generated/ops/abs.h"
#include "generated/ops/div.h"
#include "generated/ops/exp.h"
#include "generated/ops/floor_divide.h"
#include "generated/ops/log.h"
#include "generated/ops/maximum.h"
#include "generated/ops/minimum.h"
#include "generated/ops/mul.h"
#include "generated/ops/pow.h"
#include "generated/ops/sigmoid.h"
#include "generated/ops/sqrt.h"
#include "generated/ops/tanh.h"
#include "isa.h"
#include "testing.h"
#include "values.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Unary = Tensor (*)(const Tensor&);
using Reference = long double (*)(long double);

struct Function {
  const char* name;
  Unary op;
  Reference reference;
  double bound;  // ULP, a little above what is seen
};

const Function kFunctions[] = {
    {"exp", ops::exp, std::exp, 0.51},
    {"log", ops::log, std::log, 0.9},
    {"tanh", ops::tanh, std::tanh, 0.51},
    {"sigmoid", ops::sigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }, 0.51},
    {"sqrt", ops::sqrt, std::sqrt, 0.5},
};

// Values at every scale, of both signs, and the edges.
template <class T>
std::vector<T> inputs() {
  std::vector<T> x = {0,
                      T(-0.0),
                      1,
                      -1,
                      T(0.5),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::denorm_min(),
                      std::numeric_limits<T>::max()};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-40, 10), fraction(-1, 1);
  for (int i = 0; i < 3000; ++i) x.push_back(T(fraction(random) * std::exp2(exponent(random))));
  for (int i = 0; i < 1000; ++i) x.push_back(T(fraction(random) * (sizeof(T) == 4 ? 104 : 745)));
  for (int i = 0; i < 1000; ++i) x.push_back(T(1 + fraction(random) * 0.01));
  return x;
}

template <class T>
bool same_bits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

// |got - reference| in units of the last place of the rounded reference.
template <class T>
double ulps(T got, long double reference) {
  T rounded = static_cast<T>(reference);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : kInf;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : kInf;
  int exponent = std::ilogb(std::max(std::abs(rounded), std::numeric_limits<T>::min()));
  long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits + 1);
  return static_cast<double>(std::abs(got - reference) / unit);
}

template <class T>
void expect_accurate(const Function& f) {
  std::vector<T> x = inputs<T>();
  std::vector<T> y = values_of<T>(f.op(tensor_of({static_cast<int64_t>(x.size())}, x)));
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulps(y[i], f.reference(x[i]));
    if (!(error <= f.bound)) fail(__FILE__, __LINE__, std::string(f.name) + "(" + show(x[i]) + ")");
  }
}

Tensor doubles(std::vector<double> values) {
  auto size = static_cast<int64_t>(values.size());
  return tensor_of({size}, values);
}

void expect_values(const Tensor& got, std::vector<double> expected) {
  std::vector<double> values = values_of<double>(got);
  EXPECT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!same_bits(values[i], expected[i]))
      fail(__FILE__, __LINE__,
           show(i) + ": expected " + show(expected[i]) + ", got " + show(values[i]));
  }
}

}  // namespace

TEST(functions_are_within_their_bounds) {
  for_each_isa([] {
    for (const Function& f : kFunctions) {
      expect_accurate<float>(f);
      expect_accurate<double>(f);
    }
  });
}

TEST(an_element_has_the_same_bits_wherever_it_lies) {
  for_each_isa([] {
    std::vector<float> x = inputs<float>();
    x.resize(150);
    for (const Function& f : kFunctions) {
      std::vector<float> whole = values_of<float>(f.op(tensor_of({150}, x)));
      for (int64_t first : {0, 1, 7}) {
        for (int64_t length = 1; length <= 67; ++length) {
          Tensor part = view_of(tensor_of({150}, x), {length}, {2}, first);
          std::vector<float> got = values_of<float>(f.op(part));
          for (int64_t i = 0; i < length; ++i) {
            EXPECT(same_bits(got[size_t(i)], whole[size_t(first + 2 * i)]));
          }
        }
      }
    }
  });
}

TEST(special_values_of_functions) {
  for_each_isa([] {
    Tensor x = doubles({kInf, -kInf, kNan, 0.0, -0.0});
    expect_values(ops::exp(x), {kInf, 0, kNan, 1, 1});
    expect_values(ops::log(x), {kInf, kNan, kNan, -kInf, -kInf});
    expect_values(ops::tanh(x), {1, -1, kNan, 0.0, -0.0});
    expect_values(ops::sigmoid(x), {1, 0, kNan, 0.5, 0.5});
    expect_values(ops::sqrt(x), {kInf, kNan, kNan, 0.0, -0.0});
    expect_values(ops::abs(x), {kInf, kInf, kNan, 0, 0});
  });
}

TEST(special_values_of_pow) {
  for_each_isa([] {
    Tensor x = doubles({0.0, -0.0, -0.0, -0.0, 1, kNan, -1, -1, -2, -2, -kInf, -kInf, 2, 0.5, -8});
    Tensor y = doubles({-1, -1, -2, 3, kNan, 0, kInf, -kInf, 3, 0.5, 3, -3, kInf, kInf, 1.0 / 3});
    expect_values(ops::pow(x, y),
                  {kInf, -kInf, kInf, -0.0, 1, 1, 1, 1, -8, kNan, -kInf, -0.0, kInf, 0, kNan});
  });
}

TEST(pow_is_accurate_where_the_exponent_is_large) {
  for_each_isa([] {
    std::vector<double> x, y;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> base(0.5, 2), power(-700, 700);
    for (int i = 0; i < 3000; ++i) {
      x.push_back(base(random));
      y.push_back(power(random) / std::log(x.back()));
    }
    std::vector<double> got = values_of<double>(ops::pow(doubles(x), doubles(y)));
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT(ulps(got[i], std::pow(static_cast<long double>(x[i]), y[i])) <= 2.5);
    }
  });
}

TEST(maximum_keeps_nan_and_orders_zeros) {
  for_each_isa([] {
    Tensor a = doubles({1, kNan, 1, 0.0, -0.0, -kInf}), b = doubles({2, 1, kNan, -0.0, 0.0, kNan});
    expect_values(ops::maximum(a, b), {2, kNan, kNan, 0.0, 0.0, kNan});
    expect_values(ops::minimum(a, b), {1, kNan, kNan, -0.0, -0.0, kNan});
  });
}

TEST(floor_division_is_of_the_exact_quotient) {
  for_each_isa([] {
    Tensor a = doubles({1, -1, 7, -7, 1, 0.0, kInf, 1, -1, 1e17, kNan});
    Tensor b = doubles({0.1, 0.1, 2, 2, 0.0, 0.0, 2, kInf, kInf, 3, -kInf});
    expect_values(ops::floor_divide(a, b),
                  {9, -10, 3, -4, kInf, kNan, kNan, 0, -1, 33333333333333332.0, kNan});
    // From 2^53 on every double is whole: the rounded quotient it is, as in Python.
    expect_values(ops::floor_divide(doubles({0x1.8p54 + 4}), doubles({3})), {0x1p53 + 2});
    Tensor f = tensor_of<float>({2}, {1.0f, 6.0f}), g = tensor_of<float>({2}, {0.1f, 0.1f});
    EXPECT_EQ(values_of<float>(ops::floor_divide(f, g)), std::vector<float>({9, 59}));
  });
}

TEST(integer_division_rounds_down_and_never_traps) {
  for_each_isa([] {
    constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
    Tensor a = tensor_of<int32_t>({6}, {7, -7, 7, -7, kLeast, kLeast});
    Tensor b = tensor_of<int32_t>({6}, {2, 2, -2, -2, -1, 3});
    EXPECT_EQ(values_of<int32_t>(ops::floor_divide(a, b)),
              std::vector<int32_t>({3, -4, -4, 3, kLeast, kLeast / 3 - 1}));
  });
}

TEST(complex_functions_do_not_overflow_on_the_way) {
  for_each_isa([] {
    using C = std::complex<double>;
    Tensor big = tensor_of<C>({2}, {C(3e200, 4e200), C(3e-200, 4e-200)});
    std::vector<double> sizes = values_of<double>(ops::abs(big));
    EXPECT(std::abs(sizes[0] / 5e200 - 1) < 1e-15 && std::abs(sizes[1] / 5e-200 - 1) < 1e-15);
    C one = values_of<C>(ops::div(big, big))[0];
    EXPECT_EQ(one, C(1, 0));
    Tensor infinite = tensor_of<C>({2}, {C(kInf, kNan), C(kNan, -kInf)});
    EXPECT_EQ(values_of<double>(ops::abs(infinite)), std::vector<double>({kInf, kInf}));
    // An infinity times a finite number is infinite, whatever the other part.
    Tensor a = tensor_of<C>({1}, {C(kInf, kNan)}), b = tensor_of<C>({1}, {C(1, 1)});
    EXPECT(std::isinf(values_of<C>(ops::mul(a, b))[0].real()));
  });
}

TEST(complex_products_recover_infinities_from_two_nan_only) {
  for_each_isa([] {
    // What overflows in one part and cancels in the other stays as the products of the parts give
    // it (Annex G.5.1).
    using C = std::complex<float>;
    Tensor a = tensor_of<C>({1}, {C(1e30f, 1e30f)}), b = tensor_of<C>({1}, {C(1e30f, -1e30f)});
    C square = values_of<C>(ops::mul(a, a)).at(0), size = values_of<C>(ops::mul(a, b)).at(0);
    EXPECT(std::isnan(square.real()) && std::isinf(square.imag()));
    EXPECT(std::isinf(size.real()) && std::isnan(size.imag()));
  });
}

TEST(a_complex_power_without_a_real_part_turns) {
  for_each_isa([] {
    using C = std::complex<double>;
    Tensor two = tensor_of<C>({1}, {C(2, 0)}), turn = tensor_of<C>({1}, {C(0, 1)});
    C got = values_of<C>(ops::pow(two, turn)).at(0);
    EXPECT(std::abs(got - std::polar(1.0, std::log(2.0))) < 1e-15);
  });
}

TEST(integer_powers_whose_exponent_wraps_below_zero) {
  for_each_isa([] {
    // A 0-dim int64 exponent becomes int8: 201 is -55 there and 200 is -56, of which the truncated
    // quotients 1 / x^n are 1, -1 and 0.
    Tensor x = tensor_of<int8_t>({4}, {1, -1, 2, -3});
    Tensor odd = tensor_of<int64_t>({}, {201}), even = tensor_of<int64_t>({}, {200});
    EXPECT_EQ(values_of<int8_t>(ops::pow(x, odd)), std::vector<int8_t>({1, -1, 0, 0}));
    EXPECT_EQ(values_of<int8_t>(ops::pow(x, even)), std::vector<int8_t>({1, 1, 0, 0}));
  });
}
