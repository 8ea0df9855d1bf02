"""The command: chosen checks run, findings fail it, the last line counts."""

import pytest

from tools.lint import main as lint
from tools.runner import run_this_file


def test_findings_fail_the_command_and_are_counted(capsys):
    status = lint.report({"a": list, "b": lambda: ["x.py:1: bad"]})
    assert status == 1
    assert capsys.readouterr().out.splitlines() == [
        "b: x.py:1: bad",
        "1 passed, 1 failed, 0 skipped",
    ]


def test_nothing_found_is_success(capsys):
    assert lint.report({"a": list}) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed, 0 skipped\n"


def test_a_wrong_name_is_refused(capsys):
    with pytest.raises(SystemExit):
        lint.main(["siezs"])
    assert "no check is named siezs" in capsys.readouterr().err


if __name__ == "__main__":
    run_this_file()
