"""Infer."""

from __future__ import annotations

import functools
from typing import Any

from tools.bench import models
from tools.bench.workloads.case import Case, Context, bench, no_grad


@functools.lru_cache(None)
def gpt2(torch: Any) -> Any:
    return models.define(torch).GPT(vocab=50257, context=1024, dim=768, layers=12, heads=12).eval()


@bench("infer/gpt2_124m_128_tokens")
def infer_gpt2(torch: Any, ctx: Context) -> Case:
    model = gpt2(torch)
    ids = torch.randint(0, 50257, (1, 128))
    return Case(no_grad(torch, model, ids), flops=models.gpt_flops(50257, 768, 12, 128, 128))


@bench("infer/gpt2_124m_greedy_32_tokens")
def infer_greedy(torch: Any, ctx: Context) -> Case:
    model = gpt2(torch)
    ids = torch.randint(0, 50257, (1, 16))
    return Case(no_grad(torch, model.greedy, ids, 32), bytes=32 * 4 * 123.6e6, reads=True)


@bench("infer/resnet50_224px_batch1")
def infer_resnet(torch: Any, ctx: Context) -> Case:
    model = models.define(torch).ResNet([3, 4, 6, 3], 4).eval()
    return Case(no_grad(torch, model, torch.randn(1, 3, 224, 224)), flops=2 * 4.09e9)
