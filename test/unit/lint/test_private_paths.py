"""Private paths: paths of one machine and hosts of package indexes are found."""

import pytest

from tools.lint import private_paths
from tools.runner import run_this_file

SLASH = "/"  # so that this file holds none of the paths that it plants


@pytest.mark.parametrize(
    "text",
    [
        f"cache = '{SLASH}root/cache'\n",
        f"run {SLASH}home/me/bin/x\n",
        f"read {SLASH}work/shared\n",
        "see https://py" + "pi.org/simple\n",
        "pip install --extra-" + "index-url x\n",
    ],
)
def test_a_private_path_is_found(plant, text):
    problems = private_paths.check(plant({"docs/a.md": "fine\n" + text}))
    assert [(p.file, p.line) for p in problems] == [("docs/a.md", 2)]


def test_ordinary_paths_are_fine(plant):
    text = "#!/usr/bin/env python3\nlib/cepheid/root/x tools/work/ a/home/b $HOME/x ~/opt/x\n"
    assert private_paths.check(plant({"a.py": text, "build/b.py": f"{SLASH}root/x"})) == []


if __name__ == "__main__":
    run_this_file()
