"""vmap: structures, dimensions, randomness, nesting, and every op against a loop over slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import cepheid as torch
from cepheid.func import grad, vjp, vmap
from tools.runner import run_this_file

X = torch.arange(3.0)
XS = torch.arange(6.0).view(2, 3)
A = (torch.arange(24.0, dtype=torch.float64) * 0.37).sin().view(2, 3, 4)
D = torch.tensor([[0.5, 1.0, 2.0], [1.5, -1.0, 0.25]], dtype=torch.float64)
B = (torch.arange(24.0, dtype=torch.float64) * 0.73).cos().view(2, 4, 3)


def test_dimensions() -> None:
    assert vmap(torch.sum)(XS).tolist() == [3, 12]
    assert vmap(torch.sum, in_dims=1)(XS).tolist() == vmap(torch.sum, in_dims=-1)(XS).tolist()
    assert vmap(torch.mul, in_dims=(0, None))(XS, X).tolist() == (XS * X).tolist()
    assert vmap(torch.mul, in_dims=(0, None))(XS, 3).tolist() == (XS * 3).tolist()
    assert vmap(lambda x: x, out_dims=1)(XS).shape == (3, 2)
    assert vmap(lambda x: x, out_dims=-1)(XS).shape == (3, 2)
    assert [t.shape for t in vmap(lambda x: (x, x), out_dims=(0, 1))(XS)] == [(2, 3), (3, 2)]
    assert vmap(lambda x: X)(XS).tolist() == [X.tolist()] * 2
    assert vmap(lambda x: X, out_dims=None)(XS) is X
    assert vmap(torch.sin)(torch.zeros(0, 3)).shape == (0, 3)


def test_nests_and_chunks() -> None:
    nest = {"a": XS, "b": [X]}
    f = vmap(lambda d: {"s": d["a"] + d["b"][0]}, in_dims=({"a": 0, "b": None},))
    assert f(nest)["s"].tolist() == (XS + X).tolist()
    assert vmap(lambda d: d["a"].sum())({"a": XS}).tolist() == [3, 12]
    assert vmap(lambda x, k: x + k)(XS, k=XS).shape == (2, 2, 3)
    for chunk in (1, 2, 3):
        assert vmap(lambda x: x * 2, chunk_size=chunk)(XS).tolist() == (XS * 2).tolist()
        assert vmap(lambda x: x * 2, out_dims=1, chunk_size=chunk)(XS).shape == (3, 2)


def test_nesting() -> None:
    outer = vmap(vmap(torch.mul, in_dims=(None, 0)), in_dims=(0, None))
    assert outer(X, X).tolist() == (X.view(3, 1) * X).tolist()

    def energy(x: Any) -> Any:
        return (x.sin() * X).sum()

    assert vmap(grad(energy))(XS).tolist() == (XS.cos() * X).tolist()
    through = grad(lambda x: vmap(lambda row: row.sin() * x[0])(x).sum())(XS)
    row = torch.zeros(2, 3)
    row[0] = XS.sin().sum(0)
    assert (through - (XS.cos() * XS[0] + row)).abs().max() < 1e-6
    # The outer gradient goes through the one taken for each slice.
    twice = grad(lambda x: vmap(grad(lambda r: (r**3).sum()))(x).sum())(XS)
    assert (twice - 6 * XS).abs().max() < 1e-4
    recorded = XS.clone().requires_grad_()
    vmap(grad(lambda r: (r**3).sum()))(recorded).sum().backward()
    assert recorded.grad is not None
    assert (recorded.grad - 6 * XS).abs().max() < 1e-4


def close(got: Any, wanted: Any) -> bool:
    return bool(((got - wanted).abs() <= 1e-12 * (1 + wanted.abs())).all())


CALLS: list[Callable[..., Any]] = [
    lambda x: x[0, :3] + x[-1, 1:],
    lambda x: x.sum(0),
    lambda x: x.sum(),
    lambda x: x.mean((0, 1), keepdim=True),
    lambda x: torch.softmax(x, -1) + torch.log_softmax(x, 0),
    lambda x: x.max(1).values + x.amax(1) + x.max() + x.min() + x.prod(),
    lambda x: x.argmax() + x.argmin(0) + x.argmax(1, keepdim=True),
    lambda x: x.median() + x.median(0).values.sum(),
    lambda x: x.std() + x.var(0) + torch.linalg.vector_norm(x),
    lambda x: x.cumsum(0) + x.cumprod(1) + x.logcumsumexp(0),
    lambda x: x.sort(1, descending=True).values + x.sort(0).values,
    lambda x: torch.topk(x, 2, 1).values,
    lambda x: x.t() @ x,
    lambda x: x @ torch.ones(4, dtype=torch.float64),
    lambda x: torch.ones(3, dtype=torch.float64) @ x,
    lambda x: torch.addmm(x, x, x.t() @ x, beta=2, alpha=3),
    lambda x: torch.nn.functional.linear(x, x),
    lambda x: torch.nn.functional.layer_norm(x, (4,)),
    lambda x: x.reshape(4, -1).unsqueeze(0).squeeze().permute(1, 0).flip(0),
    lambda x: x.view(12).unfold(0, 3, 2).diagonal(0, 0, 1),
    lambda x: torch.cat([x, torch.ones(3, 1, dtype=torch.float64)], 1),
    lambda x: torch.stack([x, x * 2], 1).flatten(),
    lambda x: torch.where(x > 0, x, 0.5) + x.clamp(-0.2, 0.3),
    lambda x: x.masked_fill(x > 0, x[0, 0]),
    lambda x: x.gather(1, torch.tensor([[0], [2], [1]])),
    lambda x: x[torch.tensor([2, 0])] + x[:, torch.tensor([1])][0],
    lambda x: x.index_select(1, torch.tensor([3, 3])),
    lambda x: x.tril() + x.triu(1) + x.roll(1, 0),
    lambda x: x.clone().mul_(2).add_(x[0]),
    lambda x: torch.as_strided(x.clone(), (2, 2), (4, 1), 1),
    lambda x: (x[0, 0] + x).pow(2) + x[0, 0].sum(-1, keepdim=True).cumsum(0),
    lambda x: torch.broadcast_to(x[0], (2, 4)) + x[1].expand(2, 4),
    lambda x: x.chunk(2, 1)[0] + x.split([1, 3], 1)[1][:, :1] + x.unbind(1)[0].view(3, 1),
    lambda x: torch.nn.functional.conv2d(x.view(1, 1, 3, 4), x[:2, :2].view(1, 1, 2, 2)),
    lambda x: torch.nn.functional.max_pool2d(x.view(1, 1, 3, 4), 2),
    lambda x: x.all() | x.any(0),
    lambda x: torch.count_nonzero(x > 0),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_ops_do_what_a_loop_over_slices_does(call: Callable[..., Any]) -> None:
    wanted = torch.stack([call(x) for x in A])
    got = vmap(call)(A)
    assert got.dtype is wanted.dtype
    assert got.shape == wanted.shape
    assert ((got.double() - wanted.double()).abs() < 1e-12).all()
    if not wanted.is_floating_point():
        return

    def derivative(x: Any) -> Any:
        out, pull = vjp(lambda v: call(v).pow(2).sum(), x)
        return pull(torch.ones_like(out))[0]

    wanted = torch.stack([derivative(x) for x in A])
    assert ((vmap(derivative)(A) - wanted).abs() < 1e-10).all()
    through = grad(lambda batch: vmap(lambda x: call(x).pow(2).sum())(batch).sum())(A)
    assert ((through - wanted).abs() < 1e-10).all()


def test_two_batched_operands() -> None:
    assert ((vmap(torch.mm)(A, B) - A @ B).abs() < 1e-12).all()
    rows = vmap(lambda w, i: w[i], in_dims=(0, 0))(A, torch.tensor([[2, 0], [1, 1]]))
    assert rows.tolist() == [A[0][[2, 0]].tolist(), A[1][[1, 1]].tolist()]
    shared = vmap(lambda i: A[0][i])(torch.tensor([[2], [0]]))
    assert shared.squeeze(1).tolist() == A[0][[2, 0]].tolist()
    # A number counts less for the dtype than a tensor with dimensions, in every slice.
    numbers = torch.ones(2, dtype=torch.float64)
    assert vmap(torch.add)(numbers, torch.ones(2, 3)).dtype is torch.float32
    assert vmap(torch.add)(torch.ones(2), torch.ones(2, dtype=torch.float64)).dtype is torch.float64


def test_random_numbers() -> None:
    for draw in (
        lambda x: torch.rand(3),
        torch.rand_like,
        lambda x: torch.nn.functional.dropout(x + 1),
        lambda x: x.clone().normal_(),
        lambda x: torch.randperm(50),
    ):
        with pytest.raises(RuntimeError, match="randomness error mode"):
            vmap(draw)(XS)
        same = vmap(draw, randomness="same")(torch.zeros(2, 40))
        assert same[0].tolist() == same[1].tolist()
        different = vmap(draw, randomness="different")(torch.zeros(2, 40))
        assert different[0].tolist() != different[1].tolist()
    kept = vmap(lambda x: torch.nn.functional.dropout(x, training=False))(XS)
    assert kept.tolist() == XS.tolist()
    ones = torch.ones(2, 40)
    dropped = vmap(grad(lambda x: torch.nn.functional.dropout(x).sum()), randomness="different")
    assert set(dropped(ones).flatten().tolist()) == {0.0, 2.0}


class Cube(torch.autograd.Function):
    """Has a rule of its own."""

    @staticmethod
    def forward(x: Any) -> Any:
        return x**3

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 3 * ctx.saved_tensors[0] ** 2

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any) -> Any:
        assert (info.batch_size, info.randomness, in_dims) == (2, "error", (0,))
        return Cube.apply(x), 0


def test_functions_with_a_rule() -> None:
    assert vmap(Cube.apply)(XS).tolist() == (XS**3).tolist()
    through = grad(lambda x: vmap(Cube.apply)(x).sum())(XS)
    assert through.tolist() == (3 * XS**2).tolist()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: vmap(torch.mul, in_dims=(None, None))(X, X), ValueError, "at least one Tensor"),
        (lambda: vmap(torch.sum, in_dims=None)(XS), ValueError, "in_dims must be an int"),
        (lambda: vmap(torch.sum, in_dims=2)(XS), ValueError, "expected -2 <= in_dim < 2"),
        (lambda: vmap(torch.mul, in_dims=(0, 0, 0))(XS, X), ValueError, "not compatible"),
        (lambda: vmap(torch.sum, in_dims=(0.5,))(XS), ValueError, "integer dimension or None"),
        (lambda: vmap(torch.mul)(XS, 3), ValueError, "of type int"),
        (lambda: vmap(torch.mul)(XS, X), ValueError, r"got sizes \[2, 3\]"),
        (lambda: vmap(lambda: X)(), ValueError, "got no inputs"),
        (lambda: vmap(lambda x: x, out_dims=None)(XS), ValueError, "differs by slice"),
        (lambda: vmap(lambda x: (x, x), out_dims=(0, 1, 2))(XS), ValueError, "not compatible"),
        (lambda: vmap(lambda x: x, out_dims=5)(XS), IndexError, "out of range"),
        (lambda: vmap(lambda x: x, out_dims="a")(XS), ValueError, "out_dims must be"),
        (lambda: vmap(lambda x: 3)(XS), ValueError, "only return tensors; got type int"),
        (lambda: vmap(lambda x: x.sum().item())(XS), RuntimeError, "gives a number"),
        (lambda: vmap(lambda x: x if x.sum() > 0 else -x)(XS), RuntimeError, "control flow"),
        (lambda: vmap(lambda x: x.nonzero())(XS), RuntimeError, "shape depends on values"),
        (lambda: vmap(lambda x: x[x >= 0])(XS), RuntimeError, "shape depends on values"),
        (lambda: vmap(lambda x: x.masked_select(x > 0))(XS), RuntimeError, "on values"),
        (lambda: vmap(lambda x: torch.zeros(3).add_(x))(XS), RuntimeError, "all slices share"),
        (lambda: vmap(lambda x: torch.add(x, x, out=X))(XS), RuntimeError, "out= isn't supported"),
        (lambda: vmap(torch.sum, randomness="no")(XS), RuntimeError, "randomness must be"),
        (lambda: vmap(torch.sum, chunk_size=0)(XS), ValueError, "greater than 0"),
        (lambda: vmap(lambda x: x.sum(3))(XS), IndexError, "out of range"),
        (lambda: vmap(lambda x: x.view(5))(XS), RuntimeError, "invalid for input of size 3"),
    ],
)
def test_refusals(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
    assert not torch.autograd.transforms.levels()
    assert (X + 1).tolist() == [1, 2, 3]


def through_item(x: Any) -> Any:
    y = x * 1
    y[0] = x[1] * x[2]
    return (y**2).sum()


def into_zeros(x: Any) -> Any:
    y = x.new_zeros(4)
    y[1:] = x
    y[:3] += x * x
    return (y**2).sum()


def view_kept_before_the_write(x: Any) -> Any:
    y = x * 2
    v = y[1:]
    v.mul_(x[0])
    y.add_(v.sum())
    return (y**3).sum() + v.sum()


def diagonal_and_transposed(x: Any) -> Any:
    y = torch.outer(x, x)
    y.t()[0] = x
    y.diagonal().mul_(2)
    return y.sin().sum()


@pytest.mark.parametrize(
    "f", [through_item, into_zeros, view_kept_before_the_write, diagonal_and_transposed]
)
def test_gradients_of_writes_to_views(f: Callable[[Any], Any]) -> None:
    slices = [grad(f)(x) for x in D]
    assert close(vmap(grad(f))(D), torch.stack(slices))
    assert close(vmap(grad(f), in_dims=1)(D.t().clone()), torch.stack(slices))
    nested = vmap(vmap(grad(f)))(torch.stack([D, D + 1]))
    assert close(nested[1], torch.stack([grad(f)(x + 1) for x in D]))
    assert close(grad(lambda d: vmap(f)(d).sum())(D), torch.stack(slices))
    twice = grad(lambda d: vmap(grad(f))(d).sin().sum())(D)
    assert close(twice, torch.stack([grad(lambda x: grad(f)(x).sin().sum())(x) for x in D]))


def test_a_cotangent_that_all_slices_share() -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y[0] = x[0] * 2
        return y

    pulled = vmap(lambda x: vjp(f, x)[1](torch.ones(3, dtype=D.dtype))[0])(D)
    assert pulled.tolist() == [[2, 1, 1]] * 2


def test_a_write_to_what_a_gradient_needs_is_noticed() -> None:
    def after_use(x: Any) -> Any:
        y = x * 1
        z = (y * y).sum()
        y.add_(1)
        return z

    def through_a_view(x: Any) -> Any:
        y = x * 1
        z = (y * y).sum()
        y[0].add_(1)
        return z

    def of_a_view(x: Any) -> Any:
        y = x * 1
        v = y[1:]
        z = (v * v).sum()
        y.add_(1)
        return z

    for f in (after_use, through_a_view, of_a_view):
        with pytest.raises(RuntimeError, match="changed in place"):
            vmap(grad(f))(D)


def test_one_of_several_views_is_not_written_with_recording() -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y.chunk(3)[0].mul_(2)
        return y.sum()

    with pytest.raises(RuntimeError, match="one of several views"):
        vmap(grad(f))(D)
    assert close(vmap(lambda x: f(x.clone()))(D), D.sum(1) + D[:, 0])


def test_named_results_and_numbers_as_indices() -> None:
    made = vmap(lambda x: x.sort(descending=True))(XS)
    assert made.values.tolist() == XS.flip(1).tolist()
    assert made.indices.tolist() == [[2, 1, 0]] * 2
    places = torch.tensor([1, 0])
    assert vmap(lambda i: X[i])(places).tolist() == [1, 0]
    assert vmap(lambda i: XS[i, 1:])(places).tolist() == XS[places, 1:].tolist()
    assert vmap(lambda x, i: x[i])(XS, places).tolist() == [1, 3]

    def put(x: Any, i: Any) -> Any:
        y = x.clone()
        y[i] = 9
        return y

    assert vmap(put)(XS, places).tolist() == [[0, 9, 2], [9, 4, 5]]


def test_gradients_inside_are_not_recorded_outside() -> None:
    shared = torch.ones(3)
    each = vmap(lambda r: grad(lambda s: (s * r).pow(2).sum())(shared))(XS)
    assert each.tolist() == (2 * XS * XS).tolist()
    assert not each.requires_grad
    shared.requires_grad_()
    assert vmap(lambda r: grad(lambda s: (s * r).pow(2).sum())(shared))(XS).requires_grad


if __name__ == "__main__":
    run_this_file()
