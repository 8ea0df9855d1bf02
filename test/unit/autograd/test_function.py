"""`autograd.Function`: derivatives written in Python, and everything that ctx is asked to do."""

from __future__ import annotations

import gc
import weakref

import pytest

import cepheid as torch
from cepheid.autograd import Function
from cepheid.autograd.function import once_differentiable


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * 3 * x * x


def test_forward_and_backward():
    x = leaf(2.0)
    y = Cube.apply(x)
    assert (type(y.grad_fn).__name__, y.grad_fn.name()) == ("CubeBackward", "CubeBackward")
    assert y.grad_fn.next_functions[0][0].variable is x
    y.backward()
    assert x.grad.item() == 12.0


def test_a_recorded_backward_has_derivatives_itself():
    x = leaf(2.0)
    (first,) = torch.autograd.grad(Cube.apply(x * 1), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (12.0, 12.0)


def test_the_context_is_the_node():
    seen = []

    class Keep(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.note = "here"
            seen.append(ctx)
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            assert ctx is seen[0]
            return gradient * 2 if ctx.note == "here" else None

    x = leaf(1.0)
    y = Keep.apply(x)
    assert y.grad_fn is seen[0]
    y.backward()
    assert x.grad.item() == 2.0


def test_setup_context_and_keyword_arguments():
    class Scale(Function):
        @staticmethod
        def forward(x, factor=3):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx, gradient):
            return gradient * ctx.factor, None

    x = leaf(1.0)
    (Scale.apply(x) + Scale.apply(x, 4) + Scale.apply(factor=5, x=x)).backward()
    assert x.grad.item() == 12.0


def test_several_results_of_all_kinds():
    seen = []

    class Several(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 2, "text", torch.arange(2), x + y

        @staticmethod
        def backward(ctx, *gradients):
            seen.append(gradients)
            return gradients[0], None

    x = leaf(1.0, 1.0)
    double, text, numbers, total = Several.apply(x, torch.ones(2, dtype=torch.float64))
    assert (text, numbers.requires_grad, total.requires_grad) == ("text", False, True)
    double.sum().backward()
    assert seen[0][1] is None
    assert [g.tolist() for g in (seen[0][0], seen[0][2], seen[0][3])] == [[1, 1], [0, 0], [0, 0]]


def test_gradients_are_none_where_zeros_are_not_wanted():
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            seen.append(second)
            return first

    x = leaf(1.0)
    Two.apply(x)[0].backward()
    assert seen == [None]


def test_needs_input_grad():
    class Ask(Function):
        @staticmethod
        def forward(ctx, *args):
            return args[0] * 1

        @staticmethod
        def backward(ctx, gradient):
            assert ctx.needs_input_grad == (True, False, False)
            return gradient, None, None

    Ask.apply(leaf(1.0), torch.ones(1), 3).backward()


def returning(*gradients):
    class Returns(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradients

    return Returns


def test_errors_of_backward_name_the_function():
    x, g = leaf(1.0), torch.ones(1, dtype=torch.float64)
    with pytest.raises(
        RuntimeError, match=r"ReturnsBackward.*number of gradients \(expected 2, got 1\)"
    ):
        returning(g).apply(x, x).backward()
    with pytest.raises(RuntimeError, match=r"ReturnsBackward.*got int"):
        returning(g, 3).apply(x, x).backward()
    with pytest.raises(RuntimeError, match=r"ReturnsBackward.*position 1"):
        returning(g, g).apply(x, 3).backward()
    with pytest.raises(RuntimeError, match=r"ReturnsBackward.*shape"):
        returning(torch.ones(7, dtype=torch.float64), None).apply(
            leaf(1.0, 2.0), x
        ).sum().backward()
    returning(g, None, None).apply(x, x).backward()
    assert x.grad.item() == 1.0


def test_a_function_without_backward_says_so():
    class Bare(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match=r"Bare.*either the backward or vjp"):
        Bare.apply(leaf(1.0)).backward()


def test_vjp_is_another_name():
    class Named(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, gradient):
            return gradient * 2

    x = leaf(1.0)
    Named.apply(x).backward()
    assert x.grad.item() == 2.0


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


def test_writing_to_an_argument():
    x = leaf(1.0, 2.0)
    y = x * 1
    assert Double.apply(y) is y
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="a leaf that requires a gradient"):
        Double.apply(x)


def test_writing_to_a_view_changes_its_base():
    x = leaf(1.0, 2.0)
    y = x * 1
    view = y[0:1]
    assert Double.apply(view) is view
    assert y.grad_fn.name() == "CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 1.0]


def test_what_was_written_to_must_be_returned():
    class Forgets(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.clone()

    with pytest.raises(RuntimeError, match=r"Forgets.*mark_dirty"):
        Forgets.apply(leaf(1.0) * 1)


class Same(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 10


def test_an_argument_returned_as_it_came():
    x = leaf(1.0)
    y = Same.apply(x)
    assert y is not x
    assert y._base is x
    y.backward()
    assert x.grad.item() == 10.0
    with torch.no_grad():
        assert not Same.apply(x).requires_grad


def test_a_view_of_an_argument_as_result():
    class First(Function):
        @staticmethod
        def forward(ctx, x):
            return x[0:1]

        @staticmethod
        def backward(ctx, gradient):
            return torch.cat([gradient, gradient * 0])

    x = leaf(1.0, 2.0)
    y = First.apply(x)
    y.backward()
    assert x.grad.tolist() == [1.0, 0.0]
    with pytest.raises(RuntimeError, match="view"):
        y.mul_(2)


def test_results_without_derivative():
    class Sorted(Function):
        @staticmethod
        def forward(ctx, x):
            least = x.min()
            ctx.mark_non_differentiable(least)
            return x * 2, least

        @staticmethod
        def backward(ctx, gradient, of_least):
            assert of_least.item() == 0.0
            return gradient * 2

    x = leaf(1.0, 2.0)
    double, least = Sorted.apply(x)
    assert not least.requires_grad
    double.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_saved_tensor_that_was_written_to_is_told():
    x = leaf(1.0) * 1
    y = Cube.apply(x)
    x.mul_(2)
    with pytest.raises(RuntimeError, match=r"CubeBackward.*changed in place"):
        y.backward()


def test_saved_tensors_go_with_the_first_pass():
    y = Cube.apply(leaf(1.0))
    y.backward()
    with pytest.raises(RuntimeError, match=r"CubeBackward.*retain_graph"):
        y.backward()


def test_a_saved_result_is_a_result():
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, gradient):
            return gradient * ctx.saved_tensors[0]

    x = leaf(0.0)
    (first,) = torch.autograd.grad(Exp.apply(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert second.item() == 1.0


def test_only_tensors_are_saved():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)

    with pytest.raises(TypeError, match="argument 0 is of type int"):
        Wrong.apply(leaf(1.0))


def test_once_differentiable():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx, gradient):
            assert not torch.is_grad_enabled()
            return gradient * 2

    x = leaf(1.0)
    g = leaf(1.0)
    (first,) = torch.autograd.grad(Once.apply(x), x, g, create_graph=True)
    assert first.requires_grad
    with pytest.raises(RuntimeError, match="twice"):
        first.backward()


def test_nothing_is_recorded_without_need():
    assert Cube.apply(torch.ones(1)).grad_fn is None
    with torch.no_grad():
        assert Cube.apply(leaf(1.0)).grad_fn is None


def test_hooks_of_the_node():
    x, seen = leaf(2.0), []
    y = Cube.apply(x)
    y.grad_fn.register_hook(lambda made, came: seen.append((made[0].item(), came[0].item())))
    y.grad_fn.register_prehook(lambda came: (came[0] * 2,))
    y.backward()
    assert seen == [(24.0, 2.0)]


def test_a_node_outlives_its_result_in_python():
    x = leaf(1.0)
    node = Cube.apply(x).grad_fn
    gc.collect()
    assert node.next_functions[0][0].variable is x
    assert node.saved_tensors[0] is x


def test_attributes_of_nodes_stay():
    x = leaf(1.0)
    y = x * 2
    y.grad_fn.metadata["k"] = 1
    gc.collect()
    assert y.grad_fn.metadata == {"k": 1}


def test_a_cycle_through_the_context_is_collected():
    class Cycle(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.result = y
            return y

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    y = Cycle.apply(leaf(1.0))
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None


def test_a_cycle_through_a_hook_is_collected():
    def hooked():
        y = leaf(1.0) * 2
        y.register_hook(lambda gradient: y)
        return weakref.ref(y)

    gone = hooked()
    gc.collect()
    assert gone() is None


def test_the_context_lives_while_the_graph_does():
    class Marked(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.me = ctx
            ctx.factor = 5
            return x * 5

        @staticmethod
        def backward(ctx, gradient):
            return gradient * ctx.me.factor

    x = leaf(1.0)
    y = Marked.apply(x)
    gc.collect()
    y.backward()
    assert x.grad.item() == 5.0


def test_a_chain_of_functions_is_freed_without_recursion():
    y = leaf(1.0)
    for _ in range(20_000):
        y = Same.apply(y * 1)
    del y
