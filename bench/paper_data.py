"""The data sets that the papers measured on, and policies for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.datasets import (
    ADULT_CLASS,
    ADULT_QIDS,
    CRX_CLASS,
    CRX_QIDS,
    GERMAN_CLASS,
    GERMAN_QIDS,
    load_adult,
    load_crx,
    load_german,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa


@dataclass(frozen=True)
class PaperData:
    """One data set."""

    name: str
    load: Callable[..., pa.Table]
    """Reads a part of it: `train`, `test` or `all`."""
    class_name: str
    qids: Mapping[str, tuple[str, ...]]
    """The quasi-identifiers that the papers measured, by name."""


ADULT = PaperData("Adult", load_adult, ADULT_CLASS, ADULT_QIDS)
CRX = PaperData("CRX", load_crx, CRX_CLASS, CRX_QIDS)
GERMAN = PaperData("German", load_german, GERMAN_CLASS, GERMAN_QIDS)


def build_policy(
    class_name: str, requirements: Sequence[Mapping[str, Any]], entries: Mapping[str, Any]
) -> dict[str, Any]:
    """Make a policy with the entries of the attributes that some QID has.

    Args:
        class_name: The class.
        requirements: The requirements, each with a `qid`.
        entries: Entries for attributes; one without an entry gets the default, intervals or suppression.
    """
    masked = {name for requirement in requirements for name in requirement["qid"]}
    attributes = {name: entry for name, entry in entries.items() if name in masked}
    return {"class": class_name, "attributes": attributes, "requirements": list(requirements)}
