"""Objects in a notebook: their HTML, and the names that the completion offers."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec

import pytest

import xtensor as xp
from xtensor._core.html import chunk_drawing, facts, size_text, table

MODULES = [
    "xtensor",
    *[f"xtensor.{name}" for name in ("autograd", "backend", "engines", "fft", "lib", "lib.stride_tricks", "linalg")],
    *[f"xtensor.{name}" for name in ("nn", "nn.functional", "random", "special", "dask", "einops")],
]


@pytest.mark.parametrize("module", MODULES)
def test_completion_offers_public_names_only(module):
    library = module.partition(".")[2]
    if library in ("dask", "einops") and find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    found = import_module(module)
    assert sorted(dir(found)) == sorted(found.__all__)


def cells(html: str) -> list[str]:
    """Return the texts of a table's cells."""
    return re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", html)


def test_device_shows_backend_and_hardware():
    shown = xp.device("numpy" if "numpy" in map(str, xp.devices()) else "cpu")._repr_html_()
    assert cells(shown)[:3] == ["backend", "numpy", "hardware"]


def test_profile_shows_a_row_for_each_record():
    with xp.profile() as profile:
        xp.sum(xp.ones(3, device="cpu"))
    shown = cells(profile._repr_html_())
    assert shown[:6] == ["operation", "device", "by", "calls", "ms", "GB/s"]
    assert {"sum", "ones"} <= set(shown[6::6])


def test_estimate_shows_its_table():
    estimate = xp.estimate(lambda x: x * 2, xp.ones(1000, dtype=xp.float64, device="cpu"))
    assert " ".join(cells(estimate._repr_html_())) == " ".join(str(estimate).split())


def test_advice_shows_a_reason_for_each_device():
    advice = xp.best_device(lambda x: x * 2, xp.ones(3, device="cpu"))
    assert advice._repr_html_().count("<li>") == len(advice.reasons)


def test_model_shows_its_layers_and_a_row_for_each_parameter():
    model = xp.nn.Sequential(xp.nn.Linear(2, 3, rng=xp.random.default_rng(0)), xp.nn.ReLU())
    shown = model._repr_html_()
    assert "(1): ReLU()" in shown
    assert cells(shown)[4:] == [
        *("0.weight", "(3, 2)", "float32", "6"),
        *("0.bias", "(3,)", "float32", "3"),
        *("all", "", "", "9"),
    ]


def test_html_escapes_texts():
    assert cells(facts("a < b", [("x & y", "<b>")])) == ["x &amp; y", "&lt;b&gt;"]
    assert cells(table([("<", ">")])) == ["&lt;", "&gt;"]


@pytest.mark.parametrize(("count", "text"), [(1023, "1023 B"), (1024, "1.00 KiB"), (3 * 2**29, "1.50 GiB")])
def test_sizes_have_binary_units(count, text):
    assert size_text(count) == text


def test_chunks_are_drawn_in_their_proportions():
    assert 'd="M30.0 0V30.0"' in chunk_drawing([(1, 3)])  # a quarter of 120 pixels, the height of one row
