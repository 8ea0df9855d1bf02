"""`autograd.Function` under transforms: its own vmap, a generated one, and both histories."""

from __future__ import annotations

from typing import Any

import pytest

import cepheid as torch
from cepheid.func import grad, jacrev, vmap
from tools.runner import run_this_file

X = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)
XS = torch.stack([X, X - 3])


class Base(torch.autograd.Function):
    @staticmethod
    def forward(x: Any, y: Any) -> Any:
        return x * y, x.sum() * y

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0], None, inputs[1])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        first, second = gradients
        x, _, y = ctx.saved_tensors
        to_x = first * y + (second * y).sum().expand_as(x)
        return to_x, first * x + second * x.sum()


class Generated(Base):
    generate_vmap_rule = True


class Own(Base):
    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any, y: Any) -> Any:
        assert info.randomness == "error"
        columns = [
            t.expand(info.batch_size, *t.shape) if dim is None else t.movedim(dim, 0)
            for t, dim in zip((x, y), in_dims, strict=True)
        ]
        return vmap(plain)(*columns), 0


class Neither(Base):
    pass


class Both(Own):
    generate_vmap_rule = True


class Old(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2


def plain(x: Any, y: Any) -> Any:
    return x * y, x.sum() * y


def loss_of(function: Any) -> Any:
    def loss(x: Any, y: Any) -> Any:
        first, second = function(x, y)
        return first.sin().sum() + (second * y).sum()

    return loss


def close(got: Any, wanted: Any) -> bool:
    return bool(((got - wanted).abs() <= 1e-12 * (1 + wanted.abs())).all())


@pytest.mark.parametrize("function", [Generated, Own])
@pytest.mark.parametrize(
    "transformed",
    [
        lambda f: vmap(f, (0, None))(XS, X),
        lambda f: vmap(f, (None, 1))(X, XS.t()),
        lambda f: vmap(grad(f, 1), (0, None))(XS, X),
        lambda f: grad(lambda x, y: vmap(f, (0, None))(x, y).sum(), 1)(XS, X),
        lambda f: grad(lambda x, y: vmap(grad(f), (0, None))(x, y).sum(), 1)(XS, X),
        lambda f: vmap(vmap(grad(f), (None, 0)), (0, None))(XS, XS * 2),
        lambda f: vmap(jacrev(jacrev(f)), (0, None))(XS, X),
        lambda f: grad(lambda x: vmap(vmap(f, (0, None)), (None, 0))(x, XS).sum())(XS * 3),
    ],
)
def test_the_same_as_of_the_operations(function: Any, transformed: Any) -> None:
    assert close(transformed(loss_of(function.apply)), transformed(loss_of(plain)))


def test_facts_of_the_context_reach_a_generated_rule() -> None:
    class Facts(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any, factor: Any) -> Any:
            return x * factor, x.floor(), x * 1

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.factor = inputs[1]
            ctx.mark_non_differentiable(output[1])
            ctx.set_materialize_grads(False)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            assert ctx.needs_input_grad == (True, False)
            assert gradients[2] is None
            return gradients[0] * ctx.factor, None

    def f(x: Any) -> Any:
        made = vmap(lambda row: Facts.apply(row, factor=3))(x)
        assert not made[1].requires_grad
        return made[0].sum()

    assert grad(f)(XS).tolist() == [[3, 3, 3]] * 2


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: Neither.apply(x, x), "doesn't say what vmap of it is"),
        (lambda x: Both.apply(x, x), "keep one"),
        (Old.apply, "define the static method setup_context"),
    ],
)
def test_refusals(function: Any, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        vmap(function)(XS)


if __name__ == "__main__":
    run_this_file()
