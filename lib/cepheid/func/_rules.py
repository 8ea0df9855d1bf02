"""Batching rules: one call on the inner tensors where a call per slice would do."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from cepheid import _C
from cepheid.func._batched import (
    RULES,
    Batched,
    Level,
    Rule,
    is_batched,
    refuse_shared,
    slice_by_slice,
    wrap,
)


def rules(names: str) -> Callable[[Rule], Rule]:
    """Make a function the rule of the ops named."""

    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names.split(), rule))
        return rule

    return register


def normal(dim: int, rank: int) -> int:
    """A dimension of a slice as one of the inner tensor; IndexError as of the op itself."""
    if not -rank <= dim < rank:
        raise IndexError(
            f"dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got"
            f" {dim})"
        )
    return dim % rank + 1


# ---- one operand, element by element or with the batch as one more leading dimension


@rules(
    """abs acos acosh asin asinh atan atanh ceil celu conj_physical cos cosh deg2rad elu erf
    erfc exp exp2 expm1 floor frac gelu_erf gelu_tanh hardshrink hardsigmoid hardswish hardtanh
    isfinite isinf isnan isneginf isposinf leaky_relu log log10 log1p log2 logical_not logit_of
    logit_within logsigmoid mish neg rad2deg reciprocal relu relu6 round rsqrt selu sgn sigmoid
    sign signbit silu sin sinh softplus softshrink sqrt tan tanh threshold trunc bitwise_not"""
)
def unary(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """The batch is one more dimension."""
    return Batched(func(args[0].inner, *args[1:], **kwargs), level)


@rules(
    """abs_ acos_ acosh_ asin_ asinh_ atan_ atanh_ bitwise_not_ ceil_ conj_physical_ cos_ cosh_
    deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fill_.Scalar floor_ frac_ log10_ log1p_ log2_ log_
    logical_not_ neg_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sgn_ sigmoid_ sign_ sin_ sinh_ sqrt_
    tan_ tanh_ trunc_"""
)
def unary_in_place(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """The batch is one more dimension."""
    func(args[0].inner, *args[1:], **kwargs)
    return args[0]


@rules("clone _to_copy empty_like")
def copies(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """The batch is folded into the first dimension where the slices' layout is asked for."""
    inner = args[0].inner
    if kwargs.get("memory_format") not in _LAYOUTS_OF_SLICES:
        return unary(func, level, args, kwargs)
    made = func(inner.flatten(0, 1), *args[1:], **kwargs)
    return Batched(made.view(*inner.shape[:2], *made.shape[1:]), level)


_LAYOUTS_OF_SLICES = [_C._memory_formats()[name] for name in ("channels_last", "channels_last_3d")]


@rules("new_empty")
def new_empty(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """What is made for a batched tensor is written to with batched values."""
    return Batched(func(args[0].inner, [args[0].inner.shape[0], *args[1]], **kwargs), level)


@rules("detach")
def detach(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """What autograd keeps of a tensor: its history ends at this level, not at those further out."""
    return args[0].alias()


@rules("tril triu")
def matrices(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """The last two dimensions stay the last two."""
    if args[0].dim() < 2:
        return slice_by_slice(func, level, args, kwargs)
    return unary(func, level, args, kwargs)


# ---- several operands, broadcast against each other


@rules(
    """_bit_cross_entropy _divergence _hinge_embedding _huber _log_divergence _logit_cross_entropy
    _margin_ranking _smooth_l1 _soft_margin _squared_difference add.Tensor addcdiv addcmul atan2
    bitwise_and.Tensor bitwise_left_shift.Tensor bitwise_or.Tensor bitwise_right_shift.Tensor
    bitwise_xor.Tensor copysign.Tensor div.Tensor eq.Tensor floor_divide fmax fmin fmod.Tensor gcd
    ge.Tensor gt.Tensor hypot lcm le.Tensor lerp.Scalar lerp.Tensor logaddexp logical_and logical_or
    logical_xor lt.Tensor masked_fill.Scalar max.other maximum min.other minimum
    mul.Tensor ne.Tensor pow.Tensor_Tensor remainder.Tensor sub.Tensor trunc_divide where.self
    xlogy.Tensor"""
)
def pointwise(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Slices of fewer dimensions get ones behind the batch."""
    return Batched(func(*aligned(promoted(args, level), level), **kwargs), level)


@rules(
    """add_.Tensor addcdiv_ addcmul_ atan2_ bitwise_and_.Tensor bitwise_left_shift_.Tensor
    bitwise_or_.Tensor bitwise_right_shift_.Tensor bitwise_xor_.Tensor copy_ copysign_.Tensor
    div_.Tensor eq_.Tensor floor_divide_ fmod_.Tensor gcd_ ge_.Tensor gt_.Tensor hypot_ lcm_
    le_.Tensor lerp_.Scalar lerp_.Tensor logical_and_ logical_or_ logical_xor_ lt_.Tensor
    masked_fill_.Scalar mul_.Tensor ne_.Tensor pow_.Tensor_Tensor
    remainder_.Tensor sub_.Tensor xlogy_.Tensor"""
)
def pointwise_in_place(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """As out of place; what is written to must differ by slice already."""
    if not is_batched(args[0], level):
        refuse_shared(func)
    func(*aligned(args, level), **kwargs)
    return args[0]


@rules("masked_fill.Tensor")
def masked_fill(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """With a value of the filled tensor's dtype for each slice."""
    source, mask, value = args
    return _C.functions.where(mask, value.to(source.dtype), source)


def aligned(args: Iterable[Any], level: Level) -> list[Any]:
    """The inner tensors, with the batch in front of as many dimensions as the longest slice has."""
    given = list(args)
    rank = max(value.dim() for value in given if isinstance(value, _C.Tensor))
    return [_with_rank(value, rank) if is_batched(value, level) else value for value in given]


def _with_rank(value: Batched, rank: int) -> _C.Tensor:
    inner = value.inner
    missing = rank - value.dim()
    if missing == 0:
        return inner
    return inner.view(inner.shape[0], *[1] * missing, *inner.shape[1:])


def promoted(args: Any, level: Level) -> Any:
    """The operands, where slices that are single numbers have the dtype that they would get.

    A tensor without dimensions counts less for the result's dtype; with the batch it has one.
    """
    tensors = [a for a in args if isinstance(a, _C.Tensor)]
    single = [t for t in tensors if t.dim() == 0 and is_batched(t, level)]
    if not single or len({t.dtype for t in tensors}) == 1:
        return args
    dtype = tensors[0].dtype
    for left, right in itertools.pairwise(tensors):
        dtype = _C.promote_types(dtype, _C.result_type(left, right))
    if any(t.dim() > 0 for t in tensors):
        numbers = [t for t in tensors if t.dim() > 0]
        dtype = _C.result_type(numbers[0], single[0])
    is_bool = [t.dtype is _C._dtypes()["bool"] for t in single]
    cast = {id(t): t.to(dtype) for t, b in zip(single, is_bool, strict=True) if not b}
    return [cast.get(id(a), a) for a in args]


# ---- reductions and scans: `dim` counts the slice's dimensions


def over_dims(position: int, none_is: str = "one") -> Rule:
    """The rule of an op whose argument at `position` is a dimension, or several.

    `none_is` says what no dimensions mean: "one", the op's default; "all" for None and [] alike, or
    "all or none", where [] means that nothing is folded.
    """

    def rule(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
        given = list(args)
        if position == 2 and len(given) == 1:
            given.append(2)  # the order of linalg_vector_norm
        given += [None] * (position + 1 - len(given))
        dim = given[position]
        rank = args[0].dim()
        if dim is None and none_is == "one":
            dim = _DEFAULT_DIMS[func.name]
        if dim is None or (none_is == "all" and not dim and dim != 0):
            given[position] = list(range(1, rank + 1))
        elif isinstance(dim, list | tuple):
            given[position] = [normal(d, max(rank, 1)) for d in dim]
        else:
            given[position] = normal(dim, max(rank, 1))
        given[0] = args[0].inner
        if rank:
            return wrap(func(*given, **kwargs), level)
        if given[position] == []:
            given[position] = [1]
        return _on_numbers(func, level, given, kwargs)

    return rule


def _on_numbers(func: Any, level: Level, given: list[Any], kwargs: Any) -> Any:
    """Slices without dimensions: one of size 1 is put in, and taken out of the results."""
    given[0] = given[0].unsqueeze(1)
    made = func(*given, **kwargs)
    single = isinstance(made, _C.Tensor)
    results = [made] if single else list(made)
    results = [Batched(r if r.dim() == 1 else r.squeeze(1), level) for r in results]
    return results[0] if single else results


_DEFAULT_DIMS = {"aten::sort": -1, "aten::topk": -1, "aten::kthvalue": -1}

for _names, _rule in (
    (
        """sum.dim_IntList mean.dim amax amin nansum var.correction std.correction
        count_nonzero.dim_IntList""",
        over_dims(1, "all"),
    ),
    ("linalg_vector_norm", over_dims(2, "all")),
    ("all.dims any.dims", over_dims(1, "all or none")),
    (
        """prod.dim_int all.dim any.dim max.dim min.dim median.dim nanmedian.dim cumsum cumprod
        cummax cummin logcumsumexp softmax.int log_softmax.int logsumexp
        sort flip""",
        over_dims(1),
    ),
    ("topk kthvalue", over_dims(2)),
):
    rules(_names)(_rule)


def whole(name: str, picks: bool = False) -> Rule:
    """The rule of a reduction of all elements: another op, along one dimension that holds them."""

    def rule(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
        if picks and not args[0].numel():
            return slice_by_slice(func, level, args, kwargs)
        flat = args[0].inner.flatten(1) if args[0].dim() else args[0].inner.unsqueeze(1)
        made = getattr(_C.functions, name)(flat, 1, **kwargs)
        return Batched(made[0] if picks else made, level)

    return rule


for _name, _rule in {
    "prod": whole("prod"),
    "all": whole("all"),
    "any": whole("any"),
    "max": whole("amax"),
    "min": whole("amin"),
    "median": whole("median", picks=True),
    "nanmedian": whole("nanmedian", picks=True),
}.items():
    RULES[_name] = _rule


@rules("argmax argmin")
def arg_extreme(func: Any, level: Level, args: Any, kwargs: Any) -> Any:
    """Without `dim` it is the index into all elements."""
    dim = args[1] if len(args) > 1 else None
    if dim is not None:
        return _ARG_EXTREME(func, level, args, kwargs)
    flat = args[0].inner.reshape(level.size, -1) if level.size else args[0].inner.flatten(1)
    made = func(flat, 1)
    keepdim = args[2] if len(args) > 2 else kwargs.get("keepdim", False)
    return Batched(made.view(level.size, *[1] * args[0].dim()) if keepdim else made, level)


_ARG_EXTREME = over_dims(1)
