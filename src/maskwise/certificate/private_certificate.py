"""The certificate of a private release: hashes and the rows for recipients to check, epsilon as the owner's word.

Nobody can see in a table how it was made, so that the mechanism was run is
claimed. All of the policy is public: everything in it was declared.
"""

from __future__ import annotations

import datetime as dt
import platform
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.certificate.checks import Check, CheckMark, differences
from maskwise.certificate.digests import release_digests, text_digest
from maskwise.formats import certificate_file
from maskwise.formats.certificate_file import Certificate
from maskwise.formats.policy_file import to_data
from maskwise.release.escape import original_name
from maskwise.release.publish import open_release
from maskwise.report.private_report import MECHANISM, NOT_COVERED, neighbours
from maskwise.table.endpoints import closing
from maskwise.values.location import Folder

if TYPE_CHECKING:
    from maskwise.private.outcome import PrivateOutcome

_NO_INPUT = "A private release says nothing of its input, not even a keyed hash."


def make_private_certificate(
    outcome: PrivateOutcome, written: Path, key: bytes, statement: str | None = None
) -> Certificate:
    """Certify a private release.

    Args:
        outcome: The run.
        written: The file or folder of the release.
        key: The owner's key, for the hash of the policy.
        statement: What the owner states.
    """
    public = to_data(outcome.policy)
    name = written.name if isinstance(outcome.data, Folder) else Path(outcome.data).name
    asked = outcome.asked
    claimed = {
        "time": dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "made_by": {
            "maskwise": version("maskwise"),
            "python": platform.python_version(),
            "engine": {"name": outcome.engine[0], "version": outcome.engine[1]},
        },
        "options": {"escape_formulas": outcome.is_escaped},
        "policy_hmac_sha256": text_digest(outcome.policy.fingerprint(), key),
        "input": {"left_out": _NO_INPUT},
        "attacks": [],
        "earlier_releases": [],
        "not_covered": list(NOT_COVERED),
        "statement": statement,
        "private": {
            "epsilon": float(asked.epsilon),
            "neighbours": neighbours(outcome),
            "mechanism": MECHANISM,
            "spent": [
                {"what": one.what, "epsilon": float(one.epsilon * asked.per_person)} for one in outcome.released.spent
            ],
            "ledger": None if outcome.ledger is None else outcome.ledger.to_data(),
        },
    }
    n_rows = outcome.n_rows
    return Certificate(
        subject=release_digests(written, name),
        policy=public,
        policy_sha256=certificate_file.fingerprint(public),
        recounted=_figures(outcome.columns, n_rows, asked.attributes),
        claimed=claimed,
    )


def _figures(names: tuple[str, ...], n_rows: int, masked: tuple[str, ...]) -> dict[str, Any]:
    """What recipients can count."""
    columns = {
        "released": list(names),
        "masked": [name for name in names if name in masked],
        "passed": [],
        "pseudonyms": [],
        "dropped": [],
    }
    return {"rows": n_rows, "columns": columns, "requirements": [], "risk": None, "criteria": {}}


def check_private(stated: Certificate, release: Path) -> list[Check]:
    """Compare the rows and columns of a private release with its certificate.

    Args:
        stated: What the certificate says.
        release: The file or folder.
    """
    table = open_release(release, stated.recounted["columns"]["released"])
    with closing(table):
        if stated.is_escaped:
            table = replace(table, names=tuple(original_name(name) for name in table.names))
        masked = tuple(stated.recounted["columns"]["masked"])
        found = _figures(table.names, table.n_rows(), masked)
    return [
        Check(key, stated.recounted[key], found[key], CheckMark.AGREES)
        if not differences(stated.recounted[key], found[key])
        else Check(key, stated.recounted[key], found[key], CheckMark.DIFFERS)
        for key in ("rows", "columns")
    ]
