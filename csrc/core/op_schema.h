#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace ceph {

// The closed list of argument types, as schemas spell them.
enum class ArgType : uint8_t {
  Tensor,
  TensorList,
  Scalar,
  ScalarList,
  Int,
  Float,
  Bool,
  IntList,
  Str,
  ScalarType,
  Device,
  Layout,
  MemoryFormat,
  Generator,
};

struct Argument {
  std::string name;
  ArgType type = ArgType::Tensor;
  bool optional = false;              // Tensor?, int? ...
  bool optional_elements = false;     // Tensor?[]
  std::optional<int64_t> fixed_size;  // int[2]: one int stands for all
  bool kwarg_only = false;
  std::optional<Value> default_value;  // one int of a fixed-size list stands for all of them
  std::string default_text;            // as written: 1e-05, [], contiguous_format
  std::string alias;                   // "a" of Tensor(a); empty when none
  bool writes = false;                 // Tensor(a!)
  bool spreads = false;                // Tensor(a -> *): what the tensors of a list share
};

// `add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)`, typed; parses and
// prints back without loss. Errors are ValueError with the position in the text.
struct CEPH_API OpSchema {
  std::string name;      // "add_"
  std::string overload;  // "Tensor"; may be empty
  std::vector<Argument> args;
  std::vector<Argument> returns;

  static OpSchema parse(std::string_view text);
  std::string print() const;
};

}  // namespace ceph
