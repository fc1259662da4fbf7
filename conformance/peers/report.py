"""The record of a run of a peer's tests, and the table on the page ``docs/conformance.md``."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conformance.peers.kinds import KINDS
from conformance.peers.reasons import departures
from conformance.peers.run import Outcomes

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
"""The lines of the page between which the tables stand."""

TITLES = {"numpy": "NumPy", "cupy": "CuPy", "autograd": "HIPS autograd"}


def write(root: Path, peer: str, source: Path, device: str, outcomes: Outcomes) -> Path:
    """Write the record of a complete run, and the tables of all records into the page."""
    pages = Counter(verdict.page for verdict in outcomes.verdicts.values() if verdict.page)
    record = {
        "peer": peer,
        "commit": _commit(source),
        "date": datetime.now(UTC).date().isoformat(),
        "device": device,
        "counts": outcomes.counts(),
        "chapters": outcomes.chapters(peer),
        "refusals": dict(pages.most_common()),
        "departures": departures(peer, outcomes.verdicts),
    }
    folder = root / "conformance" / "results" / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{peer}-{device.replace(':', '-')}.json"
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8", newline="\n")
    write_page(root)
    return path


def write_page(root: Path) -> None:
    """Write the tables into the page."""
    files = sorted((root / "conformance" / "results" / "peers").glob("*.json"))
    tables = "\n".join(table(json.loads(file.read_text(encoding="utf-8"))) for file in files)
    page = root / "docs" / "conformance.md"
    head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    page.write_text(f"{head}{BEGIN}\n\n{tables}\n{END}{tail}", encoding="utf-8", newline="\n")


def table(record: Mapping[str, Any]) -> str:
    """Return the table of a record."""
    kinds = [kind for kind in KINDS if record["counts"][kind]]
    rows = [["chapter", *kinds], ["---", *("---:" for _ in kinds)]]
    for name, counts in (*record["chapters"].items(), ("all", record["counts"])):
        rows.append([name, *(str(counts[kind]) for kind in kinds)])
    lines = [
        f"### {TITLES[record['peer']]} on {record['device']}\n",
        f"Commit {record['commit'][:12]}, {record['date']}.\n",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    if record["refusals"]:
        lines += ["\nBy intention, by the section that states it:\n"]
        lines += [f"- {count}: [{page}]({page})" for page, count in record["refusals"].items()]
    if record["departures"]:
        lines += ["\nEach wrong value, wrong dtype and crash, with the number of its cases:\n"]
        lines += ["| kind | test | cases | reason |", "| --- | --- | ---: | --- |"]
        lines += [f"| {kind} | `{test}` | {count} | {text} |" for kind, test, count, text in record["departures"]]
    return "\n".join(lines) + "\n"


def _commit(source: Path) -> str:
    done = subprocess.run(["git", "-C", str(source), "rev-parse", "HEAD"], capture_output=True, encoding="utf-8")
    return done.stdout.strip() or "unknown"
