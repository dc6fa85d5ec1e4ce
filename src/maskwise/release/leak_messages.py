"""What is said of released columns that tell a masked one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import LeakError, quote
from maskwise.release.leaks import LeakKind
from maskwise.values.message import Audience, Level, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maskwise.release.leaks import Leak
    from maskwise.table.random_part import RandomPart


def leak_messages(leaks: Iterable[Leak], part: RandomPart) -> tuple[Message, ...]:
    """Warn the owner of each column that tells masked attributes.

    Args:
        leaks: What was found.
        part: The records it was found on.
    """
    by_column: dict[str, list[Leak]] = {}
    for leak in leaks:
        by_column.setdefault(leak.column, []).append(leak)
    drawn = "" if part.share == 1 else f" This is an estimate from some {round(part.n_all * part.share):,} records."
    return tuple(
        Message(Level.WARNING, Audience.OWNER, f"{_describe(column, found)}{drawn}")
        for column, found in by_column.items()
    )


def refuse_leaks(messages: Sequence[Message]) -> None:
    """Refuse to release a table with columns that tell masked ones.

    Args:
        messages: The warnings of them.
    """
    if messages:
        raise LeakError("\n".join([*(message.text for message in messages), "Nothing was released (strict leaks)."]))


def _describe(column: str, leaks: Sequence[Leak]) -> str:
    of_kind = {kind: [leak for leak in leaks if leak.kind is kind] for kind in LeakKind}
    said = []
    if repeated := of_kind[LeakKind.REPEATS]:
        said.append(f"repeats {_names(repeated)} cell by cell")
    if determined := of_kind[LeakKind.DETERMINES]:
        it = "it" if len(determined) == 1 else "each of them"
        said.append(f"determines {_names(determined)}: each of its values occurs with one value of {it}")
    if told := of_kind[LeakKind.TELLS]:
        said.append(f"tells the hidden value of {_shares(told)}")
    if narrowed := of_kind[LeakKind.NARROWS]:
        said.append(f"follows from {_names(narrowed)}, in more detail than the label of {_shares(narrowed)}")
    remedy = (
        "Mask it more coarsely, or drop it."
        if leaks[0].is_masked
        else "Drop it, or put it into a quasi-identifier with them."
        if len(leaks) > 1
        else f"Drop it, or put it into a quasi-identifier with `{leaks[0].attribute}`."
    )
    return f"`{column}` is released and {'; it '.join(said)}. {remedy}"


def _names(leaks: Iterable[Leak]) -> str:
    return quote(leak.attribute for leak in leaks)


def _shares(leaks: Iterable[Leak]) -> str:
    return ", ".join(f"`{leak.attribute}` in {leak.share:.0%} of all records".replace("%", " %") for leak in leaks)
