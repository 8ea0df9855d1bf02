#pragma once
// A small test header: TEST(name) { ... } registers a test, EXPECT* record failures and go on.
// Every binary takes an optional substring of the names to run and prints `N passed, N failed`.

#include <functional>
#include <sstream>
#include <string>
#include <utility>

namespace ceph::testing {

// Registers a test at load; the return value only gives the macro something to initialise.
bool add_test(const char* name, const char* file, std::function<void()> body);

// Records a failure of the running test.
void fail(const char* file, int line, const std::string& message);

template <class T>
std::string show(const T& value) {
  if constexpr (requires(std::ostream& out) { out << value; }) {
    std::ostringstream out;
    out << std::boolalpha << value;
    return out.str();
  } else {
    return "<a value without operator<<>";
  }
}

template <class A, class B>
void expect_equal(const A& got, const B& expected, const char* text, const char* file, int line) {
  if (!(got == expected))
    fail(file, line, std::string(text) + ": expected " + show(expected) + ", got " + show(got));
}

// Expects `body` to throw E with a message that contains `part`.
template <class E, class F>
void expect_throws(F&& body, const std::string& part, const char* text, const char* file,
                   int line) {
  try {
    std::forward<F>(body)();
  } catch (const E& error) {
    if (std::string(error.what()).find(part) == std::string::npos)
      fail(file, line,
           std::string(text) + ": the message is \"" + error.what() +
               "\", expected it to contain \"" + part + "\"");
    return;
  }
  fail(file, line, std::string(text) + ": nothing was thrown");
}

}  // namespace ceph::testing

#define TEST(name)                                                                                 \
  static void test_##name();                                                                       \
  [[maybe_unused]] static const bool registered_##name =                                           \
      ::ceph::testing::add_test(#name, __FILE__, test_##name);                                     \
  static void test_##name()

#define EXPECT(...)                                                                                \
  do {                                                                                             \
    if (!(__VA_ARGS__)) ::ceph::testing::fail(__FILE__, __LINE__, #__VA_ARGS__ " is false");       \
  } while (false)

#define EXPECT_EQ(got, ...)                                                                        \
  ::ceph::testing::expect_equal((got), (__VA_ARGS__), #got, __FILE__, __LINE__)

// EXPECT_THROWS(expression, ErrorClass, "part of the message")
#define EXPECT_THROWS(expression, Error, part)                                                     \
  ::ceph::testing::expect_throws<Error>([&] { (void)(expression); }, part, #expression, __FILE__,  \
                                        __LINE__)
