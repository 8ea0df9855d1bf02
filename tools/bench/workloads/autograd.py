"""Autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.bench.workloads.case import Case, Context, add_chain, bench


@bench("autograd/deep_1e5_forward_backward")
def deep(torch: Any, ctx: Context) -> Case:
    return Case(lambda: add_chain(torch, 100_000)["y"].backward())


@bench("autograd/deep_1e5_backward")
def deep_backward(torch: Any, ctx: Context) -> Case:
    y = add_chain(torch, 100_000)["y"]
    return Case(lambda: y.backward(retain_graph=True))


@bench("autograd/wide_1e4_forward_backward")
def wide(torch: Any, ctx: Context) -> Case:
    x = torch.ones(8, requires_grad=True)
    return Case(lambda: torch.stack([x * 2.0 for _ in range(10_000)]).sum().backward())


def scalar_function(torch: Any) -> Callable[[Any], Any]:
    w = torch.randn(16, 16)
    return lambda x: torch.tanh(torch.tanh(x @ w) @ w).pow(2).sum()


@bench("autograd/grad")
def grad(torch: Any, ctx: Context) -> Case:
    f, x = scalar_function(torch), torch.randn(16, requires_grad=True)
    return Case(lambda: torch.autograd.grad(f(x), x), ref=lambda: f(x))


@bench("autograd/create_graph")
def create_graph(torch: Any, ctx: Context) -> Case:
    f, x = scalar_function(torch), torch.randn(16, requires_grad=True)
    return Case(lambda: torch.autograd.grad(f(x), x, create_graph=True), ref=lambda: f(x))


@bench("autograd/double_backward")
def double_backward(torch: Any, ctx: Context) -> Case:
    f, x = scalar_function(torch), torch.randn(16, requires_grad=True)

    def run() -> Any:
        (g,) = torch.autograd.grad(f(x), x, create_graph=True)
        return torch.autograd.grad(g.pow(2).sum(), x)

    return Case(run, ref=lambda: f(x))


@bench("autograd/views_and_inplace")
def views_and_inplace(torch: Any, ctx: Context) -> Case:
    x = torch.ones(20, 20, requires_grad=True)

    def run() -> Any:
        y = x.clone()
        for i in range(20):
            y[i].mul_(2.0)
            y.t()[i].add_(1.0)
            y.view(-1)[i::20].sub_(1.0)
        y.sum().backward()

    return Case(run)


@bench("autograd/custom_function")
def custom_function(torch: Any, ctx: Context) -> Case:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Context, x: Any) -> Case:
            return x * 2.0

        @staticmethod
        def backward(ctx: Context, grad: Any) -> Case:
            return grad * 2.0

    x = torch.ones(1, requires_grad=True)
    return Case(lambda: Double.apply(x).backward())


@bench("autograd/hooks_100")
def hooks(torch: Any, ctx: Context) -> Case:
    x = torch.ones(1, requires_grad=True)

    def run() -> Any:
        y = x
        for _ in range(100):
            y = y * 1.0
            y.register_hook(lambda g: g)
        y.backward()

    return Case(run)


@bench("autograd/func_grad")
def func_grad(torch: Any, ctx: Context) -> Case:
    f, x = scalar_function(torch), torch.randn(16)
    g = torch.func.grad(f)
    return Case(lambda: g(x), ref=lambda: f(x))


@bench("autograd/func_vmap")
def func_vmap(torch: Any, ctx: Context) -> Case:
    f, xs = scalar_function(torch), torch.randn(32, 16)
    g = torch.func.vmap(f)
    return Case(lambda: g(xs), ref=lambda: f(xs))


@bench("autograd/func_vmap_grad")
def func_vmap_grad(torch: Any, ctx: Context) -> Case:
    f, xs = scalar_function(torch), torch.randn(32, 16)
    g = torch.func.vmap(torch.func.grad(f))
    return Case(lambda: g(xs), ref=lambda: f(xs))


@bench("autograd/func_jacrev")
def func_jacrev(torch: Any, ctx: Context) -> Case:
    w, x = torch.randn(16, 16), torch.randn(16)

    def f(x):
        return torch.tanh(x @ w)

    g = torch.func.jacrev(f)
    return Case(lambda: g(x), ref=lambda: f(x))


@bench("autograd/func_hessian")
def func_hessian(torch: Any, ctx: Context) -> Case:
    f, x = scalar_function(torch), torch.randn(16)
    g = torch.func.hessian(f)
    return Case(lambda: g(x), ref=lambda: f(x))
