"""The fake candidate with gradients of `add`, right or with one planted fault.

A tensor with a history has `parents`: pairs of a tensor and of the function that takes a gradient
back to it. What these functions make has a history too, so that gradients have gradients.
"""

import itertools
import math

import fake_torch
from fake_torch import *  # noqa: F403  # a candidate's module offers all names
from fake_torch import FAULT, Tensor, float64, new, packed

plain_add, plain_add_ = fake_torch.add, Tensor.add_
Tensor.requires_grad = False
Tensor.parents = ()
Tensor.grad = None
Tensor.is_leaf = property(lambda self: not self.parents)


def linear(result, *parents):
    """A result with the history of those parents that have one, as they are now."""
    kept = [(x if x.is_leaf else as_it_is(x), back) for x, back in parents if x.requires_grad]
    result.parents = tuple(kept)
    result.requires_grad = len(result.parents) > 0 or FAULT == "history for all"
    return result


def as_it_is(self):
    """Its history stays that of now when it is written."""
    old = Tensor(self.storage, self.dtype, self.shape, self.strides, self.offset, self.version)
    old.requires_grad, old.parents = self.requires_grad, self.parents
    return old


def back_to(shape, factor):
    """What takes a gradient back to an operand of this shape."""
    return lambda gradient: folded(gradient, tuple(shape), factor)


def place_of(index, shape):
    """Where an index of a larger shape lands in a shape that is broadcast to it."""
    inner = index[len(index) - len(shape) :] if shape else ()
    steps = packed(shape)
    return sum(i * s for i, s, n in zip(inner, steps, shape, strict=True) if n > 1)


def folded(x, shape, factor):
    """Summed to a shape that is broadcast to that of x, times a factor."""
    source = x
    if FAULT == "strides ignored in backward":
        source = x.as_strided(x.shape, packed(x.shape), 0)
    values = [0.0] * math.prod(shape)
    for index, value in zip(itertools.product(*map(range, x.shape)), source.read(), strict=True):
        values[place_of(index, shape)] += factor * value
    whole = tuple(x.shape)
    return linear(new(shape, x.dtype, values), (x, lambda g: spread(g, whole, factor)))


def spread(x, shape, factor):
    """Broadcast to a shape, times a factor."""
    values = x.read()
    places = [place_of(index, tuple(x.shape)) for index in itertools.product(*map(range, shape))]
    result = new(shape, x.dtype, [factor * values[place] for place in places])
    return linear(result, (x, back_to(x.shape, factor)))


def parents_of(self, other, alpha):
    sign = -1 if FAULT == "wrong gradient" else 1
    pairs = [(self, 1), (other, sign * alpha)]
    return [(x, back_to(x.shape, k)) for x, k in pairs if isinstance(x, Tensor)]


def add(self, other, *, alpha=1, out=None):
    result = plain_add(self, other, alpha=alpha, out=out)
    return linear(result, *parents_of(self, other, alpha)) if out is None else result


def add_(self, other, *, alpha=1):
    old = as_it_is(self)
    plain_add_(self, other, alpha=alpha)
    return linear(self, *parents_of(old, other, alpha))


def mul_(self, factor):
    old = as_it_is(self)
    self.write([factor * value for value in self.read()])
    return linear(self, (old, back_to(self.shape, factor)))


def clone(self):
    return linear(new(self.shape, self.dtype, self.read()), (self, back_to(self.shape, 1)))


def requires_grad_(self):
    self.requires_grad = True
    return self


class autograd:  # noqa: N801  # the name of the API that it stands in for
    @staticmethod
    def grad(outputs, inputs, grad_outputs, create_graph=False, is_grads_batched=False, **options):
        if is_grads_batched:
            count = 1 if FAULT == "one cotangent for all" else grad_outputs[0].shape[0]
            apart = [
                autograd.grad(outputs, inputs, [part_of(g, 0, i) for g in grad_outputs])
                for i in range(count)
            ]
            apart *= grad_outputs[0].shape[0] // count
            return tuple(None if p[0] is None else stacked(p, 0) for p in zip(*apart, strict=True))
        totals = {}
        for output, gradient in zip(outputs, grad_outputs, strict=True):
            push(output, gradient, inputs, totals)
        found = [totals.get(id(x)) for x in inputs]
        return tuple(g if create_graph and FAULT != "detached" else bare(g) for g in found)


class func:  # noqa: N801  # the name of the API that it stands in for
    @staticmethod
    def vmap(function, in_dims=0, out_dims=0):
        def run(*wholes):
            count = wholes[0].shape[in_dims]
            chosen = [0] * count if FAULT == "first slice for all" else range(count)
            made = [function(*(part_of(whole, in_dims, i) for whole in wholes)) for i in chosen]
            return stacked(made, 0 if FAULT == "stacked in front" else out_dims)

        return run


def part_of(whole, dim, place):
    """One slice of a tensor."""
    shape, strides = list(whole.shape), list(whole.strides)
    del shape[dim], strides[dim]
    return whole.as_strided(shape, strides, whole.offset + place * whole.strides[dim])


def stacked(parts, dim):
    """Tensors of one shape in one, along a new dimension: the first or the last."""
    values = [part.read() for part in parts]
    shape, count = parts[0].shape, len(parts)
    if dim == 0:
        return new((count, *shape), parts[0].dtype, [v for part in values for v in part])
    rows = zip(*values, strict=True)
    return new((*shape, count), parts[0].dtype, [v for row in rows for v in row])


def push(tensor, gradient, inputs, totals):
    """Along every path to an input."""
    if any(tensor is x for x in inputs):
        known = totals.get(id(tensor))
        totals[id(tensor)] = gradient if known is None else add(known, gradient)
    for parent, back in tensor.parents:
        push(parent, back(gradient), inputs, totals)


def bare(gradient):
    return None if gradient is None else new(gradient.shape, gradient.dtype, gradient.read())


def leaves(tensor):
    return [tensor] if not tensor.parents else [x for p, _ in tensor.parents for x in leaves(p)]


def backward(self, gradient, retain_graph=False):
    for leaf in {id(x): x for x in leaves(self)}.values():
        (found,) = autograd.grad([self], [leaf], [gradient])
        if leaf.grad is not None and FAULT != "grad replaced":
            found = plain_add(leaf.grad, found)
        made = Tensor(found.storage, float64, leaf.shape, leaf.strides, 0, [0])
        made.write(found.read())
        leaf.grad = made


Tensor.add, Tensor.add_, Tensor.__add__, Tensor.__iadd__ = add, add_, add, add_
Tensor.mul_, Tensor.clone, Tensor.backward = mul_, clone, backward
Tensor.requires_grad_ = requires_grad_
