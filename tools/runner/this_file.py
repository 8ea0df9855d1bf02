"""`python test/some_file.py` is `python run_test.py test/some_file.py`.

A test file ends with::

    if __name__ == "__main__":
        from tools.runner import run_this_file

        run_this_file()

Importing `tools` needs the repository's root on the path: the environment that `run_test.py`
makes has it (a .pth file, see bootstrap.py), whatever the working directory.
"""

import os
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]


def run_this_file() -> NoReturn:
    """Replace this process by the runner on the file being run as a script.

    Raises RuntimeError when the main program is no file (an interactive session).
    """
    path = getattr(sys.modules["__main__"], "__file__", None)
    if path is None:
        raise RuntimeError("run_this_file: expected a test file as the main program; got none")
    command = [sys.executable, str(ROOT / "run_test.py"), "--no-bootstrap"]
    os.execv(sys.executable, [*command, str(Path(path).resolve()), *sys.argv[1:]])
