"""The files of the benchmark ``networks`` are those of decoders that are read."""

from __future__ import annotations

from pathlib import Path

import pytest

import xtensor as xp
from benchmarks._decoder_file import SMALL, write
from xtensor.nn import models

pytest.importorskip("gguf", reason="the environment networks of tox has gguf")


@pytest.mark.parametrize(("kind", "bits"), [("Q8_0", 8.5), ("Q4_0", 4.5)])
def test_decoder_of_a_benchmark_is_read(kind: str, bits: float, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write(path, kind, SMALL)
    model = models.from_gguf(path)
    scores = model(xp.asarray([300, 301]))
    assert scores.shape == (2, SMALL.vocabulary)
    assert 0.1 < float(xp.std(scores)) < 10
    count = sum(rows * columns for rows, columns in SMALL.matrices().values())
    assert SMALL.bytes(kind) == count * bits / 8
