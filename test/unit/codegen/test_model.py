"""Schemas and entries print back what was parsed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tools.codegen.model import (
    Alias,
    Argument,
    Return,
    RuleCall,
    Schema,
    SchemaError,
    Type,
)
from tools.codegen.registry import Registry

ROOT = Path(__file__).resolve().parents[3]
NAMES = st.from_regex(r"[a-z][a-z_0-9]{0,8}", fullmatch=True)
OPTIONS = {
    "int": st.none() | st.integers(-5, 5),
    "float": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    "bool": st.none() | st.booleans(),
    "Scalar": st.none() | st.integers(-5, 5),
    "ScalarType": st.none() | st.sampled_from(["int64", "float32"]),
    "MemoryFormat": st.none() | st.just("contiguous_format"),
    "Device": st.none(),
    "Generator": st.none(),
    "str": st.none() | st.sampled_from(["floor", ""]),
}


@st.composite
def arguments(draw: st.DrawFn, name: str, kwarg_only: bool) -> Argument:
    base = draw(st.sampled_from(["Tensor", *OPTIONS]))
    if base == "Tensor":
        alias = draw(st.none() | st.builds(Alias, st.sampled_from("abc"), st.booleans()))
        is_list = draw(st.booleans())
        type_ = Type("Tensor", draw(st.booleans()), is_list, None, is_list and draw(st.booleans()))
        return Argument(name, type_, kwarg_only=kwarg_only, alias=alias)
    default = draw(OPTIONS[base])
    if base == "int" and draw(st.booleans()):
        length = draw(st.none() | st.integers(1, 3))
        sizes = draw(st.none() | st.tuples() | st.tuples(st.integers(-2, 9), st.integers(0, 9)))
        return Argument(name, Type("int", True, True, length), sizes, True, kwarg_only)
    return Argument(name, Type(base, default is None), default, True, kwarg_only)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    first_keyword = draw(st.integers(0, len(names)))
    drawn = [draw(arguments(name, i >= first_keyword)) for i, name in enumerate(names)]
    count = draw(st.integers(1, 3))
    result_names = (
        [None] if count == 1 else draw(st.lists(NAMES, min_size=count, max_size=count, unique=True))
    )
    returns = tuple(Return(Type("Tensor"), name) for name in result_names)
    return Schema(draw(NAMES), draw(st.just("") | NAMES), tuple(drawn), returns)


@given(schemas())
def test_any_schema_prints_back(schema: Schema) -> None:
    assert Schema.parse(str(schema)) == schema


def test_every_entry_prints_back(registry: Registry) -> None:
    """The fields of each entry, compared with what a plain YAML reader finds in the files."""
    raw = {
        path: yaml.load((ROOT / path).read_text("utf-8"), Loader=yaml.BaseLoader)
        for path in {entry.source.file for entry in registry.entries}
    }
    given_fields = [fields for path in sorted(raw) for fields in raw[path]]
    printed = {str(entry.schema): entry.to_fields() for entry in registry.entries}
    assert len(printed) == len(given_fields) > 90
    for fields in given_fields:
        assert printed[fields["op"]] == {k: v for k, v in fields.items() if v != []} | {
            "variants": fields["variants"]
        }


def test_every_derived_schema_prints_back(registry: Registry) -> None:
    for entry in registry.entries:
        for variant in entry.dispatched():
            assert Schema.parse(str(variant.schema)) == variant.schema


def test_variants_are_derived() -> None:
    add = Schema.parse("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
    assert str(add.inplace()) == (
        "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"
    )
    assert str(add.out()) == (
        "add.Tensor_out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"
    )
    assert str(Schema.parse("neg(Tensor self) -> Tensor").out()) == (
        "neg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"
    )


def test_several_results_are_written_under_their_names() -> None:
    sort = Schema.parse("sort(Tensor self, int dim=-1) -> (Tensor values, Tensor indices)")
    assert str(sort.out()) == (
        "sort.out(Tensor self, int dim=-1, *, Tensor(a!) values, Tensor(b!) indices)"
        " -> (Tensor(a!) values, Tensor(b!) indices)"
    )


@pytest.mark.parametrize("text", ["default", "default(self, other)", "scalar_shape()"])
def test_rule_calls_print_back(text: str) -> None:
    assert str(RuleCall.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("neg(Tensor self)", "a schema reads"),
        ("neg(Tenor self) -> Tensor", "unknown type 'Tenor'"),
        ("neg(Tensor) -> Tensor", "argument 'Tensor' must read"),
        ("neg(Tensor(A) self) -> Tensor", "alias annotation '(A)' must be"),
        ("neg(int dim=x) -> Tensor", "default 'x' of dim is not a value of type int"),
        ("neg(int??[] dim) -> Tensor", "unknown type"),
        ("neg(Tensor? self?) -> Tensor", "argument 'Tensor? self?' must read"),
    ],
)
def test_what_does_not_parse_is_explained(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as error:
        Schema.parse(text)
    assert message in str(error.value)
