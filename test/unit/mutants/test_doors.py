"""A fault is behind every public name of its op, and behind no other."""

import pytest

import cepheid as torch


def values(tensor):
    return [item.item() for item in tensor.reshape(-1)]


def test_function_method_operator_in_place_and_out_are_all_affected(mutated):
    one, two = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    out = torch.empty(2)
    with mutated("sub.Tensor/value/swapped"):
        results = [torch.sub(one, two), one.sub(two), one - two, torch.sub(one, two, out=out)]
        in_place = one.clone().sub_(two)
        operated = one.clone()
        operated -= two
    assert [values(result) for result in results] == [[2.0, 2.0]] * 4
    assert results[3] is out
    assert values(in_place) == values(operated) == [2.0, 2.0]


def test_other_ops_and_other_overloads_stay(mutated):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    with mutated("sum.dim_IntList/value/zeros"):
        assert values(torch.sum(x)) == [10.0]
        assert values(x.sum(1)) == [0.0, 0.0]
        assert values(x.mean(1)) == [1.5, 3.5]
    assert values(x.sum(1)) == [3.0, 7.0]


def test_dims_are_no_flag_and_a_tensor_is_no_number(mutated):
    x = torch.tensor([[1.0, 3.0], [3.0, 5.0]])
    with mutated("var.dim/value/zeros"):
        assert values(x.var(1)) == [0.0, 0.0]
        assert values(x.var(False)) == [2.0]
        assert values(x.var(1, correction=0)) == [1.0, 1.0]
    with mutated("bernoulli_.Tensor/alias/in_place_nothing"):
        assert values(torch.zeros(2).bernoulli_(torch.ones(2))) == [0.0, 0.0]
        assert values(torch.zeros(2).bernoulli_(1.0)) == [1.0, 1.0]


def test_an_in_place_fault_keeps_object_and_counts_the_version(mutated):
    x = torch.tensor([1.0, 2.0])
    with mutated("add.Tensor/value/zeros"):
        result = x.add_(1.0)
    assert result is x
    assert values(x) == [0.0, 0.0]
    assert x._version == 1


def test_a_reflected_operator_keeps_the_order_of_its_operands(mutated):
    x = torch.tensor([1.0, 2.0])
    with mutated("sub.Tensor/value/plus_one"):
        assert values(5.0 - x) == [5.0, 4.0]


def test_index_expressions_reach_the_internal_ops(mutated):
    x = torch.tensor([1.0, 2.0, 3.0])
    chosen = torch.tensor([2, 0])
    with mutated("index.Tensor/value/reversed"):
        assert values(x[chosen]) == [1.0, 3.0]
        assert values(x[1:]) == [2.0, 3.0]


def test_the_elements_of_a_loss_are_the_loss_without_a_fold(mutated):
    x, y = torch.tensor([1.0, 3.0]), torch.tensor([0.0, 1.0])
    functional = torch.nn.functional
    with mutated("_squared_difference/value/zeros"):
        assert values(functional.mse_loss(x, y, reduction="none")) == [0.0, 0.0]
        assert values(functional.mse_loss(x, y, reduction="sum")) == [5.0]
    with mutated("_log_divergence/value/zeros"):
        logs = functional.kl_div(y, x, reduction="none", log_target=True)
        assert values(logs) == [0.0, 0.0]
        assert values(functional.kl_div(y, x, reduction="none")) != [0.0, 0.0]


def test_lists_of_tensors_are_no_lists_of_numbers(mutated):
    def lists():
        return [torch.tensor([1.0, 2.0])], [torch.tensor([3.0, 4.0])]

    one, two = lists()
    with mutated("_foreach_add.ScalarList/value/zeros"):
        assert values(torch._foreach_add(one, [1.0])[0]) == [0.0, 0.0]
        assert values(torch._foreach_add(one, two)[0]) == [4.0, 6.0]
        assert values(torch._foreach_add(one, 1.0)[0]) == [2.0, 3.0]


@pytest.mark.parametrize("fault", ["in_place_copy", "in_place_nothing", "version_kept"])
def test_in_place_faults_of_lists_are_behind_the_function(mutated, fault):
    one, two = [torch.tensor([1.0, 2.0])], [torch.tensor([3.0, 4.0])]
    with mutated(f"_foreach_add.List/alias/{fault}"):
        result = torch._foreach_add_(one, two)
    assert (result[0] is one[0]) == (fault != "in_place_copy")
    assert values(one[0]) == ([1.0, 2.0] if fault == "in_place_nothing" else [4.0, 6.0])
    assert (one[0]._version > 0) == (fault == "in_place_copy")


def test_an_unknown_mutant_is_refused(mutated):
    with pytest.raises(LookupError, match=r"no mutant is called 'add\.Tensor/value/none'"):
        mutated("add.Tensor/value/none").__enter__()
