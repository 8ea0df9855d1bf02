"""Composites run as Python, on the installed package's tensors, against the same rules in C++."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from cepheid_conformance.families import errors_of, samples_of
from cepheid_conformance.op_spec import find_schemas, load_specs
from cepheid_conformance.tensors import Tensor
from tools.codegen.model import OpEntry
from tools.codegen.registry import Registry

cepheid = importlib.import_module("cepheid")
FACTORY = {"dtype": None, "layout": None, "device": None, "pin_memory": None}


RulesModule = Callable[[str], ModuleType]


@pytest.fixture(autouse=True)
def bound(rules_module: RulesModule) -> Iterator[None]:
    """The rules' `ops` are the dispatcher's."""
    ops = rules_module("prelude").ops
    ops.bind(op_of_rules, lambda value: cepheid.tensor(value).dtype)
    yield
    ops.bind(None)


def op_of_rules(name: str) -> Callable[..., Any]:
    """An op as rules call it: they name memory formats, which Python has as objects."""
    packet = getattr(cepheid.ops.aten, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        if isinstance(kwargs.get("memory_format"), str):
            kwargs["memory_format"] = getattr(cepheid, kwargs["memory_format"])
        return packet(*args, **kwargs)

    return call


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
    "mv": [lambda: (t(2, 3), t(3)), lambda: (t(2, 3), t(2)), lambda: (t(3), t(3))],
    "dot": [lambda: (t(3), t(3)), lambda: (t(3), t(2)), lambda: (t(3, 1), t(3))],
    "outer": [lambda: (t(3), t(2)), lambda: (t(3, 1), t(2))],
    "conv1d": [
        lambda: (t(2, 3, 7), t(4, 3, 3), t(4), (2,), (1,), (2,), 1),
        lambda: (t(4, 7), t(4, 2, 3), None, (1,), (0,), (1,), 2),
        lambda: (t(7), t(4, 3, 3), None, (1,), (0,), (1,), 1),
        lambda: (t(2, 3, 7), t(4, 3), None, (1,), (0,), (1,), 1),
        lambda: (t(2, 3, 7), t(4, 3, 3), None, (0,), (0,), (1,), 1),
        lambda: (t(2, 3, 2), t(4, 3, 3), None, (1,), (0,), (1,), 1),
    ],
    "avg_pool1d": [
        lambda: (t(2, 3, 9), (3,), (2,), (1,), True, False),
        lambda: (t(3, 9), (3,), (), (0,), False, True),
        lambda: (t(9), (3,), (), (0,), False, True),
        lambda: (t(3, 9), (3,), (0,), (0,), False, True),
    ],
    "adaptive_avg_pool1d": [
        lambda: (t(2, 3, 9), (4,)),
        lambda: (t(2, 3, 9), (-1,)),
        lambda: (t(2, 0, 9), (4,)),
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
    "count_nonzero": [lambda: (t(2, 3), None), lambda: (t(2, 3), 1), lambda: (t(2, 3), 2)],
    "msort": [lambda: (t(5, 2),), lambda: (t(3, dtype=cepheid.complex64),)],
    **{
        name: [lambda: (t(2, 3), True), lambda: (t(2, 3), False)]
        for name in ("var", "std", "var_mean", "std_mean")
    },
    **{
        f"{name}.dim": [
            lambda: (t(2, 3), (1,), True, False),
            lambda: (t(2, 3), (0,), False, True),
            lambda: (t(2, 3), None, True, True),
            lambda: (t(2, 3), (2,), True, False),
        ]
        for name in ("var", "std", "var_mean", "std_mean")
    },
    **{
        f"{name}.correction": [
            lambda: (t(2, 3), (1,), 0, False),
            lambda: (t(2, 3), None, 0.5, True),
            lambda: (t(2, 3), (0,), None, False),
        ]
        for name in ("var_mean", "std_mean")
    },
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
    "ones_like": [lambda: (t(2, 3).t(), *FACTORY.values(), None)],
    "full_like": [
        lambda: (t(2, 3).t(), 2.5, *FACTORY.values(), None),
        lambda: (t(2, dtype=cepheid.int8), 300, *FACTORY.values(), None),
    ],
    "new_full": [
        lambda: (t(2, dtype=cepheid.int8), (2, 3), 7, *FACTORY.values()),
        lambda: (t(2), (2,), 7, cepheid.int64, None, "cpu", None),
    ],
    "new_zeros": [lambda: (t(2), (2, 3), *FACTORY.values())],
    "new_ones": [
        lambda: (t(2), (2, 3), *FACTORY.values()),
        lambda: (t(2), (-2,), *FACTORY.values()),
    ],
    "eye": [lambda: (3, *FACTORY.values()), lambda: (-3, *FACTORY.values())],
    "eye.m": [lambda: (2, 3, *FACTORY.values()), lambda: (3, -1, *FACTORY.values())],
    "narrow": [
        lambda: (t(2, 6), 1, 2, 3),
        lambda: (t(2, 6), -1, -2, 2),
        lambda: (t(2, 6), 1, 6, 0),
        lambda: (t(2, 6), 1, 7, 0),
        lambda: (t(2, 6), 1, 4, 3),
        lambda: (t(2, 6), 1, 4, -1),
        lambda: (t(), 0, 0, 0),
    ],
    "unflatten.int": [
        lambda: (t(2, 6), 1, (2, -1)),
        lambda: (t(2, 6), 1, (4, -1)),
        lambda: (t(2, 6), 1, ()),
        lambda: (t(), 0, (1,)),
    ],
    "ravel": [lambda: (t(2, 3),), lambda: (t(2, 3).t(),)],
    "movedim.int": [lambda: (t(2, 3, 4), 0, -1), lambda: (t(2, 3, 4), 3, 0), lambda: (t(), 0, -1)],
    "movedim.intlist": [
        lambda: (t(2, 3, 4), (0, 1), (2, 0)),
        lambda: (t(2, 3, 4), (2, -3), (0, 1)),
        lambda: (t(2, 3, 4), (0,), (2, 0)),
        lambda: (t(2, 3, 4), (0, -3), (2, 0)),
        lambda: (t(2, 3, 4), (0, 1), (2, 2)),
    ],
    "swapaxes": [lambda: (t(2, 3), 0, 1), lambda: (t(2, 3), 0, 2)],
    "swapdims": [lambda: (t(2, 3), 0, 1)],
    "expand_as": [lambda: (t(3), t(2, 3)), lambda: (t(3), t(2, 4))],
    "broadcast_to": [lambda: (t(3), (2, 3)), lambda: (t(3), (2, 4))],
    "view_as": [lambda: (t(6), t(2, 3)), lambda: (t(6), t(4))],
    "reshape_as": [lambda: (t(2, 3).t(), t(6)), lambda: (t(6), t(4))],
    "split.sizes": [lambda: (t(2, 6), (1, 5), 1), lambda: (t(2, 6), (1, 4), 1)],
    "where": [lambda: (t(2, 6) > 0,), lambda: (t(),)],
    "stack": [
        lambda: ((t(2, 3), t(2, 3)), 1),
        lambda: ((t(2, 3), t(2, 4)), 0),
        lambda: ((), 0),
    ],
    "hstack": [
        lambda: ((t(2, 3), t(2, 4)),),
        lambda: ((t(3), t(), t(4)),),
        lambda: ((t(), t()),),
        lambda: ((),),
    ],
    "vstack": [lambda: ((t(3), t(2, 3)),), lambda: ((t(), t()),), lambda: ((),)],
    "diag": [
        lambda: (t(3), 1),
        lambda: (t(3), -2),
        lambda: (t(3, 4), 1),
        lambda: (t(2, 2, 2), 0),
    ],
    "roll": [
        lambda: (t(2, 3), (1,), ()),
        lambda: (t(2, 3), (-1, 4), (0, 1)),
        lambda: (t(0, 3), (1,), (0,)),
        lambda: (t(2, 3), (1, 2), (0,)),
        lambda: (t(2, 3), (), ()),
        lambda: (t(2, 3), (1, 2), ()),
    ],
    "repeat": [
        lambda: (t(2, 3), (2, 1)),
        lambda: (t(2, 3), (3, 1, 2)),
        lambda: (t(2, 3), (2,)),
        lambda: (t(2, 3), (2, -1)),
    ],
    "tile": [lambda: (t(2, 3), (2,)), lambda: (t(2, 3), (3, 1, 2)), lambda: (t(2), ())],
}


def composites(registry: Registry) -> dict[str, OpEntry]:
    return {e.full_name: e for e in registry.entries if e.implementation.kind == "composite"}


UNWRITTEN = ("empty",)  # its oracle holds any values


def sampled() -> list[str]:
    """Composites without cases of their own: the judge's samples serve them."""
    ops = json.loads(find_schemas().read_text("utf-8"))["ops"]
    names = [op["name"] + (op["overload"] and f".{op['overload']}") for op in ops]
    kinds = [op["implementation"] for op in ops]
    found = zip(names, kinds, strict=True)
    return [name for name, kind in found if kind == "composite" and name not in CASES]


def test_no_case_is_of_an_op_that_is_no_composite(registry: Registry) -> None:
    assert {*CASES, *sampled()} == {*composites(registry)}


def plain(value: Any, type_: str) -> Any:
    """A sample's value as an argument of a rule and of a dispatcher entry alike."""
    if isinstance(value, Tensor):
        dtype = getattr(cepheid, value.dtype)
        return cepheid.tensor(value.data.ravel().tolist(), dtype=dtype).reshape(value.shape)
    if isinstance(value, list | tuple):
        element = type_.partition("[")[0]
        made = [plain(item, element) for item in value]
        return made if element.startswith("Tensor") else tuple(made)
    if type_.startswith("int[") and isinstance(value, int):
        return (value,) * int(type_.partition("[")[2].partition("]")[0] or 1)
    if type_ == "Generator?":
        return None  # a sample says where it draws from, which is the driver's to read
    names = {"ScalarType", "ScalarType?", "MemoryFormat", "MemoryFormat?"}
    return getattr(cepheid, value) if type_ in names and isinstance(value, str) else value


def judged_arguments(name: str) -> list[tuple[Any, ...]]:
    """Arguments in the order of the schema: valid ones of several classes, and refused ones."""
    spec = load_specs()[name]
    dtypes = spec.dtypes["cpu"]
    chosen = [d for d in ("float32", "int64", "bool", "complex64") if d in dtypes] or [dtypes[0]]
    found = []
    for dtype in chosen:
        samples = [
            sample.values
            for kind in ("small", "shapes", "broadcast", "arguments", "special")
            for sample in samples_of(spec, dtype, kind)[:12]
        ]
        samples += [case.values for _, case in errors_of(spec, dtype)]
        for values in samples:
            if set(values) <= {argument.name for argument in spec.args}:
                bound = spec.bind(values)
                found.append(tuple(plain(bound[a.name], a.type) for a in spec.args))
    return found


@pytest.mark.parametrize("name", sampled())
def test_both_forms_agree_on_the_judges_samples(
    registry: Registry, rules_module: RulesModule, name: str
) -> None:
    cases = judged_arguments(name)
    assert cases
    for arguments in cases:
        python, compiled = both(registry, rules_module, name, arguments)
        if load_specs()[name].oracle in UNWRITTEN:
            python, compiled = python[:-1], compiled[:-1]
        assert python == compiled, arguments


def outcome(call: Callable[[], Any]) -> tuple[Any, ...]:
    """What a call gives, as values that compare; an error by class and text, whoever speaks."""
    cepheid.manual_seed(7)
    try:
        result = call()
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return type(error).__name__, str(error).partition(": ")[2]
    return shown(result)


def shown(result: Any) -> tuple[Any, ...]:
    if isinstance(result, tuple | list):
        return tuple(map(shown, result))
    if not isinstance(result, cepheid.Tensor):
        return (result,)
    return tuple(result.shape), result.stride(), str(result.dtype), repr(result.tolist())


@pytest.mark.parametrize(
    ("name", "case"), [(name, i) for name, cases in CASES.items() for i in range(len(cases))]
)
def test_both_forms_agree(
    registry: Registry, rules_module: RulesModule, name: str, case: int
) -> None:
    python, compiled = both(registry, rules_module, name, CASES[name][case]())
    assert python == compiled


def both(
    registry: Registry, rules_module: RulesModule, name: str, arguments: tuple[Any, ...]
) -> tuple[Any, Any]:
    """What the rule gives as Python, and what the compiled op gives."""
    entry = composites(registry)[name]
    function = getattr(rules_module(entry.family), entry.implementation.single)
    overload = getattr(getattr(cepheid.ops.aten, entry.name), entry.schema.overload or "default")
    count = len(entry.schema.positional)
    names = [a.name for a in entry.schema.arguments[count:]]
    named = dict(zip(names, arguments[count:], strict=True))
    compiled = outcome(lambda: overload(*arguments[:count], **named))
    return outcome(lambda: function(*arguments)), compiled


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
