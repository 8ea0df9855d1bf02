"""Ops and kernels registered from Python, and taken back."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import cepheid as torch
from cepheid.library import Library, define, impl, register_fake
from tools.runner import run_this_file


def test_an_op_of_ones_own() -> None:
    with Library("test_own", "DEF") as lib:
        name = lib.define("scale(Tensor x, float by=2.0, *, int[] dims=[]) -> Tensor")
        assert name == "scale"
        op = torch.ops.test_own.scale.default
        with pytest.raises(NotImplementedError, match="no kernel for CPU"):
            op(torch.ones(1))
        lib.impl("scale", lambda x, by=2.0, *, dims=(): x * by, "CPU")
        assert op(torch.ones(2)).tolist() == [2.0, 2.0]
        assert op(torch.ones(1), by=5).item() == 5
        assert torch.ops.test_own.scale(torch.ones(1), 3.0).item() == 3
    with pytest.raises(RuntimeError, match="destroyed"):
        op(torch.ones(1))
    with pytest.raises(AttributeError):
        _ = torch.ops.test_own.scale


def test_overriding_a_kernel_and_taking_it_back() -> None:
    x = torch.ones(2)
    with Library("aten", "IMPL", "CPU") as lib:
        seen: list[Any] = []

        def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
            seen.append((type(other), alpha))
            return torch.full((2,), 99.0)

        lib.impl("add.Tensor", add)
        assert (x + 1).tolist() == [99.0, 99.0]
        assert torch.add(x, x, alpha=3).tolist() == [99.0, 99.0]
        assert seen == [(int, 1), (torch.Tensor, 3)]
    assert (x + 1).tolist() == [2.0, 2.0]


def test_registrations_may_be_removed_in_any_order() -> None:
    name = torch._C._library_define("test_order", "f(Tensor x) -> Tensor")
    op = torch._C._get_op(name)
    one = torch.ones(1)
    first, second, third = (
        torch._C._library_impl(name, "CPU", lambda x, k=k: torch.full((1,), float(k)))
        for k in (1, 2, 3)
    )
    assert op(one).item() == 3
    torch._C._library_remove(second)
    assert op(one).item() == 3
    torch._C._library_remove(third)
    assert op(one).item() == 1
    torch._C._library_remove(first)
    with pytest.raises(NotImplementedError):
        op(one)
    with pytest.raises(RuntimeError, match="isn't in force"):
        torch._C._library_remove(first)
    torch._C._library_undefine(name)


def test_an_op_taken_back_while_it_runs() -> None:
    name = torch._C._library_define("test_running", "f(Tensor x) -> Tensor")
    op = torch._C._get_op(name)

    def kernel(x: torch.Tensor) -> torch.Tensor:
        torch._C._library_undefine(name)
        for i in range(50):
            torch._C._library_define("test_running", f"g{i}(Tensor x, Tensor y) -> Tensor")
        return x

    torch._C._library_impl(name, "CPU", kernel)
    x = torch.ones(1)
    assert op(x) is x
    with pytest.raises(LookupError):
        torch._C._get_op(name)
    for i in range(50):
        torch._C._library_undefine(f"test_running::g{i}")
    assert torch._C._library_define("test_running", "f(Tensor x) -> Tensor") == name
    torch._C._library_undefine(name)


def test_names_without_utf8_are_unknown_names() -> None:
    for call in (
        lambda: torch._C._get_op("\udcff"),
        lambda: torch._C._library_undefine("\udcff"),
        lambda: torch._C._library_fallback("\udcff", print),
        lambda: torch._C._library_impl("aten::add.Tensor", "\udcff", lambda *a, **k: a[0]),
    ):
        with pytest.raises((LookupError, ValueError)):
            call()


def test_kernels_are_let_go() -> None:
    class Kernel:
        def __call__(self, x: Any) -> Any:
            return x

    kernel = Kernel()
    watch = weakref.ref(kernel)
    with Library("test_gone", "DEF") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", kernel, "CPU")
        del kernel
        gc.collect()
        assert watch() is not None
    gc.collect()
    assert watch() is None


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x: x,
        lambda x, y, z: x,
        lambda x, y, *, other: x,
    ],
)
def test_signatures_are_checked(kernel: Any) -> None:
    with Library("test_signature", "DEF") as lib:
        lib.define("f(Tensor x, int y, *, bool flag=False) -> Tensor")
        with pytest.raises(TypeError, match=r"can't take the arguments of f\(Tensor x, int y"):
            lib.impl("f", kernel, "CPU")
        lib.impl("f", lambda *args, **kwargs: args[0], "CPU")
        lib.impl("f", lambda x, y, flag: x, "CPU")
        with pytest.raises(TypeError, match="callable"):
            lib.impl("f", 5, "CPU")  # type: ignore[arg-type]  # refused at run time as well


def test_results_are_checked() -> None:
    with Library("test_result", "DEF") as lib:
        lib.define("f(Tensor x) -> (Tensor, Tensor)")
        lib.impl("f", lambda x: x, "CPU")
        with pytest.raises(TypeError, match=r"a tuple of 2 results; got .*Tensor"):
            torch.ops.test_result.f(torch.ones(1))
        lib.impl("f", lambda x: (x, 3), "CPU")
        with pytest.raises(TypeError, match="must be a Tensor"):
            torch.ops.test_result.f(torch.ones(1))
        lib.impl("f", lambda x: [x, x + 1], "CPU")
        assert torch.ops.test_result.f(torch.ones(1))[1].item() == 2


def test_keys() -> None:
    with Library("test_keys", "DEF") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x.new_empty if False else torch.empty_like(x), "Meta")
        assert torch.ops.test_keys.f(torch.ones(2, device="meta")).device.type == "meta"
        with pytest.raises(NotImplementedError):
            torch.ops.test_keys.f(torch.ones(2))
        lib.impl("f", lambda x: x + 1, "CompositeExplicitAutograd")
        assert torch.ops.test_keys.f(torch.ones(1)).item() == 2
        assert torch.ops.test_keys.f(torch.ones(2, device="meta")).device.type == "meta"
        with pytest.raises(ValueError, match="keys are CPU"):
            lib.impl("f", lambda x: x, "Nonsense")


def test_schemas_are_checked() -> None:
    with Library("test_schema", "FRAGMENT") as lib:
        with pytest.raises(ValueError, match="Tensr"):
            lib.define("f(Tensr x) -> Tensor")
        lib.define("f(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match="exists already"):
            lib.define("f(Tensor x) -> Tensor")
    with pytest.raises(LookupError):
        torch._C._library_impl("test_schema::f", "CPU", lambda x: x)
    with pytest.raises(RuntimeError, match="wasn't defined"):
        torch._C._library_undefine("aten::add.Tensor")


def test_functional_form() -> None:
    define("test_functional::twice", "(Tensor x) -> Tensor")

    @impl("test_functional::twice", "default")
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x + x

    @register_fake("test_functional::twice")
    def fake(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    assert torch.ops.test_functional.twice(torch.ones(2)).tolist() == [2.0, 2.0]
    assert torch.ops.test_functional.twice(torch.ones(2, device="meta")).shape == (2,)


def test_an_in_place_kernel_gives_back_its_argument() -> None:
    with Library("test_inplace", "DEF") as lib:
        lib.define("fill_(Tensor(a!) self, Scalar value) -> Tensor(a!)")

        def kernel(self: torch.Tensor, value: float) -> None:
            self.fill_(value)

        lib.impl("fill_", kernel, "CPU")
        x = torch.zeros(2)
        assert torch.ops.test_inplace.fill_(x, 3) is x
        assert x.tolist() == [3.0, 3.0]


def test_a_python_op_reaches_a_wrappers_rule() -> None:
    asked: list[str] = []

    class Wrapper(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(cls, func: Any, *args: Any) -> Any:
            asked.append(str(func))
            return torch.ones(1)

    with Library("test_rule", "DEF") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x, "CPU")
        w = torch.Tensor._make_wrapper_subclass(Wrapper, (1,))
        torch.ops.test_rule.f(w)
    assert asked == ["test_rule.f.default"]


def test_every_kind_of_argument_arrives() -> None:
    schema = (
        "f(Tensor x, Tensor? y, Tensor[] zs, Scalar s, int i, float d, bool b, int[] n, int[2] p, "
        "str t, ScalarType k, Device v, Layout l, MemoryFormat m, Generator? g, int? none) "
        "-> Tensor"
    )
    seen: list[Any] = []
    with Library("test_kinds", "DEF") as lib:
        lib.define(schema)

        def kernel(*args: Any) -> torch.Tensor:
            seen.extend(args)
            return args[0]

        lib.impl("f", kernel, "CPU")
        x = torch.ones(1)
        generator = torch.Generator()
        args = (
            x, None, [x, x], 2j, 3, 1.5, True, [1, 2], 7, "text", torch.int8, "cpu",
            torch.strided, torch.channels_last, generator, None,
        )  # fmt: skip
        assert torch.ops.test_kinds.f(*args) is x
    expected = list(args)
    expected[8] = [7, 7]
    expected[11] = torch.device("cpu")
    assert len(seen) == len(expected)
    for got, wanted in zip(seen, expected, strict=True):
        if isinstance(wanted, torch.Tensor) or wanted is generator:
            assert got is wanted
        elif isinstance(wanted, list) and wanted and isinstance(wanted[0], torch.Tensor):
            assert all(g is w for g, w in zip(got, wanted, strict=True))
        else:
            assert got == wanted


def test_a_fallback() -> None:
    seen: list[str] = []
    with Library("test_fallback", "DEF") as lib:
        lib.define("f(Tensor x, int n) -> Tensor")

        def fallback(op: Any, *args: Any, **kwargs: Any) -> Any:
            seen.append(str(op))
            return args[0]

        lib.fallback(fallback, "CUDA")
        with pytest.raises(NotImplementedError):
            torch.ops.test_fallback.f(torch.ones(1), 1)
        with pytest.raises(ValueError, match="TorchDispatchMode"):
            lib.fallback(fallback, "Python")
        assert torch.ops.test_fallback.f.default.redispatch(["CUDA"], torch.ones(1), 1).item() == 1
    assert seen == ["test_fallback.f.default"]


if __name__ == "__main__":
    run_this_file()
