"""The body of one rule as C++: the typed subset of Python, statement by statement."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.rules import NONE, Kind, RuleBook, RuleFunction
from tools.codegen.rules_expr import Calls, ExpressionEmitter, OpIndex, RuleError

ALLOWED = (
    "assignment to one name, if, for over range() or a tuple, return, raise of"
    " RuntimeError, IndexError, ValueError, TypeError or NotImplementedError with a message,"
    " calls of rules and of in-place ops"
)
# Functions of csrc/ops/rules/support.h that emitted code calls: a local would hide them.
SUPPORT_NAMES = frozenset(
    {"at", "fail", "floor_div", "floor_mod", "joined", "len", "repeated", "same", "shown", "slice"}
)
ERROR_KINDS: Mapping[str, str] = {
    "RuntimeError": "kRuntime",
    "IndexError": "kIndex",
    "ValueError": "kValue",
    "TypeError": "kType",
    "NotImplementedError": "kNotImplemented",
}
_VALUE_TYPES: Mapping[str, str] = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string_view",
    "ints": "DimVector",
    "TensorList": "std::vector<Tensor>",
    "Generator": "Generator",
}
_PARAMETER_TYPES: Mapping[str, str] = {
    "ints": "IntArrayRef",
    "shapes": "ArrayRef<IntArrayRef>",
    "Tensor": "const Tensor&",
    "TensorList": "TensorList",
    "Generator": "const Generator&",
}


def value_type(kind: Kind) -> str:
    """The C++ type of a local or a result."""
    if kind.base == "tuple":
        return f"std::tuple<{', '.join(map(value_type, kind.items))}>"
    name = _VALUE_TYPES.get(kind.base, kind.base)
    return f"std::optional<{name}>" if kind.optional and kind.base not in NULLABLE else name


NULLABLE = ("Tensor", "Generator")  # None is the undefined handle


def parameter_type(kind: Kind, names_op: bool = False) -> str:
    """The C++ type of a parameter; the one that names the op is what errors take."""
    if names_op:
        return "const char*"
    if kind.base == "Scalar":
        return "const std::optional<Scalar>&" if kind.optional else "const Scalar&"
    name = _PARAMETER_TYPES.get(kind.base, _VALUE_TYPES.get(kind.base, kind.base))
    return f"std::optional<{name}>" if kind.optional and kind.base not in NULLABLE else name


@dataclass(frozen=True)
class Emitted:
    """A function's body, and what it calls."""

    text: str
    calls: Calls


def emit_body(function: RuleFunction, book: RuleBook, ops: OpIndex) -> Emitted:
    """Raises RuleError at the first construct outside the subset."""
    return _BodyEmitter(function, book, ops).run()


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether control never passes the end of these statements."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, ast.Return | ast.Raise)


def _assigned(statements: Sequence[ast.stmt]) -> dict[str, int]:
    """The names that statements assign, with the line of the first assignment."""
    found: dict[str, int] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, node.lineno)
    return found


def _always_assigned(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that are set when control passes the end of these statements."""
    names: set[str] = set()
    for statement in statements:
        if isinstance(statement, ast.Assign):
            names |= {t.id for t in statement.targets if isinstance(t, ast.Name)}
        if isinstance(statement, ast.If):
            names |= _set_by_branches(statement)
    return names


def _set_by_branches(node: ast.If) -> set[str]:
    sets = [_always_assigned(b) for b in (node.body, node.orelse) if not _leaves(b)]
    return set.intersection(*sets) if sets else set()


def _loaded(statements: Sequence[ast.stmt]) -> set[str]:
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


class _BodyEmitter:
    def __init__(self, function: RuleFunction, book: RuleBook, ops: OpIndex) -> None:
        self.function = function
        self.expressions = ExpressionEmitter(function, book, ops)
        self.lines: list[str] = []
        self.hoisted: set[str] = set()  # to be assigned in a block, declared before it

    def run(self) -> Emitted:
        body = self.function.node.body
        if ast.get_docstring(self.function.node) is not None:
            body = body[1:]
        if not _leaves(body) and self.function.returns != NONE:
            raise RuleError(self.function.node, "not every path returns; end with return or raise")
        self._block(body, [], 1)
        return Emitted("".join(f"{line}\n" for line in self.lines), self.expressions.calls)

    def _line(self, depth: int, text: str) -> None:
        indent = "  " * depth
        self.lines.append(cpp.broken(indent, text))

    def _block(self, statements: Sequence[ast.stmt], after: Sequence[ast.stmt], depth: int) -> None:
        for position, statement in enumerate(statements):
            self._statement(statement, [*statements[position + 1 :], *after], depth)

    def _statement(self, node: ast.stmt, after: Sequence[ast.stmt], depth: int) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(node, name, value, depth)
            case ast.If():
                self._if(node, after, depth)
            case ast.For(target=ast.Name(id=name), orelse=[]):
                self._for(node, name, after, depth)
            case ast.Return(value=value):
                self._return(node, value, depth)
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[message], keywords=[])):
                self._raise(node, name, message, depth)
            case ast.Expr(value=ast.Call() as call):
                self._line(depth, f"{self.expressions.emit(call, statement=True).text};")
            case _:
                text = ast.unparse(node).splitlines()[0]
                raise RuleError(node, f"'{text}' isn't allowed; allowed are {ALLOWED}")

    def _assign(self, node: ast.Assign, name: str, value: ast.expr, depth: int) -> None:
        scope = self.expressions.scope
        if name in scope.parameters or name in SUPPORT_NAMES:
            raise RuleError(node, f"{name} is a parameter or a name of support.h; choose another")
        local = cpp.local_name(name)
        known = scope.locals.get(name)
        if known is not None and (item := _appended(name, value)) is not None:
            self._line(depth, f"{local}.push_back({self.expressions.emit(item).text});")
            return
        made = self.expressions.emit(value, owned=True)
        if made.kind == NONE:
            raise RuleError(
                node, f"{name} = None has no type; leave the name unset or use a branch"
            )
        if known is not None and known != made.kind:
            raise RuleError(node, f"{name} is {known}; it can't become {made.kind}")
        declare = known is None and name not in self.hoisted
        scope.assign(name, made.kind)
        if declare and made.text == "DimVector{}":
            self._line(depth, f"DimVector {local};")
        else:
            prefix = f"{value_type(made.kind)} " if declare else ""
            self._line(depth, f"{prefix}{local} = {made.text};")

    def _if(self, node: ast.If, after: Sequence[ast.stmt], depth: int) -> None:
        at = self._begin_hoisting(node, after)
        self._branches(node, after, depth, "if")
        self._end_hoisting(node, at, depth)

    def _branches(self, node: ast.If, after: Sequence[ast.stmt], depth: int, word: str) -> None:
        scope = self.expressions.scope
        condition = self.expressions.condition(node.test)
        before = scope.narrowed
        known = dict(scope.locals)
        self._line(depth, f"{word} ({condition}) {{")
        scope.narrowed = before | self.expressions.known_set(node.test, True)
        self._block(node.body, after, depth + 1)
        then_locals = self._leave_block(known)
        scope.narrowed = before | self.expressions.known_set(node.test, False)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self._branches(node.orelse[0], after, depth, "} else if")
        else:
            if node.orelse:
                self._line(depth, "} else {")
                self._block(node.orelse, after, depth + 1)
            self._line(depth, "}")
        self._leave_block(then_locals)
        leaving = {True: _leaves(node.body), False: bool(node.orelse) and _leaves(node.orelse)}
        scope.narrowed = before
        for truth in (True, False):
            if leaving[not truth]:
                scope.narrowed = before | self.expressions.known_set(node.test, truth)

    def _leave_block(self, outer: Mapping[str, Kind]) -> dict[str, Kind]:
        """Forgets names declared inside a block; hoisted ones stay."""
        scope = self.expressions.scope
        kept = {n: k for n, k in scope.locals.items() if n in outer or n in self.hoisted}
        scope.locals = dict(kept)
        return kept

    def _begin_hoisting(self, node: ast.If, after: Sequence[ast.stmt]) -> tuple[int, set[str]]:
        """Names that a branch sets first and that are used after it are declared before it."""
        scope = self.expressions.scope
        fresh = {n for n in _assigned([node]) if n not in scope.locals and n not in self.hoisted}
        wanted = fresh & _loaded(after)
        if unset := sorted(wanted - _set_by_branches(node)):
            raise RuleError(node, f"{unset[0]} may be unset afterwards; set it in every branch")
        self.hoisted |= wanted
        return len(self.lines), wanted

    def _end_hoisting(self, node: ast.If, begun: tuple[int, set[str]], depth: int) -> None:
        at, wanted = begun
        for name in sorted(wanted, reverse=True):
            kind = self.expressions.scope.locals[name]
            text = f"{'  ' * depth}{value_type(kind)} {cpp.local_name(name)};"
            self.lines.insert(at, text)
        self.hoisted -= wanted

    def _for(self, node: ast.For, name: str, after: Sequence[ast.stmt], depth: int) -> None:
        scope = self.expressions.scope
        if name in scope.locals or name in scope.parameters:
            raise RuleError(node, f"{name} is in use; give the loop a name of its own")
        late = sorted(
            n for n in _assigned(node.body) if n not in scope.locals and n in _loaded(after)
        )
        if late:
            raise RuleError(node, f"{late[0]} may be unset after the loop; set it before")
        known, narrowed = dict(scope.locals), scope.narrowed
        self._line(depth, self._loop_head(node, name))
        self._block(node.body, [*node.body, *after], depth + 1)
        self._line(depth, "}")
        scope.locals, scope.narrowed = known, narrowed

    def _loop_head(self, node: ast.For, name: str) -> str:
        local = cpp.local_name(name)
        scope = self.expressions.scope
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=[*bounds], keywords=[]):
                if len(bounds) not in (1, 2):
                    raise RuleError(node, "range takes one or two bounds here")
                texts = [self.expressions.position(bound) for bound in bounds]
                first, last = texts if len(texts) == 2 else ("0", texts[0])
                scope.assign(name, Kind("int"))
                return f"for (int64_t {local} = {first}; {local} < {last}; ++{local}) {{"
        over = self.expressions.emit(node.iter)
        if over.kind == Kind("ints"):
            scope.assign(name, Kind("int"))
            return f"for (int64_t {local} : {over.text}) {{"
        if over.kind == Kind("shapes"):
            scope.assign(name, Kind("ints"))
            return f"for (IntArrayRef {local} : {over.text}) {{"
        raise RuleError(node, f"for needs range() or a tuple of ints or shapes; got {over.kind}")

    def _return(self, node: ast.Return, value: ast.expr | None, depth: int) -> None:
        wanted = self.function.returns
        if value is None or wanted == NONE:
            if value is not None or wanted != NONE:
                raise RuleError(node, f"the function returns {wanted}")
            self._line(depth, "return;")
            return
        if wanted.base == "tuple" and isinstance(value, ast.Tuple):
            items = [
                self.expressions.converted(item, kind)
                for item, kind in zip(value.elts, wanted.items, strict=True)
            ]
            self._line(depth, f"return {{{', '.join(items)}}};")
            return
        self._line(depth, f"return {self.expressions.converted(value, wanted)};")

    def _raise(self, node: ast.Raise, name: str, message: ast.expr, depth: int) -> None:
        if name not in ERROR_KINDS:
            raise RuleError(
                node, f"{name} can't be raised here; allowed are {', '.join(ERROR_KINDS)}"
            )
        parts = self.expressions.message(message)
        kind = f"ErrorKind::{ERROR_KINDS[name]}"
        self._line(depth, f"fail({', '.join([kind, *parts])});")


def _appended(name: str, value: ast.expr) -> ast.expr | None:
    """`item` of `name = (*name, item)`."""
    match value:
        case ast.Tuple(elts=[ast.Starred(value=ast.Name(id=first)), item]) if first == name:
            return None if isinstance(item, ast.Starred) else item
    return None
