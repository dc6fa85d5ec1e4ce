"""Released columns that tell what a masked one hides, as an attack; `release.leaks` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.attacks.attack import Attack, AttackResult
from maskwise.errors import quote
from maskwise.release.leaks import WARNED_FROM
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.policy import Policy
    from maskwise.release.leaks import Leak

KNOWS = "the release, and how columns of such tables hang together"


def told(leaks: Sequence[Leak] | None, policy: Policy) -> Attack:
    """Say whether a released column tells a masked attribute that the policy does not count together with it.

    Args:
        leaks: What was found, the largest share first; None if the columns could not be looked at.
        policy: What was asked. It releases the class and sensitive columns by name, and groups on columns of one
            quasi-identifier were counted together: what these tell is what such a table is for.
    """
    if leaks is None:
        text = "The released columns could not be compared; a warning says why."
        return Attack("told", KNOWS, AttackResult.NOT_RUN, text, Audience.OWNER)
    if not leaks:
        text = f"No released column tells a masked one in {WARNED_FROM:.0%} of the records or more.".replace("%", " %")
        return Attack("told", KNOWS, AttackResult.PASSED, text, Audience.OWNER, 0.0, WARNED_FROM)
    together = [frozenset(part.qid) for one in policy.requirements for part in one.parts if part.min_group > 1]
    named = {policy.class_name, *policy.sensitive}
    open_ones = [
        leak
        for leak in leaks
        if leak.column not in named and not any({leak.column, leak.attribute} <= qid for qid in together)
    ]
    found = open_ones or leaks
    first = found[0]
    share = f"{first.share:.0%}".replace("%", " %")
    columns = list(dict.fromkeys(leak.column for leak in found))
    tell = "tells" if len(columns) == 1 else "tell"
    text = (
        f"{quote(columns)} {tell} masked attributes; `{first.column}` tells `{first.attribute}` in {share} of the "
        "records."
    )
    if not open_ones:
        text += " The policy releases them by name, as class or sensitive, or counts the groups on both together."
    listed = [
        {"column": leak.column, "attribute": leak.attribute, "how": str(leak.kind), "share": leak.share}
        for leak in found
    ]
    result = AttackResult.FAILED if open_ones else AttackResult.MEASURED
    bound = WARNED_FROM if open_ones else None
    return Attack("told", KNOWS, result, text, Audience.OWNER, first.share, bound, {"leaks": listed})
