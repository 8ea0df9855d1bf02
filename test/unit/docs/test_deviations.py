"""docs/deviations.md: NumPy prints what the page says; the page has its form."""

import sys
from pathlib import Path

import pytest

from cepheid_conformance import pages

PAGE = Path(__file__).parents[3] / "docs" / "deviations.md"
ENTRIES = list(pages.read(PAGE))
OF_NUMPY = [entry for entry in ENTRIES if entry.package == "numpy"]


@pytest.mark.parametrize("entry", OF_NUMPY, ids=lambda entry: entry.id)
def test_numpy_prints_what_the_page_says(entry):
    assert entry.comes != entry.should
    assert pages.outputs([entry.lines], sys.executable) == [entry.comes]


def test_every_entry_is_about_torch_or_numpy():
    assert {entry.package for entry in ENTRIES} == {"torch", "numpy"}


def test_an_entry_without_its_outputs_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("## One\n\n```python\nimport torch\n```\n")
    with pytest.raises(ValueError, match="One"):
        list(pages.read(page))


def test_the_signal_that_ends_the_lines_is_told():
    lines = "import os, signal\nos.kill(os.getpid(), signal.SIGABRT)"
    assert pages.outputs([lines], sys.executable) == ["ended by SIGABRT\n"]
