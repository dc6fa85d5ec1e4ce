"""Persons with records in several groups: which searches count them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.policy.requirements.qid import called

if TYPE_CHECKING:
    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.profile.columns import Profile


def refuse_shared_persons(counts: CompressedTables, profile: Profile, what: str, remedy: str) -> None:
    """Refuse tables in which persons differ from record to record, for a search that adds up counts.

    Args:
        counts: What was counted.
        profile: The names of the attributes.
        what: The search.
        remedy: One that counts each person of a group once.
    """
    for table in counts.tables:
        if table.persons is not None:
            qid = called([profile.columns[a].name for a in table.attributes])
            msg = (
                f"Some persons have records with different values on {qid}, and {what} cannot count them once. "
                f"Use {remedy}."
            )
            raise InputError(msg)
