"""Neural networks: modules, parameters, and the functions that they call."""

from cepheid.nn import functional, grad, init, modules, parameter, utils
from cepheid.nn.modules import *  # noqa: F403
from cepheid.nn.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter", "functional", "grad", "init", "modules", "parameter", "utils"]
__all__ += modules.__all__
