"""Overhead: nanoseconds per call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tools.bench import models
from tools.bench.workloads.case import Case, Context, add_chain, bench


def small(torch: Any) -> dict[str, Any]:
    return {
        "torch": torch,
        "a": torch.ones(1),
        "b": torch.ones(1),
        "c": torch.empty(1),
        "x": torch.ones(4),
        "m": torch.ones(2, 2),
    }


def with_gradient(torch: Any) -> dict[str, Any]:
    return {"b": torch.ones(1), "g": torch.ones(1, requires_grad=True)}


def tiny_mlp(torch: Any) -> dict[str, Any]:
    return {"model": models.define(torch).mlp(4, 8, 2), "x": torch.ones(1, 4)}


def optimizer(torch: Any, name: str, **options: Any) -> dict[str, Any]:
    params = [torch.nn.Parameter(torch.ones(10, 10)) for _ in range(100)]
    for p in params:
        p.grad = torch.full_like(p, 1e-3)
    return {"opt": getattr(torch.optim, name)(params, lr=1e-3, **options)}


for name, statement, setup, calls in [
    ("add", "a + b", small, 1),
    ("add_out", "torch.add(a, b, out=c)", small, 1),
    ("add_scalar", "a + 1.0", small, 1),
    ("add_requires_grad", "g + b", with_gradient, 1),
    ("mul_inplace", "a.mul_(b)", small, 1),
    ("matmul_2x2", "m @ m", small, 1),
    ("sum", "x.sum()", small, 1),
    ("view", "x.view(2, 2)", small, 1),
    ("index_0", "x[0]", small, 1),
    ("slice", "x[1:3]", small, 1),
    ("t", "m.t()", small, 1),
    ("shape", "m.shape", small, 1),
    ("item", "a.item()", small, 1),
    ("empty", "torch.empty(1)", small, 1),
    ("tensor_of_list", "torch.tensor([1.0, 2.0, 3.0])", small, 1),
    ("no_grad", "with torch.no_grad(): pass", small, 1),
    ("module_call", "model(x)", lambda t: {"model": t.nn.Identity(), "x": t.ones(1)}, 1),
    ("mlp_forward", "model(x)", tiny_mlp, 3),
    ("mlp_forward_backward", "model(x).sum().backward()", tiny_mlp, 8),
    ("backward_1000_adds", "y.backward(retain_graph=True)", partial(add_chain, length=1000), 1000),
    ("sgd_100_params", "opt.step()", partial(optimizer, name="SGD"), 100),
    ("adamw_100_params", "opt.step()", partial(optimizer, name="AdamW"), 100),
    ("adamw_100_params_foreach", "opt.step()", partial(optimizer, name="AdamW", foreach=True), 100),
]:

    @bench(f"overhead/{name}", statement=statement, setup=setup, calls=calls)
    def overhead(
        torch: Any, ctx: Context, statement: str, setup: Callable[[Any], dict[str, Any]], calls: int
    ) -> Case:
        return Case((statement, setup(torch)), calls=calls)
