"""matplotlib, unmodified: the artists and the pixels of plots of Arrays are those of NumPy arrays."""

from __future__ import annotations

import numpy as np
import pytest
from comparison import assert_same

pytest.importorskip("matplotlib", reason="matplotlib is not installed: dependency group consumers")

from matplotlib import pyplot as plt

import xtensor as xp

RNG = np.random.default_rng(0)
X = np.linspace(0.0, 2.0, 9)
Y = RNG.normal(size=9)
SIZE = RNG.uniform(5.0, 50.0, size=9)
SAMPLE = RNG.normal(size=60)
GRID = RNG.normal(size=(9, 9))
COLUMN, ROW = np.meshgrid(X, X)
COUNT = np.arange(9)
MASK = Y > 0

PLOTS = {
    "bar": lambda ax, a: ax.bar(a(COUNT), a(SIZE), bottom=a(Y), width=a(X) / 3),
    "barh": lambda ax, a: ax.barh(a(COUNT), a(SIZE), xerr=a(X)),
    "boxplot": lambda ax, a: ax.boxplot(a(GRID)),
    "boxplot of a list": lambda ax, a: ax.boxplot([a(SAMPLE), a(Y)]),
    "contour": lambda ax, a: ax.contour(a(COLUMN), a(ROW), a(GRID), levels=a(X)),
    "contourf": lambda ax, a: ax.contourf(a(X), a(X), a(GRID)),
    "ecdf": lambda ax, a: ax.ecdf(a(SAMPLE)),
    "errorbar": lambda ax, a: ax.errorbar(a(X), a(Y), yerr=a(SIZE) / 50, xerr=0.1),
    "errorbar of two sides": lambda ax, a: ax.errorbar(a(X), a(Y), yerr=a(np.stack([X, SIZE]))),
    "fill": lambda ax, a: ax.fill(a(X), a(Y)),
    "fill_between": lambda ax, a: ax.fill_between(a(X), a(Y), a(Y) + 1, where=a(MASK)),
    "hexbin": lambda ax, a: ax.hexbin(a(SAMPLE), a(SAMPLE) ** 2, gridsize=5),
    "hist": lambda ax, a: ax.hist(a(SAMPLE), bins=a(np.linspace(-3, 3, 8))),
    "hist of weights": lambda ax, a: ax.hist(a(Y), weights=a(SIZE), density=True, bins=5),
    "hist2d": lambda ax, a: ax.hist2d(a(SAMPLE), a(SAMPLE) ** 2, bins=5),
    "hlines and vlines": lambda ax, a: (ax.hlines(a(Y), a(X), a(X) + 1), ax.vlines(a(X), 0, a(Y))),
    "imshow": lambda ax, a: ax.imshow(a(GRID), extent=a(X[[0, 1, 2, 4]])),
    "imshow of colours": lambda ax, a: ax.imshow(a(np.abs(GRID[:6]).reshape(3, 6, 3) % 1.0)),
    "limits": lambda ax, a: (ax.plot(a(X), a(Y)), ax.set_xlim(a(X)[1], a(X)[4]), ax.set_ylim(a(np.array([-3.0, 3.0])))),
    "limits from reductions": lambda ax, a: (ax.plot(a(X)), ax.set_ylim(a(Y).min(), a(Y).max())),
    "limits from two elements": lambda ax, a: (ax.plot(a(X)), ax.set_xlim(a(np.array([0.5, 2.5])))),
    "lines": lambda ax, a: (ax.axhline(a(Y)[0]), ax.axvline(a(X)[3]), ax.axvspan(a(X)[4], a(X)[5])),
    "matshow": lambda ax, a: ax.matshow(a(GRID)),
    "pcolormesh": lambda ax, a: ax.pcolormesh(a(COLUMN), a(ROW), a(GRID), shading="nearest"),
    "pcolormesh of edges": lambda ax, a: ax.pcolormesh(a(X), a(X), a(GRID)[1:, 1:], vmin=a(GRID).min()),
    "pie": lambda ax, a: ax.pie(a(SIZE)),
    "plot": lambda ax, a: ax.plot(a(X), a(Y)),
    "plot of an integer": lambda ax, a: ax.plot(a(COUNT), a(COUNT) ** 2, "o"),
    "plot of columns": lambda ax, a: ax.plot(a(X), a(GRID)),
    "plot of y": lambda ax, a: ax.plot(a(Y), linewidth=a(X)[4]),
    "plot with NumPy's x": lambda ax, a: ax.plot(X, a(Y)),
    "plot on logarithmic axes": lambda ax, a: ax.loglog(a(SIZE), a(SIZE) ** 2),
    "quiver": lambda ax, a: ax.quiver(a(COLUMN), a(ROW), a(GRID), a(GRID) ** 2),
    "scatter": lambda ax, a: ax.scatter(a(X), a(Y), s=a(SIZE), c=a(SAMPLE)[:9]),
    "spy": lambda ax, a: ax.spy(a(GRID) > 0),
    "stackplot": lambda ax, a: ax.stackplot(a(X), a(SIZE), a(SIZE)),
    "stairs": lambda ax, a: ax.stairs(a(Y)[1:], a(X)),
    "stem": lambda ax, a: ax.stem(a(X), a(Y)),
    "step": lambda ax, a: ax.step(a(X), a(Y)),
    "streamplot": lambda ax, a: ax.streamplot(a(X), a(X), a(GRID), a(GRID)),
    "text": lambda ax, a: (ax.plot(a(X)), ax.text(a(X)[1], a(Y)[1], "here"), ax.annotate("there", a(X)[2:4])),
    "ticks": lambda ax, a: (ax.plot(a(X)), ax.set_xticks(a(COUNT)[::2]), ax.set_yticks(a(X))),
    "tricontour": lambda ax, a: ax.tricontour(a(SAMPLE)[:20], a(SAMPLE)[20:40], a(SAMPLE)[40:]),
    "tripcolor": lambda ax, a: ax.tripcolor(a(SAMPLE)[:20], a(SAMPLE)[20:40], a(SAMPLE)[40:]),
    "violinplot": lambda ax, a: ax.violinplot(a(GRID)),
}

SPACE_PLOTS = {
    "bar3d": lambda ax, a: ax.bar3d(a(X), a(Y), 0, 0.1, 0.1, a(SIZE)),
    "contour": lambda ax, a: ax.contour(a(COLUMN), a(ROW), a(GRID)),
    "plot": lambda ax, a: ax.plot(a(X), a(Y), a(SIZE)),
    "plot_surface": lambda ax, a: ax.plot_surface(a(COLUMN), a(ROW), a(GRID)),
    "plot_trisurf": lambda ax, a: ax.plot_trisurf(a(SAMPLE)[:20], a(SAMPLE)[20:40], a(SAMPLE)[40:]),
    "plot_wireframe": lambda ax, a: ax.plot_wireframe(a(COLUMN), a(ROW), a(GRID)),
    "scatter": lambda ax, a: ax.scatter(a(X), a(Y), a(SIZE), c=a(X)),
}

READERS = ("get_xydata", "get_offsets", "get_array", "get_path", "get_paths", "get_extent", "get_segments")


def drawn(plot, convert, projection=None):
    """Return the pixels of a plot, the limits of its axes and the data of its artists."""
    figure = plt.figure(figsize=(2, 2), dpi=50)
    try:
        axes = figure.add_subplot(projection=projection)
        plot(axes, convert)
        figure.canvas.draw()
        pixels = np.array(figure.canvas.buffer_rgba())
        return pixels, axes.get_xlim(), axes.get_ylim(), [data_of(artist) for artist in axes.get_children()]
    finally:
        plt.close(figure)


def data_of(artist):
    """Return what an artist shows."""
    return {name: values_of(getattr(artist, name)()) for name in READERS if hasattr(artist, name)}


def values_of(data):
    if isinstance(data, (list, tuple)):
        return [values_of(item) for item in data]
    data = getattr(data, "vertices", data)
    return np.ma.getdata(data) if isinstance(data, np.ndarray) else data


def assert_drawn_alike(plot, projection=None):
    expected = drawn(plot, np.array, projection)
    assert not np.array_equal(expected[0], drawn(lambda ax, a: None, np.array, projection)[0])
    assert_same(drawn(plot, xp.asarray, projection), expected, rtol=1e-12)


@pytest.mark.parametrize("name", PLOTS)
def test_plot_is_that_of_numpy_arrays(readable_device, name):
    assert_drawn_alike(PLOTS[name])


@pytest.mark.parametrize("name", SPACE_PLOTS)
def test_plot_in_space_is_that_of_numpy_arrays(readable_device, name):
    if name == "plot_surface" and not readable_device.host:
        with pytest.raises(AttributeError, match="strides"):  # matplotlib makes views of host memory
            drawn(SPACE_PLOTS[name], xp.asarray, "3d")
        return
    assert_drawn_alike(SPACE_PLOTS[name], "3d")


def test_plot_off_the_host_needs_the_permission_to_copy(lenient_device):
    if lenient_device.host:
        drawn(PLOTS["pcolormesh"], xp.asarray)
    else:
        with pytest.raises(TypeError, match="to the host"):
            drawn(PLOTS["pcolormesh"], xp.asarray)
        drawn(PLOTS["pcolormesh"], lambda values: xp.asarray(values).numpy())
