"""The proof on hardware (``python -m benchmarks.hardware``): its runner, its smoke test, and a rehearsal of the whole.

The rehearsal runs a small part of each step on stand-ins for a GPU (``stand_in_gpu.py``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from cupy_support import needs_compiler

import xtensor as xp
from benchmarks._parts import Part, part
from benchmarks.hardware import __main__ as command
from benchmarks.hardware import _bundle, _rehearsal, _runner, environment, smoke
from benchmarks.hardware._steps import LONGEST, ROOT, Step, proof
from conformance import suite
from conformance.run import missing_requirements
from xtensor.backend import TABLE

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the steps are process groups of POSIX")

HAS_TRITON = find_spec("triton") is not None and find_spec("ml_dtypes") is not None


# -- steps ----------------------------------------------------------------------------------------------------------


def test_no_step_is_longer_than_eight_minutes():
    assert LONGEST == 8 * 60
    assert all(0 < step.limit <= LONGEST for step in proof(Path("out")))


def test_names_of_steps_are_unique():
    names = [step.name for step in proof(Path("out"))]
    assert len(set(names)) == len(names)


def test_parts_of_a_step_are_the_whole():
    parts = [step.command[step.command.index("--part") + 1] for step in proof(Path("out")) if "--part" in step.command]
    by_count = {text: parts.count(text) for text in parts}
    for text, number in by_count.items():
        count = part(text).count
        assert {by_count[f"{position}/{count}"] for position in range(1, count + 1)} == {number}


def test_modules_of_the_tests_exist():
    for step in proof(Path("out")):
        for argument in step.command:
            if argument.startswith("tests/"):
                assert (ROOT / argument).exists(), argument


def test_part_takes_each_item_once():
    items = list(range(10))
    taken = [item for position in (1, 2, 3) for item in Part(position, 3).of(items)]
    assert sorted(taken) == items


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "-1/2", "a/b", "1/2/3"])
def test_part_that_does_not_exist_raises(text):
    with pytest.raises(argparse.ArgumentTypeError, match="I/N"):
        part(text)


# -- the runner -----------------------------------------------------------------------------------------------------


CRASH = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"


def run_code(code: str, out: Path, **options) -> dict:
    return _runner.run_step(Step("toy", "a toy", ("-c", code), **options), out, os.environ)


@pytest.mark.parametrize(
    ("code", "status", "detail"),
    [
        ("print('first'); print('last')", "passed", "last"),
        ("raise SystemExit('no')", "failed", "no"),
        ("raise SystemExit(3)", "not run", "no output"),
        (CRASH, "crashed", "SIGSEGV; last line: no output"),
        (
            f"import faulthandler; faulthandler.enable(); {CRASH}",
            "crashed",
            'SIGSEGV; last line: File "<string>", line 1',
        ),
    ],
)
def test_status_of_a_step_and_its_record(tmp_path, code, status, detail):
    record = run_code(code, tmp_path, not_run_code=3)
    assert record["status"] == status
    assert record["detail"].startswith(detail)
    assert json.loads((tmp_path / "toy.json").read_text()) == record
    assert (tmp_path / "toy.log").exists()


def test_step_over_its_limit_is_killed_with_its_processes_and_keeps_its_output(tmp_path, monkeypatch):
    monkeypatch.setattr(_runner, "GRACE", 0.2)
    code = """
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(2, 1); time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""
    started = time.monotonic()
    record = run_code(code, tmp_path, limit=1.0)
    assert time.monotonic() - started < 60
    assert record["status"] == "over its limit"
    child = int((tmp_path / "toy.log").read_text())
    assert record["detail"] == f"stopped after 1 s; last line: {child}"
    deadline = time.monotonic() + 10
    while alive(child):
        assert time.monotonic() < deadline, "a process of the step is left"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_step_whose_requirement_is_missing_is_not_run(tmp_path):
    record = run_code("raise AssertionError", tmp_path, needs=lambda variables: "there is no such tool")
    assert (record["status"], record["detail"]) == ("not run", "there is no such tool")


def test_interrupted_step_has_no_complete_record(tmp_path, monkeypatch):
    monkeypatch.setattr(_runner, "_execute", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_code("", tmp_path)
    assert json.loads((tmp_path / "toy.json").read_text())["status"] == "interrupted"
    assert _runner.record_of(Step("toy", "a toy", ()), tmp_path) is None


def interrupt(*arguments):
    raise KeyboardInterrupt


TOY = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(float(sys.argv[2]))"


def toys(tmp_path: Path, seconds: float, *, alone: bool = False) -> list[Step]:
    return [
        Step(f"toy-{i}", "a toy", ("-c", TOY, str(tmp_path / str(i)), str(seconds)), alone=alone, uses_gpu=False)
        for i in range(2)
    ]


def run_steps(monkeypatch, tmp_path: Path, steps: list[Step], *arguments: str) -> list[str]:
    """Run steps in place of the proof's; return their names in the order of their ends."""
    ended = []
    run = _runner.run_step

    def recorded(step, *rest):
        record = run(step, *rest)
        ended.append(step.name)
        return record

    monkeypatch.setattr(command, "run_step", recorded)
    monkeypatch.setattr(command, "proof", lambda out, rehearse, workers: steps)
    command.main(["--out", str(tmp_path / "out"), *arguments])
    return ended


def test_jobs_run_steps_beside_each_other(monkeypatch, tmp_path):
    # The first step waits for the file of the second.
    wait = "import pathlib, sys, time\nwhile not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.01)"
    first = Step("first", "a toy", ("-c", wait, str(tmp_path / "0")), limit=60)
    assert run_steps(monkeypatch, tmp_path, [first, toys(tmp_path, 0.0)[0]], "--jobs", "2")
    assert _runner.record_of(first, tmp_path / "out")["status"] == "passed"


def test_steps_that_measure_time_run_alone(monkeypatch, tmp_path):
    steps = [*toys(tmp_path, 0.0, alone=True), Step("last", "a toy", ("-c", ""))]
    assert run_steps(monkeypatch, tmp_path, steps, "--jobs", "3") == ["toy-0", "toy-1", "last"]
    starts = [json.loads((tmp_path / "out" / f"{step.name}.json").read_text()) for step in steps]
    assert [record["status"] for record in starts] == ["passed"] * 3


def test_interruption_ends_the_steps_of_other_threads(monkeypatch, tmp_path):
    monkeypatch.setattr(_runner, "_interrupted", threading.Event())
    steps = toys(tmp_path, 600.0)
    failure = []
    thread = threading.Thread(target=lambda: failure.append(_interruption(steps[0], tmp_path)))
    thread.start()
    while not (tmp_path / "0").exists():
        time.sleep(0.01)
    _runner.interrupt()
    thread.join(60)
    assert isinstance(failure[0], KeyboardInterrupt)
    assert json.loads((tmp_path / "toy-0.json").read_text())["status"] == "interrupted"


def _interruption(step: Step, out: Path) -> BaseException | None:
    try:
        _runner.run_step(step, out, os.environ)
    except KeyboardInterrupt as error:
        return error
    return None


def test_a_limit_without_a_step_is_that_of_all(tmp_path, capsys):
    command.main(["--out", str(tmp_path), "--list", "--limit", "7", "--limit", "environment=9"])
    limits = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
    assert (limits[0], set(limits[1:])) == ("9", {"7"})


def record(status: str) -> dict:
    return {"status": status, "seconds": 1.5, "detail": "a detail"}


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["passed", "passed"], 0),
        (["passed", "not run"], 3),
        (["passed", None], 3),
        (["not run", "failed", None], 1),
        (["crashed", "passed"], 1),
        (["over its limit"], 1),
    ],
)
def test_exit_code_tells_the_worst_status(statuses, code):
    records = {str(index): status and record(status) for index, status in enumerate(statuses)}
    assert _runner.exit_code(records) == code


def test_summary_has_a_line_for_each_step_and_counts_them():
    lines = _runner.summary({"one": record("passed"), "two": record("crashed"), "three": None}).splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["one", "passed", "1.5", "a", "detail"],
        ["two", "crashed", "1.5", "a", "detail"],
        ["three", "not", "started"],
    ]
    assert lines[-1] == "3 steps: 1 passed, 1 crashed, 1 not started"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--step", "nothing"],
        ["--from", "nothing"],
        ["--limit", "environment=soon"],
        ["--limit", "nothing=3"],
        ["--jobs", "0"],
        ["--workers", "x"],
    ],
)
def test_unknown_step_or_limit_is_an_error(tmp_path, arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        command.main(["--out", str(tmp_path), *arguments])
    assert stop.value.code == 2


def test_list_prints_each_step_and_runs_none(tmp_path, capsys):
    assert command.main(["--out", str(tmp_path / "out"), "--list"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed] == [step.name for step in proof(tmp_path)]
    assert not (tmp_path / "out").exists()


def test_no_step_starts_whose_limit_is_beyond_the_total_time(tmp_path, capsys):
    arguments = ["--out", str(tmp_path), "--rehearse", "--total", "5", "--step", "smoke-cupy-1"]
    assert command.main([*arguments, "--limit", "smoke-cupy-1=6"]) == 3
    assert "smoke-cupy-1 is not started" in capsys.readouterr().out


# -- the smoke test -------------------------------------------------------------------------------------------------


def test_smoke_test_calls_each_row_of_the_table():
    called = {name.partition("[")[0] for name in smoke.call_names()}
    public = {name: f"nn.functional.{name[3:]}" if name.startswith("nn.") else name for name in TABLE}
    # A step without a composition belongs to a public function, which is called. The tests of random numbers run on
    # each device.
    steps = {name for name, row in TABLE.items() if not row.primitive and row.composition is None}
    steps |= {"random.bits", "random.blocks"}
    assert {name for name in TABLE if public[name] not in called} <= steps
    assert {f"inplace.{name}" for name, row in TABLE.items() if row.inplace} <= called


@pytest.mark.parametrize(
    ("name", "result", "expected"),
    [
        ("add[double]", np.asarray([1.0, 2.0]), np.asarray([1.0, 2.1])),
        ("add[double]", np.asarray([1.0]), np.asarray([np.nan])),
        ("add[double]", np.asarray([np.inf]), np.asarray([-np.inf])),
        ("add[double]", np.asarray([1.0, 0.0]), np.asarray([1.0, 1e-11])),
        ("add[single]", np.asarray([1.0]), np.asarray([1.0], np.float32)),
        ("add[double]", np.asarray([1.0 + 1e-9j]), np.asarray([1.0 + 0j])),
        ("add[double]", np.asarray([1]), np.asarray([2])),
        ("add[double]", np.ones((2, 1)), np.ones(2)),
        ("empty[double]", np.ones((2, 1)), np.ones(2)),
        ("add[double]", 1.0, np.ones(())),
        ("nonzero[double]", [np.ones(2)], [np.ones(2), np.ones(2)]),
        ("linalg.eigh[double]", [np.ones(2), np.eye(2)], [np.ones(2), 2 * np.eye(2)]),
        ("linalg.eigvals[double]", np.asarray([1.0, 2.0]), np.asarray([1.0, 3.0])),
    ],
)
def test_difference_is_found(name, result, expected):
    assert smoke.compare(name, result, expected)


@pytest.mark.parametrize(
    ("name", "result", "expected"),
    [
        ("add[double]", np.asarray([1.0, np.nan, np.inf]), np.asarray([1.0 + 1e-15, np.nan, np.inf])),
        ("add[single]", np.asarray([1.0], np.float32), np.asarray([1.00001], np.float32)),
        ("empty[double]", np.zeros(2), np.ones(2)),
        ("linalg.eigh[double]", [np.ones(2), -np.eye(2)], [np.ones(2), np.eye(2)]),
        ("linalg.eigvals[double]", np.asarray([2.0 + 0j, 1.0]), np.asarray([1.0 + 0j, 2.0])),
    ],
)
def test_what_the_standard_leaves_free_is_no_difference(name, result, expected):
    assert smoke.compare(name, result, expected) == ""


def test_same_error_on_both_devices_is_no_pass(monkeypatch):
    def refuse(name, device):
        raise TypeError("no such dtype")

    monkeypatch.setattr(smoke, "evaluate", refuse)
    assert smoke._outcome("add[double]", xp.device("cpu")) == ("not compared", "TypeError: no such dtype", {})


FAULTY = "atanh"
"""A function that no other function calls; the stand-in's has a fault."""

PART = Part(smoke.call_names().index(f"{FAULTY}[double]") % 24 + 1, 24)
"""The part of the smoke test with that function."""


def run_smoke(tmp_path: Path, fault: str, *arguments: str) -> tuple[dict[str, dict], str, int]:
    """Run a part of the smoke test on the stand-in with a fault; return the outcomes, the output and the exit code."""
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    variables = _rehearsal.environment({**os.environ, "PYTHONPATH": path, "XTENSOR_STAND_IN_FAULT": fault}, tmp_path)
    records = tmp_path / "calls.jsonl"
    start = [sys.executable, "-m", "benchmarks.hardware.smoke", "--device", "cupy:0", "--records", str(records)]
    done = subprocess.run(
        [*start, "--part", str(PART), *arguments],
        env=variables,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    lines = [json.loads(line) for line in records.read_text().splitlines() if line]
    return {line["call"]: line for line in lines if "outcome" in line}, done.stdout, done.returncode


@needs_compiler
@pytest.mark.parametrize(
    ("fault", "outcome", "detail"),
    [
        ("crash", "crashed", "the worker ended with SIGSEGV"),
        ("hang", "over its limit", "no outcome after 8 s"),
        ("lose", "crashed", "the device computes nothing any more after: RuntimeFailureError: cudaError"),
    ],
)
def test_smoke_test_goes_on_behind_the_call_that_fails(tmp_path, fault, outcome, detail):
    outcomes, output, code = run_smoke(tmp_path, f"{FAULTY}={fault}", "--seconds", "8")
    assert set(outcomes) == set(PART.of(smoke.call_names()))
    bad = {name: record for name, record in outcomes.items() if record["outcome"] not in smoke.HARMLESS}
    assert {name: record["outcome"] for name, record in bad.items()} == {f"{FAULTY}[double]": outcome}
    assert bad[f"{FAULTY}[double]"]["detail"].startswith(detail)
    assert f"{outcome.upper()} {FAULTY}[double]: {detail}" in output
    assert f"1 {outcome}, " in output.splitlines()[-1]
    assert code == 1


@needs_compiler
def test_smoke_test_continues_a_run_that_was_stopped_and_repeats_a_complete_one(tmp_path):
    names = PART.of(smoke.call_names())
    lines = [
        {"call": names[0], "outcome": "differs", "detail": "of the first run"},
        {"call": names[1], "event": "begun"},
    ]
    (tmp_path / "calls.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    outcomes, _, code = run_smoke(tmp_path, "")
    assert outcomes[names[0]]["detail"] == "of the first run"
    assert outcomes[names[1]]["outcome"] == "over its limit"
    assert all(outcomes[name]["outcome"] in smoke.HARMLESS for name in names[2:])
    assert code == 1
    outcomes, _, code = run_smoke(tmp_path, "")
    assert {record["outcome"] for record in outcomes.values()} <= set(smoke.HARMLESS)
    assert code == 0


# -- the tests on a GPU ---------------------------------------------------------------------------------------------

WALKERS = (
    *(f"tests/chapters/test_{name}.py" for name in ("transfers", "creation", "data_types", "fft")),
    "tests/test_bad_operands.py",
)


def run_tests(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *arguments],
        env=_rehearsal.environment({**os.environ, "PYTHONPATH": path}, tmp_path),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.skipif(not HAS_TRITON, reason="Triton is not installed")
@pytest.mark.parametrize("spec", ["triton:0", "cuda:0"])
def test_device_of_the_command_line_decides_whether_triton_compiles(tmp_path, spec):
    """The first module opens triton:interpret while it is collected; the others walk the devices of the machine."""
    selected = "float64 and to or with_device or defaults_to_the_device or of_another_device or to_another_device"
    modules = ("tests/backends/triton/test_backend_triton.py", *WALKERS)
    done = run_tests(tmp_path, "--device", spec, "-k", f"{selected} or on_the_given_device", *modules)
    assert done.returncode == 0, done.stdout
    assert "Triton compiles kernels in this process" in done.stdout
    assert "cuda:0 (" in done.stdout


@pytest.mark.skipif(not HAS_TRITON, reason="Triton is not installed")
def test_interpreter_is_tested_in_a_process_of_its_own(tmp_path):
    arguments = ("--device", "triton:interpret", "-k", "like_function", "tests/chapters/test_creation.py")
    done = run_tests(tmp_path, *arguments)
    assert done.returncode == 0, done.stdout
    assert "tested devices: triton:interpret (" in done.stdout


@pytest.mark.skipif(not HAS_TRITON, reason="Triton is not installed")
def test_devices_that_exclude_each_other_are_a_usage_error(tmp_path):
    done = run_tests(
        tmp_path, "--device", "triton:0", "--device", "triton:interpret", "tests/chapters/test_creation.py"
    )
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "device triton:interpret cannot be opened" in done.stderr


# -- the bundle -----------------------------------------------------------------------------------------------------


def test_bundle_installs_what_the_machine_lacks(tmp_path, monkeypatch):
    installed = {"xtensor": "0.1.0", "newer": "2.0", "older": "1.9.1"}

    def version(name):
        try:
            return installed[name]
        except KeyError:
            raise _bundle.metadata.PackageNotFoundError(name) from None

    monkeypatch.setattr(_bundle.metadata, "version", version)
    (tmp_path / "wheels").mkdir()
    for name in ("xtensor-0.1.0", "newer-1.10", "older-1.10", "absent-1.0"):
        with zipfile.ZipFile(tmp_path / "wheels" / f"{name}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name.partition('-')[0]}.py", "")
    site = _bundle.install(tmp_path, tmp_path / "site")
    assert sorted(path.name for path in site.iterdir()) == ["absent.py", "older.py", "xtensor.py"]


def test_suite_of_a_bundle_is_the_runners(tmp_path):
    assert _bundle.suite_variables(tmp_path) == {}
    (tmp_path / "array-api-tests").mkdir()
    assert _bundle.suite_variables(tmp_path)[suite.DIRECTORY_VARIABLE] == str(tmp_path / "array-api-tests")


def test_bundle_has_the_distributions_of_the_dependency_groups():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    required = {item.partition(">")[0] for name in ("test", "conformance", "benchmarks") for item in groups[name]}
    assert required - set(_bundle.DISTRIBUTIONS) == {"scikit-learn", "scipy"}  # the machine's own, or passed by --also


# -- the rehearsal --------------------------------------------------------------------------------------------------


MATHEMATICAL = ("asinh", "acosh", "atanh", "acos", "asin", "tanh", "cosh", "sinh", "log2", "atan", "log10", "tan")
"""Functions of which one is made faulty, those first that no other function calls."""


def rehearse(out: Path, *arguments: str, fault: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.hardware", "--rehearse", "--out", str(out), *arguments],
        env={**os.environ, "XTENSOR_STAND_IN_FAULT": fault},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


def expected_status(step: Step, faulty: str) -> str:
    if "benchmarks.hardware.smoke" in step.command and "cupy:0" in step.command:
        variants = ("single",) if "--variant" in step.command else smoke.VARIANTS
        names = part(step.command[step.command.index("--part") + 1]).of(smoke.call_names(variants))
        return "failed" if any(name.startswith(f"{faulty}[") for name in names) else "passed"
    if step.name.startswith("conformance") and (missing_requirements() or not suite.is_here()):
        return "not run"
    if "triton:0" in step.command and not HAS_TRITON:
        return "failed"
    return "passed"


@pytest.mark.long
@needs_compiler
def test_rehearsal_runs_each_step_and_resumes(tmp_path):
    """One function crashes in the first smoke test, and one step has too short a limit."""
    out = tmp_path / "out"
    first = {name.partition("[")[0] for name in Part(1, 24).of(smoke.call_names())}
    faulty = next(name for name in MATHEMATICAL if name in first)
    done = rehearse(out, "--limit", "gpu-tests-cupy=0.2", fault=f"{faulty}=crash")
    assert done.returncode == 1, done.stderr
    steps = proof(out, rehearse=True)
    records = {step.name: json.loads((out / f"{step.name}.json").read_text()) for step in steps}
    expected = {step.name: expected_status(step, faulty) for step in steps}
    facts = json.loads((out / "environment.facts.json").read_text())
    expected["environment"] = "failed" if set(facts["problems"]) & set(environment.REQUIRED) else "passed"
    expected |= {"gpu-tests-cupy": "over its limit"}
    statuses = {name: record["status"] for name, record in records.items()}
    assert statuses == expected, done.stdout
    assert " crashed, " in records["smoke-cupy-1"]["detail"]
    assert " passed" in records["smoke-cupy-1"]["detail"]
    assert all((out / f"{name}.log").exists() for name in statuses)

    lines = done.stdout.splitlines()
    table = lines[lines.index(next(line for line in lines if line.startswith("step "))) + 1 :]
    for line, (name, status) in zip(table, statuses.items(), strict=False):
        assert line.startswith(f"{name} ")
        assert f" {status} " in line
    assert lines[-1].startswith(f"{len(steps)} steps: ")
    assert "REHEARSAL" in (out / "summary.txt").read_text()

    # The same command runs what has no complete record, and nothing else.
    (out / "smoke-cupy-2.json").unlink()
    (out / "gpu-tests-cupy.json").write_text(json.dumps({**records["gpu-tests-cupy"], "status": "interrupted"}))
    done = rehearse(out)
    started = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("[")]
    assert started == ["smoke-cupy-2:", "gpu-tests-cupy:"]
    assert done.returncode == 1
    assert json.loads((out / "gpu-tests-cupy.json").read_text())["status"] == "passed"

    # A step that is named runs again; the exit code is that of the named steps.
    done = rehearse(out, "--step", "smoke-cupy-1")
    assert done.returncode == 0, done.stdout
    assert json.loads((out / "smoke-cupy-1.json").read_text())["status"] == "passed"
