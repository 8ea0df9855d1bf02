#include "base/env.h"

#include <cstdlib>
#include <set>

#include "base/error.h"
#include "testing.h"

using namespace ceph;

TEST(rows_are_documented_and_unique) {
  std::set<std::string> names;
  for (const env::Row& row : env::rows()) {
    EXPECT(names.insert(row.name).second);
    EXPECT(std::string(row.help).size() > 10);
  }
  EXPECT(names.count("CEPHEID_ISA") == 1);
}

TEST(values_and_defaults) {
  unsetenv("CEPHEID_HUGE_PAGES");
  EXPECT(env::get_bool(env::Var::HugePages));
  setenv("CEPHEID_HUGE_PAGES", "off", 1);
  EXPECT(!env::get_bool(env::Var::HugePages));
  setenv("CEPHEID_HUGE_PAGES", "perhaps", 1);
  EXPECT_THROWS(env::get_bool(env::Var::HugePages), Error, "CEPHEID_HUGE_PAGES: expected 0, 1");
  unsetenv("CEPHEID_HUGE_PAGES");
  setenv("CEPHEID_CPU_CACHE_MIB", "12x", 1);
  EXPECT_THROWS(env::get_int(env::Var::CpuCacheMib), Error, "got '12x'");
  setenv("CEPHEID_CPU_CACHE_MIB", "", 1);
  EXPECT_EQ(env::get_int(env::Var::CpuCacheMib), int64_t(-1));
  unsetenv("CEPHEID_CPU_CACHE_MIB");
}
