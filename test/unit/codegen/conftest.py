"""What the generator's tests share: the real registry, and small folders of broken entries."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tools.codegen.cli import load
from tools.codegen.problems import CodegenError
from tools.codegen.registry import Registry

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "csrc" / "ops"
GOOD_ENTRY = """\
- op: "hypot(Tensor self, Tensor other) -> Tensor"
  variants: [function, method, inplace, out]
  tags: [pointwise]
  dtypes: {cpu: floating}
  shape: broadcast
  promote: default
  scalar: hypot(self, other)
  oracle: hypot
  samples: binary
  errors: [broadcast_mismatch]
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="take what is generated as expected")


@pytest.fixture(scope="session")
def registry() -> Registry:
    return load(SOURCE)


@pytest.fixture(scope="session")
def rules_module() -> Callable[[str], ModuleType]:
    """Gives a module of csrc/ops/rules by name, imported as it stands."""
    rules = SOURCE / "rules"
    spec = importlib.util.spec_from_file_location(
        "rules_as_python", rules / "__init__.py", submodule_search_locations=[str(rules)]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["rules_as_python"] = package
    spec.loader.exec_module(package)
    return lambda name: importlib.import_module(f"rules_as_python.{name}")


Folder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Makes a folder of entries: the project's tags and rule names, and the files given."""

    def make(pointwise: str = GOOD_ENTRY, **files: str) -> Path:
        source = tmp_path / "ops"
        (source / "rules").mkdir(parents=True, exist_ok=True)
        if not (tmp_path / "kernels").exists():
            (tmp_path / "kernels").symlink_to(ROOT / "csrc" / "kernels")
        for name in ("tags.yaml", "rules.yaml"):
            (source / name).write_text((SOURCE / name).read_text("utf-8"), "utf-8")
        (source / "pointwise.yaml").write_text(pointwise, "utf-8")
        for name, text in files.items():
            path = source / name.replace("__", "/").replace("_dot_", ".")
            path.write_text(text, "utf-8")
        return source

    return make


@pytest.fixture
def problems(folder: Folder) -> Callable[..., list[str]]:
    """What is wrong with entries, as the command prints it, without the folder's path."""

    def find(pointwise: str = GOOD_ENTRY, **files: str) -> list[str]:
        source = folder(pointwise, **files)
        try:
            load(source)
        except CodegenError as error:
            return [str(p).replace(f"{source.parent.name}/ops/", "") for p in error.problems]
        return []

    return find
