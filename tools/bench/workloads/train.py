"""Train: one whole step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.bench import models
from tools.bench.workloads.case import Case, Context, bench


def train_step(model: Any, opt: Any, loss: Callable[[], Any]) -> Callable[[], None]:
    def run() -> Any:
        opt.zero_grad()
        loss().backward()
        opt.step()

    return run


GPT_SMALL = {"vocab": 2048, "context": 128, "dim": 256, "layers": 4, "heads": 4}
GPT_BATCH = (4, 129)  # one token more than is fed, for the targets


def gpt_step(torch: Any, wrap: Callable[..., Any] | None = None) -> Case:
    model = models.define(torch).GPT(**GPT_SMALL)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    ids = torch.randint(0, GPT_SMALL["vocab"], GPT_BATCH)
    flops = 3 * models.gpt_flops(2048, 256, 4, 4 * 128, 128)
    if wrap is None:
        return Case(train_step(model, opt, lambda: model.loss(ids)), flops=flops)
    model = wrap(model)  # called as a module, as a wrapper needs
    cross_entropy = torch.nn.functional.cross_entropy

    def loss() -> Any:
        logits, _ = model(ids[:, :-1])
        return cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())

    return Case(train_step(model, opt, loss), flops=flops)


@bench("train/gpt_4x256_adamw")
def train_gpt(torch: Any, ctx: Context) -> Case:
    return gpt_step(torch)


def train_classifier(torch: Any, model: Any, x: Any, classes: int, opt: Any, flops: float) -> Case:
    y = torch.randint(0, classes, (x.shape[0],))
    cross_entropy = torch.nn.functional.cross_entropy
    return Case(train_step(model, opt, lambda: cross_entropy(model(x), y)), flops=flops)


@bench("train/resnet18_64px_batch8")
def train_resnet(torch: Any, ctx: Context) -> Case:
    model = models.define(torch).ResNet([2, 2, 2, 2], 1)
    opt = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    flops = 3 * 8 * 2 * 1.82e9 * (64 / 224) ** 2
    return train_classifier(torch, model, torch.randn(8, 3, 64, 64), 1000, opt, flops)


@bench("train/lstm_2x256_50_steps")
def train_lstm(torch: Any, ctx: Context) -> Case:
    model = models.define(torch).LSTM(1000, 128, 256)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    ids = torch.randint(0, 1000, (16, 51))
    per_token = 2 * (4 * 256 * (128 + 256) + 4 * 256 * (256 + 256) + 256 * 1000)
    return Case(train_step(model, opt, lambda: model.loss(ids)), flops=3 * 16 * 50 * per_token)


@bench("train/mnist_mlp_batch128")
def train_mlp(torch: Any, ctx: Context) -> Case:
    model = models.define(torch).mlp(784, 512, 256, 10)
    opt = torch.optim.SGD(model.parameters(), lr=1e-3)
    flops = 3 * 2 * 128 * (784 * 512 + 512 * 256 + 256 * 10)
    return train_classifier(torch, model, torch.randn(128, 784), 10, opt, flops)
