"""A report as plain text with Markdown's marks; pictures become tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from maskwise.report.content import (
    Attributes,
    BarChart,
    Bullets,
    DotChart,
    Fold,
    LineChart,
    Paragraph,
    RiskScale,
    Statement,
    Subsection,
    TextTable,
)
from maskwise.report.wording import chance, listed, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maskwise.report.content import Block, Section

_MOST_POINTS = 12
"""So many points of a line are listed, the last among them."""
_BAR = "\\|"
_MOST_VALUES = 40
"""So many hidden values are listed."""


def write_markdown(title: str, warning: str | None, sections: Iterable[Section]) -> str:
    """Write a report.

    Args:
        title: Its title.
        warning: Who must not read it, if that is to be said.
        sections: What it says.
    """
    lines = [f"# {title}", *([] if warning is None else ["", warning])]
    for section in sections:
        lines += ["", f"## {section.title}", *_blocks(section.blocks, 3)]
    return "\n".join(lines) + "\n"


def _blocks(blocks: Sequence[Block], level: int) -> list[str]:
    """Several blocks, each after an empty line but for statements, which are one list."""
    lines: list[str] = []
    for before, block in zip([None, *blocks], blocks, strict=False):
        is_listed = isinstance(block, Statement) and isinstance(before, Statement)
        lines += [*([] if is_listed else [""]), *_block(block, level)]
    return lines


def _block(block: Block, level: int) -> list[str]:  # noqa: PLR0911 - one for each kind
    match block:
        case Paragraph():
            return [_plain(block.text)]
        case Bullets():
            return [f"- {_plain(text)}" for text in block.items]
        case Statement():
            return [f"- **{block.word or block.mark}**: {_plain(block.text)}"]
        case TextTable():
            return [*([f"{block.caption}:", ""] if block.caption else []), *_table(block.header, block.rows)]
        case BarChart():
            return _table(block.header, [(bar.label, bar.text) for bar in block.bars])
        case RiskScale():
            rows = [
                (row.label, *(f"{chance(p)} ({percent(p)})" for p in (row.highest, row.average))) for row in block.rows
            ]
            return [f"{block.title}:", "", *_table(("what is known", "highest", "average"), rows)]
        case LineChart():
            asked = "" if block.asked is None else f"; {block.asked:g} was asked"
            points = [(f"{step:,}", f"{figure:,.4g}") for step, figure in _few(block.points)]
            return [f"{block.title}{asked}:", "", *_table(("step", block.unit or "figure"), points)]
        case DotChart():
            rows = [(row.label, f"{row.error:.2f}", f"{row.low:.2f} to {row.high:.2f}") for row in block.rows]
            return [f"{block.title}:", "", *_table(("trained on", "error, %", "95 % interval"), rows)]
        case Attributes():
            shown = [(item.name, item.kind, item.by_region or ", ".join(item.shown)) for item in block.items]
            return [*_table(("attribute", "masked by", "shown as"), shown), *_hidden(block)]
        case Fold():
            return [f"{block.title}:", *_blocks(block.blocks, level)]
        case Subsection():
            return [f"{'#' * level} {_plain(block.title)}", *_blocks(block.blocks, level + 1)]
        case _:
            assert_never(block)


def _hidden(block: Attributes) -> list[str]:
    """What shown values stand for, as far as readers may know it."""
    said = []
    for item in block.items:
        if item.hides is not None:
            values = f" {_some(item.hidden)}." if item.hidden else ""
            said.append(_plain(f"- {item.name}: {item.hides}{values}"))
        said += [
            _plain(f"- {item.name}: `{node.label}` hides {_some(node.below)}.") for node in item.tree if node.below
        ]
    return ["", *said] if said else []


def _some(values: Sequence[str]) -> str:
    """Values in a text; of many, the rest is counted."""
    return listed(values, _MOST_VALUES, "value")


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; what would end a cell or a line is escaped."""
    ruler = "| --- " * len(header) + "|"
    return [_row(header), ruler, *(_row(row) for row in rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_plain(cell).replace('|', _BAR) for cell in cells)} |"


def _plain(text: str) -> str:
    """A text on one line that no reader of Markdown takes for an element of a page, a picture or a link."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", " ".join(text.splitlines())).replace("](", "]&#40;")


def _few(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Some points of a line, evenly over its length, the first and the last among them."""
    if len(points) <= _MOST_POINTS:
        return list(points)
    last = len(points) - 1
    return [points[round(i * last / (_MOST_POINTS - 1))] for i in range(_MOST_POINTS)]
