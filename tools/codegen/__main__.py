"""`python -m tools.codegen --source csrc/ops --out DIR`."""

import sys

from tools.codegen.cli import main

sys.exit(main(sys.argv[1:]))
