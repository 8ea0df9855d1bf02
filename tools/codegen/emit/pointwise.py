"""`pointwise/<isa>_<part>.cpp` and `pointwise/loops.h`: functors and tables of loops per dtype."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from tools.codegen import cpp
from tools.codegen.model import OpEntry
from tools.codegen.pointwise_dtypes import (
    ARITHMETIC,
    compute_dtypes,
    expression_for,
    result_dtype,
)
from tools.codegen.registry import Registry
from tools.codegen.scalar import RARE, emit_scalar, parse_scalar

ISAS = ("scalar", "avx2", "avx512")
# Ops are spread over a fixed number of parts by a hash of their name, so that an op added or
# changed rebuilds one unit per ISA, and no unit takes too long to compile.
PARTS = 12

MEMORY_TYPES = {
    "bool": "bool",
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "std::complex<float>",
    "complex128": "std::complex<double>",
}


def emit(registry: Registry) -> dict[str, str]:
    """The units of every ISA that define something, and the declarations of that."""
    entries = [e for e in registry.entries if e.implementation.kind == "scalar"]
    files = {"pointwise/loops.h": _declarations(entries)}
    for part in range(PARTS):
        mine = [e for e in entries if part_of(e) == part]
        body = "\n".join(map(_op, mine))
        for isa in ISAS if mine else ():
            files[f"pointwise/{isa}_{part}.cpp"] = _unit(isa, body)
    return files


def part_of(entry: OpEntry) -> int:
    """The part of the pointwise units that holds an op: a pure function of its name."""
    return zlib.crc32(entry.full_name.encode()) % PARTS


def loops_name(entry: OpEntry) -> str:
    """The C++ name of the op's table of loops."""
    return f"{cpp.entry_name(entry.schema)}_loops"


def _declarations(entries: list[OpEntry]) -> str:
    names = "\n".join(f"extern const PointwiseLoop {loops_name(e)}[kNumDTypes];" for e in entries)
    spaces = "\n".join(f"namespace {isa} {{\n{names}\n}}  // namespace {isa}\n" for isa in ISAS)
    return (
        cpp.generated_note("csrc/ops/*.yaml")
        + '#pragma once\n\n#include "kernels/pointwise.h"\n\nnamespace ceph::kernels {\n\n'
        + f"// Loops of each op by compute dtype.\n{spaces}\n}}  // namespace ceph::kernels\n"
    )


def _unit(isa: str, body: str) -> str:
    return (
        cpp.generated_note("the scalar: fields of csrc/ops/*.yaml")
        + '#include "generated/pointwise/loops.h"\n'
        + '#include "kernels/generic/prelude.h"\n'
        + f'#include "kernels/{isa}/begin.h"\n'
        + '#include "kernels/generic/math.h"\n'
        + '#include "kernels/generic/pointwise.h"\n\n'
        + f"{body}\n"
        + '#include "kernels/end.h"\n'
    )


def _op(entry: OpEntry) -> str:
    computed = compute_dtypes(entry)
    keys = dict(expression_for(entry, dtype) for dtype in computed)
    functors = "\n".join(_functor(entry, key, text) for key, text in keys.items())
    rows = "\n".join(_rows(entry, computed))
    table = f"const PointwiseLoop {loops_name(entry)}[kNumDTypes] = {{\n{rows}\n}};\n"
    return f"{cpp.comment(str(entry.schema))}\n{functors}\n{table}"


def _functor_name(entry: OpEntry, key: str) -> str:
    name = cpp.entry_name(entry.schema)
    return f"{name}_fn" if key in ("", "else") else f"{name}_{key}_fn"


def _functor(entry: OpEntry, key: str, text: str) -> str:
    """On the arithmetic type: members are the Scalar arguments, parameters the operands."""
    name = _functor_name(entry, key)
    scalars = [a.name for a in entry.schema.arguments if a.type.base == "Scalar"]
    operands = [a.name for a in entry.schema.tensors]
    parameters = [f"{_operand_type(entry, o)} {cpp.local_name(o)}" for o in operands]
    members = "".join(f"  V {cpp.local_name(s)};\n" for s in scalars)
    initial = ", ".join(f"{cpp.local_name(s)}(scalars[{i}])" for i, s in enumerate(scalars))
    colon = f" : {initial}" if initial else ""
    values = "const V* scalars" if scalars else "const V*"
    texts = {"operator()": text}
    if key in ("", "half", "floating"):
        cases = entry.implementation.cases
        texts |= {method: cases[method] for method in RARE if method in cases}
    methods = "".join(
        cpp.listed(f"  CEPH_INLINE auto {method}(", parameters, ") const {")
        + f"\n{_returned(expression, scalars)}\n  }}\n"
        for method, expression in texts.items()
    )
    return (
        f"template <class V>\nstruct {name} {{\n{members}"
        f"  CEPH_INLINE explicit {name}({values}){colon} {{}}\n{methods}}};\n"
    )


def _returned(expression: str, scalars: list[str]) -> str:
    value = emit_scalar(parse_scalar(expression), frozenset(scalars))
    return cpp.broken("    ", f"return {value};")


def _operand_type(entry: OpEntry, name: str) -> str:
    """Operands that take no part in promotion are conditions."""
    promoted = entry.promote[0].arguments
    return "V" if promoted is None or name in promoted else "bool"


def _rows(entry: OpEntry, computed: tuple[str, ...]) -> Iterator[str]:
    """One loop for each dtype, in the order of the enumeration."""
    for dtype in cpp.DTYPE_ENUMERATORS:
        if dtype not in computed:
            yield f"    /* {dtype} */ nullptr,"
            continue
        key, _ = expression_for(entry, dtype)
        compute = MEMORY_TYPES[ARITHMETIC.get(dtype, dtype)]
        memory = MEMORY_TYPES[dtype]
        inputs = [
            memory if _operand_type(entry, a.name) == "V" else "bool" for a in entry.schema.tensors
        ]
        out = MEMORY_TYPES[result_dtype(entry, dtype)]
        functor = f"{_functor_name(entry, key)}<arithmetic_t<{compute}>>"
        types = [functor, compute, out, *inputs]
        yield cpp.listed(f"    /* {dtype} */ pointwise_loop<", types, ">,")
