"""The typed subset of Python: what it emits, and what it refuses, with a line."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.codegen.model import OpEntry
from tools.codegen.problems import Problem
from tools.codegen.registry import Registry
from tools.codegen.rules import load_rules
from tools.codegen.rules_emit import CompiledRules, compile_rules

ROOT = Path(__file__).resolve().parents[3]


def compiled(
    folder: Path, text: str, entries: tuple[OpEntry, ...] = ()
) -> tuple[CompiledRules, list[str]]:
    (folder / "reduce.py").write_text(text, "utf-8")
    problems: list[Problem] = []
    book = load_rules(folder, "rules", problems)
    rules = compile_rules(book, entries, problems)
    return rules, [str(problem) for problem in problems]


def body(folder: Path, text: str, entries: tuple[OpEntry, ...] = ()) -> str:
    rules, problems = compiled(folder, text, entries)
    assert problems == []
    return rules.bodies["f"].text


def test_shapes_are_joined_sliced_and_indexed(tmp_path: Path) -> None:
    text = """\
def f(op: str, self: Shape, dim: int) -> Shape:
    result = (*self[:dim], 1, self[-1] * 2, *self[dim + 1 :])
    return result
"""
    assert body(tmp_path, text) == (
        "  DimVector result = joined({slice(self, std::nullopt, dim),\n"
        "                             DimVector{1, Checked(op, at(self, -1)) * 2},\n"
        "                             slice(self, dim + 1, std::nullopt)});\n"
        "  return result;\n"
    )


def test_none_is_known_after_a_test(tmp_path: Path) -> None:
    text = """\
def f(op: str, dim: int | None) -> int:
    if dim is None:
        return 0
    return dim
"""
    assert body(tmp_path, text) == (
        "  if (!dim.has_value()) {\n    return 0;\n  }\n  return *dim;\n"
    )


def test_or_sees_what_its_left_side_showed(tmp_path: Path) -> None:
    text = """\
def f(op: str, dim: Ints | None) -> bool:
    return dim is None or len(dim) == 0
"""
    assert body(tmp_path, text) == "  return !dim.has_value() || len(*dim) == 0;\n"


def test_a_name_set_in_branches_is_declared_before_them(tmp_path: Path) -> None:
    text = """\
def f(op: str, self: Shape, flag: bool) -> Shape:
    if flag:
        result = self
    elif len(self) == 1:
        result = (1,)
    else:
        result = ()
    return result
"""
    assert body(tmp_path, text) == (
        "  DimVector result;\n"
        "  if (flag) {\n    result = self;\n"
        "  } else if (len(self) == 1) {\n    result = DimVector{1};\n"
        "  } else {\n    result = DimVector{};\n  }\n"
        "  return result;\n"
    )


def test_appending_is_push_back(tmp_path: Path) -> None:
    text = """\
def f(op: str, self: Shape) -> Shape:
    result = ()
    for size in self:
        result = (*result, size)
    return result
"""
    assert body(tmp_path, text) == (
        "  DimVector result;\n"
        "  for (int64_t size : self) {\n    result.push_back(size);\n  }\n"
        "  return result;\n"
    )


def test_arithmetic_on_values_is_checked_and_on_positions_is_not(tmp_path: Path) -> None:
    text = """\
def f(op: str, self: Shape, pad: int) -> int:
    return (self[len(self) - 1] + 2 * pad) // 3
"""
    total = "Checked(op, at(self, len(self) - 1)) + (Checked(op, 2) * pad)"
    assert body(tmp_path, text) == f"  return floor_div(op, {total}, 3);\n"


def test_errors_become_fail(tmp_path: Path) -> None:
    text = """\
def f(op: str, self: Shape) -> Shape:
    if len(self) > 8:
        raise ValueError(f"{op}: too many dimensions; got {show(self)} of {len(self)}")
    raise IndexError('f: a "quoted" text')
"""
    assert body(tmp_path, text) == (
        "  if (len(self) > 8) {\n"
        '    fail(ErrorKind::kValue, op, "too many dimensions; got ", self, " of ", len(self));\n'
        "  }\n"
        '  fail(ErrorKind::kIndex, "f", "a \\"quoted\\" text");\n'
    )


def test_ops_are_called_with_every_argument_in_its_place(
    tmp_path: Path, registry: Registry
) -> None:
    text = """\
def f(self: Tensor, low: Scalar, dtype: DType | None) -> Tensor:
    made = ops.empty(self.shape, dtype=dtype, device=self.device)
    ops.fill_(made, 0)
    return ops.maximum(ops.sort(self, 0)[1], low)
"""
    assert body(tmp_path, text, registry.entries) == (
        "  Tensor made = ops::empty(self.sizes(), dtype, std::nullopt, self.device());\n"
        "  ops::fill_(made, 0);\n"
        "  return ops::maximum(std::get<1>(ops::sort(self, 0)), wrapped_number(low));\n"
    )


def test_calls_are_followed_through_other_rules(tmp_path: Path, registry: Registry) -> None:
    text = """\
def f(self: Tensor) -> Tensor:
    return g(self)


def g(self: Tensor) -> Tensor:
    return ops.neg(self)
"""
    rules, problems = compiled(tmp_path, text, registry.entries)
    assert problems == []
    assert rules.calls("f").entries == {"neg"}


REFUSED = [
    ("while True:\n        pass", "'while True:' isn't allowed; allowed are assignment"),
    ("x = [1]", "'[1]' isn't allowed; allowed are names, literals"),
    ("x += 1", "'x += 1' isn't allowed"),
    ("a, b = self", "'a, b = self' isn't allowed"),
    ("self = ()", "self is a parameter or a name of support.h"),
    ("joined = ()", "joined is a parameter or a name of support.h"),
    ("x = None", "x = None has no type"),
    ("x = 1\n    x = ()", "x is int; it can't become ints"),
    ("x = y", "y isn't set here"),
    ("x = self + 1", "'self + 1' has no meaning for ints and int"),
    ("x = (self,)", "an int is expected; 'self' is ints"),
    ("x = (*1, 2)", "a tuple of ints is expected; '1' is int"),
    ("x = self[0:4:2]", "slices are of tuples of ints, without a step"),
    ("x = flag[0]", "'flag' is bool; it has no elements"),
    ("x = self[flag]", "a position must be an int; 'flag' is bool"),
    ("x = self < self", "'self < self' isn't allowed for ints"),
    ("x = dim + 1", "'dim + 1' has no meaning for int or None and int"),
    ("x = flag is None", "'flag' is never None"),
    ("x = dim == 1", "can't compare int or None with int"),
    ("x = 1 if self else 2", "a bool is expected; 'self' is ints"),
    ("x = 1 if flag else ()", "the two values differ: int and ints"),
    ("x = len(flag)", "len is of tuples; 'flag' is bool"),
    ("x = sum(self)", "'sum' can't be called"),
    ("x = self.size", "'self.size' isn't allowed"),
    ("x = self.shape", "'self' is ints, not a tensor"),
    ("x = wrap_dim(op, 1)", "wrap_dim takes 3 arguments by position"),
    ("x = wrap_dim(op, 1, self)", "'self' is ints; int is expected"),
    ("x = ops.nothing(1)", "ops.nothing: no such op"),
    ("x = ops.neg(self)", "ops.neg: no overload takes (ints)"),
    ("for i in flag:\n        y = i", "for needs range() or a tuple of ints or shapes"),
    ("for i in range(1, 2, 3):\n        y = i", "range takes one or two bounds"),
    ("for op in self:\n        y = 1", "op is in use; give the loop a name of its own"),
    ("if flag:\n        y = 1\n    z = y", "y may be unset afterwards; set it in every branch"),
    ("for i in self:\n        y = 1\n    z = y", "y may be unset after the loop"),
    ("if self:\n        y = 1", "a condition must be a bool; 'self' is ints"),
    ("raise KeyError('f: x')", "KeyError can't be raised here"),
    ("raise ValueError('no op')", "a message begins with the op"),
    ("raise ValueError(f'{op}: {self}')", "a message can't print ints; use show()"),
    ("raise ValueError(f'{op}: {flag!r}')", "a message is a string or an f-string"),
    ("return None", "'None' is None; ints is expected"),
    ("return flag", "'flag' is bool; ints is expected"),
    ("x = 2j", "the literal 2j isn't allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "message"), REFUSED, ids=[r[1][:50] for r in REFUSED])
def test_what_is_outside_the_subset_is_refused(
    tmp_path: Path, registry: Registry, statement: str, message: str
) -> None:
    text = (
        "def f(op: str, self: Shape, flag: bool, dim: int | None) -> Shape:\n"
        f"    {statement}\n    return self\n"
    )
    _, problems = compiled(tmp_path, text, registry.entries)
    assert len(problems) == 1
    assert problems[0].startswith("rules/reduce.py:")
    assert f": f: {message}" in problems[0]
    assert 2 <= int(problems[0].split(":")[1]) <= 5


HEADS = [
    ("def f(self) -> Shape:\n    return self", "parameter self needs one of Shape"),
    ("def f(self: list) -> Shape:\n    return self", "parameter self needs one of"),
    ("def f(self: Shape):\n    return self", "the result needs one of"),
    ("def f(self: Shape = ()) -> Shape:\n    return self", "parameters are plain names"),
    ("@cache\ndef f(self: Shape) -> Shape:\n    return self", "decorators aren't allowed"),
    ("X = 1", "a rules file holds a docstring, imports and functions only"),
    ("def f(:", "not Python: "),
    ("def f() -> int:\n    return 1\n\n\ndef f() -> int:\n    return 1", "f is in rules/reduce.py"),
    ("def f(op: str, flag: bool) -> int:\n    if flag:\n        return 1",
     "not every path returns"),
    ("def f(n: int) -> int:\n    return n + 1", "arithmetic on values needs the parameter"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), HEADS, ids=[h[1][:40] for h in HEADS])
def test_heads_are_checked(tmp_path: Path, text: str, message: str) -> None:
    _, problems = compiled(tmp_path, text + "\n")
    assert any(message in problem for problem in problems), problems


def test_every_function_of_the_rules_is_used(registry: Registry) -> None:
    """A rule that no entry and no other rule names is dead."""
    named = {e.shape.name for e in registry.entries if e.shape is not None}
    named |= {e.implementation.single for e in registry.entries
              if e.implementation.kind == "composite"}  # fmt: skip
    named |= {rule for made in registry.derivatives.values() for rule in made.calls.rules}
    called = {rule for name in named for rule in registry.compiled.calls(name).rules}
    assert set(registry.rules.functions) == (named | called) - {"broadcast"}


def test_every_rule_of_the_list_is_used(registry: Registry) -> None:
    shapes = {e.shape.name for e in registry.entries if e.shape is not None}
    promotions = {call.name for e in registry.entries for call in e.promote}
    assert shapes == set(registry.rule_names.shape)
    assert promotions == set(registry.rule_names.promote)


def test_rules_have_docstrings_and_no_unknown_imports(registry: Registry) -> None:
    families = {"prelude", *registry.rules.families}
    for function in registry.rules.functions.values():
        assert function.docstring, function.name
    for file in {f.file for f in registry.rules.functions.values()}:
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        imported = [n.module for n in tree.body if isinstance(n, ast.ImportFrom) if n.level]
        assert set(imported) <= families, file
