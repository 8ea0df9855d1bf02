"""Rng."""

from __future__ import annotations

from typing import Any

from tools.bench.workloads.case import Case, Context, N, bench


@bench("rng/rand_1e7")
def rand(torch: Any, ctx: Context) -> Case:
    return Case(lambda: torch.rand(N), bytes=4 * N)


@bench("rng/randn_1e7")
def randn(torch: Any, ctx: Context) -> Case:
    return Case(lambda: torch.randn(N), bytes=4 * N)


@bench("rng/randint_1e7")
def randint(torch: Any, ctx: Context) -> Case:
    return Case(lambda: torch.randint(0, 1000, (N,)), bytes=8 * N)


@bench("rng/bernoulli_1e7")
def bernoulli(torch: Any, ctx: Context) -> Case:
    p = torch.full((N,), 0.3)
    return Case(lambda: torch.bernoulli(p), bytes=8 * N)


@bench("rng/dropout_1e7")
def dropout(torch: Any, ctx: Context) -> Case:
    x = torch.ones(N)
    return Case(lambda: torch.nn.functional.dropout(x, 0.1), bytes=8 * N)


@bench("rng/randperm_1e6")
def randperm(torch: Any, ctx: Context) -> Case:
    return Case(lambda: torch.randperm(1_000_000), bytes=8_000_000)
