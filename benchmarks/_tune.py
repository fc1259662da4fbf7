"""Measure the matrix products for which a Triton kernel is faster than the vendor's library, and write the table.

``python -m benchmarks._tune`` writes ``backends/xtensor_triton/matmul.json``: the fastest tile sizes for each dtype and
shape, and their speed relative to the library. The Triton backend looks shapes up in that table.

All products take longer than many GPUs are lent for: ``--part 2/6`` measures the second of six parts. Each product is
merged into the table as soon as it is measured, in place of an earlier measurement of the same product.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import xtensor

from ._triton import gpu_target, matmul_with_blocks
from .gpu import event_sampler, random_array

__all__ = ["SHAPES", "fastest_blocks", "main", "merge", "products_of"]

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

FINALISTS = 4
"""The number of candidates that are measured in all rounds."""


def fastest_blocks(
    candidates: Iterable[tuple[int, ...]], seconds_of: Callable[[tuple[int, ...], int], float | None]
) -> tuple[tuple[int, ...], float] | None:
    """Return the fastest candidate and its time; None if no candidate compiles.

    ``seconds_of`` takes the number of rounds, and returns None for tile sizes that do not compile. All candidates are
    measured in one round, and the fastest of them in all rounds.
    """
    times = [(seconds, blocks) for blocks in candidates if (seconds := seconds_of(blocks, 1)) is not None]
    finals = [(seconds, blocks) for _, blocks in sorted(times)[:FINALISTS] if (seconds := seconds_of(blocks, ROUNDS))]
    if not finals:
        return None
    seconds, blocks = min(finals)
    return blocks, seconds


def main(argv: Sequence[str] | None = None, *, table: Path = TABLE) -> int:
    """Measure all products, or a part of them, and write the table. Exit with code 2 if there is no GPU."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks._tune", description=__doc__)
    parser.add_argument("--device", default="triton:0", metavar="D", help="the GPU (default: triton:0)")
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="I/N", help="a part of the products, such as 2/6")
    options = parser.parse_args(argv)
    try:
        device = xtensor.device(options.device)
    except (ValueError, xtensor.BackendUnavailableError) as error:
        parser.error(str(error))
    for measured in _measure_products(products_of(*options.part)):
        merge(table, measured, device.info().name)
        print(measured, file=sys.stderr, flush=True)
    print(f"The products are in {table}.", file=sys.stderr)
    return 0


def _part(text: str) -> tuple[int, int]:
    """Parse the argument of ``--part``."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is no part such as 2/6, the second of six parts")
    return int(match[1]), int(match[2])


def products_of(part: int, parts: int) -> list[tuple[tuple[str, str], tuple[int, int, int]]]:
    """Return the dtypes and shapes of a part of the products; each part has small and large ones."""
    return list(product(DTYPES, SHAPES))[part - 1 :: parts]


def merge(table: Path, measured: Mapping[str, Any], device: str) -> None:
    """Put a measured product into the table, in place of an earlier measurement of the same product."""
    products = {_key(row): row for row in json.loads(table.read_text(encoding="utf-8"))["products"]}
    products[_key(measured)] = {
        **measured,
        "measured": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "device": device,
        "versions": {name: str(__import__(name).__version__) for name in ("cupy", "triton")},
    }
    content = {"products": [products[key] for key in sorted(products)]}
    # An interruption leaves the old table or the new one.
    draft = table.with_name(f".{table.name}.draft")
    draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    draft.replace(table)


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["arch"], row["dtype"], row["precision"], tuple(row["sides"])


def _measure_products(products: Iterable[tuple[tuple[str, str], tuple[int, int, int]]]) -> Iterator[dict[str, Any]]:
    import cupy

    arch = str(gpu_target(cupy).arch)
    for (dtype, precision), (rows, columns, inner) in products:
        x = random_array(cupy, (rows, inner), dtype)
        y = random_array(cupy, (inner, columns), dtype, 1)
        if precision == "tf32":
            # The tensor cores take both operands with neighbours along the inner dimension, as in a linear layer.
            y = cupy.ascontiguousarray(y.T).T
        best = fastest_blocks(CANDIDATES, partial(_seconds, cupy, x, y, precision))
        if best is None:
            continue
        blocks, seconds = best
        library_seconds = _median(event_sampler(cupy, partial(cupy.matmul, x, y)))
        yield {
            "arch": arch,
            "dtype": dtype,
            "precision": precision,
            "sides": (rows, columns, inner),
            "blocks": blocks,
            "speedup": round(library_seconds / seconds, 3),
        }


def _seconds(cupy: Any, x: Any, y: Any, precision: str, blocks: tuple[int, ...], rounds: int) -> float | None:
    """Return the seconds of a product with the given tile sizes; None if the kernel does not compile."""
    matmul = matmul_with_blocks(cupy, x, y, precision, blocks)
    return None if matmul is None else _median(event_sampler(cupy, matmul), rounds)


def _median(sampler: Callable[[int], float], rounds: int = ROUNDS) -> float:
    sampler(2)
    return statistics.median(sampler(5) / 5 for _ in range(rounds))


if __name__ == "__main__":
    sys.exit(main())
