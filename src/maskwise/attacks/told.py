"""Released columns that tell what a masked one hides, as an attack; `release.leaks` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.attacks.attack import Attack, AttackResult
from maskwise.errors import quote
from maskwise.release.leaks import WARNED_FROM
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.release.leaks import Leak

KNOWS = "the release, and how columns of such tables hang together"


def told(leaks: Sequence[Leak] | None) -> Attack:
    """Say whether a released column tells a masked attribute.

    Args:
        leaks: What was found, the largest share first; None if the columns could not be looked at.
    """
    if leaks is None:
        text = "The released columns could not be compared; a warning says why."
        return Attack("told", KNOWS, AttackResult.NOT_RUN, text, Audience.OWNER)
    if not leaks:
        text = f"No released column tells a masked one in {WARNED_FROM:.0%} of the records or more.".replace("%", " %")
        return Attack("told", KNOWS, AttackResult.PASSED, text, Audience.OWNER, 0.0, WARNED_FROM)
    first = leaks[0]
    share = f"{first.share:.0%}".replace("%", " %")
    columns = quote(dict.fromkeys(leak.column for leak in leaks))
    text = f"{columns} tell masked attributes; `{first.column}` tells `{first.attribute}` in {share} of the records."
    listed = [
        {"column": leak.column, "attribute": leak.attribute, "how": str(leak.kind), "share": leak.share}
        for leak in leaks
    ]
    return Attack("told", KNOWS, AttackResult.FAILED, text, Audience.OWNER, first.share, WARNED_FROM, {"leaks": listed})
