"""Command line: ``python -m benchmarks.hardware --out DIR``, run from the root of the repository."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path

from . import _bundle, _rehearsal
from ._runner import INTERRUPTED, exit_code, interrupt, record_of, run_step, summary
from ._steps import ROOT, Step, proof


def main(argv: Sequence[str] | None = None) -> int:
    """Run the steps of the command line, print the summary and return the exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.command == "bundle":
        return _bundle.make(options.folder, python=options.python, platforms=options.platform, also=options.also)
    out: Path = options.out
    steps = _with_limits(parser, proof(out, rehearse=options.rehearse, workers=options.workers), options.limit)
    if options.list:
        for step in steps:
            print(f"{step.name:<22} {step.limit:>4g} s  {step.about}")
        return 0
    out.mkdir(parents=True, exist_ok=True)
    chosen = _chosen(parser, steps, options, out)
    environment = _environment(options.bundle, out)
    try:
        _run(chosen, out, environment, options)
    except KeyboardInterrupt:
        print("\nInterrupted; the same command goes on with this step.", file=sys.stderr)
        return INTERRUPTED
    records = {step.name: record_of(step, out) for step in steps}
    text = summary(records)
    if options.rehearse:
        text = f"REHEARSAL on stand-ins for a GPU: this proves nothing about a GPU.\n\n{text}"
    (out / "summary.txt").write_text(text + "\n", encoding="utf-8")
    print(f"\n{text}")
    return exit_code({step.name: records[step.name] for step in chosen} if options.step else records)


def _run(chosen: Sequence[Step], out: Path, environment: Mapping[str, str], options: argparse.Namespace) -> None:
    """Run the steps, ``--jobs`` at a time; a step that measures time runs beside no other."""
    started = time.monotonic()

    def run(numbered: tuple[int, Step]) -> None:
        position, step = numbered
        left = float("inf") if options.total is None else options.total - (time.monotonic() - started)
        if step.limit > left:
            print(f"{step.name} is not started: its limit is {step.limit:g} s, and {left:.0f} s of --total are left.")
            return
        print(f"[{position}/{len(chosen)}] {step.name}: {step.about} …", flush=True)
        with_stand_ins = options.rehearse and step.uses_gpu
        record = run_step(step, out, _rehearsal.environment(environment, out) if with_stand_ins else environment)
        print(f"    {step.name} {record['status']} after {record['seconds']} s: {record['detail']}", flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        try:
            for alone, steps in groupby(enumerate(chosen, 1), key=lambda numbered: numbered[1].alone):
                list((map if alone else pool.map)(run, steps))
        except BaseException:
            interrupt()
            raise


def _chosen(
    parser: argparse.ArgumentParser, steps: Sequence[Step], options: argparse.Namespace, out: Path
) -> Sequence[Step]:
    """Return the steps to run: those named, those from a name on, or all that have no record."""
    names = [step.name for step in steps]
    for name in (*options.step, *([options.start] if options.start else [])):
        if name not in names:
            parser.error(f"there is no step {name!r}; --list prints the steps")
    if options.step:
        return [step for step in steps if step.name in options.step]
    if options.start:
        return steps[names.index(options.start) :]
    left = [step for step in steps if record_of(step, out) is None]
    if len(left) < len(steps):
        done = len(steps) - len(left)
        print(f"{done} of {len(steps)} steps have a record in {out}; --from {names[0]} runs them again.")
    return left


def _with_limits(parser: argparse.ArgumentParser, steps: Sequence[Step], limits: Sequence[str]) -> tuple[Step, ...]:
    """Return the steps with the time limits of the command line."""
    changed = {step.name: step for step in steps}
    for text in limits:
        name, equals, seconds = text.rpartition("=")
        if (equals and name not in changed) or not seconds.replace(".", "", 1).isdecimal():
            parser.error(f"--limit is SECONDS, or STEP=SECONDS with a step of --list, not {text!r}")
        for step in [name] if equals else changed:
            changed[step] = replace(changed[step], limit=float(seconds))
    return tuple(changed.values())


def _environment(bundle: Path | None, out: Path) -> dict[str, str]:
    """Return the environment of all steps: this checkout first, then the bundle, then the machine's own packages."""
    path = [str(ROOT), str(ROOT / "tests")]
    variables = dict(os.environ)
    if bundle is not None:
        path.append(str(_bundle.install(bundle, out / "site")))
        variables |= _bundle.suite_variables(bundle)
    path += filter(None, [os.environ.get("PYTHONPATH")])
    # A step's output is then complete when it is killed, and names the function in which a process crashed.
    return variables | {"PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"there cannot be {text!r} of them; give 1 or more")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hardware",
        description="Prove xtensor on a machine with a GPU, in steps of at most 8 minutes, without a network.",
        epilog=(
            "Exit codes: 0: all steps passed. 1: a step failed, crashed or was over its limit. 2: wrong usage. "
            "3: no step failed, and some did not run."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "--out", type=Path, default=Path("hardware-results"), metavar="DIR", help="folder of the results"
    )
    parser.add_argument(
        "--step", action="append", default=[], metavar="NAME", help="run this step, also if it has a record; repeatable"
    )
    parser.add_argument("--from", dest="start", metavar="NAME", help="run this step and those after it")
    parser.add_argument("--list", action="store_true", help="print the steps and their time limits")
    parser.add_argument("--bundle", type=Path, metavar="DIR", help="folder of wheels that the command bundle prepared")
    parser.add_argument(
        "--limit", action="append", default=[], metavar="[STEP=]SECONDS",
        help="another time limit of a step, or of all; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=1,
        metavar="N",
        help="run N steps at a time; those that measure time run alone",
    )
    parser.add_argument(
        "--workers", type=_positive, default=4, metavar="N", help="processes of a step with tests (default: 4)"
    )
    parser.add_argument(
        "--total", type=float, metavar="SECONDS", help="start no step whose limit is beyond this time in all"
    )
    parser.add_argument(
        "--rehearse", action="store_true", help="run a small part of each step on stand-ins for a GPU, without a GPU"
    )
    commands = parser.add_subparsers(dest="command", metavar="bundle")
    bundle = commands.add_parser("bundle", help="download and build what a machine without a network needs")
    bundle.add_argument("folder", type=Path, metavar="DIR")
    bundle.add_argument(
        "--python", default=f"{sys.version_info[0]}.{sys.version_info[1]}", metavar="X.Y", help="the machine's Python"
    )
    bundle.add_argument(
        "--platform", action="append", metavar="TAG", help="a platform tag of the machine (default: Linux on x86-64)"
    )
    bundle.add_argument(
        "--also", action="append", default=[], metavar="NAME", help="a further distribution, such as numpy; repeatable"
    )
    return parser


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
