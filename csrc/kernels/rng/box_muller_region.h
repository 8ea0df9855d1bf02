// Included once per instruction set, between <isa>/begin.h and end.h.
//
// Note [Normal draws]
// From 16 uniform draws come 16 normal ones: elements j and j + 8 are the pair of the Box-Muller
// transform (1958). Logarithm, sine and cosine are single-precision ones of at most 2 ulp with
// Moshier's minimax polynomials (Cephes), evaluated with fused multiply-adds. That is what
// PyTorch's vectorised draws come to: of a million values all lie within 2 ulp, 99.9 % are equal.
// Where the processor has no fused multiply-add the library's exact one is called, so that
// every instruction set gives the same bits.

CEPH_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

// log(x) for x in [2^-24, 1].
CEPH_INLINE float log_unit(float x) {
  int32_t bits = __builtin_bit_cast(int32_t, x);
  int32_t exponent = (bits >> 23) - 126;
  float m = __builtin_bit_cast(float, (bits & 0x007fffff) | 0x3f000000);  // in [0.5, 1)
  bool low = m < 0.707106781186547524f;
  float e = static_cast<float>(low ? exponent - 1 : exponent);
  m = m - 1.0f + (low ? m : 0.0f);
  float z = m * m;
  float y = 7.0376836292e-2f;
  y = fused(y, m, -1.1514610310e-1f);
  y = fused(y, m, 1.1676998740e-1f);
  y = fused(y, m, -1.2420140846e-1f);
  y = fused(y, m, 1.4249322787e-1f);
  y = fused(y, m, -1.6668057665e-1f);
  y = fused(y, m, 2.0000714765e-1f);
  y = fused(y, m, -2.4999993993e-1f);
  y = fused(y, m, 3.3333331174e-1f);
  y = y * m * z;
  y = fused(e, -2.12194440e-4f, y);
  y = fused(z, -0.5f, y);
  return fused(e, 0.693359375f, m + y);
}

// cos(x) and sin(x) for x in [0, 2 pi].
CEPH_INLINE void cos_sin(float x, float* cosine, float* sine) {
  int32_t octant = (static_cast<int32_t>(x * 1.27323954473516f) + 1) & ~1;
  float y = static_cast<float>(octant);
  x = fused(y, -0.78515625f, x);
  x = fused(y, -2.4187564849853515625e-4f, x);
  x = fused(y, -3.77489497744594108e-8f, x);
  float z = x * x;
  float c = fused(2.443315711809948e-5f, z, -1.388731625493765e-3f);
  c = fused(c, z, 4.166664568298827e-2f) * z * z;
  c = fused(z, -0.5f, c) + 1.0f;
  float s = fused(-1.9515295891e-4f, z, 8.3321608736e-3f);
  s = fused(s, z, -1.6666654611e-1f) * z;
  s = fused(s, x, x);
  bool swapped = octant & 2;
  float plain_sine = swapped ? c : s, plain_cosine = swapped ? s : c;
  *sine = octant & 4 ? -plain_sine : plain_sine;
  *cosine = (octant + 2) & 4 ? -plain_cosine : plain_cosine;
}

// One block, in place.
CEPH_INLINE void normal_block(float* block, float mean, float std) {
  float first[8], second[8];
#pragma GCC ivdep
  for (int j = 0; j < 8; ++j) {
    float radius = __builtin_sqrtf(-2.0f * log_unit(1.0f - block[j]));
    float cosine, sine;
    cos_sin(6.283185307179586f * block[j + 8], &cosine, &sine);
    first[j] = fused(radius * cosine, std, mean);
    second[j] = fused(radius * sine, std, mean);
  }
  for (int j = 0; j < 8; ++j) block[j] = first[j];
  for (int j = 0; j < 8; ++j) block[j + 8] = second[j];
}

void normal_blocks(float* data, int64_t blocks, float mean, float std) {
  for (int64_t b = 0; b < blocks; ++b) normal_block(data + 16 * b, mean, std);
}
