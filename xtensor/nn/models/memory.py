"""Memory of a language model, before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ..._core.errors import OutOfMemoryError, describe
from ..._estimate import estimate
from ..modules.linear import check_size
from .cache import Cache
from .configuration import DecoderConfig, EncoderConfig
from .decoder import Decoder
from .encoder import Encoder

__all__ = ["ModelMemory", "check_memory", "memory"]


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """Bytes of a model; ``str`` gives a table.

    Attributes
    ----------
    weights
        Bytes of the parameters.
    cache
        Bytes of the keys and values of the context; 0 for an encoder.
    activations
        Bytes of the other arrays while the model reads the whole context.
    """

    weights: int
    cache: int
    activations: int

    @property
    def total(self) -> int:
        """Bytes of all."""
        return self.weights + self.cache + self.activations

    def __str__(self) -> str:
        rows = {"weights": self.weights, "cache": self.cache, "activations": self.activations, "total": self.total}
        return "\n".join([f"{name:<12} {size / 2**20:>12,.1f} MiB" for name, size in rows.items()])


def memory(
    model: Decoder | Encoder | DecoderConfig | EncoderConfig,
    *,
    context: int = 2048,
    batch: int = 1,
    dtype: Any = None,
) -> ModelMemory:
    """Return the memory that a model needs, of which no value is computed.

    Parameters
    ----------
    model
        A configuration, or a model of any device; the device ``meta`` needs no memory.
    context
        Number of tokens of a text, or the number of positions of the model where that is less.
    batch
        Number of texts at one time.
    dtype
        Dtype of the parameters of a configuration. Default: float32.

    Returns
    -------
    ModelMemory
        The bytes of weights, cache and activations.

    Raises
    ------
    TypeError
        If ``model`` is neither a model nor a configuration.
    """
    if isinstance(model, DecoderConfig):
        model = Decoder(model, device="meta", dtype=dtype)
    elif isinstance(model, EncoderConfig):
        model = Encoder(model, device="meta", dtype=dtype)
    elif not isinstance(model, (Decoder, Encoder)):
        raise TypeError(f"memory() takes a model or its configuration, not {describe(model)}")
    length = min(check_size(context, "memory", "context"), model.config.max_positions)
    tokens = xp.empty((check_size(batch, "memory", "batch"), length), dtype=xp.int64, device="meta")
    weights = sum([x.nbytes for x in (*model.parameters(), *model.buffers())])
    sizes: list[int] = []

    def read(model: Any, tokens: Array) -> None:
        if isinstance(model, Encoder):
            model(tokens)
            return
        cache = Cache(model.config)
        model.scores(model.hidden(tokens, cache)[..., -1, :])
        sizes.append(cache.nbytes)

    estimated = estimate(read, model, tokens)
    cache_bytes = sizes[0] if sizes else 0
    return ModelMemory(weights, cache_bytes, max(estimated.peak_bytes - weights - cache_bytes, 0))


def check_memory(model: Decoder | Encoder, device: Device, context: int, path: str, weights: int | None = None) -> None:
    """Raise OutOfMemoryError if a model does not fit into the free memory of a device.

    ``weights`` are the bytes of its parameters where these are quantized while they are read.
    """
    needed, free = memory(model, context=context), device.memory().free
    if weights is not None:
        needed = replace(needed, weights=weights)
    if free is not None and needed.total > free:
        raise OutOfMemoryError(
            f"{path} needs {needed.total / 2**30:.1f} GiB on {device}: {needed.weights / 2**30:.1f} GiB of weights, "
            f"{needed.cache / 2**30:.1f} GiB of cache and {needed.activations / 2**30:.1f} GiB of activations for "
            f"{context} tokens; {free / 2**30:.1f} GiB are free. Pass a smaller context=, dtype=xtensor.float16, or "
            "another device",
            needed.total,
            free,
        )
