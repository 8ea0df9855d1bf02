"""Makes the sources of a build with mutants: `python -m tools.mutate.generate`.

It runs at configure time, after the generator of ops: both the sources and what was generated from
op entries and rules are copied, with switches written into the files of scope.py.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tools.codegen.write import write_files
from tools.mutate.rewrite import Site, mutate
from tools.mutate.scope import is_mutated

_RUNTIME = Path(__file__).with_name("runtime")
_LAYERS = ("base", "core", "kernels", "ops", "autograd")
# The instruction set whose generated functors are mutated; a run forces it (CEPHEID_ISA).
ISA = "avx2"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the mutated tree and its table of sites."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csrc", type=Path, required=True)
    parser.add_argument("--generated", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.0, help="of all sites, by their key")
    parser.add_argument("--dropped", type=Path, help="keys that don't compile, one a line")
    given = parser.parse_args(arguments)
    dropped = set(given.dropped.read_text().split()) if given.dropped else set()
    sites = generate(given.csrc, given.generated, given.out, _wanted(given.share, dropped))
    print(f"mutate: {len(sites)} sites in {len({site.file for site in sites})} files")


def _wanted(share: float, dropped: set[str]) -> Callable[[str], bool]:
    limit = share * 16**6
    return lambda key: int(key[:6], 16) < limit and key not in dropped


def generate(csrc: Path, generated: Path, out: Path, wanted: Callable[[str], bool]) -> list[Site]:
    """Copy both trees below `out`, mutated; returns the sites."""
    sites: list[Site] = []
    files: dict[str, str] = {}
    for name, path in _files(csrc, generated):
        source = path.read_bytes()
        if _has_mutants(name):
            source, found = mutate(name, source, wanted, len(sites))
            sites += found
        files[name] = source.decode()
    runtime = (_RUNTIME / "mutant.cpp.in").read_text()
    files["csrc/mutant.cpp"] = runtime.replace("@COUNT@", str(len(sites) or 1))
    files["csrc/mutant.h"] = (_RUNTIME / "mutant.h").read_text()
    files["mutants.json"] = json.dumps([asdict(site) for site in sites], indent=0) + "\n"
    write_files(out, files)
    return sites


def _has_mutants(name: str) -> bool:
    other_isa = name.startswith("generated/pointwise/") and f"/{ISA}_" not in name
    return is_mutated(name) and not other_isa


def _files(csrc: Path, generated: Path) -> Iterator[tuple[str, Path]]:
    for layer in _LAYERS:
        for path in sorted((csrc / layer).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                yield f"csrc/{path.relative_to(csrc)}", path
    for path in sorted(generated.rglob("*")):
        if path.suffix in (".cpp", ".h", ".json", ".pyi"):
            yield f"generated/{path.relative_to(generated)}", path


if __name__ == "__main__":
    main()
