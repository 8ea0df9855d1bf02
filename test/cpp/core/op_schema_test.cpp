#include "core/op_schema.h"

#include <filesystem>
#include <fstream>

#include "testing.h"

using namespace ceph;

namespace {

// Every `op:` string of the entries; the folder is found from this file's own path.
std::vector<std::string> all_schemas() {
  const auto root = std::filesystem::path(CEPHEID_SOURCE_DIR) / "csrc/ops";
  std::vector<std::string> out;
  for (const auto& file : std::filesystem::directory_iterator(root)) {
    if (file.path().extension() != ".yaml") continue;
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      const size_t at = line.find("op: \"");
      if (at != std::string::npos) out.push_back(line.substr(at + 5, line.rfind('"') - at - 5));
    }
  }
  return out;
}

const Argument& arg(const OpSchema& schema, const char* name) {
  for (const Argument& a : schema.args) {
    if (a.name == name) return a;
  }
  fail(ErrorKind::kValue, "test", "no argument ", name);
}

}  // namespace

TEST(every_entry_round_trips) {
  const std::vector<std::string> schemas = all_schemas();
  EXPECT(schemas.size() > 90);
  for (const std::string& text : schemas) EXPECT_EQ(OpSchema::parse(text).print(), text);
}

TEST(rarer_forms_round_trip) {
  for (const char* text : {
           "f() -> ()",
           "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
           "split(Tensor(a) self, int[]? sizes=None) -> Tensor(a)[]",
           "g(Tensor(a!)? self, Tensor?[] list, int[2]? x=None, str mode='a, (b)') -> (Tensor, "
           "Tensor out)",
           "h(*, float p=0.5, Device? device=None, Layout layout=strided, int[] dim=[0, -1]) -> "
           "bool",
       }) {
    EXPECT_EQ(OpSchema::parse(text).print(), std::string(text));
  }
}

TEST(arguments_are_typed) {
  const OpSchema s = OpSchema::parse("conv2d.x(Tensor(a!) input, Tensor? bias=None, int[2] "
                                     "stride=1, *, float eps=1e-05, ScalarType? dtype=int64, "
                                     "MemoryFormat format=contiguous_format, int[1] dim=[], bool "
                                     "keep=False, Scalar s=1, str m=\"mean\") -> Tensor(a!)");
  EXPECT(s.name == "conv2d" && s.overload == "x");
  EXPECT(s.args[0].writes && s.args[0].alias == "a" && !s.args[0].kwarg_only);
  EXPECT(arg(s, "bias").optional &&
         std::holds_alternative<std::monostate>(*arg(s, "bias").default_value));
  EXPECT(std::get<std::vector<int64_t>>(*arg(s, "stride").default_value) ==
         std::vector<int64_t>({1, 1}));
  EXPECT(arg(s, "stride").fixed_size == 2 && !arg(s, "stride").kwarg_only);
  EXPECT_EQ(std::get<double>(*arg(s, "eps").default_value), 1e-05);
  EXPECT(arg(s, "eps").kwarg_only);
  EXPECT(std::get<DType>(*arg(s, "dtype").default_value) == DType::Int64);
  EXPECT(std::get<MemoryFormat>(*arg(s, "format").default_value) == MemoryFormat::Contiguous);
  EXPECT(std::get<std::vector<int64_t>>(*arg(s, "dim").default_value).empty());
  EXPECT_EQ(std::get<bool>(*arg(s, "keep").default_value), false);
  EXPECT_EQ(std::get<int64_t>(*arg(s, "s").default_value), int64_t(1));
  EXPECT_EQ(std::get<std::string>(*arg(s, "m").default_value), std::string("mean"));
  EXPECT(s.returns.size() == 1 && s.returns[0].writes);
}

TEST(lists_are_written_and_hold_numbers) {
  OpSchema s =
      OpSchema::parse("_foreach_mul_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()");
  EXPECT(s.args[0].type == ArgType::TensorList && s.args[0].writes);
  EXPECT(s.args[1].type == ArgType::ScalarList && s.returns.empty());
}

TEST(errors_name_the_position) {
  EXPECT_THROWS(OpSchema::parse("add(Tensr self) -> Tensor"), Error, "at position 4 of 'add(Tensr");
  EXPECT_THROWS(OpSchema::parse("add(Tensor) -> Tensor"), Error, "expected ' ' at position 10");
  EXPECT_THROWS(OpSchema::parse("add(Tensor self)"), Error, "expected ' -> '");
  EXPECT_THROWS(OpSchema::parse("add(Tensor self) -> Tensor x"), Error, "expected the end");
  EXPECT_THROWS(OpSchema::parse("add(int x=1.5) -> Tensor"), Error,
                "a default of the argument's type");
  EXPECT_THROWS(OpSchema::parse("add(Tensor x=None) -> Tensor"), Error,
                "a default of the argument's type");
  EXPECT_THROWS(OpSchema::parse("add(int x=) -> Tensor"), Error, "expected a default");
  EXPECT_THROWS(OpSchema::parse("add(*, int x, *, int y) -> Tensor"), Error, "one '*' only");
  EXPECT_THROWS(OpSchema::parse("add(Tensor[2] x) -> Tensor"), Error, "a size of an int list");
  EXPECT_THROWS(OpSchema::parse("add(str[] x) -> Tensor"), Error, "no list of this type");
  EXPECT_THROWS(OpSchema::parse("(Tensor x) -> Tensor"), Error,
                "expected an op name at position 0");
  EXPECT_THROWS(OpSchema::parse(""), Error, "an op name");
}
