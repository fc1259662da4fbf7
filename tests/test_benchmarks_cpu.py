"""The groups ``cpu`` and ``expressions`` of the benchmarks: values, peers that compile, conditions and allocators."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import xtensor as xp
from benchmarks import __main__ as command
from benchmarks import _allocators, _libraries
from benchmarks._cases import Group, Statement, Variant, no_operands, vectors
from benchmarks._compilers import function_of, numba_compiler, numexpr_compiler
from benchmarks._conditions import ahead_of, chains, growth, no_slower
from benchmarks._libraries import load_libraries
from benchmarks._measure import Timing
from benchmarks._results import document, run_key
from benchmarks._run import Outcome, Row, load_group, quick_group, run_group, temporary_default_device
from benchmarks._tables import markdown

ROOT = Path(__file__).resolve().parents[1]
CPU = xp.device("cpu")
NUMPY = xp.device("numpy")
GROUP = load_group("cpu")
EXPRESSIONS = load_group("expressions")
LIBRARIES = load_libraries(CPU, tuple(name for name in GROUP.peers or () if name != "torch.compile"))[0]

COMPUTATIONS = [
    pytest.param(case, dtype, id=f"{case.name}-{dtype}")
    for case in GROUP.cases
    for dtype in case.dtypes or GROUP.dtypes
]

needs_glibc = pytest.mark.skipif(not _allocators.tunable(), reason="the C library is not glibc")


def row(xtensor, others, case="x", size=1000, dtype="float64"):
    times = {"xtensor": xtensor, **others}
    return {
        "case": case,
        "size": size,
        "dtype": dtype,
        "libraries": {name: {"best": seconds} for name, seconds in times.items()},
    }


def outcome_of(group, *rows, allocator="system"):
    return Outcome("toy", group, "cpu", "a model", "numpy", {"numpy": "2"}, {}, rows, False, 3, allocator)


def timed(case, **times):
    timings = {name.replace("_", " "): Timing((seconds,), 1, 1) for name, seconds in times.items()}
    return [Row(case, Variant(size, "float64"), "", timings, {}) for size in (1, 10, 100)]


# -- cases --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "dtype"), COMPUTATIONS)
def test_every_library_gives_the_values_of_numpy(case, dtype):
    pytest.importorskip("scipy")
    variant = Variant(50, dtype)
    operands = case.operands(variant)
    values = {}
    with temporary_default_device(CPU):
        for library in LIBRARIES:
            if library.name not in case.libraries:
                continue
            try:
                values[library.name] = np.asarray(eval(*case.statement(library, operands)))
            except Exception:
                assert library.module not in ("numpy", "xtensor")  # a peer may lack the function
    expected = values["numpy"]
    assert {"xtensor", "xtensor on numpy"} <= set(values)
    for value in values.values():
        assert value.shape == expected.shape
        np.testing.assert_allclose(value, expected, rtol=3e-5 if dtype == "float32" else 1e-9, atol=1e-5)


def test_xtensor_fuses_chains_alone():
    for case in GROUP.cases:
        _, variables = case.statement(LIBRARIES[1], case.operands(Variant(4, "float64")))
        assert ("function" in variables) == case.fused


def test_chains_have_four_operations_or_more():
    for case in GROUP.cases:
        if case.fused:
            assert sum(case.expression.count(sign) for sign in (" + ", " - ", " * ", " / ", "xp.")) >= 4


def test_case_is_measured_at_its_own_sizes_only():
    few = SimpleNamespace(name="x", max_size=10**9, sizes=(10,))
    group = Group("t", (few,), (10, 100), ("float64",))
    assert [group.cases_of(variant) for variant in group.variants()] == [[few], []]


def test_error_of_a_peer_is_its_reason_and_that_of_xtensor_is_raised():
    case = replace(GROUP.cases[0], expression="xp.no_such_function(x)")
    numpy, ours = LIBRARIES[:2]
    samplers, skipped = case.samplers((numpy,), Variant(3, "float64"))
    assert not samplers
    assert skipped["numpy"].startswith("AttributeError")
    with pytest.raises(AttributeError, match="no_such_function"):
        case.samplers((ours,), Variant(3, "float64"))


def test_quick_run_of_the_cpu_has_no_large_operands():
    group = quick_group(GROUP)
    assert max(group.sizes) == 1000
    assert len(group.cases) == 3


# -- expressions --------------------------------------------------------------------------------------------------


def test_expressions_are_measured_on_plain_numpy_with_limits_from_ten_thousand_elements():
    assert EXPRESSIONS.device == "numpy"
    assert EXPRESSIONS.enforced
    assert {limit.ratio for limit in EXPRESSIONS.limits} == {1.05}
    assert {limit.size for limit in EXPRESSIONS.limits} == {10**4, 10**5, 10**6, 10**7}
    assert {limit.case for limit in EXPRESSIONS.limits} == {case.name for case in EXPRESSIONS.cases}


def test_in_place_operators_give_the_operand_again():
    (case,) = (case for case in EXPRESSIONS.cases if "*=" in case.name)
    variables = case.variables(LIBRARIES[1], Variant(8, "float64"), case.operands(Variant(8, "float64")))
    before = np.array(variables["x"])
    for _ in range(100):
        exec(case.name, variables)
    np.testing.assert_allclose(np.asarray(variables["x"]), before, rtol=1e-12)


def test_expressions_run_on_both_devices(capsys):
    assert command.main(["expressions", "--quick"]) == 0
    table = capsys.readouterr().out
    assert "Device numpy" in table
    if CPU.backend != "numpy":
        assert "xtensor on cpu ratio" in table


# -- libraries ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("measured", "other"), [(CPU, "numpy"), (NUMPY, "cpu")])
def test_xtensor_on_another_device_is_a_peer(measured, other):
    libraries, unavailable = load_libraries(measured, ("xtensor on cpu", "xtensor on numpy"))
    if other == "cpu" and CPU.backend == "numpy":
        assert unavailable == {"xtensor on cpu": "not installed (no overlay serves the device cpu)"}
        return
    assert [library.name for library in libraries] == ["numpy", "xtensor", f"xtensor on {other}"]
    assert libraries[-1].asarray(np.ones(1)).device == xp.device(other)


def test_cpu_without_an_overlay_is_unavailable(monkeypatch):
    monkeypatch.setattr(_libraries.xtensor, "device", lambda name: NUMPY)
    _, unavailable = load_libraries(NUMPY, ("xtensor on cpu",))
    assert unavailable == {"xtensor on cpu": "not installed (no overlay serves the device cpu)"}


@pytest.mark.parametrize("name", ["torch", "jax", "numexpr", "numba"])
def test_missing_compiler_is_unavailable_with_its_reason(monkeypatch, name):
    peers = {"torch": "torch.compile", "jax": "jax.jit"}
    monkeypatch.setitem(sys.modules, name, None)
    libraries, unavailable = load_libraries(CPU, GROUP.peers)
    peer = peers.get(name, name)
    assert peer not in [library.name for library in libraries]
    assert unavailable[peer].startswith("not installed")


def test_compilers_are_measured_only_where_a_group_names_them():
    libraries, unavailable = load_libraries(CPU)
    assert not {"torch.compile", "jax.jit", "numexpr", "numba"} & {*unavailable, *(item.name for item in libraries)}


def test_error_on_another_device_is_raised():
    case = Statement("xp.no_such_function(x)", vectors("x"))
    (library,) = (item for item in LIBRARIES if item.name == "xtensor on numpy")
    with pytest.raises(AttributeError, match="no_such_function"):
        case.samplers((library,), Variant(1, "float64"))


def test_function_of_an_expression_computes_it():
    assert function_of("xp.hypot(a, b) + 1.0", ("a", "b"), np)(3.0, 4.0) == 6.0


def test_numexpr_has_constants_of_the_operands_dtype():
    calls = []
    numexpr = SimpleNamespace(
        set_num_threads=lambda number: None, evaluate=lambda text, local, others: calls.append((text, local))
    )
    compiled = numexpr_compiler(numexpr)("xp.where(x > 0.5, x * 2, xp.exp(x))", ("x",))
    x = np.ones(3, np.float32)
    compiled(x)
    ((text, variables),) = calls
    assert text == "where(x > constant0, x * 2, exp(x))"
    assert variables["x"] is x
    assert variables["constant0"] == np.float32(0.5)
    assert variables["constant0"].dtype == np.float32


@pytest.mark.parametrize("expression", ["xp.mean(x)", "special.erf(x)", "xp.sum(x, axis=0)"])
def test_numexpr_has_no_function_for_other_calls(expression):
    numexpr = SimpleNamespace(set_num_threads=lambda number: None)
    with pytest.raises(NotImplementedError, match="numexpr has nothing for"):
        numexpr_compiler(numexpr)(expression, ("x",))


def test_numba_has_constants_of_the_operands_dtype_and_compiles_once_for_each():
    compiled = []
    numba = SimpleNamespace(
        config=SimpleNamespace(NUMBA_NUM_THREADS=1),
        set_num_threads=lambda number: None,
        njit=lambda **options: lambda function: compiled.append(function) or function,
    )
    function = numba_compiler(numba)("x * 0.1", ("x",))
    for dtype in ("float32", "float64", "float32"):
        assert function(np.ones(2, dtype)).dtype == dtype
    assert [item.__globals__["constant0"].dtype for item in compiled] == [np.float32, np.float64]


# -- conditions ---------------------------------------------------------------------------------------------------


def test_row_that_is_slower_than_without_the_overlay_misses_the_condition():
    rows = [row(1.0, {"plain": 1.0}), row(1.2, {"plain": 1.0}, case="y"), row(9.0, {"plain": 1.0}, size=10**5)]
    finding = no_slower("(a)", "plain", 1.05, 10**3)(rows)
    assert finding["met"] is False
    assert finding["misses"] == ["`y` float64 1,000 1.20"]
    assert no_slower("(a)", "plain", 1.25, 10**3)(rows)["met"] is True


@pytest.mark.parametrize(
    ("times", "met"),
    [
        ((0.1,) * 9 + (1.01,), True),
        ((0.1,) * 9 + (1.2,), False),  # one row above the limit
        ((0.1,) * 8 + (1.01,) * 2, False),  # too few rows are faster
        ((0.9,) * 10, False),  # the geometric mean is too small
    ],
)
def test_condition_on_share_limit_and_mean(times, met):
    rows = [row(time, {"numpy": 1.0}, size=10**5) for time in times]
    assert ahead_of("(b)", "numpy", 10**5, 0.9, limit=1.05, speed=2)(rows)["met"] is met


def test_excluded_cases_and_small_sizes_do_not_count():
    rows = [row(0.5, {"numpy": 1.0}, size=10**5), row(3.0, {"numpy": 1.0}, case="chain", size=10**5)]
    rows.append(row(3.0, {"numpy": 1.0}))
    finding = ahead_of("(c)", "numpy", 10**5, 1.0, excluded=("chain",))(rows)
    assert finding["met"] is True
    assert finding["measured"].startswith("1 rows, 100% faster, ratio 0.50 in the geometric mean")


@pytest.mark.parametrize(("numpy", "peer", "met"), [(3.1, 1.0, True), (2.9, 1.0, False), (3.1, 0.9, False)])
def test_chain_is_compared_with_numpy_and_in_the_mean_with_peers(numpy, peer, met):
    rows = [row(1.0, {"numpy": numpy, "peer": peer}, case="chain", size=10**5)]
    assert chains("(d)", ("chain",), (10**5,), 3, ("peer",))(rows)["met"] is met


def test_missing_peer_does_not_decide_a_condition():
    rows = [row(1.0, {"numpy": 4.0}, case="chain", size=10**5)]
    finding = chains("(d)", ("chain",), (10**5,), 3, ("peer",))(rows)
    assert finding["met"] is True
    assert finding["measured"].endswith("peer: no rows")


def test_cliff_between_two_sizes_misses_the_condition():
    rows = [row(size * 1e-9, {"numpy": size * 2e-9}, size=size) for size in (10**4, 10**5)]
    assert growth("(e)", 10**4, 1.5)(rows)["met"] is True
    rows.append(row(2e-3, {"numpy": 2e-3}, size=10**6))
    finding = growth("(e)", 10**4, 1.5)(rows)
    assert finding["met"] is False
    assert finding["misses"] == ["`x` float64 100,000 to 1,000,000 2.00 (numpy 1.00)"]


@pytest.mark.parametrize("condition", GROUP.conditions)
def test_condition_without_rows_is_not_decided(condition):
    finding = condition([])
    assert finding["met"] is None
    assert finding["misses"] == []


def test_conditions_are_printed_with_their_misses():
    group = Group("a title", (), conditions=(no_slower("(a)", "numpy", 1.05, 1),))
    text = markdown(document(outcome_of(group, *timed("x", numpy=1.0, xtensor=2.0))))
    assert "(a) up to 1 elements no row takes more than 1.05 times numpy's time: MISSED." in text
    assert "\n- `x` float64 1 2.00\n" in text


def test_each_device_of_xtensor_has_a_table_by_size():
    rows = timed("x", numpy=1.0, xtensor=2.0, xtensor_on_cpu=0.5)
    text = markdown(document(outcome_of(Group("a title", ()), *rows)))
    assert "ratio of xtensor by size" in text
    assert "ratio of xtensor on cpu by size" in text


# -- allocators ---------------------------------------------------------------------------------------------------


@needs_glibc
def test_allocator_is_tuned_in_its_own_process():
    code = "from benchmarks._allocators import tune; tune()"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_allocator_of_another_library_cannot_be_tuned(monkeypatch, capsys):
    monkeypatch.setattr(_allocators, "tunable", lambda: False)
    with pytest.raises(SystemExit):
        command.main(["dispatch", "--quick", "--allocator", "tuned"])
    assert "the C library is not glibc" in capsys.readouterr().err


def test_group_runs_once_more_in_another_process_for_another_allocator(monkeypatch, tmp_path):
    group = Group(
        "t", (Statement("xp", no_operands),), (1,), ("float64",), peers=(), rounds=1, allocators=("system", "tuned")
    )
    other = document(run_group("cpu", group, CPU, allocator="tuned"))
    started = []

    def run(arguments):
        started.append(arguments)
        Path(arguments[arguments.index("--json") + 1]).write_text(json.dumps([other]))
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(command, "load_group", lambda name: group)
    monkeypatch.setattr(command, "tunable", lambda: True)
    monkeypatch.setattr(command.subprocess, "run", run)
    path = tmp_path / "runs.json"
    assert command.main(["cpu", "--part", "1/1", "--json", str(path)]) == 0
    assert [item["allocator"] for item in json.loads(path.read_text())] == ["system", "tuned"]
    assert started[0][1:6] == ["-m", "benchmarks", "cpu", "--allocator", "tuned"]
    assert started[0][-2:] == ["--part", "1/1"]
    assert command.main(["cpu", "--save"], results=tmp_path / "results") == 0
    (saved,) = (tmp_path / "results").iterdir()
    assert set(json.loads(saved.read_text())["groups"]) == {"cpu", "cpu with the tuned allocator"}


def test_failure_in_the_other_process_is_the_commands_failure(monkeypatch):
    group = Group(
        "t", (Statement("xp", no_operands),), (1,), ("float64",), peers=(), rounds=1, allocators=("system", "tuned")
    )
    monkeypatch.setattr(command, "load_group", lambda name: group)
    monkeypatch.setattr(command, "tunable", lambda: True)
    monkeypatch.setattr(command.subprocess, "run", lambda arguments: SimpleNamespace(returncode=1))
    assert command.main(["cpu"]) == 1


def test_group_with_two_allocators_runs_once_without_glibc(monkeypatch, capsys):
    group = Group(
        "t", (Statement("xp", no_operands),), (1,), ("float64",), peers=(), rounds=1, allocators=("system", "tuned")
    )
    monkeypatch.setattr(command, "load_group", lambda name: group)
    monkeypatch.setattr(command, "tunable", lambda: False)
    assert command.main(["cpu"]) == 0
    assert "cpu is not measured with the tuned allocator" in capsys.readouterr().err


def test_run_with_another_allocator_has_a_key_of_its_own():
    group = Group("t", ())
    assert run_key(document(outcome_of(group))) == "toy"
    assert run_key(document(outcome_of(group, allocator="tuned"))) == "toy with the tuned allocator"
    older = document(outcome_of(group))
    del older["allocator"]
    assert run_key(older) == "toy"


@needs_glibc
def test_quick_run_of_the_cpu_prints_both_allocators_and_the_conditions(tmp_path):
    path = tmp_path / "runs.json"
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "cpu", "--quick", "--json", path], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("## Conditions") == 2
    assert run.stdout.count("Allocator: glibc's thresholds") == 1
    assert [item["allocator"] for item in json.loads(path.read_text())] == ["system", "tuned"]


def test_peers_of_the_cpu_are_known():
    assert set(GROUP.peers or ()) <= set(_libraries.LIBRARIES)
