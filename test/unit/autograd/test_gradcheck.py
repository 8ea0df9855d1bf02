"""gradcheck finds wrong derivatives; autograd.functional gives right ones."""

from __future__ import annotations

import pytest

import cepheid as torch
from cepheid.autograd import Function, functional, gradcheck, gradgradcheck
from cepheid.autograd.gradcheck import GradcheckError

modes = pytest.mark.parametrize("fast", [False, True])


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def wrong_by(factor):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * (2 + factor)

    return Wrong.apply


@modes
def test_right_and_wrong(fast):
    x = leaf(0.3, 0.7, 1.1)
    assert gradcheck(lambda t: t.sin() * t, x, fast_mode=fast)
    assert gradcheck(wrong_by(0), (x,), fast_mode=fast)
    with pytest.raises(
        GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"
    ):
        gradcheck(wrong_by(1), (x,), fast_mode=fast)
    assert not gradcheck(wrong_by(1), (x,), fast_mode=fast, raise_exception=False)


@modes
def test_several_inputs_and_outputs(fast):
    a, b = leaf(0.3, 0.7), torch.ones(3, 1, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda a, n, b: (a * b, b.sum(), n), (a, 3, b), fast_mode=fast)
    assert gradgradcheck(lambda a, b: (a * b, b.exp()), (a, b), fast_mode=fast)


def conj(t: torch.Tensor) -> torch.Tensor:
    return t.abs() * t.abs() / t


def square_with(conjugate):
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return gradient * 2 * (conj(x) if conjugate else x)

    return Square.apply


@modes
def test_complex(fast):
    z = torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(square_with(True), z, fast_mode=fast)
    assert gradcheck(lambda t: t.abs(), z, fast_mode=fast)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(square_with(False), z, fast_mode=fast)


def test_second_derivatives():
    class Half(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2 * ctx.saved_tensors[0].detach()

    x = leaf(0.3, 0.7)
    assert gradcheck(Half.apply, x)
    with pytest.raises(GradcheckError):
        gradgradcheck(Half.apply, x)


def test_undefined_gradients_and_repetition():
    class NeedsAll(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            return first + 2 * second

    x = leaf(0.3)
    with pytest.raises((GradcheckError, TypeError)):
        gradcheck(NeedsAll.apply, x)

    class Drifts(Function):
        count = 0

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            Drifts.count += 1
            return gradient * (2 + 1e-7 * Drifts.count)

    with pytest.raises(GradcheckError, match="not reentrant"):
        gradcheck(Drifts.apply, x)
    assert gradcheck(Drifts.apply, x, nondet_tol=1e-3, check_undefined_grad=False)


def test_what_it_can_not_check():
    with pytest.raises(ValueError, match="at least one input"):
        gradcheck(lambda t: t, torch.ones(1))
    with pytest.raises(RuntimeError, match="stride 0"):
        gradcheck(lambda t: t, leaf(1.0).expand(3))
    with pytest.warns(UserWarning, match="float64"):
        gradcheck(
            lambda t: t * 2, torch.ones(1, requires_grad=True), atol=1.0, raise_exception=False
        )


def test_jacobian():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    one = functional.jacobian(lambda t: t * t, x)
    assert one.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert not one.requires_grad
    pair = functional.jacobian(lambda a, b: a * b, (x, y))
    assert [p.tolist() for p in pair] == [[[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]]
    both = functional.jacobian(lambda t: (t * 2, t.sum()), x)
    assert [b.tolist() for b in both] == [[[2.0, 0.0], [0.0, 2.0]], [1.0, 1.0]]
    recorded = functional.jacobian(lambda t: t * t, x, create_graph=True)
    recorded.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_jacobian_of_what_does_not_depend():
    x = leaf(1.0, 2.0)
    assert functional.jacobian(lambda t: torch.ones(2), x).tolist() == [[0.0, 0.0]] * 2
    with pytest.raises(RuntimeError, match="does not require gradients"):
        functional.jacobian(lambda t: torch.ones(2), x, strict=True)
    with pytest.raises(TypeError, match="got int"):
        functional.jacobian(lambda t: 3, x)


def test_gradients_inside_vmap():
    class Asks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * (2 + 0 * gradient.sum().item())

    class Turns(Asks):
        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2 if type(gradient) is torch.Tensor else gradient * 3

    x = leaf(1.0, 2.0)
    z = torch.tensor([1 + 2j, 0.5], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda x, z: (x.sum() * z * z, x.sin()), (x, z), check_batched_grad=True)
    assert gradgradcheck(torch.sin, x, check_batched_grad=True)
    for function, text in ((Asks, "can't be computed inside vmap"), (Turns, "is another inside")):
        assert gradcheck(function.apply, x)
        with pytest.raises(GradcheckError, match=text):
            gradcheck(function.apply, x, check_batched_grad=True)


def test_hessian_and_products():
    x, v = leaf(1.0, 2.0), torch.tensor([1.0, 10.0], dtype=torch.float64)
    cube = lambda t: (t * t * t).sum()  # noqa: E731
    assert functional.hessian(cube, x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    for product in (functional.vhp, functional.hvp):
        value, made = product(cube, x, v)
        assert (value.item(), made.tolist()) == (9.0, [6.0, 120.0])
    mixed = functional.hessian(lambda a, b: (a * b).sum(), (x, v))
    assert mixed[0][1].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert mixed[0][0].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    with pytest.raises(RuntimeError, match="single element"):
        functional.hessian(lambda t: t * t, x)


def test_vjp_and_jvp():
    x, v = leaf(1.0, 2.0), torch.tensor([1.0, 10.0], dtype=torch.float64)
    mix = lambda t: torch.stack([t.sum(), t[0] * t[1], t[1]])  # noqa: E731
    value, made = functional.jvp(mix, x, v)
    assert value.tolist() == [3.0, 2.0, 2.0]
    assert made.tolist() == [11.0, 12.0, 10.0]
    _, made = functional.vjp(mix, x, torch.ones(3, dtype=torch.float64))
    assert made.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="v can be None only"):
        functional.vjp(mix, x)
    with pytest.raises(RuntimeError, match="invalid size"):
        functional.vjp(mix, x, v)
