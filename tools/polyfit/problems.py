"""What csrc/kernels/generic/coefficients.h holds: one problem per polynomial."""

from __future__ import annotations

from dataclasses import dataclass

from mpmath import mp, mpf

from tools.polyfit.remez import Fit, Function, rounded_minimax

FLOAT_BITS = 24
DOUBLE_BITS = 53
# Fits need arguments away from 0, where the quotients below are 0/0.
TINY = mpf(2) ** -40


@dataclass(frozen=True)
class Problem:
    """A polynomial for `formula` on [low, high]; `weight` makes its error a relative one."""

    name: str
    formula: str
    function: Function
    weight: Function
    low: mpf
    high: mpf
    degree: int
    bits: int
    leading: int = 0  # how many coefficients have two words

    def solve(self) -> Fit:
        widths = [2 * self.bits] * self.leading + [self.bits] * (self.degree + 1 - self.leading)
        return rounded_minimax(
            self.function, self.weight, self.low, self.high, self.degree, widths
        )


def _exp(r: mpf) -> mpf:
    return (mp.exp(r) - 1 - r) / r**2


def _rise(r: mpf) -> mpf:
    return (mp.exp(r) - 1) / r


def _log(f: mpf) -> mpf:
    return (mp.log(1 + f) - f + f**2 / 2) / f**3


def _atanh(u: mpf) -> mpf:
    s = mp.sqrt(u)
    return mp.atanh(s) / s


def _atanh_tail(u: mpf) -> mpf:
    return (_atanh(u) - 1) / u


def _tanh(u: mpf) -> mpf:
    x = mp.sqrt(u)
    return (mp.tanh(x) / x - 1) / u


def _tanh_weight(u: mpf) -> mpf:
    x = mp.sqrt(u)
    return u * x / mp.tanh(x)


def _atanh_weight(u: mpf) -> mpf:
    s = mp.sqrt(u)
    return u * s / mp.atanh(s)


def _whole_sin(u: mpf) -> mpf:
    r = mp.sqrt(u)
    return mp.sin(r) / r


def _whole_cos(u: mpf) -> mpf:
    return mp.cos(mp.sqrt(u))


def _sin(u: mpf) -> mpf:
    r = mp.sqrt(u)
    return (mp.sin(r) / r - 1) / u


def _sin_weight(u: mpf) -> mpf:
    r = mp.sqrt(u)
    return u * r / mp.sin(r)


def _cos(u: mpf) -> mpf:
    return (mp.cos(mp.sqrt(u)) - 1 + u / 2) / u**2


def _cos_weight(u: mpf) -> mpf:
    return u**2 / mp.cos(mp.sqrt(u))


def _asin(u: mpf) -> mpf:
    x = mp.sqrt(u)
    return (mp.asin(x) / x - 1) / u


def _asin_weight(u: mpf) -> mpf:
    x = mp.sqrt(u)
    return u * x / mp.asin(x)


def _atan(u: mpf) -> mpf:
    x = mp.sqrt(u)
    return (mp.atan(x) / x - 1) / u


def _atan_weight(u: mpf) -> mpf:
    x = mp.sqrt(u)
    return u * x / mp.atan(x)


def _whole_erf(u: mpf) -> mpf:
    x = mp.sqrt(u)
    return mp.erf(x) / x


def _erf(u: mpf) -> mpf:
    return _whole_erf(u) - 1


def _erf_weight(u: mpf) -> mpf:
    x = mp.sqrt(u)
    return x / mp.erf(x)


def _erfc(t: mpf) -> mpf:
    """Where t = (x - 4) / (x + 4)."""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x**2) * mp.erfc(x)


def _erfc_weight(t: mpf) -> mpf:
    return 1 / _erfc(t)


def _normal(t: mpf) -> mpf:
    """Where t = 1 / (1 + 0.3 a)."""
    a = (1 / t - 1) / mpf("0.3")
    return mp.exp(a**2 / 2) * mp.erfc(a / mp.sqrt(mpf(2))) / 2 / t


def _normal_weight(t: mpf) -> mpf:
    return 1 / _normal(t)


def problems() -> list[Problem]:
    """Every polynomial of the header, in its order; mp.prec must be set (header.py does)."""
    half_log2 = mp.log(2) / 2 * mpf("1.0002")
    low_log, high_log = mp.sqrt(mpf("0.5")) - 1, mp.sqrt(mpf(2)) - 1
    high_atanh = ((mp.sqrt(mpf(2)) - 1) / (mp.sqrt(mpf(2)) + 1)) ** 2 * mpf("1.0001")
    high_tanh = mpf("0.625") ** 2
    high_angle = (mp.pi / 4) ** 2 * mpf("1.0001")
    return [
        Problem("kExp32", "(exp(r) - 1 - r) / r^2, |r| <= log(2)/2", _exp, _exp_weight,
                -half_log2, half_log2, 4, FLOAT_BITS),
        Problem("kExp64", "(exp(r) - 1 - r) / r^2, |r| <= log(2)/2", _exp, _exp_weight,
                -half_log2, half_log2, 9, DOUBLE_BITS),
        Problem("kLog32", "(log(1 + f) - f + f^2/2) / f^3, 1 + f in [sqrt(1/2), sqrt(2)]", _log,
                _log_weight, low_log, high_log, 7, FLOAT_BITS),
        Problem("kLog64", "(atanh(s)/s - 1) / u in u = s^2, s = f / (2 + f)", _atanh_tail,
                _atanh_weight, TINY, high_atanh, 6, DOUBLE_BITS),
        Problem("kTanh32", "(tanh(x)/x - 1) / u in u = x^2, |x| <= 0.625", _tanh, _tanh_weight,
                TINY, high_tanh, 4, FLOAT_BITS),
        Problem("kSin64", "(sin(r)/r - 1) / u in u = r^2, |r| <= pi/4", _sin, _sin_weight,
                TINY, high_angle, 6, DOUBLE_BITS),
        Problem("kCos64", "(cos(r) - 1 + u/2) / u^2 in u = r^2, |r| <= pi/4", _cos, _cos_weight,
                TINY, high_angle, 5, DOUBLE_BITS),
        Problem("kAsin64", "(asin(x)/x - 1) / u in u = x^2, |x| <= 1/2", _asin, _asin_weight,
                TINY, mpf("0.2501"), 12, DOUBLE_BITS),
        Problem("kAtan64", "(atan(x)/x - 1) / u in u = x^2, |x| <= 7/16", _atan, _atan_weight,
                TINY, mpf("0.1915"), 10, DOUBLE_BITS),
        Problem("kErf64", "erf(x)/x - 1 in u = x^2, |x| <= 3/4", _erf, _erf_weight,
                TINY, mpf("0.5626"), 11, DOUBLE_BITS),
        Problem("kErfc64", "(1 + 2 x) exp(x^2) erfc(x) in t = (x - 4) / (x + 4), 3/4 <= x <= 28",
                _erfc, _erfc_weight, mpf("-0.6843"), mpf("0.7501"), 20, DOUBLE_BITS),
        Problem("kNormal32", "exp(a^2/2) Q(a) / t in t = 1 / (1 + 0.3 a), 0 <= a <= 14", _normal,
                _normal_weight, mpf("0.19"), mpf("1.0002"), 9, FLOAT_BITS),
        Problem("kRise32", "(exp(r) - 1) / r, |r| <= log(2)/2", _rise, _relative(_rise),
                -half_log2, half_log2, 7, DOUBLE_BITS),
        Problem("kRise", "(exp(r) - 1) / r, |r| <= log(2)/2", _rise, _relative(_rise),
                -half_log2, half_log2, 13, DOUBLE_BITS, 3),
        Problem("kAtanh", "atanh(s)/s in u = s^2, s = f / (2 + f)", _atanh, _relative(_atanh),
                TINY, high_atanh, 11, DOUBLE_BITS, 3),
        Problem("kSin", "sin(r)/r in u = r^2, |r| <= pi/4", _whole_sin, _relative(_whole_sin),
                TINY, high_angle, 9, DOUBLE_BITS, 4),
        Problem("kCos", "cos(r) in u = r^2, |r| <= pi/4", _whole_cos, _relative(_whole_cos),
                TINY, high_angle, 9, DOUBLE_BITS, 4),
        Problem("kErfc", "(1 + 2 x) exp(x^2) erfc(x) in t = (x - 4) / (x + 4), 3/4 <= x <= 28",
                _erfc, _erfc_weight, mpf("-0.6843"), mpf("0.7501"), 24, DOUBLE_BITS, 2),
        Problem("kErf", "erf(x)/x in u = x^2, |x| <= 3/2", _whole_erf, _relative(_whole_erf),
                TINY, mpf("2.2501"), 19, DOUBLE_BITS, 4),
    ]  # fmt: skip


def _exp_weight(r: mpf) -> mpf:
    return r**2 / mp.exp(r)


def _log_weight(f: mpf) -> mpf:
    return f**3 / mp.log(1 + f)


def _relative(function: Function) -> Function:
    return lambda x: 1 / function(x)
