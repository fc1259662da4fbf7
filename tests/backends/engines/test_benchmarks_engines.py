"""The benchmark group of engines: its cases, figures and conditions. No test asserts a duration."""

from __future__ import annotations

import pytest

pytest.importorskip("dask.array", reason="dask.array is not installed: tox -e engines")

from benchmarks import _engine_jobs, engines
from benchmarks._cases import Group, Variant
from benchmarks._engine_process import EXAMPLES
from benchmarks._measure import calibrate
from benchmarks._results import document
from benchmarks._run import Outcome, Row, full_group, load_group, quick_group
from benchmarks._tables import markdown

FIGURES = {"worker MB": 350.0, "client MB": 200.0, "tasks": 10.0, "graphs": 1.0}


def row(case="k_means", **figures):
    return {"case": case, "figures": {"xtensor": {**FIGURES, **figures}}, "libraries": {}}


def test_every_example_is_a_case_and_every_case_has_a_job_in_dask():
    names = {path.stem for path in EXAMPLES.glob("*.py") if not path.stem.startswith("_")}
    assert {case.name for case in engines.CASES} == {*names, "standard_scaler_fit"} == set(_engine_jobs.JOBS)


def test_full_sizes_are_those_of_the_cases():
    group = full_group(load_group("engines"))
    measured = {case.name: [v.size for v in group.variants() if case in group.cases_of(v)] for case in group.cases}
    assert measured == {case.name: [case.max_size] for case in engines.CASES}
    assert full_group(load_group("dispatch")) == load_group("dispatch")


def test_a_group_whose_calls_are_samples_makes_no_others():
    calls = []
    assert calibrate(calls.append, 0.0) == (1, 0)
    assert not calls
    assert quick_group(load_group("engines")).min_sample_seconds == 0


def test_memory_above_a_limit_misses_the_condition():
    assert engines.memory([row()])["met"] is True
    missed = engines.memory([row(), row("z_scores", **{"client MB": 301.0})])
    assert missed["met"] is False
    assert missed["misses"] == ["`z_scores` client MB 301"]
    assert engines.memory([])["met"] is None


def test_time_of_the_scaler_is_compared_with_the_variance():
    times = {"xtensor": {"best": 5.1}, "xp.var": {"best": 2.0}}
    finding = engines.scaler([{"case": "standard_scaler_fit", "libraries": times}])
    assert (finding["met"], finding["measured"]) == (False, "2.55")
    assert engines.scaler([row()])["met"] is None


def test_figures_are_stored_and_printed_for_each_library():
    from benchmarks._measure import Timing

    timings = {"dask": Timing((2.0,), 1, 0), "xtensor": Timing((1.0,), 1, 0)}
    figures = {"xtensor": FIGURES, "dask": {**FIGURES, "tasks": 1234.0}}
    measured = Row("k_means", Variant(1000, "float64"), "", timings, {}, figures)
    versions = {"dask": "2026", "xtensor": "0"}
    outcome = Outcome("toy", Group("a title", ()), "dask", "threads", "dask", versions, {}, (measured,), False, 1)
    run = document(outcome)
    assert run["rows"][0]["figures"] == figures
    (line,) = (line for line in markdown(run).splitlines() if line.startswith("| `k_means` dask"))
    assert "1,234" in line


def test_a_job_runs_in_both_libraries_and_gives_the_same_values():
    pytest.importorskip("distributed", reason="distributed is not installed: tox -e engines")
    pytest.importorskip("zarr", reason="zarr is not installed: tox -e engines")
    case = engines.EngineCase("mean_and_variance", 1000)
    try:
        samplers, skipped = case.samplers((), Variant(1000, "float64"))
        assert not skipped
        assert all(sampler(1) > 0 for sampler in samplers.values())
        for figures in case.figures().values():
            assert figures.keys() == FIGURES.keys()
            assert figures["worker MB"] > 50
            assert figures["tasks"] > figures["graphs"] == 1
    finally:
        engines.Runner.current.close()


def test_a_job_that_fails_says_why():
    pytest.importorskip("distributed", reason="distributed is not installed: tox -e engines")
    with pytest.raises(RuntimeError, match="No module named 'no_such_job'"):
        engines.Runner("no_such_job", 1000)
    engines.Runner.current.close()
