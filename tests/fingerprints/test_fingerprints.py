"""The recorder: the same solve has the same fingerprint, to the last bit, and another answer has another one."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import hybridmip as hm
from tests.fingerprints.jobs import CONFIGS, fingerprint


@pytest.mark.parametrize("name", CONFIGS)
def test_fingerprints(name: str) -> None:
    """Twice the same, through JSON too; the last bit of the objective, or one binary, is seen."""
    problem = hm.market(assets=40, seed=5).portfolio(assets=6, min_weight=0.02, target_return=0.002).problem()
    first, second = (hm.solve(problem, config=CONFIGS[name](), seed=1) for _ in range(2))
    kept = json.loads(json.dumps(fingerprint(first)))
    assert fingerprint(second) == kept
    assert fingerprint(replace(first, objective=float(np.nextafter(first.objective, 1.0)))) != kept
    assert fingerprint(replace(first, b=~first.b)) != kept
