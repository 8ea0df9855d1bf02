#include "testing.h"

#include <cstdio>
#include <exception>
#include <vector>

namespace ceph::testing {
namespace {

struct Test {
  std::string name;
  std::function<void()> body;
};

std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

const Test* running = nullptr;
int failures = 0;

std::string stem(const std::string& file) {
  const size_t slash = file.find_last_of('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return file.substr(begin, file.find('.', begin) - begin);
}

bool run_one(const Test& test) {
  running = &test;
  const int before = failures;
  try {
    test.body();
  } catch (const std::exception& error) {
    fail(test.name.c_str(), 0, std::string("unexpected exception: ") + error.what());
  }
  return failures == before;
}

}  // namespace

bool add_test(const char* name, const char* file, std::function<void()> body) {
  tests().push_back({stem(file) + "." + name, std::move(body)});
  return true;
}

void fail(const char* file, int line, const std::string& message) {
  ++failures;
  std::printf("FAILED %s\n  %s:%d: %s\n", running ? running->name.c_str() : "?", file, line,
              message.c_str());
}

}  // namespace ceph::testing

int main(int argc, char** argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  int passed = 0;
  int failed = 0;
  for (const auto& test : ceph::testing::tests()) {
    if (test.name.find(only) == std::string::npos) continue;
    ++(ceph::testing::run_one(test) ? passed : failed);
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0 || passed == 0;
}
