"""Activations as layers. Each calls the function of its name in nn.functional."""

from __future__ import annotations

from typing import Any

from cepheid._C import Tensor, functions
from cepheid.nn import functional as F
from cepheid.nn.modules.module import Module
from cepheid.nn.parameter import Parameter

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]  # fmt: skip


class _Elementwise(Module):
    """A function of one tensor with options, which are attributes of the layer."""

    _options: tuple[str, ...] = ()

    def extra_repr(self) -> str:
        """The options."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._options)


class _Inplace(_Elementwise):
    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _write(self, input: Tensor, result: Tensor) -> Tensor:
        return input.copy_(result) if self.inplace else result

    def extra_repr(self) -> str:
        """The options."""
        shown = super().extra_repr()
        return ", ".join(filter(None, [shown, "inplace=True" if self.inplace else ""]))


class ReLU(_Inplace):
    """max(x, 0)."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.relu(input, inplace=self.inplace)


class ReLU6(_Inplace):
    """min(max(x, 0), 6)."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.relu6(input))


class SELU(_Inplace):
    """scale * (max(x, 0) + min(alpha * (exp(x) - 1), 0)), constants of Klambauer et al., 2017."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.selu(input))


class SiLU(_Inplace):
    """x * sigmoid(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.silu(input))


class Mish(_Inplace):
    """x * tanh(softplus(x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.mish(input))


class Hardswish(_Inplace):
    """x * relu6(x + 3) / 6."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.hardswish(input))


class Hardsigmoid(_Inplace):
    """relu6(x + 3) / 6."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.hardsigmoid(input))


class Hardtanh(_Inplace):
    """min(max(x, min_val), max_val)."""

    _options = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        if min_val >= max_val:
            raise ValueError(
                f"Hardtanh: min_val must be below max_val; got {min_val} and {max_val}"
            )
        self.min_val, self.max_val = min_val, max_val

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.hardtanh(input, self.min_val, self.max_val))


class ELU(_Inplace):
    """x where x > 0, else alpha * (exp(x) - 1)."""

    _options = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.elu(input, self.alpha))


class CELU(_Inplace):
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)."""

    _options = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.celu(input, self.alpha))


class LeakyReLU(_Inplace):
    """x where x > 0, else negative_slope * x."""

    _options = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.leaky_relu(input, self.negative_slope))


class Threshold(_Inplace):
    """x where x > threshold, else value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    _options = ("threshold", "value")

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return self._write(input, F.threshold(input, self.threshold, self.value))


class GELU(_Elementwise):
    """x * P(X <= x) of a standard normal X; `approximate="tanh"` by tanh."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The approximation."""
        return f"approximate={self.approximate!r}"


class Sigmoid(_Elementwise):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return input.sigmoid()


class Tanh(_Elementwise):
    """tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return input.tanh()


class Tanhshrink(_Elementwise):
    """x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.tanhshrink(input)


class Softsign(_Elementwise):
    """x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.softsign(input)


class LogSigmoid(_Elementwise):
    """log(sigmoid(x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.logsigmoid(input)


class Softplus(_Elementwise):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""

    _options = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.softplus(input, self.beta, self.threshold)


class Softshrink(_Elementwise):
    """x less lambd towards 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The bound."""
        return str(self.lambd)


class Hardshrink(_Elementwise):
    """x where |x| > lambd, else 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The bound."""
        return str(self.lambd)


class PReLU(_Elementwise):
    """x where x > 0, else weight * x; `weight` [num_parameters] is learned."""

    _options = ("num_parameters",)

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(
            functions.full((num_parameters,), float(init), device=device, dtype=dtype)
        )

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise; several weights go with the second dimension."""
        return F.prelu(input, self.weight)


class GLU(Module):
    """The first half of a dimension times the sigmoid of the second."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Half as long along the dimension."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class Softmax(Module):
    """exp(x) by its sum along a dimension."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Sums to 1 along the dimension."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class Softmin(Softmax):
    """Softmax of -x."""

    def forward(self, input: Tensor) -> Tensor:
        """Sums to 1 along the dimension."""
        return F.softmin(input, self.dim)


class LogSoftmax(Softmax):
    """The logarithm of Softmax."""

    def forward(self, input: Tensor) -> Tensor:
        """Its exponentials sum to 1 along the dimension."""
        return F.log_softmax(input, self.dim)
