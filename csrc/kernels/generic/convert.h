// Elements in memory and in arithmetic: float16, bfloat16 and float8 are computed as float, complex
// as a pair. load and store are branchless, so loops over them vectorise.

template <class T>
struct Complex {
  T re, im;
  Complex() = default;
  CEPH_INLINE constexpr Complex(T real_part, T imaginary = T(0)) : re(real_part), im(imaginary) {}
};

template <class M>
struct ArithmeticOf {
  using type = M;
};
template <>
struct ArithmeticOf<Half> {
  using type = float;
};
template <>
struct ArithmeticOf<BFloat16> {
  using type = float;
};
template <>
struct ArithmeticOf<Float8E4M3FN> {
  using type = float;
};
template <>
struct ArithmeticOf<Float8E5M2> {
  using type = float;
};
template <class T>
struct ArithmeticOf<std::complex<T>> {
  using type = Complex<T>;
};
// The type that values of memory type M are computed in.
template <class M>
using arithmetic_t = typename ArithmeticOf<M>::type;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<Complex<T>> = true;

// A small format with `kMantissa` bits below the binary point and exponent bias `kBias`, in float:
// shifted into place the exponent is off by 127 - kBias, which one multiplication corrects, for
// subnormals too.
template <int kMantissa, int kBias>
CEPH_INLINE float widen(uint32_t magnitude) {
  return bit_cast<float>(magnitude << (23 - kMantissa)) * power_of_two<float>(127 - kBias);
}
// The magnitude of a float, rounded to nearest even; too large values give a pattern above the
// largest finite one. Below the smallest normal the addition of a number whose last place is the
// smallest subnormal does the rounding.
template <int kMantissa, int kBias>
CEPH_INLINE uint32_t narrow(uint32_t magnitude) {
  constexpr int kShift = 23 - kMantissa;
  constexpr uint32_t kSmallestNormal = uint32_t(128 - kBias) << 23;
  constexpr uint32_t kAligned = uint32_t(127 + 24 - kBias - kMantissa) << 23;
  uint32_t half_way = (1u << (kShift - 1)) - 1 + ((magnitude >> kShift) & 1);
  uint32_t normal = (magnitude - (uint32_t(127 - kBias) << 23) + half_way) >> kShift;
  float sum = bit_cast<float>(magnitude) + bit_cast<float>(kAligned);
  uint32_t subnormal = bit_cast<uint32_t>(sum) - kAligned;
  return magnitude < kSmallestNormal ? subnormal : normal;
}

CEPH_INLINE float to_float(Half h) {
  uint32_t magnitude = h.bits & 0x7fffu;
  uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  uint32_t value = bit_cast<uint32_t>(widen<10, 15>(magnitude)) | special;
  return bit_cast<float>(value | (uint32_t(h.bits & 0x8000u) << 16));
}
CEPH_INLINE float to_float(BFloat16 b) { return bit_cast<float>(uint32_t(b.bits) << 16); }
CEPH_INLINE float to_float(Float8E5M2 b) {
  uint32_t magnitude = b.bits & 0x7fu;
  uint32_t special = magnitude >= 0x7cu ? 0x7f800000u : 0u;
  uint32_t value = bit_cast<uint32_t>(widen<2, 15>(magnitude)) | special;
  return bit_cast<float>(value | (uint32_t(b.bits & 0x80u) << 24));
}
CEPH_INLINE float to_float(Float8E4M3FN b) {
  uint32_t magnitude = b.bits & 0x7fu;
  uint32_t value = magnitude == 0x7fu ? 0x7fc00000u : bit_cast<uint32_t>(widen<3, 7>(magnitude));
  return bit_cast<float>(value | (uint32_t(b.bits & 0x80u) << 24));
}

CEPH_INLINE void from_float(float x, Half& result) {
  uint32_t bits = bit_cast<uint32_t>(x), magnitude = bits & 0x7fffffffu;
  uint32_t rounded = narrow<10, 15>(magnitude);
  rounded = rounded > 0x7c00u ? 0x7c00u : rounded;
  rounded = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : rounded;
  result.bits = static_cast<uint16_t>(rounded | ((bits >> 16) & 0x8000u));
}
CEPH_INLINE void from_float(float x, BFloat16& result) {
  uint32_t bits = bit_cast<uint32_t>(x);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  result.bits = static_cast<uint16_t>(nan ? (bits >> 16) | 0x40u : rounded);
}
CEPH_INLINE void from_float(float x, Float8E5M2& result) {
  uint32_t bits = bit_cast<uint32_t>(x), magnitude = bits & 0x7fffffffu;
  uint32_t rounded = narrow<2, 15>(magnitude);
  rounded = rounded > 0x7cu ? 0x7cu : rounded;
  rounded = magnitude > 0x7f800000u ? 0x7fu : rounded;
  result.bits = static_cast<uint8_t>(rounded | ((bits >> 24) & 0x80u));
}
CEPH_INLINE void from_float(float x, Float8E4M3FN& result) {
  uint32_t bits = bit_cast<uint32_t>(x), magnitude = bits & 0x7fffffffu;
  uint32_t rounded = narrow<3, 7>(magnitude);
  rounded = rounded > 0x7eu ? 0x7eu : rounded;
  rounded = magnitude > 0x7f800000u ? 0x7fu : rounded;
  result.bits = static_cast<uint8_t>(rounded | ((bits >> 24) & 0x80u));
}

template <class M>
CEPH_INLINE arithmetic_t<M> load(const M* from) {
  if constexpr (std::is_same_v<M, bool>) {
    // Memory that came from elsewhere may hold other bytes than 0 and 1.
    return *reinterpret_cast<const uint8_t*>(from) != 0;
  } else if constexpr (kIsComplex<arithmetic_t<M>>) {
    auto* parts = reinterpret_cast<const typename M::value_type*>(from);
    return {parts[0], parts[1]};
  } else if constexpr (std::is_arithmetic_v<M>) {
    return *from;
  } else {
    return to_float(*from);
  }
}
template <class M>
CEPH_INLINE void store(M* to, arithmetic_t<M> value) {
  if constexpr (kIsComplex<arithmetic_t<M>>) {
    auto* parts = reinterpret_cast<typename M::value_type*>(to);
    parts[0] = value.re;
    parts[1] = value.im;
  } else if constexpr (std::is_arithmetic_v<M>) {
    *to = value;
  } else {
    from_float(value, *to);
  }
}

// ---- Note [Casts] in kernels/copy.h
// ---------------------------------------------------------------

template <class To, class From>
CEPH_INLINE To truncate_to(From x) {
  // 2^(bits - 1): both ends of the range are exact in every floating type.
  constexpr From kEnd = static_cast<From>(uint64_t(1) << (sizeof(To) * 8 - 1));
  bool inside = x >= -kEnd && x < kEnd;
  To value = static_cast<To>(inside ? x : From(0));
  return inside ? value : static_cast<To>(uint64_t(1) << (sizeof(To) * 8 - 1));
}
template <class From>
CEPH_INLINE uint64_t truncate_to_uint64(From x) {
  bool large = x >= From(0x1p63);
  From rest = large ? x - From(0x1p63) : x;
  uint64_t value = static_cast<uint64_t>(truncate_to<int64_t>(rest));
  return large ? value ^ (uint64_t(1) << 63) : value;
}

// Between arithmetic types.
template <class To, class From>
CEPH_INLINE To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>)
      return To(convert<decltype(To::re)>(x.re), convert<decltype(To::re)>(x.im));
    else if constexpr (std::is_same_v<To, bool>)
      return (x.re != 0) | (x.im != 0);
    else
      return convert<To>(x.re);
  } else if constexpr (kIsComplex<To>) {
    return To(convert<decltype(To::re)>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, uint64_t>)
      return truncate_to_uint64(x);
    else if constexpr (sizeof(To) == 8 || std::is_same_v<To, uint32_t>)
      return static_cast<To>(truncate_to<int64_t>(x));
    else
      return static_cast<To>(truncate_to<int32_t>(x));
  } else {
    return static_cast<To>(x);
  }
}

// The float nearest to x towards zero, its last bit set if anything was cut off: rounding that once
// more to a small format gives what rounding x once would.
CEPH_INLINE float round_to_odd(double x) {
  float near = static_cast<float>(x);
  uint32_t bits = bit_cast<uint32_t>(near);
  uint64_t size = bit_cast<uint64_t>(x) & ~(uint64_t(1) << 63);
  uint64_t near_size = bit_cast<uint64_t>(double(near)) & ~(uint64_t(1) << 63);
  bool nan = size > 0x7ff0000000000000u;
  bits -= !nan && near_size > size ? 1u : 0u;
  bits |= !nan && near_size != size ? 1u : 0u;
  return bit_cast<float>(bits);
}
// The bits of a 64-bit integer that double doesn't hold are folded into the last that it does.
template <class From>
  requires std::is_integral_v<From>
CEPH_INLINE float round_to_odd(From x) {
  bool negative = x < From(0);
  uint64_t size = negative ? uint64_t(0) - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  uint64_t folded = (size & ~uint64_t(0x7ff)) | ((size & 0x7ff) != 0 ? 0x800u : 0u);
  double exact = static_cast<double>(size >> 53 ? folded : size);
  return round_to_odd(negative ? -exact : exact);
}

// Whether a value of From has bits that float doesn't hold.
template <class From>
inline constexpr bool kExceedsFloat =
    std::is_same_v<From, double> || (std::is_integral_v<From> && sizeof(From) > 2);

// Any arithmetic type into memory, rounded once.
template <class M, class From>
CEPH_INLINE void store_converted(M* to, From value) {
  constexpr bool kSmallFloat = std::is_class_v<M> && !kIsComplex<arithmetic_t<M>>;
  if constexpr (kSmallFloat && kIsComplex<From>)
    store_converted(to, value.re);
  else if constexpr (kSmallFloat && kExceedsFloat<From>)
    store(to, round_to_odd(value));
  else
    store(to, convert<arithmetic_t<M>>(value));
}
