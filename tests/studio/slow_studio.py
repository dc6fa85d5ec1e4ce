"""`maskwise` with a search that takes long: by the criterion `infogain`, which rests after every step.

Small tables are searched in milliseconds, too fast to be stopped, cancelled or killed on the way. The process that has
the table imports the main module too, so it rests as well.
"""

from __future__ import annotations

import time
from typing import Any

from maskwise.cli import run
from maskwise.search.score_search import ScoreSearch

REST = 2.0
"""Seconds after a step."""


class Resting:
    """Passes on how far a search has come, and rests after every step."""

    def __init__(self, progress: Any) -> None:
        self.stage, self._step = progress.stage, progress.step

    def step(self, *step: Any) -> bool:
        goes_on: bool = self._step(*step)
        time.sleep(REST)
        return goes_on


_run = ScoreSearch.run


def run_slowly(search: ScoreSearch, counts: Any, progress: Any) -> Any:
    is_slow = search.problem.options.criterion == "infogain"
    return _run(search, counts, Resting(progress) if is_slow else progress)


if __name__ in {"__main__", "__mp_main__"}:  # not where it is imported to look for tests in it
    ScoreSearch.run = run_slowly  # type: ignore[method-assign]

if __name__ == "__main__":
    run()
