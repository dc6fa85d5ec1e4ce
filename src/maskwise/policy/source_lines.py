"""Where each part of a policy stands in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

Place: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data, and where each part of it stands."""

    data: object
    """Nested dicts, lists, texts and None."""
    name: str
    """The file's name, as messages show it."""
    lines: dict[Place, int]
    """For the path of each key and item, its line."""
    path: Path | None = None
    """The file itself; None where the data come from elsewhere."""

    def locate(self, place: Place) -> str:
        """Name the file and line of a path, or of the nearest path above it."""
        for end in range(len(place), -1, -1):
            if place[:end] in self.lines:
                return f"{self.name}, line {self.lines[place[:end]]}"
        return self.name
