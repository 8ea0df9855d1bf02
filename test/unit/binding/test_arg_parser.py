"""Arguments of generated functions: what is accepted, which overload wins, what a refusal says."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cepheid as torch
from tools.runner import run_this_file

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: X.view(3, 2),
        lambda: X.view((3, 2)),
        lambda: X.view([3, 2]),
        lambda: X.view(torch.Size([3, 2])),
        lambda: X.view(size=(3, 2)),
        lambda: X.view(torch.tensor(3), np.int64(2)),
        lambda: X.view((torch.tensor(3), 2)),
        lambda: torch.reshape(X, (3, 2)),
        lambda: X.reshape(3, -1),
    ],
)
def test_sizes(call: Callable[[], torch.Tensor]) -> None:
    assert call().shape == (3, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.sum(X, 0),
        lambda: torch.sum(X, dim=0),
        lambda: torch.sum(X, axis=0),
        lambda: torch.sum(input=X, dim=(0,)),
        lambda: X.sum(0),
        lambda: X.sum([0]),
        lambda: X.sum(dim=-2),
        lambda: X.sum(axis=(0,)),
        lambda: X.sum(torch.tensor(0)),
        lambda: X.sum(np.int32(0)),
        lambda: X.sum(0, keepdims=False),
    ],
)
def test_dims(call: Callable[[], torch.Tensor]) -> None:
    assert call().tolist() == [5.0, 7.0, 9.0]


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (2, "float32"),
        (2.5, "float32"),
        (True, "float32"),
        (2j, "complex64"),
        (np.float64(2), "float32"),
        (np.int8(2), "float32"),
        (np.complex128(2), "complex64"),
        (np.bool_(True), "float32"),
    ],
)
def test_numbers_as_operands(number: Any, dtype: str) -> None:
    expected = [1 + complex(number)]
    for result in (
        torch.add(torch.ones(1), number),
        torch.ones(1) + number,
        number + torch.ones(1),
    ):
        assert result.dtype is getattr(torch, dtype)
        assert result.tolist() == expected


@pytest.mark.parametrize("alpha", [2, 2.0, torch.tensor(2), np.float32(2), np.int64(2)])
def test_scalars(alpha: Any) -> None:
    assert torch.add(torch.ones(1), torch.ones(1), alpha=alpha).item() == 3


def test_the_overload_that_fits_exactly_wins() -> None:
    assert torch.ones(2).to(torch.float64).dtype is torch.float64
    assert torch.ones(2).to("meta").device.type == "meta"
    assert torch.ones(2).to(torch.ones(1, dtype=torch.int8)).dtype is torch.int8
    assert torch.arange(3).tolist() == [0, 1, 2]
    assert torch.arange(1, 3).tolist() == [1, 2]
    assert torch.arange(1, 6, 2).tolist() == [1, 3, 5]
    assert torch.randint(3, (2,)).shape == (2,)
    assert torch.randint(1, 3, (2,)).shape == (2,)
    assert X.any().item() is True
    assert X.any(0).shape == (3,)


def test_dtypes_and_devices() -> None:
    assert torch.zeros(1, dtype=int).dtype is torch.int64
    assert torch.zeros(1, dtype=bool).dtype is torch.bool
    assert torch.zeros(1, dtype=float).dtype is torch.float64
    assert torch.zeros(1, dtype=complex).dtype is torch.complex128
    assert torch.zeros(1, dtype=None, device=None, layout=torch.strided).dtype is torch.float32
    assert torch.zeros(1, device="cpu").device == torch.zeros(1, device=torch.device("cpu")).device


def test_out() -> None:
    out = torch.empty(0)
    assert torch.add(X, 1, out=out) is out
    assert out.tolist() == (X + 1).tolist()
    assert torch.add(X, 1, out=None) is not out
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
    result = torch.sort(torch.tensor([3.0, 1.0]), out=(values, indices))
    assert result.values is values
    assert result[1] is indices
    assert values.tolist() == [1.0, 3.0]
    with pytest.raises(TypeError, match="out"):
        torch.sort(X, out=values)
    with pytest.raises(TypeError, match="no argument 'out'"):
        X.add(1, out=out)


class Spoiler:
    """Puts something else into a list when it is asked for its value."""

    def __init__(self, home: list[object]) -> None:
        self.home = home

    def __index__(self) -> int:
        self.home[:] = [5]
        return 0


def test_an_out_list_that_changes_during_the_call() -> None:
    outs: list[object] = [torch.empty(0), torch.empty(0, dtype=torch.int64)]
    with pytest.raises(TypeError, match="changed during the call"):
        torch.sort(X, Spoiler(outs), out=outs)


def test_named_results() -> None:
    result = torch.sort(torch.tensor([3, 1, 2]))
    assert result.values.tolist() == [1, 2, 3]
    assert result.indices.tolist() == [1, 2, 0]
    values, indices = result
    assert values is result.values
    assert isinstance(result, tuple)
    assert type(result).__name__ == "sort"
    assert indices is result[1]


REFUSALS: list[tuple[Callable[[], object], type[Exception], list[str]]] = [
    (
        lambda: torch.add(X),
        TypeError,
        ["add(): argument 'other' is missing", "add(Tensor input, Tensor other, *, Number alpha=1"],
    ),
    (
        lambda: torch.add(X, "a"),
        TypeError,
        ["add(): argument 'other' (position 2) must be Tensor or number, not str"],
    ),
    (lambda: X.add("a"), TypeError, ["argument 'other' (position 1)", "add(Tensor other, *"]),
    (lambda: torch.add(X, X, alhpa=1), TypeError, ["add(): has no argument 'alhpa'"]),
    (lambda: torch.add(X, X, other=X), TypeError, ["argument 'other' came twice"]),
    (lambda: X.add(1, input=X), TypeError, ["has no argument 'input'"]),
    (lambda: torch.add(X, 1, 2), TypeError, ["takes at most 2 positional arguments, not 3"]),
    (lambda: torch.neg(), TypeError, ["neg(): argument 'input' is missing"]),
    (
        lambda: torch.sum(X, "a"),
        TypeError,
        [
            "sum(): no overload accepts (Tensor, str)",
            "sum(Tensor input, *, dtype dtype=None)",
            "takes at most 1 positional argument, not 2",
            "argument 'dim' (position 2) must be int or a tuple of ints or None, not str",
        ],
    ),
    (lambda: torch.cat([X, 1]), TypeError, ["'tensors'", "not list of (Tensor, int)"]),
    (lambda: torch.cat(X), TypeError, ["a tuple or list of Tensors, not Tensor"]),
    (lambda: torch.zeros(2.0), TypeError, ["'size'", "not float"]),
    (lambda: torch.zeros(True), TypeError, ["'size'", "not bool"]),
    (lambda: torch.zeros([2.0]), TypeError, ["not list of (float)"]),
    (lambda: torch.rand(2, "a"), TypeError, ["takes ints, not str at position 2"]),
    (lambda: X.sum(True), TypeError, ["not bool"]),
    (lambda: X.transpose(0), TypeError, ["argument 'dim1' is missing"]),
    (lambda: torch.zeros(2, dtype="float32"), TypeError, ["'dtype'", "not str"]),
    (lambda: torch.zeros(2, dtype=np.float32), TypeError, ["'dtype'", "not type"]),
    (lambda: torch.zeros(2, device="foo"), RuntimeError, ["foo"]),
    (lambda: torch.zeros(2, device=1.5), TypeError, ["'device'", "not float"]),
    (lambda: torch.pow(2, 3), TypeError, ["at least one Tensor"]),
    (lambda: torch.zeros(2**70), OverflowError, ["zeros", "int64"]),
    (lambda: torch.add(X, 2**70), OverflowError, ["64 bits"]),
    (lambda: X.view(np.array([3, 2])), TypeError, ["not ndarray"]),
    (lambda: torch.add(X, np.ones(3)), TypeError, ["not ndarray"]),
    (lambda: torch.add(X, X, alpha="2"), TypeError, ["argument 'alpha' must be number, not str"]),
    (lambda: torch.zeros(-1), RuntimeError, ["-1"]),
]


@pytest.mark.parametrize(("call", "kind", "texts"), REFUSALS)
def test_refusals(call: Callable[[], object], kind: type[Exception], texts: list[str]) -> None:
    with pytest.raises(kind) as caught:
        call()
    for text in texts:
        assert text in str(caught.value)


@pytest.mark.parametrize("value", [None, "a", [1], object()], ids=["None", "str", "list", "object"])
def test_operators_leave_strangers_to_the_other_side(value: object) -> None:
    with pytest.raises(TypeError):
        X + value  # type: ignore[operator]  # refused at run time as well
    with pytest.raises(TypeError):
        value > X  # type: ignore[operator]  # noqa: B015 - the comparison is under test
    assert (value == X) is False
    assert (value != X) is True


class Taker:
    def __radd__(self, other: object) -> str:
        return "taken"


def test_the_right_operand_gets_its_turn() -> None:
    assert X + Taker() == "taken"


def test_operators() -> None:
    a, b = torch.tensor([7.0, -7.0]), torch.tensor([2.0, 2.0])
    assert (a + b).tolist() == [9.0, -5.0]
    assert (3 - a).tolist() == [-4.0, 10.0]
    assert (a / b).tolist() == [3.5, -3.5]
    assert (7 / b).tolist() == [3.5, 3.5]
    assert (a // b).tolist() == [3.0, -4.0]
    assert (7 // b).tolist() == [3.0, 3.0]
    assert (a**2).tolist() == [49.0, 49.0]
    assert (2**b).tolist() == [4.0, 4.0]
    assert (-a).tolist() == [-7.0, 7.0]
    assert abs(a).tolist() == [7.0, 7.0]
    assert (+a) is a
    assert (~torch.tensor([True, False])).tolist() == [False, True]
    assert (a @ b).item() == 0
    assert (torch.tensor([6]) & 3).tolist() == [2]
    assert (3 & torch.tensor([6])).tolist() == [2]
    for compare, expected in [
        (a < b, [False, True]),
        (a <= 7, [True, True]),
        (a > b, [True, False]),
        (a <= 7, [True, True]),
        (a == b, [False, False]),
        (a != b, [True, True]),
    ]:
        assert compare.tolist() == expected
    with pytest.raises(TypeError):
        pow(a, 2, 3)


def test_in_place_operators_keep_the_object() -> None:
    a = torch.tensor([7.0])
    same = a
    a += 1
    a -= 2
    a *= 4
    a /= 3
    a //= 1
    a **= 2
    assert a is same
    assert a.tolist() == [64.0]
    numbers = [1.0]
    with pytest.raises(TypeError):
        numbers += torch.tensor(1)  # type: ignore[arg-type]  # a list takes no 0-dim tensor


def test_other_threads_run_during_long_kernels() -> None:
    """The interpreter takes its lock from no thread here, so another one runs only when a kernel
    gives it away; a busy machine may need several kernels to get to it."""
    waiting, go, ran = threading.Event(), threading.Event(), threading.Event()

    def run() -> None:
        waiting.set()
        go.wait()
        ran.set()

    thread = threading.Thread(target=run)
    big = torch.ones(1200, 1200)
    thread.start()
    waiting.wait()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    try:
        go.set()
        for _ in range(200):
            big @ big
            if ran.is_set():
                break
        assert ran.is_set()
    finally:
        sys.setswitchinterval(interval)
        thread.join()


LOOPS = {
    "kernel": "x + 1",
    "python": "torch.tensor(Slow())",
}


@pytest.mark.parametrize("where", LOOPS)
def test_the_process_ends_while_a_daemon_thread_is_inside(where: str) -> None:
    code = (
        "import threading, time; import cepheid as torch\n"
        "class Slow:\n"
        "    def __len__(self): return 3\n"
        "    def __getitem__(self, i): return [j for j in range(20000)][i % 3]\n"
        "x = torch.ones(1 << 18)\n"
        "def loop():\n"
        f"    while True: {LOOPS[where]}\n"
        "threading.Thread(target=loop, daemon=True).start()\n"
        "time.sleep(0.1)"
    )
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_functions_belong_to_the_package() -> None:
    assert torch.add.__module__ == "cepheid"
    assert torch.add.__name__ == "add"
    assert "add.Tensor(Tensor self" in (torch.add.__doc__ or "")
    assert torch.Tensor.add.__qualname__ == "Tensor.add"
    assert set(torch._C.functions.__all__) <= set(dir(torch))


if __name__ == "__main__":
    run_this_file()
