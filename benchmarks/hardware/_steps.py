"""The steps of the proof: commands, time limits, and what each of them needs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["LONGEST", "ROOT", "Step", "proof"]

ROOT = Path(__file__).resolve().parents[2]

LONGEST = 480
"""The largest time limit of a step, in seconds."""

DEVICES = {"cupy": "cupy:0", "triton": "triton:0", "torch": "torch:cuda:0"}
"""The backends of a GPU, and the device of each."""

WITH_CUPY = ("cupy", "triton")
"""The backends of CuPy's arrays; there are stand-ins for them, which a rehearsal runs."""

SUITE_MISSING = 3
"""The exit code of ``python -m conformance`` where the official suite is missing."""

SANITIZER = "compute-sanitizer"

# Tests of the standard's functions, and of others that compute on the device.
TESTS = ("tests/chapters", "tests/nn", "tests/test_bfloat16.py")

# Modules with tests of CuPy's arrays that are skipped on a machine without a GPU.
GPU_MODULES = (
    "tests/backends/cupy/test_backend_cupy_gpu.py",
    "tests/backends/cupy/test_backend_cupy_calls.py",
    "tests/consumers/test_dlpack.py",
)


@dataclass(frozen=True)
class Step:
    """One process of the proof.

    Attributes
    ----------
    name
        Name on the command line and of the files with its results.
    about
        Description in a few words.
    command
        Arguments of Python.
    limit
        Seconds after which the step is stopped.
    needs
        Takes the environment variables and returns why the step cannot run on this machine, or an empty string.
    environment
        Environment variables in addition to those of all steps.
    not_run_code
        The exit code by which the command tells that it could not run.
    result_line
        A text in the line of the output that the summary shows; the last line if it is empty.
    uses_gpu
        Whether the step computes on the GPU, and a rehearsal runs it on the stand-ins.
    alone
        Whether the step measures time, so that no other step may run beside it.
    """

    name: str
    about: str
    command: tuple[str, ...]
    limit: float = LONGEST
    needs: Callable[[Mapping[str, str]], str] = lambda environment: ""
    environment: dict[str, str] = field(default_factory=dict)
    not_run_code: int | None = None
    result_line: str = ""
    uses_gpu: bool = True
    alone: bool = False


def proof(out: Path, *, rehearse: bool = False, workers: int = 4) -> tuple[Step, ...]:
    """Return the steps in their order: what the later steps depend on first, then the shorter steps.

    ``workers`` is the number of processes in which a step runs tests or the official suite.

    A rehearsal has the same commands with two parts of each kind, and each part is a small fraction of the work.
    """
    plan = Plan(out, rehearse, 1 if rehearse else workers)
    return (
        *plan.environment(),
        *plan.each(plan.smoke, cupy=2, triton=3, torch=2),
        *plan.gpu_tests(),
        *plan.each(plan.chapters, cupy=4, triton=4, torch=4),
        *plan.each(plan.conformance, cupy=4, triton=4, torch=4),
        *plan.sanitizer("cupy", "memcheck", 1),
        *plan.sanitizer("triton", "memcheck", 2),
        *plan.sanitizer("triton", "racecheck", 2),
        *plan.benchmarks(),
    )


class Plan:
    """Makes the steps, in full or for a rehearsal."""

    def __init__(self, out: Path, rehearse: bool, workers: int) -> None:
        self.out = out.resolve()
        self.rehearse = rehearse
        self.workers = str(workers)
        self.devices = {name: device for name, device in DEVICES.items() if not rehearse or name in WITH_CUPY}

    def each(self, steps: Callable[[str, int], Iterator[Step]], **counts: int) -> Iterator[Step]:
        """Yield the steps of each backend, in its number of parts."""
        for backend in self.devices:
            yield from steps(backend, counts[backend])

    def _parts(self, name: str, count: int, fraction: int) -> Iterator[tuple[str, str]]:
        """Yield the name and ``I/N`` of each part; a rehearsal takes the first two of ``fraction`` times as many."""
        whole = count * fraction if self.rehearse else count
        for position in range(1, (min(count, 2) if self.rehearse else count) + 1):
            yield name if count == 1 else f"{name}-{position}", f"{position}/{whole}"

    def environment(self) -> Iterator[Step]:
        command = ("-m", "benchmarks.hardware.environment", str(self.out / "environment.facts.json"))
        yield Step("environment", "driver, CUDA, NVRTC, compiler, versions, GPU", command, 180)

    def smoke(self, backend: str, count: int) -> Iterator[Step]:
        for name, part in self._parts(f"smoke-{backend}", count, 12):
            about = f"each function on {DEVICES[backend]} against cpu, part {part}"
            yield Step(name, about, self._smoke_command(name, backend, part))

    def _smoke_command(self, name: str, backend: str, part: str) -> tuple[str, ...]:
        records = str(self.out / f"{name}.calls.jsonl")
        command = ("-m", "benchmarks.hardware.smoke", "--device", DEVICES[backend], "--part", part)
        return (*command, "--records", records)

    def sanitizer(self, backend: str, tool: str, count: int) -> Iterator[Step]:
        for name, part in self._parts(f"{tool}-{backend}", count, 60):
            wrapper = f"{SANITIZER} --tool {tool} --error-exitcode 99"
            command = (*self._smoke_command(name, backend, part), "--variant", "single", "--without-pool")
            about = f"the smoke test on {DEVICES[backend]} in {SANITIZER}'s {tool}, part {part}"
            yield Step(name, about, (*command, "--seconds", "180", "--wrapper", wrapper), needs=_lacks_sanitizer)

    def _pytest(self, backend: str, *arguments: str) -> tuple[str, ...]:
        # A process that crashes is replaced, and one test is lost.
        workers = () if self.rehearse else ("-n", self.workers, "--max-worker-restart", "20")
        start = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:benchmark", *workers)
        return (*start, "--device", DEVICES[backend], *arguments)

    def gpu_tests(self) -> Iterator[Step]:
        for backend in WITH_CUPY:
            # The stand-ins have neither streams nor the functions of CuPy's runtime that the other tests count.
            selected = ("-k", "special_operands") if self.rehearse else ()
            about = f"the tests that are skipped without a GPU, on {DEVICES[backend]}"
            yield Step(f"gpu-tests-{backend}", about, self._pytest(backend, *selected, *GPU_MODULES))

    def chapters(self, backend: str, count: int) -> Iterator[Step]:
        modules = ("tests/chapters/test_utility.py",) if self.rehearse else TESTS
        for name, part in self._parts(f"chapters-{backend}", count, 2):
            about = f"the tests of the standard's chapters on {DEVICES[backend]}, part {part}"
            command = self._pytest(backend, "--part", part, *modules)
            yield Step(name, about, command, environment={"XTENSOR_TESTS_PROFILE": "slow"})

    def conformance(self, backend: str, count: int) -> Iterator[Step]:
        examples = "1" if self.rehearse else "20"
        for name, part in self._parts(f"conformance-{backend}", count, 60):
            command = ("-m", "conformance", "--device", DEVICES[backend], "--part", part, "-j", self.workers)
            about = f"the official suite on {DEVICES[backend]}, part {part}"
            arguments = (*command, "--max-examples", examples, "--seed", "0", "--no-record")
            yield Step(name, about, arguments, not_run_code=SUITE_MISSING, result_line=" in all, in ")

    def benchmarks(self) -> Iterator[Step]:
        quick = ("--quick",) if self.rehearse else ()
        yield self._benchmark("launch", "launch", *quick, uses_gpu=False)
        for backend, device in self.devices.items():
            for group in ("dispatch", "transfers"):
                cases = (*quick, "--part", "1/20") if self.rehearse else ()
                yield self._benchmark(f"{group}-{backend}", group, "--device", device, *cases)
        for name, part in self._parts("gpu", 2, 5):
            yield self._benchmark(name, "gpu", "--part", part, *quick)

    def _benchmark(self, name: str, *arguments: str, uses_gpu: bool = True) -> Step:
        command = ("-m", "benchmarks", *arguments, "--json", str(self.out / f"benchmark-{name}.results.json"))
        about = f"python -m benchmarks {' '.join(arguments)}"
        return Step(f"benchmark-{name}", about, command, uses_gpu=uses_gpu, alone=True)


def _lacks_sanitizer(environment: Mapping[str, str]) -> str:
    return "" if shutil.which(SANITIZER, path=environment.get("PATH")) else f"{SANITIZER} is not on PATH"
