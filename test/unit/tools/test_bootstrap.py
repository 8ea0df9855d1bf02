"""The way from a bare interpreter to an environment, with pip and CMake replaced by a recorder."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.runner import bootstrap, exit_codes, run_this_file
from tools.runner.bootstrap import BootstrapError, Environment


class Steps:
    """Stands for the commands: notes them, makes what they would make."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.fail_at = ""

    def __call__(self, environment: Environment, command: Sequence[str], hint: str) -> None:
        words = " ".join(command)
        self.commands.append(words)
        if self.fail_at and self.fail_at in words:
            raise BootstrapError(hint)
        environment.site.mkdir(parents=True, exist_ok=True)

    def said(self, *words: str) -> list[bool]:
        """For each command whether it holds one of the words."""
        return [any(word in command for word in words) for command in self.commands]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Steps:
    made = Steps()
    monkeypatch.setattr(bootstrap, "_run", made)
    monkeypatch.setenv("CEPHEID_ENV_DIR", str(tmp_path / "env"))
    root = tmp_path / "root"
    (root / "lib" / "cepheid").mkdir(parents=True)
    (root / "pyproject.toml").write_text("")
    monkeypatch.setattr(bootstrap, "ROOT", root)
    monkeypatch.setattr(bootstrap, "REQUIREMENTS", tmp_path)
    (tmp_path / "dev.txt").write_text("pytest==1\n")
    (tmp_path / "torch.txt").write_text("torch==1\n")
    return made


def test_first_run_makes_and_installs_the_second_only_builds(steps: Steps) -> None:
    python = bootstrap.prepare_own()
    assert steps.said("-m venv", "-r ", "-e ") == [True, True, True]
    steps.commands.clear()
    assert bootstrap.prepare_own() == python
    assert steps.said("--build", "--install") == [True, True]


def test_interrupted_creation_is_made_again(steps: Steps) -> None:
    steps.fail_at = "-r "
    with pytest.raises(BootstrapError, match=r"pip install -r .* failed"):
        bootstrap.prepare_own()
    left = bootstrap.environment_of("cepheid", "dev.txt").folder / "half"
    left.touch()
    steps.fail_at = ""
    steps.commands.clear()
    bootstrap.prepare_own()
    assert steps.said("-m venv", "-r ", "-e ") == [True, True, True]
    assert not left.exists()


def test_changed_requirements_make_a_new_environment(steps: Steps, tmp_path: Path) -> None:
    bootstrap.prepare_own()
    (tmp_path / "dev.txt").write_text("pytest==2\n")
    steps.commands.clear()
    bootstrap.prepare_own()
    assert steps.said("-m venv", "-r ", "-e ") == [True, True, True]


def test_new_python_file_installs_again(steps: Steps, tmp_path: Path) -> None:
    bootstrap.prepare_own()
    (tmp_path / "root" / "lib" / "cepheid" / "new.py").touch()
    steps.commands.clear()
    bootstrap.prepare_own()
    assert steps.said("-e ") == [True]


def test_failed_install_is_not_taken_for_done(steps: Steps) -> None:
    steps.fail_at = "-e "
    with pytest.raises(BootstrapError):
        bootstrap.prepare_own()
    steps.fail_at = ""
    steps.commands.clear()
    bootstrap.prepare_own()
    assert steps.said("-e ") == [True]


def test_environment_leads_to_the_repository(steps: Steps, tmp_path: Path) -> None:
    bootstrap.prepare_own()
    site = bootstrap.environment_of("cepheid", "dev.txt").site
    assert (site / bootstrap.PTH).read_text() == f"{tmp_path / 'root'}\n"


def test_candidate_has_an_own_environment_without_cepheid(steps: Steps) -> None:
    variables = bootstrap.prepare_candidate(["--impl", "torch"])
    python = bootstrap.environment_of("torch", "torch.txt").python
    assert variables == {"CEPHEID_CANDIDATE_PYTHON": str(python)}
    assert steps.said("-m venv", "torch.txt") == [True, True]


@pytest.mark.parametrize("arguments", [[], ["--impl", "cepheid"], ["--impl=mine=/bin/sh"]])
def test_other_candidates_need_none(steps: Steps, arguments: list[str]) -> None:
    assert bootstrap.prepare_candidate(arguments) == {}
    assert steps.commands == []


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ([], None),
        (["unit", "--impl", "torch", "-k", "a"], "torch"),
        (["--impl=torch"], "torch"),
        (["--impl=torch", "--impl", "cepheid"], "cepheid"),
    ],
)
def test_implementation_name(arguments: list[str], name: str | None) -> None:
    assert bootstrap.implementation_name(arguments) == name


def test_failing_step_shows_the_end_of_its_output(tmp_path: Path) -> None:
    requirements = tmp_path / "dev.txt"
    requirements.touch()
    environment = Environment(tmp_path / "env", requirements)
    with pytest.raises(
        BootstrapError, match=r"(?s)why it failed.*the hint; whole output: .*env.log"
    ):
        bootstrap._run(environment, ["sh", "-c", "echo why it failed; exit 3"], "the hint")


def test_help_needs_nothing_but_the_interpreter() -> None:
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-S", str(root / "run_test.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "conformance" in done.stdout and "--shard I/N" in done.stdout


def test_start_reports_a_failed_bootstrap(steps: Steps, capsys: pytest.CaptureFixture[str]) -> None:
    steps.fail_at = "-m venv"
    assert bootstrap.start([]) == exit_codes.BOOTSTRAP
    assert "venv module is needed" in capsys.readouterr().err


if __name__ == "__main__":
    run_this_file()
