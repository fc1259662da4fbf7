"""Measure which products of matrices a kernel does faster than the vendor's library, and write the table of them.

``python -m benchmarks._tune`` writes ``backends/xtensor_triton/matmul.json``: for each dtype and size the fastest
blocks of those tried, and how much faster than the library they were. The Triton backend looks sizes up in it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import xtensor

from .gpu import between_events, random

__all__ = ["SIZES", "fastest", "main"]

TABLE = Path(__file__).resolve().parents[1] / "backends" / "xtensor_triton" / "matmul.json"

SIDES = (1024, 2048, 4096, 8192)
SIZES = (*((side, side, side) for side in SIDES), *((16, side, side) for side in SIDES), *((s, s, 64) for s in SIDES))
"""Rows, columns and the length of the sum: square products, few rows, and short sums."""

KINDS = (("float16", "exact"), ("bfloat16", "exact"), ("float32", "tf32"))

TRIED = tuple(
    (rows, columns, inner, 8, warps, stages)
    for rows, columns, inner, warps, stages in product((16, 64, 128), (64, 128, 256), (32, 64), (4, 8), (3, 4))
    if rows * columns <= 128 * 256 and rows * columns >= 512 * warps // 2
)
"""The blocks, groups, warps and stages that are tried."""

ROUNDS = 5


def fastest(
    blocks: Iterable[tuple[int, ...]], timed: Callable[[tuple[int, ...]], float | None]
) -> tuple[tuple[int, ...], float] | None:
    """The blocks of the shortest time, and that time; blocks that cannot be compiled have none."""
    found = [(seconds, candidate) for candidate in blocks if (seconds := timed(candidate)) is not None]
    if not found:
        return None
    seconds, candidate = min(found)
    return candidate, seconds


def main(argv: Sequence[str] | None = None, *, table: Path = TABLE) -> int:
    """Measure and write; 2 where there is no GPU."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks._tune", description=__doc__)
    parser.add_argument("--device", default="triton:0", metavar="D", help="the GPU (default: triton:0)")
    options = parser.parse_args(argv)
    try:
        device = xtensor.device(options.device)
    except (ValueError, xtensor.BackendUnavailableError) as error:
        parser.error(str(error))
    rows = _measured()
    info = device.info()
    written = {
        "measured": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "device": info.name,
        "versions": {name: str(__import__(name).__version__) for name in ("cupy", "triton")},
        "products": rows,
    }
    table.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    print(f"Wrote {len(rows)} products to {table}.", file=sys.stderr)
    return 0


def _measured() -> list[dict[str, Any]]:
    import cupy
    from triton.runtime import driver

    arch = str(driver.active.get_current_target().arch)
    found = []
    for (dtype, precision), sides in product(KINDS, SIZES):
        x = random(cupy, (sides[0], sides[2]), dtype)
        y = random(cupy, (sides[2], sides[1]), dtype, 1)
        best = fastest(TRIED, partial(_timed, x, y, precision))
        if best is None:
            continue
        library = _median(between_events(cupy, partial(cupy.matmul, x, y)))
        row = {"arch": arch, "dtype": dtype, "precision": precision, "sides": sides, "blocks": best[0]}
        found.append(row | {"speedup": round(library / best[1], 3)})
        print(found[-1], file=sys.stderr)
    return found


def _timed(x: Any, y: Any, precision: str, blocks: tuple[int, ...]) -> float | None:
    """Seconds of a product with some blocks; None where they cannot be compiled or give something else."""
    import cupy

    from xtensor_triton._fallthrough import Context, KernelError, Unsuited
    from xtensor_triton._launch import Launcher, current_stream
    from xtensor_triton._matrices import Blocks, Product
    from xtensor_triton._storage import DeviceMemory

    class Tried(Product):
        def _blocks(self, *asked: Any) -> Blocks:
            return Blocks(*blocks)

    from triton.runtime import driver

    launcher = Launcher(driver.active.get_current_target(), current_stream(cupy))
    product_of = Tried(Context(DeviceMemory(cupy), launcher))
    try:
        product_of("matmul", x, y, None, precision)
    except (KernelError, Unsuited, RuntimeError):
        return None
    return _median(between_events(cupy, partial(product_of, "matmul", x, y, None, precision)))


def _median(sampler: Callable[[int], float]) -> float:
    sampler(2)
    return statistics.median(sampler(5) / 5 for _ in range(ROUNDS))


if __name__ == "__main__":
    sys.exit(main())
