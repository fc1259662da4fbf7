"""Cases, timing, reports, stored results and command line of the benchmarks. No test asserts a duration."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import xtensor as xp
from benchmarks import __main__ as command
from benchmarks import _measure, _run
from benchmarks._cases import Group, Limit, Statement, Variant, no_operands, vectors
from benchmarks._libraries import load_libraries, raw_library
from benchmarks._measure import MIN_ROUNDS, WARM_SECONDS, Timing, calibrate, measure, statement_sampler
from benchmarks._plots import COLOURS, draw
from benchmarks._pyperf import write_samples
from benchmarks._results import document, load, machine_name, run_key, save, slug
from benchmarks._run import Outcome, Row, group_modules, load_group, quick_group, run_group, temporary_default_device
from benchmarks._tables import markdown

ROOT = Path(__file__).resolve().parents[1]
CPU = xp.device("cpu")
LIBRARIES = {library.name: library for library in load_libraries(CPU)[0]}

STATEMENTS = [
    pytest.param(case, Variant(size, dtype), id=f"{name}-{case.name}-{size}-{dtype}")
    for name in group_modules()
    if name != "sweep"  # has tests of its own
    for group in (load_group(name),)
    for case in group.cases
    if isinstance(case, Statement)
    for size in (1, 12)
    for dtype in group.dtypes
]


class FakeClock:
    """A clock that advances by one microsecond for each call of ``tick``."""

    def __init__(self):
        self.now = 0.0
        self.ticks = 0

    def __call__(self):
        return self.now

    def tick(self):
        self.now += 1e-6
        self.ticks += 1


def evaluate(case, library, variant):
    """Return the value of a statement, or for an assignment the operand ``x`` after it."""
    variables = case.variables(library, variant, case.operands(variant))
    try:
        code = compile(case.name, "<case>", "eval")
    except SyntaxError:
        exec(case.name, variables)
        return variables["x"]
    return eval(code, variables)


def comparable(value):
    """Convert arrays to NumPy, also inside sequences, and any namespace to a constant."""
    if isinstance(value, ModuleType):
        return "namespace"
    if isinstance(value, (tuple, list)):
        return [comparable(item) for item in value]
    return np.asarray(value) if hasattr(value, "dtype") else value


def outcome_of(*rows, limits=(), device="cpu", name="toy"):
    group = Group("a title", (), limits=limits)
    versions = {"numpy": "2", "xtensor": "0"}
    return Outcome(name, group, device, "a model", "numpy", versions, {}, rows, False, 3)


def size_sweep():
    """Outcome over three sizes, where one case lacks the largest one."""
    rows = [row_of(1e-7 * size, 2e-7 * size, case=case, size=size) for size in (1, 10, 100) for case in ("x", "-x")]
    return outcome_of(*rows[:-1])


def row_of(numpy, xtensor, case="x + y", size=1, note=""):
    timings = {"numpy": Timing((numpy,), 1, 1), "xtensor": Timing((xtensor,), 1, 1)}
    return Row(case, Variant(size, "float64"), note, timings, {})


def table_text(outcome):
    return markdown(document(outcome))


def svg_texts(plot):
    return {text.strip() for text in ElementTree.fromstring(plot.svg).itertext()}


# -- cases --------------------------------------------------------------------------------------------------------


def test_groups_are_found_among_the_modules():
    expected = {"dispatch", "elementwise", "reductions", "linalg", "indexing", "transfers", "import"}
    assert expected <= set(group_modules())


# scikit-learn divides 0 by 0 and suppresses the warning for NumPy arrays only.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("case", "variant"), STATEMENTS)
def test_case_gives_the_values_of_the_raw_library(case, variant):
    with temporary_default_device(CPU):
        ours, raw = (comparable(evaluate(case, LIBRARIES[name], variant)) for name in ("xtensor", "numpy"))
    if case in load_group("consumers").cases:
        np.testing.assert_allclose(
            ours, raw, rtol=1e-9, atol=1e-12
        )  # consumers use other algorithms for other namespaces
    else:
        np.testing.assert_equal(ours, raw)
    if hasattr(raw, "dtype"):
        assert ours.dtype == raw.dtype


@pytest.mark.parametrize("name", group_modules())
def test_limits_refer_to_measured_cases_and_sizes(name):
    group = load_group(name)
    measured = {
        (case.name, variant and variant.size)
        for case in group.cases
        for variant in group.variants()
        if variant is None or variant.size <= case.max_size
    }
    assert {(limit.case, limit.size) for limit in group.limits} <= measured


def test_limits_of_dispatch_are_those_of_the_documentation():
    limits = {(limit.case, limit.size): limit.ratio for limit in load_group("dispatch").limits}
    assert limits["xp.add(x, y)", 1] == limits["x + y", 1] == limits["xp.sqrt(x)", 1] == 2.0
    assert limits["xp.sum(x)", 1] == 1.0
    assert limits["x[0:1]", 1] == 3.0
    assert limits["xp.floor_divide(x, y)", 100_000] == 1.3
    assert limits["xp.add(x, y)", 100_000] == 1.05


def test_operands_share_memory_between_libraries():
    variant = Variant(3, "float64")
    case = Statement("x", vectors("x"))
    operands = case.operands(variant)
    ours, raw = (case.variables(LIBRARIES[name], variant, operands)["x"] for name in ("xtensor", "numpy"))
    assert np.shares_memory(np.asarray(ours), raw)


def test_library_that_raises_is_skipped_with_its_error():
    case = Statement("x.conj_by_numpy_only() if xp.__name__ != 'xtensor' else x", vectors("x"))
    samplers, skipped = case.samplers(tuple(LIBRARIES.values()), Variant(1, "float64"))
    assert set(samplers) == {"xtensor"}
    assert skipped["numpy"].startswith("AttributeError")


def test_missing_consumer_is_reported_and_nothing_is_measured():
    def operands(variant):
        raise ModuleNotFoundError("No module named 'sklearn'")

    group = Group("t", (Statement("x", operands),), (1,), ("float64",), rounds=1)
    outcome = run_group("toy", group, CPU)
    assert not any(row.timings for row in outcome.rows)
    assert "xtensor: not installed (No module named 'sklearn')." in table_text(outcome)


def test_error_in_xtensor_is_raised():
    case = Statement("xp.no_such_function(x)", vectors("x"))
    with pytest.raises(AttributeError, match="no_such_function"):
        case.samplers((LIBRARIES["xtensor"],), Variant(1, "float64"))


# -- libraries ----------------------------------------------------------------------------------------------------


def test_raw_library_of_the_cpu_is_numpy_and_is_listed_first():
    assert raw_library(CPU) == "numpy"
    assert list(LIBRARIES)[:2] == ["numpy", "xtensor"]


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_installed_library_computes_and_copies_to_the_host(library):
    value = evaluate(Statement("x + x", vectors("x")), library, Variant(3, "float64"))
    expected = evaluate(Statement("x + x", vectors("x")), LIBRARIES["numpy"], Variant(3, "float64"))
    np.testing.assert_array_equal(library.to_numpy(value), expected)


def test_missing_peer_is_unavailable_with_its_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    libraries, unavailable = load_libraries(CPU)
    assert "torch" not in [library.name for library in libraries]
    assert unavailable["torch"].startswith("not installed")


# -- timing -------------------------------------------------------------------------------------------------------


def test_number_of_calls_is_that_of_warmup_and_samples():
    clock = FakeClock()
    sampler = statement_sampler("tick()", {"tick": clock.tick}, clock=clock)
    timing = measure({"fake": sampler}, rounds=7)["fake"]
    assert clock.ticks == timing.warmup + timing.loops * len(timing.samples)
    assert len(timing.samples) == 7


def test_sample_has_the_minimum_duration():
    clock = FakeClock()
    timing = measure({"fake": statement_sampler("tick()", {"tick": clock.tick}, clock=clock)}, rounds=2)["fake"]
    assert timing.loops == 256  # the first power of two whose calls of 1 µs take 0.2 ms
    assert timing.samples == pytest.approx((1e-6, 1e-6))


def test_one_slow_call_does_not_end_the_calibration():
    durations = iter([1.0, 1.0])
    loops, _ = calibrate(lambda number: next(durations, number * 1e-6), 1e-4)
    assert loops == 128


@pytest.mark.parametrize(("slower", "loops"), [(1.1, 256), (2.5, 64), (9.0, 16)])
def test_samplers_of_about_the_same_time_make_as_many_calls(slower, loops):
    """Two numbers of calls next to each other, 128 and 256, may belong to times that differ by little."""
    samplers = {str(time): lambda number, time=time: number * time * 1e-6 for time in (1.0, slower)}
    timings = measure(samplers, rounds=2, min_sample_seconds=1.4e-4)
    assert [timing.loops for timing in timings.values()] == [256, loops]


def test_samplers_are_interleaved_in_alternating_order():
    calls = []
    measure({name: lambda number, name=name: calls.append(name) or 1.0 for name in "abc"}, rounds=4)
    assert "".join(calls[-12:]) == "abccbaabccba"


def test_calls_that_are_not_counted_follow_a_pause(monkeypatch):
    now, events = [0.0], []

    def sampler(loops):
        events.append("calls")
        now[0] += WARM_SECONDS / 2.5
        return loops * 2e-3

    def sleep(seconds):
        events.append("pause")
        now[0] += seconds

    monkeypatch.setattr(_measure, "time", SimpleNamespace(perf_counter=lambda: now[0], sleep=sleep))
    timing = measure({"a": sampler}, rounds=2, pause=1.0)["a"]
    assert events[events.index("pause") :] == ["pause", *["calls"] * 4] * 2
    assert len(timing.samples) == 2


def test_time_limit_ends_the_rounds_after_the_minimum():
    timing = measure({"a": lambda number: 1.0}, rounds=100, max_seconds=0.0)["a"]
    assert len(timing.samples) == MIN_ROUNDS


def test_rounds_are_appended_to_previous_ones_with_the_same_loops():
    clock = FakeClock()
    samplers = {"fake": statement_sampler("tick()", {"tick": clock.tick}, clock=clock)}
    first = measure(samplers, rounds=2)
    timing = measure(samplers, rounds=3, previous=first)["fake"]
    assert len(timing.samples) == 5
    assert timing.loops == first["fake"].loops
    assert clock.ticks == timing.warmup + timing.loops * 5


def test_synchronization_is_part_of_the_sample():
    clock = FakeClock()
    sampler = statement_sampler("pass", {}, synchronize=clock.tick, clock=clock)
    assert sampler(1) == pytest.approx(1e-6)
    assert clock.ticks == 2


def test_statement_can_assign_to_its_operands():
    counts = []
    statement_sampler("x += 1; counts.append(x)", {"x": 0, "counts": counts})(3)
    assert counts == [1, 2, 3]


def test_timing_has_best_median_and_quartiles():
    timing = Timing((5.0, 1.0, 2.0, 4.0, 3.0), 1, 1)
    assert (timing.best, timing.median, timing.quartiles) == (1.0, 3.0, (2.0, 4.0))


def test_quartiles_of_one_sample_are_that_sample():
    assert Timing((2.0,), 1, 1).quartiles == (2.0, 2.0)


# -- runs and reports ---------------------------------------------------------------------------------------------


def test_default_device_is_restored_after_a_run():
    before = xp.default_device()
    with temporary_default_device(CPU):
        assert xp.default_device() is CPU
    assert xp.default_device() is before


def test_case_is_not_measured_above_its_maximum_size():
    group = Group("t", (Statement("x + x", vectors("x"), max_size=10),), (1, 100), ("float64",), rounds=1)
    outcome = run_group("toy", group, CPU)
    assert [row.variant.size for row in outcome.rows] == [1]


@pytest.mark.parametrize("rounds", [1, 3, 7])
def test_requested_rounds_are_distributed_over_the_sweeps(rounds):
    group = Group("t", (Statement("x + x", vectors("x")),), (1,), ("float64",), max_seconds=1e9, sweeps=3)
    (row,) = run_group("toy", group, CPU, rounds=rounds).rows
    assert {len(timing.samples) for timing in row.timings.values()} == {rounds}


def test_median_ratio_compares_samples_of_the_same_round():
    # The machine becomes ten times slower after the first round; the ratio in each round is the same.
    timings = {"numpy": Timing((1.0, 10.0, 10.0), 1, 1), "xtensor": Timing((2.0, 20.0, 20.0), 1, 1)}
    assert Row("x", None, "", timings, {}).median_ratio("xtensor", "numpy") == 2.0


def test_quick_gpu_group_has_small_operands_and_no_limits():
    group = quick_group(load_group("gpu"))
    assert {case.bytes_moved for case in group.cases} <= set(range(1 << 20))
    assert group.limits == ()


def test_quick_group_has_small_sizes():
    sizes = quick_group(load_group("elementwise")).sizes
    assert sizes == (1, 1000)


def test_table_has_times_ratios_and_limits():
    limits = (Limit("x + y", 1, 2.0), Limit("x * y", 1, 2.0))
    rows = (row_of(100e-9, 150e-9), row_of(100e-9, 250e-9, case="x * y"))
    lines = table_text(outcome_of(*rows, limits=limits)).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    assert cells == [
        ["`x + y`", "100", "150", "1.50", "1.50"],
        ["`x * y`", "100", "250", "2.50", "2.50"],
        ["`x + y`", "1", "1.50", "2.00", "ok"],
        ["`x * y`", "1", "2.50", "2.00", "ABOVE"],
    ]


def test_size_sweep_has_a_column_for_each_size_and_the_geometric_means():
    lines = table_text(size_sweep()).splitlines()
    assert [line.replace(" ", "") for line in lines if line.startswith(("| `x` ", "| `-x`", "| xtensor"))][:3] == [
        "|`x`|2.00|2.00|2.00|",
        "|`-x`|2.00|2.00|–|",
        "|xtensor|2.00|2.00|2.00|",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("AMD EPYC", "AMD EPYC (family 25, model 1)"), ("AMD EPYC 7763", "AMD EPYC 7763"), (None, "")],
)
def test_a_processor_whose_number_is_hidden_has_family_and_model(tmp_path, name, expected):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n")
    assert _run._distinguished(name, cpuinfo) == expected


def test_limit_does_not_apply_to_another_size():
    assert outcome_of(row_of(1.0, 2.0, size=12), limits=(Limit("x + y", 1, 2.0),)).limit_ratios == ()


def test_note_is_a_footnote_of_its_table():
    assert "\n[1] mind this" in table_text(outcome_of(row_of(1.0, 1.0, note="mind this")))


def test_library_without_a_timing_has_no_ratio():
    row = Row("x", None, "", {"xtensor": Timing((1.0,), 1, 1)}, {"numpy": "TypeError: no"})
    assert row.ratio("xtensor", "numpy") is None
    assert "| `x`  |        – | 1,000,000,000 |     – |      – |" in table_text(outcome_of(row))


def test_document_is_json_with_versions_machine_and_date():
    written = json.loads(json.dumps(document(outcome_of(row_of(1e-7, 2e-7)))))
    assert written["versions"] == {"numpy": "2", "xtensor": "0"}
    assert set(written["machine"]) == {"model", "cores", "system"}
    assert written["date"].startswith("20")
    assert written["rows"][0]["libraries"]["xtensor"]["ratio"] == 2.0


def test_machine_is_named_after_its_processor_and_cores():
    assert machine_name({"model": "Some CPU @ 2.50GHz", "cores": 2, "system": "Linux"}) == "some-cpu-2-50ghz-2-cores"


def test_saved_run_is_shown_as_the_run_itself(tmp_path):
    outcome = outcome_of(row_of(1.0, 1.0), row_of(1.0, 1.0, case="x < y"))
    path = save(document(outcome), tmp_path)
    assert path == tmp_path / f"{machine_name(outcome.machine)}.json"
    assert [markdown(run) for run in load(path)] == [markdown(document(outcome))]


def test_saved_run_has_its_notes_reasons_figures_and_limits(tmp_path):
    run = document(outcome_of(row_of(1.0, 3.0, case="x < y"), row_of(1.0, 2.0)))
    run["rows"][0] |= {"note": "a note", "figures": {"xtensor": {"bytes": 3.0}}}
    run["rows"][1] |= {"skipped": {"xtensor": "TypeError: no"}, "libraries": {"numpy": {"best": 1.0, "ratio": 1.0}}}
    row = run["rows"][0]
    run["limits"] = [{"case": "x < y", "size": row["size"], "dtype": row["dtype"], "limit": 2.5, "ratio": 3.0}]
    (loaded,) = load(save(run, tmp_path))
    assert [row["note"] for row in loaded["rows"]] == ["a note", ""]
    assert [row.get("figures") for row in loaded["rows"]] == [{"xtensor": {"bytes": 3.0}}, None]
    assert [row["skipped"] for row in loaded["rows"]] == [{}, {"xtensor": "TypeError: no"}]
    assert loaded["limits"] == run["limits"]


def test_saved_run_replaces_the_run_of_its_group_and_keeps_the_others(tmp_path):
    other = document(outcome_of(row_of(1.0, 5.0), name="other"))
    save(document(outcome_of(row_of(1.0, 9.0))), tmp_path)
    save(other, tmp_path)
    path = save(document(outcome_of(row_of(1.0, 2.0))), tmp_path)
    assert {run["group"]: run["rows"][0]["libraries"]["xtensor"]["best"] for run in load(path)} == {
        "other": 5.0,
        "toy": 2.0,
    }


def test_runs_of_a_group_on_two_devices_are_both_stored(tmp_path):
    save(document(outcome_of(row_of(1.0, 9.0))), tmp_path)
    path = save(document(outcome_of(row_of(1.0, 2.0), device="cuda:0")), tmp_path)
    assert [run_key(run) for run in load(path)] == ["toy", "toy on cuda:0 (a model)"]


def test_interrupted_save_leaves_the_previous_file(tmp_path, monkeypatch):
    path = save(document(outcome_of(row_of(1.0, 9.0))), tmp_path)
    before = path.read_text()

    def fail(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save(document(outcome_of(row_of(1.0, 2.0))), tmp_path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


def test_saved_file_has_one_line_for_each_row(tmp_path):
    lines = save(document(size_sweep()), tmp_path).read_text().splitlines()
    assert sum(line.strip().startswith('["') for line in lines) == 5


# -- plots ----------------------------------------------------------------------------------------------------------


def test_one_size_is_drawn_as_bars_of_the_ratio():
    (plot,) = draw(document(outcome_of(row_of(1.0, 2.0), row_of(1.0, 0.5, case="x < y"))))
    assert (plot.title, plot.suffix) == ("Time relative to numpy", "")
    assert {"x + y", "x < y", "xtensor", "float64, 1"} <= svg_texts(plot)
    slow, fast = [
        (float(bar.get("x")), float(bar.get("width")))
        for bar in ElementTree.fromstring(plot.svg).iter("{http://www.w3.org/2000/svg}rect")
        if bar.get("height") == "12"
    ]
    assert slow[0] == pytest.approx(fast[0] + fast[1], abs=0.2)  # both bars end at the line of ratio 1
    assert slow[1] == pytest.approx(fast[1], abs=0.2)  # the scale is logarithmic


def test_size_sweep_is_drawn_as_a_panel_for_each_case_and_a_line_for_each_library():
    (plot,) = draw(document(size_sweep()))
    assert (plot.title, plot.suffix) == ("Seconds against size, float64", "-float64")
    assert {"x", "-x", "numpy", "xtensor"} <= svg_texts(plot)
    lines = list(ElementTree.fromstring(plot.svg).iter("{http://www.w3.org/2000/svg}polyline"))
    assert [len(line.get("points").split()) for line in lines] == [3, 3, 2, 2]
    assert lines[1].get("stroke") == COLOURS["xtensor"]  # drawn last, on top


def test_plots_are_drawn_for_a_run_without_measurements():
    row = Row("x", None, "", {}, {"xtensor": "not installed"})
    (plot,) = draw(document(outcome_of(row)))
    assert "x" not in svg_texts(plot)


def test_plots_replace_the_times_of_a_size_sweep():
    run = document(size_sweep())
    page = markdown(run, level=3, plots={"a plot": ("a.svg", "narrow.svg")})
    assert page.startswith("### toy: a title\n")
    assert "![a plot](a.svg){ .wide" in page
    assert "![a plot](narrow.svg){ .narrow" in page
    assert "xtensor ns" not in page
    assert "xtensor ns" in markdown(run)


def test_pyperf_reads_the_exported_samples(tmp_path):
    pyperf = pytest.importorskip("pyperf")
    paths = write_samples([outcome_of(row_of(1e-7, 2e-7)), outcome_of(row_of(1e-7, 3e-7, case="-x"))], tmp_path)
    assert [path.name for path in paths] == ["numpy.json", "xtensor.json"]
    suite = pyperf.BenchmarkSuite.load(str(paths[1]))
    assert {item.get_name(): item.get_values() for item in suite} == {
        "toy, x + y, float64, 1": (2e-7,),
        "toy, -x, float64, 1": (3e-7,),
    }
    assert "hostname" not in suite.get_metadata()


def test_slug_is_letters_digits_and_hyphens():
    assert slug("Intel(R) Xeon(R) Processor @ 2.50GHz") == "intel-xeon-processor-2-50ghz"


# -- command line -------------------------------------------------------------------------------------------------


def test_quick_run_prints_a_table_and_exits_0(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "dispatch", "--quick", "--json", tmp_path / "d.json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "| `xp.add(x, y)` " in run.stdout
    assert "### Limits" in run.stdout
    (dispatch,) = json.loads((tmp_path / "d.json").read_text())
    assert dispatch["quick"] is True


def test_repeated_group_runs_once(monkeypatch, capsys, tmp_path):
    group = Group("t", (Statement("xp", no_operands),), (1,), ("float64",), peers=(), rounds=1)
    monkeypatch.setattr(command, "load_group", lambda name: group)
    assert command.main(["linalg", "dispatch", "linalg", "--json", str(tmp_path / "all.json")]) == 0
    assert [item["group"] for item in json.loads((tmp_path / "all.json").read_text())] == ["linalg", "dispatch"]
    assert re.findall(r"^## (\w+)", capsys.readouterr().out, re.MULTILINE) == ["linalg", "dispatch"]


def test_parts_measure_each_case_once(monkeypatch, tmp_path):
    cases = tuple(Statement(text, no_operands) for text in ("xp.pi", "xp.e", "xp.inf"))
    monkeypatch.setattr(command, "load_group", lambda name: Group("t", cases, (1,), ("float64",), peers=(), rounds=1))
    measured = []
    for text in ("1/2", "2/2"):
        assert command.main(["dispatch", "--part", text, "--json", str(tmp_path / "part.json")]) == 0
        (run,) = json.loads((tmp_path / "part.json").read_text())
        measured.append([row["case"] for row in run["rows"]])
    assert measured == [["xp.pi", "xp.inf"], ["xp.e"]]


def test_groups_that_are_slow_or_enforce_limits_run_only_if_named(monkeypatch):
    group = Group("t", (), (1,), ("float64",), peers=())
    loaded = []
    monkeypatch.setattr(command, "load_group", lambda name: loaded.append(name) or group)
    assert command.main([]) == 0
    named = {"advice", "compile", "cpu", "devices", "engines", "expressions", "gpu", "networks", "sweep"}
    assert set(loaded) == set(group_modules()) - named


def test_runs_without_measurements_are_not_saved(monkeypatch, tmp_path):
    full = Group("t", (Statement("xp", no_operands),), (1,), ("float64",), peers=(), rounds=1)
    groups = {"dispatch": full, "linalg": Group("t", (), (1,), ("float64",), peers=())}
    monkeypatch.setattr(command, "load_group", groups.get)
    assert command.main(["dispatch", "linalg", "--save"], results=tmp_path) == 0
    (path,) = tmp_path.iterdir()
    assert [run["group"] for run in load(path)] == ["dispatch"]


def test_missing_pyperf_is_an_error(monkeypatch, capsys):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        command.main(["dispatch", "--pyperf", "out"])
    assert "pyperf is not installed" in capsys.readouterr().err


def test_exceeded_limit_exits_0(monkeypatch, capsys):
    group = Group(
        "t", (Statement("xp", no_operands),), (1,), ("float64",), limits=(Limit("xp", 1, 0.0),), peers=(), rounds=1
    )
    monkeypatch.setattr(command, "load_group", lambda name: group)
    assert command.main(["dispatch"]) == 0
    assert "ABOVE" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        "nothing",
        "dispatch nothing",
        "dispatch --repeat 0",
        "dispatch --device nowhere",
        "dispatch --quick --save",
        "dispatch --part 1/2 --save",
        "dispatch --part 3/2",
    ],
)
def test_bad_usage_exits_2(arguments, capsys):
    with pytest.raises(SystemExit) as exit_:
        command.main(arguments.split())
    assert exit_.value.code == 2
    assert "error" in capsys.readouterr().err


def test_import_group_times_processes():
    group = load_group("import")
    libraries = (LIBRARIES["numpy"], LIBRARIES["xtensor"])
    samplers, skipped = group.cases[0].samplers(libraries, None)
    assert set(samplers) == {"numpy", "xtensor"}
    assert skipped == {}
    assert samplers["xtensor"](1) > 0.0
