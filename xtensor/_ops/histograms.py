"""Histograms and the bins of values, with NumPy's names and signatures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import apply
from .._core.compositions import composed
from .._core.errors import describe
from .._core.operations import COMPLEX_OF
from . import _casts
from ._arguments import as_arrays, flattened, on_device
from ._bin_edges import bin_widths, edges_of_axis, edges_of_bins, length_of, neighbours
from ._flags import truth
from .counting import bincount

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


@composed
def digitize(x: AnyArray, bins: AnyArray, right: bool = False) -> Array:
    """Return the number of the bin of each element: ``i`` with ``bins[i - 1] <= x < bins[i]``.

    Parameters
    ----------
    x
        Array of booleans or real numbers, or an array-like with an Array.
    bins
        The edges of the bins, of one dimension, in ascending or descending order.
    right
        Whether the bins contain their right edge rather than their left one.

    Returns
    -------
    Array
        The numbers, of the shape of ``x`` and the default index dtype; 0 and ``len(bins)`` outside all bins.

    Raises
    ------
    ValueError
        If ``bins`` is not monotonic, or not of one dimension.
    TypeError
        If ``x`` is complex.

    Notes
    -----
    NumPy, ``digitize``.
    """
    right, given = truth(right, "digitize", "right"), bins
    x, bins = (_casts.counted(item) for item in as_arrays("digitize", x, bins))
    if x.dtype.kind == "c" or bins.dtype.kind == "c":
        raise TypeError(f"x may not be complex; digitize() takes real numbers, not {x.dtype} and {bins.dtype}")
    if bins.ndim != 1:
        depth = "too deep" if bins.ndim else "of too small depth"
        raise ValueError(
            f"object {depth} for desired array; digitize() takes bins of one dimension, not {describe(given)}"
        )
    before, after = neighbours(bins)
    ascending = True
    if after.size:  # the first edges that differ decide; of a NaN after them nothing is asked, as in NumPy
        changes = _casts.counting(after != before)
        first = xp.argmax(changes)
        ascending = not xp.any(changes) or bool(after[first] > before[first])
    if xp.any(after < before if ascending else after > before):
        raise ValueError(f"bins must be monotonically increasing or decreasing; digitize() got {describe(given)}")
    x, bins = _casts.promoted(x, bins)
    side: Any = "left" if right else "right"
    if ascending:
        return xp.searchsorted(bins, x, side=side)
    return bins.shape[0] - xp.searchsorted(xp.flip(bins), x, side=side)


@composed
def histogram(
    a: AnyArray,
    bins: int | str | Array = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: AnyArray | None = None,
) -> tuple[Array, Array]:
    """Return the number of elements in each of some bins, or the sum of their weights, and the edges of the bins.

    Parameters
    ----------
    a
        Array of booleans or real numbers, which is flattened.
    bins
        The number of bins of equal width; the edges, ascending and of one dimension; or one of the rules ``"auto"``,
        ``"doane"``, ``"fd"``, ``"rice"``, ``"scott"``, ``"sqrt"``, ``"stone"`` and ``"sturges"`` for their number.
    range
        The outer edges; None selects the smallest and the largest element. It is ignored if ``bins`` has edges.
    density
        Whether to divide by the total and by the widths, so that the integral is 1.
    weights
        The weights of the elements, of the shape of ``a``.

    Returns
    -------
    tuple of Array
        The counts, of the default integer dtype, or the sums in the dtype of the weights, or the density in floating
        point; and the edges, one more than there are bins. The last bin contains its right edge. NaN is not counted if
        ``range`` or edges are given.

    Raises
    ------
    ValueError
        If the number of bins is not positive or too large, edges descend, the range is not finite, the shapes differ,
        or the rule is unknown.
    TypeError
        If ``bins`` is of another type, ``a`` is complex, or a rule is given with weights.

    Notes
    -----
    NumPy, ``histogram``. Unlike NumPy, the function does not warn about booleans, which count as integers.
    """
    density = truth(density, "histogram", "density")
    given = bins
    a, weights = _samples("histogram", a, bins, weights)
    edges = edges_of_bins("histogram", a, bins, range, weights)
    if weights is None and edges is not given:
        # Between these edges a device may count by itself.
        samples, limits = _comparable(a, edges)
        counts = histogram(samples, limits)[0]
    else:
        counts = _sum_of_bins(a, edges, weights)
    if not density:
        return counts, edges
    widths = xp.astype(bin_widths(edges), _casts.double(counts.dtype, a))
    totals = xp.astype(counts, widths.dtype)
    return totals / widths / xp.sum(totals), edges


@composed
def histogram2d(
    x: AnyArray,
    y: AnyArray,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: AnyArray | None = None,
) -> tuple[Array, Array, Array]:
    """Return the number of points in each bin of a grid, or the sum of their weights, and the edges of the bins.

    Parameters
    ----------
    x, y
        The coordinates of the points, Arrays or array-likes with one, of shape ``(N,)``.
    bins
        The number of bins or their edges, for both axes; or a pair of them.
    range
        The outer edges of both axes, ``((x_min, x_max), (y_min, y_max))``; None selects the extreme coordinates.
    density
        Whether to divide by the total and by the areas, so that the integral is 1.
    weights
        The weights of the points, of shape ``(N,)``.

    Returns
    -------
    tuple of Array
        The histogram, whose first axis belongs to ``x``, in floating point; the edges for ``x``; the edges for ``y``.

    Raises
    ------
    ValueError
        If the lengths differ, and as :func:`histogramdd`.

    Notes
    -----
    NumPy, ``histogram2d``.
    """
    given = (x, y)
    x, y = as_arrays("histogram2d", x, y)
    if not x.ndim or not y.ndim or x.shape[0] != y.shape[0]:
        first, second = map(describe, given)
        raise ValueError(f"x and y must have the same length.; histogram2d() got {first} and {second}")
    if length_of(bins) not in (None, 1, 2):
        edges = on_device("histogram2d", bins, x.device)
        bins = [edges, edges]
    counts, (x_edges, y_edges) = _histogramdd("histogram2d", [x, y], bins, range, density, weights)
    return counts, x_edges, y_edges


@composed
def histogram_bin_edges(
    a: AnyArray, bins: int | str | Array = 10, range: tuple[float, float] | None = None, weights: AnyArray | None = None
) -> Array:
    """Return the edges of the bins that :func:`histogram` would count in.

    Parameters
    ----------
    a
        Array of booleans or real numbers, which is flattened.
    bins, range
        The bins, as in :func:`histogram`.
    weights
        The weights; they have no influence, but no rule for ``bins`` supports them.

    Returns
    -------
    Array
        The edges, in floating point unless ``bins`` are edges.

    Raises
    ------
    ValueError
        As :func:`histogram`.
    TypeError
        As :func:`histogram`.

    Notes
    -----
    NumPy, ``histogram_bin_edges``.
    """
    a, weights = _samples("histogram_bin_edges", a, bins, weights)
    return edges_of_bins("histogram_bin_edges", a, bins, range, weights)


@composed
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: AnyArray | None = None
) -> tuple[Array, list[Array]]:
    """Return the number of points in each bin of a grid of any dimension, or the sum of their weights, and the edges.

    Parameters
    ----------
    sample
        The points: an Array of shape ``(N, D)``, or a sequence of ``D`` Arrays of shape ``(N,)``.
    bins
        The number of bins for all axes; or for each axis a number or the edges, ascending and of one dimension.
    range
        For each axis the outer edges, or None for the extreme coordinates; None does so for all axes.
    density
        Whether to divide by the total and by the volumes, so that the integral is 1.
    weights
        The weights of the points, of shape ``(N,)``.

    Returns
    -------
    tuple
        The histogram, of ``D`` dimensions and in floating point, and a list of the edges of each axis.

    Raises
    ------
    ValueError
        If the number of bins is not positive, edges descend, a range is not finite, or the lengths differ.
    TypeError
        If the number of bins is not an integer, or the sample is complex.

    Notes
    -----
    NumPy, ``histogramdd``.
    """
    return _histogramdd("histogramdd", sample, bins, range, density, weights)


def _samples(name: str, a: Any, bins: Any, weights: Any) -> tuple[Array, Array | None]:
    """Return the flattened samples and weights; booleans become integers."""
    given = [a, *(x for x in (weights,) if x is not None), *(x for x in (bins,) if isinstance(x, Array))]
    arrays = as_arrays(name, *given)
    a, weights = arrays[0], None if weights is None else arrays[1]
    if a.dtype.kind == "c":
        raise TypeError(f"{name}() takes real numbers, not {a.dtype}, which has no order; take xtensor.abs(a) first")
    if weights is not None:
        if weights.shape != a.shape:
            raise ValueError(f"weights should have the same shape as a.; {name}() got {describe(given[1])}")
        weights = flattened(weights)
    a = flattened(a)
    return _casts.counting(a), weights


def _sum_of_bins(a: Array, edges: Array, weights: Array | None) -> Array:
    """Return the count of each bin, or the sum of its weights in their dtype."""
    count = max(edges.shape[0] - 1, 0)
    if not count:
        dtype = a.device.default_dtypes["integral"] if weights is None else weights.dtype
        return xp.zeros(0, dtype=dtype, device=a.device)
    number = _bin_numbers(a, edges)
    # Bin 0 is before the first edge, and the last one behind the last edge.
    number = xp.where(number == 0, count + 1, number)
    if weights is None:
        return bincount(number, minlength=count + 2)[1:-1]
    if weights.dtype.kind != "c":
        return xp.astype(
            bincount(number, xp.astype(weights, _casts.double(weights.dtype, a)), count + 2)[1:-1], weights.dtype
        )
    real, imag = (bincount(number, part(weights), count + 2)[1:-1]._native for part in (xp.real, xp.imag))
    return xp.astype(apply(COMPLEX_OF, weights.device, real, imag), weights.dtype, copy=False)


def _comparable(a: Array, edges: Array) -> list[Array]:
    """Return samples and edges in their common dtype; booleans count as integers."""
    return _casts.promoted(_casts.counted(a), _casts.counted(edges))


def _bin_numbers(a: Array, edges: Array) -> Array:
    """Return the number of the bin of each element, from 1; 0 and ``len(edges)`` outside, the latter for NaN."""
    a, edges = _comparable(a, edges)
    number = xp.searchsorted(edges, a, side="right")
    return xp.where(a == edges[-1:], edges.shape[0] - 1, number)


def _histogramdd(
    name: str, sample: Any, bins: Any, limits: Any, density: bool | None, weights: Any
) -> tuple[Array, list[Array]]:
    """Return the histogram of points and the edges of each axis; ``name`` is the public function."""
    density = truth(density, name, "density")
    columns, weights = _columns(name, sample, weights)
    dimensions = len(columns)
    if length_of(bins) is None:
        bins = [bins] * dimensions
    elif length_of(bins) != dimensions:
        raise ValueError(
            "The dimension of bins must be equal to the dimension of the sample x.; "
            f"{name}() got {describe(bins)} for {dimensions} dimensions"
        )
    if limits is None:
        limits = [None] * dimensions
    elif length_of(limits) != dimensions:
        raise ValueError(f"range argument must have one entry per dimension; {name}() got {describe(limits)}")
    edges = [edges_of_axis(name, columns[i], i, bins[i], limits[i]) for i in range(dimensions)]
    device, shape = columns[0].device, tuple(item.shape[0] + 1 for item in edges)
    number = xp.zeros(columns[0].shape, dtype=device.default_dtypes["indexing"], device=device)
    for column, item, length in zip(columns, edges, shape, strict=True):
        number = number * length + _bin_numbers(column, item)
    counts = xp.reshape(bincount(number, weights, math.prod(shape)), shape)
    counts = xp.astype(counts[(slice(1, -1),) * dimensions], device.default_dtypes["real floating"])
    if density:
        total = xp.sum(counts)
        for i, item in enumerate(edges):
            widths = xp.astype(bin_widths(item), counts.dtype)
            counts = counts / xp.reshape(widths, tuple(-1 if i == j else 1 for j, _ in enumerate(edges)))
        counts = counts / total
    return counts, edges


def _columns(name: str, sample: Any, weights: Any) -> tuple[list[Array], Array | None]:
    """Return the coordinates of points along each axis, and the weights."""
    extra = [] if weights is None else [weights]
    if isinstance(sample, (list, tuple)):
        arrays = list(as_arrays(name, *sample, *extra))
        columns = [_casts.counted(x) for x in (arrays[:-1] if extra else arrays)]
        columns = [flattened(x) for x in _casts.promoted(*columns)]
    else:
        arrays = list(as_arrays(name, sample, *extra))
        table = _casts.counted(arrays[0])
        if table.ndim > 2:
            raise ValueError(f"too many values to unpack (expected 2); {name}() takes shape (N, D), not {table.shape}")
        table = table if table.ndim == 2 else xp.reshape(table, (-1, 1))
        columns = [table[:, i] for i in range(table.shape[1])]
    if not columns:
        raise ValueError(f"{name}() takes points of one dimension at least, not {describe(sample)}")
    if columns[0].dtype.kind == "c":
        raise TypeError(f"{name}() takes real numbers, not {columns[0].dtype}, which has no order")
    if len({x.shape for x in columns}) > 1:
        raise ValueError(f"{name}() takes coordinates of one length, not {', '.join(str(x.shape) for x in columns)}")
    if extra and arrays[-1].shape != columns[0].shape:
        raise ValueError(
            f"The weights and list don't have the same length.; {name}() got {describe(weights)} for "
            f"{columns[0].shape[0]} points"
        )
    return columns, arrays[-1] if extra else None
