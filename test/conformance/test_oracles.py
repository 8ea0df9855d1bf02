"""The op database and the families agree: no op, dtype or error case is without its function.

These tests look at the judge, not at the candidate; they stand here because they need the
registry's `schemas.json`.
"""

import numpy as np
import pytest

from cepheid_conformance.checks.hostile import inapplicable
from cepheid_conformance.expected import FREE
from cepheid_conformance.families import errors_of, expected_of, samples_of
from cepheid_conformance.op_spec import load_specs

SPECS = load_specs()
# Ops of which no call with arguments of the right types is wrong, and why.
_ANY_TENSOR = "every tensor is valid, and there is no further argument"
_FORMAT = "only a memory format can be wrong; the hostile kind gives one"
_ANY_DTYPE = "any dtype may be asked for"
VALID = {
    **dict.fromkeys(("clone", "contiguous", "empty_like", "zeros_like", "ones_like"), _FORMAT),
    **dict.fromkeys(("_to_copy", "to.dtype", "to.other", "to.dtype_layout"), _FORMAT),
    **dict.fromkeys(("rand_like", "randn_like"), _FORMAT),
    **dict.fromkeys(("nonzero", "any", "detach", "isnan", "logical_not", "equal"), _ANY_TENSOR),
    "conj_physical": "every tensor of a complex dtype is valid",
    **dict.fromkeys(("squeeze", "ravel", "where"), _ANY_TENSOR),
    **dict.fromkeys(("sgn", "isinf", "isfinite", "all"), _ANY_TENSOR),
    **dict.fromkeys(("zero_", "argwhere", "diagflat", "kron"), _ANY_TENSOR),
    "sum": _ANY_DTYPE,
    "prod": _ANY_DTYPE,
}
OPEN = {"empty", "empty_like", "empty_strided", "new_empty"}


@pytest.mark.parametrize("key", SPECS)
def test_every_dtype_has_samples_and_an_oracle(key):
    spec = SPECS[key]
    for dtype in spec.dtypes["cpu"]:
        samples = samples_of(spec, dtype, "small")
        assert samples, f"no small sample in {dtype}"
        wanted = expected_of(spec, samples[0])
        assert spec.gives_list or len(wanted) == len(spec.returns)
        for expected in wanted:
            determined = expected.rung != FREE or expected.holds is not None
            assert determined or key in OPEN, f"no value in {dtype}"


@pytest.mark.parametrize("key", SPECS)
def test_every_error_function_gives_a_case(key):
    spec = SPECS[key]
    named = {name for name in spec.errors if name != "none"}
    given = {name for dtype in spec.dtypes["cpu"] for name, _ in errors_of(spec, dtype)}
    assert given == named


@pytest.mark.parametrize("key", SPECS)
def test_every_op_that_has_invalid_arguments_has_a_case(key):
    spec = SPECS[key]
    assert (spec.errors == ("none",)) == (key in VALID)


@pytest.mark.parametrize("key", SPECS)
def test_every_dtype_has_an_error_or_a_hostile_case(key):
    """What holds for the op holds in each dtype: an invalid call, or at least a hostile one."""
    spec = SPECS[key]
    for dtype in spec.dtypes["cpu"]:
        asked = errors_of(spec, dtype) or inapplicable(spec, dtype) is None
        assert asked or key in VALID, dtype


@pytest.mark.parametrize("key", SPECS)
def test_oracles_leave_samples_as_they_are(key):
    spec = SPECS[key]
    dtype = spec.dtypes["cpu"][-1]
    for sample in samples_of(spec, dtype, "small"):
        before = [tensor.data.copy() for tensor in sample.tensors()]
        expected_of(spec, sample)
        for old, tensor in zip(before, sample.tensors(), strict=True):
            assert np.array_equal(old, tensor.data, equal_nan=tensor.info.is_inexact)
