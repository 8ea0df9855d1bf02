// Blocks of float16 as float and back. The instructions for it are not found by the vectoriser, and
// the integer arithmetic of generic/convert.h costs several times as much. A rest that doesn't fill
// a vector goes through one too, so that an element's bits don't depend on its place.

#if defined(__x86_64__) && CEPH_REGION_BYTES > 16
// Eight at a time for AVX-512 too: the wider instructions gain little and cost compiler warnings.
inline constexpr int64_t kHalfVector = 8;

CEPH_INLINE void widen_vector(const Half* from, float* to) {
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
CEPH_INLINE void narrow_vector(const float* from, Half* to) {
  constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from), kNearest);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
}

static void widen_block(const Half* from, float* to, int64_t count) {
  int64_t i = 0;
  for (; i + kHalfVector <= count; i += kHalfVector) widen_vector(from + i, to + i);
  if (i == count) return;
  Half rest[kHalfVector] = {};
  float wide[kHalfVector];
  __builtin_memcpy(rest, from + i, static_cast<size_t>(count - i) * sizeof(Half));
  widen_vector(rest, wide);
  __builtin_memcpy(to + i, wide, static_cast<size_t>(count - i) * sizeof(float));
}
static void narrow_block(const float* from, Half* to, int64_t count) {
  int64_t i = 0;
  for (; i + kHalfVector <= count; i += kHalfVector) narrow_vector(from + i, to + i);
  if (i == count) return;
  float rest[kHalfVector] = {};
  Half narrow[kHalfVector];
  __builtin_memcpy(rest, from + i, static_cast<size_t>(count - i) * sizeof(float));
  narrow_vector(rest, narrow);
  __builtin_memcpy(to + i, narrow, static_cast<size_t>(count - i) * sizeof(Half));
}
#else
static void widen_block(const Half* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = load(from + i);
}
static void narrow_block(const float* from, Half* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) store(to + i, from[i]);
}
#endif
