"""The table of fault families in README.md speaks of kinds, places and files that exist."""

import re
from pathlib import Path

import pytest

from cepheid_conformance import checks

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
PLACES = {place.KIND: place.issue for place in checks.PLACES}


def rows():
    lines = (FOLDER / "README.md").read_text().splitlines()
    found = [line.strip("| ").split(" | ") for line in lines if re.match(r"\| [A-N]\. ", line)]
    return {cells[0][0]: cells[1:] for cells in found}


def test_every_family_has_a_row():
    assert list(rows()) == list("ABCDEFGHIJKLMN")


@pytest.mark.parametrize("family", "ABCDEFGHIJKLMN")
def test_a_row_names_what_exists(family):
    kinds, mutants, drawn = rows()[family]
    for item in kinds.split(", "):
        name, _, issue = item.partition(" ")
        if issue:
            assert issue == f"({PLACES[name]})", f"{name}: its place names another issue"
        else:
            assert name in (*checks.KINDS, "places"), f"{name} is no check kind"
    for path in (*mutants.split(", "), *drawn.split(", ")):
        assert (ROOT / path).exists(), f"{path} doesn't exist"
