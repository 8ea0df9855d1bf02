"""grad, grad_and_value, vjp and the Jacobians: values, nesting, and who can differentiate them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import cepheid as torch
from cepheid.func import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)
from tools.runner import run_this_file

X = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)


def close(got: Any, wanted: Any) -> bool:
    return bool(((got - wanted).abs() <= 1e-12).all())


def cube(x: Any) -> Any:
    return (x**3).sum()


def test_gradients_by_argument() -> None:
    assert grad(cube)(X).tolist() == (3 * X * X).tolist()
    both = grad(lambda x, y: (x * y * y).sum(), argnums=(0, -1))(X, X)
    assert close(both[0], X * X)
    assert close(both[1], 2 * X * X)
    nest = grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": X, "b": (X + 1,)})
    assert close(nest["a"], X + 1)
    assert close(nest["b"][0], X)
    assert grad(lambda x: torch.ones(()))(X).tolist() == [0, 0, 0]


def test_values_and_aux_come_along() -> None:
    gradient, (value, aux) = grad_and_value(lambda x: (cube(x), {"a": x * 2}), has_aux=True)(X)
    assert value == cube(X)
    assert aux["a"].tolist() == (X * 2).tolist()
    assert not any(t.requires_grad for t in (gradient, value, aux["a"]))
    assert grad(lambda x: (cube(x), x), has_aux=True)(X)[1].tolist() == X.tolist()


def test_nested_gradients_hold_outer_values_constant() -> None:
    # d/dx [x * d/dy (x + y) at y = 1] is 1; a mixed-up perturbation would give 2.
    one = torch.tensor(1.0)
    assert grad(lambda x: x * grad(lambda y: x + y)(one))(one) == 1
    f: Callable[..., Any] = torch.sin
    for _ in range(4):
        f = grad(f)
    assert close(f(X[0]), X[0].sin())
    mixed = grad(lambda x: grad(lambda y: x**2 * y**3)(x * 2))(X[2])
    assert close(mixed, 48 * X[2] ** 3)


def test_results_are_recorded_only_for_somebody_outside() -> None:
    w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    assert not grad(cube)(X).requires_grad
    through = grad(lambda x: (x * w).pow(2).sum())(X)
    assert through.requires_grad
    (made,) = torch.autograd.grad(through.sum(), w)
    assert close(made, 4 * X * w.detach())
    assert not grad(lambda x: cube(x) + w.sum())(X).requires_grad
    leaf = X.clone().requires_grad_()
    assert close(torch.autograd.grad(grad(cube)(leaf).sum(), leaf)[0], 6 * X)
    with torch.no_grad():
        assert close(grad(cube)(leaf), 3 * X * X)
        assert not grad(cube)(leaf).requires_grad


def test_vjp_may_be_called_again_and_differentiated() -> None:
    outputs, pull = vjp(lambda x, y: {"a": x * y, "b": y.sum()}, X, X + 1)
    ones = {"a": torch.ones_like(X), "b": torch.zeros((), dtype=X.dtype)}
    assert close(outputs["a"], X * (X + 1))
    for _ in range(2):
        gx, gy = pull(ones)
        assert close(gx, X + 1)
        assert close(gy, X)
    second = grad(lambda x: (vjp(torch.sin, x)[1](torch.ones_like(x))[0]).sum())(X)
    assert close(second, -X.sin())
    assert vjp(lambda x: (x, x * 3), X, has_aux=True)[2].tolist() == (X * 3).tolist()


def test_forward_products() -> None:
    v = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    out, made = jvp(torch.sin, (X,), (v,))
    assert close(out, X.sin())
    assert close(made, X.cos() * v)
    out, made = jvp(lambda x: (x * 2, (x > 1).int()), (X,), (v,))
    assert made[1].tolist() == [0, 0, 0]
    out, push = linearize(lambda x, y: x * y, X, X + 1)
    assert close(push(v, v), v * (X + 1) + X * v)
    assert close(push(v, 0 * v), v * (X + 1))
    assert jvp(lambda x: torch.ones(2), (X,), (v,))[1].tolist() == [0, 0]
    nested = jvp(lambda x: jvp(torch.sin, (x,), (v,))[1], (X,), (v,))[1]
    assert close(nested, -X.sin() * v * v)


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobians(jacobian: Any) -> None:
    assert close(jacobian(torch.sin)(X), torch.eye(3, dtype=X.dtype) * X.cos())
    y = torch.ones(2, dtype=X.dtype)
    first, rest = jacobian(lambda x, y: (x * y.sum(), {"a": y * 2}), argnums=(0, 1))(X, y)
    assert close(first[0], 2 * torch.eye(3, dtype=X.dtype))
    assert close(first[1], X.unsqueeze(1).expand(3, 2))
    assert close(rest["a"][0], torch.zeros(2, 3))
    assert close(rest["a"][1], 2 * torch.eye(2, dtype=X.dtype))
    shaped = jacobian(lambda x: x.view(1, 3) * x.view(3, 1))(X)
    assert shaped.shape == (3, 3, 3)
    made, aux = jacobian(lambda x: (x * 2, x * 3), has_aux=True)(X)
    assert close(aux, X * 3)
    assert close(made, 2 * torch.eye(3, dtype=X.dtype))
    per_row = vmap(jacobian(torch.sin))(torch.stack([X, X + 1]))
    assert close(per_row[1], torch.eye(3, dtype=X.dtype) * (X + 1).cos())


def test_hessians() -> None:
    assert close(hessian(cube)(X), 6 * torch.eye(3, dtype=X.dtype) * X)
    blocks = hessian(lambda x, y: (x**3 * y).sum(), argnums=(0, 1))(X, X)
    assert close(blocks[0][1], 3 * torch.eye(3, dtype=X.dtype) * X * X)
    assert close(blocks[1][1], torch.zeros(3, 3))
    assert close(jacfwd(jacrev(cube))(X), hessian(cube)(X))
    assert close(jacrev(torch.sin, chunk_size=2)(X), jacrev(torch.sin)(X))
    batch = torch.stack([X, X + 1])
    assert close(vmap(hessian(cube))(batch)[1], hessian(cube)(X + 1))
    assert close(grad(lambda x: hessian(cube)(x).sum())(X), 6 * torch.ones(3))


def test_autograd_takes_batches_of_cotangents() -> None:
    x = X.clone().requires_grad_()
    eye = torch.eye(3, dtype=X.dtype)
    unused = torch.ones(2, requires_grad=True)
    options: Any = {"is_grads_batched": True, "allow_unused": True}
    made = torch.autograd.grad(x.sin(), (x, unused), eye, **options)
    assert close(made[0], eye * X.cos())
    assert made[1] is None
    for vectorize in (False, True):
        jacobian = torch.autograd.functional.jacobian(torch.sin, X, vectorize=vectorize)
        assert close(jacobian, eye * X.cos())
    forward = torch.autograd.functional.jacobian(
        lambda a, b: (a * b, b.sum()), (X, X + 1), strategy="forward-mode", vectorize=True
    )
    assert close(forward[0][0], eye * (X + 1))
    assert close(forward[1][0], torch.zeros(3))
    assert not forward[0][1].requires_grad
    for options in ({"vectorize": True}, {"strategy": "forward-mode"}):
        with pytest.raises(RuntimeError, match="strict=True needs the reverse mode"):
            torch.autograd.functional.jacobian(torch.sin, X, strict=True, **options)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: grad(lambda x: x)(X), RuntimeError, "must return a scalar Tensor"),
        (lambda: grad(lambda x: 1)(X), RuntimeError, "must return a Tensor; got int"),
        (lambda: grad(torch.sum)(torch.arange(3)), RuntimeError, "can require gradients"),
        (lambda: grad(cube, argnums=5)(X), RuntimeError, "only 1 positional inputs"),
        (lambda: grad(cube, argnums=(0, 0))(X), RuntimeError, "unique"),
        (lambda: grad(cube, argnums=())(X), RuntimeError, "non-empty"),
        (lambda: grad(cube, argnums="a")(X), RuntimeError, "int or a tuple"),
        (lambda: grad(cube, has_aux=True)(X), RuntimeError, "must be a tuple"),
        (lambda: grad(cube)({"a": 1}), ValueError, "must be tensors; got int"),
        (lambda: grad(lambda x: x.sum().backward())(X), RuntimeError, "inside a function trans"),
        (lambda: vjp(torch.sin, X)[1]((X,)), RuntimeError, "structure of the outputs"),
        (lambda: vjp(lambda x: 1, X), RuntimeError, "only tensors; got int"),
        (lambda: jvp(torch.sin, X, X), RuntimeError, "primals to be a tuple"),
        (lambda: jvp(torch.sin, (X,), (X, X)), RuntimeError, "same structure"),
        (lambda: jvp(torch.sin, (X,), (X[:2],)), RuntimeError, "different size"),
        (lambda: jvp(torch.sin, (), ()), RuntimeError, "at least one Tensor"),
        (lambda: jvp(torch.ones_like, (X,), (X,), strict=True), RuntimeError, "independent"),
        (lambda: jacrev(torch.sin, chunk_size=0), ValueError, "greater than 0"),
    ],
)
def test_refusals(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
    assert not torch.autograd.transforms.levels()


def test_jvp_where_a_formula_takes_the_cotangents_logarithm() -> None:
    x, tangent = torch.tensor([0.0, 1.0, -1.0]), torch.tensor([1.0, 2.0, 3.0])
    weights = x.exp()
    expected = (weights * tangent).cumsum(0) / weights.cumsum(0)
    _, made = jvp(lambda t: torch.logcumsumexp(t, 0), (x,), (tangent,))
    assert made.tolist() == pytest.approx(expected.tolist(), rel=1e-6)


if __name__ == "__main__":
    run_this_file()
