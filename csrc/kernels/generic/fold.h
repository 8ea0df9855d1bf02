// Folds of contiguous terms and of columns. Note [Order of a fold] is in kernels/tables.h.

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(CEPH_REGION_BYTES)));
};
template <class T>
using vec = typename VectorOf<T>::type;

template <class T>
CEPH_INLINE vec<T> load_vector(const T* from) {
  vec<T> result;
  __builtin_memcpy(&result, from, sizeof(result));
  return result;
}

// Four vectors: enough independent sums to hide the latency of an addition.
inline constexpr int kVectors = 4;
template <class T>
inline constexpr int64_t kWidth = CEPH_REGION_BYTES / sizeof(T);
template <class T>
inline constexpr int64_t kLanes = kVectors * kWidth<T>;

// -0 is what changes no other number: -0 + -0 is -0, and 0 + -0 is 0.
struct SumOp {
  template <class T>
  static constexpr T identity() {
    return std::is_floating_point_v<T> ? T(-0.0) : T(0);
  }
  template <class V>
  CEPH_INLINE static V combine(V a, V b) {
    return a + b;
  }
  template <class T>
  CEPH_INLINE static T finish(T chunk) {  // a sum of zeros is +0
    return chunk + T(0);
  }
};

// What a chunk of terms gives as it is.
struct PlainFinish {
  template <class T>
  CEPH_INLINE static T finish(T chunk) {
    return chunk;
  }
};

// A NaN stays; of zeros of both signs the positive one is the larger.
struct MaximumOp : PlainFinish {
  template <class T>
  static constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>)
      return -T(__builtin_inf());
    else if constexpr (std::is_signed_v<T>)
      return static_cast<T>(T(1) << (sizeof(T) * 8 - 1));
    else
      return T(0);
  }
  template <class V>
  CEPH_INLINE static V combine(V a, V b) {
    if constexpr (std::is_arithmetic_v<V>) {
      return maximum(a, b);
    } else if constexpr (std::is_floating_point_v<std::remove_reference_t<decltype(a[0])>>) {
      using Bits = decltype(a < b);
      V equal = reinterpret_cast<V>(reinterpret_cast<Bits>(a) & reinterpret_cast<Bits>(b));
      V ordered = a > b ? a : (a == b ? equal : b);
      return a != a ? a : ordered;
    } else {
      return a > b ? a : b;
    }
  }
};

struct AnyOp : PlainFinish {
  template <class T>
  static constexpr T identity() {
    return 0;
  }
  template <class V>
  CEPH_INLINE static V combine(V a, V b) {
    return a | b;
  }
};

// T: the type of an item's parts; kParts: how many there are (2 for complex numbers).
template <class Op, class T, int64_t kParts>
struct FoldOf {
  static constexpr int64_t kTermLanes = kLanes<T> / kParts;
  static constexpr int64_t kChunk = 16 * kTermLanes;

  // Chunk by chunk, combined in a balanced tree.
  static void row(const void* terms, int64_t count, void* result) {
    constexpr int kLevels = 48;
    const T* x = static_cast<const T*>(terms);
    T levels[kLevels][kParts], value[kParts];
    int64_t chunks = 0;
    for (int64_t at = 0; at < count; at += kChunk, ++chunks) {
      fold_chunk(x + at * kParts, count - at < kChunk ? count - at : kChunk, value);
      int level = 0;
      for (; chunks >> level & 1; ++level) combine_onto(levels[level], value);
      for (int64_t p = 0; p < kParts; ++p) levels[level][p] = value[p];
    }
    for (int64_t p = 0; p < kParts; ++p) value[p] = Op::template identity<T>();
    for (int level = 0; chunks >> level != 0; ++level) {
      if (chunks >> level & 1) combine_onto(levels[level], value);
    }
    __builtin_memcpy(result, value, sizeof(value));
  }

  static void columns(const char* const* rows, int64_t count, int64_t width, void* result) {
    const int64_t parts = width * kParts;
    T lanes[kTermLanes][Fold::kMaxColumns * kParts];
    int64_t used = count < kTermLanes ? count : kTermLanes;
    for (int64_t t = 0; t < used; ++t) __builtin_memcpy(lanes[t], rows[t], parts * sizeof(T));
    for (int64_t t = used; t < count; ++t) {
      combine(lanes[t % kTermLanes], rows[t], parts);
    }
    for (int64_t half = kTermLanes / 2; half >= 1; half /= 2) {
      for (int64_t t = 0; t + half < used; ++t) combine(lanes[t], lanes[t + half], parts);
      used = used < half ? used : half;
    }
    T* results = static_cast<T*>(result);
    for (int64_t i = 0; i < parts; ++i) results[i] = Op::template finish<T>(lanes[0][i]);
  }

  static void combine_items(void* accumulated, const void* next, int64_t count) {
    combine(static_cast<T*>(accumulated), next, count * kParts);
  }

  static constexpr Fold fold() {
    return {kChunk, kParts * static_cast<int64_t>(sizeof(T)), &row, &columns, &combine_items};
  }

 private:
  static void fold_chunk(const T* x, int64_t count, T (&result)[kParts]) {
    const int64_t parts = count * kParts, whole = parts / kLanes<T> * kLanes<T>;
    T identity[kWidth<T>];
    for (int64_t i = 0; i < kWidth<T>; ++i) identity[i] = Op::template identity<T>();
    vec<T> lanes[kVectors];
    for (int v = 0; v < kVectors; ++v) lanes[v] = load_vector(identity);
    for (int64_t k = 0; k < whole; k += kLanes<T>) accumulate(lanes, x + k);
    if (whole < parts) {
      T rest[kLanes<T>];
      for (int v = 0; v < kVectors; ++v) {
        __builtin_memcpy(rest + v * kWidth<T>, identity, sizeof(identity));
      }
      __builtin_memcpy(rest, x + whole, static_cast<size_t>(parts - whole) * sizeof(T));
      accumulate(lanes, rest);
    }
    lanes[0] = Op::combine(lanes[0], lanes[2]);
    lanes[1] = Op::combine(lanes[1], lanes[3]);
    lanes[0] = Op::combine(lanes[0], lanes[1]);
    T last[kWidth<T>];
    __builtin_memcpy(last, &lanes[0], sizeof(last));
    for (int64_t half = kWidth<T> / 2; half >= kParts; half /= 2) {
      for (int64_t i = 0; i < half; ++i) last[i] = Op::template combine<T>(last[i], last[i + half]);
    }
    for (int64_t p = 0; p < kParts; ++p) result[p] = Op::template finish<T>(last[p]);
  }
  // value = earlier combined with value.
  CEPH_INLINE static void combine_onto(const T (&earlier)[kParts], T (&value)[kParts]) {
    for (int64_t p = 0; p < kParts; ++p) {
      value[p] = Op::template combine<T>(earlier[p], value[p]);
    }
  }
  CEPH_INLINE static void accumulate(vec<T> (&lanes)[kVectors], const T* x) {
    for (int v = 0; v < kVectors; ++v) {
      lanes[v] = Op::combine(lanes[v], load_vector(x + v * kWidth<T>));
    }
  }
  CEPH_INLINE static void combine(T* accumulated, const void* next, int64_t parts) {
    const T* x = static_cast<const T*>(next);
#pragma GCC ivdep
    for (int64_t i = 0; i < parts; ++i) {
      accumulated[i] = Op::template combine<T>(accumulated[i], x[i]);
    }
  }
};

// Of one term at least.
template <class T>
CEPH_INLINE T sum_of(const T* x, int64_t count) {
  T result;
  FoldOf<SumOp, T, 1>::row(x, count, &result);
  return result;
}
