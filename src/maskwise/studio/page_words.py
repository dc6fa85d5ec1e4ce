"""What is said to somebody who sees a page, and neither a policy file nor a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.values.file_words import without_file_words

if TYPE_CHECKING:
    from maskwise.session.remarks import Remark


def remark_data(remark: Remark) -> dict[str, Any]:
    """A remark as the page reads it: its place, what is wrong, and what to do, without the words of a file."""
    return {
        "level": "mistake" if remark.level is None else str(remark.level),
        "place": list(remark.place),
        "text": without_file_words(remark.text),
        "remedy": without_file_words(remark.remedy),
        "is_infeasible": remark.is_infeasible,
    }
