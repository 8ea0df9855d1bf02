"""Cepheid: a reference implementation of the PyTorch stack. `import cepheid as torch`."""

import importlib
from math import e, inf, nan, pi
from types import ModuleType

from cepheid import _trace
from cepheid.version import __version__

_trace.absent(_trace.IMPORT, "ROCm initialisation", "the GPU backend arrives with issue 10")
_trace.absent(
    _trace.IMPORT, "native libraries", "_C finds libcepheid.so by its run path; nothing to preload"
)

from cepheid import _C
from cepheid._C import (
    DisableTorchFunctionSubclass,
    Generator,
    OutOfMemoryError,
    Size,
    Tensor,
    UntypedStorage,
    as_tensor,
    asarray,
    can_cast,
    default_generator,
    device,
    dtype,
    from_dlpack,
    from_numpy,
    frombuffer,
    get_default_device,
    get_default_dtype,
    get_num_interop_threads,
    get_num_threads,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_tensor,
    layout,
    memory_format,
    promote_types,
    result_type,
    set_default_device,
    set_default_dtype,
    set_num_threads,
    strided,
    tensor,
)

_trace.stage(_trace.IMPORT, "_C", isa=_C._isa())
_trace.absent(
    _trace.IMPORT, "shared-memory manager", "tensors cross processes with the data loader's issue"
)

globals().update(_C._dtypes())
globals().update(_C._memory_formats())
_variable_functions = {
    name: function for name, function in vars(_C.functions).items() if not name.startswith("__")
}
globals().update(_variable_functions)

_trace.stage(_trace.IMPORT, "variable functions", count=len(_variable_functions))

from cepheid import _tensor, autograd
from cepheid._functions import (
    is_complex,
    is_floating_point,
    is_inference,
    is_signed,
    numel,
)
from cepheid._numeric_info import finfo, iinfo
from cepheid._ops import ops
from cepheid._tensor_repr import get_printoptions, set_printoptions
from cepheid.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from cepheid.random import (
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

_C._attach_methods(_tensor.METHODS)

__all__ = [
    "DisableTorchFunctionSubclass",
    "Generator",
    "OutOfMemoryError",
    "Size",
    "Tensor",
    "UntypedStorage",
    "__version__",
    "as_tensor",
    "asarray",
    "autograd",
    "can_cast",
    "default_generator",
    "device",
    "dtype",
    "e",
    "enable_grad",
    "finfo",
    "fork_rng",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "get_default_device",
    "get_default_dtype",
    "get_num_interop_threads",
    "get_num_threads",
    "get_printoptions",
    "get_rng_state",
    "iinfo",
    "inf",
    "inference_mode",
    "initial_seed",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_complex",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "is_signed",
    "is_tensor",
    "layout",
    "manual_seed",
    "memory_format",
    "nan",
    "newaxis",
    "no_grad",
    "numel",
    "ops",
    "pi",
    "promote_types",
    "result_type",
    "seed",
    "set_default_device",
    "set_default_dtype",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "strided",
    "tensor",
]
__all__ += [*_C._dtypes(), *_C._memory_formats(), *_variable_functions]

newaxis = None

_LAZY_MODULES = (
    "cpu", "cuda", "func", "library", "linalg", "nn", "optim", "overrides", "utils", "testing"
)  # fmt: skip
_ABSENT_DEVICES = ("xpu", "mps", "mtia")

_trace.stage(_trace.IMPORT, "subpackages", lazy=len(_LAZY_MODULES) + len(_ABSENT_DEVICES))
_trace.absent(
    _trace.IMPORT,
    "storage class names",
    "typed storages arrive with the serializer; use UntypedStorage",
)
_trace.absent(_trace.IMPORT, "docstrings", "they are compiled into the functions")
_trace.stage(_trace.IMPORT, "ops and classes namespaces", ops=len(_C._all_ops()))


def __getattr__(name: str) -> ModuleType:
    """Load a subpackage when it is first named."""
    if name in _LAZY_MODULES:
        return importlib.import_module(f"cepheid.{name}")
    if name in _ABSENT_DEVICES:
        module: ModuleType = importlib.import_module("cepheid._absent_devices").make(name)
        globals()[name] = module
        return module
    raise AttributeError(f"module 'cepheid' has no attribute {name!r}")
