"""`python/operators.cpp`: the number slots of Tensor, of the operators whose op exists."""

from __future__ import annotations

from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.model import OpEntry
from tools.codegen.registry import Registry


@dataclass(frozen=True)
class _Operator:
    """An operator of Python and the op that it means."""

    slot: str  # without nb_
    op: str
    reflected: str = ""  # the dunder of a right-hand tensor; empty: the order doesn't matter
    inplace: bool = True


_BINARY = (
    _Operator("add", "add"),
    _Operator("subtract", "sub", "__rsub__"),
    _Operator("multiply", "mul"),
    _Operator("true_divide", "div", "__rtruediv__"),
    _Operator("floor_divide", "floor_divide", "__rfloordiv__"),
    _Operator("remainder", "remainder", "__rmod__"),
    _Operator("power", "pow", "__rpow__"),
    _Operator("matrix_multiply", "matmul", "__rmatmul__", inplace=False),
    _Operator("and", "bitwise_and"),
    _Operator("or", "bitwise_or"),
    _Operator("xor", "bitwise_xor"),
    _Operator("lshift", "bitwise_left_shift", "__rlshift__"),
    _Operator("rshift", "bitwise_right_shift", "__rrshift__"),
)
_COMPARISONS = {
    "Py_EQ": "eq",
    "Py_NE": "ne",
    "Py_LT": "lt",
    "Py_LE": "le",
    "Py_GT": "gt",
    "Py_GE": "ge",
}
_UNARY = {"negative": "neg", "absolute": "abs", "invert": "bitwise_not"}
# ~x where there is no bitwise_not: what it is for bool, and an error for other dtypes.
_BOOL_INVERT = """struct op_invert {
  static constexpr const char* kMethod = "__invert__";
  static Tensor call(const Tensor& self) {
    CEPH_CHECK(self.dtype() == DType::Bool, ErrorKind::kNotImplemented, "__invert__",
               "only bool tensors can be inverted in this version; got ", self.dtype());
    return ops::logical_not(self);
  }
};
"""


def emit(registry: Registry) -> dict[str, str]:
    """One unit, whatever ops there are."""
    ops = registry.by_name()
    structs: list[str] = []
    lines: list[str] = []
    names: set[str] = set()
    for operator in _BINARY:
        entry = _binary_entry(ops.get(operator.op, ()))
        if entry is None:
            continue
        names.add(operator.op)
        structs.append(_binary_struct(entry, operator.op, operator.reflected or operator.op))
        power = "power_" if operator.slot == "power" else ""
        lines.append(_assign(operator.slot, f"{power or 'binary_'}slot<op_{operator.op}>"))
        if operator.inplace and "inplace" in entry.variants:
            structs.append(_binary_struct(entry, f"{operator.op}_", f"{operator.op}_"))
            slot = f"inplace_{operator.slot}"
            lines.append(_assign(slot, f"inplace_{power}slot<op_{operator.op}_>"))
    for code, op in _COMPARISONS.items():
        if entry := _binary_entry(ops.get(op, ())):
            names.add(op)
            structs.append(_binary_struct(entry, op, op))
            lines.append(f"  comparison_slots[{code}] = binary_slot<op_{op}>;\n")
    for slot, op in _UNARY.items():
        if op in ops:
            names.add(op)
            structs.append(_unary_struct(op))
            lines.append(_assign(slot, f"unary_slot<op_{op}>"))
    if "bitwise_not" not in ops and "logical_not" in ops:
        names.add("logical_not")
        structs.append(_BOOL_INVERT)
        lines.append(_assign("invert", "unary_slot<op_invert>"))
    includes = "".join(f'#include "generated/ops/{name}.h"\n' for name in sorted(names))
    return {
        "python/operators.cpp": cpp.generated_note("csrc/ops")
        + '#include "python/operators.h"\n\n'
        + includes
        + "\nnamespace ceph::python {\nnamespace {\n\n"
        + "\n".join(structs)
        + "\n}  // namespace\n\nvoid install_operators() {\n"
        + "".join(lines)
        + "}\n\n}  // namespace ceph::python\n"
    }


def _assign(slot: str, function: str) -> str:
    return f"  tensor_as_number.nb_{slot} = {function};\n"


def _binary_entry(entries: tuple[OpEntry, ...]) -> OpEntry | None:
    """The overload of two tensors whose other arguments have defaults."""
    for entry in entries:
        arguments = entry.schema.arguments
        if len(arguments) < 2 or not all(a.type.is_tensor for a in arguments[:2]):
            continue
        if all(a.has_default for a in arguments[2:]):
            return entry
    return None


def _binary_struct(entry: OpEntry, method: str, reflected: str) -> str:
    numbers = "true" if entry.schema.arguments[1].name in entry.numbers else "false"
    return (
        f"struct op_{method} {{\n"
        f'  static constexpr const char* kMethod = "{method}";\n'
        f'  static constexpr const char* kReflected = "{reflected}";\n'
        f"  static constexpr bool kNumbers = {numbers};\n"
        f"  static Tensor call(const Tensor& a, const Tensor& b) {{\n"
        f"    return ops::{method}(a, b);\n  }}\n"
        f"}};\n"
    )


def _unary_struct(op: str) -> str:
    return (
        f"struct op_{op} {{\n"
        f'  static constexpr const char* kMethod = "{op}";\n'
        f"  static Tensor call(const Tensor& self) {{ return ops::{op}(self); }}\n"
        f"}};\n"
    )
