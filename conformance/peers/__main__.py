"""Command line: ``python -m conformance.peers numpy|cupy|autograd --source CHECKOUT``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance.peers import report
from conformance.peers.plugin import peer
from conformance.peers.reasons import UNKNOWN, departures
from conformance.peers.run import run

ROOT = Path(__file__).resolve().parents[2]


def main(argv: Sequence[str] | None = None, *, root: Path = ROOT) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(argv)
    source = options.source.resolve()
    if not source.is_dir():
        print(f"--source {options.source} is no folder; pass a checkout of {options.peer}", file=sys.stderr)
        return 2
    if not peer(options.peer).files(source):
        print(f"--source {options.source} has no tests of {options.peer}; pass a checkout of it", file=sys.stderr)
        return 2
    outcomes = run(options.peer, source, options.device, options.keyword, options.workers, sys.stdout)
    for kind, count in outcomes.counts().items():
        print(f"{kind}: {count}")
    if not outcomes.complete:
        print(outcomes.log, file=sys.stderr)
        tests = f"{len(outcomes.verdicts)} of {outcomes.collected} tests"
        print(
            f"The run ended after {tests}; no record was written. The end of pytest's output is above.", file=sys.stderr
        )
        return 3
    if options.record and options.keyword is None:
        print(f"wrote {report.write(root, options.peer, source, options.device, outcomes)}")
    unknown = [row for row in departures(options.peer, outcomes.verdicts) if row[-1] == UNKNOWN]
    for row in unknown:
        print(f"without a reason in conformance/peers/reasons.py: {row[0]}: {row[1]} ({row[2]})", file=sys.stderr)
    return 1 if unknown else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.peers",
        description="Run the tests of another array library with Arrays in place of its arrays.",
        epilog="Exit codes: 0: the run ended, and each wrong value, wrong dtype and crash has a reason. 1: one has "
        "none. 2: wrong usage. 3: the run did not end.",
        allow_abbrev=False,
    )
    parser.add_argument("peer", choices=("numpy", "cupy", "autograd"))
    parser.add_argument("--source", type=Path, required=True, metavar="CHECKOUT", help="folder of the peer's checkout")
    parser.add_argument("--device", default="cpu", metavar="D", help="device of the Arrays (default: cpu)")
    parser.add_argument("-k", dest="keyword", metavar="EXPR", help="run only matching tests; write no record")
    parser.add_argument("-j", dest="workers", type=int, default=1, metavar="N", help="number of processes (default: 1)")
    parser.add_argument("--no-record", dest="record", action="store_false", help="write no record")
    return parser


if __name__ == "__main__":
    sys.exit(main())
