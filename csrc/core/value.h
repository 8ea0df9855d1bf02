#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "core/generator.h"
#include "core/tensor.h"

namespace ceph {

// A boxed argument or result, for fallbacks, Python kernels and tools; the usual path never makes
// one. monostate is None: an absent optional or an undefined tensor.
using Value = std::variant<std::monostate, Tensor, std::vector<Tensor>, Scalar, std::vector<Scalar>,
                           int64_t, double, bool, std::vector<int64_t>, std::string, DType, Device,
                           Layout, MemoryFormat, Generator>;
using Stack = std::vector<Value>;

namespace detail {

// wrap: C++ argument -> Value. unwrap: Value -> C++ argument; views (ArrayRef, string_view, const&)
// point into the Value, which must outlive the call.
template <class T>
struct Boxed {
  static Value wrap(const T& v) { return Value(v); }
  static const T& unwrap(const Value& v) { return std::get<T>(v); }
};
template <>
struct Boxed<Tensor> {
  static Value wrap(const Tensor& t) { return t.defined() ? Value(t) : Value(); }
  static Tensor unwrap(const Value& v) {
    return std::holds_alternative<std::monostate>(v) ? Tensor() : std::get<Tensor>(v);
  }
};
template <>
struct Boxed<Generator> {
  static Value wrap(const Generator& g) { return g ? Value(g) : Value(); }
  static Generator unwrap(const Value& v) {
    return std::holds_alternative<std::monostate>(v) ? Generator() : std::get<Generator>(v);
  }
};
template <>
struct Boxed<Scalar> {
  static Value wrap(const Scalar& s) { return Value(s); }
  static Scalar unwrap(const Value& v) {
    if (auto* i = std::get_if<int64_t>(&v)) return Scalar(*i);
    if (auto* d = std::get_if<double>(&v)) return Scalar(*d);
    if (auto* b = std::get_if<bool>(&v)) return Scalar(*b);
    return std::get<Scalar>(v);
  }
};
template <>
struct Boxed<double> {
  static Value wrap(double d) { return Value(d); }
  static double unwrap(const Value& v) {
    if (auto* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
    return std::get<double>(v);
  }
};
template <class T>
struct Boxed<ArrayRef<T>> {
  static Value wrap(ArrayRef<T> a) { return Value(std::vector<T>(a.begin(), a.end())); }
  static ArrayRef<T> unwrap(const Value& v) { return std::get<std::vector<T>>(v); }
};
template <>
struct Boxed<std::string_view> {
  static Value wrap(std::string_view s) { return Value(std::string(s)); }
  static std::string_view unwrap(const Value& v) { return std::get<std::string>(v); }
};
template <class T>
struct Boxed<std::optional<T>> {
  static Value wrap(const std::optional<T>& o) { return o ? Boxed<T>::wrap(*o) : Value(); }
  static std::optional<T> unwrap(const Value& v) {
    if (std::holds_alternative<std::monostate>(v)) return std::nullopt;
    return std::optional<T>(Boxed<T>::unwrap(v));
  }
};

template <class R>
struct BoxedResult {
  static void push(Stack& stack, R result) { stack.push_back(Boxed<R>::wrap(result)); }
  static R pop(const Stack& stack) {
    CEPH_INTERNAL(stack.size() == 1);
    return Boxed<R>::unwrap(stack[0]);
  }
};
template <>
struct BoxedResult<void> {
  static void pop(const Stack&) {}
};
template <class... R>
struct BoxedResult<std::tuple<R...>> {
  static void push(Stack& stack, std::tuple<R...> results) {
    std::apply([&](auto&... r) { (stack.push_back(Boxed<R>::wrap(r)), ...); }, results);
  }
  static std::tuple<R...> pop(const Stack& stack) {
    CEPH_INTERNAL(stack.size() == sizeof...(R));
    return pop_all(stack, std::index_sequence_for<R...>());
  }

 private:
  template <size_t... I>
  static std::tuple<R...> pop_all(const Stack& stack, std::index_sequence<I...>) {
    return {Boxed<R>::unwrap(stack[I])...};
  }
};

}  // namespace detail
}  // namespace ceph
