"""A report as one page: no script, nothing from elsewhere, made to be printed.

Names and cells come from tables and policies that others wrote. Each goes
through `escape`, and long ones and long lists are cut or folded, so that a page
stays a page.
"""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import groupby
from typing import TYPE_CHECKING, assert_never

from maskwise.report import svg
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
from maskwise.report.escape_html import clip, escape
from maskwise.report.html_attributes import attribute
from maskwise.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maskwise.report.content import Block, Section

_TOGETHER = re.compile(
    r"(?<=\d) (?=%)|(?<=\b[klh]) (?== \d)|(?<=[klh] =) (?=\d)|(?<=\b1) (?=in \d)|(?<=\b1 in) (?=\d)"
    r"|(?<=\d,) (?=-?[\d.:T-]{1,26}[\])])"
)
"""Spaces at which no line is broken: `4 %`, `k = 5`, `1 in 8`, `[16, 100]`."""
_LONG_CELL = 160
_SENTENCE = 400
"""A cell with sentences is folded only if it is longer than this."""
_LONG_TEXT = 4_000
_SHORT_TABLE = 16
"""A table of so many rows is not divided between two pages."""
_FEW_BLOCKS = 3
"""Neither are so few blocks under a heading."""


def write_html(title: str, subtitle: str, warning: str | None, sections: Sequence[Section], footer: str) -> str:
    """Write a report as a page.

    Args:
        title: Its title.
        subtitle: What it is about, in a line.
        warning: Who must not read it, if that is to be said.
        sections: What it says.
        footer: Where it comes from.
    """
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    # No script, font, picture or frame from anywhere; the style only if it is this one.
    allowed = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    links = "".join(f'<li><a href="#{escape(one.key)}">{escape(one.title)}</a></li>' for one in sections)
    private = "" if warning is None else f'<p class="private">{escape(warning)}</p>'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{allowed}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header>\n<h1>{escape(title)}</h1>\n<p class="subtitle">{_inline(subtitle)}</p>\n{private}\n'
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n</header>\n<main>\n'
        f"{''.join(map(_section, sections))}</main>\n<footer>{escape(footer)}</footer>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    key = escape(section.key)
    heading = f'<h2 id="{key}">{escape(section.title)}</h2>'
    return f'<section aria-labelledby="{key}">\n{heading}\n{_blocks(section.blocks)}</section>\n'


def _blocks(blocks: Iterable[Block]) -> str:
    """Several blocks; statements that follow each other are one list, lines one group of panels."""
    made = []
    for kind, group in groupby(blocks, key=type):
        parts = "".join(map(_block, group))
        if kind is Statement:
            parts = f'<ul class="statements">{parts}</ul>\n'
        elif kind is LineChart or kind is DotChart:
            parts = f'<div class="panels">{parts}</div>\n'
        made.append(parts)
    return "".join(made)


def _block(block: Block) -> str:  # noqa: PLR0911 - one for each kind
    match block:
        case Paragraph():
            kind = ' class="lead"' if block.is_lead else ""
            return f"<p{kind}>{_inline(block.text)}</p>\n"
        case Bullets():
            return f'<ul class="plain">{"".join(f"<li>{_inline(text)}</li>" for text in block.items)}</ul>\n'
        case Statement():
            kind = block.mark.replace(" ", "-")
            mark = f'<span class="mark {kind}">{escape((block.word or block.mark).capitalize())}</span>'
            return f"<li>{mark}<span>{_inline(block.text)}</span></li>"
        case TextTable():
            return _table(block)
        case BarChart():
            return f"<figure>{svg.bar_chart(block)}</figure>\n"
        case RiskScale():
            key = '<span class="key">\N{BLACK DIAMOND} highest \N{WHITE CIRCLE} average</span>'
            caption = f"<figcaption>{escape(block.title)} {key}</figcaption>"
            return f"<figure>{caption}{svg.risk_scale(block)}</figure>\n"
        case LineChart():
            unit = f", {block.unit}" if block.unit not in {"", "%"} else ""
            return _panel(block.title + unit, svg.line_chart(block))
        case DotChart():
            return _panel(block.title, svg.dot_chart(block))
        case Attributes():
            return "".join(map(attribute, block.items))
        case Fold():
            return f"<details><summary>{escape(block.title)}</summary>{_blocks(block.blocks)}</details>\n"
        case Subsection():
            is_short = len(block.blocks) <= _FEW_BLOCKS and not any(map(_is_long, block.blocks))
            kind = ' class="short"' if is_short else ""
            heading = f"<h3>{escape(clip(block.title, _LONG_CELL))}</h3>"
            return f"<div{kind}>{heading}\n{_blocks(block.blocks)}</div>\n"
        case _:
            assert_never(block)


def _panel(title: str, picture: str) -> str:
    """A picture that stands beside others."""
    return f'<figure class="half"><figcaption>{escape(clip(title, _LONG_CELL))}</figcaption>{picture}</figure>\n'


def _is_long(block: Block) -> bool:
    return isinstance(block, Fold | Subsection) or (isinstance(block, TextTable) and len(block.rows) > _SHORT_TABLE)


def _table(table: TextTable) -> str:
    """A table whose header repeats on every page, and whose rows are not divided."""
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    kinds = [' class="number"' if i in table.numeric else "" for i in range(len(table.header))]
    head = "".join(
        f'<th scope="col"{kind}>{escape(clip(name, _LONG_CELL))}</th>' if name else f"<td{kind}></td>"
        for name, kind in zip(table.header, kinds, strict=True)
    )
    rows = "".join(_row(row, kinds) for row in table.rows)
    short = ' class="short"' if len(table.rows) <= _SHORT_TABLE else ""
    body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    # A table that is wider than a phone can be scrolled, also by keyboard.
    return f'<div class="wide" tabindex="0"><table{short}>{caption}{body}</table></div>\n'


def _row(row: Sequence[str], kinds: Sequence[str]) -> str:
    first, *rest = row
    cells = "".join(f"<td{kind}>{_cell(text)}</td>" for text, kind in zip(rest, kinds[1:], strict=True))
    return f'<tr><th scope="row"{kinds[0]}>{_cell(first)}</th>{cells}</tr>'


def _cell(text: str) -> str:
    """A cell; a very long one can be opened."""
    if len(text) <= (_SENTENCE if " " in text and text.endswith(".") else _LONG_CELL):
        return _inline(text)
    whole = escape(clip(text, _LONG_TEXT))
    return f"<details><summary>{escape(clip(text, _LONG_CELL // 2))}</summary>{whole}</details>"


def _inline(text: str) -> str:
    """A text with names in backticks set apart, and with figures and intervals that stay on one line."""
    named = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(clip(text, _LONG_TEXT)))
    return _TOGETHER.sub("\N{NO-BREAK SPACE}", named)
