"""The stages of `ci/run`, in order, each with its budget on two cores."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ci.command import ROOT, run
from ci.counts import Counts
from tools.runner import bootstrap

PATH_VARIABLE = "CEPHEID_CANDIDATE_PATH"
BACKENDS = ROOT / "test" / "backends"
# Of the conformance cells, which are more than a usual run can afford.
OWN_PARTS, PEER_PARTS = 4, 16
REQUIREMENTS = ROOT / "tools" / "requirements"
FUZZ_SECONDS = 600


@dataclass(frozen=True)
class Stage:
    """One step: what it does, the minutes it may take, whether it needs the build."""

    name: str
    minutes: float
    help: str
    action: Callable[[], Counts]
    needs_build: bool = True
    only_by_name: bool = False  # not part of a run of everything


def environment() -> bootstrap.Environment:
    """The environment that builds and tests."""
    return bootstrap.environment_of(bootstrap.OWN, "dev.txt")


def build_folder(name: str) -> Path:
    """Where CMake builds for an environment."""
    return ROOT / "build" / "cmake" / name


def make_environment() -> Counts:
    """The environment, its packages and the linters."""
    bootstrap.make(environment())
    python = environment().python
    quiet = ["--quiet", "--disable-pip-version-check"]
    return run([python, "-m", "pip", "install", *quiet, "-r", REQUIREMENTS / "lint.txt"])


def lint() -> Counts:
    """Every check but the types."""
    return run([environment().python, "-m", "tools.lint", "--without", "types"])


def build() -> Counts:
    """The editable install, brought up to date, and what must hold of its objects."""
    bootstrap.prepare_own()
    folder = build_folder(environment().folder.name)
    checks = ["weak_symbols", "baseline"]
    return run([environment().python, "-m", "tools.lint", *checks, "--build", folder])


def types() -> Counts:
    """The type checker, over the generated stubs too."""
    folder = build_folder(environment().folder.name)
    return run([environment().python, "-m", "tools.lint", "types", "--build", folder])


def cpp() -> Counts:
    """The C++ tests, built into the folder of the editable install."""
    folder = build_folder(environment().folder.name)
    cmake = environment().python.with_name("cmake")
    path = f"{environment().python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    steps: tuple[list[str | Path], ...] = (
        ["-DCEPHEID_TESTS=ON", "-S", ROOT, "-B", folder],
        ["--build", folder],
    )
    for step in steps:
        made = run([cmake, *step], {"PATH": path})
        if made.failed:
            return made
    tests = sorted((folder / "cpp_tests").glob("test_*"))
    if not tests:
        print("no C++ test was built")
        return Counts(failed=1)
    return sum((run([test]) for test in tests), Counts())


def run_tests(*arguments: str) -> Counts:
    """The test runner in the environment made before."""
    return run([environment().python, "-P", "-m", "tools.runner", "--no-bootstrap", *arguments])


def part_of_cells(parts: int) -> tuple[str, str]:
    """The part of the conformance cells whose turn it is: another for each commit, so that all of
    them run every few commits. The whole is a stage by name."""
    asked = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    turn = int(done.stdout.strip() or "0", 16) % parts
    return "--shard", f"{turn + 1}/{parts}"


def conformance(*part: str) -> Counts:
    """The suite judging cepheid."""
    return run_tests("--impl", "cepheid", *part)


def conformance_of_peer(*part: str) -> Counts:
    """The suite judging PyTorch, which runs in an environment of its own."""
    variables = bootstrap.prepare_candidate(["--impl", "torch"])
    command = ["-P", "-m", "tools.runner", "--no-bootstrap", "--impl", "torch", *part]
    return run([environment().python, *command], variables)


def mutation() -> Counts:
    """Mutants of changed code, and a twentieth of the others: all noticed as before."""
    return run([environment().python, "-P", "-m", "tools.mutate.gate"])


def every_mutant() -> Counts:
    """The whole mutation score, recorded in test/mutation/score.json."""
    return run([environment().python, "-P", "-m", "tools.mutate", "--fresh", "--write"])


def conformance_of_arrays() -> Counts:
    """The suite judging the NumPy adapter, which is found where a third party keeps its own: as
    large a part of the cells as of cepheid's."""
    variables = {PATH_VARIABLE: str(BACKENDS)}
    command = ["-P", "-m", "tools.runner", "--no-bootstrap", "--impl", "numpy_adapter"]
    # One dtype of each kind: the others differ from them in width alone.
    chosen = ["--draws", "8", "-k", "capabilities or bool or uint8 or int64 or float32"]
    return run([environment().python, *command, *chosen, *part_of_cells(OWN_PARTS)], variables)


def drill() -> Counts:
    """The runner's verdicts on faulty tests, five times over, and on a labelled set; recorded.
    What isolation costs belongs to a machine that does nothing else."""
    python: list[str | Path] = [environment().python, "-P", "-m"]
    return (
        run([*python, "tools.drill"])
        + run([*python, "tools.drill", "labelled"])
        + run([*python, "tools.drill.isolation"])
    )


def seeds() -> Counts:
    """Twenty seeds of the drawn checks on what is right: each finding is a false alarm."""
    peer = bootstrap.prepare_candidate(["--impl", "torch"])[bootstrap.CANDIDATE_VARIABLE]
    command: list[str | Path] = [environment().python, "-P", "-m", "cepheid_conformance.seeds"]
    command += ["--seeds", "20"]
    return (
        run([*command, "--impl", "cepheid"])
        + run([*command, "--impl", "torch", "--candidate-python", peer])
        + run([*command, "--impl", "numpy_adapter"], {PATH_VARIABLE: str(BACKENDS)})
    )


def differential() -> Counts:
    """Cepheid, PyTorch and the oracle three ways: none may differ on cepheid's side. Everything
    that was found is in build/reports/differential.json."""
    peer = bootstrap.prepare_candidate(["--impl", "torch"])[bootstrap.CANDIDATE_VARIABLE]
    report = ROOT / "build" / "reports" / "differential.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [environment().python, "-P", "-m"]
    command += ["cepheid_conformance.differential", "--against-python", peer, "--jobs", "2"]
    return run([*command, "--draws", "50", "--per-op", "200", "--json", report])


def sweep() -> Counts:
    """Every float32 through every op of one tensor, and hard points of float64 by mpmath."""
    peer = bootstrap.prepare_candidate(["--impl", "torch"])[bootstrap.CANDIDATE_VARIABLE]
    command: list[str | Path] = [environment().python, "-P", "-m", "cepheid_conformance.sweep"]
    ours = run([*command, "--impl", "cepheid"])
    return ours + run([*command, "--impl", "torch", "--candidate-python", peer])


def asan() -> Counts:
    """The tiny tier on a build with sanitizers; any report of theirs is a failure.

    The sanitized build is installed in an environment without packages that looks into the first
    one for them: two installs of cepheid can't share an environment.
    """
    env, built = build_apart("asan", "-DCEPHEID_SANITIZE=address,undefined")
    if built.failed:
        return built
    reports = ROOT / "build" / "reports" / "asan"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    log = f"log_path={reports / 'report'}"
    variables = {
        "LD_PRELOAD": " ".join(_compiler_file(f"lib{part}.so") for part in ("asan", "ubsan")),
        # CPython itself does not free everything at its end.
        "ASAN_OPTIONS": f"detect_leaks=0:{log}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:{log}",
    }
    python = env / "bin" / "python"
    found = run([python, "-P", "-m", "tools.runner", "--no-bootstrap", "tiny"], variables)
    written = sorted(reports.iterdir())
    for report in written:
        print(f"{report.name}:\n{report.read_text(errors='replace')}")
    return found + Counts(failed=len(written))


def fuzz() -> Counts:
    """The hostile caller guided by coverage. What the interpreter doesn't survive, or answers
    with an internal error, is kept in build/reports/fuzz; inputs to go on from, in build."""
    env, built = build_apart("fuzz", "-DCEPHEID_FUZZ=ON")
    if built.failed:
        return built
    python = env / "bin" / "python"
    pip: list[str | Path] = [environment().python, "-m", "pip", "--python", python]
    pip += ["install", "--quiet"]
    installed = run([*pip, "--disable-pip-version-check", "-r", REQUIREMENTS / "fuzz.txt"])
    if installed.failed:
        return installed
    corpus, reports = ROOT / "build" / "corpus", ROOT / "build" / "reports" / "fuzz"
    for folder in (corpus, reports):
        folder.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={FUZZ_SECONDS}", "-timeout=30", f"-artifact_prefix={reports}/"]
    limits += ["-max_len=400", "-len_control=0"]  # several calls from the start
    return run([python, ROOT / "test" / "unit" / "hostile" / "guided.py", corpus, *limits])


def build_apart(kind: str, option: str) -> tuple[Path, Counts]:
    """Build with a CMake option into a folder and an environment of its own; the latter's path."""
    name = environment().folder.name.replace(bootstrap.OWN, kind)
    env = environment().folder.with_name(name)
    return env, _build_apart(build_folder(name), env, option)


def _build_apart(folder: Path, env: Path, option: str) -> Counts:
    python = environment().python
    tools = {"PATH": f"{python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    site = env / environment().site.relative_to(environment().folder)
    if not site.is_dir():
        made = run([python, "-m", "venv", "--without-pip", env])
        if made.failed:
            return made
    (site / "packages.pth").write_text(f"{environment().site}\n")
    configure = ["-G", "Ninja", f"-DPython_EXECUTABLE={python}", option]
    cmake = python.with_name("cmake")
    steps: tuple[list[str | Path], ...] = (
        ["-S", ROOT, "-B", folder, *configure],
        ["--build", folder],
        ["--install", folder, "--prefix", site],
    )
    for step in steps:
        done = run([cmake, *step], tools)
        if done.failed:
            return done
    for package in ("cepheid", "cepheid_conformance"):
        shutil.copytree(ROOT / "lib" / package, site / package, dirs_exist_ok=True)
    return Counts(passed=1)


def _compiler_file(name: str) -> str:
    compiler = os.environ.get("CXX", "c++")
    return subprocess.run(
        [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()


def browser() -> Counts:
    """The report pages in a real browser, which is installed first where that is possible."""
    there = run([environment().python, "-P", "-m", "tools.browser"])
    return there if there.failed else run_tests("browser")


STAGES = (
    Stage("environment", 1, "packages of the environment", make_environment, needs_build=False),
    Stage("lint", 0.5, "layers, sizes, entries, formatting", lint, needs_build=False),
    Stage("build", 5, "libcepheid and _C", build, needs_build=False),
    Stage("types", 0.5, "the type checker", types),
    Stage("cpp", 1, "C++ tests", cpp),
    Stage("tiny", 0.5, "one file per subsystem", lambda: run_tests("tiny")),
    Stage("unit", 5.5, "unit tests", lambda: run_tests("unit")),
    Stage("browser", 0.5, "the report pages in a headless browser", browser),
    Stage(
        "conformance",
        5,
        "cepheid judged: a quarter of the cells",
        lambda: conformance(*part_of_cells(OWN_PARTS)),
    ),
    Stage(
        "conformance-torch",
        3.5,
        "PyTorch judged: a sixteenth of the cells",
        lambda: conformance_of_peer(*part_of_cells(PEER_PARTS)),
    ),
    Stage("conformance-numpy", 1, "an implementation of arrays judged", conformance_of_arrays),
    Stage("asan", 3.5, "the tiny tier under sanitizers", asan),
    Stage("mutation", 7, "mutants of changed code, and a part", mutation),
    Stage("conformance-all", 30, "cepheid judged: every cell", conformance, only_by_name=True),
    Stage("torch-all", 45, "PyTorch judged: every cell", conformance_of_peer, only_by_name=True),
    Stage("drill", 15, "faulty and labelled tests; records both", drill, only_by_name=True),
    Stage("seeds", 60, "drawn checks over 20 seeds, of three", seeds, only_by_name=True),
    Stage("differential", 45, "cepheid, PyTorch, oracle: 3 ways", differential, only_by_name=True),
    Stage("fuzz", 20, "hostile calls, guided by coverage", fuzz, only_by_name=True),
    Stage("sweep", 120, "every float32, hard float64s, of two", sweep, only_by_name=True),
    Stage("mutants", 90, "every mutant; records the score", every_mutant, only_by_name=True),
)
