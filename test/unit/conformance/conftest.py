"""A bench around the fake candidate."""

from pathlib import Path

import pytest

from cepheid_conformance import tolerances
from cepheid_conformance.candidate import Candidate
from cepheid_conformance.capability import Capability
from cepheid_conformance.cells import Bench
from cepheid_conformance.op_spec import Argument, OpSpec, load_specs

DTYPES = ("int32", "float32", "complex64")
REAL = {"cpu": DTYPES[:2]}


def capability(**changes):
    facts = {
        "implementation": "fake_torch",
        "wording": False,
        "devices": ("cpu",),
        "dtypes": DTYPES,
        "missing_ops": {},
        "tolerances": (),
        "deviations": (),
    }
    return Capability(**(facts | changes))


@pytest.fixture
def fake_bench():
    """A function from the name of a fault to a bench; its processes end with the test."""
    candidates = []

    def make(fault="", timeout=30.0, module="fake_torch", **changes):
        environment = {"PYTHONPATH": str(Path(__file__).parent), "FAKE_FAULT": fault}
        candidate = Candidate(module, timeout=timeout, environment=environment)
        candidates.append(candidate)
        return Bench(candidate, capability(**changes), tolerances.load())

    yield make
    for candidate in candidates:
        candidate.close()


def argument(name, kind="Tensor", default=None, has_default=False, kwarg_only=False):
    return Argument(name, kind, default, has_default, kwarg_only, None)


def spec(name, overload, family, args, **facts):
    given = {
        "schema": name,
        "returns": (argument("", "Tensor"),),
        "variants": ("function", "method"),
        "tags": frozenset(),
        "numbers": (),
        "dtypes": {"cpu": DTYPES},
        "oracle": name,
        "samples": name,
        "errors": ("none",),
    }
    return OpSpec(name, overload, family, args=args, **(given | facts))


@pytest.fixture
def specs():
    self, other = argument("self"), argument("other")
    alpha = argument("alpha", "Scalar", 1, has_default=True, kwarg_only=True)
    dim = argument("dim", "int?", None, has_default=True)
    keepdim = argument("keepdim", "bool", False, has_default=True)
    return {
        "add": spec(
            "add",
            "Tensor",
            "pointwise",
            (self, other, alpha),
            variants=("function", "method", "inplace", "out"),
            tags=frozenset({"pointwise"}),
            numbers=("other",),
            samples="binary_alpha",
            errors=("broadcast_mismatch", "alpha_not_representable"),
        ),
        "argmax": spec(
            "argmax",
            "",
            "reduce",
            (self, dim, keepdim),
            samples="reduce_one",
            dtypes=REAL,
            errors=("dim_out_of_range",),
        ),
        "t": spec("t", "", "view", (self,), tags=frozenset({"view"})),
        "rand": load_specs()["rand"],
    }


@pytest.fixture
def exp():
    """An op of one tensor, which the checks of `specs` don't judge: it has no method."""
    dtypes = {"cpu": ("float32", "float64")}
    return spec("exp", "", "pointwise", (argument("self"),), dtypes=dtypes, samples="unary")
