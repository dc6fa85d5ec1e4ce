"""Refinement by conditional gain, in plain Python on lists of records, with no thought of speed.

The moves are those of the papers (`tdr`); only the choice differs. The gain of a
refinement is the class entropy that it takes from the groups on all masked
attributes together, and an interval is tried at every border between numbers.
"""

from __future__ import annotations

from typing import Any

from tests.reference.topdown import EQUAL, MISSING, Attribute, Candidate, K, Reference, Templates, entropy


class Conditional(Reference):
    """Chooses by conditional gain.

    Args:
        records: The records.
        attributes: How they are masked, in policy order.
        requirements: What is asked.
        class_name: The column to tell.
        bins: What is known of each record beforehand; nothing if empty.
    """

    def __init__(
        self,
        records: list[dict[str, Any]],
        attributes: list[Attribute],
        requirements: list[K | Templates],
        class_name: str,
        *,
        bins: list[Any] | None = None,
    ) -> None:
        super().__init__(records, attributes, requirements, class_name, "conditional")
        self.bins = bins or [0] * len(records)

    def open_entropy(self, shown: list[dict[str, Any]]) -> float:
        """Bits of the class, per record, that the groups of all masked attributes leave open."""
        groups: dict[Any, list[Any]] = {}
        for i, record in enumerate(shown):
            key = (self.bins[i], *(record[a.name] for a in self.attributes))
            groups.setdefault(key, []).append(self.class_of(i))
        return sum(len(classes) * entropy(classes) for classes in groups.values()) / len(shown)

    def weigh(self, c: Candidate) -> tuple[float, float] | None:
        """Gain and loss, or None if the refinement is not valid."""
        weighed = super().weigh(c)
        if weighed is None:
            return None
        return self.open_entropy(self.shown) - self.open_entropy(self.after(c)), weighed[1]

    def worth(self, c: Candidate, gain: float, loss: float) -> float:
        return c.attribute.weight * gain / (loss + 1)

    def _discretized(self, a: Attribute, showing: dict[Any, list[int]]) -> list[Candidate]:
        """The best valid split of each interval, which depends on the whole state; of equal ones the lowest."""
        found = []
        for place, interval in enumerate(sorted(v for v in showing if v is not MISSING)):
            valid = []
            for c in self._splits(a, place, interval, showing[interval]):
                weighed = self.weigh(c)
                if weighed is not None:
                    valid.append((self.worth(c, *weighed), c))
            if valid:
                most = max(worth for worth, _ in valid)
                found.append(next(c for worth, c in valid if worth > most - EQUAL))
        return found

    def _splits(self, a: Attribute, place: int, interval: tuple[Any, Any, bool], members: list[int]) -> list[Candidate]:
        low, high, closed = interval
        cells = {i: self.records[i][a.name] for i in members}
        numbers = sorted(set(cells.values()) - {MISSING})
        absent = [MISSING] if MISSING in cells.values() else []
        found = []
        for border in numbers[1:]:
            parts = [(low, border, False), (border, high, closed)]
            moved = {i: MISSING if cell is MISSING else parts[cell >= border] for i, cell in cells.items()}
            found.append(Candidate(a, place, interval, parts + absent, moved))
        return found

    def free(self) -> list[Candidate]:
        """Values whose records all fall under one child: replacing them changes no group."""
        found = [c for c in self.candidates() if c.attribute.kind == "taxonomy" and len(set(c.moved.values())) == 1]
        return [c for c in found if self.weigh(c) is not None]

    def options(self) -> list[tuple[float, Candidate, float, float]]:
        """The valid refinements that tell something: worth, candidate, gain and loss, in the order that breaks ties.

        One that is free comes before all others.
        """
        found: list[tuple[float, Candidate, float, float]] = [(0.0, c, 0.0, 0.0) for c in self.free()[:1]]
        if found:
            return found
        for c in self.candidates():
            weighed = self.weigh(c)
            if weighed is not None and weighed[0] > EQUAL:
                found.append((self.worth(c, *weighed), c, *weighed))
        return found

    def run(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = []
        while options := self.options():
            most = max(worth for worth, *_ in options)
            worth, best, gain, loss = next(option for option in options if option[0] > most - EQUAL)
            steps.append(self.take(best, gain, loss, worth))
        return steps

    def show(self, rows: list[dict[str, Any]]) -> None:
        """Go to the state in which the records show these texts."""
        for a in self.attributes:
            for record, row in zip(self.shown, rows, strict=True):
                record[a.name] = interval_of(row[a.name]) if a.kind == "interval" else row[a.name]


def interval_of(text: str | None) -> Any:
    """Read an interval of whole numbers, such as [1, 37)."""
    if text is None:
        return MISSING
    low, high = text[1:-1].split(", ")
    return int(low), int(high), text.endswith("]")
