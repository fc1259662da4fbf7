"""Cost of ``import xtensor``: duration of whole Python processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass

from ._cases import Group, Limit, Samplers, Variant
from ._libraries import Library
from ._measure import Sampler


@dataclass(frozen=True, slots=True)
class Process:
    """A Python process that executes one statement, in which ``{module}`` is replaced by a library's module."""

    name: str
    note: str = ""
    max_size: int = 0

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return a sampler for each library."""
        return {library.name: process_sampler(self.name.format(module=library.module)) for library in libraries}, {}


def process_sampler(statement: str) -> Sampler:
    """Return a sampler whose call starts a process, executes a statement there, and waits for its end."""
    command = (sys.executable, "-c", statement)
    # A checkout must be imported from bytecode like an installed package, or its compilation would be measured.
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
    title="duration of a process that imports a library",
    cases=(Process(IMPORT), Process("pass", note="Startup of Python alone, the lower bound for every library.")),
    peers=("array_api_strict", "array_api_compat.numpy"),
    limits=(Limit(IMPORT, None, 1.3),),
    rounds=40,
    max_seconds=60.0,
)
