"""The command line: `python -m conformance`, from the repository's root."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance import report, run, suite

ROOT = Path(__file__).resolve().parents[1]

PASSED, FAILED, NO_DEVICE, NO_SUITE, INTERRUPTED = 0, 1, 2, 3, 130


def main(argv: Sequence[str] | None = None, *, root: Path = ROOT, pins: suite.Pins = suite.PINS) -> int:
    """Do what the command line asks and return the exit code."""
    options = _parser().parse_args(argv)
    try:
        if options.command == "fetch":
            print(suite.fetch(pins=pins))
            return PASSED
        if options.command == "report":
            print(f"Wrote {report.write_report(root)}.")
            return PASSED
        missing = run.missing_requirements()
        if missing:
            raise suite.SuiteError(
                f"The suite needs {', '.join(missing)}, not installed for {sys.executable}.\n"
                f"Remedy: `{sys.executable} -m pip install {' '.join(missing)}`."
            )
        if options.if_available and not suite.is_here():
            print(suite.fetch(pins=pins))
        folder = suite.locate()
        suite.verify(folder, pins)
    except suite.SuiteError as error:
        if options.if_available and not suite.is_here():
            print(f"CONFORMANCE WAS NOT RUN: THE SUITE IS NOT HERE AND COULD NOT BE CLONED.\n{error}", file=sys.stderr)
            return PASSED
        ran = "" if options.command == "fetch" else "NOT RUN: "
        print(f"{ran}{error}", file=sys.stderr)
        return NO_SUITE
    settings = run.Settings(options.max_examples, options.workers, options.keyword, options.seed)
    # dict: a device named twice is run once.
    devices = dict.fromkeys(options.device or ["cpu"])
    try:
        return max(_run_device(device, folder, settings, root, pins, options.record) for device in devices)
    except KeyboardInterrupt:
        print("\nInterrupted; no record was written for this device.", file=sys.stderr)
        return INTERRUPTED


def _run_device(device: str, folder: Path, settings: run.Settings, root: Path, pins: suite.Pins, record: bool) -> int:
    try:
        facts = run.open_device(device)
    except run.DeviceError as error:
        print(
            f"NOT RUN on {device}: the device does not open: {error}\n"
            f"Remedy: `python -m xtensor` lists the devices here and what the others lack.",
            file=sys.stderr,
        )
        return NO_DEVICE
    result = run.run_suite(folder, device, settings, sys.stdout)
    if result.problem is not None:
        print(result.log)
    print(run.summary(device, result))
    if not record:
        print(f"{device}: no record written, as asked")
    elif settings.keyword is None and result.problem is None:
        written = report.write_result(root, device, facts, pins, settings, result)
        print(f"{device}: wrote {written} and {report.write_report(root)}")
    else:
        print(f"{device}: no record written: this was no complete run")
    return PASSED if result.passed else FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance",
        description="Run the official array-api-tests suite on devices of xtensor.",
        epilog=(
            "exit codes: 0 all passed; 1 a failure, or a run that died; 2 a device that does not "
            f"open, or bad usage; 3 NOT RUN, the suite is not there as pinned. The suite is taken "
            f"from {suite.DIRECTORY_VARIABLE} if set, else from {suite.cache_folder()}."
        ),
        allow_abbrev=False,
    )
    parser.add_argument("--device", action="append", metavar="D", help="a device, repeatable (default: cpu)")
    parser.add_argument(
        "--max-examples",
        type=_positive,
        default=100,
        metavar="N",
        help="Hypothesis's examples a test (default: 100)",
    )
    parser.add_argument("-k", dest="keyword", metavar="EXPR", help="only these tests; writes no record")
    parser.add_argument("-j", dest="workers", type=_positive, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--seed", type=int, metavar="N", help="Hypothesis's seed")
    parser.add_argument("--no-record", dest="record", action="store_false", help="write no record of the run")
    parser.add_argument(
        "--if-available",
        action="store_true",
        help="fetch a missing suite; where that fails, say that it was NOT RUN and exit with 0",
    )
    commands = parser.add_subparsers(dest="command", metavar="fetch | report")
    commands.add_parser("fetch", help="put the pinned suite into the cache")
    commands.add_parser("report", help="write CONFORMANCE.md from the records there are")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not a positive number")
    return number


if __name__ == "__main__":
    sys.exit(main())
