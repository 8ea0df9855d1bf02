"""x[index] and x[index] = value against NumPy, and the errors of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid as torch
from tools.runner import run_this_file

SHAPE = (3, 4, 5)


def source() -> np.ndarray:
    return np.arange(60, dtype=np.float32).reshape(SHAPE)


MASK = source()[:, :, 0] % 3 == 0
INDICES: list[Any] = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    slice(None),
    slice(1, 3),
    slice(-2, None),
    slice(0, 3, 2),
    slice(5, 1),
    (slice(None), 1),
    (..., 1),
    (0, ...),
    (0, ..., 1),
    ...,
    (),
    None,
    (None, 0, None),
    (slice(1, 2), None, slice(0, 4, 3)),
    [0, 2],
    [[0, 1], [2, 0]],
    ([0, 2], [1, 3]),
    ([0, 2], slice(None), [1, 3]),
    (slice(None), [1, 3]),
    (slice(None), [1, 3], 2),
    (1, [0, 2], [1, 4]),
    ([True, False, True],),
    (MASK,),
    (MASK, slice(1, 3)),
    (MASK, 2),
    (None, MASK),
    (slice(0, 2), [True, False, False, True]),
    [],
    True,
    False,
    (True, 1),
    np.array([2, 0]),
    np.int64(1),
    np.array([[1], [0]]),
]


def as_torch(index: Any) -> Any:
    """The same index with tensors for arrays."""
    if isinstance(index, tuple):
        return tuple(as_torch(item) for item in index)
    return torch.tensor(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_getitem_is_numpys(index: Any) -> None:
    expected = source()[index]
    for form in (index, as_torch(index)):
        result = torch.from_numpy(source())[form]
        assert tuple(result.shape) == expected.shape
        assert result.tolist() == expected.tolist()


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_setitem_is_numpys(index: Any) -> None:
    expected, target = source(), torch.from_numpy(source())
    expected[index] = -1
    target[as_torch(index)] = -1
    assert target.tolist() == expected.tolist()


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_setitem_with_a_tensor_of_another_dtype(index: Any) -> None:
    expected, target = source(), torch.from_numpy(source())
    values = np.arange(source()[index].size, dtype=np.int64).reshape(source()[index].shape)
    expected[index] = values
    target[as_torch(index)] = torch.from_numpy(values)
    assert target.tolist() == expected.tolist()


def test_views_share_and_copies_do_not() -> None:
    x = torch.zeros(3, 4)
    x[1, 1:3].fill_(2)
    assert x.sum().item() == 4
    x[[0, 1]].fill_(9)
    assert x.sum().item() == 4
    assert x[...] is not x
    assert x[...].data_ptr() == x.data_ptr()
    assert x[:].data_ptr() == x.data_ptr()


def test_a_zero_dim_integer_tensor_is_an_int() -> None:
    x = torch.arange(6).view(2, 3)
    row = x[torch.tensor(1)]
    assert row.tolist() == [3, 4, 5]
    assert row.data_ptr() == x[1].data_ptr()


def test_assignment_broadcasts() -> None:
    x = torch.zeros(2, 3)
    x[:, 1] = torch.tensor([1.0, 2.0])
    x[0] = torch.ones(1, 1, 3)
    x[1] = [4, 5, 6]
    assert x.tolist() == [[1.0, 1.0, 1.0], [4.0, 5.0, 6.0]]


def test_uint8_masks_warn() -> None:
    x = torch.arange(3)
    with pytest.warns(UserWarning, match="uint8"):
        assert x[torch.tensor([1, 0, 1], dtype=torch.uint8)].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("index", "kind", "text"),
    [
        (5, IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
        ((0, -4), IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
        ((0, 0, 0), IndexError, "too many indices for a tensor of dimension 2; got 3"),
        (2.0, IndexError, "got float"),
        ("a", IndexError, "got str"),
        (slice(None, None, -1), ValueError, "step must be greater than zero; got -1"),
        (slice(None, None, 0), ValueError, "step"),
        (torch.tensor([0.5]), IndexError, "must hold ints or bools; got float32"),
        (torch.tensor([0, 7]), IndexError, "7"),
        (torch.tensor([True, False, True]), IndexError, "3"),
        (2**70, OverflowError, "int64"),
    ],
)
def test_errors(index: Any, kind: type[Exception], text: str) -> None:
    x = torch.zeros(2, 3)
    with pytest.raises(kind, match=text):
        x[index]
    with pytest.raises(kind, match=text):
        x[index] = 1
    assert x.sum().item() == 0


def test_zero_dim_tensors() -> None:
    x = torch.tensor(3)
    assert x[()].item() == 3
    assert x[None].tolist() == [3]
    assert x[...].item() == 3
    with pytest.raises(IndexError, match="item"):
        x[0]
    with pytest.raises(TypeError, match="0-dim"):
        iter(x)
    with pytest.raises(TypeError, match="0-dim"):
        len(x)


def test_assignment_errors() -> None:
    x = torch.zeros(2, 3)
    with pytest.raises(TypeError, match="got str"):
        x[0] = "a"
    with pytest.raises(RuntimeError):
        x[0] = torch.ones(5)
    with pytest.raises(TypeError, match="can't be deleted"):
        del x[0]


class Misbehaving:
    """An index that doesn't keep its promise."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __index__(self) -> int:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value  # type: ignore[return-value]  # the point of the class


@pytest.mark.parametrize("value", ["text", 1.5, KeyError("mine")])
def test_misbehaving_index_objects_raise(value: object) -> None:
    x = torch.zeros(3)
    with pytest.raises((TypeError, KeyError)):
        x[Misbehaving(value)]
    with pytest.raises((TypeError, KeyError)):
        torch.zeros(Misbehaving(value))
    with pytest.raises((TypeError, KeyError)):
        x.view([Misbehaving(value)])


class Replacing:
    """Gives the tensor that is indexed other data when it is asked for its value."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor

    def __index__(self) -> int:
        self.tensor.data = torch.tensor(1.0)
        return 0


def test_a_tensor_that_changes_while_it_is_indexed() -> None:
    x = torch.ones(2, 3)
    with pytest.raises(IndexError, match="dimension"):
        x[Replacing(x)]
    x = torch.ones(2, 3)
    with pytest.raises(IndexError, match="dimension"):
        x[slice(Replacing(x), None)]


class Shrinking:
    """Empties the list that it stands in when it is asked for its value."""

    def __init__(self, home: list[object]) -> None:
        self.home = home

    def __index__(self) -> int:
        self.home.clear()
        return 1


def test_a_list_that_changes_while_it_is_read() -> None:
    sizes: list[object] = []
    sizes += [Shrinking(sizes), 2, 3]
    assert torch.ones(1).view(sizes).tolist() == [1.0]
    data: list[object] = []
    data += [Shrinking(data), 2, 3]
    with pytest.raises(ValueError, match="length"):
        torch.tensor(data)


def slices(size: int) -> st.SearchStrategy[Any]:
    bound = st.integers(-size - 1, size + 1) | st.none()
    return st.builds(slice, bound, bound, st.integers(1, 3) | st.none())


def with_extras(index: tuple[Any, ...], ellipsis_at: int, none_at: int) -> tuple[Any, ...]:
    index = (*index[:ellipsis_at], ..., *index[ellipsis_at:])
    return (*index[:none_at], None, *index[none_at:])


@settings(max_examples=100)
@given(
    st.tuples(*(st.integers(-n, n - 1) | slices(n) for n in SHAPE)),
    st.integers(0, 3),
    st.integers(0, 4),
)
def test_basic_indices_are_numpys(index: tuple[Any, ...], ellipsis_at: int, none_at: int) -> None:
    index = with_extras(index, ellipsis_at, none_at)
    expected = source()[index]
    result = torch.from_numpy(source())[index]
    assert tuple(result.shape) == expected.shape
    assert result.tolist() == expected.tolist()


def lists_or_slices(size: int) -> st.SearchStrategy[Any]:
    lists = st.lists(st.integers(-size, size - 1), min_size=2, max_size=2)
    return lists | slices(size)


@settings(max_examples=100)
@given(st.tuples(*map(lists_or_slices, SHAPE)), st.integers(0, 3))
def test_mixed_indices_are_numpys(index: tuple[Any, ...], none_at: int) -> None:
    index = (*index[:none_at], None, *index[none_at:], ...)
    expected = source()[index]
    result = torch.from_numpy(source())[index]
    assert tuple(result.shape) == expected.shape
    assert result.tolist() == expected.tolist()


def test_an_int_beside_lists_is_applied_first() -> None:
    """NumPy counts it among the lists; here, as documented, it selects."""
    x = torch.from_numpy(source())
    assert x[0, :, [0]].shape == (4, 1)
    assert x[0, :, [0]].tolist() == x[0][:, [0]].tolist()


if __name__ == "__main__":
    run_this_file()
