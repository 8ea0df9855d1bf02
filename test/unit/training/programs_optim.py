"""Optimisers and schedules."""

import math

from programs import numbers, program, programs_of, raised, warned

OPTIMISERS = {
    "sgd": ("SGD", {"lr": 0.1}),
    "sgd momentum": ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01}),
    "sgd nesterov": ("SGD", {"lr": 0.01, "momentum": 0.9, "nesterov": True, "maximize": True}),
    "sgd foreach": ("SGD", {"lr": 0.1, "momentum": 0.9, "foreach": True}),
    "sgd fused": ("SGD", {"lr": 0.1, "momentum": 0.9, "fused": True}),
    "adam": ("Adam", {"lr": 0.1}),
    "adam amsgrad": (
        "Adam",
        {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1, "betas": (0.5, 0.7)},
    ),
    "adam maximize": ("Adam", {"lr": 0.1, "maximize": True, "eps": 1e-3}),
    "adam foreach": ("Adam", {"lr": 0.1, "foreach": True}),
    "adam fused": ("Adam", {"lr": 0.1, "fused": True, "amsgrad": True}),
    "adamw": ("AdamW", {"lr": 0.1, "weight_decay": 0.1}),
    "adamw fused": ("AdamW", {"lr": 0.1, "fused": True}),
    "rmsprop": ("RMSprop", {"lr": 0.1}),
    "rmsprop centered": ("RMSprop", {"centered": True, "momentum": 0.5, "weight_decay": 0.1}),
    "adagrad": ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5}),
}


def problem(torch, dtype):
    """Two parameters that matter, one that never gets a gradient, and a loss."""
    a = torch.nn.Parameter(torch.arange(6, dtype=dtype).reshape(2, 3) * 0.4 - 1)
    b = torch.nn.Parameter(torch.tensor([0.5, -2.0], dtype=dtype))
    unused = torch.nn.Parameter(torch.ones(2, dtype=dtype))
    return [a, b, unused], lambda: ((a.sum(1) - b) ** 2).sum() + (a**2).sum().sin()


def run_steps(torch, make, dtype, count=5):
    params, loss = problem(torch, dtype)
    optimizer, losses = make(params), []
    for _ in range(count):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return optimizer, params, losses


def small_state(optimizer):
    state = optimizer.state_dict()
    return {"state": numbers(state["state"]), "groups": numbers(state["param_groups"])}


@programs_of(OPTIMISERS)
def optimiser(torch, case):
    name, options = case
    make = getattr(torch.optim, name)
    found = []
    for dtype in (torch.float64, torch.float32):
        optimizer, params, losses = run_steps(torch, lambda ps: make(ps, **options), dtype)
        found.append([losses, numbers(params), small_state(optimizer)])
    return [*found, repr(optimizer)]


@programs_of(OPTIMISERS)
def goes_on(torch, case):
    """A state that is loaded goes on where it was."""
    name, options = case
    make = getattr(torch.optim, name)
    first, params, _ = run_steps(torch, lambda ps: make(ps, **options), torch.float64)
    second = make([p.detach().clone().requires_grad_() for p in params], lr=7.0)
    second.load_state_dict(first.state_dict())
    for optimizer in (first, second):
        for p in optimizer.param_groups[0]["params"][:2]:
            p.grad = p.detach() * 0.5
        optimizer.step()
    return [numbers(optimizer.param_groups[0]["params"]) for optimizer in (first, second)]


@program
def groups(torch):
    ps = [torch.nn.Parameter(torch.ones(1)) for _ in range(3)]
    optimizer = torch.optim.SGD([{"params": ps[0]}, {"params": [ps[1]], "lr": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": [ps[2]], "momentum": 0.9})
    for p in ps:
        p.grad = torch.ones(1)
    optimizer.step()
    named = torch.optim.SGD([("a", ps[0]), ("b", ps[1])])
    return [numbers(ps), small_state(optimizer), repr(optimizer), small_state(named)]


@program
def gradients_are_dropped(torch):
    p = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([p], lr=0.1)
    p.grad = torch.ones(1)
    optimizer.zero_grad(set_to_none=False)
    zero = numbers(p.grad)
    optimizer.zero_grad()
    return [zero, p.grad is None]


@program
def closures_and_hooks(torch):
    p, seen = torch.nn.Parameter(torch.ones(1)), []
    optimizer = torch.optim.SGD([p], lr=0.1)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append(["pre", len(args)]))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(["post"]))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: seen.append(sorted(state)))

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        first = optimizer.step(closure)
    handle.remove()
    second = optimizer.step(closure)
    optimizer.load_state_dict(optimizer.state_dict())
    return [numbers([first, second, p]), seen]


@program
def wrong_optimisers(torch):
    optim, p = torch.optim, torch.nn.Parameter(torch.ones(1))
    one = optim.SGD([p], lr=0.1)
    return [
        raised(lambda: optim.SGD([])),
        raised(lambda: optim.SGD(p)),
        raised(lambda: optim.SGD([1])),
        raised(lambda: optim.SGD([p * 2])),
        raised(lambda: optim.SGD([p], lr=-1)),
        raised(lambda: optim.SGD([p], nesterov=True)),
        raised(lambda: optim.Adam([p], betas=(1, 0.5))),
        raised(lambda: optim.Adam([p], foreach=True, fused=True)),
        raised(lambda: optim.SGD([{"params": [p]}, {"params": [p]}])),
        raised(lambda: optim.SGD([{"params": {p}}])),
        raised(lambda: one.add_param_group([p])),
        raised(lambda: one.load_state_dict({"state": {}, "param_groups": []})),
        raised(lambda: one.load_state_dict(optim.SGD([p, torch.ones(1)]).state_dict())),
        raised(lambda: optim.Optimizer([p], {}).step()),
    ]


def half(epoch):
    return epoch / 2


SCHEDULES = {
    "step": lambda s, o, **k: s.StepLR(o, 3, 0.5, **k),
    "milestones": lambda s, o, **k: s.MultiStepLR(o, [2, 5, 5], 0.5, **k),
    "constant": lambda s, o, **k: s.ConstantLR(o, 0.5, 4, **k),
    "linear": lambda s, o, **k: s.LinearLR(o, 0.25, 0.75, 6, **k),
    "exponential": lambda s, o, **k: s.ExponentialLR(o, 0.9, **k),
    "polynomial": lambda s, o, **k: s.PolynomialLR(o, 8, 2.0, **k),
    "cosine": lambda s, o, **k: s.CosineAnnealingLR(o, 4, 0.01, **k),
    "lambda": lambda s, o, **k: s.LambdaLR(o, lambda t: 0.95**t, **k),
    "multiplicative": lambda s, o, **k: s.MultiplicativeLR(o, [lambda t: 0.9, half], **k),
    "restarts": lambda s, o, **k: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01, **k),
}  # fmt: skip


def two_groups(torch, kind="SGD"):
    ps = [torch.nn.Parameter(torch.ones(1)) for _ in range(2)]
    make = getattr(torch.optim, kind)
    return make([{"params": ps[:1]}, {"params": ps[1:], "lr": 0.5}], lr=0.1)


def rates(optimizer, scheduler, count):
    found = [scheduler.get_last_lr()]
    for _ in range(count):
        optimizer.step()
        scheduler.step()
        found.append([float(rate) for rate in scheduler.get_last_lr()])
    return found


@programs_of(SCHEDULES)
def schedule(torch, make):
    optimizer = two_groups(torch)
    scheduler = make(torch.optim.lr_scheduler, optimizer)
    found = rates(optimizer, scheduler, 12)
    state = scheduler.state_dict()
    again = two_groups(torch)
    other = make(torch.optim.lr_scheduler, again)
    other.load_state_dict(state)
    again.load_state_dict(optimizer.state_dict())
    kept = {key: state[key] for key in ("base_lrs", "last_epoch", "_last_lr")}
    return [found, rates(again, other, 3), kept]


@programs_of({name: make for name, make in SCHEDULES.items() if name != "restarts"})
def schedule_resumed(torch, make):
    optimizer = two_groups(torch)
    for group in optimizer.param_groups:
        group["initial_lr"] = group["lr"] * 2
    scheduler = make(torch.optim.lr_scheduler, optimizer, last_epoch=3)
    return [rates(optimizer, scheduler, 3), scheduler.last_epoch]


@program
def one_cycle(torch):
    scheduler, found = torch.optim.lr_scheduler.OneCycleLR, []
    for options in (
        {"total_steps": 10},
        {"epochs": 4, "steps_per_epoch": 5, "anneal_strategy": "linear"},
        {"total_steps": 20, "three_phase": True, "pct_start": 0.25},
    ):
        for kind in ("Adam", "SGD"):
            optimizer = two_groups(torch, kind)
            if kind == "SGD":
                options = {**options, "cycle_momentum": False}
            one = scheduler(optimizer, [1.0, 2.0], **options)
            steps = options.get("total_steps", 20)
            for _ in range(steps - 1):
                optimizer.step()
                one.step()
                beta = optimizer.param_groups[0].get("betas", [0])[0]
                found.append([*one.get_last_lr(), beta])
    optimizer.step()
    one.step()
    return [found, raised(one.step), raised(lambda: scheduler(optimizer, 1.0))]


@program
def plateau(torch):
    found = []
    for options in (
        {"patience": 1},
        {"mode": "max", "factor": 0.5, "patience": 0, "cooldown": 2, "min_lr": [0.02, 0.1]},
        {"threshold_mode": "abs", "threshold": 0.2, "patience": 1},
    ):
        optimizer = two_groups(torch)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        for measure in (1.0, 0.9, 0.95, 0.9, 0.89, 0.9, 0.9, 1.1, 1.2, 1.2, 1.2, 1.2):
            scheduler.step(torch.tensor(measure))
            found.append([*scheduler.get_last_lr(), scheduler.num_bad_epochs, scheduler.best])
    return found


@program
def schedules_together(torch):
    s, found = torch.optim.lr_scheduler, []
    optimizer = two_groups(torch)
    warm, cool = s.LinearLR(optimizer, 0.1, total_iters=3), s.ExponentialLR(optimizer, 0.5)
    both = s.SequentialLR(optimizer, [warm, cool], milestones=[4])
    found.append(rates(optimizer, both, 8))
    optimizer = two_groups(torch)
    parts = [s.ConstantLR(optimizer, 0.5, 3), s.ExponentialLR(optimizer, 0.9)]
    found.append(rates(optimizer, s.ChainedScheduler(parts), 6))
    optimizer = two_groups(torch)
    s.StepLR(optimizer, 2), s.ExponentialLR(optimizer, 0.9)
    return found


@program
def schedules_complain(torch):
    s = torch.optim.lr_scheduler
    early = s.StepLR(two_groups(torch), 2)
    return [
        warned(early.step),
        warned(early.step),
        raised(lambda: s.StepLR(3, 2)),
        raised(lambda: s.StepLR(two_groups(torch), 2, last_epoch=3)),
        raised(lambda: s.LambdaLR(two_groups(torch), [math.sin])),
        raised(lambda: s.LinearLR(two_groups(torch), 2.0)),
        raised(lambda: s.ReduceLROnPlateau(two_groups(torch), factor=1.0)),
        raised(lambda: s.OneCycleLR(two_groups(torch), 1.0, total_steps=5)),
        raised(lambda: s.CosineAnnealingWarmRestarts(two_groups(torch), 0)),
    ]
