"""The command line: ``python -m benchmarks GROUP``, from the root of the repository."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import xtensor

from ._report import document, markdown, save
from ._run import group_names, load_group, run_group, smaller

RESULTS = Path(__file__).parent / "results"


def main(argv: Sequence[str] | None = None, *, results: Path = RESULTS) -> int:
    """Do what the command line asks and return the exit code, 0 whatever the clock says."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.save and (options.quick or options.repeat is not None):
        parser.error("--save keeps complete runs only; leave out --quick and --repeat")
    group = load_group(options.group)
    try:
        device = xtensor.device(options.device or group.device)
    except (ValueError, xtensor.BackendUnavailableError) as error:
        parser.error(str(error))
    outcome = run_group(
        options.group,
        smaller(group) if options.quick else group,
        device,
        rounds=options.repeat,
        shortest=2e-5 if options.quick else 2e-4,
        quick=options.quick,
        progress=_progress if sys.stderr.isatty() else lambda line: None,
    )
    print(markdown(outcome))
    if options.json is not None:
        options.json.write_text(json.dumps(document(outcome), indent=1) + "\n", encoding="utf-8")
    if options.save:
        for path in save(outcome, results):
            print(f"Wrote {path}.", file=sys.stderr)
    return 0


def _progress(line: str) -> None:
    print(f"\r\033[K{line}", end="\r", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure xtensor beside the device's raw library and the peers installed here, in one run.",
        epilog="The exit code is 0 whatever the clock says: a limit that is missed is printed as ABOVE.",
        allow_abbrev=False,
    )
    parser.add_argument("group", choices=group_names(), metavar="GROUP", help=f"one of {', '.join(group_names())}")
    parser.add_argument("--device", metavar="D", help="where xtensor computes (default: cpu; for gpu, cuda)")
    parser.add_argument("--repeat", type=_positive, metavar="N", help="rounds of samples (default: as the group says)")
    parser.add_argument("--quick", action="store_true", help="a glance in seconds: small sizes, few rounds")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all that was measured to a file")
    parser.add_argument("--save", action="store_true", help="keep a complete run in benchmarks/results")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} rounds; give 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
