"""tensor(), as_tensor(), asarray(), frombuffer(), Tensor(): values, dtypes and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cepheid as torch
from tools.runner import run_this_file


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (True, "bool", ()),
        (3, "int64", ()),
        (2.5, "float32", ()),
        (1j, "complex64", ()),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        ([True, False], "bool", (2,)),
        ([True, 2], "int64", (2,)),
        ([1, 2.5], "float32", (2,)),
        ([1, 2.5, 1j], "complex64", (3,)),
        (((1, 2), (3, 4)), "int64", (2, 2)),
        (range(3), "int64", (3,)),
        ([np.float32(1)], "float32", (1,)),
        ([np.int32(1), np.int32(2)], "int32", (2,)),
        (np.float64(1), "float32", ()),
        (np.array([1, 2], np.int16), "int16", (2,)),
        (np.array(3.0), "float64", ()),
        ([np.array(3), np.array(4)], "int64", (2,)),
        ([np.ones(2), np.zeros(2)], "float64", (2, 2)),
        (np.arange(6)[::-2], "int64", (3,)),
        (np.array([1, 2], ">i4").astype("i4"), "int32", (2,)),
    ],
)
def test_inference(data: Any, dtype: str, shape: tuple[int, ...]) -> None:
    result = torch.tensor(data)
    assert result.dtype is getattr(torch, dtype)
    assert tuple(result.shape) == shape
    assert result.tolist() == np.asarray(data).tolist()


def test_default_dtype_decides() -> None:
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        assert torch.tensor(1.0).dtype is torch.float64
        assert torch.tensor([1j]).dtype is torch.complex128
        assert torch.zeros(1).dtype is torch.float64
    finally:
        torch.set_default_dtype(before)
    with pytest.raises((TypeError, RuntimeError)):
        torch.set_default_dtype(torch.int64)


def test_tensors_are_copied_and_nested_ones_joined() -> None:
    x = torch.tensor([1, 2])
    copy = torch.tensor(x)
    copy.fill_(0)
    assert x.tolist() == [1, 2]
    assert torch.tensor([x, x]).tolist() == [[1, 2], [1, 2]]
    assert torch.tensor([torch.tensor(1.5), 2]).tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        ([[1], [1, 2]], ValueError, "one length; expected 1 at dimension 1; got 2"),
        ([[1, 2], 3], TypeError, "expected a sequence of length 2 at depth 1; got int"),
        ([1, [2]], ValueError, "a sequence stands where a number is expected"),
        ([1, "a"], TypeError, "got str"),
        ("abc", TypeError, "got str"),
        (b"abc", TypeError, "got bytes"),
        (None, TypeError, "got NoneType"),
        ({}, TypeError, "got dict"),
        (2**64, OverflowError, "64 bits"),
        (object(), TypeError, "got object"),
    ],
)
def test_refusals(data: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        torch.tensor(data)


def test_depth_is_bounded() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="contain itself"):
        torch.tensor(loop)
    deep: Any = 1
    for _ in range(64):
        deep = [deep]
    assert torch.tensor(deep).dim() == 64


@pytest.mark.parametrize(
    ("data", "dtype", "kind"),
    [
        ([300], "uint8", RuntimeError),
        ([-1], "uint8", RuntimeError),
        ([2**40], "int32", RuntimeError),
        ([float("nan")], "int32", RuntimeError),
        ([1 + 1j], "float32", RuntimeError),
    ],
)
def test_values_that_a_dtype_cannot_hold(data: Any, dtype: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        torch.tensor(data, dtype=getattr(torch, dtype))


def test_as_tensor_shares_where_it_can() -> None:
    array = np.zeros(3, np.float32)
    shared = torch.as_tensor(array)
    array[0] = 7
    assert shared[0].item() == 7
    assert torch.as_tensor(shared) is shared
    other = torch.as_tensor(array, dtype=torch.float64)
    array[0] = 8
    assert other[0].item() == 7
    assert torch.as_tensor([1, 2]).tolist() == [1, 2]


def test_asarray_and_copy() -> None:
    array = np.zeros(3)
    assert torch.asarray(array).data_ptr() == torch.from_numpy(array).data_ptr()
    assert torch.asarray(array, copy=True).data_ptr() != torch.from_numpy(array).data_ptr()
    with pytest.raises(ValueError, match="copy=False"):
        torch.asarray(array, dtype=torch.int32, copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        torch.asarray([1, 2], copy=False)


def test_frombuffer() -> None:
    memory = bytearray(b"\1\0\0\0\2\0\0\0")
    x = torch.frombuffer(memory, dtype=torch.int32)
    assert x.tolist() == [1, 2]
    memory[0] = 9
    assert x[0].item() == 9
    part = torch.frombuffer(memory, dtype=torch.uint8, offset=4, count=2)
    assert part.tolist() == [2, 0]
    with pytest.raises(BufferError):
        memory.append(1)


@pytest.mark.parametrize(
    "options",
    [
        {"dtype": "int32", "offset": 8},
        {"dtype": "int32", "offset": 1},
        {"dtype": "int32", "offset": -4},
        {"dtype": "int32", "count": 3},
        {"dtype": "int32", "count": 0},
    ],
)
def test_frombuffer_refuses(options: dict[str, Any]) -> None:
    options = {**options, "dtype": getattr(torch, options["dtype"])}
    with pytest.raises(ValueError, match="frombuffer"):
        torch.frombuffer(bytearray(8), **options)


def test_the_class_as_a_constructor() -> None:
    assert torch.Tensor().shape == (0,)
    assert torch.Tensor(2, 3).shape == (2, 3)
    assert torch.Tensor([1, 2]).dtype is torch.float32
    x = torch.ones(2)
    assert torch.Tensor(x).data_ptr() == x.data_ptr()
    with pytest.raises(TypeError):
        torch.Tensor("a")
    with pytest.raises(TypeError, match=r"cepheid\.tensor"):
        torch.Tensor(2, dtype=torch.int32)


def test_pin_memory_needs_an_accelerator() -> None:
    for make in (lambda: torch.zeros(2, pin_memory=True), lambda: torch.tensor(1, pin_memory=True)):
        with pytest.raises(RuntimeError, match="accelerator"):
            make()


if __name__ == "__main__":
    run_this_file()
