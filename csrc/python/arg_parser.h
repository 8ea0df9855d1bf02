#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/device.h"
#include "base/scalar.h"
#include "core/generator.h"
#include "python/tensor_type.h"

// Note [Argument parsing]
// Generated code holds a static table per op name: one Signature per overload, in the order of the
// yaml file. A call binds its arguments to the parameters of one signature after the other; the
// first that accepts all of them is taken. Where a name has several, a first round leaves
// conversions out (a tensor where a number is asked for), so that the overload that fits exactly
// wins. Binding copies pointers only; values are converted afterwards, by the accessors of Parsed,
// when it is known what to call. Nothing here allocates unless a call is refused.

namespace ceph::python {

enum class ParamKind : uint8_t {
  Tensor,
  TensorOrNumber,  // a Python number counts as a wrapped 0-dim tensor
  TensorList,
  OptionalTensorList,
  OutTuple,  // out= of an op with several results
  Scalar,
  ScalarList,
  Int,
  Float,
  Bool,
  IntList,
  Str,
  DType,
  Device,
  Layout,
  MemoryFormat,
  Generator,
};

inline constexpr uint8_t kOptional = 1;  // None is accepted
inline constexpr uint8_t kDefault = 2;   // may be left out
inline constexpr uint8_t kKeywordOnly = 4;
inline constexpr uint8_t kOneForAll = 8;  // int[N]: one int stands for all

struct Param {
  const char* name;
  ParamKind kind;
  uint8_t flags;
  const char* text;               // as the signature shows it: "bool keepdim=False"
  uint8_t length = 0;             // how many tensors an OutTuple has
  PyObject* key = nullptr;        // `name`, interned
  PyObject* numpy_key = nullptr;  // its NumPy spelling, if it has one
};

struct Signature {
  Param* params;
  uint8_t count;
  uint8_t positional;  // parameters that may be given by position, self included
  bool varargs;        // the first int list may be spread: view(2, 3)
  bool has_out;        // the last parameter is out=, which methods don't take
};

struct Function {
  const char* name;
  Signature* const* signatures;
  uint8_t count;
  bool method;                       // parameter 0 is bound already
  const char* module = "functions";  // the attribute of _C where Python finds a function
};

inline constexpr int kMaxParams = 16;
using IntVector = SmallVector<int64_t, 8>;

// One call, bound to a signature. The accessors convert; `i` is the parameter's index in its table.
class Parsed {
 public:
  int signature = -1;
  bool overridden = false;  // an operand or a mode wants the call
  const char* name = nullptr;
  PyObject* slots[kMaxParams];
  PyObject* const* spread = nullptr;  // the ints of a spread list,
  Py_ssize_t spread_count = 0;        // which stands in slot spread_slot
  int spread_slot = -1;

  bool has(int i) const { return slots[i] && slots[i] != Py_None; }
  // An absent optional is the undefined tensor.
  const Tensor& tensor(int i) const { return has(i) ? unwrap(slots[i]) : undefined_; }
  // `number` keeps the wrapped number that a Python number becomes.
  const Tensor& operand(int i, Tensor& number) const {
    if (has(i) && is_tensor(slots[i])) return unwrap(slots[i]);
    if (!has(i)) return undefined_;
    number = wrapped_number(slots[i]);
    return number;
  }
  std::vector<Tensor> tensors(int i) const;
  const Tensor& out(int i, int which) const;  // of an OutTuple
  Scalar scalar(int i) const;
  Scalar scalar(int i, const Scalar& otherwise) const { return slots[i] ? scalar(i) : otherwise; }
  std::optional<Scalar> optional_scalar(int i) const;
  std::vector<Scalar> scalars(int i) const;
  int64_t integer(int i) const;
  int64_t integer(int i, int64_t otherwise) const { return slots[i] ? integer(i) : otherwise; }
  std::optional<int64_t> optional_integer(int i) const;
  double real(int i) const;
  double real(int i, double otherwise) const { return slots[i] ? real(i) : otherwise; }
  std::optional<double> optional_real(int i) const;
  bool boolean(int i) const { return slots[i] == Py_True; }
  bool boolean(int i, bool otherwise) const { return slots[i] ? boolean(i) : otherwise; }
  std::optional<bool> optional_boolean(int i) const;
  // `length`: how often one int that stands for all is repeated.
  IntVector ints(int i, size_t length = 1) const;
  IntVector ints_or(int i, IntArrayRef otherwise, size_t length = 1) const {
    return slots[i] ? ints(i, length) : IntVector(otherwise);
  }
  std::optional<IntVector> optional_ints(int i, size_t length = 1) const;
  std::string_view text(int i) const;
  std::string_view text(int i, std::string_view otherwise) const {
    return slots[i] ? text(i) : otherwise;
  }
  std::optional<std::string_view> optional_text(int i) const;
  DType dtype(int i) const;
  DType dtype(int i, DType otherwise) const { return slots[i] ? dtype(i) : otherwise; }
  std::optional<DType> optional_dtype(int i) const;
  std::optional<DType> optional_dtype(int i, DType otherwise) const {
    return slots[i] ? optional_dtype(i) : std::optional<DType>(otherwise);
  }
  Device device(int i) const;
  std::optional<Device> optional_device(int i) const;
  Layout layout(int i) const;
  std::optional<Layout> optional_layout(int i) const;
  MemoryFormat memory_format(int i) const;
  MemoryFormat memory_format(int i, MemoryFormat otherwise) const {
    return slots[i] ? memory_format(i) : otherwise;
  }
  std::optional<MemoryFormat> optional_memory_format(int i) const;
  const Generator& generator(int i) const;

  // pin_memory=True, which this version can't do.
  void refuse_pin_memory(int i) const;

 private:
  static Tensor wrapped_number(PyObject* number);
  const Tensor& still_tensor(PyObject* item) const;
  static const Tensor undefined_;
};

// Binds a call. Throws the TypeError that lists the signatures and what each found wrong.
void parse(const Function& function, PyObject* self, PyObject* const* args, Py_ssize_t nargsf,
           PyObject* kwnames, Parsed& out);

// Interns the names of a table; once, before the first call.
void prepare(const Function& function);

// What a refused call is told: every signature with the first thing that was wrong for it.
[[noreturn]] void refuse_call(const Function& function, PyObject* const* args, Py_ssize_t nargs,
                              PyObject* kwnames, const std::vector<std::string>& reasons);
// "argument 'other' (position 2) must be Tensor or number, not str"
std::string wrong_kind(const Function& function, const Param& param, int index, PyObject* value);

}  // namespace ceph::python
