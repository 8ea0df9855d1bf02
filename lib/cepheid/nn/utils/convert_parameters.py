"""All parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable

from cepheid._C import Tensor, functions

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The elements of the parameters, one after the other."""
    return functions.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Makes the parts of a vector the data of the parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected a Tensor as vec; got {type(vec).__name__}")
    begin = 0
    for parameter in parameters:
        end = begin + parameter.numel()
        parameter.data = vec[begin:end].view_as(parameter).data
        begin = end
