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

// Running products, kept wider as well; a product that leaves double's range has left float's too.
static void cumprod_float(const void* in, void* out, int64_t count) {
  const float* x = static_cast<const float*>(in);
  float* y = static_cast<float*>(out);
  double product = 1;
  for (int64_t i = 0; i < count; ++i) {
    product *= static_cast<double>(x[i]);
    y[i] = static_cast<float>(product);
  }
}

// Of double, of integers (unsigned: overflow wraps) and of complex numbers in their own type.
template <class T, class Memory>
static void cumprod_plain(const void* in, void* out, int64_t count) {
  const Memory* x = static_cast<const Memory*>(in);
  Memory* y = static_cast<Memory*>(out);
  T product = T(1);
  for (int64_t i = 0; i < count; ++i) {
    product = i == 0 ? load(x) : mul(product, load(x + i));
    store(y + i, product);
  }
}

// log(sum(exp)) as the largest so far and the sum of exp beside it.
template <class T>
static void logcumsumexp_row(const void* in, void* out, int64_t count) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  double largest = -__builtin_inf(), sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double next = static_cast<double>(x[i]);
    const bool rises = next > largest;
    if (next != next || largest != largest) {
      largest = next != next ? next : largest;
    } else if (next == largest) {
      sum += 1;
    } else {
      const double lower = rough_exp(rises ? largest - next : next - largest);
      sum = rises ? sum * lower + 1 : sum + lower;
      largest = rises ? next : largest;
    }
    const bool finite = absolute_bits(largest) < __builtin_inf();
    y[i] = static_cast<T>(finite ? largest + rough_log(sum) : largest);
  }
}

static constexpr ScanTable make_scan_table() {
  ScanTable table{};
  table.cumsum[static_cast<int>(DType::Int64)] = &cumsum_int64;
  table.cumsum[static_cast<int>(DType::Float32)] = &cumsum_float<1>;
  table.cumsum[static_cast<int>(DType::Float64)] = &cumsum_double<1>;
  table.cumsum[static_cast<int>(DType::Complex64)] = &cumsum_float<2>;
  table.cumsum[static_cast<int>(DType::Complex128)] = &cumsum_double<2>;
  table.cumprod[static_cast<int>(DType::Int64)] = &cumprod_plain<uint64_t, uint64_t>;
  table.cumprod[static_cast<int>(DType::Float32)] = &cumprod_float;
  table.cumprod[static_cast<int>(DType::Float64)] = &cumprod_plain<double, double>;
  table.cumprod[static_cast<int>(DType::Complex64)] =
      &cumprod_plain<Complex<float>, std::complex<float>>;
  table.cumprod[static_cast<int>(DType::Complex128)] =
      &cumprod_plain<Complex<double>, std::complex<double>>;
  table.logcumsumexp[static_cast<int>(DType::Float32)] = &logcumsumexp_row<float>;
  table.logcumsumexp[static_cast<int>(DType::Float64)] = &logcumsumexp_row<double>;
  return table;
}
extern constexpr ScanTable scan_table = make_scan_table();
