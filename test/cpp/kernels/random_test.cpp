#include <cmath>

#include "core/generator.h"
#include "generated/ops/bernoulli.h"
#include "generated/ops/normal_.h"
#include "generated/ops/random_.h"
#include "generated/ops/randperm.h"
#include "generated/ops/uniform_.h"
#include "kernels/rng/draw.h"
#include "kernels/values.h"
#include "testing.h"

// Expected values were recorded from PyTorch 2.13 on the CPU after manual_seed(1234), or follow
// from the words of the engine after that seed.

using namespace ceph;
using namespace ceph::testing;

namespace {

Generator seeded() {
  return make_intrusive<GeneratorImpl>(Device(DeviceKind::CPU), uint64_t(1234));
}

Tensor empty(IntArrayRef sizes, DType dtype) { return empty_tensor(sizes, dtype, DeviceKind::CPU); }

// The first values of `t`, in logical order.
template <class T>
std::vector<double> firsts(const Tensor& t, size_t count) {
  std::vector<double> out;
  for (const T& v : values_of<T>(t)) out.push_back(static_cast<double>(v));
  out.resize(std::min(count, out.size()));
  return out;
}

template <class T>
void expect_uniform(double from, double to, const std::vector<double>& expected) {
  Tensor t = empty({static_cast<int64_t>(expected.size())}, dtype_of<T>::value);
  EXPECT(firsts<T>(ops::uniform_(t, from, to, seeded()), expected.size()) == expected);
}

// At most 2 ulp of T from the recorded values.
template <class T>
void expect_close(const std::vector<double>& got, const std::vector<double>& expected, double ulp) {
  EXPECT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    double unit = std::ldexp(ulp, std::ilogb(expected[i]));
    EXPECT(std::abs(got[i] - expected[i]) <= 2 * unit);
  }
}

template <class T>
std::vector<double> normal(int64_t n, size_t count, double mean = 0, double std = 1) {
  return firsts<T>(ops::normal_(empty({n}, dtype_of<T>::value), mean, std, seeded()), count);
}

std::vector<int64_t> integers(DType dtype, int64_t n, int64_t from, std::optional<int64_t> to) {
  Tensor t = ops::random_(empty({n}, dtype), from, to, seeded());
  std::vector<int64_t> out;
  for (int64_t i = 0; i < n; ++i) {
    switch (dtype) {
    case DType::Int64:
      out.push_back(element<int64_t>(t, i));
      break;
    case DType::Int32:
      out.push_back(element<int32_t>(t, i));
      break;
    case DType::UInt8:
      out.push_back(element<uint8_t>(t, i));
      break;
    case DType::Float16:
      out.push_back(static_cast<int64_t>(static_cast<float>(element<Half>(t, i))));
      break;
    default:
      out.push_back(static_cast<int64_t>(element<float>(t, i)));
    }
  }
  return out;
}

using Ints = std::vector<int64_t>;

// Draws of [from, to) are those of [from, end), rounded, and none of them reaches `to`.
template <class T>
void expect_integers(int64_t from, int64_t to, int64_t end) {
  Tensor t = ops::random_(empty({64}, dtype_of<T>::value), from, to, seeded());
  Generator g = seeded();
  kernels::IntegerDraw draw(static_cast<uint64_t>(end - from));
  for (const T& got : values_of<T>(t)) {
    const T expected = static_cast<T>(from + static_cast<int64_t>(draw(g->engine())));
    EXPECT(static_cast<double>(got) == static_cast<double>(expected));
    EXPECT(static_cast<double>(got) < static_cast<double>(to));
  }
}

// The parts of a complex tensor, real first.
template <class T>
std::vector<T> complex_normal(int64_t n, double mean) {
  Tensor t = ops::normal_(empty({n}, dtype_of<std::complex<T>>::value), mean, 1, seeded());
  std::vector<T> parts;
  for (const std::complex<T>& v : values_of<std::complex<T>>(t)) {
    parts.push_back(v.real());
    parts.push_back(v.imag());
  }
  return parts;
}

template <class T>
void expect_mean_in_the_real_part() {
  const std::vector<T> around = complex_normal<T>(20, 2.5), centred = complex_normal<T>(20, 0);
  for (size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(around[i], static_cast<T>(centred[i] + (i % 2 == 0 ? T(2.5) : T(0))));
  }
}

// Blocks of sixteen through float, each number rounded.
template <class T>
void expect_rounded_normal(int64_t n) {
  Tensor narrow = ops::normal_(empty({n}, dtype_of<T>::value), 0, 1, seeded());
  Tensor wide = ops::normal_(empty({n}, DType::Float32), 0, 1, seeded());
  int64_t different = 0;
  for (int64_t i = 0; i < n; ++i) {
    different += element<T>(narrow, i).bits != static_cast<T>(element<float>(wide, i)).bits;
  }
  EXPECT_EQ(different, 0);
}

template <class T>
void expect_draws_below_themselves(int64_t n) {
  Tensor p = ops::uniform_(empty({n}, dtype_of<T>::value), 0, 1, seeded());
  EXPECT(firsts<T>(ops::bernoulli(p, seeded()), 64) == std::vector<double>(64, 0));
}

}  // namespace

TEST(uniform_takes_24_or_53_bits) {
  expect_uniform<float>(0, 1, {0x1.dacbcp-6, 0x1.9b8b4cp-2, 0x1.0a1498p-2, 0x1.7770d4p-2});
  expect_uniform<double>(0, 1, {0x1.dacbdfd9b8b4cp-3, 0x1.429368aeee1a8p-4, 0x1.dd9993966bae8p-2});
}

TEST(uniform_rounds_once_into_its_range) {
  expect_uniform<float>(0.1, 0.7, {0x1.e0d1c4p-4, 0x1.5d5394p-2, 0x1.060c5ap-2, 0x1.47aa18p-2});
  expect_uniform<double>(
      0.1, 0.7,
      {0x1.e9ad864f6ed2ep-3, 0x1.2d929f67add4cp-3, 0x1.84f5bef3da358p-2, 0x1.64fea868fcff8p-2});
  expect_uniform<Half>(-1.3, 2.7, {-0x1.2f4p+0, 0x1.3bp-2, -0x1.0bp-2, 0x1.554p-3});
  expect_uniform<BFloat16>(-1.3, 2.7, {-0x1.3p+0, 0x1.3ap-2, -0x1.0ap-2, 0x1.56p-3});
}

TEST(uniform_keeps_an_end_close_to_its_begin) {
  const double end = 1.00048828125;  // 1 + 2^-11, which float has
  Generator g = seeded();
  std::vector<double> expected;
  for (int i = 0; i < 32; ++i) {
    const float value = std::fma(kernels::draw_unit(g->engine(), float()), 0x1p-11f, 1.0f);
    expected.push_back(value < end ? double(value) : 1.0);
  }
  expect_uniform<float>(1.0, end, expected);
}

TEST(uniform_never_reaches_its_end) {
  Tensor t = empty({200000}, DType::BFloat16);
  for (double v : firsts<BFloat16>(ops::uniform_(t, 0, 1, seeded()), 200000))
    EXPECT(v >= 0 && v < 1);
}

TEST(draws_follow_the_order_of_memory) {
  Tensor t = view_of(empty({6}, DType::Float32), {2, 3}, {1, 2}, 0);
  EXPECT(firsts<float>(ops::uniform_(t, 0, 1, seeded()), 6) ==
         std::vector<double>({0x1.dacbcp-6, 0x1.0a1498p-2, 0x1.dd998p-5, 0x1.9b8b4cp-2,
                              0x1.7770d4p-2, 0x1.66bae8p-1}));
}

TEST(short_normal_draws_come_in_double_pairs) {
  std::vector<double> expected{0x1.79e698p-5, 0x1.9c0f7cp-2, -0x1.02f392p+0, 0x1.bbe142p-3,
                               -0x1.397bdcp-1};
  EXPECT(normal<float>(5, 5) == expected);
  expect_close<double>(normal<double>(5, 2), {0x1.79e6972642193p-5, 0x1.9c0f7c849c2d7p-2}, 0x1p-52);
}

TEST(the_spare_of_a_pair_is_kept) {
  Generator g = seeded();
  ops::normal_(empty({3}, DType::Float32), 0, 1, g);
  Tensor next = ops::normal_(empty({2}, DType::Float32), 0, 1, g);
  EXPECT(firsts<float>(next, 2) == std::vector<double>({0x1.bbe142p-3, -0x1.397bdcp-1}));
}

TEST(long_normal_draws_come_in_blocks_of_sixteen) {
  expect_close<float>(normal<float>(20, 20),
                      {-0x1.c99968p-4, -0x1.fc821ep-2, 0x1.4df996p-3,  -0x1.c36c94p-1,
                       0x1.280918p-2,  0x1.f5a0b4p-2,  -0x1.8a856ep-2, -0x1.6c8fccp-1,
                       0x1.46196ap-1,  -0x1.6d9be8p-1, -0x1.1547a4p+0, -0x1.1c04d0p-1,
                       -0x1.5326e0p+0, 0x1.64daa2p-1,  -0x1.537bccp-1, 0x1.373bd8p+0,
                       -0x1.437fb8p+1, 0x1.7a5012p+0,  -0x1.5b63a2p-3, -0x1.fbd4bap-1},
                      0x1p-23);
  expect_close<double>(
      normal<double>(20, 4),
      {-0x1.69b7d46e0a142p-4, 0x1.5e42075054d76p-2, 0x1.a5093d2e85c6dp-2, 0x1.014f3763d4e07p+0},
      0x1p-52);
  expect_close<float>(normal<float>(16, 4, 3, 1.7),
                      {0x1.67b0a6p+1, 0x1.13f126p+1, 0x1.a37c1ep+1, 0x1.804a1cp+0}, 0x1p-23);
}

TEST(narrow_normal_draws_skip_no_words) {
  expect_close<Half>(normal<Half>(20, 20),
                     {-0x1.c98p-4, -0x1.fc8p-2, 0x1.4ep-3,   -0x1.c38p-1, 0x1.99p-1,
                      -0x1.7ap-4,  -0x1.69p-1,  -0x1.9a4p+0, 0x1.28p-2,   0x1.f5cp-2,
                      -0x1.8a8p-2, -0x1.6c8p-1, -0x1.5d8p-3, -0x1.758p+0, 0x1.c4p-3,
                      0x1.f84p-3,  -0x1.534p+0, 0x1.64cp-1,  -0x1.538p-1, 0x1.374p+0},
                     0x1p-10);
}

TEST(narrow_normal_draws_fill_any_length) {
  expect_rounded_normal<Half>(40000);
  expect_rounded_normal<BFloat16>(40000);
}

TEST(normal_draws_of_a_small_deviation) {
  EXPECT(normal<float>(20, 20, 3, 0) == std::vector<double>(20, 3.0));
  EXPECT(normal<double>(5, 5, -2, 0) == std::vector<double>(5, -2.0));
  std::vector<double> halves;
  for (double v : normal<float>(5, 5)) halves.push_back(v / 2);
  EXPECT(normal<float>(5, 5, 0, 0.5) == halves);
}

TEST(a_complex_mean_is_added_to_every_real_part) {
  expect_mean_in_the_real_part<float>();
  expect_mean_in_the_real_part<double>();
}

TEST(complex_normal_draws_share_the_variance) {
  using C = std::complex<float>;
  auto parts = [](int64_t n, size_t count) {
    std::vector<double> out;
    Tensor t = ops::normal_(empty({n}, DType::Complex64), 0, 1, seeded());
    for (const C& v : values_of<C>(t)) {
      out.push_back(v.real());
      out.push_back(v.imag());
    }
    out.resize(count);
    return out;
  };
  expect_close<float>(
      parts(3, 6),
      {0x1.0b3758p-5, 0x1.235eeap-2, -0x1.6e367p-1, 0x1.39ded8p-3, -0x1.bb5546p-2, 0x1.6ca734p-2},
      0x1p-23);
  expect_close<float>(parts(8, 4), {-0x1.439250p-4, -0x1.6791d4p-2, 0x1.d84fd8p-4, -0x1.3f347ep-1},
                      0x1p-23);
  Tensor shifted = ops::normal_(empty({8}, DType::Complex64), 100, 1, seeded());
  EXPECT(std::abs(element<C>(shifted, 0).imag()) < 10 && element<C>(shifted, 0).real() > 90);
}

TEST(integers_take_one_word_below_2_to_the_28th) {
  EXPECT(integers(DType::Int64, 6, -5, 9) == Ints({8, 6, -5, 0, -5, 3}));
  EXPECT(integers(DType::Int64, 3, 0, (1 << 28) - 1) == Ints({17263410, 258400986, 256017711}));
  EXPECT(integers(DType::Int64, 3, 0, 1 << 28) == Ints({258400979, 22928437, 213081460}));
  EXPECT(integers(DType::Int64, 3, 0, int64_t(1) << 40) ==
         Ints({204000912083, 166721346613, 878802328948}));
}

TEST(integers_that_would_round_to_the_end_are_left_out) {
  const auto power = [](int n) { return int64_t(1) << n; };
  expect_integers<Half>(-4096, -2048, -2050);
  expect_integers<float>(0, power(44), power(44) - power(20));
  expect_integers<float>(-power(25), -power(24), -power(24) - 2);
  expect_integers<double>(0, power(50) + 1, power(50) + 1);
  expect_integers<BFloat16>(0, 256, 256);
}

TEST(integers_of_bool_are_both_values) {
  Tensor t = ops::random_(empty({64}, DType::Bool), 0, 2, seeded());
  int64_t count = 0;
  for (bool v : values_of<bool>(t)) count += v;
  EXPECT(count > 16 && count < 48);
}

TEST(integers_without_an_end_fill_the_dtype) {
  EXPECT(integers(DType::Int64, 3, INT64_MIN, std::nullopt) ==
         Ints({3532910284440527571, -6970862871448265675, 8074651545468362100}));
  EXPECT(integers(DType::Float32, 3, 3, std::nullopt) == Ints({486292, 6742996, 4359783}));
  EXPECT(integers(DType::UInt8, 3, 1, std::nullopt) == Ints({211, 157, 142}));
  EXPECT(integers(DType::Int32, 3, 3, std::nullopt) == Ints({630416889, 216857399, 1024256593}));
  EXPECT(integers(DType::Float32, 2, 0, (1 << 28) - 1) == Ints({17263456, 258401088}));
  EXPECT(integers(DType::Float16, 6, 0, 2060) == Ints({1581, 81, 420, 1139, 98, 232}));
}

TEST(randperm_is_a_permutation_in_the_recorded_order) {
  Tensor p = ops::randperm(10, seeded());
  EXPECT(values_of<int64_t>(p) == Ints({5, 4, 8, 2, 6, 9, 1, 7, 0, 3}));
  EXPECT_EQ(ops::randperm(0).numel(), 0);
  EXPECT_EQ(ops::randperm(256, Generator(), DType::UInt8).numel(), 256);
}

TEST(randperm_swaps_each_place_with_one_behind) {
  constexpr int64_t kCount = 40000;
  Generator g = seeded();
  Ints expected(kCount);
  for (int64_t i = 0; i < kCount; ++i) expected[static_cast<size_t>(i)] = i;
  for (int64_t i = 0; i < kCount - 1; ++i) {
    const int64_t other = i + g->engine().next() % (kCount - i);
    std::swap(expected[static_cast<size_t>(i)], expected[static_cast<size_t>(other)]);
  }
  EXPECT(values_of<int64_t>(ops::randperm(kCount, seeded())) == expected);
  const std::vector<int32_t> narrow(expected.begin(), expected.end());
  EXPECT(values_of<int32_t>(ops::randperm(kCount, seeded(), DType::Int32)) == narrow);
}

TEST(randperm_takes_a_word_less_than_numbers) {
  for (int64_t n : {0, 1, 2, 5}) {
    Generator g = seeded(), words = seeded();
    ops::randperm(n, g);
    for (int64_t i = 0; i < n - 1; ++i) words->engine().next();
    EXPECT_EQ(g->engine().next(), words->engine().next());
  }
}

TEST(long_permutations_take_two_words_for_a_place) {
  for (int64_t n : {int64_t(214748363), int64_t(214748364)}) {
    Generator g = seeded(), words = seeded();
    const bool one = n == 214748363;
    const uint64_t word = one ? words->engine().next() : words->engine().next64();
    EXPECT_EQ(kernels::PlaceDraw(n)(g->engine(), 1000), static_cast<int64_t>(word % 1000));
    EXPECT_EQ(g->engine().next(), words->engine().next());
  }
}

TEST(bernoulli_of_its_own_draws_is_zero) {  // a draw is not below itself
  expect_draws_below_themselves<float>(64);
  expect_draws_below_themselves<double>(64);
}

TEST(bernoulli_compares_a_uniform_draw) {
  std::vector<float> p;
  for (int i = 0; i < 12; ++i) p.push_back(static_cast<float>(i) / 11);
  Tensor drawn = ops::bernoulli(tensor_of<float>({12}, p), seeded());
  EXPECT(firsts<float>(drawn, 12) == std::vector<double>({0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1}));
  Tensor wide =
      ops::bernoulli(tensor_of<double>({12}, std::vector<double>(p.begin(), p.end())), seeded());
  EXPECT(firsts<double>(wide, 12) == std::vector<double>({0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1}));
}

TEST(a_refused_draw_leaves_the_generator_alone) {
  Generator g = seeded();
  auto before = g->get_state();
  Tensor x = empty({4}, DType::Float32);
  EXPECT_THROWS(ops::uniform_(x, 1, 0, g), Error, "from must not be greater than to");
  EXPECT_THROWS(ops::uniform_(x, 0, INFINITY, g), Error, "finite in float32");
  EXPECT_THROWS(ops::uniform_(x, NAN, 1, g), Error, "finite in float32");
  EXPECT_THROWS(ops::uniform_(x, -3e38, 3e38, g), Error, "to - from must be finite");
  EXPECT_THROWS(ops::normal_(x, 0, -1, g), Error, "std must not be negative; got -1");
  EXPECT_THROWS(ops::normal_(x, 0, NAN, g), Error, "std must not be negative");
  EXPECT_THROWS(ops::random_(x, 3, 3, g), Error, "from must be less than to");
  EXPECT_THROWS(ops::random_(empty({1}, DType::UInt8), 0, 257, g), Error, "must lie in uint8");
  EXPECT_THROWS(ops::random_(empty({1}, DType::UInt8), -1, 3, g), Error, "must lie in uint8");
  EXPECT_THROWS(ops::random_(empty({1}, DType::Float16), 2059, 2060, g), Error, "random_");
  EXPECT_THROWS(ops::bernoulli(tensor_of<float>({2}, {0.5f, 1.5f}), g), Error, "[0, 1]");
  EXPECT_THROWS(ops::bernoulli(tensor_of<float>({1}, {NAN}), g), Error, "[0, 1]");
  EXPECT_THROWS(ops::randperm(-1, g), Error, "n must not be negative");
  EXPECT_THROWS(ops::randperm(257, g, DType::UInt8), Error, "representable in uint8");
  EXPECT_THROWS(ops::normal_(empty({2}, DType::Int64), 0, 1, g), Error, "int64");
  EXPECT_THROWS(ops::uniform_(view_of(x, {9}, {0}, 0), 0, 1, g), Error, "lie in one place");
  EXPECT(g->get_state() == before);
}

TEST(draws_of_floating_numbers_refuse_other_dtypes) {
  for (DeviceKind device : {DeviceKind::CPU, DeviceKind::Meta}) {
    Tensor x = empty_tensor({4}, DType::Int32, device);
    const char* message = "expected a floating dtype; got int32";
    EXPECT_THROWS(ops::uniform_(x, 0, 1), Error, message);
    EXPECT_THROWS(ops::normal_(x, 0, 1), Error, message);
    EXPECT_THROWS(ops::bernoulli(x), Error, message);
  }
}
