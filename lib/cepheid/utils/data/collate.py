"""How samples become a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cepheid import _C
from cepheid._C import Tensor, functions

__all__ = ["default_collate", "default_convert"]


def _is_array(value: Any) -> bool:
    """Whether it is NumPy's, whose arrays and numbers say their dtype; NumPy may be absent."""
    return type(value).__module__ == "numpy" and hasattr(value, "dtype")


def _is_text(value: Any) -> bool:
    return _is_array(value) and value.dtype.kind in "SUO"


def default_convert(data: Any) -> Any:
    """Arrays as tensors, through mappings and sequences; anything else as it is."""
    if isinstance(data, Tensor | str | bytes) or _is_text(data):
        return data
    if _is_array(data):
        return _C.as_tensor(data)
    return _through(data, default_convert)


def _through(data: Any, function: Any) -> Any:
    if isinstance(data, Mapping):
        return _rebuilt(data, {key: function(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(function, data))
    if isinstance(data, tuple):
        return [function(value) for value in data]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _rebuilt(data, [function(value) for value in data])
    return data


def _rebuilt(like: Any, parts: Any) -> Any:
    """Parts in a container of the sample's class, if that can be made of them."""
    try:
        return type(like)(parts)
    except TypeError:
        return parts


def default_collate(batch: Sequence[Any]) -> Any:
    """A list of samples as one: tensors and arrays are stacked, numbers become tensors,
    mappings and sequences are gone through, strings stay a list. TypeError for anything else."""
    sample = batch[0]
    if isinstance(sample, Tensor):
        return functions.stack(list(batch), 0)
    if _is_array(sample):
        if _is_text(sample):
            raise TypeError(_refusal(sample.dtype))
        return default_collate([_C.as_tensor(item) for item in batch])
    if isinstance(sample, float):
        return _C.tensor(batch, dtype=_C._dtypes()["float64"])
    if isinstance(sample, int):
        return _C.tensor(batch)
    if isinstance(sample, str | bytes):
        return batch
    if isinstance(sample, Mapping):
        return _rebuilt(sample, {key: default_collate([d[key] for d in batch]) for key in sample})
    if isinstance(sample, Sequence):
        return _collated_sequences(sample, batch)
    raise TypeError(_refusal(type(sample)))


def _collated_sequences(sample: Any, batch: Sequence[Any]) -> Any:
    if any(len(item) != len(sample) for item in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    parts = [default_collate(part) for part in zip(*batch, strict=True)]
    if isinstance(sample, tuple):
        return type(sample)(*parts) if hasattr(sample, "_fields") else parts
    return _rebuilt(sample, parts)


def _refusal(found: Any) -> str:
    return (
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found"
        f" {found}; give the loader a collate_fn"
    )
