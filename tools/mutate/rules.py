"""The rules that make mutants: what a node of the syntax tree can be turned into."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from tools.mutate.cpp import Place, text

# How a mutation is written into the source (rewrite.py).
INSTEAD = "instead"  # another expression in its place
THROUGH = "through"  # its value passed through a function of runtime/mutant.h
WITHOUT = "without"  # a statement left out
ADD = "add"  # a compound addition in a narrower type


@dataclass(frozen=True)
class Mutation:
    """One change of one node. `fault` is empty where the file tells the class; `target` is the
    part of the node that changes, where it isn't the node."""

    rule: str
    how: str
    after: str
    fault: str = ""
    target: Node | None = None


_BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_EQUALITY = {"==": "!=", "!=": "=="}
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/"}
_BITS = {"&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<"}
_NUMBERS = {"T", "float", "double", "int", "int64_t", "uint64_t", "int32_t", "uint32_t", "size_t"}
_NUMBERS |= {"uint16_t", "uint8_t", "To", "auto", "From", "Acc"}
_COMMUTATIVE = {"add", "mul", "maximum", "minimum", "bit_and", "bit_or", "bit_xor", "eq", "ne"}
_COMMUTATIVE |= {"hypot", "max", "min", "std::max", "std::min", "two_sum", "same", "swap"}
_COMMUTATIVE |= {"mul_scalar", "logical_and", "logical_or", "promote_types", "common_dtype"}
_COMMUTATIVE |= {"overlap_between", "all_equal", "equal_elements", "two_product"}
_CONSTANT = re.compile(r"(?:\w+(?:<[^<>]*>)?::)*k[A-Z]\w*$")
_INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F']+|[0-9][0-9']*)[uUlL]*$")
# Perturbations in ULP, one of which a place gets.
_ULPS = (4, 32, 1000)


def mutations_of(node: Node, place: Place) -> Iterator[Mutation]:
    """What a node can be turned into."""
    rule = _RULES.get(node.type)
    if rule is not None and _rewritable(node):
        yield from rule(node, place)


def _rewritable(node: Node) -> bool:
    source = text(node)
    if node.has_error or len(source) > 400 or "#" in source or "//" in source:
        return False
    return node.type.endswith("statement") or "[" not in source or "](" not in source


def _operands(node: Node) -> tuple[str, str, str]:
    parts = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
    left, operator, right = (text(part) for part in parts)
    return left, operator, right


def _binary(node: Node, place: Place) -> Iterator[Mutation]:
    left, operator, right = _operands(node)
    if '"' in left or '"' in right:
        return
    if operator in _BOUNDARY:
        changed = f"({left}) {_BOUNDARY[operator]} ({right})"
        looped = place.loop_part == "condition"
        yield Mutation("boundary", INSTEAD, changed, "size" if looped else "")
        if looped and operator in ("<", "<="):
            yield Mutation("tail", INSTEAD, f"({left}) + 1 {operator} ({right})", "size")
    elif operator in _EQUALITY:
        yield Mutation("equality", INSTEAD, f"({left}) {_EQUALITY[operator]} ({right})")
    elif operator in ("&&", "||"):
        yield Mutation("conjunct", INSTEAD, f"!!({left})")
        yield Mutation("conjunct", INSTEAD, f"!!({right})")
    elif operator in _ARITHMETIC:
        yield Mutation("arithmetic", INSTEAD, f"({left}) {_ARITHMETIC[operator]} ({right})")
    elif operator in _BITS:
        changed = f"({left}) {_BITS[operator]} ({right})"
        yield Mutation("bits", INSTEAD, changed, "integer")


def _choice(node: Node, place: Place) -> Iterator[Mutation]:
    first = text(node.child_by_field_name("consequence"))
    second = text(node.child_by_field_name("alternative"))
    for kept in (first, second):
        if not kept.lstrip().startswith("{"):
            yield Mutation("choice", INSTEAD, kept, "special")


def _condition(node: Node, place: Place) -> Iterator[Mutation]:
    """The condition of an if or while statement."""
    parent = node.parent
    value = node.child_by_field_name("value")
    if parent is None or value is None or len(node.named_children) != 1:
        return
    if value.type == "declaration" or parent.type not in ("if_statement", "while_statement"):
        return
    yield Mutation("never", INSTEAD, "false", target=value)
    if parent.type == "if_statement":
        yield Mutation("always", INSTEAD, "true", target=value)


def _unary(node: Node, place: Place) -> Iterator[Mutation]:
    operator = text(node.child_by_field_name("operator"))
    operand = text(node.child_by_field_name("argument"))
    if operator == "!":
        yield Mutation("negation", INSTEAD, f"!!({operand})")
    elif operator in ("-", "~") and not _is_literal(node):
        yield Mutation("negation", INSTEAD, operand)


def _is_literal(node: Node) -> bool:
    argument = node.child_by_field_name("argument")
    return argument is not None and argument.type == "number_literal"


def _literal(node: Node, place: Place) -> Iterator[Mutation]:
    source = text(node)
    if _INTEGER.match(source):
        start = place.loop_part == "initializer"
        after = f"{source} + 1"
        yield Mutation("start" if start else "constant", INSTEAD, after, "size" if start else "")
    elif source[-1] not in "fFlL":
        yield _nudge(node, "constant")


def _nudge(node: Node, rule: str) -> Mutation:
    ulps = _ULPS[zlib.crc32(text(node.parent or node).encode()) % len(_ULPS)]
    return Mutation(rule, THROUGH, f"nudged<{ulps}>", "accuracy")


def _constant(node: Node, place: Place) -> Iterator[Mutation]:
    """A named constant where its value is read."""
    parent = node.parent
    named = parent is not None and parent.type in ("qualified_identifier", "template_function")
    if _CONSTANT.match(text(node)) and not named and not _is_declared(node):
        yield _nudge(node, "constant")
        yield Mutation("constant", THROUGH, "next")


def _is_declared(node: Node) -> bool:
    parent = node.parent
    if parent is None:
        return False
    if parent.type in ("call_expression", "template_function", "subscript_expression"):
        return node == parent.named_children[0]
    return "declarator" in parent.type or parent.type in ("field_initializer", "pointer_expression")


def _return(node: Node, place: Place) -> Iterator[Mutation]:
    value = node.named_children[0] if node.named_children else None
    if value is None or value.type in ("initializer_list", "comment"):
        return
    if place.returns == "bool":
        yield Mutation("result", INSTEAD, f"!({text(value)})", target=value)
    elif place.returns in _NUMBERS:
        nudge = _nudge(node, "result")
        yield Mutation("result", THROUGH, nudge.after, "accuracy", target=value)
        yield Mutation("result", THROUGH, "next", target=value)


def _assignment(node: Node, place: Place) -> Iterator[Mutation]:
    left, operator, right = _operands(node)
    changed = {**_ARITHMETIC, **_BITS}.get(operator[:-1]) if operator != "=" else None
    if changed is None:
        return
    fault = "integer" if operator[:-1] in _BITS else ""
    yield Mutation("arithmetic", INSTEAD, f"({left}) {changed}= ({right})", fault)
    if operator == "+=":
        yield Mutation("accumulator", ADD, f"{left} += {right} in a narrower type", "accuracy")


def _call(node: Node, place: Place) -> Iterator[Mutation]:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return
    name = text(function)
    if name == "CEPH_CHECK":
        return
    if function.type == "template_function" and name.startswith("static_cast<"):
        fault = "integer" if "int" in name or "size_t" in name else "accuracy"
        yield Mutation("narrow", THROUGH, "narrowed", fault)
    yield from _swapped(name, arguments)


def _swapped(name: str, arguments: Node) -> Iterator[Mutation]:
    given = arguments.named_children
    plain = all(each.type in ("identifier", "field_expression") for each in given)
    bare = name.partition("<")[0].rpartition("::")[2]
    if len(given) < 2 or not plain or bare in _COMMUTATIVE:
        return
    if name.isupper() or name.startswith("CEPH_"):
        return
    texts = [text(each) for each in given]
    texts[0], texts[1] = texts[1], texts[0]
    yield Mutation("swap", INSTEAD, f"{name}({', '.join(texts)})", "argument")


def _subscript(node: Node, place: Place) -> Iterator[Mutation]:
    if len(node.named_children) == 1 and node.named_children[0].type != "number_literal":
        index = node.named_children[0]
        yield Mutation("index", INSTEAD, f"({text(index)}) + 1", target=index)


def _statement(node: Node, place: Place) -> Iterator[Mutation]:
    inner = node.named_children[0] if node.named_children else None
    if inner is None or place.loop_part:
        return
    if inner.type == "call_expression":
        name = text(inner.child_by_field_name("function"))
        if name == "CEPH_CHECK":
            yield Mutation("check", WITHOUT, ";", "error")
        elif not name.startswith(("CEPH_", "fail")):
            yield Mutation("delete", WITHOUT, ";", "state")
    elif inner.type in ("assignment_expression", "update_expression"):
        yield Mutation("delete", WITHOUT, ";", "state")


def _jump(node: Node, place: Place) -> Iterator[Mutation]:
    if place.in_loop:
        yield Mutation("jump", WITHOUT, ";", "size")


_RULES: dict[str, Callable[[Node, Place], Iterator[Mutation]]] = {
    "binary_expression": _binary,
    "conditional_expression": _choice,
    "condition_clause": _condition,
    "unary_expression": _unary,
    "number_literal": _literal,
    "identifier": _constant,
    "qualified_identifier": _constant,
    "return_statement": _return,
    "assignment_expression": _assignment,
    "call_expression": _call,
    "subscript_argument_list": _subscript,
    "expression_statement": _statement,
    "continue_statement": _jump,
    "break_statement": _jump,
}
