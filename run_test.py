#!/usr/bin/env python3
"""Run tests: `python3 run_test.py [NAME ...] [--impl IMPLEMENTATION] [--shard I/N]`.

On a fresh clone this makes an environment under build/env, builds cepheid, runs the smoke group and
ends with the verdict and the report's path. `--help` lists groups and options. Everything is in
tools/runner; this file only needs a bare CPython 3.11, 3.12 or 3.13.
"""

import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit(f"run_test.py: expected CPython 3.11, 3.12 or 3.13; got {sys.version.split()[0]}")

from tools.runner.bootstrap import start

if __name__ == "__main__":
    sys.exit(start(sys.argv[1:]))
