"""Composites run as Python, on the installed package's tensors, against the same rules in C++."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from tools.codegen.model import OpEntry
from tools.codegen.registry import Registry

cepheid = importlib.import_module("cepheid")
FACTORY = {"dtype": None, "layout": None, "device": None, "pin_memory": None}


RulesModule = Callable[[str], ModuleType]


@pytest.fixture(autouse=True)
def bound(rules_module: RulesModule) -> Iterator[None]:
    """The rules' `ops` are the dispatcher's."""
    ops = rules_module("prelude").ops
    ops.bind(
        lambda name: getattr(cepheid.ops.aten, name), lambda value: cepheid.tensor(value).dtype
    )
    yield
    ops.bind(None)


def t(*shape: int, dtype: Any = None) -> Any:
    count = 1
    for size in shape:
        count *= size
    values = [(7 * i) % 11 - 5 for i in range(count)]
    return cepheid.tensor(values, dtype=dtype or cepheid.float32).reshape(shape)


# Name of the entry -> argument tuples, in the order of its schema.
CASES: dict[str, list[Callable[[], tuple[Any, ...]]]] = {
    "div.Tensor_mode": [
        lambda: (t(2, 3), t(3) + 0.5, None),
        lambda: (t(2, 3), t(3) + 0.5, "floor"),
        lambda: (t(2, 3), t(3) + 0.5, "trunc"),
        lambda: (t(3), t(3), "round"),
    ],
    "clamp": [
        lambda: (t(2, 3), -1, 2),
        lambda: (t(2, 3), None, 1.5),
        lambda: (t(2, 3), 2, -2),
        lambda: (t(4, dtype=cepheid.int64), 0.5, None),
        lambda: (t(2), None, None),
    ],
    "clamp.Tensor": [
        lambda: (t(2, 3), t(3), None),
        lambda: (t(2, 3), None, t(3) + 0.5),
        lambda: (t(2, 3), t(3), t(2, 1)),
        lambda: (t(2), None, None),
    ],
    "clamp_min": [lambda: (t(2, 3), 1.5), lambda: (t(3, dtype=cepheid.int64), 1)],
    "clamp_max": [lambda: (t(2, 3), 1.5), lambda: (t(3, dtype=cepheid.int64), 1)],
    "clamp_min.Tensor": [lambda: (t(2, 3), t(3) - 1)],
    "clamp_max.Tensor": [lambda: (t(2, 3), t(3) - 1)],
    "gelu": [lambda: (t(2, 3), "none"), lambda: (t(3), "tanh"), lambda: (t(3), "erf")],
    "square": [lambda: (t(2, 3),), lambda: (t(3, dtype=cepheid.bool),)],
    "rsub.Tensor": [lambda: (t(2, 3), t(3), 1), lambda: (t(2, 3), t(3), 2.5)],
    "sum": [lambda: (t(2, 3), None), lambda: (t(2, 3), cepheid.float64), lambda: (t(0), None)],
    "mean": [lambda: (t(2, 3), None), lambda: (t(2, dtype=cepheid.int64), None)],
    "matmul": [
        lambda: (t(3), t(3)),
        lambda: (t(3), t(3, 4)),
        lambda: (t(2, 3), t(3)),
        lambda: (t(2, 3), t(3, 4)),
        lambda: (t(5, 2, 3), t(3, 4)),
        lambda: (t(5, 1, 2, 3), t(4, 3, 2)),
        lambda: (t(3), t(5, 3, 2)),
        lambda: (t(0, 3), t(3, 2)),
        lambda: (t(2, 3), t(2, 3)),
        lambda: (t(), t(3)),
        lambda: (t(2, 2, 3), t(3, 3, 2)),
    ],
    "reshape": [
        lambda: (t(2, 6), (3, -1)),
        lambda: (t(2, 6).t(), (3, -1)),
        lambda: (t(2, 6).t(), (6, 2)),
        lambda: (t(2, 6), (5, -1)),
        lambda: (t(2, 6), (-1, -1)),
        lambda: (t(0, 6), (-1, 0)),
        lambda: (t(), (1, 1)),
    ],
    "flatten.using_ints": [
        lambda: (t(2, 3, 2), 0, -1),
        lambda: (t(2, 3, 2), 1, 2),
        lambda: (t(2, 3, 2), 1, 1),
        lambda: (t(), 0, -1),
        lambda: (t(2, 3), 1, 0),
        lambda: (t(2, 3), 2, 0),
    ],
    "argsort": [lambda: (t(2, 5), -1, False), lambda: (t(5), 0, True), lambda: (t(5), 3, True)],
    "zeros": [lambda: ((2, 0), *FACTORY.values()), lambda: ((2, -1), *FACTORY.values())],
    "ones": [lambda: ((2, 3), *FACTORY.values()), lambda: ((-1,), *FACTORY.values())],
    "full": [
        lambda: ((2,), 7, *FACTORY.values()),
        lambda: ((2,), True, *FACTORY.values()),
        lambda: ((), 0.5, *FACTORY.values()),
        lambda: ((1,), 1j, *FACTORY.values()),
        lambda: ((1,), 3, cepheid.float64, None, None, None),
        lambda: ((-2,), 3, *FACTORY.values()),
    ],
    "zeros_like": [lambda: (t(2, 3).t(), *FACTORY.values(), None)],
    "arange": [lambda: (5, *FACTORY.values()), lambda: (2.5, *FACTORY.values())],
    "rand": [lambda: ((2, 3), None, *FACTORY.values()), lambda: ((-1,), None, *FACTORY.values())],
    "randn": [lambda: ((20,), None, *FACTORY.values())],
    "randint": [
        lambda: (9, (4,), None, cepheid.int64, None, None, None),
        lambda: (0, (4,), None, cepheid.int64, None, None, None),
    ],
    "randint.low": [
        lambda: (-9, 9, (4,), None, cepheid.float32, None, None, None),
        lambda: (9, 9, (4,), None, cepheid.int64, None, None, None),
    ],
}


def composites(registry: Registry) -> dict[str, OpEntry]:
    return {e.full_name: e for e in registry.entries if e.implementation.kind == "composite"}


def test_every_composite_has_cases(registry: Registry) -> None:
    assert sorted(CASES) == sorted(composites(registry))


def outcome(call: Callable[[], Any]) -> tuple[Any, ...]:
    """What a call gives, as values that compare; an error by class and text, whoever speaks."""
    cepheid.manual_seed(7)
    try:
        result = call()
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return type(error).__name__, str(error).partition(": ")[2]
    return tuple(result.shape), result.stride(), str(result.dtype), repr(result.tolist())


@pytest.mark.parametrize(
    ("name", "case"), [(name, i) for name, cases in CASES.items() for i in range(len(cases))]
)
def test_both_forms_agree(
    registry: Registry, rules_module: RulesModule, name: str, case: int
) -> None:
    entry = composites(registry)[name]
    arguments = CASES[name][case]()
    function = getattr(rules_module(entry.family), entry.implementation.single)
    overload = getattr(getattr(cepheid.ops.aten, entry.name), entry.schema.overload or "default")
    count = len(entry.schema.positional)
    names = [a.name for a in entry.schema.arguments[count:]]
    named = dict(zip(names, arguments[count:], strict=True))
    compiled = outcome(lambda: overload(*arguments[:count], **named))
    assert outcome(lambda: function(*arguments)) == compiled


# What is found by an op that the composite calls, told in the composite's name.
SPOKEN: list[tuple[str, Callable[[], Any]]] = [
    ("div", lambda: cepheid.div(t(2, dtype=cepheid.int64), 0, rounding_mode="floor")),
    ("full", lambda: cepheid.full((2,), 300, dtype=cepheid.uint8)),
    ("argsort", lambda: cepheid.argsort(t(2), 5)),
    ("mean", lambda: cepheid.mean(t(2, dtype=cepheid.int64))),
    ("clamp", lambda: cepheid.clamp(t(2, dtype=cepheid.complex64), 1)),
    ("contiguous", lambda: t(2).contiguous(memory_format=cepheid.channels_last)),
]


@pytest.mark.parametrize(("name", "call"), SPOKEN, ids=[name for name, _ in SPOKEN])
def test_errors_are_told_in_the_composites_name(name: str, call: Callable[[], Any]) -> None:
    with pytest.raises((RuntimeError, IndexError), match=f"^{name}: "):
        call()
    # The scope ends with the call: an op called directly has its own name again.
    with pytest.raises(IndexError, match=r"^sort: "):
        cepheid.sort(t(2), 5)
