/* What this machine can do: memory bandwidth and multiply-add rate over all threads.
 * usage: limits THREADS -> one JSON line, in bytes/s and flop/s.
 * Every thread works on its own data; the best of several trials counts. Bandwidth is shared, so
 * it goes by wall time; arithmetic is not, so it goes by each thread's own processor time, which
 * other programs on the machine do not disturb. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

enum { TRIALS = 3, CHAINS = 12, STEPS = 2000000, BLOCK = 128 << 20 };

typedef float f32w __attribute__((vector_size(64))), f32n __attribute__((vector_size(32)));
typedef double f64w __attribute__((vector_size(64))), f64n __attribute__((vector_size(32)));
typedef uint64_t u64w __attribute__((vector_size(64)));
typedef double work_fn(void* a, void* b); /* does the work, returns its size */

static volatile double sink;       /* keeps results alive */
static volatile float seed = 0.5f; /* keeps the compiler from knowing the inputs */

static double copy(void* a, void* b) {
  memcpy(a, b, BLOCK);
  return 2.0 * BLOCK;
}

static double read_only(void* a, void* b) {
  u64w s[8] = {0}, *p = b;
  (void)a;
  for (size_t i = 0; i < BLOCK / sizeof *p; i += 8)
    for (int j = 0; j < 8; j++) s[j] += p[i + j];
  for (int j = 1; j < 8; j++) s[0] += s[j];
  sink = s[0][0];
  return BLOCK;
}

#define FMA(name, type, lanes)                                                                     \
  static double name(void* a, void* b) {                                                           \
    type acc[CHAINS], x, y;                                                                        \
    (void)a, (void)b;                                                                              \
    for (int i = 0; i < lanes; i++) x[i] = seed, y[i] = seed;                                      \
    for (int j = 0; j < CHAINS; j++) acc[j] = x * (float)seed;                                     \
    for (int i = 0; i < STEPS; i++)                                                                \
      for (int j = 0; j < CHAINS; j++) acc[j] = acc[j] * x + y;                                    \
    for (int j = 1; j < CHAINS; j++) acc[0] += acc[j];                                             \
    sink = acc[0][0];                                                                              \
    return 2.0 * lanes * CHAINS * STEPS;                                                           \
  }
#ifdef __AVX512F__
FMA(fp32, f32w, 16)
FMA(fp64, f64w, 8)
#else
FMA(fp32, f32n, 8)
FMA(fp64, f64n, 4)
#endif

#ifdef __AVX512BF16__
static double bf16(void* a, void* b) {
  __m512 acc[CHAINS];
  __m512bh x = _mm512_cvtne2ps_pbh(_mm512_set1_ps(seed), _mm512_set1_ps(seed));
  (void)a, (void)b;
  for (int j = 0; j < CHAINS; j++) acc[j] = _mm512_set1_ps(seed);
  for (int i = 0; i < STEPS; i++)
    for (int j = 0; j < CHAINS; j++) acc[j] = _mm512_dpbf16_ps(acc[j], x, x);
  for (int j = 1; j < CHAINS; j++) acc[0] += acc[j];
  sink = acc[0][0];
  return 2.0 * 32 * CHAINS * STEPS;
}
#else
#define bf16 fp32
#endif

static pthread_barrier_t gate;
struct job {
  work_fn* fn;
  void *a, *b;
  double size, begin, end, busy;
};

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void* thread(void* arg) {
  struct job* j = arg;
  pthread_barrier_wait(&gate);
  j->begin = now(CLOCK_MONOTONIC);
  j->busy = now(CLOCK_THREAD_CPUTIME_ID);
  j->size = j->fn(j->a, j->b);
  j->busy = now(CLOCK_THREAD_CPUTIME_ID) - j->busy;
  j->end = now(CLOCK_MONOTONIC);
  return NULL;
}

static double rate(work_fn* fn, struct job* jobs, int n, int shared) {
  double best = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    pthread_t ids[n];
    double size = 0, begin = 1e300, end = 0, separate = 0;
    for (int i = 0; i < n; i++) {
      jobs[i].fn = fn;
      pthread_create(&ids[i], NULL, thread, &jobs[i]);
    }
    for (int i = 0; i < n; i++) {
      pthread_join(ids[i], NULL);
      size += jobs[i].size;
      separate += jobs[i].size / jobs[i].busy;
      if (jobs[i].begin < begin) begin = jobs[i].begin;
      if (jobs[i].end > end) end = jobs[i].end;
    }
    double result = shared ? size / (end - begin) : separate;
    if (result > best) best = result;
  }
  return best;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  struct job jobs[n];
  pthread_barrier_init(&gate, NULL, n);
  for (int i = 0; i < n; i++) {
    jobs[i].a = aligned_alloc(4096, BLOCK);
    jobs[i].b = aligned_alloc(4096, BLOCK);
    memset(jobs[i].a, 1, BLOCK);
    memset(jobs[i].b, 2, BLOCK);
  }
  printf("{\"copy\": %.4g, \"read\": %.4g, \"fp32\": %.4g, \"fp64\": %.4g, \"bf16\": %.4g}\n",
         rate(copy, jobs, n, 1), rate(read_only, jobs, n, 1), rate(fp32, jobs, n, 0),
         rate(fp64, jobs, n, 0), rate(bf16, jobs, n, 0));
  return 0;
}
