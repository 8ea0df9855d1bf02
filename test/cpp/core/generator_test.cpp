#include "core/generator.h"

#include <cstring>

#include "base/error.h"
#include "testing.h"

using namespace ceph;

namespace {

template <class T>
T at(const std::vector<uint8_t>& state, size_t offset) {
  T out;
  std::memcpy(&out, state.data() + offset, sizeof out);
  return out;
}

}  // namespace

// Offsets and values as the peer's get_state gives them for manual_seed(42).
TEST(state_layout) {
  GeneratorImpl& g = *make_intrusive<GeneratorImpl>(DeviceKind::CPU).detach();
  g.manual_seed(42);
  std::vector<uint8_t> state = g.get_state();
  EXPECT_EQ(state.size(), size_t(5056));
  EXPECT_EQ(at<uint64_t>(state, 0), uint64_t(42));
  EXPECT_EQ(at<int32_t>(state, 8), 1);
  EXPECT_EQ(at<int32_t>(state, 12), 1);
  EXPECT_EQ(at<uint64_t>(state, 16), uint64_t(0));
  EXPECT_EQ(at<uint64_t>(state, 24), uint64_t(42));
  EXPECT_EQ(at<uint64_t>(state, 32), uint64_t(3107752595));
  for (int i = 0; i < 3; ++i) g.engine().next();
  g.next_double_normal = -1.5;
  state = g.get_state();
  EXPECT_EQ(at<int32_t>(state, 8), 622);
  EXPECT_EQ(at<uint64_t>(state, 16), uint64_t(3));
  EXPECT_EQ(at<uint64_t>(state, 24), uint64_t(723970371));
  EXPECT_EQ(at<double>(state, 24 + 624 * 8 + 8), -1.5);
  EXPECT_EQ(at<int32_t>(state, 24 + 624 * 8 + 24), 1);
  g.release();
}

TEST(a_restored_state_continues) {
  const Generator a = make_intrusive<GeneratorImpl>(DeviceKind::CPU, 5);
  for (int i = 0; i < 700; ++i) a->engine().next();
  a->next_float_normal = 0.25f;
  const std::vector<uint8_t> state = a->get_state();
  const Generator b = make_intrusive<GeneratorImpl>(DeviceKind::CPU);
  b->set_state(state.data(), state.size());
  EXPECT(b->next_float_normal == 0.25f && !b->next_double_normal);
  EXPECT_EQ(b->initial_seed(), uint64_t(5));
  const Generator c = a->clone();
  EXPECT(c->get_state() == state);
  for (int i = 0; i < 1000; ++i) {
    const uint32_t word = a->engine().next();
    EXPECT_EQ(b->engine().next(), word);
    EXPECT_EQ(c->engine().next(), word);
  }
  EXPECT(b->get_state() == a->get_state());
}

TEST(bad_states_are_refused_and_change_nothing) {
  const Generator g = make_intrusive<GeneratorImpl>(DeviceKind::CPU, 5);
  const std::vector<uint8_t> before = g->get_state();
  std::vector<uint8_t> bad(5056, 0);
  EXPECT_THROWS(g->set_state(bad.data(), bad.size()), Error, "not a state of the generator");
  EXPECT_THROWS(g->set_state(bad.data(), 50), Error, "expected a state of 5056 bytes; got 50");
  EXPECT(g->get_state() == before);
}

TEST(seeding_forgets_spares) {
  const Generator g = make_intrusive<GeneratorImpl>(DeviceKind::CPU);
  EXPECT_EQ(g->initial_seed(), uint64_t(67280421310721));
  g->next_double_normal = 1.0;
  g->manual_seed(1);
  EXPECT(!g->next_double_normal);
  const uint64_t first = g->seed();
  EXPECT_EQ(g->initial_seed(), first);
  EXPECT(g->seed() != first);
}

TEST(default_generator_stands_in) {
  EXPECT(cpu_generator(Generator(), "rand") == default_generator());
  const Generator meta = make_intrusive<GeneratorImpl>(DeviceKind::Meta);
  EXPECT_THROWS(cpu_generator(meta, "rand"), Error,
                "rand: expected a generator of the cpu; got one of meta");
}
