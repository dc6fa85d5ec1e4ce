"""Singling out, linkability and inference, each with the figures that speak to it.

Opinion 05/2014 of the Article 29 Working Party (WP216) asks three questions of
an anonymized table: can a person be singled out, can records of a person be
linked, can something be inferred about a person. The figures here stand
elsewhere in a certificate too; this puts each beside its question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def criteria(
    requirements: Sequence[Mapping[str, Any]], pseudonyms: Sequence[str], risk: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The three questions with their figures.

    Args:
        requirements: What was asked and reached, as a certificate has it.
        pseudonyms: The columns by which the records of a person can be put together.
        risk: What is known of the risk, as plain values.
    """
    singling_out: dict[str, Any] = {
        "smallest_groups": [
            {"qid": _qid_of(one["asked"]), "smallest": one["group_sizes"]["smallest"]}
            for one in requirements
            if "group_sizes" in one
        ]
    }
    linkability: dict[str, Any] = {"pseudonyms": list(pseudonyms)}
    inference: dict[str, Any] = {
        "protected": [
            {key: value for key, value in one["asked"].items() if key not in {"k", "withheld"}}
            | ({"reached": one["reached"]} if "reached" in one and "lkc" not in one["asked"] else {})
            for one in requirements
            if "sensitive" in one["asked"]
        ]
    }
    if risk is not None:
        singling_out["highest_risks"] = [
            {"columns": one["columns"], "highest": one["highest"], "unique": one["unique"]} for one in risk["qids"]
        ]
        singling_out["unique_over_all_columns"] = risk["everything"]["unique"]
        linkability["with_one_more_column"] = list(risk["one_more"])
        inference["guesses"] = [
            {key: one[key] for key in ("qid", "column", "guess_rate", "base_rate", "largest_share")}
            for one in risk["disclosures"]
        ]
    return {"singling_out": singling_out, "linkability": linkability, "inference": inference}


def _qid_of(asked: Mapping[str, Any]) -> list[str]:
    """The attributes of a requirement, as its entry names them."""
    return list(asked["lkc"]["attributes"] if "lkc" in asked else asked["qid"])
