"""Elementwise: 1e7 elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.bench.workloads.case import COLS, ROWS, SIZE, Case, Context, N, bench, dtype_of, values

UNARY: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda t, a: t.exp(a),
    "tanh": lambda t, a: t.tanh(a),
    "sigmoid": lambda t, a: t.sigmoid(a),
    "gelu": lambda t, a: t.nn.functional.gelu(a),
}
BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda t, a, b: a + b,
    "mul": lambda t, a, b: a * b,
    "less": lambda t, a, b: a < b,
}
CAST = {"fp32": "bf16", "bf16": "fp32", "int64": "fp32"}


def elementwise(torch: Any, ctx: Context, op: str, dtype: str, layout: str) -> Case:
    """`transposed`: the last operand is a transposed view; `broadcast`: it is one row."""
    shape = {"contiguous": (ROWS, COLS), "transposed": (COLS, ROWS), "broadcast": (1, COLS)}[layout]
    last = values(torch, dtype, *shape)
    if layout == "transposed":
        last = last.t()
    size = SIZE[dtype]
    if op == "cast":
        to = CAST[dtype]
        target = dtype_of(torch, to)
        return Case(lambda: last.to(target), bytes=N * (size + SIZE[to]))
    if op in UNARY:
        fn = UNARY[op]
        return Case(lambda: fn(torch, last), bytes=2 * N * size)
    first = values(torch, dtype, ROWS, COLS, copy=1)
    cost = N * size * (1 if layout == "broadcast" else 2)
    if op == "where":
        cond = values(torch, "fp32", ROWS, COLS) < 1.5
        return Case(lambda: torch.where(cond, first, last), bytes=cost + N * (size + 1))
    both = BINARY[op]
    return Case(lambda: both(torch, first, last), bytes=cost + N * (1 if op == "less" else size))


for dtype in ("fp32", "bf16", "int64"):
    for layout in ("contiguous", "transposed", "broadcast"):
        ops = [*BINARY, "where"]
        if layout != "broadcast":
            ops += ["cast"] + (list(UNARY) if dtype != "int64" else [])
        for op in ops:
            bench(f"elementwise/{op}.{dtype}.{layout}", op=op, dtype=dtype, layout=layout)(
                elementwise
            )


@bench("elementwise/add_out.fp32.contiguous")
def add_out(torch: Any, ctx: Context) -> Case:
    """Without the allocation of a result."""
    a, b = (values(torch, "fp32", ROWS, COLS, copy=i) for i in range(2))
    c = torch.zeros(ROWS, COLS)
    return Case(lambda: torch.add(a, b, out=c), bytes=12 * N)


@bench("elementwise/add_inplace.fp32.contiguous")
def add_inplace(torch: Any, ctx: Context) -> Case:
    a, b = torch.zeros(ROWS, COLS), values(torch, "fp32", ROWS, COLS)
    return Case(lambda: a.add_(b), bytes=12 * N)
