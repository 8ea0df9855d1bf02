"""The registry as the mutants see it: names, arguments and tags of each op."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMAS_VARIABLE = "CEPHEID_SCHEMAS"
_MODULES = {"nn": "nn.functional", "nn_grad": "nn.grad", "linalg": "linalg"}


@dataclass(frozen=True)
class Argument:
    """One argument of a schema."""

    name: str
    type: str
    default: Any
    has_default: bool
    kwarg_only: bool


@dataclass(frozen=True, eq=False)
class Op:
    """One op overload."""

    name: str
    overload: str
    family: str
    args: tuple[Argument, ...]
    returns: tuple[str, ...]
    variants: frozenset[str]
    tags: frozenset[str]
    numbers: frozenset[str]
    dtypes: frozenset[str]
    errors: frozenset[str]
    module: str = ""  # "nn", "nn_grad", "linalg": where the public function is; else the top level

    @property
    def path(self) -> str:
        """The public function below the module, dotted."""
        if not self.module:
            return self.name
        return f"{_MODULES[self.module]}.{self.name.removeprefix(f'{self.module}_')}"

    @property
    def key(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def tensor_args(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.args if "Tensor" in argument.type)

    @property
    def first_tensor(self) -> str:
        """The name of the first argument that is a tensor, or ""."""
        plain = [argument.name for argument in self.args if argument.type == "Tensor"]
        return plain[0] if plain else ""

    def has(self, *names: str) -> bool:
        """Whether all these arguments are in the schema."""
        return set(names) <= {argument.name for argument in self.args}


def read_ops(schemas: dict[str, Any]) -> dict[str, Op]:
    """Ops by key from the content of `schemas.json`."""
    return {op.key: op for op in map(_op, schemas["ops"])}


def load_schemas(places: Iterable[Path]) -> dict[str, Any]:
    """The content of the named file, or of the first that exists among `places`."""
    named = os.environ.get(SCHEMAS_VARIABLE)
    looked = [Path(named)] if named else list(places)
    for path in looked:
        if path.exists():
            content: dict[str, Any] = json.loads(path.read_text())
            return content
    raise FileNotFoundError(
        f"mutants: schemas.json must exist; looked at {', '.join(map(str, looked))}; "
        f"set {SCHEMAS_VARIABLE}"
    )


def _op(entry: dict[str, Any]) -> Op:
    return Op(
        name=entry["name"],
        overload=entry["overload"],
        family=entry["family"],
        args=tuple(map(_argument, entry["args"])),
        returns=tuple(value["type"] for value in entry["returns"]),
        variants=frozenset(entry["variants"]),
        tags=frozenset(entry["tags"]),
        numbers=frozenset(entry["numbers"]),
        dtypes=frozenset(entry["dtypes"]["cpu"]),
        errors=frozenset(entry["errors"]) - {"none"},
        module=entry.get("module", ""),
    )


def _argument(entry: dict[str, Any]) -> Argument:
    return Argument(
        entry["name"] or "",
        entry["type"],
        entry.get("default"),
        entry.get("has_default", False),
        entry.get("kwarg_only", False),
    )
