"""Command line: ``python -m benchmarks scale``, run from the root of the repository."""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from ._lines import Line, fitted, table

CHUNKS = (8, 16, 32, 64, 128, 256)
MOVES = ((8, 2**15), (8, 2**20))
"""Numbers of chunks and their bytes."""
TASKS = (1_000, 10_000, 100_000)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables of the command line."""
    options = _parser().parse_args(argv)
    libraries = ", ".join(f"{name} {version(name)}" for name in ("dask", "distributed", "numpy", "zarr"))
    date = datetime.datetime.now(datetime.UTC).date()
    print(f"{date}; {os.cpu_count()} cores; Python {platform.python_version()}, {libraries}\n", flush=True)
    if options.chunks:
        print_counts(options.chunks)
    for chunks, chunk_bytes in options.moves:
        print_moves(chunks, chunk_bytes)
    if options.tasks:
        print_loads(options.tasks)
    return 0


def print_counts(chunks: Sequence[int]) -> None:
    """Count each job's tasks and bytes, and print them with the lines through them."""
    from ._jobs import CHUNK_BYTES, JOBS, SHUFFLED, count, planned

    tasks, moved = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in JOBS:
            try:
                works = [count(name, n, Path(folder))[0] for n in chunks]
            except ImportError as error:
                print(f"{name}: not measured ({error})", file=sys.stderr)
                continue
            computations = [f"{works[-1].computations}"]
            counts = [work.tasks for work in works]
            tasks.append([name, *computations, *[f"{n:,}" for n in counts], *_cells(fitted(chunks, counts))])
            if name in SHUFFLED:
                counts = [planned(name, n, Path(folder)) for n in chunks]
                tasks.append([f"{name}, p2p", "1", *[f"{n:,}" for n in counts], *_cells(fitted(chunks, counts))])
            counts = [work.bytes_moved for work in works]
            shares = [f"{n / (CHUNK_BYTES * m):.3g}" for n, m in zip(counts, chunks, strict=True)]
            moved.append([name, *shares, *_cells(fitted(chunks, counts), 1 / CHUNK_BYTES)])
    sizes = [f"{n} chunks" for n in chunks]
    fit = ["slope", "intercept", "residual"]
    print(f"Tasks\n\n{table(['job', 'computations', *sizes, *fit], tasks)}\n")
    print(f"Bytes moved / bytes of the data; line: chunks moved\n\n{table(['job', *sizes, *fit], moved)}\n", flush=True)


def print_moves(chunks: int, chunk_bytes: int) -> None:
    """Print for each job the bytes that are counted to move, and those that the workers of a cluster record."""
    from ._jobs import JOBS, count, recorded

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in JOBS:
            counted = count(name, chunks, Path(folder), chunk_bytes)[0].bytes_moved
            found = recorded(name, chunks, Path(folder), chunk_bytes)
            shares = [f"{moved / (chunks * chunk_bytes):.3g}" for moved in (counted, found)]
            rows.append([name, *shares, f"{found / counted:.2f}"])
    print(f"Bytes moved / bytes of the data, {chunks} chunks of {chunk_bytes} bytes, a worker for each\n")
    print(table(["job", "counted", "recorded", "ratio"], rows), end="\n\n", flush=True)


def _cells(line: Line, scale: float = 1.0) -> list[str]:
    if line.is_straight:
        return [f"{line.slope * scale:.3g}", f"{line.intercept * scale:.3g}", f"{line.residual:.1%}"]
    return ["no line", f"∝ chunks^{line.exponent:.2f}", f"{line.residual:.0%}"]


def print_loads(tasks: Sequence[int]) -> None:
    """Measure the scheduler with graphs of several sizes, and print the seconds and bytes of each."""
    from ._scheduler import cluster, measured

    rows = []
    for number in tasks:
        with cluster() as (_, scheduler):
            measured(100, scheduler)  # imports what is needed
            load = measured(max(number * 3 // 7, 1), scheduler)  # seven tasks for three chunks
        rows.append(
            [
                f"{load.tasks:,}",
                f"{load.construction:.2f} s",
                f"{load.pickling:.2f} s",
                f"{load.pickled / 1e6:.2f} MB",
                f"{load.computation:.1f} s",
                f"{load.tasks / load.computation:,.0f}",
                f"{load.scheduler_seconds:.2f} s",
                f"{load.client_seconds:.2f} s",
                f"{load.client / 1e6:.0f} MB",
                f"{load.scheduler / 1e6:.0f} MB",
            ]
        )
    header = ["tasks", "construction", "pickling", "pickled", "computation", "tasks/s"]
    header += ["processor: scheduler", "client", "memory: client", "scheduler"]
    print(table(header, rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks scale",
        description="Count tasks and bytes moved of jobs on the device dask, and measure dask's scheduler.",
        allow_abbrev=False,
    )
    parser.add_argument("--chunks", type=_numbers, default=CHUNKS, metavar="N,…", help="numbers of chunks, or none")
    parser.add_argument("--tasks", type=_numbers, default=TASKS, metavar="N,…", help="numbers of tasks, or none")
    parser.add_argument(
        "--moves", type=_pairs, default=MOVES, metavar="NxBYTES,…", help="chunks of a cluster that moves them, or none"
    )
    return parser


def _pairs(text: str) -> tuple[tuple[int, int], ...]:
    pairs = [part.split("x") for part in text.split(",")] if text != "none" else []
    return tuple([(int(chunks), int(size)) for chunks, size in pairs])


def _numbers(text: str) -> tuple[int, ...]:
    return () if text == "none" else tuple(map(int, text.split(",")))


if __name__ == "__main__":
    sys.exit(main())
