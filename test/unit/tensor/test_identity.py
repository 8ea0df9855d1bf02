"""One Python object per tensor: identity, attributes, subclasses, cycles, weak references."""

from __future__ import annotations

import gc
import weakref

import pytest

import cepheid as torch
from tools.runner import run_this_file


class Marked(torch.Tensor):
    """A subclass with attributes."""


class Slotted(torch.Tensor):
    __slots__ = ("extra",)


class Witness:
    """Something that a weak reference can watch."""


def marked(value: float = 1.0) -> Marked:
    tensor = torch.ones(2).mul_(value).as_subclass(Marked)
    tensor.note = ("kept", value)
    return tensor


def test_grad_is_the_same_object_each_time() -> None:
    p = torch.ones(2)
    p.grad = torch.ones(2)
    assert p.grad is p.grad
    p.grad.note = "kept"
    gc.collect()
    assert p.grad.note == "kept"


def test_a_plain_object_that_is_gone_is_made_anew() -> None:
    p = torch.ones(2)
    p.grad = torch.full((2,), 3.0)
    gc.collect()
    assert p.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("collect", [False, True])
def test_subclass_and_attributes_survive_while_only_cpp_holds_the_tensor(collect: bool) -> None:
    p = torch.ones(2)
    p.grad = marked()
    if collect:
        gc.collect()
    assert type(p.grad) is Marked
    assert p.grad.note == ("kept", 1.0)
    assert p.grad is p.grad


def test_slots_survive() -> None:
    p = torch.ones(2)
    grad = torch.ones(2).as_subclass(Slotted)
    grad.extra = [1, 2]
    p.grad = grad
    del grad
    gc.collect()
    assert p.grad.extra == [1, 2]


def test_a_weak_reference_follows_the_object_through_cpp() -> None:
    p = torch.ones(2)
    p.grad = marked()
    watch = weakref.ref(p.grad)
    gc.collect()
    assert watch() is p.grad
    p.grad = None
    assert watch() is None


def test_an_object_taken_from_a_weak_reference_outlives_its_tensor() -> None:
    p = torch.ones(2)
    p.grad = marked(4.0)
    watch = weakref.ref(p.grad)
    held = watch()
    p.grad = None
    assert held is not None
    assert held.tolist() == [4.0, 4.0]
    assert held.note == ("kept", 4.0)
    held.add_(1)
    assert held.tolist() == [5.0, 5.0]
    del held
    assert watch() is None


def self_cycle(witness: Witness) -> None:
    a = torch.ones(2)
    a.me, a.witness = a, witness


def grad_cycle(witness: Witness) -> None:
    a, grad = torch.ones(2), torch.ones(2)
    a.grad = grad
    grad.owner, grad.witness = a, witness


def grad_of_grad_cycle(witness: Witness) -> None:
    a, b, c = torch.ones(2), torch.ones(2), torch.ones(2)
    a.grad, b.grad = b, c
    c.owner, c.witness = a, witness


def mutual_grads(witness: Witness) -> None:
    a, b = torch.ones(2), torch.ones(2)
    a.grad, b.grad = b, a
    a.witness, b.note = witness, "has something to lose"


def subclass_cycle(witness: Witness) -> None:
    a = torch.ones(2).as_subclass(Slotted)
    a.extra = (a, witness)


CYCLES = [self_cycle, grad_cycle, grad_of_grad_cycle, mutual_grads, subclass_cycle]


@pytest.mark.parametrize("make", CYCLES, ids=lambda make: make.__name__)
def test_cycles_are_collected(make) -> None:
    witness = Witness()
    watch = weakref.ref(witness)
    make(witness)
    del witness
    gc.collect()
    assert watch() is None


def test_a_tensor_that_is_still_used_is_not_collected() -> None:
    a = torch.ones(2)
    grad = marked()
    a.grad = grad
    grad.owner = a
    del grad
    gc.collect()
    assert a.grad.note == ("kept", 1.0)
    assert a.grad.owner is a


class Finalized(torch.Tensor):
    died: list[int] = []

    def __del__(self) -> None:
        type(self).died.append(self.numel())


def test_finalizers_run_once_with_the_data_there() -> None:
    Finalized.died.clear()
    tensor = torch.ones(3).as_subclass(Finalized)
    del tensor
    assert Finalized.died == [3]
    cyclic = torch.ones(4).as_subclass(Finalized)
    cyclic.me = cyclic
    del cyclic
    gc.collect()
    assert Finalized.died == [3, 4]


class Returning(torch.Tensor):
    kept: list[torch.Tensor] = []

    def __del__(self) -> None:
        type(self).kept.append(self)


def test_an_object_saved_by_its_finalizer_works() -> None:
    tensor = torch.ones(1).as_subclass(Returning)
    del tensor
    assert Returning.kept[0].add(1).tolist() == [2.0]
    Returning.kept.clear()


def test_long_chains_of_grads_are_let_go_without_recursion() -> None:
    for attributes in (False, True):
        head = torch.ones(1)
        for _ in range(100_000):
            following = torch.ones(1)
            if attributes:
                following.note = 1
            following.grad = head
            head = following
        del following
        gc.collect()
        del head
        gc.collect()


def test_depth_without_end_is_an_error() -> None:
    with pytest.raises(RecursionError):
        torch.ones(1)[(None,) * 3_000].tolist()


def test_the_class_can_be_patched() -> None:
    x = torch.ones(2)
    torch.Tensor.doubled = lambda self: self * 2
    try:
        assert x.doubled().tolist() == [2.0, 2.0]
        assert marked().doubled().tolist() == [2.0, 2.0]
    finally:
        del torch.Tensor.doubled
    with pytest.raises(AttributeError):
        x.doubled()
    before = torch.Tensor.__add__
    torch.Tensor.__add__ = lambda self, other: "patched"
    try:
        assert x + 1 == "patched"
    finally:
        torch.Tensor.__add__ = before
    assert (x + 1).tolist() == [2.0, 2.0]


class AlsoMarked(torch.Tensor):
    """Another subclass."""


def test_the_class_of_an_object_can_be_changed() -> None:
    x = marked()
    x.__class__ = AlsoMarked
    assert type(x) is AlsoMarked
    assert type(x + 1) is AlsoMarked
    x.me = x
    watch = weakref.ref(x)
    del x
    gc.collect()
    assert watch() is None
    with pytest.raises(TypeError):
        marked().__class__ = dict


def test_grad_is_checked() -> None:
    p = torch.ones(2)
    for wrong, kind in [
        (torch.ones(3), RuntimeError),
        (torch.ones(2, dtype=torch.float64), RuntimeError),
        (torch.ones(2, device="meta"), RuntimeError),
        (1.0, TypeError),
        (p, RuntimeError),
    ]:
        with pytest.raises(kind, match="grad"):
            p.grad = wrong
    assert p.grad is None
    with pytest.raises(TypeError, match="can't be deleted"):
        del p.grad


def test_data_shares_and_can_be_replaced() -> None:
    x = torch.ones(2)
    version = x._version
    alias = x.data
    alias.fill_(5)
    assert x.tolist() == [5.0, 5.0]
    assert x._version == version, "writes through .data don't count"
    x.data = torch.arange(3)
    assert x.tolist() == [0, 1, 2]
    assert x.dtype is torch.int64
    with pytest.raises(RuntimeError, match="device"):
        x.data = torch.ones(2, device="meta")


def test_requires_grad_is_a_fact_of_leaves_of_floating_dtype() -> None:
    x = torch.ones(2)
    assert x.requires_grad is False
    x.requires_grad = True
    assert x.requires_grad is True
    assert x.requires_grad_(False) is x and x.requires_grad is False
    assert torch.zeros(2, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match="floating"):
        torch.ones(2, dtype=torch.int64).requires_grad_()
    with pytest.raises(RuntimeError, match="floating"):
        torch.zeros(2, dtype=torch.bool, requires_grad=True)


if __name__ == "__main__":
    run_this_file()
