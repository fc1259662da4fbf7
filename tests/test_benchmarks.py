"""The benchmarks measure what they print: the cases, the mechanism, the command line. Nothing here reads a clock."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest

import xtensor as xp
from benchmarks import __main__ as command
from benchmarks._cases import Group, Limit, Statement, Variant, evaluate, scalars, vectors
from benchmarks._libraries import find, raw_library
from benchmarks._measure import FEWEST, Timing, calibrate, measure, statement_sampler
from benchmarks._pyperf import write_samples
from benchmarks._report import as_text, document, machine_name, markdown, save, slug
from benchmarks._run import Outcome, Row, group_names, load_group, on_default_device, run_group, smaller

ROOT = Path(__file__).resolve().parents[1]
CPU = xp.device("cpu")
LIBRARIES = {library.name: library for library in find(CPU)[0]}

STATEMENTS = [
    pytest.param(case, Variant(size, dtype), id=f"{name}-{case.name}-{size}-{dtype}")
    for name in group_names()
    for group in (load_group(name),)
    for case in group.cases
    if isinstance(case, Statement)
    for size in (1, 12)
    for dtype in group.dtypes
]


class FakeClock:
    """Time that passes only when told to."""

    def __init__(self):
        self.now = 0.0
        self.ticks = 0

    def __call__(self):
        return self.now

    def tick(self):
        self.now += 1e-6
        self.ticks += 1


def plain(value):
    """What a call gave, as something that compares: tuples of NumPy arrays; namespaces are all alike."""
    if isinstance(value, ModuleType):
        return "namespace"
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return np.asarray(value) if hasattr(value, "dtype") else value


def outcome_of(*rows, limits=()):
    group = Group("a title", (), limits=limits)
    return Outcome("toy", group, "cpu", "numpy", {"numpy": "2", "xtensor": "0"}, {}, rows, False, 3)


def swept_outcome():
    """A run over sizes, of which one case ends early."""
    rows = [row_of(1e-7 * size, 2e-7 * size, case=case, size=size) for size in (1, 10, 100) for case in ("x", "-x")]
    return outcome_of(*rows[:-1])


def row_of(numpy, xtensor, case="x + y", size=1, note=""):
    timings = {"numpy": Timing((numpy,), 1, 1), "xtensor": Timing((xtensor,), 1, 1)}
    return Row(case, Variant(size, "float64"), note, timings, {})


# -- cases --------------------------------------------------------------------------------------------------------


def test_the_groups_are_the_modules():
    expected = {"dispatch", "elementwise", "reductions", "linalg", "indexing", "transfers", "import"}
    assert expected <= set(group_names())


# scikit-learn divides 0 by 0 on its way, and silences that for NumPy's own arrays alone.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("case", "variant"), STATEMENTS)
def test_case_gives_the_values_of_the_raw_library(case, variant):
    with on_default_device(CPU):
        ours, raw = (plain(evaluate(case, LIBRARIES[name], variant)) for name in ("xtensor", "numpy"))
    if case in load_group("consumers").cases:
        np.testing.assert_allclose(ours, raw, rtol=1e-9, atol=1e-12)  # they choose other ways for other namespaces
    else:
        np.testing.assert_equal(ours, raw)
    if hasattr(raw, "dtype"):
        assert ours.dtype == raw.dtype


@pytest.mark.parametrize("name", group_names())
def test_limits_name_cases_and_sizes_that_are_measured(name):
    group = load_group(name)
    measured = {
        (case.name, variant and variant.size)
        for case in group.cases
        for variant in group.variants()
        if variant is None or variant.size <= case.largest
    }
    assert {(limit.case, limit.size) for limit in group.limits} <= measured


def test_dispatch_has_every_limit_of_the_design():
    limits = {(limit.case, limit.size): limit.ratio for limit in load_group("dispatch").limits}
    assert limits["xp.add(x, y)", 1] == limits["x + y", 1] == limits["xp.sqrt(x)", 1] == 2.0
    assert limits["xp.sum(x)", 1] == 1.0
    assert limits["x[0:1]", 1] == 3.0
    assert limits["xp.floor_divide(x, y)", 100_000] == 1.3
    assert limits["xp.add(x, y)", 100_000] == 1.05


def test_operands_lie_on_the_same_memory_in_both_libraries():
    variant = Variant(3, "float64")
    case = Statement("x", vectors("x"))
    operands = case.operands(variant)
    ours, raw = (case.names(LIBRARIES[name], variant, operands)["x"] for name in ("xtensor", "numpy"))
    assert np.shares_memory(np.asarray(ours), raw)


def test_library_that_refuses_a_case_is_named_with_its_reason():
    case = Statement("x.conj_by_numpy_only() if xp.__name__ != 'xtensor' else x", vectors("x"))
    found, refused = case.samplers(tuple(LIBRARIES.values()), Variant(1, "float64"))
    assert set(found) == {"xtensor"}
    assert refused["numpy"].startswith("AttributeError")


def test_consumer_that_is_not_installed_is_named_and_nothing_is_measured():
    def operands(variant):
        raise ModuleNotFoundError("No module named 'sklearn'")

    group = Group("t", (Statement("x", operands),), (1,), ("float64",), rounds=1)
    outcome = run_group("toy", group, CPU)
    assert not any(row.timings for row in outcome.rows)
    assert "xtensor: not installed (No module named 'sklearn')." in markdown(outcome)


def test_case_that_fails_in_xtensor_fails():
    case = Statement("xp.no_such_function(x)", vectors("x"))
    with pytest.raises(AttributeError, match="no_such_function"):
        case.samplers((LIBRARIES["xtensor"],), Variant(1, "float64"))


# -- libraries ----------------------------------------------------------------------------------------------------


def test_raw_library_of_the_cpu_is_numpy_and_comes_first():
    assert raw_library(CPU) == "numpy"
    assert list(LIBRARIES)[:2] == ["numpy", "xtensor"]


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_library_that_is_here_computes_and_comes_back_to_the_host(library):
    value = evaluate(Statement("x + x", vectors("x")), library, Variant(3, "float64"))
    expected = evaluate(Statement("x + x", vectors("x")), LIBRARIES["numpy"], Variant(3, "float64"))
    np.testing.assert_array_equal(library.to_numpy(value), expected)


def test_missing_peer_is_left_out_with_its_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    found, left_out = find(CPU)
    assert "torch" not in [library.name for library in found]
    assert "torch" in left_out["torch"]


# -- the mechanism ------------------------------------------------------------------------------------------------


def test_measured_calls_are_those_it_says():
    clock = FakeClock()
    sampler = statement_sampler("tick()", {"tick": clock.tick}, clock=clock)
    timing = measure({"fake": sampler}, repeat=7)["fake"]
    assert clock.ticks == timing.warmup + timing.loops * len(timing.samples)
    assert len(timing.samples) == 7


def test_sample_lasts_as_long_as_asked():
    clock = FakeClock()
    timing = measure({"fake": statement_sampler("tick()", {"tick": clock.tick}, clock=clock)}, repeat=2)["fake"]
    assert timing.loops == 256  # the first power of two whose calls of 1 µs take 0.2 ms
    assert timing.samples == pytest.approx((1e-6, 1e-6))


def test_one_slow_call_does_not_pass_for_a_long_one():
    durations = iter([1.0, 1.0])
    loops, _ = calibrate(lambda number: next(durations, number * 1e-6), 1e-4)
    assert loops == 128


def test_libraries_take_turns():
    calls = []
    measure({name: lambda number, name=name: calls.append(name) or 1.0 for name in "abc"}, repeat=4)
    assert "".join(calls[-12:]) == "abccbaabccba"


def test_time_allowed_ends_the_rounds_but_not_the_fewest():
    timing = measure({"a": lambda number: 1.0}, repeat=100, seconds=0.0)["a"]
    assert len(timing.samples) == FEWEST


def test_rounds_are_added_to_earlier_ones_with_the_same_loops():
    clock = FakeClock()
    samplers = {"fake": statement_sampler("tick()", {"tick": clock.tick}, clock=clock)}
    first = measure(samplers, repeat=2)
    timing = measure(samplers, repeat=3, earlier=first)["fake"]
    assert len(timing.samples) == 5
    assert timing.loops == first["fake"].loops
    assert clock.ticks == timing.warmup + timing.loops * 5


def test_device_is_waited_for_within_the_sample():
    clock = FakeClock()
    sampler = statement_sampler("pass", {}, synchronize=clock.tick, clock=clock)
    assert sampler(1) == pytest.approx(1e-6)
    assert clock.ticks == 2


def test_statement_can_assign_to_its_operands():
    counts = []
    statement_sampler("x += 1; counts.append(x)", {"x": 0, "counts": counts})(3)
    assert counts == [1, 2, 3]


def test_timing_tells_best_median_and_quartiles():
    timing = Timing((5.0, 1.0, 2.0, 4.0, 3.0), 1, 1)
    assert (timing.best, timing.median, timing.quartiles) == (1.0, 3.0, (2.0, 4.0))


def test_quartiles_of_one_sample_are_that_sample():
    assert Timing((2.0,), 1, 1).quartiles == (2.0, 2.0)


# -- runs and reports ---------------------------------------------------------------------------------------------


def test_default_device_is_restored_after_a_run():
    before = xp.default_device()
    with on_default_device(CPU):
        assert xp.default_device() is CPU
    assert xp.default_device() is before


def test_case_is_not_measured_above_its_largest_size():
    group = Group("t", (Statement("x + x", vectors("x"), largest=10),), (1, 100), ("float64",), rounds=1)
    outcome = run_group("toy", group, CPU)
    assert [row.variant.size for row in outcome.rows] == [1]


@pytest.mark.parametrize("rounds", [1, 3, 7])
def test_rounds_asked_for_are_made_over_all_sweeps(rounds):
    group = Group("t", (Statement("x + x", vectors("x")),), (1,), ("float64",), seconds=1e9, sweeps=3)
    (row,) = run_group("toy", group, CPU, rounds=rounds).rows
    assert {len(timing.samples) for timing in row.timings.values()} == {rounds}


def test_median_ratio_is_of_samples_of_the_same_round():
    # The machine slows down by ten after the first round; in each round the ratio is the same.
    timings = {"numpy": Timing((1.0, 10.0, 10.0), 1, 1), "xtensor": Timing((2.0, 20.0, 20.0), 1, 1)}
    assert Row("x", None, "", timings, {}).median_ratio("xtensor", "numpy") == 2.0


def test_quick_group_has_small_sizes():
    sizes = smaller(load_group("elementwise")).sizes
    assert sizes == (1, 1000)


def test_table_has_cost_ratio_and_verdicts():
    limits = (Limit("x + y", 1, 2.0), Limit("x * y", 1, 2.0))
    rows = (row_of(100e-9, 150e-9), row_of(100e-9, 250e-9, case="x * y"))
    lines = markdown(outcome_of(*rows, limits=limits)).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    assert cells == [
        ["`x + y`", "100", "150", "1.50", "1.50"],
        ["`x * y`", "100", "250", "2.50", "2.50"],
        ["`x + y`", "1", "1.50", "2.00", "ok"],
        ["`x * y`", "1", "2.50", "2.00", "ABOVE"],
    ]


def test_many_sizes_stand_side_by_side_with_the_means_of_each_library():
    lines = markdown(swept_outcome()).splitlines()
    assert [line.replace(" ", "") for line in lines if line.startswith(("| `x` ", "| `-x`", "| xtensor"))][:3] == [
        "|`x`|2.00|2.00|2.00|",
        "|`-x`|2.00|2.00|–|",
        "|xtensor|2.00|2.00|2.00|",
    ]


def test_limit_is_not_shown_for_another_size():
    assert outcome_of(row_of(1.0, 2.0, size=12), limits=(Limit("x + y", 1, 2.0),)).verdicts == ()


def test_note_stands_below_its_table():
    assert "[1] mind this" in markdown(outcome_of(row_of(1.0, 1.0, note="mind this")))


def test_library_without_a_timing_has_no_ratio():
    row = Row("x", None, "", {"xtensor": Timing((1.0,), 1, 1)}, {"numpy": "TypeError: no"})
    assert row.ratio("xtensor", "numpy") is None
    assert "| `x`  |        – | 1,000,000,000 |     – |      – |" in markdown(outcome_of(row))


def test_document_is_json_with_versions_machine_and_date():
    written = json.loads(json.dumps(document(outcome_of(row_of(1e-7, 2e-7)))))
    assert written["versions"] == {"numpy": "2", "xtensor": "0"}
    assert {"model", "cores", "system", "python"} <= set(written["machine"])
    assert written["date"].startswith("20")
    assert written["rows"][0]["libraries"]["xtensor"]["ratio"] == 2.0


def test_text_of_a_document_is_json_with_a_line_for_each_row():
    text = as_text(document(swept_outcome()))
    assert json.loads(text) == json.loads(json.dumps(document(swept_outcome())))
    assert sum(line.startswith('  {"case"') for line in text.splitlines()) == 5


def test_machine_is_named_after_its_processor_and_cores():
    assert machine_name({"model": "Some CPU @ 2.50GHz", "cores": 2, "system": "Linux"}) == "some-cpu-2-50ghz-2-cores"


def test_results_are_kept_by_machine_and_group_and_replace_the_last(tmp_path):
    pytest.importorskip("matplotlib")
    outcome = outcome_of(row_of(1.0, 1.0), row_of(1.0, 1.0, case="x < y"))
    save(outcome_of(row_of(1.0, 9.0)), tmp_path)
    written = save(outcome, tmp_path)
    folder = tmp_path / machine_name(outcome.machine)
    assert set(folder.iterdir()) == set(written)
    assert [path.name for path in written] == ["toy.json", "toy.md", "toy.svg"]
    assert json.loads(written[0].read_text()) == json.loads(json.dumps(document(outcome)))
    assert "![Times numpy's time](toy.svg)" in written[1].read_text()
    picture = ElementTree.fromstring(written[2].read_text())
    assert {"x + y", "x < y", "xtensor"} <= {text.strip() for text in picture.itertext()}


def test_many_sizes_are_drawn_as_a_panel_for_each_case_and_a_page_without_the_costs(tmp_path):
    pytest.importorskip("matplotlib")
    _, page, picture = save(swept_outcome(), tmp_path)
    assert picture.name == "toy-float64.svg"
    texts = {text.strip() for text in ElementTree.fromstring(picture.read_text()).itertext()}
    assert {"x", "-x", "numpy", "xtensor"} <= texts
    assert "xtensor ns" not in page.read_text()
    assert "xtensor ns" in markdown(swept_outcome())


def test_samples_are_files_that_pyperf_reads(tmp_path):
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


# -- the command line ---------------------------------------------------------------------------------------------


def test_quick_run_prints_a_table_and_exits_0(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "dispatch", "--quick", "--json", tmp_path / "d.json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "| `xp.add(x, y)` " in run.stdout
    assert "Limits of the design" in run.stdout
    (dispatch,) = json.loads((tmp_path / "d.json").read_text())
    assert dispatch["quick"] is True


def test_several_groups_run_one_after_another_each_once(monkeypatch, capsys, tmp_path):
    group = Group("t", (Statement("xp", scalars()),), (1,), ("float64",), peers=(), rounds=1)
    monkeypatch.setattr(command, "load_group", lambda name: group)
    assert command.main(["linalg", "dispatch", "linalg", "--json", str(tmp_path / "all.json")]) == 0
    assert [item["group"] for item in json.loads((tmp_path / "all.json").read_text())] == ["linalg", "dispatch"]
    assert capsys.readouterr().out.count("## ") == 4


def test_groups_for_any_device_run_where_none_is_named(monkeypatch):
    group = Group("t", (), (1,), ("float64",), peers=())
    loaded = []
    monkeypatch.setattr(command, "load_group", lambda name: loaded.append(name) or group)
    assert command.main([]) == 0
    assert set(loaded) == set(group_names()) - {"gpu"}


def test_kept_runs_are_those_that_measured_something(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    full = Group("t", (Statement("xp", scalars()),), (1,), ("float64",), peers=(), rounds=1)
    groups = {"dispatch": full, "linalg": Group("t", (), (1,), ("float64",), peers=())}
    monkeypatch.setattr(command, "load_group", groups.get)
    assert command.main(["dispatch", "linalg", "--save"], results=tmp_path) == 0
    assert {path.stem for path in tmp_path.glob("*/*")} == {"dispatch"}


def test_plots_need_matplotlib_and_the_error_says_so(monkeypatch, capsys):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        command.main(["dispatch", "--save"])
    assert "matplotlib is not installed" in capsys.readouterr().err


def test_missed_limit_exits_0(monkeypatch, capsys):
    group = Group(
        "t", (Statement("xp", scalars()),), (1,), ("float64",), limits=(Limit("xp", 1, 0.0),), peers=(), rounds=1
    )
    monkeypatch.setattr(command, "load_group", lambda name: group)
    assert command.main(["dispatch"]) == 0
    assert "ABOVE" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    ["nothing", "dispatch nothing", "dispatch --repeat 0", "dispatch --device nowhere", "dispatch --quick --save"],
)
def test_bad_usage_exits_2(arguments, capsys):
    with pytest.raises(SystemExit) as exit_:
        command.main(arguments.split())
    assert exit_.value.code == 2
    assert "error" in capsys.readouterr().err


def test_import_group_times_whole_processes():
    group = load_group("import")
    libraries = (LIBRARIES["numpy"], LIBRARIES["xtensor"])
    samplers, refused = group.cases[0].samplers(libraries, None)
    assert set(samplers) == {"numpy", "xtensor"}
    assert refused == {}
    assert samplers["xtensor"](1) > 0.0
