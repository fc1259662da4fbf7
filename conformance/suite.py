"""Where the official suite is: finding, fetching and verifying its checkout.

The suite is pinned to a commit, and so is the specification it reads its expectations from
(its folder `array-api`): a result means nothing without knowing what was run.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

DIRECTORY_VARIABLE = "ARRAY_API_TESTS_DIR"
FETCH = "python -m conformance fetch"
SPECIFICATION = "array-api"

# What using a checkout leaves in it without changing what it tests.
_CACHES = frozenset({"__pycache__", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
# Lists the suite would read by default; the runner names empty ones instead, so these are inert.
_INERT = frozenset({"skips.txt", "xfails.txt"})
# Set inside git hooks; they would make git answer for another repository than the one asked about.
_GIT_LOCATION = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"})


@dataclass(frozen=True)
class Pins:
    """The two commits a result is about, and where they come from."""

    suite: str
    specification: str
    suite_url: str = "https://github.com/data-apis/array-api-tests"
    specification_url: str = "https://github.com/data-apis/array-api"


PINS = Pins(
    suite="55fcc60179efa2680ddd6cd926ddf17b83530e2b",
    specification="5f847a3858875c682ae901aa22b0413bf24be9da",
)


class SuiteError(Exception):
    """The suite is not there, or is not what the pins name; the message ends with the remedy."""


def cache_folder() -> Path:
    """Return the checkout's place in the user's cache."""
    variable, fallback = "XDG_CACHE_HOME", Path.home() / ".cache"
    if os.name == "nt":
        variable, fallback = "LOCALAPPDATA", Path.home() / "AppData" / "Local"
    return Path(os.environ.get(variable) or fallback) / "xtensor" / "array-api-tests"


def locate() -> Path:
    """Return the checkout that `ARRAY_API_TESTS_DIR` names, else the one in the cache."""
    named = os.environ.get(DIRECTORY_VARIABLE)
    folder = Path(named) if named else cache_folder()
    if not (folder / "array_api_tests").is_dir():
        source = f"the folder that {DIRECTORY_VARIABLE} names" if named else "the cache"
        raise SuiteError(
            f"The official suite array-api-tests was not found in {folder} ({source}).\n"
            f"Remedy: `{FETCH}`"
            + (f" with {DIRECTORY_VARIABLE} unset" if named else "")
            + f", or name a checkout in {DIRECTORY_VARIABLE}."
        )
    return folder.resolve()


def is_here() -> bool:
    """Whether there is a checkout where :func:`locate` looks."""
    try:
        locate()
    except SuiteError:
        return False
    return True


def verify(folder: Path, pins: Pins = PINS) -> None:
    """Raise SuiteError unless `folder` is an unmodified checkout at the pinned commits."""
    parts = ((folder, pins.suite), (folder / SPECIFICATION, pins.specification))
    for part, expected in parts:
        found = _commit(part)
        if found != expected:
            raise SuiteError(
                f"{part} is at commit {found}, expected {expected}.\n"
                f"Remedy: `{FETCH}` with {DIRECTORY_VARIABLE} unset, or "
                f"`git -C {part} checkout {expected}`."
            )
        _refuse_modifications(part)


def fetch(folder: Path | None = None, pins: Pins = PINS) -> str:
    """Put the pinned suite into `folder` (default: the cache) and say what was done.

    An unmodified checkout at other commits is replaced; one with changes in it is left alone.
    """
    folder = folder or cache_folder()
    if folder.exists():
        try:
            verify(folder, pins)
        except SuiteError:
            _refuse_modifications(folder)
        else:
            return f"The suite is already in {folder}, at the pinned commits."
    folder.parent.mkdir(parents=True, exist_ok=True)
    # A sibling, so that the finished checkout takes its place in one rename: a network that
    # breaks half-way leaves nothing that looks like a suite.
    with tempfile.TemporaryDirectory(
        prefix=f"{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True
    ) as scratch:
        fresh = Path(scratch) / "fresh"
        _clone(pins.suite_url, pins.suite, fresh)
        _clone(pins.specification_url, pins.specification, fresh / SPECIFICATION)
        verify(fresh, pins)
        if folder.exists():
            folder.rename(Path(scratch) / "replaced")
        fresh.rename(folder)
    return f"Fetched the suite into {folder}."


def _clone(url: str, commit: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "--quiet")
    # The one commit by its name: it need not be on a branch, and the history is of no use here.
    _git(folder, "fetch", "--quiet", "--no-recurse-submodules", "--depth", "1", url, commit)
    _git(folder, "checkout", "--quiet", "--no-recurse-submodules", "--detach", "FETCH_HEAD")


def _commit(folder: Path) -> str:
    return _git(folder, "rev-parse", "HEAD").strip()


def _refuse_modifications(folder: Path) -> None:
    changes = _modifications(folder)
    if changes:
        listed = "\n".join(f"    {change}" for change in changes[:10])
        more = f"\n    and {len(changes) - 10} more" if len(changes) > 10 else ""
        raise SuiteError(
            f"{folder} is modified, expected it as committed. Found:\n{listed}{more}\n"
            f"Remedy: undo these changes, or move {folder} away and run `{FETCH}`."
        )


def _modifications(folder: Path) -> list[str]:
    """List what differs from the commit; ignored files too, for an ignored conftest.py runs."""
    status = _git(
        folder,
        *("status", "--porcelain", "-z", "--no-renames", "--ignored"),
        # The specification is a repository of its own, and is verified as one.
        *("--untracked-files=all", "--ignore-submodules=all"),
    )
    changes = []
    for entry in filter(None, status.split("\0")):
        state, name = entry[:2], entry[3:]
        untracked = state in ("??", "!!")
        inert = name in _INERT or not _CACHES.isdisjoint(name.split("/"))
        if not (untracked and inert):
            changes.append(f"{state} {name}")
    # Files that git was told to assume unchanged are left out of its status.
    for entry in filter(None, _git(folder, "ls-files", "-v", "-z").split("\0")):
        if entry[0].islower() or entry[0] == "S":
            changes.append(f"{entry[0]}  {entry[2:]} (hidden from git status)")
    return changes


def _git(folder: Path, *arguments: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in _GIT_LOCATION}
    # A folder that is no repository must not be answered for by one around it.
    environment["GIT_CEILING_DIRECTORIES"] = str(folder.resolve().parent)
    environment["GIT_TERMINAL_PROMPT"] = "0"
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise SuiteError("git was not found.\nRemedy: install git, and put it on PATH.") from None
    if done.returncode:
        raise SuiteError(
            f"`{' '.join(command)}` failed: {done.stderr.strip() or 'it gave no reason'}\n"
            f"Remedy: see git's message. A folder that is no whole checkout can be moved away, "
            f"then `{FETCH}`; without a network, name a checkout in {DIRECTORY_VARIABLE}."
        )
    return done.stdout
