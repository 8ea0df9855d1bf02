"""The op database: one OpSpec per entry of the generated `schemas.json`."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

SCHEMAS_VARIABLE = "CEPHEID_SCHEMAS"
FORMAT = 1
_WHEEL_TAG = re.compile(r"cp\d+-cp\d+-")


@dataclass(frozen=True)
class Argument:
    """One argument of a schema."""

    name: str
    type: str
    default: Any
    has_default: bool
    kwarg_only: bool
    alias: str | None

    @property
    def is_tensor(self) -> bool:
        return self.type in ("Tensor", "Tensor?")

    @property
    def written(self) -> bool:
        return self.alias is not None and "!" in self.alias


@dataclass(frozen=True, eq=False)
class OpSpec:
    """What the registry says about one op overload."""

    name: str
    overload: str
    family: str
    schema: str
    args: tuple[Argument, ...]
    returns: tuple[Argument, ...]
    variants: tuple[str, ...]
    tags: frozenset[str]
    numbers: tuple[str, ...]
    dtypes: dict[str, tuple[str, ...]]
    oracle: str
    samples: str
    errors: tuple[str, ...]
    module: str = ""  # "nn", "nn_grad", "linalg": where the public function is; else the top level

    @property
    def key(self) -> str:
        """`name.overload`, or the bare name for the overload without a name."""
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def is_view(self) -> bool:
        return bool(self.tags & {"view", "maybe_view"})

    @property
    def gives_list(self) -> bool:
        """Whether the op gives a list of tensors, however many: to Python a tuple."""
        return self.returns[0].type == "Tensor[]"

    @property
    def mutates(self) -> bool:
        return "mutates" in self.tags

    @property
    def tensor_args(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.args if "Tensor" in argument.type)

    def argument(self, name: str) -> Argument | None:
        """The argument of this name, if the schema has it."""
        return next((argument for argument in self.args if argument.name == name), None)

    def type_of(self, name: str) -> str:
        """The type of the argument of this name, "" where the schema has none."""
        argument = self.argument(name)
        return argument.type if argument else ""

    def in_order(self, values: dict[str, Any]) -> dict[str, Any]:
        """Values by name, in the order of the schema."""
        return {a.name: values[a.name] for a in self.args if a.name in values}

    def bind(self, values: dict[str, Any]) -> dict[str, Any]:
        """Fill in the defaults of what a sample leaves out."""
        bound = {}
        for argument in self.args:
            if argument.name in values:
                bound[argument.name] = values[argument.name]
            elif argument.has_default:
                bound[argument.name] = argument.default
            else:
                raise ValueError(f"{self.key}: a sample must give {argument.name!r}; got {values}")
        return bound


def find_schemas() -> Path:
    """Where schemas.json is: `$CEPHEID_SCHEMAS`, beside this file when installed, or else in the
    source tree's build folders, the newest first. The folders of installs (named after a wheel's
    tag) come before all others, which may hold a selection of the ops only."""
    named = os.environ.get(SCHEMAS_VARIABLE)
    if named:
        return Path(named)
    installed = Path(__file__).with_name("schemas.json")
    if installed.exists():
        return installed
    root = Path(__file__).resolve().parents[2]
    built = sorted(
        (root / "build").glob("**/generated/schemas.json"),
        key=lambda path: (_WHEEL_TAG.match(path.parts[-3]) is not None, path.stat().st_mtime),
        reverse=True,
    )
    if not built:
        raise FileNotFoundError(
            f"op_spec: schemas.json must exist; looked at {installed} and {root / 'build'}; "
            f"build cepheid once, or set {SCHEMAS_VARIABLE}"
        )
    return built[0]


@cache
def load_specs(path: Path | None = None) -> dict[str, OpSpec]:
    """All ops by key, in the order of the file."""
    content = json.loads((path or find_schemas()).read_text())
    if content.get("format") != FORMAT:
        raise ValueError(
            f"op_spec: schemas.json must have format {FORMAT}; got {content.get('format')}; rebuild"
        )
    specs = [_spec(entry) for entry in content["ops"]]
    return {spec.key: spec for spec in specs}


def _argument(entry: dict[str, Any]) -> Argument:
    return Argument(
        entry["name"] or "",
        entry["type"],
        entry.get("default"),
        entry.get("has_default", False),
        entry.get("kwarg_only", False),
        entry.get("alias"),
    )


def _spec(entry: dict[str, Any]) -> OpSpec:
    return OpSpec(
        name=entry["name"],
        overload=entry["overload"],
        family=entry["family"],
        schema=entry["schema"],
        args=tuple(map(_argument, entry["args"])),
        returns=tuple(map(_argument, entry["returns"])),
        variants=tuple(entry["variants"]),
        tags=frozenset(entry["tags"]),
        numbers=tuple(entry["numbers"]),
        dtypes={device: tuple(names) for device, names in entry["dtypes"].items()},
        oracle=entry["oracle"],
        samples=entry["samples"],
        errors=tuple(entry["errors"]),
        module=entry["module"],
    )
