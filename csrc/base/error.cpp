#include "base/error.h"

#include "base/op_scope.h"

namespace ceph::detail {

constinit thread_local const char* speaking_op __attribute__((tls_model("initial-exec"))) = nullptr;

void print_value(std::ostream& out, IntArrayRef sizes) {
  out << '[';
  for (size_t i = 0; i < sizes.size(); ++i) out << (i ? ", " : "") << sizes[i];
  out << ']';
}

void throw_error(ErrorKind kind, std::string_view op, std::string text) {
  if (op.empty()) throw Error(kind, std::move(text));
  throw Error(kind, std::string(speaking_op ? speaking_op : op) + ": " + text);
}

void throw_internal(const char* file, int line, const char* condition) {
  throw Error(ErrorKind::kInternal, std::string("internal error, please report it: ") + condition +
                                        " is false at " + file + ":" + std::to_string(line));
}

}  // namespace ceph::detail
