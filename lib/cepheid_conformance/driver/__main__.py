"""Entry point, run by path under the candidate's interpreter: `python .../driver/__main__.py IMPL`.

The package around this folder is not put on `sys.path`: the candidate must be the installed one,
never a source folder that happens to lie beside the judge.
"""

import importlib
import importlib.util
import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
_NAME = "cepheid_conformance_driver"


def _load_package() -> None:
    spec = importlib.util.spec_from_file_location(
        _NAME, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"driver: its own package must be readable; got {_FOLDER}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != _FOLDER]
    _load_package()
    serve = importlib.import_module(f"{_NAME}.serve")
    arguments = sys.argv[1:]
    # A candidate is not told by its command line that it is judged.
    sys.argv[:] = [""]
    sys.orig_argv[:] = [sys.executable]
    sys.exit(serve.main(arguments))
