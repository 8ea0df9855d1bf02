"""`gradcheck`: derivatives against differences of the function's values.

Note [Real Jacobians]
A complex number counts as two real ones, its parts. The gradient that a backward pass gives for a
complex tensor is, part by part, that of the real parts: so the Jacobian over all real parts, row by
row from backward passes, must be the one that differences give, complex or not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cepheid import _C, autograd
from cepheid.autograd.function import Function

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Tensor = _C.Tensor
Several = tuple[Tensor, ...]
_DTYPES = _C._dtypes()


class GradcheckError(RuntimeError):
    """A derivative is not that of the function."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the derivatives of `func` by those `inputs` that require a gradient are right.

    Each is compared with a difference over 2 `eps`, within `atol + rtol * |difference|`: use
    float64 or complex128. `fast_mode` compares one random projection in place of every element.
    A gradient must come out the same a second time within `nondet_tol`, and an undefined gradient
    of a result must be taken (`check_undefined_grad`); with `check_batched_grad`, one pass for
    several gradients must give what a pass for each gives. GradcheckError, or False without
    `raise_exception`.
    """
    if check_batched_forward_grad or check_forward_ad:
        raise NotImplementedError("gradcheck: forward mode is not part of this version")
    args = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    _check_inputs(args)
    try:
        if check_backward_ad:
            check = _Check(func, args, eps, atol, rtol, nondet_tol)
            check.jacobians(fast_mode)
            check.zeros()
            if check_batched_grad:
                check.batched()
            if check_undefined_grad:
                check.undefined()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """`gradcheck` of the derivative of `func`, by its inputs and by the gradients of its results.

    These are random where `grad_outputs` gives none. The rest is as for `gradcheck`.
    """
    if check_fwd_over_rev:
        raise NotImplementedError("gradgradcheck: forward mode is not part of this version")
    args = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outputs = _differentiable(func(*args))
    if grad_outputs is None:
        seeds = tuple(_seed_like(o, gen_non_contig_grad_outputs) for o in outputs)
    else:
        seeds = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)

    def derivative(*both: Any) -> Several:
        own, given = both[: len(args)], both[len(args) :]
        wanted = [a for a in own if _wants(a)]
        roots = _differentiable(func(*own))
        made = autograd.grad(roots, wanted, given, create_graph=True, allow_unused=True)
        return tuple(g for g in made if g is not None)

    return gradcheck(
        derivative,
        (*args, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
    )


class _Check:
    """One function with its inputs; each method is one thing that must hold."""

    def __init__(
        self,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        eps: float,
        atol: float,
        rtol: float,
        nondet_tol: float,
    ) -> None:
        self.func = func
        self.args = args
        self.eps, self.atol, self.rtol, self.nondet_tol = eps, atol, rtol, nondet_tol
        self.wanted = [a for a in args if _wants(a)]
        self.outputs = _differentiable(func(*args))

    def jacobians(self, fast: bool) -> None:
        """Every output by every input."""
        for o, output in enumerate(self.outputs):
            if fast:
                pairs = self._projected(o, output)
            else:
                pairs = [self._whole(o, output, i) for i in range(len(self.wanted))]
            for i, (numerical, analytical) in enumerate(pairs):
                if not _close(analytical, numerical, self.atol, self.rtol):
                    raise GradcheckError(
                        f"gradcheck: Jacobian mismatch for output {o} with respect to input {i},\n"
                        f"numerical: {numerical}\nanalytical: {analytical}"
                    )

    def _whole(self, o: int, output: Tensor, i: int) -> tuple[Tensor, Tensor]:
        """The real Jacobian, inputs x outputs, by differences and by backward passes."""
        rows = [self._difference(o, direction, i) for direction in _units(self.wanted[i])]
        columns = [self._backward(output, seed, i) for seed in _units(output)]
        shape = (_parts(self.wanted[i]), _parts(output))
        if not rows or not columns:
            return _C.functions.zeros(shape), _C.functions.zeros(shape)
        stack = _C.functions.stack
        return stack(rows), stack(columns).t()

    def _projected(self, o: int, output: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """v J u for one random v over the output and one random u over each input."""
        v = _random_like(output)
        for i, given in enumerate(self.wanted):
            u = _random_like(given)
            numerical = (self._difference(o, u, i) * _real(v)).sum()
            yield numerical, (self._backward(output, v, i) * _real(u)).sum()

    def _difference(self, o: int, direction: Tensor, i: int) -> Tensor:
        """The derivative of an output along a direction of an input."""
        ahead, behind = (self._value(o, direction * step, i) for step in (self.eps, -self.eps))
        return (ahead - behind) / (2 * self.eps)

    def _value(self, o: int, step: Tensor, i: int) -> Tensor:
        moved = iter(range(len(self.wanted)))
        args = []
        for argument in self.args:
            if _wants(argument) and next(moved) == i:
                own = argument.detach().clone()
                own += step
                argument = own.requires_grad_()
            args.append(argument)
        return _real(_differentiable(self.func(*args))[o].detach().clone())

    def _backward(self, output: Tensor, seed: Tensor, i: int) -> Tensor:
        first, second = (self._gradient(output, seed, i) for _ in range(2))
        if not _close(first, second, self.nondet_tol, 0.0):
            raise GradcheckError(
                "gradcheck: backward is not reentrant, i.e. it gives other gradients when it is run"
                f" again with the same input and gradient; they differ by more than nondet_tol ="
                f" {self.nondet_tol}"
            )
        return first

    def _gradient(self, output: Tensor, seed: Tensor, i: int) -> Tensor:
        given = self.wanted[i]
        made = None
        if output.requires_grad:
            (made,) = autograd.grad(output, given, seed, retain_graph=True, allow_unused=True)
        if made is None:
            return _real(_C.functions.zeros_like(given, requires_grad=False))
        if made.shape != given.shape or made.dtype != given.dtype:
            raise GradcheckError(
                f"gradcheck: the gradient of input {i} must be of its shape {list(given.shape)} and"
                f" dtype {given.dtype}; got {list(made.shape)} and {made.dtype}"
            )
        return _real(made)

    def zeros(self) -> None:
        """Zeros as gradients of the results give zeros."""
        roots = [o for o in self.outputs if o.requires_grad]
        if not roots:
            return
        seeds = [_C.functions.zeros_like(o, requires_grad=False) for o in roots]
        for made in autograd.grad(roots, self.wanted, seeds, retain_graph=True, allow_unused=True):
            if made is not None and not bool((made == 0).all()):
                raise GradcheckError("gradcheck: backward is not multiplied by grad_output")

    def batched(self) -> None:
        """Two gradients of a result at once, as inside vmap, against one after the other."""
        for o, output in enumerate(self.outputs):
            if not output.requires_grad:
                continue
            seeds = _C.functions.stack([_random_like(output) for _ in range(2)])
            options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
            try:
                together = autograd.grad(
                    output, self.wanted, seeds, is_grads_batched=True, **options
                )
            except RuntimeError as error:
                raise GradcheckError(
                    f"gradcheck: backward of output {o} can't be computed inside vmap: {error}"
                ) from error
            for place, seed in enumerate(seeds):
                alone = autograd.grad(output, self.wanted, seed, **options)
                for i, (one, all_) in enumerate(zip(alone, together, strict=True)):
                    if not _close(all_[place], one, self.atol, self.rtol):
                        raise GradcheckError(
                            f"gradcheck: the gradient of output {o} by input {i} is another inside"
                            f" vmap: {all_[place]} instead of {one}"
                        )

    def undefined(self) -> None:
        """Results without a gradient, one after the other and all together, count as zeros."""
        outputs = _differentiable(self.func(*self.args))
        places = [i for i, o in enumerate(outputs) if o.requires_grad]
        for missing in [*([i] for i in places), places]:
            cut = [_Undefined.apply(outputs[i]) if i in missing else outputs[i] for i in places]
            seeds = [_C.functions.zeros_like(o, requires_grad=False) for o in cut]
            try:
                made = autograd.grad(cut, self.wanted, seeds, retain_graph=True, allow_unused=True)
            except RuntimeError as error:
                raise GradcheckError(
                    "gradcheck: expected backward function to handle undefined output grads, which"
                    " stand for zeros"
                ) from error
            if any(g is not None and not bool((g == 0).all()) for g in made):
                raise GradcheckError(
                    "gradcheck: expected all gradients to be zero or None where the output grads"
                    " are undefined or zero"
                )


class _Undefined(Function):
    """Passes no gradient on."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> None:
        return None


def _wants(argument: Any) -> bool:
    return isinstance(argument, Tensor) and argument.requires_grad


def _check_inputs(args: tuple[Any, ...]) -> None:
    if not any(map(_wants, args)):
        raise ValueError(
            "gradcheck: it expects at least one input tensor to require gradient, but none of them"
            " have requires_grad=True"
        )
    for position, argument in enumerate(args):
        if not _wants(argument):
            continue
        if argument.dtype not in (_DTYPES["float64"], _DTYPES["complex128"]):
            warnings.warn(
                f"gradcheck: input {position} requires a gradient and is of {argument.dtype};"
                " differences need float64 or complex128",
                stacklevel=3,
            )
        pairs = zip(argument.shape, argument.stride(), strict=True)
        if any(size > 1 and stride == 0 for size, stride in pairs):
            raise RuntimeError(
                f"gradcheck: input {position} has a dimension of stride 0, whose elements can't be"
                " moved one by one; call contiguous() on it"
            )


def _differentiable(outputs: Any) -> Several:
    """The outputs that have derivatives."""
    several = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    return tuple(
        o for o in several if isinstance(o, Tensor) and (o.is_floating_point() or o.is_complex())
    )


def _real(t: Tensor) -> Tensor:
    """All real parts as a vector: those of complex numbers after one another."""
    if not t.is_complex():
        return t.reshape(-1)
    dtype = _DTYPES["float32" if t.dtype == _DTYPES["complex64"] else "float64"]
    parts = [(t.detach() * turn).to(dtype).reshape(-1) for turn in (1, -1j)]
    return _C.functions.stack(parts, -1).reshape(-1)


def _parts(t: Tensor) -> int:
    return t.numel() * (2 if t.is_complex() else 1)


def _units(t: Tensor) -> Iterator[Tensor]:
    """A one in every real part of a tensor like `t`, with zeros elsewhere."""
    for position in range(t.numel()):
        for one in (1, 1j) if t.is_complex() else (1,):
            flat = _C.functions.zeros((t.numel(),), dtype=t.dtype, device=t.device)
            flat[position] = one
            yield flat.reshape(t.shape)


def _random_like(t: Tensor) -> Tensor:
    """A random direction, of unit length: gradients of results and steps of inputs."""
    made = _C.functions.randn(t.shape, dtype=t.dtype, device=t.device)
    length = _real(made).square().sum().sqrt()
    return made if t.numel() == 0 else made / length.to(made.dtype)


def _seed_like(t: Tensor, non_contiguous: bool) -> Tensor:
    made = _C.functions.randn(t.shape, dtype=t.dtype, device=t.device)
    if non_contiguous and made.dim():
        made = _C.functions.stack([made, made], -1).select(-1, 0)
    return made.requires_grad_()


def _close(a: Tensor, b: Tensor, atol: float, rtol: float) -> bool:
    near = (a - b).abs() <= atol + rtol * b.abs()
    return bool((near | (a == b) | (a.isnan() & b.isnan())).all())
