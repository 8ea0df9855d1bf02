"""Entry files -> model. Every mistake is reported with file and line; none stops the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

from tools.codegen.model import (
    Implementation,
    ImplementationKind,
    OpEntry,
    RuleCall,
    RuleNames,
    Schema,
    SchemaError,
    Source,
    Tags,
)
from tools.codegen.problems import CodegenError, Problem

IMPLEMENTATIONS: tuple[ImplementationKind, ...] = (
    "scalar",
    "kernel",
    "inplace_kernel",
    "view",
    "native",
    "composite",
    "each",
)
STRING_LISTS = ("variants", "tags", "numbers", "broadcast_self", "errors")
STRINGS = ("op", "module", "shape", "check", "samples")
FIELDS = (*STRINGS, *STRING_LISTS, *IMPLEMENTATIONS, "dtypes", "promote", "oracle", "derivative")
REQUIRED = {
    "op": "every entry begins with its schema",
    "variants": "list function, method, inplace, out, or write [] for an op reached by others only",
    "dtypes": "name a set of tags.yaml or list dtypes, per backend",
    "oracle": "every op needs one, name a function of oracle/{family}.py",
    "samples": "every op needs them, name a function of samples/{family}.py",
    "errors": "name functions of samples/{family}.py, or write [none] where no argument is invalid",
}

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Parsed = TypeVar("Parsed")


class _Fields:
    """The fields of one entry as plain values, with the line of each."""

    def __init__(self, node: yaml.MappingNode, file: str) -> None:
        self.values: dict[str, Any] = {}
        self.lines: dict[str, int] = {}
        self.repeated: list[tuple[str, int]] = []
        for key_node, value_node in node.value:
            name = str(key_node.value)
            line = key_node.start_mark.line + 1
            if name in self.values:
                self.repeated.append((name, line))
            self.values[name] = _plain(value_node)
            self.lines[name] = line
        self.source = Source(file, node.start_mark.line + 1, self.lines)


def _plain(node: yaml.Node) -> Any:
    """A node's value with every scalar as the text that stands in the file."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return str(node.value)


class _EntryParser:
    """Turns the fields of one entry into an `OpEntry`, or into problems."""

    def __init__(self, family: str, fields: _Fields, tags: Tags, problems: list[Problem]) -> None:
        self.family = family
        self.fields = fields
        self.tags = tags
        self.problems = problems
        schema_text = fields.values.get("op", "")
        self.op = schema_text.split("(")[0] if isinstance(schema_text, str) else ""

    def problem(self, field: str, text: str) -> None:
        source = self.fields.source
        self.problems.append(Problem(source.file, source.at(field), self.op, text))

    def parse(self) -> OpEntry | None:
        before = len(self.problems)
        self._check_names()
        self._check_shapes_of_values()
        if len(self.problems) > before:
            return None
        schema = self._try("op", Schema.parse)
        implementation = self._implementation()
        shape = self._try("shape", RuleCall.parse)
        promote = self._promote()
        dtypes = self._dtypes()
        if len(self.problems) > before or schema is None or implementation is None:
            return None
        values = self.fields.values
        return OpEntry(
            family=self.family,
            schema=schema,
            variants=tuple(values["variants"]),
            tags=tuple(values.get("tags", ())),
            numbers=tuple(values.get("numbers", ())),
            dtype_sets={
                k: v if isinstance(v, str) else tuple(v) for k, v in values["dtypes"].items()
            },
            dtypes=dtypes,
            implementation=implementation,
            shape=shape,
            promote=promote,
            check=values.get("check"),
            broadcast_self=tuple(values.get("broadcast_self", ())),
            oracle=values["oracle"],
            samples=values["samples"],
            errors=tuple(values["errors"]),
            source=self.fields.source,
            module=values.get("module", ""),
            derivative=values.get("derivative"),
        )

    def _check_names(self) -> None:
        for name, line in self.fields.repeated:
            source = self.fields.source
            self.problems.append(
                Problem(source.file, line, self.op, f"{name} is given twice; keep one")
            )
        for name in self.fields.values:
            if name not in FIELDS:
                self.problem(name, f"unknown field '{name}'; fields are {', '.join(FIELDS)}")
        for name, advice in REQUIRED.items():
            if name not in self.fields.values:
                self.problem(name, f"no {name}; {advice.format(family=self.family)}")

    def _check_shapes_of_values(self) -> None:
        for name, value in self.fields.values.items():
            if name in STRINGS and not isinstance(value, str):
                self.problem(name, f"{name} must be one word or expression; got {value}")
            if name in STRING_LISTS and not _is_string_list(value):
                self.problem(name, f"{name} must be a list of names; got {value}")
            if name == "promote" and not (isinstance(value, str) or _is_string_list(value)):
                self.problem(
                    name, f"promote must be a rule, or a list with one rule per result; got {value}"
                )
            if name == "dtypes" and not isinstance(value, dict):
                self.problem(name, f"dtypes must map each backend to a set or a list; got {value}")

    def _try(self, field: str, parse: Callable[[str], Parsed]) -> Parsed | None:
        if field not in self.fields.values:
            return None
        try:
            return parse(self.fields.values[field])
        except SchemaError as error:
            self.problem(field, str(error))
            return None

    def _promote(self) -> tuple[RuleCall, ...]:
        value = self.fields.values.get("promote", [])
        try:
            return tuple(map(RuleCall.parse, [value] if isinstance(value, str) else value))
        except SchemaError as error:
            self.problem("promote", str(error))
            return ()

    def _dtypes(self) -> dict[str, tuple[str, ...]]:
        """Each backend's set resolved to names."""
        resolved: dict[str, tuple[str, ...]] = {}
        known = {name for names in self.tags.dtype_sets.values() for name in names}
        for backend, value in self.fields.values["dtypes"].items():
            if isinstance(value, str) and value in self.tags.dtype_sets:
                resolved[backend] = self.tags.dtype_sets[value]
            elif _is_string_list(value) and set(value) <= known:
                resolved[backend] = tuple(value)
            else:
                sets = ", ".join(self.tags.dtype_sets)
                self.problem("dtypes", f"{backend}: unknown set or dtype {value}; sets are {sets}")
        return resolved

    def _implementation(self) -> Implementation | None:
        given = [kind for kind in IMPLEMENTATIONS if kind in self.fields.values]
        if not given:
            self.problem("op", f"no implementation; give one of {', '.join(IMPLEMENTATIONS)}")
            return None
        if len(given) > 1:
            self.problem(given[1], f"more than one implementation ({', '.join(given)}); keep one")
            return None
        value = self.fields.values[given[0]]
        cases = {"": value} if isinstance(value, str) else value
        if not isinstance(cases, dict) or not all(isinstance(v, str) for v in cases.values()):
            self.problem(given[0], f"{given[0]} must be a name or a map to names; got {value}")
            return None
        return Implementation(given[0], cases)


def _is_string_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _compose(path: Path, shown: str, problems: list[Problem]) -> yaml.Node | None:
    try:
        return yaml.compose(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problems.append(Problem(shown, line, "", f"not YAML: {error.problem}"))
        return None


def parse_family(path: Path, shown: str, tags: Tags, problems: list[Problem]) -> list[OpEntry]:
    """The entries of one family file; `shown` is the path that problems name."""
    before = len(problems)
    node = _compose(path, shown, problems)
    if len(problems) > before:
        return []
    if not isinstance(node, yaml.SequenceNode):
        problems.append(Problem(shown, 1, "", "a family file is a list of entries"))
        return []
    entries: list[OpEntry] = []
    for item in node.value:
        if not isinstance(item, yaml.MappingNode):
            line = item.start_mark.line + 1
            problems.append(Problem(shown, line, "", "an entry is a map that begins with op:"))
            continue
        entry = _EntryParser(path.stem, _Fields(item, shown), tags, problems).parse()
        if entry is not None:
            entries.append(entry)
    return entries


def _read_map(path: Path, shown: str, sections: Sequence[str]) -> Mapping[str, Any]:
    """A file that is a map with exactly these sections; anything else is refused at once."""
    problems: list[Problem] = []
    node = _compose(path, shown, problems)
    value = _plain(node) if node is not None else {}
    if not problems and (not isinstance(value, dict) or sorted(value) != sorted(sections)):
        problems.append(Problem(shown, 1, "", f"the file is a map with {' and '.join(sections)}"))
    if problems:
        raise CodegenError(problems)
    return dict(value)


def parse_tags(path: Path, shown: str) -> Tags:
    """`tags.yaml`; raises CodegenError where it has another form."""
    value = _read_map(path, shown, ("tags", "dtype_sets"))
    sets = {name: tuple(dtypes) for name, dtypes in value["dtype_sets"].items()}
    return Tags(dict(value["tags"]), sets)


def parse_rule_names(path: Path, shown: str) -> RuleNames:
    """`rules.yaml`; raises CodegenError where it has another form."""
    value = _read_map(path, shown, ("shape", "promote"))
    return RuleNames(dict(value["shape"]), dict(value["promote"]))
