"""What is generated for seven ops that stand for the rest, as text to be reviewed.

`pytest test/unit/codegen/test_snapshots.py --accept` takes what is generated now as expected.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.codegen import cpp
from tools.codegen.emit import op_header, pointwise, register, rules, schema_json
from tools.codegen.registry import Registry

EXPECTED = Path(__file__).parent / "expected"
OPS = ("add.Tensor", "sum.dim_IntList", "sort", "view", "index_put", "matmul", "rand")


def between(text: str, first: str, last: str) -> str:
    start = text.index(first)
    return text[start : text.index(last, start)]


def registration(text: str, registry: Registry, name: str) -> str:
    """The op's kernels, up to the next op's, and its lines of the registration."""
    section = text[text.index(f"// ---- {name}\n") :]
    section = section[
        : min(section.find("\n// ----") % 10**9, section.find("\nconst bool") % 10**9)
    ]
    entry = next(e for e in registry.entries if e.full_name == name)
    names = [f"entries::{cpp.entry_name(v.schema)}.impl" for v in entry.dispatched()]
    lines = [x for x in text.splitlines() if any(n in x for n in names)]
    return section + "\n" + "\n".join(lines) + "\n"


def generated(registry: Registry, name: str) -> str:
    entry = next(e for e in registry.entries if e.full_name == name)
    row = next(
        op
        for op in json.loads(schema_json.emit(registry)["schemas.json"])["ops"]
        if (op["name"], op["overload"]) == (entry.name, entry.schema.overload)
    )
    del row["line"]  # moves with every entry before it
    parts = {
        "schemas.json": json.dumps(row, indent=2) + "\n",
        f"ops/{entry.name}.h": op_header.emit(registry)[f"ops/{entry.name}.h"],
        f"register/{entry.family}.cpp": registration(
            register.emit(registry)[f"register/{entry.family}.cpp"], registry, name
        ),
    }
    if entry.implementation.kind == "scalar":
        unit = f"pointwise/avx2_{pointwise.part_of(entry)}.cpp"
        parts[unit] = between(pointwise.emit(registry)[unit], f"// {entry.schema}", "};\n\n// ")
    if entry.implementation.kind == "composite":
        parts[f"rules/{entry.family}.cpp"] = rules.emit(registry)[f"rules/{entry.family}.cpp"]
    return "".join(f"======== {path}\n{text}\n" for path, text in parts.items())


@pytest.mark.parametrize("name", OPS)
def test_generated_text(registry: Registry, name: str, request: pytest.FixtureRequest) -> None:
    path = EXPECTED / f"{name}.txt"
    text = generated(registry, name)
    if request.config.getoption("--accept", default=False):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), f"run with --accept to take the change of {path.name}"


def test_no_other_snapshots() -> None:
    assert sorted(p.stem for p in EXPECTED.iterdir()) == sorted(OPS)


def test_generated_lines_fit(registry: Registry) -> None:
    for emit in (op_header.emit, register.emit, rules.emit, pointwise.emit):
        for path, text in emit(registry).items():
            long = [line for line in text.splitlines() if len(line) > cpp.LINE_LENGTH]
            assert not long, (path, long)
