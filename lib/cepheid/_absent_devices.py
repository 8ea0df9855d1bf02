"""What `cepheid.xpu`, `cepheid.mps` and `cepheid.mtia` are: devices that this build doesn't have.

Programs ask `is_available()` before they use a device; the answer here is no.
"""

from __future__ import annotations

from types import ModuleType


def make(name: str) -> ModuleType:
    """The module `cepheid.<name>` of a device that isn't there."""
    module = ModuleType(f"cepheid.{name}", f"The {name} device, which this build doesn't have.")

    def is_available() -> bool:
        return False

    def device_count() -> int:
        return 0

    for function in (is_available, device_count):
        function.__module__ = module.__name__
        setattr(module, function.__name__, function)
    return module
