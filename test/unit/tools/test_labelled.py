"""The verdicts of the runner on tests of known nature: at least 95 of 100 are right."""

from pathlib import Path

import pytest

from tools.drill import labelled
from tools.runner import run_this_file

NATURES = 24
"""A tenth of the whole set, which `python -m tools.drill labelled` runs."""


def test_set_is_the_same_every_time() -> None:
    assert labelled.generate(60, 1) == labelled.generate(60, 1)
    assert labelled.generate(60, 1) != labelled.generate(60, 2)


def test_score_counts_wrong_and_lost_verdicts() -> None:
    labels = {"a": "flaky", "b": "flaky", "c": "passed"}
    score = labelled.score(labels, {"a": "flaky", "b": "order_dependent"})
    assert score.by_label == {"flaky": (1, 2), "passed": (0, 1)}
    assert score.wrong == {
        "b": "flaky, judged order_dependent",
        "c": "passed, judged not at all",
    }
    assert (score.right, score.count) == (1, 3)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_verdicts_on_a_small_set(tmp_path: Path) -> None:
    score = labelled.measure(tmp_path, NATURES, seed=3)
    assert set(score.by_label) == {"passed", "failed", "flaky", "order_dependent", "infrastructure"}
    assert len(score.wrong) <= 1, score.wrong


if __name__ == "__main__":
    run_this_file()
