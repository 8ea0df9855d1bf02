"""Transforms of functions: derivatives and batches, which compose to any depth."""

from cepheid.func._forward import jvp, linearize
from cepheid.func._jacobian import hessian, jacfwd, jacrev
from cepheid.func._modules import functional_call, stack_module_state
from cepheid.func._reverse import grad, grad_and_value, vjp
from cepheid.func._vmap import vmap

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "vjp",
    "vmap",
]
