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

// As many terms of type T as a vector of A has items, each converted to A.
template <class A, class T>
CEPH_INLINE vec<A> load_terms(const T* from) {
  if constexpr (std::is_same_v<A, T>) {
    return load_vector(from);
  } else {
    using Stored = std::conditional_t<std::is_same_v<T, BFloat16>, uint16_t, T>;
    constexpr int kBytes = CEPH_REGION_BYTES / sizeof(A) * sizeof(T);
    typedef Stored stored __attribute__((vector_size(kBytes)));
    stored terms;
    __builtin_memcpy(&terms, from, sizeof(terms));
    if constexpr (std::is_same_v<T, BFloat16>)
      return reinterpret_cast<vec<A>>(__builtin_convertvector(terms, vec<uint32_t>) << 16);
    else
      return __builtin_convertvector(terms, vec<A>);
  }
}
template <class A, class T>
CEPH_INLINE A load_term(const T* from) {
  return static_cast<A>(load(from));
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

struct ProductOp : PlainFinish {
  template <class T>
  static constexpr T identity() {
    return T(1);
  }
  template <class V>
  CEPH_INLINE static V combine(V a, V b) {
    return a * b;
  }
};

// A NaN stays; of zeros of both signs the positive one is the larger.
template <bool kLargest>
struct ExtremeOp : PlainFinish {
  template <class T>
  static constexpr T identity() {
    constexpr T kTop = std::is_signed_v<T> ? T(~(T(1) << (sizeof(T) * 8 - 1))) : T(~T(0));
    return kLargest ? T(~kTop) : kTop;
  }
  template <class T>
    requires std::is_floating_point_v<T>
  static constexpr T identity() {
    return kLargest ? -T(__builtin_inf()) : T(__builtin_inf());
  }
  template <class V>
  CEPH_INLINE static V combine(V a, V b) {
    if constexpr (std::is_arithmetic_v<V>) {
      return kLargest ? maximum(a, b) : minimum(a, b);
    } else if constexpr (std::is_floating_point_v<std::remove_reference_t<decltype(a[0])>>) {
      using Bits = decltype(a < b);
      Bits x = reinterpret_cast<Bits>(a), y = reinterpret_cast<Bits>(b);
      V equal = reinterpret_cast<V>(kLargest ? x & y : x | y);
      V ordered = (kLargest ? a > b : a < b) ? a : (a == b ? equal : b);
      return a != a ? a : ordered;
    } else {
      return (kLargest ? a > b : a < b) ? a : b;
    }
  }
};
using MaximumOp = ExtremeOp<true>;

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
struct AllOp : PlainFinish {
  template <class T>
  static constexpr T identity() {
    return 1;
  }
  template <class V>
  CEPH_INLINE static V combine(V a, V b) {
    return a & b;
  }
};

// What of a term is folded.
struct Itself {
  template <class V>
  CEPH_INLINE static V of(V x) {
    return x;
  }
};
struct NanAsZero {
  template <class V>
  CEPH_INLINE static V of(V x) {
    return x == x ? x : V{};
  }
};
struct Magnitude {
  template <class V>
  CEPH_INLINE static V of(V x) {
    return x < V{} ? -x : x + V{};  // +0 of either zero
  }
};
struct Square {
  template <class V>
  CEPH_INLINE static V of(V x) {
    return x * x;
  }
};

// Combines folds of chunks, one at least, in a balanced tree over their numbers. `combine(a, b)`:
// b = a with b.
template <class State, class Fill, class Combine>
CEPH_INLINE State fold_chunks(int64_t chunks, Fill fill, Combine combine) {
  if (chunks < 1) __builtin_unreachable();
  State levels[48], value;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    fill(chunk, value);
    int level = 0;
    for (; chunk >> level & 1; ++level) combine(levels[level], value);
    levels[level] = value;
  }
  int level = 0;
  for (; !(chunks >> level & 1); ++level) {
  }
  value = levels[level];
  for (++level; chunks >> level != 0; ++level) {
    if (chunks >> level & 1) combine(levels[level], value);
  }
  return value;
}

// T: the type in memory of an item's parts; kParts: how many there are (2 for complex numbers);
// A: the type that they are folded in, after Map.
template <class Op, class T, int64_t kParts, class Map = Itself, class A = T>
struct FoldOf {
  static constexpr int64_t kTermLanes = kLanes<A> / kParts;
  static constexpr int64_t kChunk = 32 * kTermLanes;
  struct State {
    A parts[kParts];
  };

  // Of one term at least.
  static void row(const void* terms, int64_t count, void* result) {
    const T* x = static_cast<const T*>(terms);
    State value = fold_chunks<State>(
        (count + kChunk - 1) / kChunk,
        [&](int64_t chunk, State& folded) {
          const int64_t at = chunk * kChunk;
          fold_chunk(x + at * kParts, count - at < kChunk ? count - at : kChunk, folded);
        },
        [](const State& earlier, State& next) {
          for (int64_t p = 0; p < kParts; ++p) {
            next.parts[p] = Op::template combine<A>(earlier.parts[p], next.parts[p]);
          }
        });
    __builtin_memcpy(result, &value, sizeof(value));
  }

  static void columns(const char* const* rows, int64_t count, int64_t width, void* result) {
    fold_columns(count, width * kParts, static_cast<A*>(result), [&](int64_t t, int64_t i) {
      return Map::of(load_term<A>(reinterpret_cast<const T*>(rows[t]) + i));
    });
  }

  static void combine_items(void* accumulated, const void* next, int64_t count) {
    A* to = static_cast<A*>(accumulated);
    const A* x = static_cast<const A*>(next);
    for (int64_t i = 0; i < count * kParts; ++i) to[i] = Op::template combine<A>(to[i], x[i]);
  }

  static constexpr Fold fold(DType term) {
    constexpr auto kItem = kParts * static_cast<int64_t>(sizeof(A));
    return {term, kChunk, kItem, &row, &columns, &combine_items};
  }

  // At most a chunk of terms; `term(t, i)` is part i of term t, of all results side by side.
  template <class Term>
  CEPH_INLINE static void fold_columns(int64_t count, int64_t parts, A* results, Term term) {
    A lanes[kTermLanes][Fold::kMaxColumns * kParts];
    int64_t used = count < kTermLanes ? count : kTermLanes;
    for (int64_t t = 0; t < used; ++t) {
#pragma GCC ivdep
      for (int64_t i = 0; i < parts; ++i) lanes[t][i] = term(t, i);
    }
    for (int64_t t = used; t < count; ++t) {
      A* lane = lanes[t % kTermLanes];
#pragma GCC ivdep
      for (int64_t i = 0; i < parts; ++i) lane[i] = Op::template combine<A>(lane[i], term(t, i));
    }
    for (int64_t half = kTermLanes / 2; half >= 1; half /= 2) {
      for (int64_t t = 0; t + half < used; ++t) {
#pragma GCC ivdep
        for (int64_t i = 0; i < parts; ++i) {
          lanes[t][i] = Op::template combine<A>(lanes[t][i], lanes[t + half][i]);
        }
      }
      used = used < half ? used : half;
    }
    for (int64_t i = 0; i < parts; ++i) results[i] = Op::template finish<A>(lanes[0][i]);
  }

  CEPH_INLINE static void fold_chunk(const T* x, int64_t count, State& result) {
    const int64_t parts = count * kParts, whole = parts / kLanes<A> * kLanes<A>;
    A identity[kWidth<A>];
    for (int64_t i = 0; i < kWidth<A>; ++i) identity[i] = Op::template identity<A>();
    vec<A> lanes[kVectors];
    for (int v = 0; v < kVectors; ++v) lanes[v] = load_vector(identity);
    for (int64_t k = 0; k < whole; k += kLanes<A>) {
      for (int v = 0; v < kVectors; ++v) {
        lanes[v] = Op::combine(lanes[v], Map::of(load_terms<A>(x + k + v * kWidth<A>)));
      }
    }
    if (whole < parts) {
      A rest[kLanes<A>];
      for (int64_t i = 0; i < kLanes<A>; ++i) rest[i] = Op::template identity<A>();
      for (int64_t i = whole; i < parts; ++i) rest[i - whole] = Map::of(load_term<A>(x + i));
      for (int v = 0; v < kVectors; ++v) {
        lanes[v] = Op::combine(lanes[v], load_vector(rest + v * kWidth<A>));
      }
    }
    lanes[0] = Op::combine(lanes[0], lanes[2]);
    lanes[1] = Op::combine(lanes[1], lanes[3]);
    lanes[0] = Op::combine(lanes[0], lanes[1]);
    A last[kWidth<A>];
    __builtin_memcpy(last, &lanes[0], sizeof(last));
    for (int64_t half = kWidth<A> / 2; half >= kParts; half /= 2) {
      for (int64_t i = 0; i < half; ++i) last[i] = Op::template combine<A>(last[i], last[i + half]);
    }
    for (int64_t p = 0; p < kParts; ++p) result.parts[p] = Op::template finish<A>(last[p]);
  }
};

// Of one term at least.
template <class T>
CEPH_INLINE T sum_of(const T* x, int64_t count) {
  T result;
  FoldOf<SumOp, T, 1>::row(x, count, &result);
  return result;
}
