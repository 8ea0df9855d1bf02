"""Which sources are mutated, and the class of fault that a file's code is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

# Kernels, op rules and what they stand on. Not here: what has no numerical result of its own
# (dispatch, schemas, threads, allocation, loading of libraries, the binding).
MUTATED = (
    "csrc/base/half.h",
    "csrc/base/mt19937.*",
    "csrc/base/overflow.h",
    "csrc/base/scalar.cpp",
    "csrc/core/layout.cpp",
    "csrc/core/overlap.cpp",
    "csrc/core/tensor_iterator*.cpp",
    "csrc/core/type_promotion.cpp",
    "csrc/kernels/*.cpp",
    "csrc/kernels/blas/gemm.cpp",
    "csrc/kernels/blas/own_gemm.h",
    "csrc/kernels/cpu/*",
    "csrc/kernels/dnn/*conv2d.cpp",
    "csrc/kernels/generic/*.h",
    "csrc/kernels/rng/*",
    "csrc/ops/*.cpp",
    "csrc/ops/native/*",
    "csrc/ops/rules/support.h",
    "generated/pointwise/*.cpp",
    "generated/rules/*.cpp",
)
# Loading of libraries and of the right instruction set; coefficients are mutated where used.
# Formulas of derivatives get a class of their own, judged by the gradient kinds, with the rest of
# autograd; until then wrapper mutants of that class stand for them.
LEFT_OUT = (
    "generated/rules/derivatives*",
    "csrc/kernels/cpu_features.cpp",
    "csrc/kernels/cpu/dynamic_library.*",
    "csrc/kernels/generic/coefficients.h",
    "csrc/kernels/generic/prelude.h",
)
# Functions that make text for people. Messages are part of the contract by the pattern that an
# error case gives, not to the letter.
MESSAGES = frozenset({"names_of", "dtype_names", "operator<<", "print_double", "supported_names"})

# Names of what decides between two ways to the same result: how much is one piece of work, when
# another algorithm is worth it. Expressions over them have no mutants, since only the clock could
# tell. Sizes of buffers and tiles are not here: a wrong one breaks results.
SPEED = frozenset(
    "grain kGrain kUnfolded kMaxPlans kPiece kFewTerms kManyColumns kShort kChunksPerPiece "
    "kTileItems kMostLines kMost in_parallel_region num_threads".split()
)


@dataclass(frozen=True)
class Subject:
    """Files about one kind of fault."""

    fault: str
    files: tuple[str, ...]


# The first that matches counts; rules of tools/mutate/rules.py may name a class of their own.
SUBJECTS = (
    Subject("alias", ("csrc/core/overlap.cpp",)),
    Subject("order", ("csrc/kernels/cpu/sort*",)),
    Subject("random", ("*mt19937*", "csrc/kernels/rng/*", "*/random.cpp", "*random*")),
    Subject("dtype", ("*promotion*", "*convert.h", "*half*", "*scalar*", "*representable*")),
    Subject("error", ("csrc/ops/checks.cpp", "*compared_numbers*")),
    Subject("shape", ("generated/rules/*", "csrc/ops/*")),
    Subject("layout", ("csrc/core/*", "*copy*", "*index*", "*rows*", "*pointwise_blocks*")),
)
DEFAULT = "value"


def is_mutated(path: str) -> bool:
    """Whether a file, named from the repository or as generated/..., has mutants."""
    chosen = any(fnmatchcase(path, pattern) for pattern in MUTATED)
    return chosen and not any(fnmatchcase(path, pattern) for pattern in LEFT_OUT)


def fault_of(path: str) -> str:
    """The class of fault that most mutants of a file are."""
    for subject in SUBJECTS:
        if any(fnmatchcase(path, pattern) for pattern in subject.files):
            return subject.fault
    return DEFAULT


def is_about_speed(expression: str) -> bool:
    """Whether an expression decides about speed alone."""
    return not SPEED.isdisjoint(re.findall(r"\w+", expression))
