"""A mutant: one op with one fault. Rules make them for every op that they apply to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .schema import Op

if TYPE_CHECKING:
    from .calls import Call

Fault = Callable[["Call"], Any]

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int8", "uint8", "int16")
COMPLEX = ("complex64", "complex128")


@dataclass(frozen=True)
class Mutant:
    """One op with one fault; `equivalent` says why no caller could tell, if that is so."""

    op: str
    fault_class: str
    rule: str
    what: str
    fault: Fault
    dtypes: tuple[str, ...] = ()  # where it shows first; a hint for the order of judging
    checks: tuple[str, ...] = ()  # likewise
    equivalent: str = ""
    source: str = ""  # of a re-made bug: tracker and number
    held_out: bool = False

    @property
    def id(self) -> str:
        return f"{self.op}/{self.fault_class}/{self.rule}"


@dataclass(frozen=True)
class Rule:
    """A fault that many ops can have. `parameters` gives the variants that one op has."""

    fault_class: str
    name: str
    what: str
    parameters: Callable[[Op], Iterable[str]]
    make: Callable[[str], Fault]
    dtypes: tuple[str, ...]
    checks: tuple[str, ...]
    equivalent: Callable[[Op, str], str]

    def mutants(self, op: Op) -> Iterable[Mutant]:
        """The mutants of one op."""
        for parameter in self.parameters(op):
            yield Mutant(
                op.key,
                self.fault_class,
                self.name.replace("*", parameter),
                self.what.replace("*", parameter),
                self.make(parameter),
                self.dtypes,
                self.checks,
                self.equivalent(op, parameter),
            )


RULES: list[Rule] = []


def rule(
    fault_class: str,
    name: str,
    what: str,
    where: Callable[[Op], bool],
    *,
    dtypes: tuple[str, ...] = (),
    checks: tuple[str, ...] = (),
    equivalent: Callable[[Op], str] = lambda op: "",
) -> Callable[[Fault], Fault]:
    """Register a fault for all ops that `where` admits."""

    def register(fault: Fault) -> Fault:
        RULES.append(
            Rule(
                fault_class,
                name,
                what,
                lambda op: ("",) if where(op) else (),
                lambda parameter: fault,
                dtypes,
                checks,
                lambda op, parameter: equivalent(op),
            )
        )
        return fault

    return register


def family_of_rules(
    fault_class: str,
    name: str,
    what: str,
    parameters: Callable[[Op], Iterable[str]],
    *,
    dtypes: tuple[str, ...] = (),
    checks: tuple[str, ...] = (),
    equivalent: Callable[[Op, str], str] = lambda op, parameter: "",
) -> Callable[[Callable[[str], Fault]], Callable[[str], Fault]]:
    """Register a fault with a parameter, which stands for `*` in name and text."""

    def register(make: Callable[[str], Fault]) -> Callable[[str], Fault]:
        RULES.append(Rule(fault_class, name, what, parameters, make, dtypes, checks, equivalent))
        return make

    return register
