"""The top namespace, seeding, finfo and iinfo."""

import math
import subprocess
import sys

import numpy as np
import pytest

import cepheid as torch


def test_public_names_exist():
    missing = [name for name in torch.__all__ if not hasattr(torch, name)]
    assert not missing
    for name in ("add", "matmul", "float32", "strided", "preserve_format", "Tensor", "arange"):
        assert name in torch.__all__


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = torch.no_such_name


@pytest.mark.parametrize("device", ["xpu", "mps", "mtia", "cuda"])
def test_absent_devices_say_so(device):
    module = getattr(torch, device)
    assert module.is_available() is False and module.device_count() == 0
    assert getattr(torch, device) is module


def test_cpu_is_there():
    assert torch.cpu.is_available() and torch.cpu.device_count() == 1
    assert torch.cpu.get_isa() in ("scalar", "avx2", "avx512")


def test_import_loads_no_numpy_and_no_lazy_module():
    code = (
        "import sys, cepheid; "
        "print([m for m in ('numpy', 'cepheid.testing', 'cepheid.overrides', 'typing_extensions')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_finfo_agrees_with_numpy(name):
    ours, theirs = torch.finfo(getattr(torch, name)), np.finfo(name)
    for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal"):
        assert getattr(ours, field) == float(getattr(theirs, field)), field
    assert ours.resolution == float(f"{theirs.resolution:.0e}") and ours.dtype == name


def test_finfo_of_bfloat16_and_float8():
    b = torch.finfo(torch.bfloat16)
    assert (b.eps, b.max, b.tiny) == (2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126)
    assert torch.finfo(torch.float8_e4m3fn).max == 448.0
    assert torch.finfo(torch.float8_e5m2).max == 57344.0
    assert repr(torch.finfo(torch.float32)) == (
        "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
        "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)"
    )


def test_finfo_of_complex_is_of_its_parts():
    assert torch.finfo(torch.complex64) == torch.finfo(torch.float32)
    assert torch.finfo() == torch.finfo(torch.float32)


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint64"])
def test_iinfo_agrees_with_numpy(name):
    ours, theirs = torch.iinfo(getattr(torch, name)), np.iinfo(name)
    assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)


def test_infos_refuse_the_wrong_kind():
    with pytest.raises(TypeError, match="use iinfo"):
        torch.finfo(torch.int32)
    with pytest.raises(TypeError, match="use finfo"):
        torch.iinfo(torch.float32)


def test_seed_decides_the_draws():
    torch.manual_seed(7)
    first = torch.rand(5)
    assert torch.initial_seed() == 7
    torch.manual_seed(7)
    assert torch.equal(torch.rand(5), first)
    assert not torch.equal(torch.rand(5), first)


def test_state_is_saved_and_restored():
    state = torch.get_rng_state()
    assert state.dtype == torch.uint8 and state.shape == (5056,)
    first = torch.randn(3)
    torch.set_rng_state(state)
    assert torch.equal(torch.randn(3), first)


def test_fork_rng_restores_even_after_an_error():
    torch.manual_seed(1)
    expected = torch.rand(2)
    torch.manual_seed(1)
    with pytest.raises(ZeroDivisionError), torch.fork_rng():
        torch.rand(100)
        _ = 1 / 0
    assert torch.equal(torch.rand(2), expected)


def test_seed_from_entropy_differs():
    assert torch.seed() != torch.seed()


def test_constants():
    assert (torch.pi, torch.e, torch.inf) == (math.pi, math.e, math.inf)
    assert math.isnan(torch.nan) and torch.newaxis is None


def test_questions_about_a_tensor():
    x = torch.ones(2, 3)
    assert torch.numel(x) == 6
    assert torch.is_floating_point(x) and not torch.is_complex(x) and torch.is_signed(x)
    assert torch.is_tensor(x) and not torch.is_tensor(1)


def test_numpy_functions_give_tensors_of_tensors():
    result = np.multiply(torch.tensor([1.0, 2.0]), np.array([3.0, 4.0], dtype=np.float32))
    assert type(result) is torch.Tensor and result.tolist() == [3.0, 8.0]


def test_shape_methods_of_other():
    x, like = torch.arange(6), torch.empty(2, 3)
    assert x.view_as(like).shape == x.reshape_as(like).shape == (2, 3)
    assert torch.ones(3).expand_as(like).shape == (2, 3)


if __name__ == "__main__":
    from tools.runner import run_this_file

    run_this_file()
