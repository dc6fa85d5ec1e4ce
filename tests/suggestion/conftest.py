"""Drafts are not tried in most of these tests, which ask what is said of columns: a trial takes a second or more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.suggestion.suggestion import Suggestion


@pytest.fixture(autouse=True)
def _untried(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the strictest draft as it is, but where a test is marked `tries`."""

    def strictest(_table: object, drafts: Sequence[Suggestion], _progress: object = None) -> Suggestion:
        return drafts[0]

    if request.node.get_closest_marker("tries") is None:
        monkeypatch.setattr("maskwise.suggestion.suggest.choose_draft", strictest)
