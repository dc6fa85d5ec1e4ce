"""Run parts of the campaign, seed by seed, and keep figures that a later run goes on from."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

FOUND = Path("torture-found")
"""Where the folder of a case that failed is kept."""


@dataclass
class Tally:
    """What some cases came to."""

    cases: int = 0
    """Inputs that were tried, or runs."""
    faults: int = 0
    """System calls that failed, processes that were killed, files that were damaged."""
    refused: int = 0
    """Cases that ended with a sentence and an exit code of 1, 2 or 3."""
    crashes: list[str] = field(default_factory=list)
    """Tracebacks, foreign exceptions, exit codes that no command has, processes that died by themselves."""
    violations: list[str] = field(default_factory=list)
    """Releases that break their policy, mixed or partial sets of files, secrets outside their place."""

    def add(self, other: Tally) -> None:
        """Take another tally in."""
        self.cases += other.cases
        self.faults += other.faults
        self.refused += other.refused
        self.crashes += other.crashes
        self.violations += other.violations

    @property
    def problems(self) -> list[str]:
        """Everything that must not be."""
        return [*self.crashes, *self.violations]


class Part(Protocol):
    """A part of the campaign, ready to run."""

    def run(self, seed: int, folder: Path) -> Tally:
        """Try what a seed stands for, in an empty folder."""


Opened = Callable[[], "Iterator[Part]"]


@dataclass
class Figures:
    """What all runs together came to, part by part."""

    path: Path | None
    """Where they are kept; None keeps none."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    next_seed: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | None) -> Figures:
        """Go on from what was kept."""
        if path is None or not path.exists():
            return cls(path)
        said = json.loads(path.read_text(encoding="utf-8"))
        tallies = {name: Tally(**tally) for name, tally in said["tallies"].items()}
        return cls(path, tallies, said["next_seed"], said["seconds"])

    def save(self) -> None:
        """Keep them."""
        if self.path is not None:
            said = {
                "tallies": {name: asdict(tally) for name, tally in self.tallies.items()},
                "next_seed": self.next_seed,
                "seconds": self.seconds,
            }
            self.path.write_text(json.dumps(said, indent=1), encoding="utf-8")

    def table(self) -> str:
        """The figures as a table."""
        lines = ["| part | cases | faults | refused | crashes | violations | seconds |", "| --- " * 7 + "|"]
        for name, tally in self.tallies.items():
            counts = (tally.cases, tally.faults, tally.refused, len(tally.crashes), len(tally.violations))
            shown = " | ".join(f"{n:,}" for n in counts)
            lines.append(f"| {name} | {shown} | {self.seconds.get(name, 0):,.0f} |")
        return "\n".join(lines)


def run_part(
    name: str, part: Part, figures: Figures, *, seconds: float, first: int = 0, most: int | None = None
) -> None:
    """Run seeds of a part until the time is up.

    Args:
        name: What the part is called.
        part: The part.
        figures: Are added to after every seed.
        seconds: How long no seed is begun after.
        first: The first seed, where nothing was kept.
        most: How many seeds at most.
    """
    begun, n_run = time.monotonic(), 0
    tally = figures.tallies.setdefault(name, Tally())
    while time.monotonic() - begun < seconds and (most is None or n_run < most):
        seed = figures.next_seed.get(name, first)
        at = time.monotonic()
        with working_folder(name, seed) as (folder, keep):
            found = part.run(seed, folder)
            if found.problems:
                keep()
        tally.add(found)
        for problem in found.problems:
            print(f"{name}, seed {seed}: {problem}", flush=True)
        figures.next_seed[name] = seed + 1
        figures.seconds[name] = figures.seconds.get(name, 0.0) + time.monotonic() - at
        figures.save()
        n_run += 1


@contextmanager
def working_folder(name: str, seed: int) -> Iterator[tuple[Path, Callable[[], None]]]:
    """A folder for one seed, removed afterwards unless it is to be kept."""
    folder = Path(tempfile.mkdtemp(prefix=f"torture-{name}-{seed}-"))
    kept: list[bool] = []
    try:
        yield folder, lambda: kept.append(True)
    finally:
        if kept:
            FOUND.mkdir(exist_ok=True)
            shutil.rmtree(FOUND / f"{name}-{seed}", ignore_errors=True)
            shutil.copytree(folder, FOUND / f"{name}-{seed}", symlinks=True)
        shutil.rmtree(folder, ignore_errors=True)
