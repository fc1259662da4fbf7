"""Command line of the runner: `python -m conformance`, from the root of the repository."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from conformance import dtypes, report, run, suite

ROOT = Path(__file__).resolve().parents[1]

PASSED, FAILED, NO_DEVICE, NO_SUITE, INTERRUPTED = 0, 1, 2, 3, 130


def main(argv: Sequence[str] | None = None, *, root: Path = ROOT, pins: suite.Pins = suite.PINS) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(argv)
    if options.command == "fetch":
        return _fetch(pins)
    if options.command == "report":
        print(f"Wrote {report.write_report(root)}.")
        return PASSED
    # A dict removes duplicates and keeps the order.
    devices = list(dict.fromkeys(options.device or ["cpu"]))
    try:
        folder = _prepare_suite(options.if_available, pins)
    except suite.SuiteError as error:
        _print_not_run(devices, error.reason, error.remedy)
        excused = options.if_available and _is_unavailable() and not run.missing_requirements()
        return PASSED if excused else NO_SUITE
    settings = run.Settings(
        options.max_examples, options.workers, options.keyword, options.seed, options.part, options.shapes_only
    )
    refused: dict[str, run.DeviceError] = {}
    codes = []
    try:
        for device in devices:
            try:
                codes.append(_run_device(device, folder, settings, root, pins, options.record))
            except run.DeviceError as error:
                refused[device] = error
    except KeyboardInterrupt:
        print("\nInterrupted; no record was written for this device.", file=sys.stderr)
        return INTERRUPTED
    if refused:
        reasons = [f"The suite cannot run on {device}: {error.reason}" for device, error in refused.items()]
        remedies = dict.fromkeys(error.remedy for error in refused.values())
        _print_not_run(list(refused), "\n".join(reasons), " ".join(remedies))
        return NO_DEVICE
    return max(codes)


def _cache() -> str:
    try:
        return str(suite.cache_folder())
    except suite.SuiteError:
        return "the user's cache"


def _fetch(pins: suite.Pins) -> int:
    try:
        print(suite.fetch(pins=pins))
    except suite.SuiteError as error:
        print(error, file=sys.stderr)
        return NO_SUITE
    return PASSED


def _prepare_suite(fetch_if_missing: bool, pins: suite.Pins) -> Path:
    missing = run.missing_requirements()
    if missing:
        raise suite.SuiteError(
            f"{sys.executable} does not have the packages that the suite requires: {', '.join(missing)}.",
            f"run `{sys.executable} -m pip install {' '.join(missing)}`.",
        )
    if fetch_if_missing and _is_unavailable():
        print(suite.fetch(pins=pins))
    folder = suite.locate()
    suite.verify(folder, pins)
    return folder


def _is_unavailable() -> bool:
    """Return whether the suite is not in the cache and the user names no other folder."""
    return not os.environ.get(suite.DIRECTORY_VARIABLE) and not suite.is_here()


def _print_not_run(devices: Sequence[str], reason: str, remedy: str) -> None:
    # Last, so that a reader of the end of the output does not take it for a pass.
    sys.stdout.flush()
    print(
        f"{reason}\nNOT RUN: the official suite did not run on {', '.join(devices)}.\nRemedy: {remedy}",
        file=sys.stderr,
    )


def _run_device(device: str, folder: Path, settings: run.Settings, root: Path, pins: suite.Pins, record: bool) -> int:
    facts = run.open_device(device)
    left_out = dtypes.left_out(facts["dtypes"])
    print(f"{device}: the suite sees one device: {device}; dtypes left out: {', '.join(left_out) or 'none'}")
    for note in dtypes.consequences(left_out):
        print(f"{device}: {note}")
    result = run.run_suite(folder, device, settings, sys.stdout, dtypes_left_out=left_out)
    if result.problem is not None:
        print(result.log)
    print(run.summary(device, result))
    if settings.shapes_only:
        for reason, count in Counter(skip["reason"] for skip in result.tally.skips()).most_common():
            print(f"{device}: {count} skipped: {reason}")
    if left_out:
        print(f"{device}: dtypes left out: {', '.join(left_out)}")
    if not record:
        print(f"{device}: no record written, because of --no-record")
    elif settings.complete and result.problem is None:
        written = report.write_result(root, device, facts, pins, settings, result)
        print(f"{device}: wrote {written} and {report.write_report(root)}")
    else:
        print(f"{device}: no record written, because the run was not complete")
    return PASSED if result.passed else FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance",
        description="Run the official array-api-tests suite on devices of xtensor.",
        epilog=(
            "Exit codes: 0: all tests passed. 1: a test failed or the run was incomplete. 2: a device could not be "
            "opened, or wrong usage. 3: NOT RUN, because the pinned suite is missing or modified. The suite is in the "
            f"folder that {suite.DIRECTORY_VARIABLE} names, or in {_cache()} if the variable is not set."
        ),
        allow_abbrev=False,
    )
    parser.add_argument("--device", action="append", metavar="D", help="device, repeatable (default: cpu)")
    parser.add_argument(
        "--max-examples",
        type=_positive,
        default=100,
        metavar="N",
        help="number of Hypothesis examples per test (default: 100)",
    )
    parser.add_argument("-k", dest="keyword", metavar="EXPR", help="run only matching tests; write no record")
    parser.add_argument(
        "--part", type=_part, metavar="I/N", help="run the I-th of N parts of the tests; write no record"
    )
    parser.add_argument(
        "-j", dest="workers", type=_positive, default=1, metavar="N", help="number of processes (default: 1)"
    )
    parser.add_argument(
        "--shapes-only",
        action="store_true",
        help="check shapes and dtypes, not values, as on the device meta; write no record",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of Hypothesis")
    parser.add_argument("--no-record", dest="record", action="store_false", help="write no record of the run")
    parser.add_argument(
        "--if-available",
        action="store_true",
        help="fetch the suite if the cache does not hold it; if that fails, print NOT RUN and exit with 0, not 3",
    )
    commands = parser.add_subparsers(dest="command", metavar="fetch | report")
    commands.add_parser("fetch", help="download the pinned suite to the cache")
    commands.add_parser("report", help="write CONFORMANCE.md from the existing records")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not a positive number")
    return number


def _part(text: str) -> str:
    position, _, count = text.partition("/")
    if not (position.isdecimal() and count.isdecimal() and 1 <= int(position) <= int(count)):
        raise argparse.ArgumentTypeError(f"expected I/N with 1 ≤ I ≤ N, such as 2/4, not {text!r}")
    return text


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name or a message may not be in the stream's encoding
    sys.exit(main())
