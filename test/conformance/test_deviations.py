"""docs/deviations.md: PyTorch prints what the page says, cepheid what it says should come."""

from pathlib import Path

import pytest

from cepheid_conformance import pages

PAGE = Path(__file__).parents[2] / "docs" / "deviations.md"
ENTRIES = [entry for entry in pages.read(PAGE) if entry.package == "torch"]


@pytest.fixture(scope="module")
def printed(request):
    """What the implementation prints, and what is expected of it; of others nothing is said."""
    implementation = request.config.getoption("--impl")
    if implementation not in ("torch", "cepheid"):
        return None
    lines = [
        entry.lines.replace("import torch", f"import {implementation} as torch")
        for entry in ENTRIES
    ]
    expected = [entry.comes if implementation == "torch" else entry.should for entry in ENTRIES]
    python = request.config.getoption("--candidate-python")
    return list(zip(pages.outputs(lines, python), expected, strict=True))


@pytest.mark.parametrize("number", range(len(ENTRIES)), ids=lambda number: ENTRIES[number].id)
def test_the_page_is_true(number, printed):
    entry = ENTRIES[number]
    assert entry.comes != entry.should
    if printed is not None:
        came, expected = printed[number]
        assert came == expected


def test_at_least_five_deviations_of_pytorch_are_documented():
    assert len(ENTRIES) >= 5
