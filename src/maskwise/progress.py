"""Who is told how far a run has come, and how a run is asked to stop."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import UnfinishedError
from maskwise.values.kernel import on_compiling
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from maskwise.solution.curve import Point, RecordedCurve
    from maskwise.solution.steps import Generalization, Step

SILENCE = 1.0
"""After so many seconds without another event a run says that it is still working."""
_PAUSE = 0.25
"""So many seconds pass before it is looked again whether a run is silent, or is to stop."""
_TOO_EARLY = "The run was stopped before its search began, so there is nothing to release."
_BEFORE_SEARCH = {Stage.READ, Stage.PROFILE, Stage.COMPRESS, Stage.LEARN}
"""Before a search begins there is nothing that could be kept."""


@dataclass(frozen=True, slots=True)
class StageBegun:
    """A stage begins.

    >>> str(StageBegun(Stage.SEARCH, 3, 9)), str(StageBegun(Stage.READ))
    ('search 3 of 9', 'read')
    """

    stage: Stage
    """Which one."""
    number: int = 1
    """Where there are several of the kind, which of them, from 1."""
    n: int = 1
    """How many of the kind there are."""

    def __str__(self) -> str:
        """What the terminal calls it."""
        return f"{self.stage} {self.number} of {self.n}" if self.n > 1 else str(self.stage)


@dataclass(frozen=True, slots=True)
class StepTaken:
    """A refinement or generalization was performed, in the search that began last."""

    step: Step | Generalization
    """What changed."""
    point: Point
    """What is reached and kept after it."""


@dataclass(frozen=True, slots=True)
class StillWorking:
    """Nothing else happened for a while."""

    within: StageBegun
    """The stage that began last."""
    seconds: float
    """How long ago it began."""


@dataclass(frozen=True, slots=True)
class Compiling:
    """Code is compiled, which takes seconds; only the first run of an installation does so."""

    within: StageBegun
    """The stage that began last."""


Event = StageBegun | StepTaken | StillWorking | Compiling
"""What a run tells of itself."""


class RunProgress:
    """Tells a listener how far a run has come, and the run whether it is to stop."""

    def __init__(
        self,
        on_event: Callable[[Event], None] | None = None,
        is_asked_to_stop: Callable[[], bool] = lambda: False,
        *,
        gives_up: bool = False,
    ) -> None:
        """Begin before the first stage.

        Args:
            on_event: Is called with every event, by one thread at a time; None hears nothing.
            is_asked_to_stop: Asked after every step.
            gives_up: Asked to stop before the search begins, the run ends; otherwise it goes on to the most masked
                table, with which every search begins.
        """
        self._on_event, self._is_asked_to_stop, self._gives_up = on_event, is_asked_to_stop, gives_up
        self._lock = threading.Lock()
        self._is_interrupted = False
        self._stage = StageBegun(Stage.READ)
        self._begun = self._last = time.monotonic()

    def stage(self, stage: Stage, number: int = 1, n: int = 1) -> None:
        """A stage begins; where there are several of the kind, one of them."""
        if self._gives_up and stage in _BEFORE_SEARCH and self._is_asked_to_stop():
            raise UnfinishedError(_TOO_EARLY)
        self._stage, self._begun = StageBegun(stage, number, n), time.monotonic()
        self._tell(self._stage)

    def step(self, step: Step | Generalization, curve: RecordedCurve) -> bool:
        """A step was taken; False asks the search to stop."""
        if self._on_event is not None:
            self._tell(StepTaken(step, curve.last))
        return not self._is_asked_to_stop()

    def compiling(self) -> None:
        """Code is compiled."""
        self._tell(Compiling(self._stage))

    @contextmanager
    def stopped_by(self, is_asked_to_stop: Callable[[], bool]) -> Iterator[None]:
        """Meanwhile the run may be asked to stop in one more way."""
        others = self._is_asked_to_stop
        self._is_asked_to_stop = lambda: others() or is_asked_to_stop()
        try:
            yield
        finally:
            self._is_asked_to_stop = others

    @contextmanager
    def ticking(self, interrupt: Callable[[], None] | None = None) -> Iterator[None]:
        """Say meanwhile that the run is still working, whenever nothing else is said for a second.

        Args:
            interrupt: Ends the query that an engine is busy with. It is called by another thread if the run is asked to
                stop before its search begins, and the run then ends.

        Raises:
            UnfinishedError: A query was interrupted.
        """
        if self._on_event is None and not self._gives_up:
            yield
            return
        is_over = threading.Event()
        ticker = threading.Thread(target=self._tick, args=(is_over, interrupt), daemon=True)
        ticker.start()
        try:
            with on_compiling(self.compiling):
                yield
        except Exception:
            if self._is_interrupted:
                # Whatever the engine says of the query that it did not finish.
                raise UnfinishedError(_TOO_EARLY) from None
            raise
        finally:
            is_over.set()
            ticker.join()

    def _tick(self, is_over: threading.Event, interrupt: Callable[[], None] | None) -> None:
        while not is_over.wait(min(_PAUSE, SILENCE / 4)):
            if time.monotonic() - self._last >= SILENCE:
                self._tell(StillWorking(self._stage, time.monotonic() - self._begun))
            is_early = self._gives_up and self._stage.stage in _BEFORE_SEARCH
            if interrupt is not None and is_early and self._is_asked_to_stop():
                self._is_interrupted = True
                interrupt()

    def _tell(self, event: Event) -> None:
        if self._on_event is None:
            return
        with self._lock:
            self._on_event(event)
            self._last = time.monotonic()
