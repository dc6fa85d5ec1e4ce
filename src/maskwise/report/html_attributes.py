"""What one attribute shows, as a part of a page: its line of intervals or its tree with the cut, and its values.

Large trees and long lists are folded, and what would be too much is counted, so
that a page of a hundred attributes with thousands of values can still be opened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.report import svg
from maskwise.report.content import TreeRole
from maskwise.report.escape_html import clip, escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maskwise.report.content import AttributeShown, TreeNode

_OPEN = 24
"""So many values of a list are open."""
_MOST = 200
"""So many are listed at all."""
_LARGE_TREE = 60
"""A tree of more values is drawn by its topmost branches."""
_FEW_BELOW = 8
"""So many hidden values stand beside the value that hides them."""
_KINDS = {"taxonomy": "taxonomy", "interval": "intervals", "suppress": "shown or hidden"}


@dataclass(frozen=True, slots=True)
class _Branch:
    """A value with the values below it."""

    node: TreeNode
    below: list[_Branch] = field(default_factory=list)

    def shown(self) -> Iterator[TreeNode]:
        """The shown values at and below it, in tree order."""
        stack = [self]
        while stack:
            branch = stack.pop()
            if branch.node.role is TreeRole.SHOWN:
                yield branch.node
            stack.extend(reversed(branch.below))


def attribute(item: AttributeShown) -> str:
    """One attribute with what it shows."""
    n_shown = plural(len(item.shown), "value" if item.by_region is None else "label")
    about = f"<small>{_KINDS.get(item.kind, escape(item.kind))}, {n_shown} shown</small>"
    parts = [f"<h3><bdi>{escape(clip(item.name))}</bdi> {about}</h3>"]
    if item.line is not None:
        parts.append(f"<figure>{svg.number_line(item.line, item.name)}</figure>")
    if item.by_region is not None:
        parts.append(f"<p>{escape(item.by_region)}</p>")
    in_tree = {node.label for node in item.tree}
    parts.append(_tree(item.tree) if item.tree else "")
    # A tree draws its shown values already; a missing cell is none of them.
    parts.append(_chips([text for text in item.shown if text not in in_tree]))
    if item.hides is not None:
        parts.append(f"<p>{escape(item.hides.replace('`', ''))}</p>")
    if item.hidden:
        texts = _listed(item.hidden)
        parts.append(f'<details><summary>Hidden values</summary><p class="below">{texts}</p></details>')
    is_short = len(item.shown) <= _OPEN and len(item.tree) <= _OPEN
    return f'<div class="attribute{" short" if is_short else ""}">{"".join(parts)}</div>\n'


def _chips(texts: Sequence[str]) -> str:
    """Shown values in a row; of many, the rest is folded, of very many counted."""
    if not texts:
        return ""
    few = f'<ul class="chips">{"".join(map(_chip, texts[:_OPEN]))}</ul>'
    if len(texts) <= _OPEN:
        return few
    rest = texts[_OPEN:]
    more = "" if len(rest) <= _MOST else f"<p>{len(rest) - _MOST:,} more not listed here.</p>"
    listed = f'<ul class="chips">{"".join(map(_chip, rest[:_MOST]))}</ul>{more}'
    return f"{few}<details><summary>{plural(len(rest), 'more shown value')}</summary>{listed}</details>"


def _chip(text: str) -> str:
    return f'<li class="chip"><bdi>{escape(clip(text))}</bdi></li>'


def _listed(texts: Sequence[str]) -> str:
    """Values in a text; of very many, the rest is counted."""
    said = ", ".join(f"<bdi>{escape(clip(text))}</bdi>" for text in texts[:_MOST])
    return said if len(texts) <= _MOST else f"{said} and {len(texts) - _MOST:,} more"


def _tree(nodes: Sequence[TreeNode]) -> str:
    """A tree down to the cut; a large one by its topmost branches, each with its shown values folded."""
    path: list[_Branch] = []
    for node in nodes:
        branch = _Branch(node)
        del path[node.depth :]
        if path:
            path[-1].below.append(branch)
        path.append(branch)
        if len(path) == 1:
            root = branch
    if len(nodes) <= _LARGE_TREE and max(node.depth for node in nodes) <= _OPEN:
        return f'<ul class="tree">{_branch(root)}</ul>'
    return _large(root)


def _branch(branch: _Branch) -> str:
    below = f"<ul>{''.join(map(_branch, branch.below))}</ul>" if branch.below else ""
    return f"<li>{_value(branch.node)}{below}</li>"


def _value(node: TreeNode) -> str:
    """A value: in a frame if it is shown, with what it hides."""
    name = f"<bdi>{escape(clip(node.label))}</bdi>"
    if node.role is TreeRole.ABOVE:
        return f'<span class="above">{name}</span>'
    said = f'<span class="chip">{name}</span>'
    if not node.n_below:
        return said
    if not node.below:
        return f'{said} <span class="count">stands for {plural(node.n_below, "value")}</span>'
    if len(node.below) <= _FEW_BELOW:
        return f'{said} <span class="below">hides {_listed(node.below)}</span>'
    hidden = f'<p class="below">{_listed(node.below)}</p>'
    return f"{said} <details><summary>hides {plural(node.n_below, 'value')}</summary>{hidden}</details>"


def _large(root: _Branch) -> str:
    """The topmost branches with the number of their shown values, which can be opened."""
    if root.node.role is TreeRole.SHOWN and not root.below:
        return f'<ul class="tree"><li>{_value(root.node)}</li></ul>'
    share = max(_MOST // max(len(root.below), 1), 1)
    lines = []
    for branch in root.below[:_MOST]:
        shown = list(branch.shown())
        if branch.node.role is TreeRole.SHOWN and not branch.below:
            lines.append(f"<li>{_value(branch.node)}</li>")
            continue
        more = "" if len(shown) <= share else f"<p>{len(shown) - share:,} more not listed here.</p>"
        chips = "".join(_chip(node.label) for node in shown[:share])
        name = f"<bdi>{escape(clip(branch.node.label))}</bdi>: {plural(len(shown), 'shown value')}"
        lines.append(f'<li><details><summary>{name}</summary><ul class="chips">{chips}</ul>{more}</details></li>')
    if len(root.below) > _OPEN:
        rest = "".join(lines[_OPEN:])
        uncounted = len(root.below) - _MOST
        more = f"<p>{uncounted:,} more not listed here.</p>" if uncounted > 0 else ""
        n_rest = plural(len(root.below) - _OPEN, "more value")
        lines = [*lines[:_OPEN], f"<li><details><summary>{n_rest}</summary><ul>{rest}</ul>{more}</details></li>"]
    return f'<ul class="tree"><li>{_value(root.node)}<ul>{"".join(lines)}</ul></li></ul>'
