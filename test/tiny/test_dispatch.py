"""The dispatcher from Python: both doors for overrides, ops and kernels of a third party."""

import pytest

import cepheid as torch
from cepheid.library import Library
from cepheid.overrides import TorchFunctionMode
from cepheid.utils._python_dispatch import TorchDispatchMode


class Logged(torch.Tensor):
    """A wrapper subclass: holds a tensor, and logs the ops that reach it."""

    seen: list = []

    @staticmethod
    def __new__(cls, inner):
        self = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        self.inner = inner
        return self

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(str(func))
        plain = [a.inner if isinstance(a, cls) else a for a in args]
        out = func(*plain, **(kwargs or {}))
        return cls(out) if isinstance(out, torch.Tensor) else out


def test_a_composite_in_cpp_reaches_the_rule_of_a_wrapper():
    Logged.seen.clear()
    x = Logged(torch.arange(6.0).reshape(2, 3))
    y = torch.matmul(x, Logged(torch.ones(3, 2)))
    assert type(y) is Logged and y.inner.tolist() == [[3.0, 3.0], [12.0, 12.0]]
    assert any("mm" in name for name in Logged.seen) and "aten.matmul" not in Logged.seen


def test_a_caller_above_python_redispatches_to_the_rule():
    Logged.seen.clear()
    with Library("aten", "IMPL", "Autograd") as lib:
        calls = []

        def record(self):
            calls.append("autograd")
            return torch.ops.aten.neg.default.redispatch(["Python", "CPU"], self)

        lib.impl("neg", record)
        y = torch.ops.aten.neg.default.redispatch(["Autograd", "Python"], Logged(torch.ones(2)))
    assert calls == ["autograd"] and Logged.seen == ["aten.neg.default"]
    assert y.inner.tolist() == [-1.0, -1.0]


def test_function_door_sees_the_public_call():
    class Counting(torch.Tensor):
        calls = 0

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.calls += 1
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2).as_subclass(Counting)
    y = torch.add(x, 1)
    assert type(y) is Counting and Counting.calls >= 1


def test_modes_nest_and_end():
    log = []

    class Functions(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append("function")
            return func(*args, **(kwargs or {}))

    class Kernels(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            log.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Functions(), Kernels():
        torch.neg(x)
    torch.neg(x)
    assert log == ["function", "aten.neg.default"]


def test_a_kernel_is_overridden_and_put_back():
    x = torch.ones(2)
    with Library("aten", "IMPL", "CPU") as lib:
        lib.impl("neg", lambda self: self + 41)
        assert torch.neg(x).tolist() == [42.0, 42.0]
    assert torch.neg(x).tolist() == [-1.0, -1.0]


def test_an_op_of_a_third_party():
    with Library("tiny", "DEF") as lib:
        lib.define("twice(Tensor x, int times=2) -> Tensor")
        lib.impl("twice", lambda x, times=2: x * times, "CPU")
        assert torch.ops.tiny.twice(torch.ones(2)).tolist() == [2.0, 2.0]
        assert torch.ops.tiny.twice.default(torch.ones(1), 5).item() == 5.0
    with pytest.raises(AttributeError):
        _ = torch.ops.tiny.twice


if __name__ == "__main__":
    from tools.runner import run_this_file

    run_this_file()
