"""Random calls of every operation, and random keys, of batches, beside a loop over the examples."""

from __future__ import annotations

from random import Random

import pytest
from calls import NAMES
from vmap_calls import BatchedAccess, BatchedCall, outcome_of, outcome_of_access

from .tiers import scale

CHUNKS = 8


@pytest.mark.parametrize("name", NAMES)
def test_calls_of_batches_are_those_of_the_examples(name, device):
    for seed in range(scale(2, 200)):
        batched = BatchedCall(Random(f"{name} {seed}"), name)
        if batched.operands:
            assert outcome_of(batched, device) is None, f"seed {seed}: {batched.call}, batches {list(batched.operands)}"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_reads_and_assignments_of_batches_are_those_of_the_examples(chunk, device):
    for seed in range(chunk, scale(240, 40_000), CHUNKS):
        batched = BatchedAccess(Random(seed))
        assert outcome_of_access(batched, device) is None, f"seed {seed}: {batched.access}, {list(batched.operands)}"
