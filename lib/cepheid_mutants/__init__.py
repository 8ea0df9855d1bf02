"""Wrapper mutants: faults of known classes, put behind the public names of one op.

They work on any implementation of the PyTorch tensor API, in its own process, and need the
standard library only. `list_mutants` says which exist; `activate` makes a module one of them.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

from . import rules  # noqa: F401  # importing registers the rules
from .calls import BrokenMutant
from .doors import Installer
from .mutant import RULES, Mutant
from .real_bugs import BUGS
from .schema import Op, load_schemas, read_ops

SOUND = "sound"  # the id of the mutant without a fault

__all__ = ["SOUND", "BrokenMutant", "Mutant", "activate", "list_mutants"]


# Of each op's mutants, which are several dozen, those that are judged: a number that a growing list
# of ops can afford, above the ten that each op must have.
PER_OP = 12


def list_mutants(schemas: dict[str, Any]) -> list[Mutant]:
    """Mutants of the ops of a registry (the content of `schemas.json`), op by op, then the re-made
    bugs."""
    ops = read_ops(schemas)
    made = [mutant for op in ops.values() for mutant in _sample(op)]
    return made + [bug for bug in BUGS if bug.op in ops]


def _sample(op: Op) -> list[Mutant]:
    """The same for every build: by name, in turn from each of the op's classes of fault."""
    classes: dict[str, list[Mutant]] = {}
    for mutant in (mutant for rule in RULES for mutant in rule.mutants(op)):
        classes.setdefault(mutant.fault_class, []).append(mutant)
    ranked = [
        (rank, zlib.crc32(f"{op.key}/{name}".encode()), mutant)
        for name, group in classes.items()
        for rank, mutant in enumerate(sorted(group, key=lambda m: zlib.crc32(m.id.encode())))
    ]
    ranked.sort(key=lambda item: item[:2])
    return [mutant for _, _, mutant in ranked[:PER_OP]]


def activate(
    module: Any, mutant_id: str, schemas: dict[str, Any] | None = None
) -> Installer | None:
    """Make `module` the mutant, until `remove` of what is returned is called; `SOUND` is none.

    The registry is `schemas`, or the file that `CEPHEID_SCHEMAS` names, or the module's own.
    """
    if mutant_id == SOUND:
        return None
    if schemas is None:
        schemas = load_schemas([Path(str(module.__file__)).with_name("schemas.json")])
    found = [mutant for mutant in list_mutants(schemas) if mutant.id == mutant_id]
    if len(found) != 1:
        raise LookupError(f"mutants: no mutant is called {mutant_id!r}; list_mutants names them")
    ops = read_ops(schemas)
    installer = Installer(module, ops, ops[found[0].op], found[0].fault)
    installer.install()
    return installer
