"""What it costs to import xtensor: whole processes, from the start of Python to its end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass

from ._cases import Group, Limit, Variant
from ._libraries import Library
from ._measure import Sampler


@dataclass(frozen=True, slots=True)
class Process:
    """A case that is a Python process with one statement, in which ``{module}`` stands for a library's module."""

    name: str
    note: str = ""
    largest: int = 0

    def samplers(
        self, libraries: tuple[Library, ...], variant: Variant | None
    ) -> tuple[dict[str, Sampler], dict[str, str]]:
        """A sampler for each library."""
        return {library.name: process_sampler(self.name.format(module=library.module)) for library in libraries}, {}


def process_sampler(statement: str) -> Sampler:
    """A sampler whose call is a process that executes a statement."""
    command = (sys.executable, "-c", statement)
    # Installed packages are imported from bytecode: a checkout must be, too, or its compilation would be measured.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, env=environment)

    def sample(number: int) -> float:
        start = time.perf_counter()
        for _ in range(number):
            subprocess.run(command, check=True, env=environment)
        return time.perf_counter() - start

    return sample


IMPORT = "import {module}"

GROUP = Group(
    title="whole processes that import a library",
    cases=(Process(IMPORT), Process("pass", note="Python alone: the part that no library can help.")),
    peers=("array_api_strict", "array_api_compat.numpy"),
    limits=(Limit(IMPORT, None, 1.3),),
    rounds=40,
    seconds=60.0,
)
