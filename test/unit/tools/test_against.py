"""`--against` starts the judge's differential mode with both interpreters."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tools.runner import against, bootstrap, exit_codes, run_this_file
from tools.runner.arguments import parse
from tools.runner.settings import GROUPS_FILE, PEER_VARIABLE, REPOSITORY, load_groups


def line(root: Path, *arguments: str) -> list[str]:
    return against.command(parse(arguments, load_groups(GROUPS_FILE)), root)


def value(command: list[str], option: str) -> str:
    return command[command.index(option) + 1]


def test_each_side_has_its_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CEPHEID_CANDIDATE_PYTHON", raising=False)
    monkeypatch.setenv(PEER_VARIABLE, "/bin/sh")
    made = line(tmp_path, "--against", "torch", "-k", "add", "--seed", "3")
    assert (value(made, "--impl"), value(made, "--candidate-python")) == ("cepheid", sys.executable)
    assert (value(made, "--against"), value(made, "--against-python")) == ("torch", "/bin/sh")
    assert (value(made, "-k"), value(made, "--seed")) == ("add", "3")
    assert "--draws" not in made
    assert Path(value(made, "--json")).parent.is_dir()


def test_peer_needs_an_interpreter_that_exists(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="existing interpreter"):
        line(tmp_path, "--against", "torch=/no/such/python")


def test_unknown_implementation_is_a_usage_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = parse(["--against", "nosuch"], load_groups(GROUPS_FILE))
    assert against.compare(replace(arguments, report_dir=tmp_path), REPOSITORY) == exit_codes.USAGE
    text = capfd.readouterr().err
    assert "nosuch must have a capability file" in text and "Traceback" not in text


def test_bootstrap_finds_both_names() -> None:
    arguments = ["--impl", "cepheid", "--against", "torch", "-k", "add"]
    assert bootstrap.implementation_name(arguments) == "cepheid"
    assert bootstrap.implementation_name(arguments, "--against") == "torch"


if __name__ == "__main__":
    run_this_file()
