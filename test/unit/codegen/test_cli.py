"""The command: time, write-if-changed, stale files, selection, trace, errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.codegen.cli import main
from tools.codegen.registry import ops_called_from
from tools.codegen.trace import FLOW
from tools.codegen.write import MANIFEST, write_files

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "csrc" / "ops"


def run(*arguments: str | Path) -> int:
    return main([str(a) for a in arguments])


@pytest.fixture(autouse=True)
def untraced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CEPHEID_TRACE_FILE", raising=False)


def files_of(folder: Path) -> dict[str, int]:
    return {
        p.relative_to(folder).as_posix(): p.stat().st_mtime_ns
        for p in folder.rglob("*")
        if p.is_file()
    }


def test_a_second_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--source", SOURCE, "--out", tmp_path) == 0
    first = files_of(tmp_path)
    assert run("--source", SOURCE, "--out", tmp_path) == 0
    assert files_of(tmp_path) == first
    assert capsys.readouterr().out.endswith(" 0 changed, 0 removed\n")


def test_the_whole_generation_takes_at_most_three_seconds(tmp_path: Path) -> None:
    """CPU time of the command as CMake runs it, in a process of its own."""
    code = (
        "import sys, time; from tools.codegen.cli import main;"
        f"status = main(['--source', {str(SOURCE)!r}, '--out', {str(tmp_path)!r}]);"
        "print(time.process_time()); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) <= 3


def test_one_changed_entry_changes_its_family_only(
    tmp_path: Path, folder: Callable[..., Path]
) -> None:
    source = folder()
    out = tmp_path / "out"
    assert run("--source", source, "--out", out) == 0
    before = files_of(out)
    text = (source / "pointwise.yaml").read_text("utf-8")
    (source / "sort.yaml").write_text(text.replace("hypot", "hippo", 1), "utf-8")
    (source / "sort.yaml").write_text(
        text.replace("hypot(Tensor", "hippo(Tensor").replace("scalar: hypot", "scalar: maximum"),
        "utf-8",
    )
    assert run("--source", source, "--out", out) == 0
    after = files_of(out)
    changed = {name for name in before if after.get(name) != before[name]}
    assert not any(name.startswith(("register/", "ops/", "python/pointwise")) for name in changed)
    assert "register/sort.cpp" in after
    (source / "sort.yaml").unlink()
    (out / "notes.txt").write_text("not ours", "utf-8")
    assert run("--source", source, "--out", out) == 0
    assert set(files_of(out)) == set(before) | {"notes.txt"}


def test_mistakes_stop_the_build_with_nothing_written(
    tmp_path: Path, folder: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    source = folder('- op: "hypot(Tensor self) -> Tensor"\n  variants: []\n')
    assert run("--source", source, "--out", tmp_path / "out") == 1
    assert not (tmp_path / "out").exists()
    assert "pointwise.yaml:1: hypot: no oracle; every op needs one" in capsys.readouterr().err


def test_a_selection_keeps_what_it_needs(tmp_path: Path) -> None:
    chosen = tmp_path / "ops.txt"
    chosen.write_text("matmul  # its rule calls others\nadd.Tensor\n", "utf-8")
    assert run("--source", SOURCE, "--out", tmp_path / "out", "--select", chosen) == 0
    ops = json.loads((tmp_path / "out" / "schemas.json").read_text("utf-8"))["ops"]
    names = {op["name"] for op in ops}
    assert {"matmul", "mm", "bmm", "expand", "reshape", "view", "add"} <= names
    assert ops_called_from(SOURCE.parent) <= names
    assert "copy_" in names  # of structured.cpp
    assert not {"sort", "exp", "conv2d"} & names
    assert not (tmp_path / "out" / "register" / "sort.cpp").exists()
    assert (tmp_path / "out" / "kernels" / "sort.h").exists()  # sort.cpp still includes it


def test_a_selection_of_an_unknown_op_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = tmp_path / "ops.txt"
    chosen.write_text("add\nmatmull\n", "utf-8")
    assert run("--source", SOURCE, "--out", tmp_path / "out", "--select", chosen) == 1
    assert "ops.txt:2: matmull: no such op" in capsys.readouterr().err


def test_the_flow_is_recorded_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace.jsonl"
    monkeypatch.setenv("CEPHEID_TRACE_FILE", str(trace))
    chosen = tmp_path / "ops.txt"
    chosen.write_text("neg\n", "utf-8")
    before = time.time()
    assert run("--source", SOURCE, "--out", tmp_path / "out") == 0
    assert run("--source", SOURCE, "--out", tmp_path / "out", "--select", chosen) == 0
    records = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    assert [r["stage"] for r in records] == [*FLOW, *FLOW]
    assert {r["flow"] for r in records} == {9}
    absent = {i for i, r in enumerate(records) if r["status"] == "absent"}
    assert absent == {2, 6, 13}
    assert all(records[i]["reason"] for i in absent)
    assert all(before <= r["t"] <= time.time() and r["pid"] == os.getpid() for r in records)


def test_the_generator_imports_nothing_of_cepheid() -> None:
    code = (
        "import sys; import tools.codegen.cli;"
        "names = {m.split('.')[0] for m in sys.modules};"
        "assert not names & {'cepheid', 'cepheid_conformance', 'numpy', 'jinja2', 'torch'}"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_depfile_names_what_was_read(tmp_path: Path) -> None:
    depfile = tmp_path / "d"
    assert run("--source", SOURCE, "--out", tmp_path / "out", "--depfile", depfile) == 0
    target, _, inputs = depfile.read_text("utf-8").partition(": ")
    assert target == (tmp_path / "out" / "schemas.json").as_posix()
    assert (SOURCE / "sort.yaml").as_posix() in inputs.split()
    assert (SOURCE / "rules" / "matmul.py").as_posix() in inputs.split()


def test_only_own_stale_files_are_removed(tmp_path: Path) -> None:
    (tmp_path / "theirs.h").write_text("", "utf-8")
    assert write_files(tmp_path, {"a/x.h": "1", "b.h": "2"}).changed == ("a/x.h", "b.h")
    written = write_files(tmp_path, {"a/x.h": "1"})
    assert (written.changed, written.removed) == ((), ("b.h",))
    assert sorted(files_of(tmp_path)) == ["a/x.h", MANIFEST, "theirs.h"]
