"""The command line: ``python -m benchmarks GROUP …``, from the root of the repository."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import xtensor

from ._pyperf import write_samples
from ._report import document, markdown, save
from ._run import group_names, load_group, run_group, smaller

RESULTS = Path(__file__).parent / "results"
BY_DEFAULT = tuple(name for name in group_names() if name != "gpu")
"""The groups that run where none is named: all that make sense on any device."""


def main(argv: Sequence[str] | None = None, *, results: Path = RESULTS) -> int:
    """Do what the command line asks and return the exit code, 0 whatever the clock says."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.save and (options.quick or options.repeat is not None):
        parser.error("--save keeps complete runs only; leave out --quick and --repeat")
    for asked, module in ((options.save, "matplotlib"), (options.pyperf, "pyperf")):
        if asked and find_spec(module) is None:
            parser.error(f"{module} is not installed; python -m pip install --group benchmarks")
    groups = {name: load_group(name) for name in options.groups or BY_DEFAULT}
    try:
        places = {name: xtensor.device(options.device or group.device) for name, group in groups.items()}
    except (ValueError, xtensor.BackendUnavailableError) as error:
        parser.error(str(error))
    outcomes = []
    for name, group in groups.items():
        outcome = run_group(
            name,
            smaller(group) if options.quick else group,
            places[name],
            rounds=options.repeat,
            quick=options.quick,
            progress=_progress if sys.stderr.isatty() else lambda line: None,
        )
        print(markdown(outcome), flush=True)
        outcomes.append(outcome)
        if options.save and any(row.timings for row in outcome.rows):
            _say_written(save(outcome, results))
    if options.json is not None:
        options.json.write_text(json.dumps([document(outcome) for outcome in outcomes]) + "\n", encoding="utf-8")
    if options.pyperf is not None:
        _say_written(write_samples(outcomes, options.pyperf))
    return 0


def _say_written(paths: Iterable[Path]) -> None:
    for path in paths:
        print(f"Wrote {path}.", file=sys.stderr)


def _progress(line: str) -> None:
    print(f"\r\033[K{line}", end="\r", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure xtensor beside the device's raw library and the peers installed here, in one run.",
        epilog="The exit code is 0 whatever the clock says: a limit that is missed is printed as ABOVE.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "groups",
        nargs="*",
        type=_group,
        metavar="GROUP",
        help=f"any of {', '.join(group_names())}; all but gpu where none is named",
    )
    parser.add_argument("--device", metavar="D", help="where xtensor computes (default: cpu; for gpu, cuda)")
    parser.add_argument("--repeat", type=_positive, metavar="N", help="rounds of samples (default: as the group says)")
    parser.add_argument("--quick", action="store_true", help="a glance in seconds: small sizes, few rounds")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write what was measured to a file, a list of groups")
    parser.add_argument("--pyperf", type=Path, metavar="FOLDER", help="write all samples as pyperf's files, by library")
    parser.add_argument("--save", action="store_true", help="keep complete runs, with plots, in benchmarks/results")
    return parser


def _group(text: str) -> str:
    if text not in group_names():
        raise argparse.ArgumentTypeError(f"there is no group {text!r}; there are {', '.join(group_names())}")
    return text


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} rounds; give 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
