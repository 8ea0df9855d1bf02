#include "core/op_schema.h"

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace ceph {
namespace {

struct TypeName {
  std::string_view text;
  ArgType type;
  ArgType list;  // of name[]; equal to `type` where there is no such list
};

constexpr std::array<TypeName, 11> kTypes{{
    {"Tensor", ArgType::Tensor, ArgType::TensorList},
    {"Scalar", ArgType::Scalar, ArgType::ScalarList},
    {"int", ArgType::Int, ArgType::IntList},
    {"float", ArgType::Float, ArgType::Float},
    {"bool", ArgType::Bool, ArgType::Bool},
    {"str", ArgType::Str, ArgType::Str},
    {"ScalarType", ArgType::ScalarType, ArgType::ScalarType},
    {"Device", ArgType::Device, ArgType::Device},
    {"Layout", ArgType::Layout, ArgType::Layout},
    {"MemoryFormat", ArgType::MemoryFormat, ArgType::MemoryFormat},
    {"Generator", ArgType::Generator, ArgType::Generator},
}};

constexpr std::array<std::pair<std::string_view, MemoryFormat>, 4> kFormats{{
    {"contiguous_format", MemoryFormat::Contiguous},
    {"preserve_format", MemoryFormat::Preserve},
    {"channels_last", MemoryFormat::ChannelsLast},
    {"channels_last_3d", MemoryFormat::ChannelsLast3d},
}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// A whole text as a number of type T.
template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  OpSchema schema() {
    OpSchema out;
    out.name = word("an op name");
    if (take(".")) out.overload = word("an overload name");
    expect("(");
    out.args = arguments();
    expect(" -> ");
    out.returns = returns();
    if (at_ != text_.size()) refuse("the end");
    return out;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    fail(ErrorKind::kValue, "schema", "expected ", expected, " at position ", at_, " of '", text_,
         "'");
  }

  bool take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!take(token)) refuse("'" + std::string(token) + "'");
  }

  std::string word(std::string_view what) {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == begin) refuse(what);
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::vector<Argument> arguments() {
    std::vector<Argument> out;
    bool kwarg_only = false;
    if (take(")")) return out;
    do {
      if (take("*")) {
        if (kwarg_only) refuse("one '*' only");
        kwarg_only = true;
        continue;
      }
      Argument argument = type();
      expect(" ");
      argument.name = word("an argument name");
      argument.kwarg_only = kwarg_only;
      if (take("=")) default_of(argument);
      out.push_back(std::move(argument));
    } while (take(", "));
    expect(")");
    return out;
  }

  std::vector<Argument> returns() {
    std::vector<Argument> out;
    if (!take("(")) {
      out.push_back(type());
      return out;
    }
    if (take(")")) return out;
    do {
      Argument result = type();
      if (take(" ")) result.name = word("a result name");
      out.push_back(std::move(result));
    } while (take(", "));
    expect(")");
    return out;
  }

  Argument type() {
    Argument out;
    const size_t begin = at_;
    const std::string base = word("a type");
    const TypeName* known = nullptr;
    for (const TypeName& candidate : kTypes) {
      if (candidate.text == base) known = &candidate;
    }
    if (!known) {
      at_ = begin;
      refuse("a type (Tensor, Scalar, int, float, bool, str, ScalarType, Device, Layout, "
             "MemoryFormat, Generator)");
    }
    out.type = known->type;
    if (take("(")) {
      out.alias = word("an alias set");
      out.writes = take("!");
      out.spreads = take(" -> *");
      expect(")");
    }
    out.optional = take("?");
    if (take("[")) list_of(*known, out);
    return out;
  }

  void list_of(const TypeName& known, Argument& out) {
    if (known.list == known.type) refuse("no list of this type");
    out.type = known.list;
    out.optional_elements = out.optional;
    if (out.optional_elements && known.type != ArgType::Tensor)
      refuse("optional elements of Tensor lists only");
    if (!take("]")) {
      out.fixed_size = number<int64_t>(word("a list size"));
      if (!out.fixed_size || *out.fixed_size < 1 || known.type != ArgType::Int)
        refuse("a size of an int list");
      expect("]");
    }
    out.optional = take("?");
  }

  // A default runs to the comma or parenthesis outside of brackets and quotes.
  std::string_view default_text() {
    const size_t begin = at_;
    char quote = 0;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '[') {
        ++depth;
      } else if (c == ']') {
        --depth;
      } else if (depth == 0 && (c == ',' || c == ')')) {
        break;
      }
    }
    if (at_ == begin) refuse("a default");
    return text_.substr(begin, at_ - begin);
  }

  void default_of(Argument& argument) {
    const size_t begin = at_;
    const std::string_view text = default_text();
    std::optional<Value> value = value_of(argument, text);
    if (!value) {
      at_ = begin;
      refuse("a default of the argument's type");
    }
    argument.default_value = std::move(value);
    argument.default_text = std::string(text);
  }

  static std::optional<Value> value_of(const Argument& argument, std::string_view text) {
    if (text == "None") return argument.optional ? std::optional(Value()) : std::nullopt;
    switch (argument.type) {
    case ArgType::Bool:
      return truth(text);
    case ArgType::Int:
      return boxed(number<int64_t>(text));
    case ArgType::Float:
      return real(text);
    case ArgType::Scalar: {
      std::optional<Value> flag = truth(text);
      return flag ? flag : real(text);
    }
    case ArgType::IntList:
      return int_list(argument, text);
    case ArgType::Str:
      return quoted(text);
    case ArgType::ScalarType:
      return boxed(dtype_named(text));
    case ArgType::MemoryFormat:
      return memory_format(text);
    case ArgType::Layout:
      return text == "strided" ? std::optional(Value(Layout::Strided)) : std::nullopt;
    case ArgType::Device:
      return text == "cpu" ? std::optional(Value(Device())) : std::nullopt;
    default:
      return std::nullopt;  // tensors and generators: None at most
    }
  }

  template <class T>
  static std::optional<Value> boxed(const std::optional<T>& value) {
    return value ? std::optional(Value(*value)) : std::nullopt;
  }

  static std::optional<Value> truth(std::string_view text) {
    if (text != "True" && text != "False") return std::nullopt;
    return Value(text == "True");
  }

  // An integer literal stays one, whatever is asked for: it prints back as it came.
  static std::optional<Value> real(std::string_view text) {
    const std::optional<Value> whole = boxed(number<int64_t>(text));
    return whole ? whole : boxed(number<double>(text));
  }

  static std::optional<Value> int_list(const Argument& argument, std::string_view text) {
    std::vector<int64_t> out;
    if (text.front() != '[') {
      const std::optional<int64_t> one = number<int64_t>(text);
      if (!one || !argument.fixed_size) return std::nullopt;
      out.assign(static_cast<size_t>(*argument.fixed_size), *one);
      return Value(std::move(out));
    }
    if (text.back() != ']') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
      const size_t comma = text.find(',');
      const std::optional<int64_t> one = number<int64_t>(text.substr(0, comma));
      if (!one) return std::nullopt;
      out.push_back(*one);
      if (comma == std::string_view::npos) break;
      text.remove_prefix(comma + 1);
      while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    }
    return Value(std::move(out));
  }

  static std::optional<Value> quoted(std::string_view text) {
    const char quote = text.front();
    if (text.size() < 2 || (quote != '\'' && quote != '"') || text.back() != quote)
      return std::nullopt;
    return Value(std::string(text.substr(1, text.size() - 2)));
  }

  static std::optional<Value> memory_format(std::string_view text) {
    for (const auto& [name, format] : kFormats) {
      if (name == text) return Value(format);
    }
    return std::nullopt;
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string_view base_name(ArgType type) {
  for (const TypeName& known : kTypes) {
    if (known.type == type || known.list == type) return known.text;
  }
  CEPH_INTERNAL(false && "unknown argument type");
  return {};
}

std::string type_text(const Argument& a) {
  std::string out(base_name(a.type));
  if (!a.alias.empty()) out += "(" + a.alias + (a.writes ? "!" : "") + (a.spreads ? " -> *)" : ")");
  if (a.optional_elements) out += "?";
  if (a.type == ArgType::TensorList || a.type == ArgType::IntList ||
      a.type == ArgType::ScalarList) {
    out += "[" + (a.fixed_size ? std::to_string(*a.fixed_size) : std::string()) + "]";
  }
  if (a.optional) out += "?";
  return out;
}

std::string returns_text(const std::vector<Argument>& returns) {
  const bool bare = returns.size() == 1 && returns[0].name.empty();
  if (bare) return type_text(returns[0]);
  std::string out = "(";
  for (size_t i = 0; i < returns.size(); ++i) {
    out += (i ? ", " : "") + type_text(returns[i]);
    if (!returns[i].name.empty()) out += " " + returns[i].name;
  }
  return out + ")";
}

}  // namespace

OpSchema OpSchema::parse(std::string_view text) { return Parser(text).schema(); }

std::string OpSchema::print() const {
  std::string out = name + (overload.empty() ? "" : "." + overload) + "(";
  bool kwarg_only = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const Argument& a = args[i];
    if (i) out += ", ";
    if (a.kwarg_only && !kwarg_only) out += "*, ";
    kwarg_only = a.kwarg_only;
    out += type_text(a) + " " + a.name;
    if (a.default_value) out += "=" + a.default_text;
  }
  return out + ") -> " + returns_text(returns);
}

}  // namespace ceph
