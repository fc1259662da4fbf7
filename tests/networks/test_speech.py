"""A real detector of speech: the network of the package silero-vad, whose weights are in a program of TorchScript."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from torch_support import torch

import xtensor as xp
from xtensor import nn

package = find_spec("silero_vad")
if package is None or package.origin is None:
    pytest.skip("the environment networks of tox has silero-vad", allow_module_level=True)


class Detector(nn.Module):
    """The probability of speech of one chunk of sound after the other.

    Amplitudes of frequencies, four convolutions, an LSTM that keeps its state from chunk to chunk.
    """

    def __init__(self, size: int) -> None:
        """Make the layers for Fourier transforms of ``size`` samples."""
        self.size = size
        channels = (size // 2 + 1, 128, 64, 64, 128)
        self.basis = xp.zeros((size + 2, 1, size), dtype=xp.float32)
        self.encoder = nn.Sequential(
            *[
                nn.Conv1d(channels[number], channels[number + 1], 3, stride=stride, padding=1, rng=0)
                for number, stride in enumerate((1, 2, 2, 1))
            ]
        )
        self.rnn = nn.LSTM(128, 128, rng=0)
        self.output = nn.Conv1d(128, 1, 1, rng=0)
        self.state: Any = None

    def forward(self, x: xp.Array) -> xp.Array:
        x = xp.pad(x, ((0, 0), (0, self.size // 4)), mode="reflect")
        parts = nn.functional.conv1d(x[:, None, :], self.basis, stride=self.size // 2)
        half = self.size // 2 + 1
        x = xp.hypot(parts[:, :half, :], parts[:, half:, :])
        for layer in self.encoder:
            x = nn.functional.relu(layer(x))
        x, self.state = self.rnn(xp.moveaxis(x, -1, 0), self.state)
        return nn.functional.sigmoid(self.output(nn.functional.relu(xp.moveaxis(x, 0, -1))))[:, :, 0]


def named(state: Any, prefix: str) -> dict[str, np.ndarray]:
    """Return the weights of a rate, with the names of :class:`Detector`."""
    found = {}
    for name, x in state.items():
        if name.startswith(prefix):
            path = name.removeprefix(prefix).replace("stft.forward_basis_buffer", "basis")
            path = path.replace(".reparam_conv", "").replace("decoder.decoder.2", "output").removeprefix("decoder.")
            found[f"{path}_l0" if path.startswith("rnn") else path] = x.numpy()
    return found


@pytest.mark.filterwarnings("ignore:`torch.jit.load` is deprecated")
@pytest.mark.parametrize(("rate", "prefix", "size"), [(16000, "_model.", 256), (8000, "_model_8k.", 128)])
def test_probabilities_of_speech_are_those_of_the_package(rate: int, prefix: str, size: int) -> None:
    """Two sounds of 60 chunks: a voice's harmonics with a melody and pauses, and noise."""
    theirs = torch.jit.load(Path(str(package.origin)).parent / "data" / "silero_vad.jit")
    ours = Detector(size).eval()
    ours.load_state_dict(named(theirs.state_dict(), prefix))
    count, context = 2 * size, size // 4
    time = np.arange(60 * count) / rate
    phase = 2 * np.pi * np.cumsum(120 + 40 * np.sin(2 * np.pi * 3 * time)) / rate
    voice = np.sum([np.sin(number * phase) / number for number in range(1, 20)], axis=0)
    voice *= 0.2 * (np.sin(2 * np.pi * 1.5 * time) > -0.3)
    noise = 0.1 * np.random.default_rng(0).standard_normal(len(time))
    sound = np.stack([voice, noise]).astype(np.float32)
    before = np.zeros((2, context), dtype=np.float32)
    found, expected = [], []
    for chunk in np.split(sound, 60, axis=1):
        with torch.no_grad():
            expected.append(theirs(torch.from_numpy(chunk.copy()), rate).numpy())
        whole = np.concatenate([before, chunk], axis=1)
        found.append(xp.to_numpy(ours(xp.asarray(whole))))
        before = whole[:, -context:]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert np.max(expected) - np.min(expected) > 0.1
