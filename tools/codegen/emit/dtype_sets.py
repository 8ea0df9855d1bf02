"""Dtype sets in C++: named after tags.yaml, defined once per unit."""

from __future__ import annotations

from collections.abc import Sequence

from tools.codegen import cpp
from tools.codegen.model import Tags


class DtypeSets:
    """Gives each set that a unit asks for a constant, and the definitions of those asked for."""

    def __init__(self, tags: Tags) -> None:
        self._named = {frozenset(names): name for name, names in tags.dtype_sets.items()}
        self._used: dict[str, Sequence[str]] = {}

    def constant(self, names: Sequence[str]) -> str:
        """The C++ name of the set: `kFloating`, or one made of its members."""
        name = self._named.get(frozenset(names), "_".join(names))
        constant = "k" + "".join(word.capitalize() for word in name.split("_"))
        self._used[constant] = names
        return constant

    def definitions(self) -> str:
        """The C++ constants asked for so far."""
        lines = []
        for constant, names in sorted(self._used.items()):
            values = [f"DType::{cpp.DTYPE_ENUMERATORS[name]}" for name in names]
            head = f"constexpr uint32_t {constant} = dtype_bits({{"
            lines.append(cpp.listed(head, values, "});") + "\n")
        return "".join(lines) + ("\n" if lines else "")
