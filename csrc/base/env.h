#pragma once

#include <cstdint>
#include <string>

#include "base/array_ref.h"
#include "base/export.h"

namespace ceph::env {

enum class Type : uint8_t { Int, Bool, Str };

// Every environment variable that libcepheid reads is one row; nothing else calls getenv.
#define CEPH_FORALL_ENV(_)                                                                         \
  _(NumThreads, "CEPHEID_NUM_THREADS", Int, "0",                                                   \
    "threads of the CPU pool; 0: OMP_NUM_THREADS, else the processors this process may use")       \
  _(OmpNumThreads, "OMP_NUM_THREADS", Str, "",                                                     \
    "threads of the CPU pool where CEPHEID_NUM_THREADS is not set; the first number of a list")    \
  _(Isa, "CEPHEID_ISA", Str, "",                                                                   \
    "instruction set of the CPU kernels: scalar, avx2 or avx512; empty: the best there is")        \
  _(CpuCacheMib, "CEPHEID_CPU_CACHE_MIB", Int, "-1",                                               \
    "MiB of freed large CPU blocks to keep for reuse; -1: an eighth of the memory")                \
  _(HugePages, "CEPHEID_HUGE_PAGES", Bool, "1", "ask for huge pages for CPU blocks above 1 MiB")   \
  _(PoisonNewMemory, "CEPHEID_POISON_NEW_MEMORY", Bool, "0",                                       \
    "fill new CPU memory with 0xFF bytes, so that reads before writes show")

enum class Var : uint8_t {
#define CEPH_ENUMERATOR(id, name, type, default_text, help) id,
  CEPH_FORALL_ENV(CEPH_ENUMERATOR)
#undef CEPH_ENUMERATOR
};

struct Row {
  const char* name;
  Type type;
  const char* default_text;
  const char* help;
};

CEPH_API ArrayRef<Row> rows();

// The variable's value, read now, or its default where it is unset or empty. ValueError when the
// text isn't of the row's type; a bool is 0, 1, true, false, on, off, yes or no.
CEPH_API int64_t get_int(Var var);
CEPH_API bool get_bool(Var var);
CEPH_API std::string get_str(Var var);

}  // namespace ceph::env
