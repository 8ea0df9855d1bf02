#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/thread_pool.h"
#include "generated/ops/amax.h"
#include "generated/ops/any.h"
#include "generated/ops/argmax.h"
#include "generated/ops/mean.h"
#include "generated/ops/sum.h"
#include "isa.h"
#include "kernels/copy.h"
#include "testing.h"
#include "values.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor random_tensor(IntArrayRef sizes, int layout, float offset = 0) {
  Tensor t = laid_out(sizes, DType::Float32, layout);
  std::mt19937 random(5);
  std::normal_distribution<float> normal(offset, 1);
  for (int64_t i = 0; i < t.numel(); ++i) element<float>(t, i) = normal(random);
  return t;
}

std::vector<uint32_t> bits_of(const Tensor& t) {
  std::vector<uint32_t> out;
  for (float value : values_of<float>(t)) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    out.push_back(bits);
  }
  return out;
}

float one_sum(const Tensor& t) { return element<float>(ops::sum(t), 0); }

}  // namespace

TEST(a_sum_has_the_same_bits_in_every_layout) {
  for_each_isa([] {
    for (const DimVector& sizes :
         {DimVector{2100, 70}, DimVector{7, 33, 129}, DimVector{3000, 5}}) {
      for (int64_t dim = 0; dim < static_cast<int64_t>(sizes.size()); ++dim) {
        auto expected = bits_of(ops::sum(random_tensor(sizes, 0), IntArrayRef({dim})));
        for (int layout = 1; layout < kLayouts; ++layout) {
          EXPECT_EQ(bits_of(ops::sum(random_tensor(sizes, layout), IntArrayRef({dim}))), expected);
        }
      }
    }
  });
}

TEST(a_sum_has_the_same_bits_with_every_number_of_threads) {
  for_each_isa([] {
    Tensor x = random_tensor({1000003}, 0, 1), columns = random_tensor({100003, 9}, 0, 1);
    int before = num_threads();
    set_num_threads(1);
    uint32_t one = bits_of(ops::sum(x))[0];
    auto one_columns = bits_of(ops::sum(columns, IntArrayRef({0})));
    for (int threads : {2, 3, 7}) {
      set_num_threads(threads);
      EXPECT_EQ(bits_of(ops::sum(x))[0], one);
      EXPECT_EQ(bits_of(ops::sum(columns, IntArrayRef({0}))), one_columns);
    }
    set_num_threads(before);
  });
}

TEST(sums_are_accurate_at_every_length) {
  for_each_isa([] {
    for (int64_t n : {1, 2, 31, 33, 64, 255, 1025, 4097, 65537, 300001}) {
      Tensor x = random_tensor({n}, 0, 100);
      double exact = 0, size = 0;
      for (float value : values_of<float>(x)) {
        exact += value;
        size += std::abs(value);
      }
      double bound = (std::log2(double(n)) + 8) * 0x1p-24 * size;
      EXPECT(std::abs(one_sum(x) - exact) <= bound);
      double mean = element<float>(ops::mean(x), 0);
      EXPECT(std::abs(mean - exact / double(n)) <= bound / double(n));
    }
  });
}

TEST(half_sums_do_not_stop_growing) {
  for_each_isa([] {
    Tensor ones =
        kernels::cast(tensor_of<float>({5000}, std::vector<float>(5000, 1)), DType::BFloat16);
    EXPECT_EQ(element<float>(kernels::cast(ops::sum(ones), DType::Float32), 0), 4992.0f);
    EXPECT_EQ(element<float>(kernels::cast(ops::mean(ones), DType::Float32), 0), 1.0f);
  });
}

TEST(integers_are_summed_in_int64) {
  for_each_isa([] {
    Tensor bytes = tensor_of<uint8_t>({3, 100}, std::vector<uint8_t>(300, 200));
    Tensor sums = ops::sum(bytes, IntArrayRef({1}));
    EXPECT(sums.dtype() == DType::Int64);
    EXPECT_EQ(values_of<int64_t>(sums), std::vector<int64_t>(3, 20000));
    Tensor wrapped = ops::sum(bytes, IntArrayRef({1}), false, DType::UInt8);
    EXPECT_EQ(int(element<uint8_t>(wrapped, 0)), 20000 % 256);
  });
}

TEST(terms_are_converted_to_the_dtype_first) {
  Tensor x = tensor_of<float>({3}, {1.5, 2.5, -0.5});
  EXPECT_EQ(element<int64_t>(ops::sum(x, DType::Int64), 0), int64_t(3));
  Tensor opposite = tensor_of<int64_t>({2}, {1, -1});
  Tensor any = ops::sum(opposite, DType::Bool);
  EXPECT_EQ(int(*static_cast<uint8_t*>(any.data())), 1);
}

TEST(empty_sums_and_means) {
  Tensor none = empty_tensor({0, 3}, DType::Float32, DeviceKind::CPU);
  EXPECT_EQ(values_of<float>(ops::sum(none, IntArrayRef({0}))), std::vector<float>(3, 0));
  EXPECT(std::isnan(element<float>(ops::mean(none), 0)));
  EXPECT_EQ(ops::sum(none, IntArrayRef({1})).numel(), int64_t(0));
  float zero = one_sum(tensor_of<float>({2}, {-0.0f, -0.0f}));
  EXPECT(zero == 0 && !std::signbit(zero));
}

TEST(nan_is_the_maximum) {
  for_each_isa([] {
    for (int64_t n : {1, 5, 64, 100, 5000}) {
      for (int64_t at : {int64_t(0), n / 2, n - 1}) {
        std::vector<float> values(size_t(n), 1);
        values[size_t(at)] = kNan;
        Tensor x = tensor_of({n}, values);
        EXPECT(std::isnan(element<float>(ops::amax(x), 0)));
        EXPECT_EQ(element<int64_t>(ops::argmax(x), 0), at);
        Tensor columns = empty_tensor({n, 9}, DType::Float32, DeviceKind::CPU);
        kernels::copy_into(columns, view_of(x, {n, 1}, {1, 1}, 0));
        EXPECT(std::isnan(element<float>(ops::amax(columns, {0}), 8)));
        EXPECT_EQ(values_of<int64_t>(ops::argmax(columns, 0)), std::vector<int64_t>(9, at));
      }
    }
  });
}

TEST(of_equal_maxima_the_first_counts) {
  for_each_isa([] {
    Tensor x = tensor_of<float>({2, 4}, {1, 3, 3, 0, -kInf, -kInf, -kInf, -kInf});
    EXPECT_EQ(values_of<int64_t>(ops::argmax(x, 1)), std::vector<int64_t>({1, 0}));
    std::vector<int16_t> same(3000, 7);
    EXPECT_EQ(element<int64_t>(ops::argmax(tensor_of<int16_t>({3000}, same)), 0), int64_t(0));
    same[2000] = 8;
    same[2500] = 8;
    EXPECT_EQ(element<int64_t>(ops::argmax(tensor_of<int16_t>({3000}, same)), 0), int64_t(2000));
  });
}

TEST(maxima_of_every_layout) {
  for_each_isa([] {
    for (int64_t dim = 0; dim < 3; ++dim) {
      auto expected = bits_of(ops::amax(random_tensor({17, 40, 33}, 0), {dim}));
      auto places = values_of<int64_t>(ops::argmax(random_tensor({17, 40, 33}, 0), dim));
      for (int layout = 1; layout < kLayouts; ++layout) {
        Tensor x = random_tensor({17, 40, 33}, layout);
        EXPECT_EQ(bits_of(ops::amax(x, {dim})), expected);
        EXPECT_EQ(values_of<int64_t>(ops::argmax(x, dim)), places);
      }
    }
    Tensor zeros = tensor_of<float>({2, 2}, {0.0f, -0.0f, -0.0f, 0.0f});
    EXPECT_EQ(bits_of(ops::amax(zeros, {1})), std::vector<uint32_t>({0, 0}));
  });
}

TEST(any_sees_nan_and_the_last_element) {
  for_each_isa([] {
    for (int64_t n : {1, 63, 64, 65, 5000, 300000}) {
      std::vector<float> values(size_t(n), 0);
      EXPECT(!*static_cast<bool*>(ops::any(tensor_of({n}, values)).data()));
      values.back() = kNan;
      EXPECT(*static_cast<bool*>(ops::any(tensor_of({n}, values)).data()));
    }
    Tensor bytes = tensor_of<uint8_t>({2, 3}, {0, 0, 9, 0, 0, 0});
    EXPECT_EQ(values_of<uint8_t>(ops::any(bytes, 1)), std::vector<uint8_t>({1, 0}));
  });
}

TEST(argmax_reads_no_further_than_the_last_element) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(pages != MAP_FAILED);
  if (pages == MAP_FAILED) return;
  EXPECT_EQ(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
  {
    // Every second number of the page: the last is what lies before the page without access.
    auto storage =
        make_intrusive<StorageImpl>(pages, page, Device(DeviceKind::CPU), nullptr, nullptr, true);
    Tensor whole(make_intrusive<TensorImpl>(storage, DType::Float64, Device(DeviceKind::CPU),
                                            DispatchKeySet(DispatchKey::CPU)));
    const auto count = static_cast<int64_t>(page / sizeof(double));
    whole->set_contiguous({count});
    whole.data_as<double>()[count - 1] = 3;
    Tensor second = view_of(whole, {count / 2}, {2}, 1);
    EXPECT_EQ(element<int64_t>(ops::argmax(second, 0), 0), count / 2 - 1);
  }
  munmap(pages, 2 * page);
}

TEST(a_dimension_of_any_number_is_reduced) {
  // Rank has no limit. Of the last dimensions, all of size 2, every second is summed.
  constexpr size_t kRank = 40000, kLast = 6;
  DimVector sizes(kRank - kLast, 1);
  for (size_t i = 0; i < kLast; ++i) sizes.push_back(2);
  Tensor x = empty_tensor(sizes, DType::Int64, DeviceKind::CPU);
  for (int64_t i = 0; i < x.numel(); ++i) x.data_as<int64_t>()[i] = i;
  const Tensor sums = ops::sum(x, IntArrayRef({-1, -3, -5}));
  EXPECT_EQ(sums.numel(), 8);
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t first = (i & 4) * 8 + (i & 2) * 4 + (i & 1) * 2;
    EXPECT_EQ(sums.data_as<int64_t>()[i], 8 * first + 4 * (1 + 4 + 16));
  }
}
