"""One value per op family, and every op on a small contiguous and a small strided input."""

import pytest

import cepheid as torch

REAL = [
    torch.uint8,
    torch.int16,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
]
UNARY = [
    "neg",
    "abs",
    "exp",
    "log",
    "sqrt",
    "tanh",
    "sigmoid",
    "relu",
    "logical_not",
    "isnan",
    "clone",
    "nonzero",
    "argsort",
    "t",
]
BINARY = [
    "add",
    "sub",
    "mul",
    "div",
    "floor_divide",
    "maximum",
    "minimum",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "pow",
    "mm",
    "matmul",
]


def square(dtype, strided):
    x = torch.tensor([[1, 2, 3, 4], [2, 1, 4, 3], [3, 1, 2, 1], [1, 1, 1, 2]]).to(dtype)
    return x.t()[::2, ::2] if strided else x[:2, :2].clone()


@pytest.mark.parametrize("strided", [False, True], ids=["contiguous", "strided"])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_every_pointwise_and_matrix_op_runs_on(dtype, strided):
    x = square(dtype, strided)
    for name in UNARY:
        assert getattr(torch, name)(x).numel() >= 4, name
    for name in BINARY:
        result = getattr(torch, name)(x, x)
        assert result.shape == (2, 2), name
        again = getattr(torch, name)(x.contiguous(), x.contiguous())
        assert torch.equal(result, again), name


@pytest.mark.parametrize("strided", [False, True], ids=["contiguous", "strided"])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_every_reduction_scan_and_index_op_runs_on(dtype, strided):
    x = square(dtype, strided)
    index = torch.tensor([[1, 0], [0, 1]])
    assert x.sum().item() == sum(map(sum, x.tolist()))
    assert x.sum(0, keepdim=True).shape == (1, 2)
    assert x.amax(1).tolist() == [max(row) for row in x.tolist()]
    assert x.argmax().shape == () and bool(x.any())
    assert x.cumsum(1)[:, 0].tolist() == x[:, 0].tolist()
    assert x.gather(1, index)[0].tolist() == x[0].tolist()[::-1]
    assert torch.equal(x.index_select(0, index[0]), x[index[0]])
    assert torch.cat([x, x]).shape == (4, 2)
    assert torch.where(x > 1, x, 0).tolist() == [[v if v > 1 else 0 for v in r] for r in x.tolist()]
    assert x.masked_fill(x > 1, 9).amax().item() == 9
    assert x.sort(descending=True).values[0].tolist() == sorted(x[0].tolist(), reverse=True)
    y = x.clone()
    y[x > 1] = 0
    assert y.amax().item() == 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_norm_and_convolution(dtype):
    x = torch.arange(12.0).to(dtype).reshape(3, 4)
    assert abs(torch.softmax(x, 1).sum().item() - 3.0) < 0.02
    assert torch.layer_norm(x, (4,)).shape == (3, 4)
    image, weight = torch.ones(1, 1, 4, 4, dtype=dtype), torch.ones(2, 1, 3, 3, dtype=dtype)
    assert torch.conv2d(image, weight).tolist() == [[[[9.0, 9.0], [9.0, 9.0]]] * 2]
    assert torch.conv2d(image, weight, padding=1)[0, 0, 0].tolist() == [4.0, 6.0, 6.0, 4.0]


def test_complex():
    z = torch.tensor([3 + 4j, -1j])
    assert z.abs().tolist() == [5.0, 1.0]
    assert (z * z).tolist() == [(-7 + 24j), (-1 + 0j)]
    assert z.sum().item() == 3 + 3j


def test_promotion():
    i, f = torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.float16)
    assert (i + 1).dtype == torch.int32 and (i + 1.0).dtype == torch.float32
    assert (i + f).dtype == torch.float16
    assert (i / i).dtype == torch.float32 and (i == i).dtype == torch.bool


def test_random_draws_are_pytorchs():
    torch.manual_seed(0)
    assert torch.rand(2).tolist() == [0.49625658988952637, 0.7682217955589294]
    torch.manual_seed(0)
    assert torch.randint(0, 10, (5,)).tolist() == [4, 9, 3, 0, 3]
    torch.manual_seed(0)
    assert torch.randperm(5).tolist() == [4, 0, 1, 3, 2]
    torch.manual_seed(0)
    assert torch.randn(2).tolist() == pytest.approx([1.5409961, -0.2934289], rel=1e-6)


if __name__ == "__main__":
    from tools.runner import run_this_file

    run_this_file()
