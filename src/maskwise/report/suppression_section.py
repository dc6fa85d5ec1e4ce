"""Suppressed records in a report: what the policy allows for everybody, how many and whom it hits for the owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.policy.budget import Suppressed
from maskwise.release.suppressed_share import TIMES
from maskwise.report.content import Paragraph, Section, TextTable

if TYPE_CHECKING:
    from maskwise.outcome import Outcome
    from maskwise.report.content import Block

_BECAME = {
    Suppressed.REMOVED: "are left out of the release",
    Suppressed.ROOT: "show the root of every masked attribute",
}


def suppression_data(outcome: Outcome, *, is_public: bool) -> dict[str, Any]:
    """What was suppressed, as plain values; recipients read what the policy allows and no more.

    Args:
        outcome: The run.
        is_public: Whether recipients read it.
    """
    budget, hit = outcome.policy.suppress, outcome.suppressed
    if budget is None:
        return {}
    said: dict[str, Any] = {
        "allowed": budget.text,
        "unit": outcome.policy.unit.plural,
        "shown_as": str(budget.shown_as),
    }
    if not is_public and hit is not None:
        hard = set(hit.hard_hit)
        said |= {
            "most": hit.most,
            "suppressed": hit.n_counted,
            "records": hit.n_records,
            "share": hit.share,
            "parts": [
                {
                    "column": part.column,
                    "value": part.value,
                    "records": part.n_records,
                    "suppressed": part.n_suppressed,
                    "share": part.share,
                    "is_hit_hard": part in hard,
                }
                for part in hit.parts
            ],
        }
    return {"suppression": said}


def suppression_section(said: dict[str, Any] | None) -> Section | None:
    """What was suppressed, in words.

    Args:
        said: What `suppression_data` says; None where the policy suppresses nothing.
    """
    if said is None:
        return None
    became = _BECAME[Suppressed(said["shown_as"])]
    blocks: list[Block] = [
        Paragraph(
            f"Up to {said['allowed'].replace('%', ' %')} of the {said['unit']} may be suppressed, so that the others "
            f"can be shown in more detail. Suppressed records {became}."
        )
    ]
    if "records" in said:
        records = plural(said["records"], "record")
        blocks.append(Paragraph(f"{records} suppressed, {100 * said['share']:.2f} % of all."))
    if said.get("records") and said["parts"]:
        rows = tuple(
            (
                part["column"],
                "(missing)" if part["value"] is None else part["value"],
                f"{part['records']:,}",
                f"{part['suppressed']:,}",
                f"{100 * part['share']:.2f} %" + (" (!)" if part["is_hit_hard"] else ""),
            )
            for part in said["parts"]
        )
        header = ("column", "value", "records", "suppressed", "share")
        blocks += [
            Paragraph(
                "Whom it hits, by class and by protected value. (!) marks those that lose "
                f"{TIMES} times the share of all, or more."
            ),
            TextTable(header, rows, numeric=(2, 3, 4)),
        ]
    return Section("suppression", "Suppressed records", tuple(blocks))
