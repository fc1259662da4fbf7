"""Neural networks: layers, their functions in ``xtensor.nn.functional``, language models in ``xtensor.nn.models``."""

from __future__ import annotations

import typing as _typing
from importlib import import_module as _import_module

from .._core.remedies import finder as _finder
from . import functional

if _typing.TYPE_CHECKING:
    from . import init, models
    from .modules.activation import *
    from .modules.attention import *
    from .modules.batches import *
    from .modules.container import *
    from .modules.convolution import *
    from .modules.dropout import *
    from .modules.embedding import *
    from .modules.linear import *
    from .modules.loss import *
    from .modules.module import *
    from .modules.normalization import *
    from .modules.parallel import *
    from .modules.pooling import *
    from .modules.precision import *
    from .modules.progress import *
    from .modules.quantized import *
    from .modules.recurrent import *
    from .modules.storage import *
    from .modules.summary import *
    from .modules.transformer import *

_MODULES = {
    "batches": "batches",
    "storage": "load save",
    "summary": "Summary summary",
    "activation": (
        "ELU GELU GLU Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax "
        "Softplus Tanh"
    ),
    "attention": "FeedForwardSwiGLU MultiheadAttention",
    "container": "ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "convolution": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "dropout": "Dropout Dropout1d Dropout2d Dropout3d",
    "embedding": "Embedding RotaryEmbedding",
    "linear": "Flatten Identity Linear Unflatten",
    "loss": (
        "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss HuberLoss KLDivLoss L1Loss "
        "MSELoss NLLLoss SmoothL1Loss"
    ),
    "module": "Module Parameter",
    "normalization": (
        "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm RMSNorm"
    ),
    "parallel": "data_parallel",
    "pooling": (
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
        "AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d "
        "MaxUnpool3d Upsample"
    ),
    "precision": "Autocast GradScaler autocast",
    "progress": "EarlyStopping plot_losses",
    "quantized": "QuantizedEmbedding QuantizedLinear quantize",
    "recurrent": "GRU LSTM RNN",
    "transformer": "TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
}
"""The layers of each module of ``xtensor.nn.modules``, which is imported when one of them is used first."""

_LOADED_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}

_SUBMODULES = ("init", "models")
"""Submodules that are imported at their first use."""

__all__ = ["functional", "init", "models", *_LOADED_LATER]


def __dir__() -> list[str]:
    return sorted(__all__)


def _load(name: str) -> _typing.Any:
    """Return a name that is imported at its first use."""
    if name in _SUBMODULES:
        return _import_module(f".{name}", __name__)
    if name not in _LOADED_LATER:
        _finder(__name__)(name)
    value = globals()[name] = getattr(_import_module(f".modules.{_LOADED_LATER[name]}", __name__), name)
    return value


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _load
