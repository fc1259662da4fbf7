"""Command line: ``python -m benchmarks GROUP …``, run from the root of the repository."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path

import xtensor

from ._allocators import ALLOCATORS, SYSTEM, TUNED, tunable, tune
from ._parts import part
from ._picture import PICTURE, draw_stored
from ._pyperf import write_samples
from ._results import Document, document, save
from ._run import full_group, group_modules, load_group, quick_group, run_group
from ._tables import markdown

RESULTS = Path(__file__).parent / "results"
SELECTED_GROUPS = ("advice", "compile", "cpu", "devices", "engines", "expressions", "gpu", "networks", "sweep")
"""Groups that run only if they are named: they need a certain device, take long, or fail above a limit."""

DEFAULT_GROUPS = tuple(name for name in group_modules() if name not in SELECTED_GROUPS)


def main(argv: Sequence[str] | None = None, *, results: Path = RESULTS) -> int:
    """Run the groups of the command line and return 1 if a limit is exceeded that its group enforces, otherwise 0."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["scale"]:
        return import_module("benchmarks.scale.__main__").main(arguments[1:])  # type: ignore[no-any-return]
    if arguments[:1] == ["picture"]:
        PICTURE.write_text(draw_stored(), encoding="utf-8")
        return 0
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.save and (options.quick or options.repeat is not None):
        parser.error("--save stores complete runs only; remove --quick and --repeat")
    if options.save and options.part is not None:
        parser.error("--save stores complete runs only; remove --part")
    if options.pyperf is not None and find_spec("pyperf") is None:
        parser.error("pyperf is not installed; python -m pip install --group benchmarks")
    if options.allocator == TUNED:
        try:
            tune()
        except RuntimeError as error:
            parser.error(str(error))
    groups = {name: load_group(name) for name in options.groups or DEFAULT_GROUPS}
    try:
        devices = {name: xtensor.device(options.device or group.device) for name, group in groups.items()}
    except (ValueError, xtensor.BackendUnavailableError) as error:
        parser.error(str(error))
    outcomes, runs = [], []
    failed = False
    for name, group in groups.items():
        selected = quick_group(group) if options.quick else full_group(group) if options.full else group
        outcome = run_group(
            name,
            selected if options.part is None else replace(selected, cases=options.part.of(selected.cases)),
            devices[name],
            rounds=options.repeat,
            quick=options.quick,
            allocator=options.allocator or SYSTEM,
            progress=_print_progress if sys.stderr.isatty() else lambda line: None,
        )
        run = document(outcome)
        print(markdown(run), flush=True)
        outcomes.append(outcome)
        runs.append(run)
        if options.save and any(row.timings for row in outcome.rows):
            _print_written([save(run, results)])
        for allocator in group.allocators if options.allocator is None else ():
            if allocator != SYSTEM:
                code, others = _run_apart(name, allocator, options, results)
                failed = failed or code != 0
                runs += others
    if options.json is not None:
        options.json.write_text(json.dumps(runs) + "\n", encoding="utf-8")
    if options.pyperf is not None:
        _print_written(write_samples(outcomes, options.pyperf))
    return int(failed or any(outcome.fails for outcome in outcomes))


def _run_apart(name: str, allocator: str, options: argparse.Namespace, results: Path) -> tuple[int, list[Document]]:
    """Run a group in a process of its own with another allocator; return the exit code and the documents."""
    if not tunable():
        print(f"{name} is not measured with the {allocator} allocator: the C library is not glibc.", file=sys.stderr)
        return 0, []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.json"
        command = [sys.executable, "-m", "benchmarks", name, "--allocator", allocator, "--json", str(path)]
        for option in ("device", "repeat", "part"):
            value = getattr(options, option)
            command += [] if value is None else [f"--{option}", str(value)]
        command += [f"--{option}" for option in ("quick", "full") if getattr(options, option)]
        code = subprocess.run(command).returncode
        documents = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    if options.save:
        _print_written([save(run, results) for run in documents])
    return code, documents


def _print_written(paths: Iterable[Path]) -> None:
    for path in paths:
        print(f"Wrote {path}.", file=sys.stderr)


def _print_progress(line: str) -> None:
    print(f"\r\033[K{line}", end="\r", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure xtensor, the device's raw library and the installed peers in one run.",
        epilog="The table shows ABOVE where a limit is exceeded; the exit code is 1 for that in the groups "
        "expressions and sweep alone. `python -m benchmarks scale` counts the tasks of jobs on dask: --help there.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "groups",
        nargs="*",
        type=_group,
        metavar="GROUP",
        help=f"any of {', '.join(group_modules())} (default: all except {', '.join(SELECTED_GROUPS)})",
    )
    parser.add_argument("--device", metavar="D", help="device of xtensor's arrays (default: that of the group)")
    parser.add_argument(
        "--repeat", type=_positive, metavar="N", help="rounds of samples (default: the group's own number)"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds; takes seconds")
    parser.add_argument(
        "--full", action="store_true", help="the full sizes of groups whose complete run takes long (engines)"
    )
    parser.add_argument("--part", type=part, metavar="I/N", help="measure the I-th of N parts of each group's cases")
    parser.add_argument(
        "--allocator",
        choices=tuple(ALLOCATORS),
        help="run with this allocator alone, the C library's as it is or with raised thresholds (default: group's)",
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the results to a JSON file, a list of groups")
    parser.add_argument("--pyperf", type=Path, metavar="FOLDER", help="write all samples as pyperf files, by library")
    parser.add_argument(
        "--save", action="store_true", help="store the run in this machine's file in benchmarks/results"
    )
    return parser


def _group(text: str) -> str:
    if text not in group_modules():
        raise argparse.ArgumentTypeError(f"there is no group {text!r}; the groups are {', '.join(group_modules())}")
    return text


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} rounds requested; give 1 or more")
    return number


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name or a message may not be in the stream's encoding
    sys.exit(main())
