"""``python -m xtensor.nn generate MODEL "prompt"``: print the text by which a language model continues a prompt."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from io import TextIOWrapper

import xtensor as xp
from xtensor._core.dtypes import dtype_named
from xtensor.nn import models

__all__ = ["main"]


def _generate(options: argparse.Namespace) -> None:
    """Print the prompt and its continuation, or the answer, each token as it comes."""
    tokenizer = models.Tokenizer(options.tokenizer or options.model)
    dtype = dtype_named(options.dtype)
    if options.chat:
        prompt = tokenizer.encode_chat([{"role": "user", "content": options.prompt}])
    else:
        prompt = tokenizer.encode(options.prompt)
    context = len(prompt) + options.max_tokens
    model: models.Decoder | models.Encoder
    if options.model.endswith(".gguf"):
        if options.quantize:
            raise ValueError(f"{options.model} has quantized weights; leave --quantize out")
        model = models.from_gguf(options.model, device=options.device, dtype=dtype, context=context)
    else:
        model = models.from_folder(
            options.model, device=options.device, dtype=dtype, quantize=options.quantize, context=context
        )
    if not isinstance(model, models.Decoder):
        raise ValueError(f"{options.model} has an encoder, which generates no text; pass the folder of a decoder")
    tokens = models.generate(
        model,
        prompt,
        max_tokens=options.max_tokens,
        temperature=options.temperature,
        top_k=options.top_k,
        top_p=options.top_p,
        rng=options.seed,
    )
    count = [0]

    def counted() -> Iterator[int]:
        for token in tokens:
            count[0] += 1
            yield token

    if not options.chat:
        print(options.prompt, end="", flush=True)
    start = time.perf_counter()
    for text in tokenizer.stream(counted()):
        print(text, end="", flush=True)
    print()
    if options.verbose:
        seconds = time.perf_counter() - start
        print(f"{count[0]} tokens, {count[0] / seconds:.1f} a second", file=sys.stderr)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m xtensor.nn", description="Language models.")
    commands = parser.add_subparsers(dest="command", metavar="generate", required=True)
    command = commands.add_parser("generate", help="print the continuation of a prompt")
    command.add_argument("model", help="folder with config.json and model.safetensors, or a file .gguf")
    command.add_argument("prompt", help="the beginning of the text")
    command.add_argument(
        "--chat", action="store_true", help="answer the prompt by the model's template of conversations"
    )
    command.add_argument("--max-tokens", type=int, default=128, metavar="N", help="most tokens that are generated")
    command.add_argument("--temperature", type=float, default=0.0, metavar="T", help="0: the most probable token")
    command.add_argument("--top-k", type=int, metavar="K", help="draw from the K most probable tokens")
    command.add_argument("--top-p", type=float, metavar="P", help="draw from the tokens of total probability P")
    command.add_argument("--seed", type=int, metavar="S", help="the same seed gives the same text")
    command.add_argument("--device", metavar="D", help="device, for instance cuda:0")
    command.add_argument(
        "--dtype", default="float32", choices=("float32", "float16", "bfloat16"), help="of the weights"
    )
    command.add_argument("--quantize", choices=("int8", "int4"), help="quantize the weights while they are read")
    command.add_argument("--tokenizer", metavar="PATH", help="tokenizer.json, or its folder; default: the model's")
    command.add_argument("--verbose", action="store_true", help="print the number of tokens a second")
    options = parser.parse_args(argv)
    try:
        _generate(options)
    except (ImportError, MemoryError, OSError, ValueError, xp.BackendUnavailableError) as error:
        print(f"generate: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
        return 130
    return 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a token may not be in the stream's encoding
    sys.exit(main())
