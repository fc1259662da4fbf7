"""Recurrent networks as modules."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from ... import _ops as xp
from ..._core.array import Array
from ..._core.checks import check_word
from ..._core.device import Device
from .. import functional as F  # noqa: N812
from ._initial import Initial, Rng
from .linear import check_size
from .module import Module

__all__ = ["GRU", "LSTM", "RNN"]


class _Recurrent(Module):
    """Layers of cells, in one or both directions."""

    gates: ClassVar[int]
    states: ClassVar[int] = 1
    proj_size: int = 0

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        name = type(self).__name__
        self.input_size = check_size(input_size, name, "input_size")
        self.hidden_size = check_size(hidden_size, name, "hidden_size")
        self.num_layers = check_size(num_layers, name, "num_layers")
        self.bias, self.batch_first, self.bidirectional = bias, batch_first, bidirectional
        if not 0 <= dropout <= 1:
            raise ValueError(f"{name}(): dropout is {dropout}, expected a probability, a number in [0, 1]")
        self.dropout = dropout
        initial = Initial(rng, device, dtype)
        rows, outputs = self.gates * hidden_size, self._output_size
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else outputs * (2 if bidirectional else 1)
            for suffix in self._suffixes(layer):
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, inputs), "weight_hh": (rows, outputs)}
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if self.proj_size:
                    shapes["weight_hr"] = (self.proj_size, hidden_size)
                for part, shape in shapes.items():
                    setattr(self, f"{part}_{suffix}", initial.by_inputs(hidden_size, shape))
        self.rng = initial.rng if dropout else None

    @property
    def _output_size(self) -> int:
        """Length of the vectors of the output, and of the first state."""
        return self.proj_size or self.hidden_size

    def _suffixes(self, layer: int) -> tuple[str, ...]:
        return (f"l{layer}", f"l{layer}_reverse") if self.bidirectional else (f"l{layer}",)

    def _cell(self, x: Array, states: list[Array], weight: Array, bias: Array | None) -> list[Array]:
        """Return the states after a step, the output first; ``x`` is the projection of the input."""
        raise NotImplementedError

    def _split(self, x: Array) -> tuple[Array, ...]:
        """Return the part of each gate of an array of shape (n, gates · h).

        Its derivative joins the parts in one step, which that of slices takes for each.
        """
        return xp.unstack(xp.reshape(x, (x.shape[0], self.gates, self.hidden_size)), axis=1)

    def _run(self, x: Array, states: list[Array]) -> tuple[Array, list[Array]]:
        """Return the outputs and the last states.

        Parameters
        ----------
        x
            Array of shape (l, n, inputs), or (n, l, inputs) if ``batch_first``, or without the axis n.
        states
            Initial states of shape (layers · directions, n, h), or without the axis n; empty for 0.
        """
        name = type(self).__name__
        if x.ndim not in (2, 3) or x.shape[-1] != self.input_size:
            raise ValueError(f"{name}(): x has shape {x.shape}, expected a last axis of length {self.input_size}")
        alone = x.ndim == 2
        if alone:
            x, states = xp.expand_dims(x, axis=1), [xp.expand_dims(state, axis=1) for state in states]
        elif self.batch_first:
            x = xp.moveaxis(x, 0, 1)
        directions = 2 if self.bidirectional else 1
        sizes = (self._output_size, self.hidden_size)[: self.states]
        shapes = [(self.num_layers * directions, x.shape[1], size) for size in sizes]
        if not states:
            states = [xp.zeros(shape, dtype=x.dtype, device=x.device) for shape in shapes]
        if [state.shape for state in states] != shapes:
            raise ValueError(f"{name}(): states have shapes {[state.shape for state in states]}, expected {shapes}")
        last: list[list[Array]] = [[] for _ in range(self.states)]
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                x = F.dropout(x, self.dropout, rng=self.rng)
            outputs = []
            for direction, suffix in enumerate(self._suffixes(layer)):
                first = [state[layer * directions + direction, ...] for state in states]
                output, ends = self._scan(x, first, suffix, reverse=direction == 1)
                outputs.append(output)
                for known, end in zip(last, ends, strict=True):
                    known.append(end)
            x = xp.concat(outputs, axis=-1) if len(outputs) > 1 else outputs[0]
        ends = [xp.stack(known, axis=0) for known in last]
        if alone:
            return xp.squeeze(x, axis=1), [xp.squeeze(end, axis=1) for end in ends]
        return (xp.moveaxis(x, 0, 1) if self.batch_first else x), ends

    def _scan(self, x: Array, states: list[Array], suffix: str, *, reverse: bool) -> tuple[Array, list[Array]]:
        """Return the outputs of one layer in one direction, and its last states."""
        bias, weight = getattr(self, f"bias_hh_{suffix}", None), getattr(self, f"weight_hh_{suffix}")
        projected = F.linear(x, getattr(self, f"weight_ih_{suffix}"), getattr(self, f"bias_ih_{suffix}", None))
        projection = getattr(self, f"weight_hr_{suffix}", None)
        steps = list(xp.unstack(projected, axis=0))
        outputs = []
        for step in reversed(steps) if reverse else steps:
            states = self._cell(step, states, weight, bias)
            if projection is not None:
                states = [F.linear(states[0], projection), *states[1:]]
            outputs.append(states[0])
        return xp.stack(outputs[::-1] if reverse else outputs, axis=0), states

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        text = f"{self.input_size}, {self.hidden_size}"
        defaults: dict[str, Any] = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        defaults |= {"bidirectional": False, "proj_size": 0}
        changed = {name: getattr(self, name) for name, value in defaults.items() if getattr(self, name) != value}
        return text + "".join([f", {name}={value}" for name, value in changed.items()])


class RNN(_Recurrent):
    r"""Elman's recurrent network, :math:`h_t = \tanh(W_i x_t + b_i + W_h h_{t-1} + b_h)`.

    Parameters
    ----------
    input_size, hidden_size
        Lengths of the vectors of the input and of the state h.
    num_layers
        Number of layers.
    nonlinearity
        ``"tanh"`` or ``"relu"``.
    bias
        Whether there are biases.
    batch_first
        Whether the axis of examples is the first one; otherwise it is the second one.
    dropout
        Probability of dropout between layers.
    bidirectional
        Whether a second network runs from the end to the beginning.
    rng
        Generator of the initial values and of dropout, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Attributes
    ----------
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0
        Parameters of the first layer, and so on; ``_reverse`` follows for the second direction.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: Literal["tanh", "relu"] = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.nonlinearity = check_word(nonlinearity, ("tanh", "relu"), "RNN", "nonlinearity")
        settings = num_layers, bias, batch_first, dropout, bidirectional
        super().__init__(input_size, hidden_size, *settings, rng=rng, device=device, dtype=dtype)

    def _cell(self, x: Array, states: list[Array], weight: Array, bias: Array | None) -> list[Array]:
        z = x + F.linear(states[0], weight, bias)
        return [xp.tanh(z) if self.nonlinearity == "tanh" else F.relu(z)]

    def forward(self, x: Array, hx: Array | None = None) -> tuple[Array, Array]:
        """Return the outputs of the last layer, and the last states of all layers.

        Parameters
        ----------
        x
            Array of shape (l, n, input_size), or (n, l, input_size) if ``batch_first``, or without the axis n.
        hx
            Initial states, of shape (layers · directions, n, hidden_size); None for 0.
        """
        output, (last,) = self._run(x, [] if hx is None else [hx])
        return output, last


class GRU(_Recurrent):
    r"""Network of gated recurrent units.

    :math:`r, z = \sigma(\ldots)`, :math:`n = \tanh(W_n x + b_n + r \odot (U_n h + c_n))`,
    :math:`h \leftarrow (1 - z) \odot n + z \odot h`.

    Parameters
    ----------
    input_size, hidden_size
        Lengths of the vectors of the input and of the state h.
    num_layers
        Number of layers.
    bias
        Whether there are biases.
    batch_first
        Whether the axis of examples is the first one; otherwise it is the second one.
    dropout
        Probability of dropout between layers.
    bidirectional
        Whether a second network runs from the end to the beginning.
    rng
        Generator of the initial values and of dropout, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder" (2014). Attributes are those of
    :class:`RNN`, with the rows of the gates r, z, n one after the other.
    """

    gates = 3

    def _cell(self, x: Array, states: list[Array], weight: Array, bias: Array | None) -> list[Array]:
        (h,) = states
        (reset, update, new), (more_reset, more_update, more_new) = map(self._split, (x, F.linear(h, weight, bias)))
        reset, update = F.sigmoid(reset + more_reset), F.sigmoid(update + more_update)
        new = xp.tanh(new + reset * more_new)
        return [new + update * (h - new)]

    def forward(self, x: Array, hx: Array | None = None) -> tuple[Array, Array]:
        """Return the outputs of the last layer, and the last states of all layers; see :meth:`RNN.forward`."""
        output, (last,) = self._run(x, [] if hx is None else [hx])
        return output, last


class LSTM(_Recurrent):
    r"""Network with long short-term memory.

    :math:`i, f, o = \sigma(\ldots)`, :math:`g = \tanh(\ldots)`, :math:`c \leftarrow f \odot c + i \odot g`,
    :math:`h = o \odot \tanh(c)`.

    Parameters
    ----------
    input_size, hidden_size
        Lengths of the vectors of the input and of the states h and c.
    num_layers
        Number of layers.
    bias
        Whether there are biases.
    batch_first
        Whether the axis of examples is the first one; otherwise it is the second one.
    dropout
        Probability of dropout between layers.
    bidirectional
        Whether a second network runs from the end to the beginning.
    proj_size
        Length of the vectors to which h is projected after each step, by ``weight_hr_l0`` and so on; less than
        ``hidden_size``. 0 for no projection.
    rng
        Generator of the initial values and of dropout, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997). Attributes are those of :class:`RNN`, with the rows of
    the gates i, f, g, o one after the other.
    """

    gates, states = 4, 2

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
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.proj_size = check_size(proj_size, "LSTM", "proj_size", 0)
        if proj_size >= check_size(hidden_size, "LSTM", "hidden_size"):
            raise ValueError(f"LSTM(): proj_size is {proj_size}, expected less than hidden_size {hidden_size}")
        settings = num_layers, bias, batch_first, dropout, bidirectional
        super().__init__(input_size, hidden_size, *settings, rng=rng, device=device, dtype=dtype)

    def _cell(self, x: Array, states: list[Array], weight: Array, bias: Array | None) -> list[Array]:
        h, c = states
        add, keep, new, output = self._split(x + F.linear(h, weight, bias))
        c = F.sigmoid(keep) * c + F.sigmoid(add) * xp.tanh(new)
        return [F.sigmoid(output) * xp.tanh(c), c]

    def forward(self, x: Array, hx: tuple[Array, Array] | None = None) -> tuple[Array, tuple[Array, Array]]:
        """Return the outputs of the last layer, and the last states h and c of all layers; see :meth:`RNN.forward`."""
        output, (h, c) = self._run(x, [] if hx is None else list(hx))
        return output, (h, c)
