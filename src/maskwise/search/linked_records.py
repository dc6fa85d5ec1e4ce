"""A warning of pseudonyms that put together what requirements judge apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.policy.requirements.qid import called
from maskwise.values.message import Audience, Level, Message

if TYPE_CHECKING:
    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.search.interface import Problem


def linked_records(problem: Problem, counts: CompressedTables) -> tuple[Message, ...]:
    """Warn if a release has pseudonyms and the values of a person differ from record to record.

    Args:
        problem: What is solved.
        counts: What was counted; it says on which QIDs a person has several rows.
    """
    person = problem.policy.person
    if person is None or not person.is_released:
        return ()
    qids = [
        called([problem.profile.columns[a].name for a in table.attributes])
        for table in counts.tables
        if table.persons is not None
    ]
    if not qids:
        return ()
    text = (
        f"Pseudonyms of `{person.column}` let recipients put the records of a person together, and on {qids[0]} they "
        "differ from record to record. Requirements hold for what single records show, not for what those of a person "
        f"show together. Leave the column out with person: {person.column}, or make these values the same."
    )
    return (Message(Level.WARNING, Audience.OWNER, text),)
