#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/array_ref.h"
#include "base/export.h"

namespace ceph {

// What went wrong, by the Python class that the binding raises for it (one table:
// python/errors.cpp).
enum class ErrorKind {
  kRuntime,         // RuntimeError
  kType,            // TypeError
  kValue,           // ValueError
  kIndex,           // IndexError
  kNotImplemented,  // NotImplementedError
  kOverflow,        // OverflowError
  kOutOfMemory,     // OutOfMemoryError
  kPython,          // the exception that is already set in the interpreter
  kInternal,        // RuntimeError, a defect of ours
};

class CEPH_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

namespace detail {

CEPH_API void print_value(std::ostream& out, IntArrayRef sizes);  // [2, 3]
inline void print_value(std::ostream& out, bool value) { out << (value ? "True" : "False"); }
template <class T>
void print_value(std::ostream& out, const T& value) {
  if constexpr (std::is_class_v<T> && std::is_convertible_v<const T&, IntArrayRef>) {
    print_value(out, static_cast<IntArrayRef>(value));
  } else {
    out << value;
  }
}

template <class... A>
std::string concat(const A&... args) {
  std::ostringstream out;
  (print_value(out, args), ...);
  return out.str();
}

[[noreturn]] CEPH_API void throw_error(ErrorKind kind, std::string_view op, std::string text);
[[noreturn]] CEPH_API void throw_internal(const char* file, int line, const char* condition);

}  // namespace detail

// The one way to refuse: `fail(ErrorKind::kIndex, "select", "index ", i, " is out of range ...")`
// gives "select: index 5 is out of range ...". Say what was expected, what came, and what to do.
template <class... A>
[[noreturn, gnu::cold, gnu::noinline]] void fail(ErrorKind kind, std::string_view op,
                                                 const A&... args) {
  detail::throw_error(kind, op, detail::concat(args...));
}

}  // namespace ceph

// Arguments after `op` are evaluated only when the condition fails.
#define CEPH_CHECK(condition, kind, op, ...)                                                       \
  do {                                                                                             \
    if (!(condition)) [[unlikely]]                                                                 \
      ::ceph::fail(kind, op, __VA_ARGS__);                                                         \
  } while (false)

// A condition that only a defect of ours can break.
#define CEPH_INTERNAL(condition)                                                                   \
  do {                                                                                             \
    if (!(condition)) [[unlikely]]                                                                 \
      ::ceph::detail::throw_internal(__FILE__, __LINE__, #condition);                              \
  } while (false)
