"""Measure the matrix products for which a Triton kernel is faster than the vendor's library, and write the table.

``python -m benchmarks._tune`` writes ``backends/xtensor_triton/matmul.json``: the fastest tile sizes for each dtype and
shape, and their speed relative to the library. The Triton backend looks shapes up in that table.
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

from ._triton import matmul_with_blocks
from .gpu import event_sampler, random_array

__all__ = ["SHAPES", "fastest_blocks", "main"]

TABLE = Path(__file__).resolve().parents[1] / "backends" / "xtensor_triton" / "matmul.json"

SIDES = (1024, 2048, 4096, 8192)
SHAPES = (*((side, side, side) for side in SIDES), *((16, side, side) for side in SIDES), *((s, s, 64) for s in SIDES))
"""Rows, columns and inner dimension: square products, products with few rows, and short inner dimensions."""

DTYPES = (("float16", "exact"), ("bfloat16", "exact"), ("float32", "tf32"))
"""Dtypes, each with the precision of the product."""

CANDIDATES = tuple(
    (rows, columns, inner, 8, warps, stages)
    for rows, columns, inner, warps, stages in product((16, 64, 128), (64, 128, 256), (32, 64), (4, 8), (3, 4))
    if rows * columns <= 128 * 256 and rows * columns >= 512 * warps // 2
)
"""Candidate tile sizes: rows, columns, inner dimension, group size, warps, stages."""

ROUNDS = 5


def fastest_blocks(
    candidates: Iterable[tuple[int, ...]], seconds_of: Callable[[tuple[int, ...]], float | None]
) -> tuple[tuple[int, ...], float] | None:
    """Return the fastest candidate and its time; None if no candidate compiles.

    ``seconds_of`` returns None for tile sizes that do not compile.
    """
    times = [(seconds, blocks) for blocks in candidates if (seconds := seconds_of(blocks)) is not None]
    if not times:
        return None
    seconds, blocks = min(times)
    return blocks, seconds


def main(argv: Sequence[str] | None = None, *, table: Path = TABLE) -> int:
    """Measure all products and write the table. Exit with code 2 if there is no GPU."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks._tune", description=__doc__)
    parser.add_argument("--device", default="triton:0", metavar="D", help="the GPU (default: triton:0)")
    options = parser.parse_args(argv)
    try:
        device = xtensor.device(options.device)
    except (ValueError, xtensor.BackendUnavailableError) as error:
        parser.error(str(error))
    products = _measure_products()
    content = {
        "measured": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "device": device.info().name,
        "versions": {name: str(__import__(name).__version__) for name in ("cupy", "triton")},
        "products": products,
    }
    table.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"Wrote {len(products)} products to {table}.", file=sys.stderr)
    return 0


def _measure_products() -> list[dict[str, Any]]:
    import cupy
    from triton.runtime import driver

    arch = str(driver.active.get_current_target().arch)
    products = []
    for (dtype, precision), (rows, columns, inner) in product(DTYPES, SHAPES):
        x = random_array(cupy, (rows, inner), dtype)
        y = random_array(cupy, (inner, columns), dtype, 1)
        best = fastest_blocks(CANDIDATES, partial(_seconds, cupy, x, y, precision))
        if best is None:
            continue
        blocks, seconds = best
        library_seconds = _median(event_sampler(cupy, partial(cupy.matmul, x, y)))
        products.append(
            {
                "arch": arch,
                "dtype": dtype,
                "precision": precision,
                "sides": (rows, columns, inner),
                "blocks": blocks,
                "speedup": round(library_seconds / seconds, 3),
            }
        )
        print(products[-1], file=sys.stderr)
    return products


def _seconds(cupy: Any, x: Any, y: Any, precision: str, blocks: tuple[int, ...]) -> float | None:
    """Return the seconds of a product with the given tile sizes; None if the kernel does not compile."""
    matmul = matmul_with_blocks(cupy, x, y, precision, blocks)
    return None if matmul is None else _median(event_sampler(cupy, matmul))


def _median(sampler: Callable[[int], float]) -> float:
    sampler(2)
    return statistics.median(sampler(5) / 5 for _ in range(ROUNDS))


if __name__ == "__main__":
    sys.exit(main())
