"""Outcomes of a run: the plugin's records combined into one outcome for each test, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# From best to worst. pytest reports setup, call and teardown of a test; the worst of the three is its outcome.
OUTCOMES = ("passed", "skipped", "xpassed", "xfailed", "failed", "errors")
# The runner has no list of expected failures, so an expected failure is a failure.
FAILURES = frozenset({"xpassed", "xfailed", "failed", "errors"})


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test with its text: the message of a failure or the reason of a skip."""

    name: str
    text: str = ""


@dataclass
class Tally:
    """The outcomes of one run by node id, and the progress of pytest."""

    collected: int = 0
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    uncollected: set[str] = field(default_factory=set)
    last_started: str | None = None
    finished: bool = False

    def add(self, record: dict[str, Any]) -> tuple[str, Outcome] | None:
        """Add a record of the plugin. Return the test and its outcome if this is the test's first failure."""
        event = record["event"]
        if event == "collected":
            self.collected = max(self.collected, record["count"])
        elif event == "finished":
            self.finished = True
        elif event == "start":
            self.last_started = record["id"]
        elif event in ("collect", "report"):
            if event == "collect":
                self.uncollected.add(record["id"])
            return self._add_outcome(record["id"], Outcome(record["outcome"], record["text"]))
        return None

    def _add_outcome(self, test: str, new: Outcome) -> tuple[str, Outcome] | None:
        old = self.outcomes.get(test)
        if old is not None and OUTCOMES.index(new.name) <= OUTCOMES.index(old.name):
            return None
        self.outcomes[test] = new
        had_failed = old is not None and old.name in FAILURES
        return (test, new) if new.name in FAILURES and not had_failed else None

    @property
    def missing(self) -> int:
        """Number of collected tests without an outcome."""
        return self.collected - len(self.outcomes.keys() - self.uncollected)

    @property
    def failed(self) -> int:
        """Number of tests with an outcome that counts as a failure."""
        return sum(outcome.name in FAILURES for outcome in self.outcomes.values())

    def counts(self) -> dict[str, int]:
        """Return the total number of tests and the number for each outcome."""
        return _counts(self.outcomes.values())

    def chapters(self) -> dict[str, dict[str, int]]:
        """Return the counts for each chapter, in alphabetical order."""
        by_chapter: dict[str, list[Outcome]] = {}
        for test, outcome in self.outcomes.items():
            by_chapter.setdefault(chapter(test), []).append(outcome)
        return {name: _counts(by_chapter[name]) for name in sorted(by_chapter)}

    def failures(self) -> list[dict[str, str]]:
        """Return the failed tests with their messages, sorted by id."""
        return [
            {"id": test, "outcome": outcome.name, "message": outcome.text}
            for test, outcome in sorted(self.outcomes.items())
            if outcome.name in FAILURES
        ]

    def skips(self) -> list[dict[str, str]]:
        """Return the skipped tests with their reasons, sorted by id."""
        return [
            {"id": test, "reason": outcome.text}
            for test, outcome in sorted(self.outcomes.items())
            if outcome.name == "skipped"
        ]


def chapter(test: str) -> str:
    """Return the chapter of a node id: "special cases" for `…/test_special_cases.py::…`."""
    module = test.partition("::")[0].rpartition("/")[2].removesuffix(".py")
    return module.removeprefix("test_").replace("_", " ")


def _counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    counter = Counter(outcome.name for outcome in outcomes)
    return {"total": counter.total(), **{name: counter[name] for name in OUTCOMES}}
