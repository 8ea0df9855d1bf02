"""NumPy and DLPack without copies; pickling and copying."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import cepheid as torch
from tools.runner import run_this_file

NUMPY_DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float16 float32 float64 complex64 complex128"
).split()


@pytest.mark.parametrize("name", NUMPY_DTYPES)
def test_numpy_round_trip_shares_memory(name: str) -> None:
    array = np.array([[1, 0, 1], [0, 1, 1]], dtype=name)
    x = torch.from_numpy(array)
    assert x.dtype is getattr(torch, name)
    assert x.tolist() == array.tolist()
    back = x.numpy()
    assert back.dtype == array.dtype
    assert np.shares_memory(back, array)
    array[0, 0] = 0
    assert x[0, 0].item() == 0


@pytest.mark.parametrize("view", ["a.T", "a[:, ::2]", "a[1:]", "a[:0]", "a[0, 0]", "a[:1, 1:]"])
def test_strided_arrays(view: str) -> None:
    array = eval(view, {"a": np.arange(12.0).reshape(3, 4)})
    if not isinstance(array, np.ndarray):
        array = np.asarray(array)
    x = torch.from_numpy(array)
    assert x.tolist() == array.tolist()
    assert np.shares_memory(x.numpy(), array) or array.size == 0
    assert x.numpy().tolist() == array.tolist()


def test_memory_outlives_its_owner() -> None:
    x = torch.from_numpy(np.arange(5))
    gc.collect()
    assert x.tolist() == [0, 1, 2, 3, 4]
    y = torch.arange(5).numpy()
    gc.collect()
    assert y.tolist() == [0, 1, 2, 3, 4]


def test_memory_that_was_handed_out_stays() -> None:
    """Replacing a tensor's data leaves what others took of it alone."""
    x = torch.arange(1000)
    array, capsule = x.numpy(), x.__dlpack__()
    x.data = torch.zeros(3, dtype=torch.int64)
    gc.collect()
    other = torch.full((1000,), -1)
    assert array.tolist() == list(range(1000))
    assert torch.from_dlpack(capsule).tolist() == list(range(1000))
    assert other[0].item() == -1


@pytest.mark.parametrize(
    ("array", "kind", "text"),
    [
        (np.arange(3)[::-1], ValueError, "copy"),
        (np.array([1], ">i4"), ValueError, "byte order"),
        (np.array(["a"]), TypeError, "format"),
        (np.array([object()]), TypeError, "format"),
        (np.zeros(1, [("a", "i4")]), TypeError, "format"),
        (np.zeros(3, [("a", "i1"), ("b", "i4")])["b"], ValueError, "multiple|aligned"),
        ([1, 2], TypeError, "numpy.ndarray"),
    ],
)
def test_arrays_that_have_no_twin(array: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        torch.from_numpy(array)


def test_read_only_arrays_warn() -> None:
    array = np.ones(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="read-only"):
        x = torch.from_numpy(array)
    assert x.numpy().flags.writeable is False


def test_numpy_is_optional() -> None:
    code = (
        "import sys; sys.modules['numpy'] = None; import cepheid as torch;"
        "assert (torch.ones(2) + 1).tolist() == [2.0, 2.0];"
        "assert torch.tensor([[1, 2.5]]).shape == (1, 2);"
        "assert bytes(torch.zeros(1).untyped_storage()) == bytes(4)\n"
        "try: torch.ones(1).numpy()\n"
        "except ImportError: print('refused')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


def test_numpy_refuses_what_it_cannot_show() -> None:
    for x in (torch.ones(1, device="meta"), torch.ones(1, dtype=torch.bfloat16)):
        with pytest.raises(TypeError, match="numpy"):
            x.numpy()


def test_array_protocol() -> None:
    x = torch.arange(3)
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert np.asarray(x, dtype=np.float64).tolist() == [0.0, 1.0, 2.0]
    assert not np.shares_memory(np.array(x), x.numpy())
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype=np.float64, copy=False)


def test_numbers_of_numpy_keep_the_tensors_dtype() -> None:
    x = torch.ones(2)
    assert (x + np.float32(1)).dtype is torch.float32
    assert (np.float64(2) * x).dtype is torch.float32
    assert isinstance(np.float64(2) * x, torch.Tensor)
    assert (x * np.complex64(1j)).dtype is torch.complex64
    assert (torch.arange(2) + np.bool_(True)).tolist() == [1, 2]


def test_dlpack_round_trip() -> None:
    x = torch.arange(6).view(2, 3).t()
    y = torch.from_dlpack(x)
    assert y.data_ptr() == x.data_ptr()
    assert y.stride() == x.stride()
    array = np.from_dlpack(x)
    array[0, 0] = 42
    assert x[0, 0].item() == 42
    assert torch.from_dlpack(np.arange(4.0)).tolist() == [0.0, 1.0, 2.0, 3.0]
    for dtype in (torch.bfloat16, torch.bool, torch.float8_e5m2, torch.complex64):
        z = torch.zeros(2, dtype=dtype)
        assert torch.from_dlpack(z).dtype is dtype


def test_a_capsule_is_taken_once() -> None:
    x = torch.ones(2)
    for capsule in (x.__dlpack__(), x.__dlpack__(max_version=(1, 0))):
        assert torch.from_dlpack(capsule).data_ptr() == x.data_ptr()
        with pytest.raises(RuntimeError, match="once"):
            torch.from_dlpack(capsule)
    assert x.__dlpack__(copy=True) is not None
    assert x.__dlpack_device__() == (1, 0)


def test_dlpack_refusals() -> None:
    with pytest.raises(ValueError, match="stream"):
        torch.ones(1).__dlpack__(stream=1)
    with pytest.raises(ValueError, match="dl_device"):
        torch.ones(1).__dlpack__(dl_device=(2, 0))
    for options in ({"max_version": 5}, {"dl_device": 5}, {"max_version": ("a", 0)}):
        with pytest.raises(TypeError):
            torch.ones(1).__dlpack__(**options)
    with pytest.raises(RuntimeError, match="CPU"):
        torch.ones(1, device="meta").__dlpack__()
    array = np.ones(2)
    array.flags.writeable = False
    shared = torch.from_dlpack(array)
    with pytest.raises(RuntimeError, match="read-only"):
        shared.__dlpack__()
    assert shared.__dlpack__(max_version=(1, 0)) is not None


# ---- pickling and copying -----------------------------------------------------------------------


class Labelled(torch.Tensor):
    """A subclass that can be found by name."""


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_geometry_and_sharing(protocol: int) -> None:
    x = torch.arange(6).view(2, 3)
    a, b = pickle.loads(pickle.dumps((x.t(), x[1]), protocol))
    assert a.stride() == (1, 3)
    assert a.tolist() == x.t().tolist()
    b.fill_(9)
    assert a[0].tolist() == [0, 9]


def test_pickle_keeps_class_and_attributes() -> None:
    x = torch.ones(2).as_subclass(Labelled)
    x.label = {"a": [1]}
    y = pickle.loads(pickle.dumps(x))
    assert type(y) is Labelled
    assert y.label == {"a": [1]}
    meta = pickle.loads(pickle.dumps(torch.ones(2, 3, device="meta").t()))
    assert (meta.device.type, meta.shape, meta.stride()) == ("meta", (3, 2), (1, 3))


def test_a_pickle_is_not_believed() -> None:
    storage = torch.UntypedStorage(8)
    for offset, size, stride in [
        (0, (3,), (1,)),
        (2, (1,), (1,)),
        (-1, (1,), (1,)),
        (0, (-1,), (1,)),
        (0, (2,), (-1,)),
        (0, (2, 2**62), (2**62, 1)),
        (2**61, (1,), (1,)),
        (0, (2,), ()),
    ]:
        with pytest.raises((ValueError, RuntimeError, OverflowError)):
            torch._C._rebuild_tensor(
                torch.Tensor, storage, torch.float32, offset, size, stride, False
            )
    fine = torch._C._rebuild_tensor(torch.Tensor, storage, torch.float32, 1, (1,), (1,), False)
    assert fine.tolist() == [0.0]
    with pytest.raises(TypeError):
        torch._C._rebuild_tensor(dict, storage, torch.float32, 0, (1,), (1,), False)


def test_deepcopy_shares_inside_one_copy() -> None:
    x = torch.arange(6).view(2, 3)
    x.note = ["n"]
    x.grad = torch.ones(2, 3, dtype=torch.int64)
    y, row = copy.deepcopy([x, x[0]])
    row.fill_(7)
    assert y[0].tolist() == [7, 7, 7]
    assert x[0].tolist() == [0, 1, 2]
    assert y.note == ["n"]
    assert y.note is not x.note
    assert y.grad is not x.grad
    assert y.grad.tolist() == x.grad.tolist()
    with pytest.raises(TypeError, match="memo"):
        x.__deepcopy__([])
    again = copy.deepcopy([x, x])
    assert again[0] is again[1]


def test_copy_shares_the_storage() -> None:
    x = torch.ones(2)
    x.note = 1
    y = copy.copy(x)
    assert y is not x
    assert y.note == 1
    assert y.untyped_storage() is x.untyped_storage()


SINGLETONS = [
    torch.float32,
    torch.bool,
    torch.float8_e4m3fn,
    torch.strided,
    torch.channels_last,
    torch.add,
    torch.ops.aten.add.Tensor,
]


@pytest.mark.parametrize("value", SINGLETONS, ids=str)
def test_singletons_pickle_to_themselves(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) is value
    assert copy.deepcopy(value) is value


def test_small_values_pickle() -> None:
    for value in (torch.device("cpu"), torch.device("cuda", 1), torch.Size([2, 3])):
        copied = pickle.loads(pickle.dumps(value))
        assert copied == value
        assert type(copied) is type(value)
    generator = torch.Generator().manual_seed(5)
    copied = pickle.loads(pickle.dumps(generator))
    assert copied.get_state().tolist() == generator.get_state().tolist()


if __name__ == "__main__":
    run_this_file()
