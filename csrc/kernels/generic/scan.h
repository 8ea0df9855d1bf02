// Running sums. They are kept wider than the elements, so that the error of the last doesn't grow
// with the number of terms: float in double, double in two words.

CEPH_INLINE DoubleDouble add_to(DoubleDouble sum, double x) {
  DoubleDouble next = two_sum(sum.hi, x);
  // Beside an infinity the low word is NaN and says nothing.
  return {next.hi, sum.lo + next.lo};
}
CEPH_INLINE double value_of(DoubleDouble sum) {
  double value = sum.hi + sum.lo;
  return absolute_bits(sum.hi) < __builtin_inf() ? value : sum.hi;
}

template <int64_t kParts>
static void cumsum_float(const void* in, void* out, int64_t count) {
  const float* x = static_cast<const float*>(in);
  float* y = static_cast<float*>(out);
  double sums[kParts] = {};
  for (int64_t i = 0; i < count * kParts; i += kParts) {
    for (int64_t p = 0; p < kParts; ++p) {
      sums[p] += static_cast<double>(x[i + p]);
      y[i + p] = static_cast<float>(sums[p]);
    }
  }
}

template <int64_t kParts>
static void cumsum_double(const void* in, void* out, int64_t count) {
  const double* x = static_cast<const double*>(in);
  double* y = static_cast<double*>(out);
  DoubleDouble sums[kParts] = {};
  for (int64_t i = 0; i < count * kParts; i += kParts) {
    for (int64_t p = 0; p < kParts; ++p) {
      sums[p] = add_to(sums[p], x[i + p]);
      y[i + p] = value_of(sums[p]);
    }
  }
}

static void cumsum_int64(const void* in, void* out, int64_t count) {
  const uint64_t* x = static_cast<const uint64_t*>(in);
  uint64_t* y = static_cast<uint64_t*>(out);
  uint64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) y[i] = sum += x[i];
}

static constexpr ScanTable make_scan_table() {
  ScanTable table{};
  table.cumsum[static_cast<int>(DType::Int64)] = &cumsum_int64;
  table.cumsum[static_cast<int>(DType::Float32)] = &cumsum_float<1>;
  table.cumsum[static_cast<int>(DType::Float64)] = &cumsum_double<1>;
  table.cumsum[static_cast<int>(DType::Complex64)] = &cumsum_float<2>;
  table.cumsum[static_cast<int>(DType::Complex128)] = &cumsum_double<2>;
  return table;
}
extern constexpr ScanTable scan_table = make_scan_table();
