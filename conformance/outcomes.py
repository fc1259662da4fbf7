"""What became of each test: the plugin's records folded into one outcome a test, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# From best to worst. A test reports its setup, its call and its teardown; the worst one stands.
OUTCOMES = ("passed", "skipped", "xpassed", "xfailed", "failed", "errors")
# No failure is expected anywhere, so an expected one is as bad as any.
BAD = frozenset({"xpassed", "xfailed", "failed", "errors"})


@dataclass(frozen=True)
class Outcome:
    """A test's outcome and the words that go with it: a failure's message, a skip's reason."""

    name: str
    text: str = ""


@dataclass
class Tally:
    """The outcomes of one run, by node id, and what pytest said of its own course."""

    collected: int = 0
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    uncollected: set[str] = field(default_factory=set)
    last_seen: str | None = None
    finished: bool = False

    def take(self, record: dict[str, Any]) -> tuple[str, Outcome] | None:
        """Fold one record in; return the test and its outcome if that is newly a bad one."""
        event = record["event"]
        if event == "collected":
            self.collected = max(self.collected, record["count"])
        elif event == "finished":
            self.finished = True
        elif event == "start":
            self.last_seen = record["id"]
        elif event in ("collect", "report"):
            if event == "collect":
                self.uncollected.add(record["id"])
            return self._fold(record["id"], Outcome(record["outcome"], record["text"]))
        return None

    def _fold(self, test: str, new: Outcome) -> tuple[str, Outcome] | None:
        old = self.outcomes.get(test)
        if old is not None and OUTCOMES.index(new.name) <= OUTCOMES.index(old.name):
            return None
        self.outcomes[test] = new
        was_bad = old is not None and old.name in BAD
        return (test, new) if new.name in BAD and not was_bad else None

    @property
    def missing(self) -> int:
        """How many collected tests never gave an outcome."""
        return self.collected - len(self.outcomes.keys() - self.uncollected)

    @property
    def bad(self) -> int:
        """How many tests failed in any way."""
        return sum(outcome.name in BAD for outcome in self.outcomes.values())

    def counts(self) -> dict[str, int]:
        """Return the number of tests for each outcome, and their total."""
        return _counts(self.outcomes.values())

    def chapters(self) -> dict[str, dict[str, int]]:
        """Return the counts for each chapter, chapters in alphabetical order."""
        by_chapter: dict[str, list[Outcome]] = {}
        for test, outcome in self.outcomes.items():
            by_chapter.setdefault(chapter(test), []).append(outcome)
        return {name: _counts(by_chapter[name]) for name in sorted(by_chapter)}

    def failures(self) -> list[dict[str, str]]:
        """List the tests that failed in any way, by id."""
        return [
            {"id": test, "outcome": outcome.name, "message": outcome.text}
            for test, outcome in sorted(self.outcomes.items())
            if outcome.name in BAD
        ]

    def skips(self) -> list[dict[str, str]]:
        """List the tests that were skipped, by id."""
        return [
            {"id": test, "reason": outcome.text}
            for test, outcome in sorted(self.outcomes.items())
            if outcome.name == "skipped"
        ]


def chapter(test: str) -> str:
    """Name the chapter of a node id: `…/test_special_cases.py::…` is "special cases"."""
    module = test.partition("::")[0].rpartition("/")[2].removesuffix(".py")
    return module.removeprefix("test_").replace("_", " ")


def _counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    found = Counter(outcome.name for outcome in outcomes)
    return {"total": found.total(), **{name: found[name] for name in OUTCOMES}}
