"""dtype, device, Size, memory_format, Generator, storage; conversions of a tensor to Python."""

from __future__ import annotations

import gc
import weakref

import pytest

import cepheid as torch
from tools.runner import run_this_file


def test_dtype_attributes() -> None:
    assert repr(torch.float32) == "torch.float32"
    assert torch.float is torch.float32
    assert torch.long is torch.int64
    assert torch.float16.itemsize == 2
    assert torch.bfloat16.is_floating_point
    assert torch.complex64.is_complex
    assert not torch.uint8.is_signed
    assert torch.complex128.to_real() is torch.float64
    assert torch.float64.to_complex() is torch.complex128
    with pytest.raises(RuntimeError, match="no complex twin"):
        torch.int64.to_complex()
    with pytest.raises(TypeError):
        type(torch.float32)()


def test_device() -> None:
    assert repr(torch.device("cpu")) == "device(type='cpu')"
    assert repr(torch.device("cuda", 1)) == "device(type='cuda', index=1)"
    assert str(torch.device("cuda:0")) == "cuda:0"
    assert torch.device("cuda", 0) == torch.device("cuda:0")
    assert torch.device("cuda") != torch.device("cuda:0")
    assert hash(torch.device("cpu")) == hash(torch.device("cpu"))
    assert torch.device(torch.device("meta")).type == "meta"
    assert torch.device("cpu").index is None
    for wrong in ("foo", "cuda:x", "cpu:-1", ""):
        with pytest.raises(RuntimeError):
            torch.device(wrong)
    with pytest.raises(RuntimeError, match="already"):
        torch.device("cuda:0", 1)
    with pytest.raises(RuntimeError, match="accelerator"):
        torch.device(0)
    with pytest.raises(TypeError):
        torch.device(None)


def test_size() -> None:
    size = torch.Size([2, 3])
    assert repr(size) == "torch.Size([2, 3])"
    assert size == (2, 3)
    assert isinstance(size, tuple)
    assert size.numel() == 6
    assert torch.Size().numel() == 1
    assert torch.Size([2**40, 2**40]).numel() == 2**80
    assert type(size[:1]) is torch.Size
    assert type(size + size) is torch.Size
    assert type(size * 2) is torch.Size
    assert size[0] == 2
    assert torch.Size([torch.tensor(4)]) == (4,)
    assert type(torch.ones(2).shape) is torch.Size
    with pytest.raises(TypeError, match="element 1 must be an int"):
        torch.Size([1, 2.5])


def test_enums() -> None:
    assert repr(torch.strided) == "torch.strided"
    assert repr(torch.channels_last) == "torch.channels_last"
    x = torch.empty(1, 2, 3, 4, memory_format=torch.channels_last)
    assert x.stride() == (24, 1, 8, 2)
    assert x.is_contiguous(memory_format=torch.channels_last)
    assert not x.is_contiguous()


def test_generator() -> None:
    g = torch.Generator()
    assert g.manual_seed(7) is g
    assert g.initial_seed() == 7
    state = g.get_state()
    first = torch.rand(4, generator=g).tolist()
    g.set_state(state)
    assert torch.rand(4, generator=g).tolist() == first
    clone = g.clone_state()
    assert torch.rand(2, generator=g).tolist() == torch.rand(2, generator=clone).tolist()
    assert g.manual_seed(-1).initial_seed() == 2**64 - 1
    assert g.device == torch.device("cpu")
    assert torch.default_generator is torch._C.default_generator
    for wrong in (2**64, -(2**63) - 1):
        with pytest.raises(RuntimeError, match="seed"):
            g.manual_seed(wrong)
    with pytest.raises(TypeError):
        g.manual_seed("a")
    with pytest.raises((RuntimeError, TypeError)):
        g.set_state(torch.zeros(3, dtype=torch.uint8))
    with pytest.raises(TypeError, match="uint8"):
        g.set_state(torch.zeros(5056))


def test_storage() -> None:
    x = torch.arange(4, dtype=torch.int16)
    s = x.untyped_storage()
    assert s is x[1:].untyped_storage()
    assert s.nbytes() == len(s) == 8
    assert bytes(s) == bytes([0, 0, 1, 0, 2, 0, 3, 0])
    version = x._version
    s[0] = 5
    assert x[0].item() == 5
    assert x._version > version
    s.copy_(bytes(8))
    assert x.tolist() == [0, 0, 0, 0]
    with pytest.raises(RuntimeError, match="one size"):
        s.copy_(bytes(3))
    with pytest.raises(IndexError, match="out of range"):
        s[8]
    clone = s.clone()
    clone[0] = 1
    assert s[0] == 0


@pytest.mark.parametrize(
    "take",
    [
        lambda x: memoryview(x.untyped_storage()),
        lambda x: x.numpy(),
        lambda x: x.__dlpack__(),
        lambda x: x.__dlpack__(max_version=(1, 0)),
    ],
)
def test_memory_whose_address_is_known_outside_is_not_moved(take) -> None:
    x = torch.zeros(2)
    taken = take(x)
    with pytest.raises(RuntimeError):
        x.untyped_storage().resize_(100)
    with pytest.raises(RuntimeError):
        torch.add(torch.ones(1000), 1, out=x)
    assert x.tolist() == [0.0, 0.0]
    del taken
    gc.collect()
    assert x.untyped_storage().resize_(100).nbytes() == 100


def test_a_storage_asked_for_while_its_object_dies() -> None:
    x = torch.zeros(2)
    kept = []
    storage = x.untyped_storage()
    watch = weakref.ref(storage, lambda _: kept.append(x.untyped_storage()))
    del storage
    assert kept[0] is x.untyped_storage()
    assert watch() is None
    kept.clear()


def test_sizes_of_storages_are_checked() -> None:
    s = torch.UntypedStorage(4)
    with pytest.raises(RuntimeError, match="negative"):
        s.resize_(-1)


def test_conversions() -> None:
    one = torch.tensor([2.0])
    assert (int(one), float(one), complex(one), bool(one)) == (2, 2.0, 2 + 0j, True)
    assert [10, 20, 30][torch.tensor(1)] == 20
    assert torch.tensor(2**63 - 1).item() == 2**63 - 1
    assert torch.tensor(2**63, dtype=torch.uint64).item() == 2**63
    assert int(torch.tensor(3 + 0j)) == 3
    assert not torch.tensor(0j)
    assert torch.tensor(float("nan"))
    two = torch.ones(2)
    for convert, kind in [
        (bool, RuntimeError),
        (int, ValueError),
        (float, ValueError),
        (complex, ValueError),
        (torch.Tensor.item, RuntimeError),
    ]:
        with pytest.raises(kind, match="2 elements"):
            convert(two)
    with pytest.raises(TypeError, match="integer tensor"):
        [1, 2][torch.tensor(1.0)]
    with pytest.raises(RuntimeError):
        float(torch.tensor(1j))
    with pytest.raises(OverflowError):
        int(torch.tensor(float("inf")))


def test_containment_iteration_and_hash() -> None:
    x = torch.tensor([[1, 2], [3, 4]])
    assert 3 in x
    assert 9 not in x
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    assert len({x, x, torch.tensor(1)}) == 2
    with pytest.raises(RuntimeError, match="got str"):
        "a" in x  # noqa: B015 - the comparison itself is under test


def test_geometry() -> None:
    x = torch.zeros(2, 3).t()
    assert x.size() == (3, 2)
    assert x.size(-1) == 2
    assert x.stride() == (1, 3)
    assert x.stride(0) == 1
    assert (x.dim(), x.ndim, x.numel(), x.nelement()) == (2, 2, 6, 6)
    assert (x.element_size(), x.itemsize, x.nbytes) == (4, 4, 24)
    assert x[1:].storage_offset() == 1
    assert not x.is_contiguous()
    assert x.mT.is_contiguous()
    for method in (x.size, x.stride):
        with pytest.raises(IndexError, match="-2, 1"):
            method(2)
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        _ = torch.ones(2).mT


def test_dtype_shorthands() -> None:
    x = torch.tensor([0.0, 1.5])
    for name, dtype in {
        "float": torch.float32,
        "double": torch.float64,
        "half": torch.float16,
        "bfloat16": torch.bfloat16,
        "int": torch.int32,
        "long": torch.int64,
        "short": torch.int16,
        "char": torch.int8,
        "byte": torch.uint8,
        "bool": torch.bool,
        "cfloat": torch.complex64,
        "cdouble": torch.complex128,
    }.items():
        assert getattr(x, name)().dtype is dtype
    assert x.float() is x
    assert x.type_as(torch.ones(1, dtype=torch.int8)).dtype is torch.int8
    assert x.cpu() is x


def test_settings() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
    for wrong in (0, -3):
        with pytest.raises(RuntimeError):
            torch.set_num_threads(wrong)
    with pytest.raises(TypeError):
        torch.set_num_threads(1.5)
    assert torch.promote_types(torch.int8, torch.uint8) is torch.int16
    assert torch.result_type(torch.ones(1), 1j) is torch.complex64
    assert torch.result_type(torch.ones(1, dtype=torch.int8), 2**40) is torch.int8
    assert not torch.can_cast(torch.float32, torch.int64)
    assert torch.get_default_device() == torch.device("cpu")
    try:
        torch.set_default_device("meta")
        assert torch.zeros(2).device.type == "meta"
        assert torch.tensor([1]).device.type == "meta"
    finally:
        torch.set_default_device(None)


if __name__ == "__main__":
    run_this_file()
