"""`python -m cepheid.as_torch` runs programs that say torch, and only in the process that asks."""

import os
import subprocess
import sys

import pytest


def run(tmp_path, program, *arguments, options=("-m", "cepheid.as_torch")):
    script = tmp_path / "script.py"
    script.write_text(program)
    return subprocess.run(
        [sys.executable, *options, str(script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )


PROGRAM = """
import sys
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim.lr_scheduler
from torch import optim
from torch.utils.data import DataLoader
import helper

assert nn is torch.nn and F is torch.nn.functional and optim is torch.optim
assert torch.utils.data.DataLoader is DataLoader
assert torch.__spec__.name == "cepheid" and nn.__spec__.name == "cepheid.nn"
assert __name__ == "__main__" and sys.modules["torch"] is torch
print(helper.total, sys.argv[1:], torch.nn.Linear(2, 1)(torch.ones(1, 2)).shape)
"""


def test_a_program_runs_with_its_neighbours_and_arguments(tmp_path):
    (tmp_path / "helper.py").write_text("import torch\ntotal = int(torch.ones(3).sum())\n")
    done = run(tmp_path, PROGRAM, "--one", "2")
    assert done.stderr == "" and done.stdout == "3 ['--one', '2'] torch.Size([1, 1])\n"


@pytest.mark.parametrize(
    ("line", "kind", "named"),
    [
        ("import torch.absent", "ModuleNotFoundError", "no 'cepheid.absent'"),
        ("from torch import absent", "ImportError", "absent"),
        ("import torch; torch.absent", "AttributeError", "absent"),
        ("import torch.nn.absent.deeper", "ModuleNotFoundError", "no 'cepheid.nn.absent'"),
    ],
)
def test_what_is_missing_is_named(tmp_path, line, kind, named):
    last = run(tmp_path, line).stderr.strip().splitlines()[-1]
    assert last.startswith(kind) and named in last


def test_nothing_changes_where_nobody_asked(tmp_path):
    program = "import sys, cepheid, cepheid.as_torch\nassert 'torch' not in sys.modules\n"
    program += "assert not any('as_torch' in type(f).__module__ for f in sys.meta_path)\n"
    assert run(tmp_path, program, options=()).stderr == ""


def test_a_module_runs_as_the_main_program(tmp_path):
    (tmp_path / "tool.py").write_text("import sys, torch\nprint(torch.__name__, sys.argv[1:])\n")
    done = subprocess.run(
        [sys.executable, "-m", "cepheid.as_torch", "-m", "tool", "x"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stdout == "cepheid ['x']\n"


def test_how_it_is_used_is_said(tmp_path):
    for arguments in ([], ["-m"], ["--help"]):
        command = [sys.executable, "-m", "cepheid.as_torch", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode != 0 and "usage: python -m cepheid.as_torch" in done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "cepheid.as_torch", str(tmp_path / "none.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no script" in done.stderr
