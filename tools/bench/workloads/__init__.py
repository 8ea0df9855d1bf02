"""The workloads; importing this fills `WORKLOADS`, group after group."""

from importlib import import_module

from tools.bench.workloads.case import WORKLOADS, Case, Context

GROUPS = (
    "overhead",
    "elementwise",
    "reduce",
    "gemm",
    "conv",
    "index",
    "rng",
    "attention",
    "train",
    "infer",
    "serialize",
    "compile",
    "distributed",
    "autograd",
)

for _group in GROUPS:
    import_module(f"tools.bench.workloads.{_group}")

__all__ = ["GROUPS", "WORKLOADS", "Case", "Context"]
