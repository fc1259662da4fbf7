"""Random trees of transforms around random functions of three arguments, against mpmath."""

from __future__ import annotations

import pytest
from transform_trees import check

from .tiers import scale

CHUNKS = 8


@pytest.mark.one_device  # the transforms are the same ones on every device
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_trees_of_transforms_give_the_derivative(chunk, device, figures):
    for seed in range(chunk, scale(40, 4000), CHUNKS):
        try:
            check(seed, device)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        figures.record(trees=1)
