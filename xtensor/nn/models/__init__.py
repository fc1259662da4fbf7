"""Language models: decoders and encoders, from folders as they are published, and texts by them."""

from __future__ import annotations

from .cache import Cache
from .configuration import DecoderConfig, EncoderConfig
from .decoder import Decoder
from .encoder import Encoder, EncoderOutput
from .folder import from_folder
from .generation import generate, generate_batch
from .gguf import from_gguf
from .memory import ModelMemory, memory
from .tokenization import Tokenizer

__all__ = [
    "Cache",
    "Decoder",
    "DecoderConfig",
    "Encoder",
    "EncoderConfig",
    "EncoderOutput",
    "ModelMemory",
    "Tokenizer",
    "from_folder",
    "from_gguf",
    "generate",
    "generate_batch",
    "memory",
]


def __dir__() -> list[str]:
    return sorted(__all__)
