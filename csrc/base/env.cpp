#include "base/env.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

namespace ceph::env {
namespace {

constexpr Row kRows[] = {
#define CEPH_ROW(id, name, type, default_text, help) {name, Type::type, default_text, help},
    CEPH_FORALL_ENV(CEPH_ROW)
#undef CEPH_ROW
};

std::string text_of(Var var, Type type) {
  const Row& row = kRows[static_cast<size_t>(var)];
  CEPH_INTERNAL(row.type == type);
  const char* set = std::getenv(row.name);
  return set && *set ? set : row.default_text;
}

const char* name_of(Var var) { return kRows[static_cast<size_t>(var)].name; }

}  // namespace

ArrayRef<Row> rows() { return {kRows, std::size(kRows)}; }

int64_t get_int(Var var) {
  const std::string text = text_of(var, Type::Int);
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  CEPH_CHECK(error == std::errc() && at == end, ErrorKind::kValue, name_of(var),
             "expected an integer; got '", text, "'");
  return value;
}

bool get_bool(Var var) {
  const std::string text = text_of(var, Type::Bool);
  for (std::string_view yes : {"1", "true", "on", "yes"}) {
    if (text == yes) return true;
  }
  for (std::string_view no : {"0", "false", "off", "no"}) {
    if (text == no) return false;
  }
  fail(ErrorKind::kValue, name_of(var), "expected 0, 1, true, false, on, off, yes or no; got '",
       text, "'");
}

std::string get_str(Var var) { return text_of(var, Type::Str); }

}  // namespace ceph::env
