"""The programs of this folder import each other by name."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent)]
