"""Compile: steady state, with the eager function as reference; the first call apart."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from tools.bench import models
from tools.bench.workloads.case import Case, Context, bench, forward_backward, no_grad


def compiled(
    torch: Any, fn: Callable[..., Any], *args: Any, wrap: Callable[..., Any] | None = None
) -> Case:
    """Time `fn` compiled. `wrap` turns a function into what to time (forward and backward, say)."""
    wrap = wrap or (lambda f: no_grad(torch, f, *args))
    start = time.perf_counter()
    run = wrap(torch.compile(fn))
    run()
    extra = {"first_call": time.perf_counter() - start}
    return Case(run, ref=wrap(fn), extra=extra)


@bench("compile/pointwise_chain")
def compile_pointwise(torch: Any, ctx: Context) -> Case:
    """Comes first in its process: its first call bears what the compiler loads lazily."""

    def fn(x: Any, y: Any) -> Any:
        return torch.tanh(x * y + 1.0) * torch.sigmoid(x) - torch.relu(y).exp() * 0.5

    case = compiled(torch, fn, torch.randn(1000, 1000), torch.randn(1000, 1000))
    case.bytes = 12 * 1_000_000
    return case


@bench("compile/layernorm_gelu")
def compile_layernorm_gelu(torch: Any, ctx: Context) -> Case:
    F, w, b = torch.nn.functional, torch.ones(768), torch.zeros(768)
    x = torch.randn(4096, 768)
    case = compiled(torch, lambda x: F.gelu(F.layer_norm(x, (768,), w, b)), x)
    case.bytes = 8 * x.numel()
    return case


@bench("compile/block_forward")
def compile_block(torch: Any, ctx: Context) -> Case:
    block, x = models.define(torch).Block(256, 4), torch.randn(4, 128, 256)
    case = compiled(torch, lambda x: block(x)[0], x)
    case.flops = 2 * 512 * (12 * 256 * 256 + 128 * 256)
    return case


@bench("compile/block_forward_backward")
def compile_block_backward(torch: Any, ctx: Context) -> Case:
    block, x = models.define(torch).Block(256, 4), torch.randn(4, 128, 256, requires_grad=True)

    def fn(x):
        return block(x)[0]

    case = compiled(torch, fn, x, wrap=lambda f: forward_backward(torch, f, x))
    case.flops = 3 * 2 * 512 * (12 * 256 * 256 + 128 * 256)
    return case


@bench("compile/guards_trivial")
def guards_trivial(torch: Any, ctx: Context) -> Case:
    """What a call to a compiled function costs when there is next to nothing to do."""
    x = torch.ones(1)
    case = compiled(torch, lambda x: x + 1.0, x, wrap=lambda f: partial(f, x))
    case.calls = 1
    return case


@bench("compile/guards_mlp")
def guards_mlp(torch: Any, ctx: Context) -> Case:
    model, x = models.define(torch).mlp(*[4] * 11), torch.ones(1, 4)
    case = compiled(torch, model, x)
    case.calls = 1
    return case
