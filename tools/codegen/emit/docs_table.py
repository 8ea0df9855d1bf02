"""`ops.md`: the table of ops for the documentation, generated into the build folder."""

from __future__ import annotations

from tools.codegen.model import OpEntry
from tools.codegen.registry import Registry

_COLUMNS = ("op", "variants", "dtypes on the CPU", "implementation", "oracle")
_HEAD = f"| {' | '.join(_COLUMNS)} |\n{'| --- ' * len(_COLUMNS)}|\n"


def emit(registry: Registry) -> dict[str, str]:
    """One table per family."""
    text = f"# Ops\n\n{len(registry.entries)} entries in {len(registry.families)} families.\n"
    for family in registry.families:
        rows = "".join(map(_row, registry.of_family(family)))
        text += f"\n## {family}\n\n{_HEAD}{rows}"
    return {"ops.md": text}


def _row(entry: OpEntry) -> str:
    dtypes = entry.dtype_sets.get("cpu", "")
    shown = dtypes if isinstance(dtypes, str) else ", ".join(dtypes)
    oracle = entry.oracle if isinstance(entry.oracle, str) else f"none: {entry.oracle['none']}"
    cells = [
        f"`{entry.schema}`",
        ", ".join(entry.variants) or "reached by other ops",
        shown.replace("_", " "),
        entry.implementation.kind.replace("_", " "),
        oracle,
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"
