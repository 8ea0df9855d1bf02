"""The pages: links lead somewhere, tables name folders that exist, READMEs stay short."""

import re
from pathlib import Path

import pytest

from tools.lint.common import tree
from tools.runner import run_this_file

ROOT = Path(__file__).resolve().parents[3]
PAGES = {path.relative_to(ROOT).as_posix(): path for path in tree(ROOT, (".md",))}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_links_lead_somewhere(name):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", PAGES[name].read_text())
    missing = [link for link in links if not (PAGES[name].parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("name", sorted(name for name in PAGES if name.endswith("README.md")))
def test_a_readme_is_short_and_its_folders_exist(name):
    text = PAGES[name].read_text()
    assert len(text.splitlines()) <= 60
    rows = re.findall(r"^\| `([\w/.-]+/)`", text, re.MULTILINE)
    missing = [row for row in rows if not (PAGES[name].parent / row).is_dir()]
    assert missing == []


def test_decisions_are_numbered_without_a_gap_and_have_the_four_parts():
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(page.name[:4]) for page in pages]
    assert numbers == list(range(1, len(pages) + 1))
    for page in pages:
        text = page.read_text()
        parts = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert parts[:3] == ["Context", "Choice", "Cost"], page.name
        assert "What would change our mind" in parts, page.name


if __name__ == "__main__":
    run_this_file()
