"""Conversion of bfloat16 and float8 by their definitions, rounding, ULP."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cepheid_conformance.dtypes import (
    DTYPES,
    cast,
    decode,
    encode,
    integer_range,
    round_to,
    spacing,
)

NARROW = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")


def all_codes(info):
    return np.arange(2**info.bits, dtype=np.uint32).astype(f"u{info.itemsize}").view(info.stored)


@pytest.mark.parametrize("name", NARROW)
def test_every_code_survives_the_round_trip(name):
    info = DTYPES[name]
    raw = all_codes(info)
    values = decode(raw, info)
    back = encode(values, info)
    same = decode(back, info)
    number = ~np.isnan(values)
    assert np.array_equal(raw[number], back[number])
    assert np.isnan(same[~number]).all()


@pytest.mark.parametrize(
    ("name", "code", "value"),
    [
        ("bfloat16", 0x3F80, 1.0),
        ("bfloat16", 0x0001, 2.0**-133),
        ("bfloat16", 0x7F7F, 3.3895313892515355e38),
        ("bfloat16", 0xFF80, -np.inf),
        ("float8_e4m3fn", 0x38, 1.0),
        ("float8_e4m3fn", 0x01, 2.0**-9),
        ("float8_e4m3fn", 0x7E, 448.0),
        ("float8_e5m2", 0x3C, 1.0),
        ("float8_e5m2", 0x01, 2.0**-16),
        ("float8_e5m2", 0x7B, 57344.0),
        ("float8_e5m2", 0xFC, -np.inf),
    ],
)
def test_known_codes(name, code, value):
    info = DTYPES[name]
    raw = np.array([code], f"u{info.itemsize}").view(info.stored)
    assert decode(raw, info)[0] == value


def test_the_nan_codes():
    e4m3 = decode(np.array([0x7F, 0xFF], np.uint8), DTYPES["float8_e4m3fn"])
    e5m2 = decode(np.array([0x7D, 0x7E, 0x7F], np.uint8), DTYPES["float8_e5m2"])
    assert np.isnan(e4m3).all()
    assert np.isnan(e5m2).all()


@pytest.mark.parametrize("name", NARROW)
@given(value=st.floats(width=64, allow_nan=False, allow_infinity=False))
def test_rounding_gives_the_nearest_even_value(name, value):
    info = DTYPES[name]
    got = float(round_to(np.array([value]), info)[0])
    if abs(value) > info.max_value * (1 + info.eps / 4):
        assert abs(got) >= info.max_value
        return
    table = decode(all_codes(info), info)
    finite = np.unique(table[np.isfinite(table)].astype(np.float64))
    place = int(np.searchsorted(finite, value))
    near = [float(n) for n in finite[max(place - 1, 0) : place + 1]]
    if np.isfinite(got):
        distance = abs(Fraction(got) - Fraction(value))
        assert all(distance <= abs(Fraction(n) - Fraction(value)) for n in near)


def test_rounding_breaks_ties_to_even_in_one_step():
    info = DTYPES["bfloat16"]
    tie = 1 + 2.0**-8
    assert round_to(np.array([tie]), info)[0] == 1.0
    assert round_to(np.array([tie + 2.0**-40]), info)[0] == 1 + 2.0**-7
    assert round_to(np.array([1 + 3 * 2.0**-8]), info)[0] == 1 + 2 * 2.0**-7


def test_signs_of_zero_and_overflow():
    assert np.signbit(round_to(np.array([-0.0]), DTYPES["bfloat16"]))[0]
    assert round_to(np.array([1e39]), DTYPES["bfloat16"])[0] == np.inf
    assert round_to(np.array([-1e6]), DTYPES["float8_e4m3fn"])[0] == -448
    assert round_to(np.array([61440.0]), DTYPES["float8_e5m2"])[0] == np.inf


@pytest.mark.parametrize(
    ("name", "at", "step"),
    [
        ("float32", 1.0, 2.0**-23),
        ("float32", 1.999, 2.0**-23),
        ("float32", 2.0, 2.0**-22),
        ("float32", 0.0, 2.0**-149),
        ("float32", 1e-45, 2.0**-149),
        ("float64", 1.0, 2.0**-52),
        ("bfloat16", 1.0, 2.0**-7),
        ("float16", 65504.0, 32.0),
        ("float32", np.inf, 2.0**104),
    ],
)
def test_the_unit_in_the_last_place(name, at, step):
    assert spacing(np.array([at]), DTYPES[name])[0] == step


@pytest.mark.parametrize(
    ("source", "target", "value", "wanted"),
    [
        ("float32", "int32", -2.9, -2),
        ("int64", "uint8", 300, 44),
        ("int32", "int8", 200, -56),
        ("float32", "bool", 0.5, True),
        ("complex64", "float32", 1.5 - 2j, 1.5),
        ("int64", "float32", 2**24 + 1, 2.0**24),
        ("int64", "float32", 2**60 + 2**36 + 1, 2.0**60 + 2.0**37),
        ("bool", "float64", True, 1.0),
    ],
)
def test_conversion(source, target, value, wanted):
    values = np.array([value], DTYPES[source].carrier)
    assert cast(values, DTYPES[source], DTYPES[target])[0] == wanted


def test_integer_ranges():
    assert integer_range(DTYPES["int8"]) == (-128, 127)
    assert integer_range(DTYPES["uint16"]) == (0, 65535)
    assert integer_range(DTYPES["bool"]) == (0, 1)
