"""Errors of classifiers that learn from private releases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import maskwise
from maskwise.errors import InputError
from tests.conftest import Run
from tests.private.tables import Exact, policy

N = 400


def people(seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    ages = draw.integers(0, 40, N)
    return pa.table(
        {
            "Age": ages,
            "Edu": draw.choice(["primary", "bachelor"], N),
            "Job": draw.choice(["clerk", "nurse"], N),
            "Zip": draw.integers(0, 1000, N),
            "Risk": np.where(ages < 20, "lo", "hi"),
        }
    )


def test_without_noise_the_boundary_is_found_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.private.run.OpenDPMechanisms", Exact)
    found = maskwise.evaluate(people(0), policy(20, steps=1), test=people(1), classifiers=["c4.5"], runs=2)
    assert [(one.measure, one.error) for one in found.records] == [("BE", 0.0), ("DP", 0.0)]
    assert found.n_tested == N


@pytest.mark.slow
def test_mean_and_spread_are_those_of_the_runs() -> None:
    pytest.importorskip("opendp")
    found = maskwise.evaluate(people(0), policy(1, steps=2), split=0.5, classifiers=["c4.5"], runs=3)
    private = next(one for one in found.records if one.measure == "DP")
    assert private.low is not None
    assert private.error is not None
    assert private.high is not None
    assert private.low <= private.error <= private.high
    assert "mean of 3 runs" in found.notes[-1]


def test_what_does_not_go_with_epsilon_is_refused() -> None:
    for option in ({"k": 5}, {"against": {"arx": "masked.csv"}}, {"protocol": "combined"}, {"measures": "auc"}):
        with pytest.raises(InputError, match="does not go with a policy that asks for an `epsilon`"):
            maskwise.evaluate(people(0), policy(), **option)


def test_the_command_takes_the_number_of_runs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.private.run.OpenDPMechanisms", Exact)
    pyarrow.csv.write_csv(people(0), tmp_path / "people.csv")
    (tmp_path / "policy.yaml").write_text(
        "class: {Risk: [lo, hi]}\n"
        "attributes: {Age: {interval: {range: [0, 40], on: 10}}}\n"
        "requirements: [{epsilon: 20, attributes: [Age], steps: 1}]\n"
    )
    done = run("evaluate", tmp_path / "people.csv", "-p", tmp_path / "policy.yaml", "--runs", 2, "--classifier", "c4.5")
    assert done.code == 0, done.err
    assert "mean of 2 runs" in " ".join(done.err.split())
