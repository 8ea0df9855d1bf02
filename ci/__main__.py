"""`python -m ci`, which `ci/run` calls."""

import sys

from ci.pipeline import main

sys.exit(main())
