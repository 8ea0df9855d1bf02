// Mean and sum of squared distances, for variances and norms.

// Moments in float64: of a chunk in two passes, the mean first; chunks are joined by how far apart
// their means are. So a large mean beside small distances costs no accuracy.
template <class T>
struct MomentsFold {
  using Sums = FoldOf<SumOp, T, 1, Itself, double>;
  using Doubles = FoldOf<SumOp, double, 1>;
  using Squares = FoldOf<SumOp, double, 1, Square>;
  static constexpr int64_t kChunk = Sums::kChunk;

  static void row(const void* terms, int64_t count, void* result) {
    const T* x = static_cast<const T*>(terms);
    Moments value = fold_chunks<Moments>(
        (count + kChunk - 1) / kChunk,
        [&](int64_t chunk, Moments& folded) {
          const int64_t at = chunk * kChunk;
          folded = of_chunk(x + at, count - at < kChunk ? count - at : kChunk);
        },
        [](const Moments& earlier, Moments& next) { next = joined(earlier, next); });
    __builtin_memcpy(result, &value, sizeof(value));
  }

  static void columns(const char* const* rows, int64_t count, int64_t width, void* result) {
    auto term = [&](int64_t t, int64_t i) {
      return load_term<double>(reinterpret_cast<const T*>(rows[t]) + i);
    };
    double mean[Fold::kMaxColumns], first[Fold::kMaxColumns], second[Fold::kMaxColumns];
    Doubles::fold_columns(count, width, mean, term);
    for (int64_t i = 0; i < width; ++i) mean[i] /= static_cast<double>(count);
    Doubles::fold_columns(count, width, first,
                          [&](int64_t t, int64_t i) { return term(t, i) - mean[i]; });
    Doubles::fold_columns(count, width, second,
                          [&](int64_t t, int64_t i) { return Square::of(term(t, i) - mean[i]); });
    Moments* moments = static_cast<Moments*>(result);
    for (int64_t i = 0; i < width; ++i) moments[i] = about(count, mean[i], first[i], second[i]);
  }

  static void combine_items(void* accumulated, const void* next, int64_t count) {
    Moments* to = static_cast<Moments*>(accumulated);
    const Moments* from = static_cast<const Moments*>(next);
    for (int64_t i = 0; i < count; ++i) to[i] = joined(to[i], from[i]);
  }

  static constexpr Fold fold(DType term) {
    return {term, kChunk, sizeof(Moments), &row, &columns, &combine_items};
  }

 private:
  CEPH_INLINE static Moments of_chunk(const T* x, int64_t count) {
    typename Sums::State sum;
    Sums::fold_chunk(x, count, sum);
    const double mean = sum.parts[0] / static_cast<double>(count);
    double distances[kChunk];
    for (int64_t i = 0; i < count; ++i) distances[i] = load_term<double>(x + i) - mean;
    typename Doubles::State first;
    typename Squares::State second;
    Doubles::fold_chunk(distances, count, first);
    Squares::fold_chunk(distances, count, second);
    return about(count, mean, first.parts[0], second.parts[0]);
  }
  // The distances from a rounded mean don't add up to 0; what they add up to corrects both.
  CEPH_INLINE static Moments about(int64_t terms, double mean, double first, double second) {
    const double count = static_cast<double>(terms), shift = first / count;
    return {count, mean, shift, second - first * shift};
  }
  CEPH_INLINE static Moments joined(const Moments& a, const Moments& b) {
    const double count = a.count + b.count, share = b.count / count;
    const double distance = (b.mean - a.mean) + (b.low - a.low);
    const DoubleDouble mean = two_sum(a.mean, a.low + distance * share);
    return {count, mean.hi, mean.lo, a.squares + b.squares + distance * distance * a.count * share};
  }
};

// The sums of x - shift and of its square, in lanes.
CEPH_INLINE void shifted_sums(const float* x, int64_t count, double shift, double (&totals)[2]) {
  constexpr int64_t kStep = 2 * kWidth<double>;
  double shifts[kWidth<double>], zeros[kStep] = {};
  for (double& value : shifts) value = shift;
  const vec<double> about = load_vector(shifts);
  vec<double> first[2] = {load_vector(zeros), load_vector(zeros)}, second[2] = {first[0], first[0]};
  auto add = [&](const float* from, int lane) {
    const vec<double> distance = load_terms<double>(from) - about;
    first[lane] += distance;
    second[lane] += distance * distance;
  };
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    add(x + i, 0);
    add(x + i + kWidth<double>, 1);
  }
  double sums[kWidth<double>], squares[kWidth<double>];
  first[0] += first[1];
  second[0] += second[1];
  __builtin_memcpy(sums, &first[0], sizeof(sums));
  __builtin_memcpy(squares, &second[0], sizeof(squares));
  totals[0] = totals[1] = 0;
  for (; i < count; ++i) {
    const double distance = x[i] - shift;
    totals[0] += distance;
    totals[1] += distance * distance;
  }
  for (int64_t lane = 0; lane < kWidth<double>; ++lane) {
    totals[0] += sums[lane];
    totals[1] += squares[lane];
  }
}
