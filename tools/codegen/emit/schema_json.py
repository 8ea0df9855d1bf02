"""`schemas.json`: the op registry as data, for Python and for the conformance suite."""

from __future__ import annotations

import json

from tools.codegen.model import OpEntry
from tools.codegen.registry import Registry


def emit(registry: Registry) -> dict[str, str]:
    """One file, one op a line."""
    families: dict[str, int] = {}
    for entry in registry.entries:
        families[entry.family] = families.get(entry.family, 0) + 1
    ops = ",\n".join(json.dumps(_op(entry)) for entry in registry.entries)
    head = json.dumps({"format": 1, "families": families})[:-1]
    return {"schemas.json": f'{head}, "ops": [\n{ops}\n]}}\n'}


def _op(entry: OpEntry) -> dict[str, object]:
    schema = entry.schema
    return {
        "name": schema.name,
        "overload": schema.overload,
        "family": entry.family,
        "module": entry.module,
        "schema": str(schema),
        "args": [
            {
                "name": a.name,
                "type": str(a.type),
                "default": list(a.default) if isinstance(a.default, tuple) else a.default,
                "has_default": a.has_default,
                "kwarg_only": a.kwarg_only,
                "alias": None if a.alias is None else str(a.alias),
            }
            for a in schema.arguments
        ],
        "returns": [
            {
                "name": result.name,
                "type": str(result.type),
                "alias": None if result.alias is None else str(result.alias),
            }
            for result in schema.returns
        ],
        "variants": list(entry.variants),
        "dispatched": {v.kind: str(v.schema) for v in entry.dispatched()},
        "tags": list(entry.tags),
        "numbers": list(entry.numbers),
        "dtypes": {backend: list(names) for backend, names in entry.dtypes.items()},
        "implementation": entry.implementation.kind,
        "shape": None if entry.shape is None else str(entry.shape),
        "promote": ", ".join(map(str, entry.promote)) or None,
        "oracle": entry.oracle,
        "samples": entry.samples,
        "errors": list(entry.errors),
        "file": entry.source.file,
        "line": entry.source.line,
    }
