"""What a report is made of: sections of plain values, which each writer renders in its own way.

`sections` fills them from a run; `markdown` and `html` write them out. A writer
decides how a block looks, never what it says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Mark(StrEnum):
    """How a statement ended, as the word that readers see beside it."""

    HELD = "held"
    """It was asked and holds, or an attack was withstood."""
    NOT_HELD = "not held"
    """It was asked and does not hold, or an attack succeeded."""
    NOT_RUN = "not run"
    """Nothing was found out."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    text: str
    """Full sentences."""
    is_lead: bool = False
    """Whether it is set larger, because a hurried reader reads only this."""


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of texts."""

    items: tuple[str, ...]
    """One for each line."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that holds or does not."""

    mark: Mark
    """Whether it does."""
    text: str
    """The sentence."""
    word: str = ""
    """What is said instead of the mark's own word."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows of cells under a header; the first cell of a row says what the row is about."""

    header: tuple[str, ...]
    """The names of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """As many cells each."""
    caption: str = ""
    """What the table shows, where the section does not say it already."""
    numeric: tuple[int, ...] = ()
    """The columns of figures, which are aligned to the right."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart."""

    label: str
    """What it stands for."""
    share: float
    """Its length, from 0 to 1."""
    text: str
    """Its figure, in words."""


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars beneath each other."""

    title: str
    """What is compared."""
    bars: tuple[Bar, ...]
    """From the first to the last."""
    header: tuple[str, str]
    """What labels and figures are, for a table instead of the picture."""


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """The chances to be found by one set of columns."""

    label: str
    """What is known."""
    average: float
    """The mean chance of a record."""
    highest: float
    """The largest chance."""


@dataclass(frozen=True, slots=True)
class RiskScale:
    """Chances on a scale whose stretches have names."""

    title: str
    """What is compared."""
    rows: tuple[ScaleRow, ...]
    """One for each set of columns."""
    bands: tuple[tuple[float, str], ...]
    """The largest chance of each stretch, ascending, and its name; the last ends at 1."""


@dataclass(frozen=True, slots=True)
class LineChart:
    """One figure over the steps of a search."""

    title: str
    """What the figure is."""
    points: tuple[tuple[int, float], ...]
    """The step and the figure after it; at least one."""
    unit: str
    """What the figure is counted in; `%` for shares of one hundred."""
    asked: float | None = None
    """What the policy asks of it."""
    is_log: bool = False
    """Whether its axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class ErrorBar:
    """One error with its interval, in percent."""

    label: str
    """What the classifier was trained on."""
    error: float
    """The error."""
    low: float
    """The lower end of its interval."""
    high: float
    """The upper end."""


@dataclass(frozen=True, slots=True)
class DotChart:
    """Errors with their intervals, beneath each other on one axis."""

    title: str
    """What is compared."""
    rows: tuple[ErrorBar, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class NumberLine:
    """A range of numbers or dates with its breaks."""

    ticks: tuple[tuple[float, str], ...]
    """The place of each break, from 0 to 1, and what is written there; nothing where an end is not shown."""


class TreeRole(StrEnum):
    """Where a value of a taxonomy stands, seen from the cut."""

    ABOVE = "above"
    """Above the shown values."""
    SHOWN = "shown"
    """In the release."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One value of a taxonomy, down to the cut."""

    label: str
    """The value."""
    depth: int
    """How far below the root it stands."""
    role: TreeRole
    """Whether it is shown."""
    n_below: int = 0
    """How many values of the data a shown value stands for, where that is more than itself."""
    below: tuple[str, ...] = ()
    """Those values, for the owner."""


@dataclass(frozen=True, slots=True)
class AttributeShown:
    """What one attribute shows."""

    name: str
    """The attribute."""
    kind: str
    """How it is masked."""
    shown: tuple[str, ...]
    """The values that a released cell may have."""
    line: NumberLine | None = None
    """Where its intervals lie."""
    tree: tuple[TreeNode, ...] = ()
    """Its taxonomy in preorder, down to the cut."""
    hides: str | None = None
    """What `*` stands for, in a sentence."""
    hidden: tuple[str, ...] = ()
    """The values behind it, for the owner."""
    by_region: str | None = None
    """Where regions have labels of their own, which most records show, in a sentence."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """What each attribute shows."""

    items: tuple[AttributeShown, ...]
    """In policy order, then columns that are shown at one depth."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader opens; on paper they are open."""

    title: str
    """What is inside."""
    blocks: tuple[Block, ...]
    """What is inside."""


@dataclass(frozen=True, slots=True)
class Subsection:
    """Blocks under a heading of their own."""

    title: str
    """The heading."""
    blocks: tuple[Block, ...]
    """What stands below it."""


Block: TypeAlias = (
    "Paragraph | Bullets | Statement | TextTable | BarChart | RiskScale | LineChart | DotChart | Attributes | Fold "
    "| Subsection"
)
"""What a section is made of."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report with a heading."""

    key: str
    """A short name, for links."""
    title: str
    """The heading."""
    blocks: tuple[Block, ...]
    """What it says."""
