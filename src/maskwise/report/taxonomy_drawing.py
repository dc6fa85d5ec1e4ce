"""A taxonomy as a picture; `policy.tree_drawing` says what stands on each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.tree_drawing import count_text
from maskwise.report.escape_html import clip, escape, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.tree_drawing import DrawnValue

_ROW, _STEP, _LETTER = 20, 22, 7.2
"""How high a line of the picture is, how far a level is indented, and how wide a letter is."""
_BAR = 120
"""How long the bar of all records is."""


def taxonomy_svg(lines: Sequence[DrawnValue], title: str) -> str:
    """The drawing as a picture of its own: a line for each value, and a bar for its records."""
    all_records = max((line.n_records or 0 for line in lines), default=0)
    right = max(_STEP * line.depth + _LETTER * min(len(visible(line.text)), 60) for line in lines) + 40
    width, height = right + (_BAR + 110 if lines[0].n_records is not None else 90), _ROW * len(lines) + 16
    parts = []
    for i, line in enumerate(lines):
        x, y = 10 + _STEP * line.depth, 22 + _ROW * i
        if line.parent_at >= 0:
            top = 28 + _ROW * line.parent_at
            parts.append(f'<path class="branch" d="M{x - 14} {top}V{y - 4}H{x - 3}"/>')
        kind = "label" if line.is_label else "soft"
        parts.append(f'<text class="{kind}" x="{x}" y="{y}">{escape(clip(line.text))}</text>')
        if line.n_records is not None and all_records:
            bar = _BAR * line.n_records / all_records
            parts.append(f'<rect class="bar" x="{right:.0f}" y="{y - 10}" width="{bar:.1f}" height="11"/>')
        at = right + (_BAR + 8 if line.n_records is not None else 0)
        parts.append(f'<text class="soft" x="{at:.0f}" y="{y}">{escape(count_text(line))}</text>')
    said = f"A tree of {plural(sum(line.is_label for line in lines), 'value')}, from the root down."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" role="img">\n<title>{escape(title)}</title><desc>{said}</desc>\n'
        "<style>text{font:13px sans-serif;fill:#1a1a1a}.soft{fill:#595959}.branch{fill:none;stroke:#8c8c8c}"
        ".bar{fill:#3b6ea5}@media(prefers-color-scheme:dark){text{fill:#eee}.soft{fill:#aaa}}</style>\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )
