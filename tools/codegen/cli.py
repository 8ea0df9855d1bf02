"""The command: read, check, select, emit, write."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tools.codegen.emit import (
    autograd,
    docs_table,
    kernel_decl,
    op_header,
    pointwise,
    pyi,
    python_binding,
    python_operators,
    register,
    rules,
    schema_json,
)
from tools.codegen.problems import CodegenError
from tools.codegen.registry import (
    Registry,
    ops_called_from,
    read_registry,
    read_selection,
    select_ops,
)
from tools.codegen.trace import Trace
from tools.codegen.write import write_files

Emit = Callable[[Registry], dict[str, str]]

# Every output of the generator, by the stage of flow 9 that it belongs to.
EMITTERS: Mapping[str, tuple[Emit, ...]] = {
    "headers": (op_header.emit, kernel_decl.emit),
    "sources": (
        rules.emit,
        pointwise.emit,
        python_binding.emit,
        python_operators.emit,
        pyi.emit,
        schema_json.emit,
        docs_table.emit,
    ),
    "registrations": (register.emit, autograd.emit),
}


def load(source: Path) -> Registry:
    """The registry of a folder of entries, checked; raises CodegenError with every problem.

    Problems and generated files name the folder by its last two parts, `csrc/ops`, wherever it is.
    """
    return read_registry(source, shown="/".join(source.resolve().parts[-2:]))


def generate(registry: Registry, trace: Trace) -> dict[str, str]:
    """Every generated file: path under the output folder -> text."""
    files: dict[str, str] = {}
    for stage, emitters in EMITTERS.items():
        for emit in emitters:
            made = emit(registry)
            if clash := sorted(files.keys() & made.keys()):
                raise ValueError(f"codegen: two emitters make {clash[0]}")
            files |= made
        trace.done(stage)
    return files


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.codegen", description=__doc__)
    parser.add_argument("--source", type=Path, required=True, help="folder of the entries")
    parser.add_argument("--out", type=Path, required=True, help="folder of the generated files")
    parser.add_argument("--select", type=Path, help="file with the ops to build, one a line")
    parser.add_argument("--depfile", type=Path, help="where to list the files that were read")
    return parser.parse_args(arguments)


def _selected(registry: Registry, file: Path | None, sources: Path, trace: Trace) -> Registry:
    if file is None:
        trace.absent("selective build", "no --select: every op is built")
        return registry
    names = read_selection(file, registry)
    selected = select_ops(registry, names, ops_called_from(sources))
    trace.done("selective build")
    return selected


def _write_depfile(path: Path, out: Path, source: Path) -> None:
    inputs = sorted([*source.glob("*.yaml"), *source.glob("rules/*.py")])
    names = " ".join(p.as_posix().replace(" ", "\\ ") for p in inputs)
    path.write_text(f"{(out / 'schemas.json').as_posix()}: {names}\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Exit status 0; 1 with every problem on standard error, and nothing written."""
    options = _arguments(arguments)
    trace = Trace.from_environment()
    trace.done("generator run by CMake")
    try:
        registry = load(options.source)
        trace.done("op yaml and tags parsed")
        registry = _selected(registry, options.select, options.source.parent, trace)
    except CodegenError as error:
        print(error, file=sys.stderr)
        return 1
    files = generate(registry, trace)
    trace.absent("C shim", "comes with the compiler")
    written = write_files(options.out, files)
    if options.depfile:
        _write_depfile(options.depfile, options.out, options.source)
    print(
        f"codegen: {len(registry.entries)} ops, {written.total} files,"
        f" {len(written.changed)} changed, {len(written.removed)} removed"
    )
    return 0
