"""Recurrent layers and cells: plain, LSTM (Hochreiter and Schmidhuber, 1997), GRU (Cho, 2014)."""

from __future__ import annotations

import math
import warnings
from typing import Any

from cepheid._C import Tensor, functions
from cepheid.nn import functional as F
from cepheid.nn import init
from cepheid.nn.modules.module import Module
from cepheid.nn.parameter import Parameter

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

State = tuple[Tensor, ...]


def _plain_step(activation: Any, given: Tensor, state: State, hidden: Tensor) -> State:
    return (activation(given + hidden),)


def _lstm_step(given: Tensor, state: State, hidden: Tensor) -> State:
    """Gates in, forget, cell and out; (h, c)."""
    gate_in, forget, cell, out = (given + hidden).chunk(4, -1)
    kept = forget.sigmoid() * state[1] + gate_in.sigmoid() * cell.tanh()
    return out.sigmoid() * kept.tanh(), kept


def _gru_step(given: Tensor, state: State, hidden: Tensor) -> State:
    """Gates reset, update and new; (h,)."""
    given_reset, given_update, given_new = given.chunk(3, -1)
    hidden_reset, hidden_update, hidden_new = hidden.chunk(3, -1)
    reset = (given_reset + hidden_reset).sigmoid()
    update = (given_update + hidden_update).sigmoid()
    new = (given_new + reset * hidden_new).tanh()
    return (new + update * (state[0] - new),)


def _activation(name: str, owner: str) -> Any:
    if name not in ("tanh", "relu"):
        raise ValueError(f"{owner}: nonlinearity must be tanh or relu; got {name!r}")
    return functions.tanh if name == "tanh" else functions.relu


class RNNBase(Module):
    """What recurrent layers share. A subclass names its `gates` and `states`, and one `_step`.

    Parameters of layer k are weight_ih_lk [gates * hidden, input], weight_hh_lk, bias_ih_lk,
    bias_hh_lk and with proj_size weight_hr_lk; those of the way back end in `_reverse`.
    """

    gates = 1
    states = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._check(hidden_size, num_layers, dropout, proj_size)
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        made = init.factory(device, dtype)
        for layer in range(num_layers):
            for suffix in self._suffixes(layer):
                for name, shape in self._shapes(layer):
                    parameter = Parameter(functions.empty(shape, **made))
                    self.register_parameter(name + suffix, parameter)
        self.reset_parameters()

    def _check(self, hidden_size: int, num_layers: int, dropout: float, proj_size: int) -> None:
        name = type(self).__name__
        for option, value in (("hidden_size", hidden_size), ("num_layers", num_layers)):
            if not isinstance(value, int):
                raise TypeError(f"{name}: {option} must be an int; got {type(value).__name__}")
            if value <= 0:
                raise ValueError(f"{name}: {option} must be greater than zero; got {value}")
        if not 0 <= dropout <= 1:
            raise ValueError(f"{name}: dropout must be a probability, in [0, 1]; got {dropout}")
        if proj_size < 0 or proj_size >= hidden_size:
            raise ValueError(f"{name}: proj_size must be in [0, hidden_size); got {proj_size}")
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                f"{name}: dropout acts between layers; with num_layers=1 dropout={dropout} does"
                " nothing",
                stacklevel=4,
            )

    @property
    def _ways(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        return self.proj_size or self.hidden_size

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: self._ways]

    def _shapes(self, layer: int) -> list[tuple[str, tuple[int, ...]]]:
        rows = self.gates * self.hidden_size
        width = self.input_size if layer == 0 else self._output_size * self._ways
        shapes: list[tuple[str, tuple[int, ...]]] = [
            ("weight_ih", (rows, width)),
            ("weight_hh", (rows, self._output_size)),
        ]
        if self.bias:
            shapes += [("bias_ih", (rows,)), ("bias_hh", (rows,))]
        if self.proj_size:
            shapes.append(("weight_hr", (self.proj_size, self.hidden_size)))
        return shapes

    def reset_parameters(self) -> None:
        """Draws new values: uniform within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing: parameters need not lie side by side here."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and way."""
        return [
            [getattr(self, name + suffix) for name, _ in self._shapes(layer)]
            for layer in range(self.num_layers)
            for suffix in self._suffixes(layer)
        ]

    def _step(self, given: Tensor, state: State, hidden: Tensor) -> State:
        raise NotImplementedError(f"{type(self).__name__}: a subclass must define _step")

    def _first_states(self, input: Tensor, given: Any, batched: bool) -> State:
        """The states before the first step: [layers * ways, n, size] each, zeros if not given."""
        name, count = type(self).__name__, self.num_layers * self._ways
        sizes = (self._output_size, self.hidden_size)[: self.states]
        if given is None:
            zeros = functions.zeros
            options = {"dtype": input.dtype, "device": input.device}
            return tuple(zeros((count, input.size(1), size), **options) for size in sizes)
        states = given if self.states > 1 else (given,)
        wanted = [(count, input.size(1), size)[:: 1 if batched else 2] for size in sizes]
        shapes = [tuple(state.shape) for state in states]
        if shapes != wanted:
            raise RuntimeError(f"{name}: expected first states of sizes {wanted}; got {shapes}")
        return tuple(states) if batched else tuple(state.unsqueeze(1) for state in states)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
        """[time, n, input] (or n first, or without n) -> the last layer's outputs and the states
        after the last step."""
        name = type(self).__name__
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}: the input must be a Tensor; got {type(input).__name__}")
        if input.dim() not in (2, 3):
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"{name}: input.size(-1) must be equal to input_size. Expected {self.input_size},"
                f" got {input.size(-1)}"
            )
        batched = input.dim() == 3
        if not batched:
            input = input.unsqueeze(1)
        elif self.batch_first:
            input = input.transpose(0, 1)
        states = self._first_states(input, hx, batched)
        result, ended = self._run(input, states)
        if not batched:
            result, ended = result.squeeze(1), tuple(state.squeeze(1) for state in ended)
        elif self.batch_first:
            result = result.transpose(0, 1)
        return result, ended if self.states > 1 else ended[0]

    def _run(self, input: Tensor, states: State) -> tuple[Tensor, State]:
        ended: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for way, suffix in enumerate(self._suffixes(layer)):
                place = layer * self._ways + way
                first = tuple(state[place] for state in states)
                output, last = self._run_way(input, first, suffix, backwards=way == 1)
                outputs.append(output)
                ended.append(last)
            input = outputs[0] if len(outputs) == 1 else functions.cat(outputs, -1)
            if self.dropout and layer < self.num_layers - 1:
                input = functions.dropout(input, self.dropout, self.training)
        return input, tuple(functions.stack(parts) for parts in zip(*ended, strict=True))

    def _run_way(
        self, input: Tensor, state: State, suffix: str, backwards: bool
    ) -> tuple[Tensor, State]:
        """All steps of one layer in one direction."""
        weights = {name: getattr(self, name + suffix) for name, _ in self._shapes(0)}
        weight, bias = weights["weight_hh"], weights.get("bias_hh")
        project = weights.get("weight_hr")
        given = F.linear(input, weights["weight_ih"], weights.get("bias_ih")).unbind(0)
        outputs = []
        for part in reversed(given) if backwards else given:
            state = self._step(part, state, F.linear(state[0], weight, bias))
            if project is not None:
                state = (F.linear(state[0], project), *state[1:])
            outputs.append(state[0])
        if backwards:
            outputs.reverse()
        return functions.stack(outputs), state

    def extra_repr(self) -> str:
        """The sizes and what isn't the default."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        defaults = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0,
            "bidirectional": False,
        }  # fmt: skip
        for name, default in defaults.items():
            if getattr(self, name) != default:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)


class RNN(RNNBase):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu; see RNNBase for the parameters."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            device=device, dtype=dtype,
        )  # fmt: skip
        self.nonlinearity, self._function = nonlinearity, _activation(nonlinearity, "RNN")

    def _step(self, given: Tensor, state: State, hidden: Tensor) -> State:
        return _plain_step(self._function, given, state, hidden)


class LSTM(RNNBase):
    """i, f, g, o of W_ih x + b_ih + W_hh h + b_hh; c = sigmoid(f) c + sigmoid(i) tanh(g) and
    h = sigmoid(o) tanh(c), with proj_size W_hr of it. The states are (h, c)."""

    gates = 4
    states = 2

    def _step(self, given: Tensor, state: State, hidden: Tensor) -> State:
        return _lstm_step(given, state, hidden)


class GRU(RNNBase):
    """r and z, sigmoids of W_ih x + b_ih + W_hh h + b_hh; and of n the parts W_in, b_in,
    W_hn, b_hn: n = tanh(W_in x + b_in + r (W_hn h + b_hn)) and h = (1 - z) n + z h."""

    gates = 3

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            device=device, dtype=dtype,
        )  # fmt: skip

    def _step(self, given: Tensor, state: State, hidden: Tensor) -> State:
        return _gru_step(given, state, hidden)


class RNNCellBase(Module):
    """One step of a recurrent layer: weight_ih, weight_hh, bias_ih, bias_hh."""

    gates = 1
    states = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows, made = self.gates * hidden_size, init.factory(device, dtype)
        self.weight_ih = Parameter(functions.empty((rows, input_size), **made))
        self.weight_hh = Parameter(functions.empty((rows, hidden_size), **made))
        for name in ("bias_ih", "bias_hh"):
            value = Parameter(functions.empty((rows,), **made)) if bias else None
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new values: uniform within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _step(self, given: Tensor, state: State, hidden: Tensor) -> State:
        raise NotImplementedError(f"{type(self).__name__}: a subclass must define _step")

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """[n, input] or [input] and the state -> the next state."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        shape = (*input.shape[:-1], self.hidden_size)
        if hx is None:
            options = {"dtype": input.dtype, "device": input.device}
            state: State = tuple(functions.zeros(shape, **options) for _ in range(self.states))
        else:
            state = tuple(hx) if self.states > 1 else (hx,)
        for part in state:
            if tuple(part.shape) != shape:
                raise RuntimeError(f"{name}: expected a state of size {shape}; got {part.shape}")
        given = F.linear(input, self.weight_ih, self.bias_ih)
        made = self._step(given, state, F.linear(state[0], self.weight_hh, self.bias_hh))
        return made if self.states > 1 else made[0]

    def extra_repr(self) -> str:
        """The sizes and what isn't the default."""
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(RNNCellBase):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity, self._function = nonlinearity, _activation(nonlinearity, "RNNCell")

    def _step(self, given: Tensor, state: State, hidden: Tensor) -> State:
        return _plain_step(self._function, given, state, hidden)

    def extra_repr(self) -> str:
        """The sizes and what isn't the default."""
        shown = super().extra_repr()
        return shown + (
            "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        )


class LSTMCell(RNNCellBase):
    """One step of an LSTM: (h, c) -> (h, c)."""

    gates = 4
    states = 2

    def _step(self, given: Tensor, state: State, hidden: Tensor) -> State:
        return _lstm_step(given, state, hidden)


class GRUCell(RNNCellBase):
    """One step of a GRU: h -> h."""

    gates = 3

    def _step(self, given: Tensor, state: State, hidden: Tensor) -> State:
        return _gru_step(given, state, hidden)
