"""assert_close: |actual - expected| <= atol + rtol * |expected| everywhere, or a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from cepheid import _C

_DEFAULTS = {  # dtype -> rtol, atol; exact for all others
    _C.float16: (1e-3, 1e-5),
    _C.bfloat16: (1.6e-2, 1e-5),
    _C.float32: (1.3e-6, 1e-5),
    _C.float64: (1e-7, 1e-7),
    _C.complex64: (1.3e-6, 1e-5),
    _C.complex128: (1e-7, 1e-7),
}
_WIDER = {_C.uint16: _C.int64, _C.uint32: _C.int64}


class _Rules(NamedTuple):
    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless `actual` is close to `expected`.

    Takes tensors, numbers, None, and sequences and mappings of them. Shapes must agree; dtype,
    device and layout too unless switched off. `rtol` and `atol` are given together or not at all;
    without them they follow from the dtypes (the laxer of the two), and are zero for integers and
    bool. NaN is close to NaN only with `equal_nan`.
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            f"assert_close: rtol and atol must be given together; got rtol={rtol}, atol={atol}"
        )
    rules = _Rules(
        allow_subclasses,
        rtol,
        atol,
        equal_nan,
        check_device,
        check_dtype,
        check_layout,
        check_stride,
    )
    report = _compare(actual, expected, rules, "")
    if report is not None:
        raise AssertionError(report if msg is None else msg(report) if callable(msg) else msg)


def _compare(actual: Any, expected: Any, rules: _Rules, where: str) -> str | None:
    """What differs, or None."""
    if isinstance(actual, _C.Tensor) and isinstance(expected, _C.Tensor):
        return _compare_tensors(actual, expected, rules, where)
    if isinstance(actual, int | float | complex) and isinstance(expected, int | float | complex):
        loose = rules._replace(check_dtype=False)
        return _compare_tensors(_C.tensor(actual), _C.tensor(expected), loose, where, "Scalars")
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        return _compare_mappings(actual, expected, rules, where)
    if _is_sequence(actual) and _is_sequence(expected):
        return _compare_sequences(actual, expected, rules, where)
    if actual is None and expected is None:
        return None
    return (
        f"assert_close{where}: can't compare {type(actual).__name__} with "
        f"{type(expected).__name__}; "
        "give tensors, numbers, None, or sequences or mappings of them"
    )


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _compare_sequences(
    actual: Sequence[Any], expected: Sequence[Any], rules: _Rules, where: str
) -> str | None:
    if len(actual) != len(expected):
        return f"The lengths{where} differ: {len(actual)} != {len(expected)}"
    for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
        report = _compare(a, e, rules, f"{where}[{i}]")
        if report is not None:
            return report
    return None


def _compare_mappings(
    actual: Mapping[Any, Any], expected: Mapping[Any, Any], rules: _Rules, where: str
) -> str | None:
    if actual.keys() != expected.keys():
        missing, extra = expected.keys() - actual.keys(), actual.keys() - expected.keys()
        return f"The keys{where} differ: missing {sorted(missing)}, not expected {sorted(extra)}"
    for key in expected:
        report = _compare(actual[key], expected[key], rules, f"{where}[{key!r}]")
        if report is not None:
            return report
    return None


def _compare_tensors(
    actual: _C.Tensor, expected: _C.Tensor, rules: _Rules, where: str, what: str = "Tensors"
) -> str | None:
    for name, checked in (
        ("shape", True),
        ("device", rules.check_device),
        ("layout", rules.check_layout),
        ("dtype", rules.check_dtype),
    ):
        a, e = getattr(actual, name), getattr(expected, name)
        if checked and a != e:
            return f"The values for attribute '{name}'{where} differ: {a} != {e}"
    if not rules.allow_subclasses and type(actual) is not type(expected):
        return f"The types{where} differ: {type(actual)} != {type(expected)}"
    if rules.check_stride and actual.stride() != expected.stride():
        return f"The strides{where} differ: {actual.stride()} != {expected.stride()}"
    return _compare_values(actual, expected, rules, f"{what}{where}")


def _tolerances(actual: _C.Tensor, expected: _C.Tensor, rules: _Rules) -> tuple[float, float]:
    if rules.rtol is not None and rules.atol is not None:
        return rules.rtol, rules.atol
    pairs = [_DEFAULTS.get(t.dtype, (0.0, 0.0)) for t in (actual, expected)]
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


def _comparable(tensor: _C.Tensor) -> _C.Tensor:
    """In a dtype that the comparison's ops take, with no value changed; on the CPU."""
    dtype = tensor.dtype
    if dtype.itemsize == 1 and dtype.is_floating_point:
        dtype = _C.float32
    return tensor.detach().to(_WIDER.get(dtype, dtype))


def _compare_values(actual: _C.Tensor, expected: _C.Tensor, rules: _Rules, what: str) -> str | None:
    if actual.device.type == "meta" or actual.numel() == 0:
        return None
    rtol, atol = _tolerances(actual, expected, rules)
    a, e = _comparable(actual), _comparable(expected)
    wrong = (a == e).logical_not()
    if not wrong.any():
        return None
    exact = rtol == 0 and atol == 0
    work = _C.complex128 if a.is_complex() or e.is_complex() else _C.float64
    wide_a, wide_e = a.to(work), e.to(work)
    difference = (wide_a - wide_e).abs()
    if not exact:
        allowed = wide_e.abs() * rtol + atol
        near = (difference <= allowed) & (allowed < float("inf"))
        wrong = wrong & near.logical_not()
    if rules.equal_nan:
        wrong = wrong & (a.isnan() & e.isnan()).logical_not()
    return _report(wrong, difference, wide_e, rtol, atol, what) if wrong.any() else None


def _report(
    wrong: _C.Tensor,
    difference: _C.Tensor,
    expected: _C.Tensor,
    rtol: float,
    atol: float,
    what: str,
) -> str:
    places = wrong.nonzero()
    count, total = places.size(0), wrong.numel()
    lines = [f"{what} are not {'equal' if rtol == atol == 0 else 'close'}!", ""]
    lines.append(f"Mismatched elements: {count} / {total} ({100 * count / total:.1f}%)")
    relative = difference / expected.abs()
    for name, values, bound in (("absolute", difference, atol), ("relative", relative, rtol)):
        flat = _C.functions.where(wrong, values, -1.0).reshape(-1)
        at = int(flat.argmax())
        index = _unravel(at, tuple(wrong.shape))
        lines.append(
            f"Greatest {name} difference: {flat[at].item()} at index {index} "
            f"(up to {bound} allowed)"
        )
    return "\n".join(lines)


def _unravel(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index: list[int] = []
    for size in reversed(shape):
        position, at = divmod(position, size)
        index.append(at)
    return tuple(reversed(index))
