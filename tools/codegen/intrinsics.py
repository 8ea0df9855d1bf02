"""The functions of csrc/ops/rules/prelude.py: written twice, each for a reason.

Their C++ twins are in csrc/ops/rules/support.h; test_rule_twins.py runs both on the same inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tools.codegen.rules import Kind

_INT, _STR, _INTS = Kind("int"), Kind("str"), Kind("ints")


@dataclass(frozen=True)
class Intrinsic:
    """Parameters and result of a twin, and why one source doesn't serve."""

    parameters: tuple[Kind, ...]
    returns: Kind
    reason: str


INTRINSICS: Mapping[str, Intrinsic] = {
    "numel": Intrinsic((_STR, _INTS), _INT, "core needs it below the rules"),
    "wrap_dim": Intrinsic((_STR, _INT, _INT), _INT, "views and kernels call it too"),
    "broadcast_shapes": Intrinsic((_STR, _INTS, _INTS), _INTS, "TensorIterator calls it too"),
    "infer_size": Intrinsic((_STR, _INTS, _INT), _INTS, "view calls it too"),
    "view_strides": Intrinsic(
        (_INTS, _INTS, _INTS), Kind("ints", optional=True), "it walks two lists until a condition"
    ),
    "number_dtype": Intrinsic((Kind("Scalar"),), Kind("DType"), "dtypes are the implementation's"),
}
