"""Memory that moves, shrinks, is missing or holds any byte, and code that runs meanwhile."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cepheid as torch
from cepheid import _C
from tools.runner import run_this_file


class Wrapper(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with _C._DisableTorchDispatch():
            return func(*args, **(kwargs or {}))


READERS: dict[str, Callable[[torch.Tensor], Any]] = {
    "add": lambda t: t + 1,
    "sqrt_": lambda t: t.sqrt_(),
    "sum": lambda t: t.sum(),
    "sort": torch.sort,
    "copy": lambda t: torch.zeros(*t.shape).copy_(t),
    "index": lambda t: t[torch.tensor([0])],
    "matmul": lambda t: t @ t,
    "add_operand": lambda t: torch.ones(*t.shape) + t,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("nbytes", [0, 8])
def test_a_shrunk_storage_is_not_read(reader: Callable[[torch.Tensor], Any], nbytes: int) -> None:
    x = torch.ones(1 << 18)
    x.untyped_storage().resize_(nbytes)
    with pytest.raises(RuntimeError, match=r"needs? 1048576 bytes"):
        reader(x)


@pytest.mark.parametrize("use", [torch.Tensor.tolist, torch.Tensor.numpy, np.from_dlpack])
def test_a_shrunk_storage_is_not_handed_out(use: Callable[[torch.Tensor], Any]) -> None:
    x = torch.ones(1 << 18)
    x.untyped_storage().resize_(8)
    with pytest.raises(RuntimeError, match="bytes"):
        use(x)
    x.untyped_storage().resize_(4 << 18)
    assert x[:2].tolist() == [1, 1]


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_wrapper_without_data_reaches_no_kernel(reader: Callable[[torch.Tensor], Any]) -> None:
    wrapper = torch.Tensor._make_wrapper_subclass(Wrapper, (3, 3))
    with pytest.raises(RuntimeError, match=r"no (data|storage)"):
        reader(wrapper)


def test_redispatch_to_a_backend_without_the_data() -> None:
    with pytest.raises(RuntimeError, match="meta"):
        _C._get_op("aten::cumsum").redispatch(["CPU"], torch.zeros(2, 3, device="meta"), 1)


@pytest.mark.parametrize("name", ["neg", "abs", "sqrt", "logical_not"])
def test_devices_of_input_and_output(name: str) -> None:
    out = torch.ones(2)
    with pytest.raises(RuntimeError):
        getattr(torch, name)(torch.zeros(129, device="meta"), out=out)


def test_equal_across_devices() -> None:
    with pytest.raises(RuntimeError):
        torch.equal(torch.ones(2), torch.ones(2, device="meta"))


def test_exported_memory_stays() -> None:
    x = torch.ones(4)
    view, array = memoryview(x.untyped_storage()), x.numpy()
    with pytest.raises(RuntimeError, match="NumPy array, buffer or DLPack capsule"):
        torch.add(torch.ones(100_000), 1, out=x)
    assert array.tolist() == [1, 1, 1, 1]
    assert view.nbytes == 16
    view.release()
    del array
    torch.add(torch.ones(100), 1, out=x)
    assert x.shape == (100,)


def test_a_dying_storage_is_not_found_again() -> None:
    x = torch.ones(3)
    found: list[torch.UntypedStorage] = []
    storage = x.untyped_storage()
    watcher = weakref.ref(storage, lambda _: found.append(x.untyped_storage()))
    del storage
    assert watcher() is None
    others = [torch.UntypedStorage(8) for _ in range(3)]
    assert found[0].nbytes() == 12
    assert others[0].nbytes() == 8


def test_tolist_while_the_collector_shrinks_the_storage() -> None:
    x = torch.ones(40, 40, 50)

    class Shrinks:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            try:
                x.untyped_storage().resize_(8)
            except RuntimeError:
                refused.append(1)

    refused: list[int] = []
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        Shrinks()
        Shrinks()
        values = x.tolist()
    except RuntimeError as error:  # shrunk before tolist began
        assert "bytes" in str(error)
    else:
        assert values[39][39][49] == 1
    finally:
        gc.set_threshold(*before)


def test_every_byte_but_zero_is_true() -> None:
    mask = torch.from_numpy(np.array([2, 255, 1, 0], np.uint8).view(np.bool_))
    assert mask.nonzero().tolist() == [[0], [1], [2]]
    assert torch.arange(4)[mask].tolist() == [0, 1, 2]
    filled = torch.zeros(4).index_put_((mask,), torch.tensor(1.0))
    assert filled.tolist() == [1, 1, 1, 0]
    assert mask.sum().item() == 3


@pytest.mark.parametrize("shape", [(), (1,)])
def test_out_is_resized_to_one_element(shape: tuple[int, ...]) -> None:
    one = torch.ones(shape)
    for size in [(3,), (1, 3), (2, 3)]:
        out = torch.zeros(size)
        assert torch.add(one, one, out=out) is out
        assert out.shape == shape
        assert torch.sqrt(one, out=torch.zeros(size)).shape == shape


def test_a_number_is_not_written() -> None:
    empty = torch.zeros(0, 3, dtype=torch.int64)
    for number in (1.0, True, np.float32(1)):
        with pytest.raises(TypeError, match="argument 'out' must be a Tensor; got"):
            _C._get_op("aten::eq.Tensor_out")(empty, empty, out=number)
        with pytest.raises(TypeError, match="argument 'self' must be a Tensor; got"):
            _C._get_op("aten::add_.Tensor")(number, torch.zeros(()))


def test_a_buffer_without_strides() -> None:
    stamp = np.datetime64("2000-01-02")
    with pytest.warns(UserWarning, match="read-only"):
        assert torch.asarray(stamp, copy=True).tolist() == list(stamp.tobytes())


def test_text_that_is_no_utf8() -> None:
    for call in (_C._library_undefine, _C._get_op, torch.device):
        with pytest.raises((UnicodeEncodeError, RuntimeError, LookupError)):
            call("\ud800")


def test_an_op_taken_back_while_it_runs() -> None:
    name = _C._library_define("test_hostile", "f(Tensor a, int b) -> Tensor")

    def replace() -> None:
        _C._library_undefine(name)
        for i in range(50):
            _C._library_define("test_hostile", f"g{i}(Tensor a) -> Tensor")

    def kernel(a: torch.Tensor, b: int) -> torch.Tensor:
        replace()
        return a + b

    _C._library_impl(name, "CPU", kernel)
    assert _C._get_op(name)(torch.ones(1), 2).item() == 3
    for i in range(50):
        _C._library_undefine(f"test_hostile::g{i}")


if __name__ == "__main__":
    run_this_file()
