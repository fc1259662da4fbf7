"""Wheels for a machine without a network: downloaded and built here, installed into a folder there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from conformance import suite

from ._steps import ROOT

__all__ = ["DISTRIBUTIONS", "install", "make", "missing", "suite_variables"]

DISTRIBUTIONS = (
    *("pytest", "pluggy", "iniconfig", "packaging", "pygments", "pytest-xdist", "execnet"),
    *("pytest-json-report", "pytest-metadata", "hypothesis", "sortedcontainers", "ndindex", "mpmath"),
    *("array-api-strict", "array-api-compat", "pyperf", "ml_dtypes"),
)
"""Distributions that the steps import, besides NumPy, CuPy and Triton, which are the machine's own.

``hypothesis``, ``ndindex`` and ``ml_dtypes`` contain compiled code: their wheels are for one version of Python.
"""

PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "any")

WHEELS, SUITE = "wheels", "array-api-tests"


def make(folder: Path, *, python: str, platforms: Sequence[str] | None, also: Sequence[str]) -> int:
    """Fill a folder with wheels, xtensor's own among them, and the official suite. Return an exit code."""
    wheels = folder / WHEELS
    wheels.mkdir(parents=True, exist_ok=True)
    tags = [argument for tag in platforms or PLATFORMS for argument in ("--platform", tag)]
    download = ["download", "--no-deps", "--only-binary=:all:", "--python-version", python, *tags]
    for arguments in (
        [*download, "--dest", str(wheels), *DISTRIBUTIONS, *also],
        # The wheel has the entry points by which xtensor finds its backends; the code comes from the checkout.
        ["wheel", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)],
    ):
        done = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments])
        if done.returncode:
            return done.returncode
    try:
        source = suite.locate()
        suite.verify(source)
    except suite.SuiteError as error:
        print(f"{error}\nThe bundle has no official suite.", file=sys.stderr)
        return 1
    shutil.copytree(source, folder / SUITE, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder} has {len(list(wheels.glob('*.whl')))} wheels and the official suite, {size / 2**20:.0f} MiB.")
    return 0


def missing(bundle: Path) -> list[Path]:
    """Return the wheels whose distribution this machine lacks, or has in an older version; xtensor's always."""
    return [wheel for wheel in sorted((bundle / WHEELS).glob("*.whl")) if _is_missing(*wheel.name.split("-")[:2])]


def _is_missing(name: str, version: str) -> bool:
    if name == "xtensor":
        return True
    try:
        return _numbers(metadata.version(name)) < _numbers(version)
    except metadata.PackageNotFoundError:
        return True


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.match(r"[\d.]*", version)[0].split(".") if number]  # type: ignore[index]


def install(bundle: Path, site: Path) -> Path:
    """Unpack the wheels that this machine needs into a folder for ``PYTHONPATH``, and return the folder."""
    if site.exists():
        shutil.rmtree(site)
    site.mkdir(parents=True)
    for wheel in missing(bundle):
        # A wheel is a zip archive; without scripts, unpacking it is all that its installation does.
        shutil.unpack_archive(wheel, site, "zip")
    return site


def suite_variables(bundle: Path) -> dict[str, str]:
    """Return the environment variables by which the runner of the official suite finds the bundle's copy."""
    folder = bundle.resolve() / SUITE
    if not folder.is_dir():
        return {}
    return {
        suite.DIRECTORY_VARIABLE: str(folder),
        # The files of a carried copy may belong to another user, which git refuses without this.
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
