"""From a bare CPython to a ready environment: virtual environment, packages, editable build.

Standard library only. An environment is complete when its stamp says so: the stamp is written last,
so one whose creation was interrupted is made again, as is one whose requirements changed.

    build/env/cepheid-py311    builds cepheid and runs every test, the judge's included
    build/env/torch-py311      holds a peer as candidate; the judge never runs in it

`CEPHEID_ENV_DIR` moves build/env elsewhere.
"""

import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.runner import exit_codes
from tools.runner.arguments import parse
from tools.runner.settings import (
    CANDIDATE_VARIABLE,
    GROUPS_FILE,
    PEER_VARIABLE,
    REPOSITORY,
    load_groups,
)

__all__ = [
    "CANDIDATE_VARIABLE",
    "OWN",
    "ROOT",
    "BootstrapError",
    "Environment",
    "environment_of",
    "make",
    "prepare_candidate",
    "prepare_own",
    "start",
]

ROOT = REPOSITORY
REQUIREMENTS = ROOT / "tools" / "requirements"
OWN = "cepheid"
PTH = "cepheid-repository.pth"
_LOG_LINES = 60


class BootstrapError(Exception):
    """A step failed; the text says which and where its output is."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment of one requirement list."""

    folder: Path
    requirements: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def log(self) -> Path:
        """What pip, CMake and the compiler said last."""
        return self.folder.with_suffix(".log")

    @property
    def stamp(self) -> Path:
        """Written when the environment is complete."""
        return self.folder / "complete"

    def key(self) -> str:
        """Changes when the environment has to be made anew."""
        return _digest([self.requirements.read_text(), sys.version, sys.base_prefix])

    @property
    def site(self) -> Path:
        """Where its packages are."""
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        return self.folder / "lib" / version / "site-packages"


def start(arguments: Sequence[str]) -> int:
    """Make what is needed, then become the runner. Returns an exit status only on failure."""
    try:
        python, variables = _prepare(arguments)
    except BootstrapError as error:
        sys.stderr.write(f"run_test.py: {error}\n")
        return exit_codes.BOOTSTRAP
    except KeyboardInterrupt:
        sys.stderr.write("run_test.py: stopped; the next run makes what is missing\n")
        return exit_codes.INTERRUPTED
    sys.stdout.flush()
    command = [str(python), "-P", "-m", "tools.runner", *arguments]
    return os.execve(python, command, variables)


def _prepare(arguments: Sequence[str]) -> tuple[Path, dict[str, str]]:
    """The interpreter of the runner, and its environment variables; `--help` ends here."""
    if {"--help", "-h"} & set(arguments):
        parse(arguments, load_groups(GROUPS_FILE))
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    if "--no-bootstrap" in arguments:
        return Path(sys.executable), variables
    peer = prepare_candidate(arguments, "--against", PEER_VARIABLE)
    return prepare_own(), variables | prepare_candidate(arguments) | peer


def prepare_own() -> Path:
    """The environment that builds and tests, with cepheid built from the tree as it is."""
    environment = environment_of(OWN, "dev.txt")
    make(environment)
    with _locked(environment):
        _build(environment)
    return environment.python


def prepare_candidate(
    arguments: Sequence[str], option: str = "--impl", variable: str = CANDIDATE_VARIABLE
) -> dict[str, str]:
    """Variables that lead to the candidate; an own environment where a requirement list exists."""
    name = implementation_name(arguments, option)
    if name in (None, OWN) or not (REQUIREMENTS / f"{name}.txt").is_file():
        return {}
    environment = environment_of(str(name), f"{name}.txt")
    make(environment)
    return {variable: str(environment.python)}


def implementation_name(arguments: Sequence[str], option: str = "--impl") -> str | None:
    """The value of `--impl` or `--against`; the other arguments are the runner's to judge."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(option, dest="name")
    name: str | None = parser.parse_known_args(arguments)[0].name
    return name


def environment_of(name: str, requirements: str) -> Environment:
    """The environment of an implementation for the Python that runs this."""
    base = Path(os.environ.get("CEPHEID_ENV_DIR") or ROOT / "build" / "env")
    version = f"py{sys.version_info[0]}{sys.version_info[1]}"
    return Environment(base.absolute() / f"{name}-{version}", REQUIREMENTS / requirements)


def make(environment: Environment) -> None:
    """Create the environment unless it is complete. Raises BootstrapError."""
    with _locked(environment):
        _make(environment)


def _make(environment: Environment) -> None:
    if environment.stamp.is_file() and environment.stamp.read_text() == environment.key():
        return
    _say(f"making {environment.folder} from {environment.requirements.name}")
    shutil.rmtree(environment.folder, ignore_errors=True)
    base = getattr(sys, "_base_executable", sys.executable)
    _run(environment, [base, "-m", "venv", str(environment.folder)], _VENV_HINT)
    _pip(environment, ["-r", str(environment.requirements)])
    # The repository's root on the path: `python test/some_file.py` finds tools from anywhere.
    (environment.site / PTH).write_text(f"{ROOT}\n")
    environment.stamp.write_text(environment.key())


_VENV_HINT = "Python's venv module is needed (some systems package it apart, as python3-venv)"


def _build(environment: Environment) -> None:
    """Bring the editable install up to date; without a change that takes a second or two."""
    if not (ROOT / "pyproject.toml").is_file():
        raise BootstrapError(f"expected pyproject.toml in {ROOT}; got none")
    begun = time.monotonic()
    build = ROOT / "build" / "cmake" / environment.folder.name
    installed = environment.folder / "installed"
    layout = _layout(build)
    if installed.is_file() and installed.read_text() == layout:
        cmake = str(environment.folder / "bin" / "cmake")
        _run(environment, [cmake, "--build", str(build)], "the build failed")
        site = str(environment.site)
        _run(environment, [cmake, "--install", str(build), "--prefix", site], "installing failed")
    else:
        _say(f"building cepheid (log: {environment.log})")
        options = ["--no-build-isolation", "--no-deps", f"--config-settings=build-dir={build}"]
        installed.unlink(missing_ok=True)
        _pip(environment, [*options, "-e", str(ROOT)])
        installed.write_text(layout)
    seconds = time.monotonic() - begun
    _say(f"cepheid is up to date ({seconds:.1f} s)")


def _layout(build: Path) -> str:
    """Changes when an incremental build is not enough: an editable install maps file by file."""
    files = [*(ROOT / "lib").rglob("*.py"), *(ROOT / "lib").rglob("*.pyi")]
    names = sorted(file.relative_to(ROOT).as_posix() for file in files)
    return _digest([str(build), (ROOT / "pyproject.toml").read_text(), *names])


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _pip(environment: Environment, arguments: Sequence[str]) -> None:
    pip = [str(environment.python), "-m", "pip", "--disable-pip-version-check", "install"]
    _run(environment, [*pip, *arguments], f"pip install {' '.join(arguments)} failed")


def _run(environment: Environment, command: Sequence[str], hint: str) -> None:
    """Run a step, its output in the log. Raises BootstrapError with the log's end."""
    # Build tools of the environment (ninja, ccache) are found by name.
    path = f"{environment.folder / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    with environment.log.open("w") as log:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode != 0:
        end = environment.log.read_text(errors="replace").splitlines()[-_LOG_LINES:]
        raise BootstrapError("\n".join([*end, "", f"{hint}; whole output: {environment.log}"]))


@contextmanager
def _locked(environment: Environment) -> Iterator[None]:
    """One bootstrap of an environment at a time."""
    environment.folder.parent.mkdir(parents=True, exist_ok=True)
    with environment.folder.with_suffix(".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say(f"waiting for another run that makes {environment.folder}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
