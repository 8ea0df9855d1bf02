"""Vectors are read as another language would: by NumPy alone, from the text of the file."""

import base64
import json

import numpy as np
import pytest

from cepheid_conformance import vectors

STORED = {"float32": "<f4", "float64": "<f8", "int64": "<i8", "complex64": "<c8", "bool": "?"}


def calls_of(folder, op, *classes):
    assert vectors.main([str(folder), "-k", op, "--classes", *classes]) == 0
    lines = (folder / f"{op}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def array(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


def tensor(entry):
    kind = np.dtype(STORED[entry["dtype"]])
    flat = array(entry["storage"], kind)[entry["offset"] :]
    strides = [step * kind.itemsize for step in entry["strides"]]
    return np.lib.stride_tricks.as_strided(flat, entry["shape"], strides)


def value(result, field="value", kind=None):
    return array(result[field], kind or STORED[result["dtype"]]).reshape(result["shape"])


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64"])
def test_exact_results_are_what_numpy_gives(tmp_path, dtype):
    every = calls_of(tmp_path, "neg", "small", "special")
    calls = [call for call in every if call["dtype"] == dtype]
    assert len(calls) >= 3
    for call in calls:
        (result,) = call["results"]
        assert (result["dtype"], result["rung"]) == (dtype, "exact")
        assert np.array_equal(value(result), -tensor(call["arguments"]["self"]), equal_nan=True)


@pytest.mark.parametrize(("op", "function", "ulp"), [("exp", np.exp, 0.5), ("log", np.log, 1.0)])
def test_a_budget_is_about_the_real_number(tmp_path, op, function, ulp):
    calls = [call for call in calls_of(tmp_path, op, "small") if call["dtype"] == "float32"]
    assert calls
    for call in calls:
        (result,) = call["results"]
        x = tensor(call["arguments"]["self"]).astype(np.float64)
        wide = value(result, "high", "<f8") + value(result, "low", "<f8")
        near = np.abs(wide - value(result)) <= np.spacing(np.abs(value(result))) / 2
        assert np.allclose(wide, function(x), rtol=1e-14, atol=0)
        assert near.all()
        assert result["ulp"] == ulp


def test_a_bound_and_free_signs_are_given_for_each_element(tmp_path):
    calls = [call for call in calls_of(tmp_path, "sum", "small") if call["dtype"] == "float32"]
    bounded = [call["results"][0] for call in calls if call["results"][0]["rung"] == "bound"]
    assert bounded
    for result in bounded:
        assert value(result, "bound", "<f8").shape == tuple(result["shape"])
        assert value(result, "any_zero_sign", "?").all()


def test_numbers_that_json_lacks():
    assert vectors._argument([float("nan"), 0.1, 1j, 3, True, None]) == [
        {"float": "nan"},
        {"float": "0x1.999999999999ap-4"},
        {"complex": ["0x0.0p+0", "0x1.0000000000000p+0"]},
        3,
        True,
        None,
    ]


def test_a_name_that_no_op_has_fails(tmp_path):
    assert vectors.main([str(tmp_path), "-k", "no op"]) == 1
