"""Find the functions of a C++ file by its braces: enough to measure them, not a parser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.lint.common import blank_cpp, line_of

_SCOPE = re.compile(r'\b(namespace|extern\s*"?\s*"?)\b')
_TYPE = re.compile(r"\b(class|struct|union|enum)\b(?![^(]*\))")
_NAME = re.compile(r"([~\w:]+|operator[^\s(]+)\s*\(")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """A function body: its name as written and the lines it takes, header included."""

    name: str
    first_line: int
    last_line: int

    @property
    def lines(self) -> int:
        """How many lines the function takes."""
        return self.last_line - self.first_line + 1


def functions(text: str) -> Iterator[Function]:
    """The functions of `text`, outermost only: a lambda belongs to the function around it."""
    code = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), blank_cpp(text))
    scopes: list[tuple[str, int, str]] = []
    start = 0
    for match in re.finditer(r"[{};]", code):
        header, at = code[start : match.start()], match.start()
        start = match.end()
        if match.group() == "{":
            kind = _kind(header, scopes)
            begin = at - len(header.lstrip())
            scopes.append((kind, begin, _name(header)))
        elif match.group() == "}" and scopes:
            kind, begin, name = scopes.pop()
            if kind == "function":
                yield Function(name, line_of(code, begin), line_of(code, at))


def _kind(header: str, scopes: list[tuple[str, int, str]]) -> str:
    """What the brace after `header` opens: a scope, a function or something inside one."""
    if scopes and scopes[-1][0] not in ("scope", "type"):
        return "inside"
    if _SCOPE.search(header) and "(" not in header:
        return "scope"
    if _TYPE.search(header) and not re.search(r"\)\s*(const|noexcept|override|\s)*$", header):
        return "type"
    # A header without parentheses is the body after a braced member initialiser: `, b_{y} {`.
    if "(" in header or not header.strip():
        return "function"
    return "inside"


def _name(header: str) -> str:
    found = _NAME.search(header)
    return found[1] if found else "?"
