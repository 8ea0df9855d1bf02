"""`python -m tools.bench`."""

import sys

from tools.bench.run import main

sys.exit(main())
