"""Door 2: __torch_dispatch__ below the dispatcher, for wrappers and for modes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import cepheid as torch
from tools.runner import run_this_file

calls: list[tuple[str, int, list[str]]] = []


def inner_of(value: Any) -> Any:
    if isinstance(value, Wrapper):
        return value.inner
    return [inner_of(v) for v in value] if isinstance(value, list | tuple) else value


def wrapped(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return Wrapper(value)
    return tuple(map(wrapped, value)) if isinstance(value, list | tuple) else value


class Wrapper(torch.Tensor):
    """Holds a tensor and does everything on it."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Wrapper:
        self = torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, strides=inner.stride(), dtype=inner.dtype
        )
        self.inner = inner
        return self

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        calls.append((str(func), len(args), sorted(kwargs)))
        options = {k: inner_of(v) for k, v in kwargs.items()}
        return wrapped(func(*map(inner_of, args), **options))


def wrapper(*values: float) -> Wrapper:
    x = Wrapper(torch.tensor(values, dtype=torch.float32).view(2, -1))
    calls.clear()
    return x


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda w: w + 1, [("aten.add.Tensor", 2, [])]),
        (lambda w: torch.add(w, w, alpha=2), [("aten.add.Tensor", 2, ["alpha"])]),
        (lambda w: w.sum(0, keepdim=True), [("aten.sum.dim_IntList", 3, [])]),
        (lambda w: w.sum(0), [("aten.sum.dim_IntList", 2, [])]),
        (lambda w: w[0], [("aten.select.int", 3, [])]),
        (lambda w: w.t(), [("aten.t.default", 1, [])]),
        (lambda w: torch.cat([w, w]), [("aten.cat.default", 1, [])]),
        (lambda w: w.clone(), [("aten.clone.default", 1, [])]),
    ],
)
def test_rules_get_the_op_and_what_differs_from_the_defaults(
    call: Callable[[Any], Any], expected: list[tuple[str, int, list[str]]]
) -> None:
    w = wrapper(1, 2, 3, 4)
    result = call(w)
    assert calls == expected
    assert type(result) is Wrapper
    assert result.inner.tolist() == call(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()


@pytest.mark.parametrize(
    ("call", "reached"),
    [
        (lambda w: torch.matmul(w, w), "aten.mm.default"),
        (lambda w: w @ torch.ones(2, 2), "aten.mm.default"),
        (lambda w: torch.ones(2, 2) @ w, "aten.mm.default"),
        (lambda w: torch.reshape(w, (4,)), "aten.view.default"),
        (lambda w: w.flatten(), "aten.view.default"),
        (lambda w: w.mean(), "aten.mean.dim"),
        (lambda w: torch.ops.aten.matmul.default(w, w), "aten.mm.default"),
        (lambda w: w.to(torch.float64), "aten._to_copy.default"),
    ],
)
def test_a_cpp_composite_reaches_the_rule(call: Callable[[Any], Any], reached: str) -> None:
    result = call(wrapper(1, 2, 3, 4))
    assert [c[0] for c in calls] == [reached]
    assert type(result) is Wrapper


def test_several_results() -> None:
    values, indices = torch.sort(wrapper(3, 1, 2, 4))
    assert type(values) is type(indices) is Wrapper
    assert indices.inner.tolist() == [[1, 0], [0, 1]]


def test_in_place_and_out_give_back_their_argument() -> None:
    w = wrapper(1, 2, 3, 4)
    assert w.add_(1) is w
    assert w.inner.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    out = Wrapper(torch.empty(2, 2))
    assert torch.add(w, 1, out=out) is out
    assert out.inner.tolist() == [[3.0, 4.0], [5.0, 6.0]]
    w[0] = 9.0
    assert w.inner[0].tolist() == [9.0, 9.0]


def test_numbers_and_bools_come_back() -> None:
    w = wrapper(1, 2, 3, 4)
    assert torch.equal(w, w) is True
    assert w.sum().item() == 10
    assert bool(w.sum() > 3)


def test_geometry_needs_no_rule() -> None:
    w = wrapper(1, 2, 3, 4, 5, 6)
    assert w.shape == (2, 3)
    assert w.stride() == (3, 1)
    assert w.dtype is torch.float32
    assert not calls
    assert "Python" in torch._C._dispatch_keys(w)
    for refused in (w.untyped_storage, w.numpy, w.tolist, lambda: copy.deepcopy(w)):
        with pytest.raises((NotImplementedError, TypeError, RuntimeError)):
            refused()


def test_results_are_checked() -> None:
    class Wrong(Wrapper):
        @classmethod
        def __torch_dispatch__(cls, func: Any, *args: Any) -> Any:
            return {"aten.sort.default": (1, 2), "aten.equal.default": "yes"}.get(str(func), 5)

    w = Wrong(torch.ones(2))
    with pytest.raises(TypeError, match=r"aten::add\.Tensor: the result must be a Tensor"):
        w + 1
    with pytest.raises(TypeError, match=r"aten::sort"):
        torch.sort(w)
    with pytest.raises(TypeError, match="must be a bool; got str"):
        torch.equal(w, w)


def test_a_wrapper_cannot_lose_its_rule() -> None:
    w = wrapper(1, 2, 3, 4)
    with pytest.raises(RuntimeError, match="needs a class with a __torch_dispatch__ rule"):
        w.as_subclass(torch.Tensor)
    with pytest.raises(RuntimeError, match="needs a class with a __torch_dispatch__ rule"):
        torch.Tensor._make_subclass(torch.Tensor, w)


def test_exceptions_pass_through_cpp() -> None:
    class Angry(Wrapper):
        @classmethod
        def __torch_dispatch__(cls, func: Any, *args: Any) -> Any:
            raise KeyError(str(func))

    with pytest.raises(KeyError, match=r"aten\.mm\.default"):
        Angry(torch.ones(2, 2)) @ torch.ones(2, 2)


def test_subclasses_come_first_and_all_may_decline() -> None:
    asked: list[str] = []

    class Base(Wrapper):
        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, *args: Any) -> Any:
            asked.append(cls.__name__)
            return NotImplemented

    class Derived(Base):
        pass

    with pytest.raises(TypeError, match="every __torch_dispatch__ returned NotImplemented"):
        torch.add(Base(torch.ones(1)), Derived(torch.ones(1)))
    assert asked == ["Derived", "Base"]


def test_a_subclass_with_data_of_its_own() -> None:
    class Counting(torch.Tensor):
        count = 0
        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            cls.count += 1
            with torch._C._DisableTorchDispatch():
                return func(*args, **kwargs)

    x = torch.Tensor._make_subclass(Counting, torch.ones(2))
    assert (x + 1).tolist() == [2.0, 2.0]
    assert Counting.count == 1


def test_what_cannot_be_wrapped() -> None:
    class NoRule(torch.Tensor):
        pass

    make = torch.Tensor._make_wrapper_subclass
    with pytest.raises(RuntimeError, match="__torch_dispatch__"):
        make(NoRule, (2,))
    with pytest.raises(TypeError, match="subclass of Tensor"):
        make(dict, (2,))  # type: ignore[type-var]  # refused at run time as well
    with pytest.raises(RuntimeError, match="floating"):
        make(Wrapper, (2,), dtype=torch.int64, requires_grad=True)
    with pytest.raises(ValueError, match="one stride per dimension"):
        make(Wrapper, (2, 3), strides=(1,))
    with pytest.raises(RuntimeError):
        make(Wrapper, (-2,))
    with pytest.raises(RuntimeError):
        make(Wrapper, (2**62, 2**62))


# ---- modes --------------------------------------------------------------------------------------


class Names:
    """A dispatch mode that notes ops and goes on."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))

    def __enter__(self) -> Names:
        torch._C._push_torch_dispatch_mode(self)
        return self

    def __exit__(self, *exception: object) -> None:
        torch._C._pop_torch_dispatch_mode()


def test_modes_see_plain_tensors_below_composites() -> None:
    a = torch.ones(2, 2)
    with Names() as outer:
        with Names() as inner:
            b = a @ a
        b.sum(0)
        torch.empty(1)
    assert inner.seen == ["aten.mm.default"]
    assert outer.seen == ["aten.mm.default", "aten.sum.dim_IntList", "aten.empty.default"]
    a + 1
    assert len(outer.seen) == 3


def test_a_mode_sees_a_wrapper_before_its_class_does() -> None:
    w = wrapper(1, 2, 3, 4)
    with Names() as mode:
        result = w + 1
    assert mode.seen == ["aten.add.Tensor"]
    assert calls == [("aten.add.Tensor", 2, [])]
    assert type(result) is Wrapper


def test_endless_rules_end_in_a_recursion_error() -> None:
    class Endless(Wrapper):
        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return func(*args, **kwargs)

    with pytest.raises(RecursionError):
        Endless(torch.ones(1)) + 1


def test_modes_are_restored_after_an_error() -> None:
    with Names() as mode:
        for _ in range(2):
            with pytest.raises(RuntimeError):
                torch.ones(2) + torch.ones(3)
        assert torch._C._len_torch_dispatch_stack() == 1
    assert len([name for name in mode.seen if name == "aten.add.Tensor"]) == 2
    assert torch._C._len_torch_dispatch_stack() == 0
    with pytest.raises(RuntimeError, match="no mode"):
        torch._C._pop_torch_dispatch_mode()


# ---- op objects ---------------------------------------------------------------------------------


def test_op_objects() -> None:
    op = torch.ops.aten.add.Tensor
    assert op is torch._C._get_op("aten::add.Tensor")
    assert (op.name, op.namespace, op.opname, op.overload) == (
        "aten::add.Tensor",
        "aten",
        "add",
        "Tensor",
    )
    assert repr(op) == "<OpOverload(op='aten.add', overload='Tensor')>"
    assert str(torch.ops.aten.neg.default) == "aten.neg.default"
    assert op.schema == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    assert op.has_kernel("CPU")
    assert torch.ops.aten.matmul.default.is_composite
    assert torch.ops.aten.add_.Tensor.mutates
    assert torch.ops.aten.view.default.is_view
    assert op(torch.ones(1), 2, alpha=3).item() == 7
    assert op.redispatch(["CPU"], torch.ones(1), torch.ones(1)).item() == 2
    assert "aten::add.Tensor" in torch._C._all_ops()
    with pytest.raises(LookupError, match="namespace::name"):
        torch._C._get_op("aten::nothing")


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "argument 'self' is missing"),
        ((1, 2, 3), {}, "takes 2 positional arguments; got 3"),
        (("a", 1), {}, "argument 'self' must be a Tensor or a number; got str"),
        ((1, 1), {"beta": 2}, "has no argument 'beta'"),
        ((1, 1), {"other": 2}, "argument 'other' came twice"),
        ((1, 1), {"alpha": "x"}, "argument 'alpha' must be a number; got str"),
    ],
)
def test_op_objects_refuse(args: tuple[Any, ...], kwargs: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        torch.ops.aten.add.Tensor(*args, **kwargs)


if __name__ == "__main__":
    run_this_file()
