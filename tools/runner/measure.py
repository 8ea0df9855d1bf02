"""Coverage of a run, summed over all its processes: `run_test.py --coverage`.

Python by `coverage`: the processes of the runner, pytest-xdist's workers, the judge and the driver
that runs cepheid, forks included. A process that is killed leaves nothing. C++ by `gcov`, where the
variable CEPHEID_COVERAGE_BUILD names the build folder of a build with the CMake option
CEPHEID_COVERAGE (`tox -e coverage` makes one).
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import coverage

from tools.runner.settings import REPOSITORY

START_VARIABLE = "COVERAGE_PROCESS_START"
BUILD_VARIABLE = "CEPHEID_COVERAGE_BUILD"
JSON_FILE, TEXT_FILE = "coverage.json", "coverage.txt"

_SETTINGS = """[run]
data_file = {folder}/data
parallel = true
sigterm = true
patch = _exit, fork
source_pkgs = cepheid, cepheid_conformance, cepheid_mutants
source_dirs = {root}/tools, {root}/ci
disable_warnings =
    already-imported
    couldnt-parse
    module-not-imported
    module-not-measured
    module-not-python
    no-data-collected

[paths]
lib =
    {root}/lib
    */site-packages
"""


@dataclass(frozen=True)
class File:
    """One source file: its lines that can run, those that did, and which did not."""

    file: str
    lines: int
    covered: int
    missing: str = ""


@dataclass(frozen=True)
class Language:
    """All files of one language."""

    name: str
    note: str
    files: Sequence[File]

    @property
    def lines(self) -> int:
        return sum(file.lines for file in self.files)

    @property
    def covered(self) -> int:
        return sum(file.covered for file in self.files)

    def to_json(self) -> dict[str, Any]:
        """As the page reads it."""
        return {**asdict(self), "lines": self.lines, "covered": self.covered}


def start(folder: Path, root: Path = REPOSITORY) -> None:
    """Have every Python that is started from now on measure itself.

    Each installation of `coverage` looks for the variable at the start of its interpreter; what a
    candidate's own interpreter without it runs is not measured.
    """
    data = folder / "coverage"
    data.mkdir()
    settings = data / "settings.ini"
    settings.write_text(_SETTINGS.format(folder=data, root=root))
    os.environ[START_VARIABLE] = str(settings)


def finish(folder: Path, root: Path = REPOSITORY) -> list[Language]:
    """Sum up what the processes left; writes coverage.json and coverage.txt into `folder`."""
    languages = [_python(folder / "coverage", root)]
    if build := os.environ.get(BUILD_VARIABLE):
        languages.append(cpp(Path(build), root))
    data = {"languages": [language.to_json() for language in languages]}
    (folder / JSON_FILE).write_text(json.dumps(data))
    text = "\n".join(as_text(language) for language in languages)
    (folder / TEXT_FILE).write_text(f"{text}\n")
    return languages


def summary(language: Language) -> str:
    """One line."""
    share = 100 * language.covered / max(language.lines, 1)
    return (
        f"{language.name}: {share:.1f} % of {language.lines} lines in {len(language.files)} files"
    )


def as_text(language: Language) -> str:
    """A table, the file with the most lines that did not run first."""
    order = sorted(language.files, key=lambda file: file.covered - file.lines)
    rows = [f"{100 * f.covered / max(f.lines, 1):5.1f} %  {f.lines:6d}  {f.file}" for f in order]
    return "\n".join([summary(language), language.note, *rows])


def _python(folder: Path, root: Path) -> Language:
    measured = coverage.Coverage(config_file=str(folder / "settings.ini"), messages=False)
    measured.combine([str(folder)], strict=True)
    files = [_python_file(measured, Path(name), root) for name in _names(measured)]
    note = "Lines that any process of the run executed; one that was killed leaves nothing."
    return Language("Python", note, [file for file in files if file.lines])


def _names(measured: coverage.Coverage) -> list[str]:
    return sorted(name for name in measured.get_data().measured_files() if Path(name).is_file())


def _python_file(measured: coverage.Coverage, path: Path, root: Path) -> File:
    _, lines, _, missing, text = measured.analysis2(str(path))
    return File(_relative(path, root), len(lines), len(lines) - len(missing), text)


def _relative(path: Path, root: Path) -> str:
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


def cpp(build: Path, root: Path) -> Language:
    """What gcov's files in the build folder say of csrc. Raises CalledProcessError."""
    command = [sys.executable, "-m", "gcovr", "--root", str(root), "--filter", f"{root}/csrc/"]
    command += ["--json-summary", "-", "--gcov-ignore-parse-errors=negative_hits.warn", str(build)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    note = "Lines that gcov counted; a process that is killed or leaves by _exit leaves nothing."
    return Language("C++", note, [_cpp_file(entry) for entry in json.loads(done.stdout)["files"]])


def _cpp_file(entry: Mapping[str, Any]) -> File:
    return File(entry["filename"], entry["line_total"], entry["line_covered"])
