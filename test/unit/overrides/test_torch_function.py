"""Door 1: __torch_function__ of subclasses, of strangers and of modes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import cepheid as torch
from cepheid.overrides import TorchFunctionMode, handle_torch_function, has_torch_function
from tools.runner import run_this_file

Call = tuple[str, tuple[type, ...], tuple[Any, ...], dict[str, Any]]
calls: list[Call] = []


class Logged(torch.Tensor):
    """Notes what it is asked, then does as the default does."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        calls.append((func.__name__, types, args, kwargs))
        return super().__torch_function__(func, types, args, kwargs)


def logged(*shape: int) -> Logged:
    x = torch.ones(*shape).as_subclass(Logged)
    calls.clear()
    return x


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: torch.add(x, 1, alpha=2), "add"),
        (lambda x: torch.add(torch.ones(2, 2), x), "add"),
        (lambda x: x.add(1), "add"),
        (lambda x: x + 1, "add"),
        (lambda x: 1 + x, "add"),
        (lambda x: 1 - x, "__rsub__"),
        (lambda x: x / 2, "div"),
        (lambda x: 2**x, "__rpow__"),
        (lambda x: -x, "neg"),
        (lambda x: abs(x), "abs"),
        (lambda x: x @ x, "matmul"),
        (lambda x: x < 1, "lt"),
        (lambda x: x == x, "eq"),
        (lambda x: x.__iadd__(1), "add_"),
        (lambda x: x[0], "__getitem__"),
        (lambda x: x.view(4), "view"),
        (lambda x: x.t(), "t"),
        (lambda x: torch.cat([torch.ones(2, 2), x]), "cat"),
        (lambda x: x.float(), "float"),
        (lambda x: x.T, "__get__"),
        (lambda x: torch.add(torch.ones(2, 2), 1, out=x), "add"),
    ],
)
def test_tensor_results_keep_the_class(call: Callable[[Any], Any], name: str) -> None:
    result = call(logged(2, 2))
    assert [c[0] for c in calls] == [name]
    assert calls[0][1] == (Logged,)
    assert type(result) is Logged


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: x.shape, "__get__"),
        (lambda x: x.dtype, "__get__"),
        (lambda x: x.size(), "size"),
        (lambda x: x.dim(), "dim"),
        (lambda x: len(x), "__len__"),
        (lambda x: x.tolist(), "tolist"),
        (lambda x: 1.0 in x, "__contains__"),
        (lambda x: x.is_contiguous(), "is_contiguous"),
        (lambda x: x.numpy(), "numpy"),
        (lambda x: torch.equal(x, x), "equal"),
        (lambda x: x.__setitem__(0, 2), "__setitem__"),
        (lambda x: setattr(x, "grad", None), "__set__"),
    ],
)
def test_what_is_no_tensor_is_asked_as_well(call: Callable[[Any], Any], name: str) -> None:
    assert not isinstance(call(logged(2, 2)), torch.Tensor)
    assert [c[0] for c in calls] == [name]


def test_functions_and_methods_are_told_apart() -> None:
    seen: list[Any] = []

    class Spy(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append((func, args, kwargs))
            return "answered"

    x = torch.ones(1).as_subclass(Spy)
    assert torch.add(x, 1, alpha=2) == "answered"
    assert x.add(1, alpha=2) == "answered"
    assert x.shape == "answered"
    assert seen[0][0] is torch.add
    assert seen[0][2] == {"alpha": 2}
    assert seen[1][0] == torch.Tensor.add
    assert seen[1][1][1] == 1
    assert seen[2][0] == torch.Tensor.shape.__get__  # type: ignore[attr-defined]  # a descriptor


def test_named_results_are_converted() -> None:
    result = torch.sort(logged(3))
    assert type(result).__name__ == "sort"
    assert type(result.values) is Logged


def test_grad_keeps_its_own_class() -> None:
    x = logged(2)
    x.grad = torch.ones(2)
    assert type(x.grad) is torch.Tensor
    assert x.grad is x.grad


class Base(torch.Tensor):
    asked: list[str] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        Base.asked.append(cls.__name__)
        return NotImplemented


class Derived(Base):
    pass


class Other(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        Base.asked.append(cls.__name__)
        return NotImplemented


def test_order_of_precedence_and_refusal() -> None:
    one = [torch.ones(1).as_subclass(c) for c in (Base, Other, Derived, Base)]
    Base.asked.clear()
    with pytest.raises(TypeError, match=r"cat\(\): every __torch_function__ returned NotImpl"):
        torch.cat(one)
    assert Base.asked == ["Derived", "Base", "Other"]


class Stranger:
    """No tensor, but takes part."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return (func.__name__, types, len(args), sorted(kwargs))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda s: torch.add(s, 1), "add"),
        (lambda s: torch.add(torch.ones(1), s), "add"),
        (lambda s: torch.zeros(s), "zeros"),
        (lambda s: torch.cat([torch.ones(1), s]), "cat"),
        (lambda s: torch.ones(2).view(s), "view"),
        (lambda s: torch.ones(2) + s, "add"),
        (lambda s: torch.sum(torch.ones(2), dim=s), "sum"),
    ],
)
def test_strangers_take_part_in_any_place(call: Callable[[Any], Any], name: str) -> None:
    result = call(Stranger())
    assert result[0] == name
    assert result[1] == (Stranger,)


def test_switched_off() -> None:
    class Off(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    assert type(torch.ones(1).as_subclass(Off) + 1) is torch.Tensor
    x = logged(1)
    with torch.DisableTorchFunctionSubclass():
        assert type(x + 1) is torch.Tensor
        with torch.DisableTorchFunctionSubclass():
            pass
        assert type(x + 1) is torch.Tensor
    assert not calls
    assert type(x + 1) is Logged


def test_an_override_may_raise() -> None:
    class Angry(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any:
            raise KeyError("mine")

    x = torch.ones(1).as_subclass(Angry)
    for call in (lambda: x + 1, lambda: torch.add(x, 1), lambda: x.shape, lambda: x[0]):
        with pytest.raises(KeyError, match="mine"):
            call()


class Names(TorchFunctionMode):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(func.__name__)
        return func(*args, **(kwargs or {}))


def test_modes_see_everything_and_nest() -> None:
    with Names() as outer:
        x = torch.ones(2)
        with Names() as inner:
            y = x + 1
        y.sum()
    assert inner.seen == ["add"]
    assert outer.seen == ["ones", "add", "sum"]
    assert torch._C._len_torch_function_stack() == 0
    torch.ones(1)
    assert outer.seen == ["ones", "add", "sum"]


def test_a_mode_is_restored_when_its_handler_raises() -> None:
    class Angry(TorchFunctionMode):
        def __torch_function__(self, *args: Any, **kwargs: Any) -> Any:
            raise KeyError("mine")

    with Angry():
        for _ in range(2):
            with pytest.raises(KeyError):
                torch.ones(1)
            assert torch._C._len_torch_function_stack() == 1
    assert torch._C._len_torch_function_stack() == 0


def test_a_mode_may_pass() -> None:
    class Passing(TorchFunctionMode):
        def __torch_function__(self, *args: Any, **kwargs: Any) -> Any:
            return NotImplemented

    with Passing():
        assert torch.add(Stranger(), 1)[0] == "add"
        with pytest.raises(TypeError, match="active modes"):
            torch.ones(1)


def test_modes_belong_to_their_thread() -> None:
    seen: list[int] = []
    with Names():
        thread = threading.Thread(target=lambda: seen.append(torch._C._len_torch_function_stack()))
        thread.start()
        thread.join()
    assert seen == [0]


def test_helpers_for_python_functions() -> None:
    def public(x: Any, scale: float = 1.0) -> Any:
        if has_torch_function((x,)):
            return handle_torch_function(public, (x,), x, scale=scale)
        return x * scale

    assert public(torch.ones(1), 3.0).item() == 3
    assert public(Stranger(), 2.0) == ("public", (Stranger,), 1, ["scale"])
    with pytest.raises(RuntimeError, match="no mode"):
        torch._C._pop_torch_function_mode()


if __name__ == "__main__":
    run_this_file()
