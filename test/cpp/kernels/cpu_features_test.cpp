#include "kernels/cpu_features.h"

#include "base/error.h"
#include "isa.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::kernels;

TEST(the_fallback_is_always_supported) { EXPECT(isa_supported(Isa::kScalar)); }

TEST(a_set_isa_is_the_active_one) {
  int seen = 0;
  ceph::testing::for_each_isa([&] { seen += isa_supported(active_isa()); });
  EXPECT(seen >= 1);
}

TEST(an_unknown_isa_is_refused_with_the_list) {
  EXPECT_THROWS(set_active_isa("sse9"), Error, "expected one of scalar");
  EXPECT_THROWS(set_active_isa(""), Error, "got ''");
}
