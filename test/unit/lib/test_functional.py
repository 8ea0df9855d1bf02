"""nn.functional: the signatures that users know, over the ops."""

import pytest

import cepheid as torch
import cepheid.nn.functional as F  # noqa: N812  # the name that programs use


def test_relu_in_place_gives_its_operand():
    x = torch.tensor([-1.0, 2.0])
    assert F.relu(x).tolist() == [0.0, 2.0] and x.tolist() == [-1.0, 2.0]
    assert F.relu(x, inplace=True) is x and x.tolist() == [0.0, 2.0]


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_takes_a_dim_and_a_dtype(name):
    x = torch.tensor([[0.0, 1.0], [2.0, 2.0]])
    function, op = getattr(F, name), getattr(torch, name)
    assert function(x, dim=1).tolist() == op(x, 1).tolist()
    assert function(x, 0, dtype=torch.float64).dtype == torch.float64
    with pytest.raises(TypeError, match=rf"^{name}: dim must be an int; got None"):
        function(x)


def test_layer_norm_takes_weights_after_the_shape():
    x = torch.tensor([[1.0, 3.0]])
    weight, bias = torch.tensor([2.0, 2.0]), torch.tensor([1.0, 0.0])
    assert F.layer_norm(x, (2,), weight, bias, 0.0).tolist() == [[-1.0, 2.0]]


def test_embedding_takes_indices_first():
    weight = torch.tensor([[1.0], [2.0], [3.0]])
    assert F.embedding(torch.tensor([[2, 0]]), weight).tolist() == [[[3.0], [1.0]]]
    assert F.embedding(torch.tensor([1]), weight, padding_idx=1).tolist() == [[2.0]]
    with pytest.raises(NotImplementedError, match=r"^embedding: max_norm"):
        F.embedding(torch.tensor([0]), weight, max_norm=1.0)
    with pytest.raises(IndexError, match=r"^embedding: "):
        F.embedding(torch.tensor([3]), weight)


def test_max_pool2d_gives_places_when_asked():
    x = torch.arange(16.0).reshape(1, 4, 4)
    assert F.max_pool2d(x, 2).tolist() == [[[5.0, 7.0], [13.0, 15.0]]]
    values, places = F.max_pool2d(x, 2, stride=2, return_indices=True)
    assert values.tolist() == [[[5.0, 7.0], [13.0, 15.0]]]
    assert places.tolist() == [[[5, 7], [13, 15]]]


def test_every_name_is_there():
    assert all(hasattr(F, name) for name in F.__all__)
    assert len(set(F.__all__)) == len(F.__all__)
    assert F.gelu.__module__ == "cepheid.nn.functional"
