"""Which dtypes a pointwise op computes in, what it is stored as, and which expression it uses."""

from __future__ import annotations

from tools.codegen.model import OpEntry

FLOATING = ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2")
COMPLEX = ("complex64", "complex128")
REAL_OF = {"complex64": "float32", "complex128": "float64"}
# Arithmetic of types too narrow for it is done in float.
ARITHMETIC = {"float16": "float32", "bfloat16": "float32"}


def dtype_class(dtype: str) -> str:
    """The key of `scalar:` that a dtype falls under: bool, integral, floating or complex. The
    narrow ones of floating have `half` too, where an entry has it."""
    if dtype == "bool":
        return "bool"
    if dtype in FLOATING:
        return "floating"
    return "complex" if dtype in COMPLEX else "integral"


def compute_dtypes(entry: OpEntry) -> tuple[str, ...]:
    """The dtypes that operands can have once promoted."""
    names = entry.dtypes["cpu"]
    if entry.promote[0].name == "int_to_float":
        return tuple(name for name in names if dtype_class(name) in ("floating", "complex"))
    return names


def result_dtype(entry: OpEntry, compute: str) -> str:
    """The dtype that the loop writes."""
    rule = entry.promote[0].name
    if rule == "compare":
        return "bool"
    return REAL_OF.get(compute, compute) if rule == "complex_to_float" else compute


def expression_for(entry: OpEntry, dtype: str) -> tuple[str, str]:
    """The key and text of the expression for a compute dtype; the key is "" where there is one."""
    cases = entry.implementation.cases
    narrower = ("half",) if dtype in ARITHMETIC else ()
    for key in (*narrower, dtype_class(dtype), "else", ""):
        if key in cases:
            return key, cases[key]
    raise KeyError(f"{entry.full_name}: no expression for {dtype}")
