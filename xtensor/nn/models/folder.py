"""Models from folders as they are published: ``config.json`` and weights of the format safetensors."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ..._core.devices import resolve
from ..._core.errors import describe, shortened
from ..modules.linear import Linear
from ..modules.module import Module
from ..modules.quantized import quantize as quantize_layers
from ..modules.quantized import quantized, replace_layers
from ..modules.storage import WeightFile
from .configuration import DecoderConfig, EncoderConfig, configuration
from .decoder import Decoder
from .encoder import Encoder
from .memory import check_memory
from .names import IGNORED, Source, sources

__all__ = ["check_tensors", "from_folder", "read_json"]

INDEX = "model.safetensors.index.json"

LONGEST_LIST = 8
"""Number of tensors that a message names."""


def from_folder(
    path: str | os.PathLike[str],
    *,
    device: str | Device | None = None,
    dtype: Any = None,
    quantize: Literal["int8", "int4"] | None = None,
    context: int = 2048,
) -> Decoder | Encoder:
    """Load a model from a folder, as it is published.

    All names and shapes are checked before the first weight is read, and the memory before that.

    Parameters
    ----------
    path
        Folder with ``config.json`` and ``model.safetensors``, or the latter in several files with
        ``model.safetensors.index.json``.
    device
        Device of the parameters. Default: the default device.
    dtype
        Their dtype. Default: float32.
    quantize
        Quantize the linear layers while they are read, by groups of 32 columns; see :func:`xtensor.nn.quantize`.
    context
        Number of tokens of a text for which the memory must suffice, together with the weights.

    Returns
    -------
    Decoder or Encoder
        The model, in evaluation.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If a file is damaged, a tensor is missing, unknown or has another shape, or the kind of model is not
        implemented. The message names the tensors.
    OutOfMemoryError
        If weights, cache and activations do not fit into the free memory of the device.
    """
    folder = Path(path)
    entries = read_json(folder / "config.json")
    if (folder / "generation_config.json").exists():  # models of conversations name more tokens of the end there
        ends = read_json(folder / "generation_config.json").get("eos_token_id")
        entries = entries if ends is None else {**entries, "eos_token_id": ends}
    config = configuration(entries, str(folder / "config.json"))
    files = _files(folder)
    model = empty_model(config, dtype)
    tensors = {name: file for file in files for name in file.entries}
    shapes = {name: file.entries[name].shape for name, file in tensors.items()}
    by_name = sources(model, entries["model_type"], tensors)
    check_tensors(by_name, shapes, model, str(folder))
    target = resolve(device)
    # On the device meta, quantization costs nothing, and raises before anything is read.
    planned = None if quantize is None else quantize_layers(empty_model(config, dtype), quantize)
    weights = None if planned is None else sum([x.nbytes for x in (*planned.parameters(), *planned.buffers())])
    check_memory(model, target, context, str(folder), weights)

    def read(path: str, x: Array) -> Array:
        name, _, select = by_name[path]
        values = tensors[name].read(name)
        part = np.ascontiguousarray(values if select is None else select(values))
        # Cast on the host: the device may lack the dtype of the file.
        return xp.asarray(part.astype(x.dtype, copy=False), device=target)

    return _loaded(model, read, quantize)


def empty_model(config: DecoderConfig | EncoderConfig, dtype: Any) -> Decoder | Encoder:
    """Return the model of a configuration in evaluation, with parameters of the device ``meta``."""
    kind = Decoder if isinstance(config, DecoderConfig) else Encoder
    model: Decoder | Encoder = kind(config, device="meta", dtype=dtype)  # type: ignore[arg-type]
    return model.eval()


def _loaded(model: Decoder | Encoder, read: Callable[[str, Array], Array], kind: str | None) -> Decoder | Encoder:
    """Set the parameters of a model of the device ``meta`` to what ``read`` returns for them, and quantize it."""
    replaced: dict[int, Module] = {}
    if kind is not None:
        for name, layer in model.named_modules():
            if isinstance(layer, Linear):
                bias = None if layer.bias is None else read(f"{name}.bias", layer.bias)
                replaced[id(layer)] = quantized(read(f"{name}.weight", layer.weight), bias, kind, 32)
    model = replace_layers(model, replaced)
    loaded = {id(x): read(name, x) for name, x in model.named_parameters() if x.device == "meta"}
    model._replace(lambda x: loaded.get(id(x), x))
    return model


def check_tensors(
    by_name: Mapping[str, Source], shapes: Mapping[str, tuple[int, ...]], model: Module, path: str
) -> None:
    """Raise ValueError unless a file has exactly the tensors of a model, in their shapes."""
    needed = {source.name: source.shape for source in by_name.values()}
    errors = [f"{name} is missing" for name in needed if name not in shapes]
    errors += [
        f"{name} has shape {shapes[name]}, expected {shape}"
        for name, shape in needed.items()
        if name in shapes and shapes[name] != shape
    ]
    tied = {"lm_head.weight"} if getattr(model, "lm_head", model) is None else set()
    errors += [
        f"{shortened(name)} is unknown"
        for name in shapes
        if name not in needed and name not in tied and not IGNORED.fullmatch(name)
    ]
    if errors:
        rest = len(errors) - LONGEST_LIST
        more = f"; and {rest} more" if rest > 0 else ""
        raise ValueError(
            f"{path}: the tensors are not those of config.json: {'; '.join(errors[:LONGEST_LIST])}{more}. Check that "
            "the download is complete and all files are of one model"
        )


def _files(folder: Path) -> list[WeightFile]:
    """Return the files of the weights."""
    index = folder / INDEX
    if not index.exists():
        return [WeightFile(folder / "model.safetensors")]
    table = read_json(index).get("weight_map")
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table.values()):
        raise ValueError(f"{index}: weight_map is {describe(table)}, expected names of files by names of tensors")
    names = sorted(set(table.values()))
    outside = [name for name in names if Path(name).name != name]
    if outside:
        raise ValueError(f"{index} names {shortened(outside[0])}, expected a file of the folder")
    files = {name: WeightFile(folder / name) for name in names}
    for tensor, name in table.items():
        if tensor not in files[name].entries:
            raise ValueError(f"{index}: the tensor {tensor} is not in {name}; download the folder again")
    return list(files.values())


def read_json(path: Path) -> dict[str, Any]:
    """Return the dict of a file of JSON."""
    try:
        entries = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON: {error}") from error
    if not isinstance(entries, dict):
        raise ValueError(f"{path} is {describe(entries)}, expected a dict")
    return entries
