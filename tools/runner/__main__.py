"""`python -m tools.runner` is `run_test.py` inside an environment that is ready."""

import sys

from tools.runner.main import main

sys.exit(main(sys.argv[1:]))
