"""The smoke test: each function of the table of operations on a device, its values compared with those of ``cpu``.

The calls run in a worker process, which writes the outcome of each to a file. If the worker crashes, hangs, or loses
its GPU context, the call that it had begun is recorded, and a new worker goes on with the next call.

The tolerance is one for a wrong result, not for accuracy, which the tests of the chapters check.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import xtensor

from .._parts import Part, part

__all__ = ["call_names", "compare", "main"]

VARIANTS = ("double", "single", "large")
"""Operands as ``tests/good_arguments.py`` has them, of half the width, and large, which not every function takes."""

WITH_LARGE = ("elementwise", "reduction", "scan", "searching", "sorting", "set")
"""The kinds of functions that have calls with large operands, besides those of neural networks."""

NETWORK_FUNCTIONS = tuple(
    f"nn.functional.{name}" for name in ("gelu", "layer_norm", "log_softmax", "relu", "rms_norm", "silu", "softmax")
)
"""The functions of neural networks of one operand of any size."""

TILES = (301, 257)
"""Repetitions of the 2 × 2 operands of the variant ``large``: 309,428 elements, which many programs share."""

TOLERANCE = 4096
"""Largest difference from ``cpu``, in units of the dtype's epsilon, relative to the largest element."""

LOST = 70
"""The exit code of a worker whose device computes nothing any more."""

UNDEFINED = ("empty", "empty_like")
"""Functions of which the values are undefined."""

ABOUT_DEVICES = (
    *("__array_namespace_info__", "backends", "best_device", "default_device", "device", "devices"),
    *("register_backend", "set_backend_priority", "set_default_device", "transfers", "use_device"),
)
"""Public functions that compute nothing."""

INTERNAL = ("complex_of", "may_have_infinity")
"""Rows of the table without a public function."""

HARMLESS = ("passed", "not available", "not compared")
"""Outcomes that are no failures: equal values, a function that the device lacks, the same error on both devices."""

INPLACE = "inplace."

Result = Any
"""An array of NumPy, a sequence of results, or another value."""


def _arguments() -> Any:
    """Return the module with valid arguments of every function, which the general tests use."""
    return import_module("good_arguments")


# -- the calls -----------------------------------------------------------------------------------------------------


def call_names(variants: Sequence[str] = VARIANTS) -> list[str]:
    """Return the names of all calls, ``add[double]``, of the public functions, in-place operators and internal rows."""
    table = import_module("xtensor.backend").TABLE
    functions = [name for name in _arguments().good_arguments() if name not in ABOUT_DEVICES]
    inplace = [INPLACE + name for name, row in table.items() if row.inplace is not None]
    names = [*functions, *inplace, *INTERNAL]
    return [f"{name}[{variant}]" for name in names for variant in variants if variant != "large" or _has_large(name)]


def _has_large(name: str) -> bool:
    """Whether a function accepts its operands at any size."""
    if name in NETWORK_FUNCTIONS:
        return True
    row = import_module("xtensor.backend").TABLE.get(name.removeprefix(INPLACE))
    if row is None or not row.declared or row.kind not in WITH_LARGE:
        return False
    return name in INTERNAL or name.startswith(INPLACE) or name not in _arguments().SPECIAL


def evaluate(name: str, device: Any) -> Result:
    """Make the operands of a call on a device, call the function, and return the result on the host."""
    function, _, variant = name.rstrip("]").partition("[")
    support = _arguments()
    with xtensor.use_device(device), import_module("strategies").quiet():
        if function in INTERNAL or function.startswith(INPLACE):
            return _on_host(_evaluate_row(function, variant, device))
        arguments = _in_variant(support.good_arguments()[function](), variant)
        return _on_host(import_module("arguments").call(support.public_function(function), arguments))


def _evaluate_row(function: str, variant: str, device: Any) -> Any:
    row = import_module("xtensor.backend").TABLE[function.removeprefix(INPLACE)]
    operand = _arguments().OPERANDS[row.accepts]
    operands = [_in_variant(operand(), variant) for _ in range(row.operands)]
    if function.startswith(INPLACE):
        operands[0] = operands[0] + 0 if operands[0].dtype != xtensor.bool else operands[0] | operands[0]
        return getattr(import_module("operator"), row.inplace)(*operands)
    result = device.table[row.index].function(*(x._native for x in operands))
    return device._library.to_host(result) if isinstance(result, device.native_type) else bool(result)


NARROW = {"float64": "float32", "complex128": "complex64", "int64": "int32"}


def _in_variant(value: Any, variant: str) -> Any:
    """Convert the arrays in a value to a variant."""
    if isinstance(value, dict):
        return {name: _in_variant(item, variant) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_in_variant(item, variant) for item in value)
    if not isinstance(value, xtensor.Array) or variant == "double":
        return value
    narrow = xtensor.astype(value, getattr(xtensor, NARROW.get(value.dtype.name, value.dtype.name)))
    return xtensor.tile(narrow, TILES) if variant == "large" and value.ndim == 2 else narrow


def _on_host(value: Any) -> Result:
    if isinstance(value, xtensor.Array):
        return np.asarray(value.to_device("cpu"))
    if isinstance(value, (list, tuple)):
        return [_on_host(item) for item in value]
    return value


# -- the comparison ------------------------------------------------------------------------------------------------


def _up_to_signs(result: Result) -> Result:
    return [np.abs(part) for part in result]


def _sorted_eigenvalues(result: Result) -> Result:
    return np.sort_complex(result)


def _sorted_eigenvectors(result: Result) -> Result:
    order = np.argsort(result[0])
    return [result[0][order], np.abs(result[1][:, order])]


FREE: dict[str, Callable[[Result], Result]] = {
    **dict.fromkeys(("linalg.svd", "linalg.eigh", "linalg.qr"), _up_to_signs),
    **dict.fromkeys(("linalg.eigvals", "roots"), _sorted_eigenvalues),
    "linalg.eig": _sorted_eigenvectors,
}
"""Functions of which the standard leaves the signs of vectors, or the order of eigenvalues or roots, free."""


def compare(name: str, result: Result, expected: Result) -> str:
    """Return how a result differs from the expected one, or an empty string."""
    function = name.partition("[")[0]
    if function in FREE:
        result, expected = FREE[function](result), FREE[function](expected)
    return _difference(result, expected, values=function not in UNDEFINED)


def _difference(result: Result, expected: Result, values: bool) -> str:
    if isinstance(expected, list):
        if not isinstance(result, list) or len(result) != len(expected):
            return f"{result!r} instead of {len(expected)} results"
        found = (_difference(x, y, values) for x, y in zip(result, expected, strict=True))
        return next(filter(None, found), "")
    if not isinstance(expected, np.ndarray):
        return "" if type(result) is type(expected) else f"{type(result)} instead of {type(expected)}"
    if not isinstance(result, np.ndarray) or (result.dtype, result.shape) != (expected.dtype, expected.shape):
        got = (result.dtype, result.shape) if isinstance(result, np.ndarray) else result
        return f"{got} instead of {(expected.dtype, expected.shape)}"
    return _array_difference(result, expected) if values and expected.size else ""


def _array_difference(result: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> str:
    if expected.dtype.kind == "c":
        return _array_difference(result.real, expected.real) or _array_difference(result.imag, expected.imag)
    equal = result == expected
    if expected.dtype.kind == "f":
        finite = np.isfinite(expected)
        largest = float(np.max(np.abs(expected[finite]), initial=0.0))
        allowed = TOLERANCE * float(np.finfo(expected.dtype).eps) * max(largest, 1.0)
        with np.errstate(all="ignore"):
            equal |= (np.isnan(result) & np.isnan(expected)) | (finite & (np.abs(result - expected) <= allowed))
    if equal.all():
        return ""
    where = tuple(int(i) for i in np.unravel_index(int(np.argmin(equal)), equal.shape))
    wrong = int(equal.size - np.count_nonzero(equal))
    return f"{wrong} of {equal.size} elements; the first at {where}: {result[where]} instead of {expected[where]}"


# -- the worker ----------------------------------------------------------------------------------------------------


def work(spec: str, names: Sequence[str], records: Path, *, pool: bool) -> int:
    """Evaluate calls one after the other, and write the beginning and the outcome of each."""
    if not pool:
        # Each array then has an allocation of its own, and the sanitizer sees accesses beyond its end.
        import_module("cupy").cuda.set_allocator(None)
    device = xtensor.device(spec)
    device.implements("add")
    with records.open("a", encoding="utf-8", buffering=1) as stream:
        for name in names:
            print(f"== {name}", flush=True)  # the sanitizer's reports are between these lines
            stream.write(json.dumps({"call": name, "event": "begun"}) + "\n")
            started = time.perf_counter()
            outcome, detail, launches = _outcome(name, device)
            if outcome not in HARMLESS and not _computes(device):
                outcome, detail = "crashed", f"the device computes nothing any more after: {detail}"
            record = {"call": name, "outcome": outcome, "detail": detail, "seconds": time.perf_counter() - started}
            if detail:
                print(f"   {outcome}: {detail}", flush=True)
            stream.write(json.dumps(record | ({"launches": launches} if launches else {})) + "\n")
            if outcome == "crashed":
                # Not an ordinary exit, whose clean-up would use the lost context.
                os._exit(LOST)
    return 0


def _outcome(name: str, device: Any) -> tuple[str, str, dict[str, int]]:
    expected, refusal = _try(name, xtensor.device("cpu"))
    with _counted(device) as launches:
        result, error = _try(name, device)
    if isinstance(error, NotImplementedError) and refusal is None:
        return "not available", "", launches
    if error is not None:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        # Both devices may refuse a dtype, or lack a library such as SciPy.
        return ("not compared" if type(error) is type(refusal) else "raised"), text, launches
    if refusal is not None:
        return "differs", f"cpu raises {type(refusal).__name__}: {refusal}", launches
    different = compare(name, result, expected)
    return ("differs" if different else "passed"), different, launches


def _try(name: str, device: Any) -> tuple[Result, Exception | None]:
    try:
        return evaluate(name, device), None
    except Exception as error:  # each kind of failure is an outcome
        return None, error


@contextlib.contextmanager
def _counted(device: Any) -> Iterator[dict[str, int]]:
    """Collect the launches of Triton kernels by operation, on a device that has them."""
    launches: dict[str, int] = {}
    if device.backend != "triton":
        yield launches
        return
    with import_module("xtensor_backends.triton").count_calls() as calls:
        yield launches
    launches.update(calls.launches)


def _computes(device: Any) -> bool:
    """Whether a device still computes; after an invalid access on a GPU, every call fails."""
    try:
        return float(xtensor.sum(xtensor.ones(3, device=device))) == 3.0
    except Exception:
        return False


# -- the process that starts the workers ---------------------------------------------------------------------------


@dataclass
class Watch:
    """The records of a part, and its workers."""

    options: argparse.Namespace
    names: tuple[str, ...]

    def run(self) -> int:
        """Start workers until each call has an outcome; return the exit code."""
        records: Path = self.options.records
        if self._finished():
            records.unlink()  # a complete run; a run that was stopped is continued
        records.touch()
        self._close_open_call("stopped before it ended", "over its limit")
        while left := [name for name in self.names if name not in self._outcomes()]:
            before = len(left)
            code = self._start(left)
            after = [name for name in self.names if name not in self._outcomes()]
            if len(after) == before:
                print(f"the worker ended with {_exit_text(code)} before its first call", flush=True)
                return 1
            if code and not after and code != LOST:
                self._write("(end of the worker)", "crashed", f"the worker ended with {_exit_text(code)}")
        return self._report()

    def _start(self, names: Sequence[str]) -> int:
        """Run one worker, until it ends or a call takes too long, and return its exit code."""
        options = self.options
        command = [*shlex.split(options.wrapper), sys.executable, "-m", "benchmarks.hardware.smoke", "--worker"]
        command += ["--device", options.device, "--records", str(options.records), "--names", ",".join(names)]
        command += ["--without-pool"] if options.without_pool else []
        process = subprocess.Popen(command, start_new_session=True)
        size, since = -1, time.monotonic()
        try:
            while process.poll() is None:
                time.sleep(0.05)
                if options.records.stat().st_size != size:
                    size, since = options.records.stat().st_size, time.monotonic()
                elif time.monotonic() - since > options.seconds:
                    _kill(process)
                    self._close_open_call(f"no outcome after {options.seconds:g} s", "over its limit")
        finally:
            _kill(process)
            process.wait()
        self._close_open_call(f"the worker ended with {_exit_text(process.returncode)}", "crashed")
        return process.returncode

    def _lines(self) -> list[dict[str, Any]]:
        if not self.options.records.exists():
            return []
        lines = []
        for line in self.options.records.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(json.JSONDecodeError):  # the end of a line that a crash cut off
                lines.append(json.loads(line))
        return lines

    def _outcomes(self) -> dict[str, dict[str, Any]]:
        return {line["call"]: line for line in self._lines() if "outcome" in line}

    def _finished(self) -> bool:
        lines = self._lines()
        return bool(lines) and lines[-1].get("event") == "finished"

    def _close_open_call(self, detail: str, outcome: str) -> None:
        """Record the outcome of a call that a worker began and did not end."""
        lines = self._lines()
        if lines and lines[-1].get("event") == "begun":
            self._write(lines[-1]["call"], outcome, detail)

    def _write(self, name: str, outcome: str, detail: str) -> None:
        print(f"   {name} {outcome}: {detail}", flush=True)
        with self.options.records.open("a", encoding="utf-8") as stream:
            # On a line of its own, also after the part of a line that a crash cut off.
            stream.write("\n" + json.dumps({"call": name, "outcome": outcome, "detail": detail}) + "\n")

    def _report(self) -> int:
        outcomes = self._outcomes()
        with self.options.records.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"event": "finished"}) + "\n")
        groups: dict[str, list[str]] = {}
        for name, record in outcomes.items():
            groups.setdefault(record["outcome"], []).append(name)
        counted = [f"{len(names)} {outcome}" for outcome, names in sorted(groups.items())]
        for outcome in HARMLESS[1:]:
            if outcome in groups:
                print(f"{outcome.upper()}: {', '.join(groups[outcome])}")
        bad = [name for name, record in outcomes.items() if record["outcome"] not in HARMLESS]
        for name in bad:
            print(f"{outcomes[name]['outcome'].upper()} {name}: {outcomes[name]['detail']}")
        print(f"{self.options.device}, part {self.options.part}: {', '.join(counted)}", flush=True)
        return 1 if bad else 0


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _exit_text(code: int) -> str:
    try:
        return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a part of the calls, or as a worker the named calls."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hardware.smoke", description=__doc__)
    parser.add_argument("--device", required=True, metavar="D", help="the device, such as cupy:0")
    parser.add_argument(
        "--records", type=Path, required=True, metavar="FILE", help="receives the outcomes, one per line"
    )
    parser.add_argument("--part", type=part, default=Part(1, 1), metavar="I/N", help="the I-th of N parts of the calls")
    parser.add_argument("--variant", action="append", choices=VARIANTS, help="operands; repeatable (default: all)")
    parser.add_argument("--seconds", type=float, default=90, metavar="S", help="time limit of a call (default: 90)")
    parser.add_argument("--without-pool", action="store_true", help="allocate each array by itself")
    parser.add_argument("--wrapper", default="", metavar="COMMAND", help="a program that runs the workers")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--names", default="", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.worker:
        return work(options.device, options.names.split(","), options.records, pool=not options.without_pool)
    return Watch(options, options.part.of(call_names(options.variant or VARIANTS))).run()


if __name__ == "__main__":
    sys.exit(main())
