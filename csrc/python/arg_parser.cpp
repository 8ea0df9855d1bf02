#include "python/arg_parser.h"

#include <cstring>

#include "python/arg_convert.h"
#include "python/arg_kinds.h"
#include "python/device.h"
#include "python/dtype.h"
#include "python/generator.h"

namespace ceph::python {

namespace {

struct Call {
  PyObject* self;
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;
};

const char* numpy_spelling(const char* name) {
  if (!std::strcmp(name, "dim")) return "axis";
  if (!std::strcmp(name, "keepdim")) return "keepdims";
  return nullptr;
}

// Index of the parameter that a keyword names, -1 if none.
int find_keyword(const Signature& s, int first, int count, PyObject* key) {
  for (int i = first; i < count; ++i) {
    if (s.params[i].key == key) return i;
  }
  for (int i = first; i < count; ++i) {
    const Param& p = s.params[i];
    if (p.numpy_key == key || PyUnicode_Compare(p.key, key) == 0) return i;
    if (p.numpy_key && PyUnicode_Compare(p.numpy_key, key) == 0) return i;
  }
  return -1;
}

// Binds one call to one signature. `why` gets the first reason against it, when asked for.
class Binder {
 public:
  Binder(const Function& function, const Signature& signature, const Call& call, bool exact,
         Parsed& out, std::string* why)
      : function_(function), signature_(signature), call_(call), exact_(exact), out_(out),
        why_(why), first_(function.method ? 1 : 0),
        count_(signature.count - (function.method && signature.has_out ? 1 : 0)) {}

  bool bind() { return bind_positional() && bind_keywords() && check_kinds(); }

 private:
  bool refuse(std::string reason) {
    if (why_) *why_ = std::move(reason);
    return false;
  }

  bool spreads() const {
    return signature_.varargs && call_.nargs > 0 && count_ > first_ &&
           signature_.params[first_].kind == ParamKind::IntList && accepts_list_int(call_.args[0]);
  }

  bool bind_spread() {
    for (Py_ssize_t i = 0; i < call_.nargs; ++i) {
      if (accepts_list_int(call_.args[i])) continue;
      if (!why_) return false;
      return refuse(
          ceph::detail::concat("argument '", signature_.params[first_].name, "' takes ints, not ",
                               short_type_name(Py_TYPE(call_.args[i])), " at position ", i + 1));
    }
    out_.spread = call_.args;
    out_.spread_count = call_.nargs;
    out_.spread_slot = first_;
    out_.slots[first_] = call_.args[0];
    clear_from(first_ + 1);
    return true;
  }

  void clear_from(int index) {
    for (int i = index; i < signature_.count; ++i) out_.slots[i] = nullptr;
  }

  bool bind_positional() {
    out_.spread_count = 0;
    out_.spread_slot = -1;
    if (first_) out_.slots[0] = call_.self;
    if (spreads()) return bind_spread();
    int room = signature_.positional - first_;
    if (call_.nargs > room) {
      if (!why_) return false;
      return refuse(ceph::detail::concat("takes at most ", room, " positional argument",
                                         room == 1 ? "" : "s", ", not ", call_.nargs));
    }
    for (Py_ssize_t i = 0; i < call_.nargs; ++i) out_.slots[first_ + i] = call_.args[i];
    clear_from(first_ + static_cast<int>(call_.nargs));
    return true;
  }

  bool bind_keywords() {
    if (!call_.kwnames) return true;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(call_.kwnames); ++k) {
      PyObject* key = PyTuple_GET_ITEM(call_.kwnames, k);
      int i = find_keyword(signature_, first_, count_, key);
      if (i < 0) {
        if (!why_) return false;
        return refuse(ceph::detail::concat("has no argument '", text_of(key), "'"));
      }
      if (out_.slots[i]) {
        if (!why_) return false;
        return refuse(
            ceph::detail::concat("argument '", signature_.params[i].name, "' came twice"));
      }
      out_.slots[i] = call_.args[call_.nargs + k];
    }
    return true;
  }

  bool check_kinds() {
    bool tensors = false, numbers = false;
    for (int i = first_; i < count_; ++i) {
      const Param& p = signature_.params[i];
      PyObject* value = out_.slots[i];
      if (!value) {
        if (p.flags & kDefault) continue;
        if (!why_) return false;
        return refuse(ceph::detail::concat("argument '", p.name, "' is missing"));
      }
      if (i == out_.spread_slot) continue;
      if (!accepts(p, value, exact_, out_.overridden)) {
        if (!why_) return false;
        return refuse(wrong_kind(function_, p, i, value));
      }
      bool tensor = is_tensor(value);
      tensors |= tensor;
      numbers |= p.kind == ParamKind::TensorOrNumber && !tensor;
    }
    if (!numbers || tensors || first_ || out_.overridden) return true;
    return refuse("needs at least one Tensor among its operands");
  }

  const Function& function_;
  const Signature& signature_;
  const Call& call_;
  bool exact_;
  Parsed& out_;
  std::string* why_;
  int first_;
  int count_;
};

bool bind_first(const Function& function, const Call& call, bool exact, Parsed& out) {
  for (int s = 0; s < function.count; ++s) {
    out.overridden = function_state.mode_active;
    if (Binder(function, *function.signatures[s], call, exact, out, nullptr).bind()) {
      out.signature = s;
      return true;
    }
  }
  return false;
}

[[noreturn, gnu::cold]] void refuse(const Function& function, const Call& call, Parsed& out) {
  std::vector<std::string> reasons(function.count);
  for (int s = 0; s < function.count; ++s) {
    Binder(function, *function.signatures[s], call, false, out, &reasons[s]).bind();
  }
  refuse_call(function, call.args, call.nargs, call.kwnames, reasons);
}

}  // namespace

void parse(const Function& function, PyObject* self, PyObject* const* args, Py_ssize_t nargsf,
           PyObject* kwnames, Parsed& out) {
  Call call{self, args, PyVectorcall_NARGS(nargsf), kwnames};
  out.name = function.name;
  if (function.count > 1 && bind_first(function, call, true, out)) {
    // the overload that fits exactly
  } else if (!bind_first(function, call, false, out)) {
    refuse(function, call, out);
  }
  if (function.method && !is_exact_tensor(self)) out.overridden |= has_override(self);
}

void prepare(const Function& function) {
  for (int s = 0; s < function.count; ++s) {
    Signature& signature = *function.signatures[s];
    for (int i = 0; i < signature.count; ++i) {
      Param& p = signature.params[i];
      if (p.key) continue;
      p.key = checked(PyUnicode_InternFromString(p.name));
      const char* spelling = numpy_spelling(p.name);
      if (spelling) p.numpy_key = checked(PyUnicode_InternFromString(spelling));
    }
  }
}

}  // namespace ceph::python
