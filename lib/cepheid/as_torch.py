"""Run an unmodified program that says `import torch`: `python -m cepheid.as_torch script.py`.

In the process that asks, and only there, `torch` and `torch.X` are the modules of cepheid. A module
or name that cepheid lacks is an error that says so.

    python -m cepheid.as_torch script.py [arguments of the script]
    python -m cepheid.as_torch -m package.module [arguments]
"""

from __future__ import annotations

import importlib
import importlib.util
import runpy
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

__all__ = ["Finder", "install", "main"]

USAGE = "usage: python -m cepheid.as_torch [-m] script.py [arguments of the script]"


def own_name(name: str) -> str:
    """The name in cepheid of a module of torch."""
    return "cepheid" + name.removeprefix("torch")


class Finder(MetaPathFinder, Loader):
    """Finds `torch` and what is below it among the modules of cepheid."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """A spec of cepheid's module; ModuleNotFoundError where there is none."""
        if fullname != "torch" and not fullname.startswith("torch."):
            return None
        own = own_name(fullname)
        if own not in sys.modules and importlib.util.find_spec(own) is None:
            raise ModuleNotFoundError(
                f"No module named {fullname!r}: this program runs with cepheid as torch, which has"
                f" no {own!r}",
                name=fullname,
            )
        return ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself, imported; its own spec is kept for `exec_module` to put back."""
        module = importlib.import_module(own_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run: the module is cepheid's, and says so."""
        spec = module.__spec__
        if spec is not None:
            module.__spec__ = spec.loader_state


def install() -> None:
    """From now on `import torch` gives cepheid in this process."""
    if "torch" in sys.modules and not sys.modules["torch"].__name__.startswith("cepheid"):
        raise RuntimeError(
            "as_torch: PyTorch is imported already in this process; install before that"
        )
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def main(arguments: list[str]) -> None:
    """Run a script, or with -m a module, as the main program."""
    as_module = arguments[:1] == ["-m"]
    program = arguments[1:] if as_module else arguments
    if not program or program[0].startswith("-"):
        raise SystemExit(USAGE)
    install()
    sys.argv = program
    if as_module:
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
        return
    script = Path(program[0])
    if not script.is_file():
        raise SystemExit(f"as_torch: no script {program[0]!r}; give the path of one\n{USAGE}")
    sys.path[0] = str(script.resolve().parent)
    runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
