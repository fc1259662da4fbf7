"""The checkout of the official suite: location, download and verification.

The suite and the specification from which it reads its expectations (its folder `array-api`) are pinned to one commit
each, so that a result always refers to known tests.
"""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

DIRECTORY_VARIABLE = "ARRAY_API_TESTS_DIR"
FETCH = "python -m conformance fetch"
SPECIFICATION = "array-api"

# Folders that tools create in a checkout. They do not change the tests.
_CACHES = frozenset({"__pycache__", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
# Lists that the suite reads by default. They have no effect, because the runner names empty lists instead.
_UNUSED_LISTS = frozenset({"skips.txt", "xfails.txt"})
# Git sets these variables in hooks. With them, git commands would refer to another repository.
_GIT_LOCATION = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"})


@dataclass(frozen=True)
class Pins:
    """The pinned commits of the suite and the specification, with the URLs of their repositories."""

    suite: str
    specification: str
    suite_url: str = "https://github.com/data-apis/array-api-tests"
    specification_url: str = "https://github.com/data-apis/array-api"


PINS = Pins(
    suite="55fcc60179efa2680ddd6cd926ddf17b83530e2b",
    specification="5f847a3858875c682ae901aa22b0413bf24be9da",
)


class SuiteError(Exception):
    """The suite cannot be used, because it is missing, modified or at another commit.

    Attributes
    ----------
    reason
        A description of the problem.
    remedy
        The action that solves it.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}\nRemedy: {remedy}")
        self.reason = reason
        self.remedy = remedy


def cache_folder() -> Path:
    """Return the folder of the checkout in the user's cache."""
    variable, fallback = "XDG_CACHE_HOME", "~/.cache"
    if os.name == "nt":
        variable, fallback = "LOCALAPPDATA", "~/AppData/Local"
    try:
        cache = Path(os.environ.get(variable) or fallback).expanduser()
    except RuntimeError as error:  # a user without a home, as containers have
        raise SuiteError(
            f"The folder for the suite is unknown: {error}", f"set {variable}, or set {DIRECTORY_VARIABLE}."
        ) from error
    return cache / "xtensor" / "array-api-tests"


def locate() -> Path:
    """Return the folder that `ARRAY_API_TESTS_DIR` names, or the folder in the cache if the variable is not set.

    Raises
    ------
    SuiteError
        If the folder does not hold the suite.
    """
    named = os.environ.get(DIRECTORY_VARIABLE)
    folder = Path(named) if named else cache_folder()
    if not (folder / "array_api_tests").is_dir():
        source = f"the folder that {DIRECTORY_VARIABLE} names" if named else "the cache"
        raise SuiteError(
            f"The official suite array-api-tests was not found in {folder} ({source}).",
            f"run `{FETCH}`"
            + (f" with {DIRECTORY_VARIABLE} unset" if named else "")
            + f", or set {DIRECTORY_VARIABLE} to the folder of a checkout.",
        )
    return folder.resolve()


def is_here() -> bool:
    """Return whether :func:`locate` finds the suite."""
    try:
        locate()
    except SuiteError:
        return False
    return True


def verify(folder: Path, pins: Pins = PINS) -> None:
    """Raise SuiteError unless `folder` is an unmodified checkout at the pinned commits that others cannot write to."""
    _refuse_writable_by_everyone(folder)
    repositories = ((folder, pins.suite), (folder / SPECIFICATION, pins.specification))
    for repository, expected in repositories:
        actual = _commit(repository)
        if actual != expected:
            raise SuiteError(
                f"{repository} is at commit {actual}, expected {expected}.",
                f"run `{FETCH}` with {DIRECTORY_VARIABLE} unset, or `git -C {repository} checkout {expected}`.",
            )
        _refuse_modifications(repository)


def fetch(folder: Path | None = None, pins: Pins = PINS) -> str:
    """Download the pinned suite to `folder` (default: the cache) and return a message for the user.

    A checkout at other commits is replaced, unless it is modified.

    Raises
    ------
    SuiteError
        If the download fails, or if `folder` holds a modified checkout.
    """
    folder = folder or cache_folder()
    if folder.exists():
        try:
            verify(folder, pins)
        except SuiteError:
            _refuse_modifications(folder)
        else:
            return f"The suite is already in {folder}, at the pinned commits."
    try:
        _install(folder, pins)
    except OSError as error:  # a read-only or full disk, a file in the place of a folder
        raise SuiteError(
            f"The suite cannot be stored in {folder}: {error}",
            f"make that folder writable, or set {DIRECTORY_VARIABLE} to the folder of a checkout.",
        ) from error
    return f"Fetched the suite into {folder}."


def _install(folder: Path, pins: Pins) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    # A sibling folder, so that one rename installs the finished checkout: after a network failure there is no
    # incomplete checkout.
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


def _clone(url: str, commit: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "--quiet")
    # The pinned commit need not be on a branch, and its history is not needed.
    _git(folder, "fetch", "--quiet", "--no-recurse-submodules", "--depth", "1", url, commit)
    _git(folder, "checkout", "--quiet", "--no-recurse-submodules", "--detach", "FETCH_HEAD")


def _commit(folder: Path) -> str:
    return _git(folder, "rev-parse", "HEAD").strip()


def _refuse_writable_by_everyone(folder: Path) -> None:
    """Raise SuiteError where every user can write compiled tests, which git ignores, into the checkout (POSIX)."""
    for part in (folder, folder / "array_api_tests"):
        if os.name == "posix" and part.is_dir() and part.stat().st_mode & stat.S_IWOTH:
            raise SuiteError(
                f"Every user can write to {part}, and its tests are programs.", f"run `chmod -R o-w {folder}`."
            )


def _refuse_modifications(folder: Path) -> None:
    changes = _modifications(folder)
    if changes:
        listed = "\n".join(f"    {change}" for change in changes[:10])
        more = f"\n    and {len(changes) - 10} more" if len(changes) > 10 else ""
        raise SuiteError(
            f"{folder} is modified, expected the committed files. Changes:\n{listed}{more}",
            f"undo these changes, or move {folder} away and run `{FETCH}`.",
        )


def _modifications(folder: Path) -> list[str]:
    """Return the differences from the commit, including ignored files, because pytest runs an ignored conftest.py."""
    status = _git(
        folder,
        *("status", "--porcelain", "-z", "--no-renames", "--ignored"),
        # The specification is a separate repository with its own verification.
        *("--untracked-files=all", "--ignore-submodules=all"),
    )
    changes = []
    for entry in filter(None, status.split("\0")):
        state, name = entry[:2], entry[3:]
        untracked = state in ("??", "!!")
        harmless = name in _UNUSED_LISTS or not _CACHES.isdisjoint(name.split("/"))
        if not (untracked and harmless):
            changes.append(f"{state} {name}")
    # git status omits the files that are marked as assumed unchanged.
    for entry in filter(None, _git(folder, "ls-files", "-v", "-z").split("\0")):
        if entry[0].islower() or entry[0] == "S":
            changes.append(f"{entry[0]}  {entry[2:]} (hidden from git status)")
    return changes


def _git(folder: Path, *arguments: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in _GIT_LOCATION}
    # Without the ceiling, git would use a repository that encloses a folder that is none.
    environment["GIT_CEILING_DIRECTORIES"] = str(folder.resolve().parent)
    environment["GIT_TERMINAL_PROMPT"] = "0"
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise SuiteError("git was not found.", "install git and add it to PATH.") from None
    if done.returncode:
        raise SuiteError(
            f"`{' '.join(command)}` failed: {done.stderr.strip() or 'git printed no message'}",
            f"run `{FETCH}` with a network, or set {DIRECTORY_VARIABLE} to the folder of a checkout. "
            "Move an incomplete checkout away first.",
        )
    return done.stdout
