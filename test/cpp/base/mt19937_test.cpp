#include "base/mt19937.h"

#include <random>
#include <vector>

#include "base/error.h"
#include "testing.h"

using namespace ceph;

TEST(published_word) {
  Mt19937 engine;  // seed 5489: the 10000th word is in the C++ standard
  uint32_t word = 0;
  for (int i = 0; i < 10000; ++i) word = engine.next();
  EXPECT_EQ(word, 4123659995u);
}

TEST(same_words_as_the_standard_library) {
  for (uint64_t seed : {0ull, 1ull, 42ull, 67280421310721ull}) {
    Mt19937 engine(seed);
    std::mt19937 reference(static_cast<uint32_t>(seed));
    for (int i = 0; i < 5000; ++i) {
      const uint32_t got = engine.next(), expected = static_cast<uint32_t>(reference());
      if (got != expected) EXPECT_EQ(got, expected);
    }
  }
}

TEST(bulk_draws_are_single_draws) {
  Mt19937 one(7), bulk(7);
  for (int64_t count : {1, 3, 620, 624, 1, 1250, 0, 5}) {
    std::vector<uint32_t> words(static_cast<size_t>(count));
    bulk.fill(words.data(), count);
    for (uint32_t word : words) {
      const uint32_t expected = one.next();
      if (word != expected) EXPECT_EQ(word, expected);
    }
    EXPECT_EQ(bulk.left(), one.left());
    EXPECT_EQ(bulk.next_index(), one.next_index());
  }
}

TEST(sixty_four_bits_are_two_words_high_first) {
  Mt19937 a(3), b(3);
  const uint64_t high = b.next(), low = b.next();
  EXPECT_EQ(a.next64(), high << 32 | low);
}

TEST(restore) {
  Mt19937 a(11);
  for (int i = 0; i < 1000; ++i) a.next();
  Mt19937 b;
  b.restore(a.seed(), a.left(), true, a.next_index(), a.words());
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(b.next(), a.next());
  EXPECT_THROWS(b.restore(1, 0, true, 0, a.words()), Error, "not a state");
  EXPECT_THROWS(b.restore(1, 625, true, 0, a.words()), Error, "not a state");
  EXPECT_THROWS(b.restore(1, 5, true, 700, a.words()), Error, "not a state");
}
