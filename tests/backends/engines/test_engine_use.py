"""Arrays of engines as people use them: methods, progress bars, notebooks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest

import xtensor as xp
from xtensor import engines

ENGINES = [name for name in ("dask", "cubed") if find_spec(name) is not None]
if not ENGINES:
    pytest.skip("no engine is installed: tox -e engines", allow_module_level=True)


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


# -- methods ----------------------------------------------------------------------------------------------------------


def test_compute_returns_the_values_on_the_host(engine):
    values = xp.arange(4, device=engine).compute()
    assert values.device == "cpu"
    assert values.tolist() == [0, 1, 2, 3]


def test_rechunk_returns_an_array_in_other_chunks(engine):
    x = xp.arange(6, device=engine).rechunk(2)
    assert engines.chunks(x) == ((2, 2, 2),)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_persist_returns_an_array_of_the_engine(engine):
    x = xp.arange(4, device=engine).persist()
    assert x.device == engine
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["compute", "persist", "rechunk"])
def test_methods_are_listed_for_arrays_of_engines_alone(engine, name):
    assert name in dir(xp.ones(1, device=engine))
    assert name not in dir(xp.ones(1, device="cpu"))


@pytest.mark.parametrize("name", ["compute", "persist", "rechunk"])
def test_array_without_chunks_has_no_method_of_engines_and_names_the_function(name):
    x = xp.ones(1, device="cpu")
    assert not hasattr(x, name)
    with pytest.raises(AttributeError, match=rf"on device cpu, which has no chunks; .*xtensor\.engines\.{name}\("):
        getattr(x, name)


def test_xarray_does_not_take_an_array_for_one_of_dask(engine):
    assert not hasattr(xp.ones(1, device=engine), "chunks")


# -- notebooks --------------------------------------------------------------------------------------------------------


def drawing(x: xp.Array) -> ElementTree.Element:
    """Return the drawing of an array's HTML."""
    (found,) = re.findall("<svg.*</svg>", x._repr_html_())
    return ElementTree.fromstring(found)


def test_html_tells_shape_chunks_and_bytes(engine):
    html = xp.ones((4, 6), device=engine).rechunk((2, 3))._repr_html_()
    cells = re.findall(r'<th[^>]*>([^<]*)</th><td style="text-align: left">([^<]*)</td>', html)
    assert cells == [
        ("shape", "(4, 6)"),
        ("dtype", "float64"),
        ("bytes", "192 B"),
        ("chunks", "4 of (2, 3)"),
        ("bytes of a chunk", "48 B"),
        ("device", engine),
    ]


def test_html_computes_nothing(engine):
    before = engines.computations(engine)
    xp.sum(xp.ones(10, device=engine))._repr_html_()
    assert engines.computations(engine) == before


def test_drawing_has_a_line_at_each_edge_between_chunks(engine):
    (path,) = drawing(xp.ones((4, 6), device=engine).rechunk((2, 2))).iter("{http://www.w3.org/2000/svg}path")
    assert path.get("d") == "M0 40.0H120.0M40.0 0V80.0M80.0 0V80.0"  # 120 pixels for 6 elements


def test_drawing_of_many_chunks_is_bounded(engine):
    (path,) = drawing(xp.ones(500, device=engine).rechunk(1)).iter("{http://www.w3.org/2000/svg}path")
    assert path.get("d").count("M") == 31


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_array_without_elements_or_axes_has_no_drawing(engine, shape):
    assert "<svg" not in xp.ones(shape, device=engine)._repr_html_()


def test_array_with_values_is_shown_as_text():
    assert not hasattr(xp.ones(1, device="cpu"), "_repr_html_")


# -- progress ---------------------------------------------------------------------------------------------------------


def test_block_of_progress_shows_a_bar(engine, capsys):
    with engines.progress(0):
        assert float(xp.sum(xp.ones(5, device=engine))) == 5.0
    shown = capsys.readouterr().out
    assert shown.startswith("\r[")
    assert "100%" in shown
    assert shown.endswith("\n")


@pytest.mark.parametrize("after", [1000.0, None])
def test_block_of_progress_shows_no_bar_before_its_time(engine, capsys, after):
    with engines.progress(after):
        xp.sum(xp.ones(5, device=engine)).compute()
    assert capsys.readouterr().out == ""


def test_seconds_before_a_bar_are_not_negative():
    with pytest.raises(ValueError, match="-1"), engines.progress(-1):
        pass


PROGRAM = """
import sys, time
import xtensor as xp
import xtensor_backends.engines._progress as progress
from xtensor import engines

progress.AUTOMATIC = 0.0
float(xp.sum(xp.ones(5, device=sys.argv[1])))
"""


def output_in_a_terminal(engine: str, **variables: str) -> str:
    """Return what the program writes to a terminal."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    reader, writer = pty.openpty()
    command = [sys.executable, "-c", PROGRAM, engine]
    subprocess.run(command, stdout=writer, check=True, env={**os.environ, **variables})
    os.write(writer, b"end")  # so that there is something to read
    os.close(writer)
    shown = os.read(reader, 10_000).decode()
    os.close(reader)
    return shown


def test_computation_shows_a_bar_by_itself_in_a_terminal(engine):
    assert "100%" in output_in_a_terminal(engine)


def test_variable_turns_bars_off(engine):
    assert output_in_a_terminal(engine, XTENSOR_PROGRESS="0") == "end"


def test_computation_shows_no_bar_in_a_file(engine):
    done = subprocess.run([sys.executable, "-c", PROGRAM, engine], capture_output=True, text=True, check=True)
    assert done.stdout == ""
