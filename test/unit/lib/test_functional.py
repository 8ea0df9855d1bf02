"""nn.functional: the signatures that users know, over the ops."""

import pytest

import cepheid as torch
from cepheid.nn import functional


def test_relu_in_place_gives_its_operand():
    x = torch.tensor([-1.0, 2.0])
    assert functional.relu(x).tolist() == [0.0, 2.0] and x.tolist() == [-1.0, 2.0]
    assert functional.relu(x, inplace=True) is x and x.tolist() == [0.0, 2.0]


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_takes_a_dim_and_a_dtype(name):
    x = torch.tensor([[0.0, 1.0], [2.0, 2.0]])
    function, op = getattr(functional, name), getattr(torch, name)
    assert function(x, dim=1).tolist() == op(x, 1).tolist()
    assert function(x, 0, dtype=torch.float64).dtype == torch.float64
    with pytest.raises(TypeError, match=rf"^{name}: dim must be an int; got None"):
        function(x)


def test_layer_norm_takes_weights_after_the_shape():
    x = torch.tensor([[1.0, 3.0]])
    weight, bias = torch.tensor([2.0, 2.0]), torch.tensor([1.0, 0.0])
    assert functional.layer_norm(x, (2,), weight, bias, 0.0).tolist() == [[-1.0, 2.0]]


def test_embedding_takes_indices_first():
    weight = torch.tensor([[1.0], [2.0], [3.0]])
    assert functional.embedding(torch.tensor([[2, 0]]), weight).tolist() == [[[3.0], [1.0]]]
    assert functional.embedding(torch.tensor([1]), weight, padding_idx=1).tolist() == [[2.0]]
    with pytest.raises(IndexError, match=r"^embedding: "):
        functional.embedding(torch.tensor([3]), weight)


def test_embedding_scales_long_rows_in_the_weight_itself():
    weight = torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    found = functional.embedding(torch.tensor([0, 1, 0]), weight, max_norm=1.0)
    assert torch.linalg.vector_norm(weight, 2, 1).tolist() == pytest.approx([1.0, 0.5, 10.0])
    assert found[0].tolist() == found[2].tolist() == weight[0].tolist()
    functional.embedding(torch.tensor([2]), weight, max_norm=7.0, norm_type=1.0)
    assert weight[2].tolist() == pytest.approx([3.0, 4.0])


def test_max_pool2d_gives_places_when_asked():
    x = torch.arange(16.0).reshape(1, 4, 4)
    assert functional.max_pool2d(x, 2).tolist() == [[[5.0, 7.0], [13.0, 15.0]]]
    values, places = functional.max_pool2d(x, 2, stride=2, return_indices=True)
    assert values.tolist() == [[[5.0, 7.0], [13.0, 15.0]]]
    assert places.tolist() == [[[5, 7], [13, 15]]]


def test_batch_norm_moves_its_running_statistics():
    x = torch.tensor([[[1.0, 3.0]], [[5.0, 7.0]]])
    mean, variance = torch.tensor([2.0]), torch.tensor([1.0])
    versions = mean._version, variance._version
    functional.batch_norm(x, mean, variance, training=True, momentum=0.25, eps=0.0)
    assert mean.tolist() == [2.5]  # 3/4 of 2, 1/4 of 4
    assert variance.tolist() == pytest.approx([0.75 + 20 / 3 / 4])
    assert mean._version > versions[0] and variance._version > versions[1]
    before = mean.tolist(), variance.tolist()
    functional.batch_norm(x, mean, variance)
    assert (mean.tolist(), variance.tolist()) == before


def test_attention_drops_weights_and_scales_the_others():
    torch.manual_seed(1)
    query, key = torch.zeros(1, 200, 4), torch.zeros(1, 50, 4)
    found = functional.scaled_dot_product_attention(query, key, torch.ones(1, 50, 1), dropout_p=0.5)
    kept = (found * 25).flatten().tolist()  # how many of 50 equal weights are left
    assert all(abs(count - round(count)) < 1e-3 for count in kept)
    assert 24 < sum(kept) / 200 < 26 and len({round(count) for count in kept}) > 5
    value = torch.ones(1, 50, 1)
    dropped = functional.scaled_dot_product_attention(query, key, value, dropout_p=1.0)
    assert dropped.abs().sum().item() == 0


def test_every_name_is_there():
    assert all(hasattr(functional, name) for name in functional.__all__)
    assert len(set(functional.__all__)) == len(functional.__all__)
    assert functional.gelu.__module__ == "cepheid.nn.functional"
