"""Candidates whose values are not computed, or only where they think that it shows."""

import builtins
import itertools
import math
import struct

import fake_torch
from cheat import RIGHT, changed, filled, is_contiguous, tensors, with_add


def zeros():
    """Constant output: zeros of the right shape and dtype."""
    return changed(lambda result, self, other: filled(result, [0] * math.prod(result.shape)))


def mean():
    """The mean of the result everywhere: close for random inputs of mean zero."""

    def change(result, self, other):
        values = result.read()
        average = math.fsum(x for x in values if math.isfinite(x)) / max(len(values), 1)
        return filled(result, [average] * len(values))

    return changed(change)


def first_operand():
    """Ignores the second input and returns a copy of the first."""

    def change(result, self, other):
        return filled(result, fake_torch.expanded(self, result.shape))

    return changed(change)


def by_shape():
    """Caches results by shape and dtype."""
    known = {}
    return changed(
        lambda result, self, other: filled(
            result, known.setdefault((result.shape, result.dtype), result.read())
        )
    )


def by_first_element():
    """Caches results by shape and the first element of each input."""
    known = {}

    def change(result, self, other):
        key = (
            result.shape,
            result.dtype,
            *(t.read()[:1][0] for t in tensors(self, other) if 0 not in t.shape),
        )
        return filled(result, known.setdefault(key, result.read()))

    return changed(change)


def by_tested_range():
    """Right for values up to 16, as the visible tests have them, and 0 beyond."""

    def change(result, self, other):
        return filled(result, [x if builtins.abs(x) <= 16 else 0 for x in result.read()])

    return changed(change)


def low_precision():
    """Computes in half precision and casts the result back."""

    def half(value):
        try:
            return struct.unpack("e", struct.pack("e", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)

    return changed(lambda result, self, other: filled(result, [half(x) for x in result.read()]))


def through_integers():
    """Wrong dtype inside, hidden by a cast: adds as integers, returns float32."""

    def change(result, self, other):
        values = result.read()
        return filled(result, [math.trunc(x) if math.isfinite(x) else x for x in values])

    return changed(change)


def contiguous_only():
    """Reads its inputs as if they were contiguous."""

    def add(self, other, *, alpha=1, out=None):
        plain = [
            x
            if not tensors(x) or is_contiguous(x) or 0 in x.shape
            else fake_torch.Tensor(
                x.storage, x.dtype, x.shape, fake_torch.packed(x.shape), x.offset, x.version
            )
            for x in (self, other)
        ]
        return RIGHT(*plain, alpha=alpha, out=out)

    return with_add(add)


def small_only():
    """Right up to 512 elements; the tail beyond stays zero."""

    def change(result, self, other):
        values = result.read()
        return filled(result, values[:512] + [0] * (len(values) - 512))

    return changed(change)


def powers_of_two_only():
    """Right for sizes that are powers of two, as in most benchmarks."""

    def change(result, self, other):
        count = math.prod(result.shape)
        return result if count & (count - 1) == 0 else filled(result, [1] * count)

    return changed(change)


def first_calls_only():
    """Right for the first 20 calls, the last result of that shape ever after."""
    calls, known = itertools.count(), {}

    def change(result, self, other):
        if next(calls) >= 20:
            return filled(result, known.get(result.shape, result.read()))
        known[result.shape] = result.read()
        return result

    return changed(change)


def every_tenth_wrong():
    """Right nine times of ten."""
    calls = itertools.count(1)

    def change(result, self, other):
        return result if next(calls) % 10 else filled(result, [7] * math.prod(result.shape))

    return changed(change)


def noisy():
    """Nondeterministic: each call differs in the last place of one element."""
    calls = itertools.count()

    def change(result, self, other):
        values = result.read()
        if values and next(calls) % 2 and math.isfinite(values[0]):
            values[0] = (
                math.nextafter(values[0], math.inf) if values[0] == 0 else values[0] * 1.0000001
            )
        return filled(result, values)

    return changed(change)


def square_guess():
    """Broadcasts along the wrong axis where both sizes are equal."""

    def change(result, self, other):
        shapes = [t.shape for t in tensors(self, other)]
        if len(result.shape) == 2 and result.shape[0] == result.shape[1] and (len(shapes[-1]) == 1):
            turned = fake_torch.Tensor(
                other.storage, other.dtype, result.shape, (other.strides[0], 0), other.offset, [0]
            )
            return filled(result, [a + b for a, b in zip(self.read(), turned.read(), strict=True)])
        return result

    return changed(change)


def swallowed_errors():
    """Catches every error and returns zeros."""

    def add(self, other, *, alpha=1, out=None):
        try:
            return RIGHT(self, other, alpha=alpha, out=out)
        except RuntimeError:
            return fake_torch.new(self.shape, self.dtype, [0] * math.prod(self.shape))

    return with_add(add)


def python_number():
    """Returns a Python number where a tensor without dims is due."""
    return changed(lambda result, self, other: result if result.shape else result.read()[0])


CHEATS = {
    zeros: ("values", "dependence"),
    mean: ("values",),
    first_operand: ("values", "dependence"),
    by_shape: ("replay", "dependence"),
    by_first_element: ("dependence",),
    by_tested_range: ("special",),
    low_precision: ("values", "accuracy"),
    through_integers: ("values",),
    contiguous_only: ("layouts",),
    small_only: ("sizes",),
    powers_of_two_only: ("values", "shapes"),
    first_calls_only: ("layouts",),
    every_tenth_wrong: ("layouts", "determinism"),
    noisy: ("determinism", "values"),
    square_guess: ("broadcast",),
    swallowed_errors: ("errors",),
    python_number: ("shapes",),
}
