"""Writes the switches of mutants into a source, every line where it was."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from tools.mutate.cpp import Place, parse, run_time_nodes, text
from tools.mutate.rules import ADD, INSTEAD, THROUGH, Mutation, mutations_of
from tools.mutate.scope import MESSAGES, fault_of, is_about_speed

_STATEMENTS = ("expression_statement", "continue_statement", "break_statement")
_ON = "::ceph::mutant::on({})"


@dataclass(frozen=True)
class Site:
    """One source mutant. `key` is its stable name, `number` its switch in one build."""

    key: str
    number: int
    fault: str
    rule: str
    file: str
    function: str
    line: int
    before: str
    after: str
    how: str


@dataclass(frozen=True, eq=False)
class _Found:
    node: Node
    mutation: Mutation
    site: Site


def mutate(
    file: str, source: bytes, wanted: Callable[[str], bool], first: int
) -> tuple[bytes, list[Site]]:
    """The source with a switch at each wanted site, and the sites, numbered from `first`."""
    root = parse(source)
    found = list(_sites(file, root, wanted, first))
    if not found:
        return source, []
    by_node: dict[int, list[_Found]] = defaultdict(list)
    for each in found:
        by_node[each.node.id].append(each)
    return _Writer(source, by_node).text_of(root).encode(), [each.site for each in found]


def _sites(file: str, root: Node, wanted: Callable[[str], bool], first: int) -> Iterator[_Found]:
    seen: Counter[str] = Counter()
    number = first
    for node, place in run_time_nodes(root):
        for mutation in mutations_of(node, place):
            target = mutation.target or node
            key = _key(file, place, target, mutation, seen)
            if wanted(key) and not _left_out(target, place):
                yield _Found(target, mutation, _site(key, number, file, place, target, mutation))
                number += 1


def _left_out(node: Node, place: Place) -> bool:
    speed = node.type not in _STATEMENTS and is_about_speed(text(node))
    return speed or place.function in MESSAGES


def _key(file: str, place: Place, node: Node, mutation: Mutation, seen: Counter[str]) -> str:
    what = (file, place.function, mutation.rule, _flat(text(node)), mutation.after)
    name = "\0".join(what)
    seen[name] += 1
    return hashlib.sha256(f"{name}\0{seen[name]}".encode()).hexdigest()[:12]


def _site(key: str, number: int, file: str, place: Place, node: Node, mutation: Mutation) -> Site:
    return Site(
        key=key,
        number=number,
        fault=mutation.fault or fault_of(file),
        rule=mutation.rule,
        file=file,
        function=place.function,
        line=node.start_point.row + 1,
        before=_flat(text(node)),
        after=_flat(mutation.after),
        how=mutation.how,
    )


def _flat(source: str) -> str:
    return " ".join(source.split())


class _Writer:
    """Renders a tree with its switches; a mutant's own text has none, as one is on at a time."""

    def __init__(self, source: bytes, found: dict[int, list[_Found]]) -> None:
        self._source = source
        self._found = found

    def text_of(self, node: Node) -> str:
        """The node's source with all switches in it."""
        plain = self._with_children(node)
        here = self._found.get(node.id, [])
        if node.type.endswith("_statement"):
            for each in here:
                plain = f"{{ if (!{_ON.format(each.site.number)}) {plain} }}"
            return plain
        for each in (each for each in here if each.mutation.how == ADD):
            left, right = (node.child_by_field_name(name) for name in ("left", "right"))
            assert left is not None and right is not None
            parts = f"{self.text_of(left)}, {self.text_of(right)}"
            plain = f"::ceph::mutant::add_narrowed({parts}, {each.site.number})"
        for each in (each for each in here if each.mutation.how == THROUGH):
            function = f"::ceph::mutant::{each.mutation.after}"
            plain = f"{function}({plain}, {each.site.number})"
        for each in (each for each in here if each.mutation.how == INSTEAD):
            other = _flat(each.mutation.after)
            if other in ("true", "false"):
                plain = f"static_cast<bool>({plain})"
            plain = f"({_ON.format(each.site.number)} ? ({other}) : ({plain}))"
        return plain

    def _with_children(self, node: Node) -> str:
        parts: list[bytes] = []
        at = node.start_byte
        for child in node.children:
            parts.append(self._source[at : child.start_byte])
            parts.append(self.text_of(child).encode())
            at = child.end_byte
        parts.append(self._source[at : node.end_byte])
        return b"".join(parts).decode()
