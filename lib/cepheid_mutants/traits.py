"""What an op is, by the registry's tags, arguments and dtypes: where a rule applies."""

from __future__ import annotations

from .schema import Op

MOVEMENT = frozenset(
    "clone contiguous _to_copy to.dtype to.device to.other copy_ index.Tensor index_put "
    "index_select gather masked_fill.Scalar cat where.self scatter.src scatter.value "
    "index_copy index_fill.int_Scalar index_fill.int_Tensor masked_fill.Tensor "
    "masked_select embedding take take_along_dim stack hstack vstack tril triu diag flip "
    "roll repeat tile full_like new_full ones_like new_ones new_zeros eye eye.m".split()
)
COMPARISONS = frozenset("eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor".split())
TRANSCENDENTAL = frozenset("exp log tanh sigmoid pow.Tensor_Tensor".split())
COMMUTATIVE = frozenset(
    "add.Tensor mul.Tensor eq.Tensor ne.Tensor maximum minimum bitwise_and.Tensor equal".split()
)
INEXACT_ALWAYS = frozenset(
    "div.Tensor exp log sqrt tanh sigmoid mean mean.dim reciprocal rsqrt sin cos tan asin "
    "acos atan atan2 sinh cosh asinh acosh atanh exp2 expm1 log1p log2 log10 erf "
    "xlogy.Tensor logaddexp logsumexp erfc logit logit_of logit_within deg2rad rad2deg "
    "_foreach_div.Scalar _foreach_div.List _foreach_div.ScalarList _foreach_div.Tensor "
    "_foreach_sqrt _foreach_exp _foreach_reciprocal".split()
)
TRUTHS = frozenset(
    "isnan isinf isfinite isposinf isneginf signbit logical_not logical_and logical_or "
    "logical_xor any all".split()
)
ARITHMETIC = frozenset("add.Tensor sub.Tensor mul.Tensor neg".split())
# Sums of products and the like: their bound follows the condition of the problem.
BOUNDED_FAMILIES = ("matmul", "conv", "norm", "scan")
UNINITIALISED = frozenset(("empty", "empty_strided", "empty_like", "new_empty"))
UNIFORM = frozenset(
    "zeros ones full zeros_like fill_.Scalar ones_like full_like new_zeros new_ones "
    "new_full zero_".split()
)
# One element, or a list of such, whatever goes in.
SINGLE = frozenset(
    "sum mean any all max min median nanmedian prod var std var_mean std_mean dot "
    "_foreach_norm.Scalar".split()
)
INDICES = frozenset(
    "argmax argmin argsort nonzero argwhere randperm where multinomial "
    "count_nonzero count_nonzero.dim_IntList".split()
)
# Zeros and ones, whatever goes in.
ZERO_OR_ONE = frozenset("ones ones_like new_ones zeros zeros_like new_zeros zero_ eye".split())
# Of what is complex they give magnitudes, which are real.
MAGNITUDES = frozenset("abs var std linalg_vector_norm l1_loss _foreach_abs _foreach_norm".split())
# They draw, and keep elements of what goes in.
DROPPING = frozenset(("dropout", "nn_dropout"))
# How many dims every correct result has, where that is more than none; how many at most.
_LEAST_DIMS = {
    **dict.fromkeys(
        "arange arange.start_step randperm layer_norm unsqueeze flatten.using_ints cat stack "
        "hstack index_put masked_select embedding take_along_dim diag mv multinomial slice.Tensor "
        "narrow ravel diagonal unfold unflatten.int repeat_interleave.self_int flipud "
        "rms_norm".split(),
        1,
    ),
    **dict.fromkeys(
        "nonzero mm addmm outer eye eye.m vstack tril triu conv1d avg_pool1d "
        "adaptive_avg_pool1d max_pool1d argwhere diag_embed diagflat fliplr rot90 group_norm "
        "batch_norm scaled_dot_product_attention _attention".split(),
        2,
    ),
    **dict.fromkeys(
        "bmm baddbmm conv2d max_pool2d max_pool2d_with_indices avg_pool2d "
        "adaptive_avg_pool2d".split(),
        3,
    ),
    **dict.fromkeys(("conv2d_input", "conv2d_weight"), 4),
}
_MOST_DIMS = {
    **dict.fromkeys("arange arange.start_step randperm masked_select mv ravel".split(), 1),
    **dict.fromkeys(
        "nonzero mm addmm outer t eye eye.m diag multinomial argwhere diagflat".split(), 2
    ),
}


# Results without history although floats go in and come out, or of which no page promises one.
_NO_HISTORY = frozenset(
    "zeros_like ones_like full_like empty_like new_full new_zeros new_ones new_empty rand_like "
    "randn_like randint_like randint_like.low_dtype scatter.reduce scatter.value_reduce "
    "floor_divide bernoulli.p detach logical_not equal _local_scalar_dense multinomial".split()
)
# Steps and draws: their gradient is zero everywhere.
_FLAT = frozenset(
    "fill_.Scalar zero_ _foreach_sign div.Tensor_mode trunc_divide sign sgn floor ceil round trunc "
    "uniform_ normal_ random_.from bernoulli bernoulli_.float bernoulli_.Tensor random_ random_.to "
    "exponential_ geometric_ cauchy_ log_normal_".split()
)


def gives_tensors(op: Op) -> bool:
    """Whether every result is a tensor, and none a list of them."""
    return all(kind.startswith("Tensor") and "[]" not in kind for kind in op.returns)


def gives_list(op: Op) -> bool:
    """Whether the result is a list of tensors."""
    return op.returns == ("Tensor[]",)


def is_view(op: Op) -> bool:
    """Whether the result is never memory of its own."""
    return "view" in op.tags and gives_tensors(op)


def may_view(op: Op) -> bool:
    """Whether the result can be a view of an input."""
    return bool(op.tags & {"view", "maybe_view"}) and gives_tensors(op)


def mutates(op: Op) -> bool:
    """Whether the op writes its first argument."""
    return "mutates" in op.tags


def is_random(op: Op) -> bool:
    """Whether the op draws from a generator."""
    return "random" in op.tags


def makes_from_nothing(op: Op) -> bool:
    """Whether no tensor goes in."""
    return not op.tensor_args


def has_values(op: Op) -> bool:
    """Whether the result, or each of a list, is memory of its own whose values are determined."""
    own = not is_view(op) if gives_tensors(op) else gives_list(op) and "view" not in op.tags
    return own and op.key not in UNINITIALISED


def has_plain_values(op: Op) -> bool:
    """Like `has_values`, without the ops of which only a distribution is determined."""
    return has_values(op) and not is_random(op)


def gives_bool(op: Op) -> bool:
    """Whether the result is bool whatever goes in."""
    return op.key in COMPARISONS or op.name in TRUTHS


def gives_indices(op: Op) -> bool:
    """Whether the result is integers that say where something is, or how often."""
    return op.key in INDICES


def gives_int64(op: Op) -> bool:
    """Whether the result is int64 whatever goes in."""
    return gives_indices(op) and not op.has("dtype")


def gives_floats(op: Op) -> bool:
    """Whether floating inputs give floating results."""
    return (
        has_plain_values(op)
        and "float32" in op.dtypes
        and not gives_bool(op)
        and not gives_indices(op)
    )


def gives_integers(op: Op) -> bool:
    """Whether integer inputs give integer results."""
    return (
        has_plain_values(op)
        and "int64" in op.dtypes
        and not gives_bool(op)
        and not gives_indices(op)
        and op.key not in INEXACT_ALWAYS
    )


def gives_complex(op: Op) -> bool:
    """Whether complex inputs give complex results."""
    return gives_floats(op) and "complex64" in op.dtypes and op.name not in MAGNITUDES


def is_bounded(op: Op) -> bool:
    """Whether floats are judged by the condition of the problem."""
    return op.family in BOUNDED_FAMILIES or op.key in ("sum", "sum.dim_IntList", "mean", "mean.dim")


def computes(op: Op) -> bool:
    """Whether floats are computed, not moved."""
    return gives_floats(op) and op.key not in MOVEMENT and not may_view(op)


def is_pointwise(op: Op) -> bool:
    """Whether element i of the result depends on elements i only."""
    return "pointwise" in op.tags


def is_reduction(op: Op) -> bool:
    """Whether dims are folded."""
    return "reduction" in op.tags


def is_binary(op: Op) -> bool:
    """Whether two tensors meet element by element."""
    return is_pointwise(op) and len(op.tensor_args) >= 2


def one_rank(op: Op) -> str:
    """Why operands never differ in how many dims they have, or ""."""
    ranks = op.key in ("_margin_ranking", "_bit_cross_entropy")
    return "operands of other ranks are refused" if ranks else ""


def one_shape(op: Op) -> str:
    """Why no operand is ever broadcast, or ""."""
    same = op.key == "_bit_cross_entropy"
    return "operands of other shapes are refused" if same else ""


def takes_tensor(op: Op) -> bool:
    """Whether a tensor goes in."""
    return bool(op.tensor_args)


def has_first_tensor(op: Op) -> bool:
    """Whether one of the arguments is a single tensor."""
    return bool(op.first_tensor)


def fresh_result(op: Op) -> bool:
    """Whether the function's result is always memory of its own."""
    return gives_tensors(op) and not may_view(op) and not mutates(op)


def same_when_rearranged(op: Op) -> str:
    """Why a correct result can't be told from one with its elements exchanged, or ""."""
    if op.key in UNIFORM:
        return "all elements of a correct result are equal"
    return "a correct result has one element" if op.key in SINGLE else ""


def keeps_sum(op: Op) -> bool:
    """Whether the result is an int64 sum of whatever integers go in."""
    return op.name in ("sum", "cumsum")


def gives_zeros(op: Op) -> str:
    """Why the sign or the loss of every element doesn't show, or ""."""
    zeros = op.name in ("zeros", "zeros_like", "new_zeros", "zero_")
    return "a correct result is all zeros" if zeros else ""


def exact_anywhere(op: Op) -> str:
    """Why a correct result passes unchanged through every dtype, or ""."""
    if op.name in ("sign", "_foreach_sign"):
        return "minus one, zero and one are exact in every dtype"
    return "zero and one are exact in every dtype" if op.name in ZERO_OR_ONE else ""


def reads_elements(op: Op) -> bool:
    """Whether elements of an input matter to the values of the result."""
    tensors = len(op.tensor_args)
    fills = op.key in ("fill_.Scalar", "zero_") or (is_random(op) and (mutates(op) or op.has("p")))
    shape_only = "factory" in op.tags or (fills and tensors == 1 and op.name not in DROPPING)
    return tensors > 0 and not shape_only


def least_dims(op: Op) -> int:
    """How many dims every correct result has."""
    return _LEAST_DIMS.get(op.key, 0)


def most_dims(op: Op) -> int | None:
    """More dims than these no correct result has; None where there is no such number."""
    return 0 if op.key in SINGLE else _MOST_DIMS.get(op.key)


def differentiable(op: Op) -> bool:
    """Whether floating operands give results that gradients go through."""
    floats = takes_tensor(op) and "float64" in op.dtypes
    whole = gives_bool(op) or gives_indices(op) or op.key in _NO_HISTORY
    return floats and not whole


def flat(op: Op) -> bool:
    """Whether that gradient is zero, whatever goes in."""
    return op.key in _FLAT
