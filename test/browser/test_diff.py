"""The page of two runs' differences, and the page of a real run."""

import pytest
import synthetic

from tools.drill.scratch import Scratch
from tools.runner import exit_codes, run_this_file
from tools.runner.report import diff


@pytest.fixture(scope="module")
def changed(tmp_path_factory, report):
    after = tmp_path_factory.mktemp("runs") / "after"
    synthetic.write_run(after, changed=True)
    assert diff.main([str(report.parent), str(after)]) == exit_codes.FAILED
    return after / diff.PAGE_FILE


def test_each_kind_of_change_has_its_list(page, changed):
    page.open(changed)
    assert "1 new failure, 1 fixed" in page.text("h1")
    assert "test_new.py::test_new" in page.text()
    page.one("nav a[data-view=fixed]").click()
    page.until(lambda: synthetic.FAILING in page.text())
    page.one("nav a[data-view=verdicts]").click()
    page.until(lambda: "op_0001 / values / float32 / cpu" in page.text())
    page.one("nav a[data-view=slower]").click()
    page.until(lambda: "0.50 s → 9.00 s" in page.text())
    page.one("nav a[data-view=removed]").click()
    page.until(lambda: "test_old" in page.text())


def test_the_failing_input_is_in_the_diff(page, changed):
    page.open(changed)
    page.one("tbody summary").click()
    assert synthetic.SNIPPET in page.text()
    page.keep("diff")


def test_a_real_run(page, tmp_path):
    scratch = Scratch(tmp_path)
    scratch.write(
        "test/unit/test_a.py", "def test_bad():\n    assert 1 == 2\ndef test_ok(): pass\n"
    )
    result = scratch.run("test/unit/test_a.py")
    # What the run says first: a page is not to blame for another outcome.
    assert result.status == exit_codes.FAILED, result.text
    assert result.last_line == "1 passed, 1 failed, 0 skipped", result.text
    page.open(result.folder / "report.html", "#failures")
    assert "assert 1 == 2" in page.text()
    assert "1 passed, 1 failed, 0 skipped" in page.text("h1")


if __name__ == "__main__":
    run_this_file()
