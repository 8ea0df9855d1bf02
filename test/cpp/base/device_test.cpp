#include "base/device.h"

#include "base/error.h"
#include "testing.h"

using namespace ceph;

TEST(parsing) {
  EXPECT(parse_device("cpu") == Device(DeviceKind::CPU));
  EXPECT(parse_device("cuda:1") == Device(DeviceKind::CUDA, 1));
  EXPECT(parse_device("cuda:127") == Device(DeviceKind::CUDA, 127));
  EXPECT(parse_device("meta") == Device(DeviceKind::Meta));
}

TEST(refusals) {
  for (const char* text : {"cpu:-1", "cuda:1x", "cuda:", "cuda:01", "cuda:200", "cpu:9999999999"}) {
    EXPECT_THROWS(parse_device(text), Error, std::string("got '") + text);
  }
  EXPECT_THROWS(parse_device(""), Error, "must not be empty");
  EXPECT_THROWS(parse_device("tpu:0"), Error, "expected one of cpu, cuda, meta");
}

TEST(printing_round_trips) {
  for (const char* text : {"cpu", "cpu:0", "cuda:3", "meta"}) {
    EXPECT_EQ(to_string(parse_device(text)), std::string(text));
  }
}
