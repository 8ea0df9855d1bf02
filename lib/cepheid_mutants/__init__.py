"""Wrapper mutants: faults of known classes, put behind the public names of one op.

They work on any implementation of the PyTorch tensor API, in its own process, and need the
standard library only. `every_mutant` says which exist, `list_mutants` which of them a score is made
of; `activate` makes a module one of them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from . import rules  # noqa: F401  # importing registers the rules
from .calls import BrokenMutant
from .doors import Installer
from .mutant import RULES, Mutant
from .real_bugs import BUGS
from .schema import Op, load_schemas, read_ops

SOUND = "sound"  # the id of the mutant without a fault

__all__ = ["SOUND", "BrokenMutant", "Mutant", "activate", "every_mutant", "list_mutants"]


# Of each op's mutants, which are several dozen, those that are judged: a number that a growing list
# of ops can afford, above the ten that each op must have.
PER_OP = 12


def every_mutant(schemas: dict[str, Any]) -> list[Mutant]:
    """All mutants of the ops of a registry (the content of `schemas.json`), op by op, then the
    re-made bugs."""
    ops = read_ops(schemas)
    return [mutant for op in ops.values() for mutant in _mutants_of(op)] + _bugs(ops)


def list_mutants(schemas: dict[str, Any]) -> list[Mutant]:
    """Those that are judged: some of each op, and the re-made bugs."""
    ops = read_ops(schemas)
    return [mutant for op in ops.values() for mutant in _sample(op)] + _bugs(ops)


def _mutants_of(op: Op) -> list[Mutant]:
    return [mutant for rule in RULES for mutant in rule.mutants(op)]


def _bugs(ops: dict[str, Op]) -> list[Mutant]:
    return [bug for bug in BUGS if bug.op in ops]


def _sample(op: Op) -> list[Mutant]:
    """The same for every build: by name, in turn from each of the op's classes of fault."""
    classes: dict[str, list[Mutant]] = {}
    for mutant in _mutants_of(op):
        if not mutant.equivalent:
            classes.setdefault(mutant.fault_class, []).append(mutant)
    ranked = [
        (rank, _number(f"{op.key}/{name}"), mutant)
        for name, group in classes.items()
        for rank, mutant in enumerate(sorted(group, key=lambda m: _number(m.id)))
    ]
    ranked.sort(key=lambda item: item[:2])
    return [mutant for _, _, mutant in ranked[:PER_OP]]


def _number(name: str) -> bytes:
    return hashlib.blake2b(name.encode(), digest_size=8).digest()


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
    found = [mutant for mutant in every_mutant(schemas) if mutant.id == mutant_id]
    if len(found) != 1:
        raise LookupError(f"mutants: no mutant is called {mutant_id!r}; every_mutant names them")
    ops = read_ops(schemas)
    installer = Installer(module, ops, ops[found[0].op], found[0].fault)
    installer.install()
    return installer
