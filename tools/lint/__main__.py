"""`python -m tools.lint`."""

import sys

from tools.lint.main import main

sys.exit(main())
