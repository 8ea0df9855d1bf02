"""Parses C++ and walks the code that computes at run time, with what is known of its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

# Macros that stand where the grammar knows no word; blanked, so that offsets stay.
_BLANKED = re.compile(rb"\bCEPH_(?:INLINE|API)\b|__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")

# What the compiler computes, or what is no code: a switch has no meaning there.
_COMPILE_TIME = frozenset(
    {
        "template_argument_list",
        "template_parameter_list",
        "array_declarator",
        "abstract_array_declarator",
        "static_assert_declaration",
        "sizeof_expression",
        "alignof_expression",
        "decltype",
        "noexcept",
        "requires_clause",
        "requires_expression",
        "enumerator_list",
        "preproc_def",
        "preproc_function_def",
        "preproc_call",
        "alias_declaration",
        "attribute_declaration",
        "alignas_qualifier",
        "bitfield_clause",
        "ERROR",
    }
)
# Calls whose arguments make text for people.
_TEXTS = frozenset({"fail", "CEPH_INTERNAL"})


@dataclass(frozen=True)
class Place:
    """Where a node stands."""

    function: str = ""
    returns: str = ""  # the function's return type as written
    loop_part: str = ""  # initializer, condition or update of a for statement
    subscript: bool = False
    in_loop: bool = False
    lambda_body: bool = False


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cpp.language()))


def parse(source: bytes) -> Node:
    """The syntax tree of a file."""
    blanked = _BLANKED.sub(lambda found: b" " * len(found.group()), source)
    return _parser().parse(blanked).root_node


def text(node: Node | None) -> str:
    """The source of a node."""
    if node is None or node.text is None:
        return ""
    return node.text.decode()


def run_time_nodes(root: Node) -> Iterator[tuple[Node, Place]]:
    """Every named node inside a function's body that may be evaluated at run time, outermost
    first."""
    stack = [(root, Place())]
    while stack:
        node, place = stack.pop()
        if node.type in _COMPILE_TIME or _is_constexpr(node) or _makes_table(node):
            continue
        if place.function:
            yield node, place
        stack.extend(reversed(list(_children(node, place))))


def _children(node: Node, place: Place) -> Iterator[tuple[Node, Place]]:
    if node.type == "function_definition":
        declarator = node.child_by_field_name("declarator")
        body = node.child_by_field_name("body")
        inner = Place(_name_of(declarator), text(node.child_by_field_name("type")))
        for child in node.named_children:
            if child == body or child.type == "field_initializer_list":
                yield child, inner
        return
    if node.type == "call_expression" and text(node.child_by_field_name("function")) in _TEXTS:
        return
    if node.type == "call_expression" and _is_check(node):
        arguments = node.child_by_field_name("arguments")
        if arguments is not None and arguments.named_children:
            yield arguments.named_children[0], place
        return
    for index, child in enumerate(node.children):
        if child.is_named and not _skipped(node, child):
            yield child, _inside(node, index, child, place)


def _inside(node: Node, index: int, child: Node, place: Place) -> Place:
    if node.type == "for_statement":
        part = node.field_name_for_child(index) or ""
        if part in ("initializer", "condition", "update"):
            return replace(place, loop_part=part)
        return replace(place, in_loop=True, loop_part="")
    if node.type in ("while_statement", "do_statement", "for_range_loop"):
        return replace(place, in_loop=True, loop_part="")
    if node.type == "switch_statement":
        return replace(place, in_loop=False)
    if node.type == "lambda_expression":
        return replace(place, lambda_body=True, in_loop=False, returns="", loop_part="")
    if child.type == "subscript_argument_list":
        return replace(place, subscript=True)
    if node.type in ("argument_list", "compound_statement"):
        return replace(place, subscript=False)
    return place


def _skipped(node: Node, child: Node) -> bool:
    if node.type == "case_statement" and child == node.child_by_field_name("value"):
        return True
    if node.type == "if_statement" and any(each.type == "constexpr" for each in node.children):
        return child == node.child_by_field_name("condition")
    if node.type == "lambda_expression":
        return child != node.child_by_field_name("body")
    if node.type.startswith("preproc_"):
        return child in (
            node.child_by_field_name("condition"),
            node.child_by_field_name("name"),
        )
    return False


def _is_constexpr(node: Node) -> bool:
    return node.type in ("declaration", "field_declaration") and any(
        text(child) in ("constexpr", "consteval", "constinit") for child in node.children
    )


def _makes_table(node: Node) -> bool:
    """The tables of kernels are made by the compiler."""
    if node.type != "function_definition":
        return False
    name = _name_of(node.child_by_field_name("declarator"))
    constexpr = any(text(child) == "constexpr" for child in node.children)
    return constexpr and name.startswith(("make_", "add_maximum", "fold"))


def _is_check(node: Node) -> bool:
    return text(node.child_by_field_name("function")) == "CEPH_CHECK"


def _name_of(declarator: Node | None) -> str:
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator") or next(
            (each for each in declarator.named_children if "declarator" in each.type), None
        )
    if declarator is None:
        return "?"
    return text(declarator.child_by_field_name("declarator")) or "?"
