"""Layers: first values from a seed, names, text, results and gradients."""

from programs import numbers, program, programs_of


def layer_facts(torch, make, *sizes, index=None):
    """All that a layer shows: `make(nn)` called with normal inputs of `sizes`."""
    torch.manual_seed(7)
    layer = make(torch.nn)
    if index is not None:
        inputs = [torch.randint(0, index, sizes[0])]
    else:
        inputs = [torch.randn(*size, requires_grad=True) for size in sizes]
    result = layer(*inputs)
    parts = result if isinstance(result, tuple) else (result,)
    sum((part**3 + part).sum() for part in flat(parts)).backward()
    return {
        "state": numbers(layer.state_dict()),
        "text": repr(layer),
        "result": numbers(result),
        "gradients": {name: numbers(p.grad) for name, p in layer.named_parameters()},
        "of inputs": [numbers(x.grad) for x in inputs if x.requires_grad],
        "draw": torch.rand(1).item(),
    }


def flat(parts):
    for part in parts:
        if isinstance(part, tuple | list):
            yield from flat(part)
        elif part is not None:
            yield part


ACTIVATIONS = {
    "ReLU": (), "ReLU6": (), "SELU": (), "SiLU": (), "Mish": (), "Hardswish": (), "Hardsigmoid": (),
    "Hardtanh": (-0.5, 0.7), "ELU": (0.5,), "CELU": (0.5,), "LeakyReLU": (0.2,),
    "Threshold": (0.1, 2.0), "GELU": ("tanh",), "Sigmoid": (), "Tanh": (), "Tanhshrink": (),
    "Softsign": (), "LogSigmoid": (), "Softplus": (2.0, 1.0), "Softshrink": (0.3,),
    "Hardshrink": (0.3,), "PReLU": (6,), "GLU": (1,), "Softmax": (1,), "LogSoftmax": (0,),
    "Softmin": (1,), "Identity": (), "Flatten": (0,),
}  # fmt: skip


@programs_of({name: (name, args) for name, args in ACTIVATIONS.items()})
def activation(torch, case):
    name, args = case
    return layer_facts(torch, lambda nn: getattr(nn, name)(*args), (4, 6))


LAYERS = {
    "linear": (lambda nn: nn.Linear(5, 3), (4, 5)),
    "linear of rows": (lambda nn: nn.Linear(5, 3, bias=False), (2, 4, 5)),
    "bilinear": (lambda nn: nn.Bilinear(3, 4, 2), (5, 3), (5, 4)),
    "conv1d": (lambda nn: nn.Conv1d(3, 4, 3, stride=2, padding=1), (2, 3, 9)),
    "conv1d circular": (
        lambda nn: nn.Conv1d(2, 2, 3, padding=1, padding_mode="circular"),
        (1, 2, 5),
    ),
    "conv2d": (lambda nn: nn.Conv2d(3, 4, (3, 2), dilation=(1, 2)), (2, 3, 6, 7)),
    "conv2d groups": (lambda nn: nn.Conv2d(4, 6, 3, 2, 1, groups=2, bias=False), (1, 4, 6, 6)),
    "conv2d same": (lambda nn: nn.Conv2d(2, 2, 3, padding="same"), (1, 2, 5, 5)),
    "conv2d same, even": (lambda nn: nn.Conv2d(2, 2, 2, padding="same"), (1, 2, 5, 5)),
    "conv2d reflect": (
        lambda nn: nn.Conv2d(1, 2, 3, padding=1, padding_mode="reflect"),
        (1, 1, 4, 4),
    ),
    "batch norm 1d": (lambda nn: nn.BatchNorm1d(3), (5, 3)),
    "batch norm of lengths": (lambda nn: nn.BatchNorm1d(3, affine=False), (5, 3, 4)),
    "batch norm 2d": (lambda nn: nn.BatchNorm2d(2, momentum=None), (3, 2, 2, 2)),
    "batch norm untracked": (lambda nn: nn.BatchNorm2d(2, track_running_stats=False), (3, 2, 2, 2)),
    "layer norm": (lambda nn: nn.LayerNorm(4), (3, 4)),
    "layer norm plain": (lambda nn: nn.LayerNorm((2, 4), elementwise_affine=False), (3, 2, 4)),
    "layer norm no bias": (lambda nn: nn.LayerNorm(4, bias=False), (3, 4)),
    "rms norm": (lambda nn: nn.RMSNorm(4, eps=1e-5), (3, 4)),
    "group norm": (lambda nn: nn.GroupNorm(2, 4), (3, 4, 2)),
    "max pool": (lambda nn: nn.MaxPool2d(3, 2, 1), (1, 2, 6, 6)),
    "max pool 1d": (lambda nn: nn.MaxPool1d(2), (1, 2, 6)),
    "average pool": (lambda nn: nn.AvgPool2d(2, padding=1), (1, 2, 5, 5)),
    "average pool 1d": (lambda nn: nn.AvgPool1d(2, 1), (1, 2, 5)),
    "adaptive pool": (lambda nn: nn.AdaptiveAvgPool2d((2, None)), (1, 2, 5, 3)),
    "adaptive pool 1d": (lambda nn: nn.AdaptiveAvgPool1d(2), (1, 2, 5)),
    "dropout": (lambda nn: nn.Dropout(0.3), (4, 5)),
    "dropout of channels": (lambda nn: nn.Dropout2d(0.5), (3, 4, 2, 2)),
    "unflatten": (lambda nn: nn.Unflatten(1, (2, 3)), (2, 6)),
    "in order": (
        lambda nn: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2)),
        (3, 4),
    ),
    "rnn": (lambda nn: nn.RNN(3, 4, 2, nonlinearity="relu", batch_first=True), (2, 5, 3)),
    "lstm": (lambda nn: nn.LSTM(3, 4, 2, dropout=0.2), (5, 2, 3)),
    "lstm both ways": (lambda nn: nn.LSTM(3, 2, bidirectional=True, bias=False), (4, 2, 3)),
    "lstm of one": (lambda nn: nn.LSTM(3, 2), (4, 3)),
    "lstm projected": (lambda nn: nn.LSTM(3, 4, proj_size=2), (4, 2, 3)),
    "gru": (lambda nn: nn.GRU(3, 4, 2), (5, 2, 3)),
    "gru both ways": (lambda nn: nn.GRU(3, 2, bidirectional=True, batch_first=True), (2, 4, 3)),
    "rnn cell": (lambda nn: nn.RNNCell(3, 4), (2, 3)),
    "lstm cell": (lambda nn: nn.LSTMCell(3, 4), (2, 3)),
    "gru cell": (lambda nn: nn.GRUCell(3, 4), (2, 3)),
    "attention": (lambda nn: nn.MultiheadAttention(4, 2), (5, 2, 4), (6, 2, 4), (6, 2, 4)),
    "attention of other widths": (
        lambda nn: nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True, bias=False),
        (2, 5, 4),
        (2, 6, 3),
        (2, 6, 5),
    ),
    "encoder layer": (
        lambda nn: nn.TransformerEncoderLayer(4, 2, 8, 0.1, batch_first=True),
        (2, 5, 4),
    ),
    "encoder layer, norm first": (
        lambda nn: nn.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", norm_first=True),
        (5, 2, 4),
    ),
    "encoder": (
        lambda nn: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True), 2, nn.LayerNorm(4)
        ),
        (2, 5, 4),
    ),
}


@programs_of(LAYERS)
def layer(torch, case):
    make, *sizes = case
    return layer_facts(torch, make, *sizes)


@program
def embedding(torch):
    return layer_facts(torch, lambda nn: nn.Embedding(7, 3, padding_idx=-2), (2, 5), index=7)


@program
def embedding_given(torch):
    table = torch.arange(12.0).reshape(4, 3)
    layer = torch.nn.Embedding.from_pretrained(table, max_norm=5.0)
    result = layer(torch.tensor([1, 3, 3]))
    return [numbers(result), layer.weight.requires_grad, repr(layer), numbers(layer.weight)]


LOSSES = {
    "L1Loss": {}, "MSELoss": {"reduction": "sum"}, "SmoothL1Loss": {"beta": 0.5},
    "HuberLoss": {"delta": 0.3, "reduction": "none"}, "BCELoss": {}, "BCEWithLogitsLoss": {},
    "KLDivLoss": {"reduction": "batchmean"}, "SoftMarginLoss": {},
}  # fmt: skip


@programs_of({name: (name, options) for name, options in LOSSES.items()})
def loss(torch, case):
    name, options = case
    torch.manual_seed(3)
    x, y = torch.rand(4, 3, requires_grad=True), torch.rand(4, 3)
    layer = getattr(torch.nn, name)(**options)
    value = layer(x, y)
    value.sum().backward()
    return [numbers(value), numbers(x.grad), repr(layer)]


CLASS_LOSSES = {
    "NLLLoss": {"ignore_index": 1},
    "CrossEntropyLoss": {"label_smoothing": 0.1},
}


@programs_of({name: (name, options) for name, options in CLASS_LOSSES.items()})
def class_loss(torch, case):
    name, options = case
    torch.manual_seed(3)
    x = torch.randn(4, 3, requires_grad=True)
    value = getattr(torch.nn, name)(**options)(x, torch.tensor([0, 1, 2, 2]))
    value.backward()
    return [numbers(value), numbers(x.grad)]


@program
def cross_entropy_weights(torch):
    torch.manual_seed(3)
    x = torch.randn(4, 3, requires_grad=True)
    layer = torch.nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5]), reduction="sum")
    value = layer(x, torch.tensor([0, 1, 2, 2]))
    value.backward()
    return [numbers(value), numbers(x.grad), numbers(layer.state_dict())]


@program
def first_values(torch):
    init, found = torch.nn.init, {}
    for name, arguments in {
        "uniform_": (-1.0, 2.0), "normal_": (1.0, 0.5), "kaiming_uniform_": (), "eye_": (),
        "kaiming_normal_": (0, "fan_out", "relu"), "xavier_uniform_": (2.0,), "xavier_normal_": (),
        "trunc_normal_": (0.0, 1.0, -0.5, 1.0), "constant_": (3.0,), "ones_": (), "zeros_": (),
    }.items():  # fmt: skip
        torch.manual_seed(11)
        found[name] = numbers(getattr(init, name)(torch.empty(3, 5), *arguments))
    gains = ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")
    found["gains"] = [init.calculate_gain(name) for name in gains]
    return found


@program
def masked_attention(torch):
    torch.manual_seed(5)
    layer = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    x = torch.randn(2, 3, 4)
    padding = torch.tensor([[False, False, True], [False, False, False]])
    causal = torch.full((3, 3), float("-inf")).triu(1)
    result, weights = layer(x, x, x, key_padding_mask=padding, need_weights=True)
    other, each = layer(x, x, x, attn_mask=causal, average_attn_weights=False)
    last, none = layer(x, x, x, attn_mask=causal, is_causal=True, need_weights=False)
    return [*numbers([result, weights, other, each, last]), none]


@program
def recurrent_states(torch):
    torch.manual_seed(5)
    layer = torch.nn.LSTM(3, 4, 2, bidirectional=True)
    states = torch.randn(4, 2, 4), torch.randn(4, 2, 4)
    result, (h, c) = layer(torch.randn(5, 2, 3), states)
    gru = torch.nn.GRU(3, 4)
    last = gru(torch.randn(5, 2, 3), torch.randn(1, 2, 4))
    cell = torch.nn.LSTMCell(3, 4)
    step = cell(torch.randn(3), (torch.randn(4), torch.randn(4)))
    return numbers([result, h, c, last, step])


@program
def in_evaluation(torch):
    torch.manual_seed(2)
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(0.5))
    x = torch.randn(2, 1, 5, 5)
    model(x)
    model.eval()
    with torch.no_grad():
        first = model(x)
    modes = [module.training for module in model.modules()]
    model.train()
    return [numbers(first), modes, numbers(model(x)), numbers(model.state_dict())]
