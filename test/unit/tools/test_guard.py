"""What a test leaves replaced in the modules that judge it is named and put back."""

import time

import _pytest.runner
import pytest

from tools.runner import run_this_file
from tools.runner.guard import Guard


def test_nothing_is_replaced_by_a_test_that_cleans_up(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Guard()
    with monkeypatch.context() as patch:
        patch.setattr(time, "sleep", print)
    assert guard.replaced() == []


def test_functions_and_methods_are_named_and_restored() -> None:
    guard = Guard()
    kept = time.sleep, vars(_pytest.runner.CallInfo)["from_call"]
    for owner, name in ((time, "sleep"), (_pytest.runner.CallInfo, "from_call")):
        setattr(owner, name, print)
    assert sorted(guard.replaced()) == ["_pytest.runner.CallInfo.from_call", "time.sleep"]
    assert (time.sleep, vars(_pytest.runner.CallInfo)["from_call"]) == kept
    assert guard.replaced() == []


def test_removed_name_is_restored() -> None:
    guard = Guard()
    kept = time.perf_counter
    del time.perf_counter
    assert guard.replaced() == ["time.perf_counter"]
    assert time.perf_counter is kept


if __name__ == "__main__":
    run_this_file()
