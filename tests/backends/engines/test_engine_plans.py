"""Numbers of tasks of plans: they grow with the chunks of the larger operand, and not with the elements of a chunk."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.util import find_spec

import numpy as np
import pytest

import xtensor as xp
from xtensor import engines

ENGINES = [name for name in ("dask", "cubed") if find_spec(name) is not None]
if not ENGINES:
    pytest.skip("no engine is installed: tox -e engines", allow_module_level=True)


@pytest.fixture(autouse=True)
def large_chunks():
    """Let arrays have one chunk where the settings of the environment are of chunks of a few elements."""
    with ExitStack() as stack:
        if "dask" in ENGINES:
            import dask

            stack.enter_context(dask.config.set({"array.chunk-size": "128 MiB"}))
        if "cubed" in ENGINES:
            import cubed

            stack.enter_context(cubed.config.set({"xtensor.chunk-size": "100MB"}))
        yield


def count(x: xp.Array) -> int:
    """Return the number of tasks of an Array's plan."""
    array = engines.to_engine(x)
    if x.device == "dask":
        import dask

        return len(dask.optimize(array)[0].__dask_graph__())
    return array.plan().num_tasks


class Operands:
    """A large array in ascending order, positions in a table of four elements, and this table."""

    def __init__(self, length: int, engine: str) -> None:
        rng = np.random.default_rng(0)
        self.length = length
        self.x = engines.rechunk(xp.asarray(np.arange(float(length)), device=engine), (length,))
        self.places = xp.asarray(rng.integers(0, 4, length), device=engine)
        self.table = xp.asarray([4.0, 1.0, 2.0, 3.0], device=engine)
        self.matrix = xp.reshape(xp.arange(12.0, device=engine), (4, 3))


CALLS = {
    "take": lambda o: xp.take(o.table, o.places),
    "rows": lambda o: o.matrix[o.places],
    "columns": lambda o: xp.take(o.matrix.T, o.places, axis=1),
    "elements": lambda o: o.matrix[o.places, 1],
    "take_along_axis": lambda o: xp.take_along_axis(o.table, o.places, axis=0),
    "permutation": lambda o: xp.take(o.x, xp.flip(xp.argsort(o.x))),
    "isin of a large array": lambda o: xp.isin(o.x, o.table),
    "isin in a large array": lambda o: xp.isin(o.table, o.x),
    "interp of a large array": lambda o: xp.interp(o.x, xp.sort(o.table), o.table),
    "interp in a large array": lambda o: xp.interp(o.table, o.x, o.x),
    "digitize": lambda o: xp.digitize(o.x, xp.sort(o.table)),
    "searchsorted": lambda o: xp.searchsorted(xp.sort(o.table), o.x),
    "repeat": lambda o: xp.repeat(o.table, o.length // 4),
    "tile": lambda o: xp.tile(o.table, o.length // 4),
    "resize": lambda o: xp.resize(o.table, (o.length,)),
    "select": lambda o: xp.select([o.x < 2, o.x > 4], [o.x, -o.x]),
    "pad": lambda o: xp.pad(o.table, (o.length, 0), mode="edge"),
    "pad, reflected": lambda o: xp.pad(o.x, 3, mode="reflect"),
    "diff": lambda o: xp.diff(o.x),
    "roll": lambda o: xp.roll(o.x, 7),
    "outer": lambda o: xp.outer(o.table, o.x),
    "kron": lambda o: xp.kron(o.x, o.table),
    "convolve": lambda o: xp.convolve(o.x, o.table),
    "unique_inverse": lambda o: xp.unique_inverse(o.places)[1],
    "bincount": lambda o: xp.bincount(o.places),
    "histogram": lambda o: xp.histogram(o.x, bins=4)[0],
    "quantile": lambda o: xp.quantile(o.x, 0.3),
    "median": lambda o: xp.median(o.x),
    "assignment": lambda o: assigned(o.x, o.places),
    "trapezoid": lambda o: xp.trapezoid(o.x),
    "vander": lambda o: xp.vander(o.x, 3),
    "nonzero": lambda o: xp.nonzero(o.x)[0],
}
"""Functions of a large operand and a small one."""


def assigned(x: xp.Array, places: xp.Array) -> xp.Array:
    x[places] = 1.0
    return x


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CALLS)
def test_tasks_do_not_grow_with_the_elements_of_a_chunk(engine, name):
    few, many = (count(CALLS[name](Operands(length, engine))) for length in (400, 1600))
    assert many <= few + 4, (few, many)


def chain(x: xp.Array) -> xp.Array:
    return xp.sqrt(xp.exp(-x * x) + 1.0) * xp.where(x > 3.0, x, 2.0 * x) + xp.tanh(x)


@pytest.mark.skipif("dask" not in ENGINES, reason="dask is not installed")
@pytest.mark.parametrize("function", [chain, xp.fuse(chain)], ids=["unfused", "fused"])
def test_chain_of_ten_operations_is_one_task_for_each_chunk_as_one_operation_is(function):
    x = engines.rechunk(xp.asarray(np.arange(1000.0), device="dask"), (100,))
    assert count(function(x)) == count(xp.exp(x))


@pytest.mark.skipif("dask" not in ENGINES, reason="dask is not installed")
@pytest.mark.parametrize("fuse", [lambda function: function, xp.fuse], ids=["unfused", "fused"])
def test_sum_of_a_chain_has_one_task_for_each_chunk_and_a_tree_of_partial_sums(fuse):
    x = engines.rechunk(xp.asarray(np.arange(1000.0), device="dask"), (100,))
    summed = fuse(lambda x: xp.sum(chain(x)))(x)
    assert count(summed) == count(xp.sum(x))
