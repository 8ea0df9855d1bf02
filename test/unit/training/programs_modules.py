"""Modules: names, walks, hooks, state, conversion, containers."""

import copy
from collections import OrderedDict

from programs import numbers, program, raised


def small_model(torch):
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(3, 4)
            self.inner = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(4))
            self.scale = nn.Parameter(torch.ones(4))
            self.absent = None
            self.register_buffer("seen", torch.zeros(2))
            self.register_buffer("passing", torch.zeros(1), persistent=False)
            self.register_parameter("nothing", None)

        def forward(self, x):
            return self.inner(self.first(x)) * self.scale

    torch.manual_seed(1)
    return Model()


@program
def names(torch):
    model = small_model(torch)
    return {
        "parameters": [name for name, _ in model.named_parameters()],
        "own": [name for name, _ in model.named_parameters("at", recurse=False)],
        "buffers": [name for name, _ in model.named_buffers()],
        "modules": [name for name, _ in model.named_modules()],
        "children": [name for name, _ in model.named_children()],
        "state": list(model.state_dict()),
        "prefixed": list(model.state_dict(prefix="at.")),
        "text": repr(model),
        "versions": dict(model.state_dict()._metadata),
    }


@program
def shared_parts(torch):
    nn = torch.nn
    layer = nn.Linear(2, 2)
    model = nn.ModuleDict({"a": layer, "b": layer, "c": nn.Linear(2, 2, bias=False)})
    model["c"].weight = layer.weight
    return {
        "parameters": [name for name, _ in model.named_parameters()],
        "all": [name for name, _ in model.named_parameters(remove_duplicate=False)],
        "modules": [name for name, _ in model.named_modules(remove_duplicate=False)],
        "state": list(model.state_dict()),
    }


@program
def hooks_of_forward(torch):
    model, seen = small_model(torch), []

    def before(module, args):
        seen.append(["before", type(module).__name__, len(args)])
        return args[0] * 2

    def before_all(module, args, kwargs):
        seen.append(["kwargs", sorted(kwargs)])
        return args, {}

    def after(module, args, result):
        seen.append(["after", list(result.shape)])
        return result + 1

    def always(module, args, result):
        seen.append(["always", result is None])

    handles = [
        model.register_forward_pre_hook(before),
        model.register_forward_pre_hook(before_all, with_kwargs=True, prepend=True),
        model.register_forward_hook(after),
        model.inner.register_forward_hook(always, always_call=True),
    ]
    x = torch.ones(2, 3)
    results = [numbers(model(x)), numbers(model(x))]
    seen.append(raised(lambda: model.inner(torch.ones(2, 5))))
    for handle in handles:
        handle.remove()
    model(x)
    return [seen, results]


@program
def hooks_of_backward(torch):
    layer, seen = torch.nn.Linear(2, 1), []
    with torch.no_grad():
        layer.weight.fill_(2.0)

    def before(module, grads):
        seen.append(["before", numbers(grads)])

    def after(module, inputs, outputs):
        seen.append(["after", numbers(inputs), numbers(outputs)])
        return (inputs[0] * 10,)

    layer.register_full_backward_pre_hook(before)
    layer.register_full_backward_hook(after)
    x = torch.ones(3, 2, requires_grad=True)
    layer(x).sum().backward()
    return [seen, numbers(x.grad), numbers(layer.weight.grad)]


@program
def hooks_of_state(torch):
    model, seen = small_model(torch), []
    model.register_state_dict_pre_hook(lambda m, prefix, keep: seen.append(["pre", prefix, keep]))
    model.register_state_dict_post_hook(lambda m, state, prefix, local: seen.append(list(state)))
    model.inner.register_load_state_dict_pre_hook(
        lambda module, state, prefix, *rest: seen.append([prefix, sorted(state)])
    )
    model.register_load_state_dict_post_hook(lambda m, keys: seen.append(list(keys.missing_keys)))
    state = model.state_dict()
    model.load_state_dict(state)
    return seen


@program
def loading(torch):
    model, other = small_model(torch), small_model(torch)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)
    kept = other.first.weight
    answer = other.load_state_dict(model.state_dict())
    state = model.state_dict()
    del state["scale"]
    state["more.weight"] = torch.ones(1)
    loose = other.load_state_dict(state, strict=False)
    errors = []
    for broken in (state, {**model.state_dict(), "scale": torch.ones(3)}):
        try:
            other.load_state_dict(broken)
        except RuntimeError as error:
            errors.append(sorted(word for word in ("scale", "more.weight") if word in str(error)))
    assigned = small_model(torch)
    assigned.load_state_dict(model.state_dict(), assign=True)
    return {
        "answer": [repr(answer), repr(loose), list(loose.missing_keys)],
        "same": other.first.weight is kept,
        "values": numbers(other.state_dict()),
        "errors": errors,
        "shares": assigned.scale.data_ptr() == model.scale.data_ptr(),
        "still": isinstance(assigned.scale, torch.nn.Parameter),
    }


@program
def conversion(torch):
    model = small_model(torch)
    weight = model.first.weight
    model(torch.ones(2, 3)).sum().backward()
    model.to(torch.float64)
    facts = [
        model.first.weight is weight,
        str(weight.dtype).split(".")[-1],
        str(weight.grad.dtype).split(".")[-1],
        str(model.inner[1].num_batches_tracked.dtype).split(".")[-1],
        str(model.inner[1].running_mean.dtype).split(".")[-1],
    ]
    model.float().half().bfloat16().double()
    model.to("cpu").to(device="cpu", dtype=torch.float32).to(torch.ones(1))
    facts.append(str(model.scale.dtype).split(".")[-1])
    facts.append(raised(lambda: model.to(torch.int64)))
    images = torch.nn.Conv2d(2, 3, 2).to(memory_format=torch.channels_last)
    facts.append(list(images.weight.stride()))
    return facts


@program
def modes_and_gradients(torch):
    model = small_model(torch)
    model.eval()
    modes = [module.training for module in model.modules()]
    model.train().inner.eval()
    modes += [module.training for module in model.modules()]
    model.requires_grad_(False)
    modes += [parameter.requires_grad for parameter in model.parameters()]
    model.requires_grad_()
    model.train()(torch.ones(2, 3)).sum().backward()
    model.zero_grad(set_to_none=False)
    sums = [float(parameter.grad.abs().sum()) for parameter in model.parameters()]
    model.zero_grad()
    seen = []
    model.apply(lambda module: seen.append(type(module).__name__))
    return [modes, sums, [parameter.grad is None for parameter in model.parameters()], seen]


@program
def parts_by_name(torch):
    model = small_model(torch)
    found = [
        type(model.get_submodule("inner.1")).__name__,
        list(model.get_parameter("first.weight").shape),
        list(model.get_buffer("inner.1.running_var").shape),
        raised(lambda: model.get_submodule("inner.7")),
        raised(lambda: model.get_parameter("first.nothing")),
        raised(lambda: model.get_buffer("scale")),
        raised(lambda: model.nowhere),
    ]
    del model.scale
    return [*found, hasattr(model, "scale"), list(model.state_dict())]


@program
def wrong_assignments(torch):
    nn, model = torch.nn, small_model(torch)

    class Early(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)

    class Plain(nn.Module):
        pass

    return [
        raised(lambda: setattr(model, "scale", torch.ones(4))),
        raised(lambda: setattr(model, "first", torch.ones(4))),
        raised(lambda: setattr(model, "seen", 3)),
        raised(lambda: setattr(model, "seen", None)),
        raised(lambda: model.register_parameter("a.b", None)),
        raised(lambda: model.register_parameter("", None)),
        raised(lambda: model.register_parameter("forward", None)),
        raised(lambda: model.register_parameter("x", torch.ones(1))),
        raised(lambda: model.register_parameter("x", 3)),
        raised(lambda: model.register_buffer("first", torch.ones(1))),
        raised(lambda: model.add_module("y", 3)),
        raised(lambda: model.add_module(3, None)),
        raised(Early),
        raised(lambda: Plain()(1)),
        raised(lambda: model.train(3)),
        raised(lambda: model.load_state_dict(3)),
        raised(lambda: nn.Linear(2, 2)(torch.ones(3))),
    ]


@program
def sequences(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    named = nn.Sequential(OrderedDict([("in", nn.Linear(2, 3)), ("out", nn.Linear(3, 1))]))
    short = model[:2]
    model.append(nn.Tanh()).insert(1, nn.Identity())
    kept = [len(model), repr(model), repr(short), list(named.state_dict()), repr(named[1:])]
    model[1] = nn.Sigmoid()
    del model[0]
    taken = model.pop(-1)
    model.extend([nn.ReLU(), nn.ReLU()])
    both = model + short
    return [
        *kept, repr(model), repr(taken), repr(both), [type(m).__name__ for m in model],
        raised(lambda: model[9]),
    ]  # fmt: skip


@program
def lists(torch):
    nn = torch.nn
    layers = nn.ModuleList([nn.Linear(2, 3), nn.ReLU(), nn.ReLU(), nn.Linear(3, 1)])
    layers += [nn.Tanh()]
    layers.insert(0, nn.Identity())
    text = [repr(layers), repr(layers[1:3]), len(layers)]
    del layers[1]
    table = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Linear(1, 1)})
    table["c"] = nn.Tanh()
    table.update([("d", nn.Identity())])
    table.pop("a")
    return [
        *text, list(layers.state_dict()), repr(table), list(table), "b" in table,
        [type(m).__name__ for m in table.values()], raised(lambda: layers(1)),
        raised(lambda: table["z"]),
    ]  # fmt: skip


@program
def parameter_lists(torch):
    nn = torch.nn
    some = nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(3)])
    some.append(torch.ones(1)).extend([nn.Parameter(torch.ones(2, 2))])
    some[0] = torch.full((2,), 3.0)
    table = nn.ParameterDict({"a": torch.ones(2), "b": nn.Parameter(torch.ones(1))})
    table["c"] = torch.zeros(2)
    del table["b"]
    return [
        list(some.state_dict()), [list(p.shape) for p in some.parameters()], len(some),
        numbers(some[0]), [type(p).__name__ for p in some], list(table.state_dict()), "a" in table,
        list(table.keys()), [type(p).__name__ for p in table.values()],
        repr(some),
    ]  # fmt: skip


@program
def parameters(torch):
    nn = torch.nn
    p = nn.Parameter(torch.arange(3.0))
    frozen = nn.Parameter(torch.ones(1), requires_grad=False)
    return [
        repr(p), repr(frozen), isinstance(p, torch.Tensor), isinstance(torch.ones(1), nn.Parameter),
        p.is_leaf, type(p * 2).__name__, type(p.data).__name__, type(p.detach()).__name__,
        type(p[0]).__name__, p.requires_grad, frozen.requires_grad, list(nn.Parameter().shape),
        isinstance(nn.Buffer(torch.ones(1)), nn.Buffer),
    ]  # fmt: skip


@program
def copies(torch):
    model = small_model(torch)
    model(torch.ones(2, 3)).sum().backward()
    twin = copy.deepcopy(model)
    with torch.no_grad():
        model.scale.add_(1)
    return [
        numbers(twin.scale), twin.scale.grad is not None, type(twin.scale).__name__,
        list(twin.state_dict()), repr(twin) == repr(model),
    ]  # fmt: skip


@program
def extra_state(torch):
    class Counter(torch.nn.Module):
        count = 0

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    one, two = torch.nn.Sequential(Counter()), torch.nn.Sequential(Counter())
    one[0].count = 5
    state = one.state_dict()
    two.load_state_dict(state)
    return [list(state), two[0].count, raised(lambda: two.load_state_dict({}))]


@program
def clipping(torch):
    utils, found = torch.nn.utils, []
    for norm in (2.0, 1.0, float("inf")):
        ps = [torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.zeros(1))]
        ps[0].grad = torch.tensor([3.0, -4.0])
        found.append(numbers([utils.clip_grad_norm_(ps, 2.5, norm), ps[0].grad]))
    ps[0].grad = torch.tensor([float("nan"), 1.0])
    found.append(raised(lambda: utils.clip_grad_norm_(ps, 1.0, error_if_nonfinite=True)))
    ps[0].grad = torch.tensor([3.0, -0.25])
    utils.clip_grad_value_(ps, 0.5)
    found.append(numbers(ps[0].grad))
    found.append(numbers(utils.clip_grad_norm_(iter(ps), 0.1)))
    found.append(numbers(utils.clip_grad_norm_([], 0.1)))
    found.append(numbers(utils.get_total_norm([torch.ones(4), torch.ones(5)])))
    vector = utils.parameters_to_vector([torch.ones(2, 2), torch.zeros(3)])
    utils.vector_to_parameters(torch.arange(3.0), ps)
    return [*found, numbers(vector), numbers(ps), raised(lambda: utils.clip_grad_value_(3, 1.0))]
