#include "core/generator.h"

#include <sys/random.h>

#include <cstring>

#include "base/error.h"

namespace ceph {
namespace {

// Layout of a saved state: every field 8 bytes wide in the engine's words, then the spare normals.
struct SavedState {
  uint64_t seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  uint64_t words[Mt19937::kWords];
  double spare_x;    // unused, kept for the layout
  double spare;      // spare value of a pair of double normals
  double spare_rho;  // unused
  int32_t has_spare;
  int32_t padding;
  float float_spare;
  uint8_t has_float_spare;
  uint8_t tail[3];
};
static_assert(sizeof(SavedState) == 5056);

constexpr uint64_t kDefaultSeed = 67280421310721ull;

}  // namespace

GeneratorImpl::GeneratorImpl(Device device, uint64_t seed) : device_(device), engine_(seed) {}

void GeneratorImpl::manual_seed(uint64_t seed) {
  const std::lock_guard lock(mutex_);
  engine_ = Mt19937(seed);
  next_double_normal.reset();
  next_float_normal.reset();
}

uint64_t GeneratorImpl::seed() {
  uint64_t value = 0;
  CEPH_CHECK(getrandom(&value, sizeof value, 0) == sizeof value, ErrorKind::kRuntime, "seed",
             "the system gave no entropy");
  value &= (uint64_t(1) << 53) - 1;  // exact as a double, too
  manual_seed(value);
  return value;
}

std::vector<uint8_t> GeneratorImpl::get_state() const {
  const std::lock_guard lock(mutex_);
  SavedState state{};
  state.seed = engine_.seed();
  state.left = engine_.left();
  state.seeded = engine_.seeded();
  state.next = engine_.next_index();
  for (int i = 0; i < Mt19937::kWords; ++i)
    state.words[i] = engine_.words()[static_cast<size_t>(i)];
  state.spare = next_double_normal.value_or(0.0);
  state.has_spare = next_double_normal.has_value();
  state.float_spare = next_float_normal.value_or(0.0f);
  state.has_float_spare = next_float_normal.has_value();
  std::vector<uint8_t> out(sizeof state);
  std::memcpy(out.data(), &state, sizeof state);
  return out;
}

void GeneratorImpl::set_state(const uint8_t* data, size_t size) {
  CEPH_CHECK(size == sizeof(SavedState), ErrorKind::kRuntime, "set_state", "expected a state of ",
             sizeof(SavedState), " bytes; got ", size);
  SavedState state;
  std::memcpy(&state, data, sizeof state);
  std::array<uint32_t, Mt19937::kWords> words;
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(state.words[i]);
  CEPH_CHECK(state.next <= Mt19937::kWords, ErrorKind::kRuntime, "set_state",
             "this is not a state of the generator: next is ", state.next);
  const std::lock_guard lock(mutex_);
  engine_.restore(state.seed, state.left, state.seeded != 0, static_cast<uint32_t>(state.next),
                  words);
  next_double_normal = state.has_spare ? std::optional(state.spare) : std::nullopt;
  next_float_normal = state.has_float_spare ? std::optional(state.float_spare) : std::nullopt;
}

intrusive_ptr<GeneratorImpl> GeneratorImpl::clone() const {
  auto copy = make_intrusive<GeneratorImpl>(device_);
  const std::lock_guard lock(mutex_);
  copy->engine_ = engine_;
  copy->next_double_normal = next_double_normal;
  copy->next_float_normal = next_float_normal;
  return copy;
}

const Generator& default_generator() {
  static const Generator& generator =
      *new Generator(make_intrusive<GeneratorImpl>(DeviceKind::CPU, kDefaultSeed));
  return generator;
}

const Generator& cpu_generator(const Generator& given, const char* op) {
  if (!given) return default_generator();
  CEPH_CHECK(given->device().is_cpu(), ErrorKind::kRuntime, op,
             "expected a generator of the cpu; got one of ", given->device());
  return given;
}

}  // namespace ceph
