"""One run of a peer's tests: the process, its environment, and the outcomes by kind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from conformance.peers import plugin
from conformance.peers.kinds import KINDS, Verdict

_CLEARED = ("PYTEST_", "HYPOTHESIS_", "CUPY_")


@dataclass
class Outcomes:
    """The verdict for each test, the number of tests, and the end of pytest's output."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    collected: int = 0
    finished: bool = False
    log: str = ""

    @property
    def complete(self) -> bool:
        """Whether the session ended and every test has a verdict."""
        return self.finished and 0 < self.collected <= len(self.verdicts)

    def add(self, record: dict[str, Any]) -> None:
        """Add a record of the plugin. The last verdict that is not "right" is a test's verdict."""
        if record["event"] == "finished":
            self.finished = True
            return
        if record["event"] == "collected":
            self.collected = record["count"]
            return
        new = Verdict(record["kind"], record["text"], record["page"])
        old = self.verdicts.get(record["id"])
        if old is None or old.kind in ("right", "no Array"):
            self.verdicts[record["id"]] = new

    def counts(self) -> dict[str, int]:
        """Return the number of tests of each kind."""
        counter = Counter(verdict.kind for verdict in self.verdicts.values())
        return {kind: counter[kind] for kind in KINDS}

    def chapters(self, name: str) -> dict[str, dict[str, int]]:
        """Return the counts for each chapter of a peer."""
        of = plugin.peer(name).chapter
        parts: dict[str, Outcomes] = {}
        for test, verdict in self.verdicts.items():
            parts.setdefault(of(Path(test.partition("::")[0])), Outcomes()).verdicts[test] = verdict
        return {chapter: parts[chapter].counts() for chapter in sorted(parts)}


def run(name: str, source: Path, device: str, keyword: str | None, workers: int, out: TextIO) -> Outcomes:
    """Run the tests of a checkout on a device, and print each failure as it happens."""
    outcomes = Outcomes()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch_name:
        scratch = Path(scratch_name)
        records, log, settings = (scratch / part for part in ("records", "log", "pytest.ini"))
        records.touch()
        settings.write_text("[pytest]\n", encoding="utf-8")
        files = [str(path) for path in plugin.peer(name).files(source)]
        command = [sys.executable, "-m", "pytest", "-c", str(settings), "--rootdir", str(source), "--noconftest"]
        # A worker of pytest-xdist that dies is replaced, and the tests after its last one still run.
        command += ["-p", "xdist.plugin", "-n", str(workers), "--max-worker-restart", "1000", "--quiet", "--tb=no"]
        command += ["-p", "_hypothesis_pytestplugin", "-p", "no:cacheprovider", "--disable-warnings"]
        command += ["-m", "not slow and not multi_gpu", "--continue-on-collection-errors"]
        command += ["-k", keyword] if keyword else []
        for test in getattr(plugin.peer(name), "DESELECTED", ()):
            command += ["--deselect", test]
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [*command, *files],
                cwd=scratch,
                env=_environment(name, source, device, records),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
            )
            for record in _follow(records, process):
                outcomes.add(record)
                if record["event"] == "outcome" and record["kind"] not in ("right", "skipped", "no Array"):
                    print(f"{record['kind']}: {record['id']}: {record['text']}", file=out, flush=True)
        outcomes.log = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-40:])
    return outcomes


def _environment(name: str, source: Path, device: str, records: Path) -> dict[str, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(_CLEARED)}
    environment.update(
        {
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "conformance.peers.plugin",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([os.path.abspath(entry) for entry in sys.path]),
            "XTENSOR_DEVICE": device,
            **getattr(plugin.peer(name), "ENVIRONMENT", {}),
            plugin.PEER: name,
            plugin.SOURCE: str(source),
            plugin.RECORDS: str(records),
        }
    )
    return environment


def _follow(records: Path, process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the plugin's records while the process writes them, until it ends."""
    with records.open(encoding="utf-8") as stream:
        pending = ""
        while True:
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                ended = False
            else:
                ended = True
            for piece in iter(stream.readline, ""):
                pending += piece
                if pending.endswith("\n"):
                    yield json.loads(pending)
                    pending = ""
            if ended:
                return
