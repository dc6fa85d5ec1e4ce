"""Who is told how far a run has come, and how a run is asked to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from maskwise.solution.steps import Generalization, Step


class Observer(Protocol):
    """Is told how far a run has come."""

    def stage(self, name: str) -> None:
        """A stage begins: read, profile, compress, search, mask, verify.

        Where several searches are made, each is a stage: `search 3 of 9`.
        """

    def step(self, step: Step | Generalization) -> None:
        """A refinement or generalization was performed, in the search that was announced last."""


class Silent:
    """Is told and says nothing."""

    def stage(self, name: str) -> None:
        """Say nothing."""

    def step(self, step: Step | Generalization) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Passes the progress of a search on to the observer, and a request to stop back to the search."""

    observer: Observer
    is_asked_to_stop: Callable[[], bool]

    def stage(self, name: str) -> None:
        """A stage begins."""
        self.observer.stage(name)

    def step(self, step: Step | Generalization) -> bool:
        """A step was taken; False asks the search to stop."""
        self.observer.step(step)
        return not self.is_asked_to_stop()
