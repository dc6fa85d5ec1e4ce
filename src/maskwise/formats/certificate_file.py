"""cert.json: what an owner certifies of a release, as an in-toto Statement.

The subject names the files of the release by their SHA-256. The predicate has
two parts of figures: `recounted` follows from the release and the policy that
stands in it, so that anybody can count it again; `claimed` is the owner's word.
How they are made and checked is the concern of `certificate`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from maskwise.errors import InputError
from maskwise.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT_VERSION = 1
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "https://github.com/maskwise/maskwise/certificate/v"
"""How every version of the predicate begins."""
PREDICATE_TYPE = f"{PREDICATE}{FORMAT_VERSION}"
_LARGEST = 64 << 20
"""A certificate is small; a file of more bytes is none."""

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Digests(_Shape):
    sha256: Digest


class _Subject(_Shape):
    name: str = Field(min_length=1)
    digest: _Digests


class _Policy(_Shape):
    sha256: Digest
    public: dict[str, Any]


class _Columns(_Shape):
    released: list[str]
    masked: list[str]
    passed: list[str]
    pseudonyms: list[str]
    dropped: list[str]


class _Recounted(_Shape):
    rows: int
    persons: int | None = None
    columns: _Columns
    requirements: list[dict[str, Any]]
    risk: dict[str, Any] | None
    criteria: dict[str, Any]


class _Engine(_Shape):
    name: str
    version: str


class _MadeBy(_Shape):
    maskwise: str
    python: str
    engine: _Engine


class _Input(_Shape):
    hmac_sha256: list[Digest] = []
    left_out: str | None = None


class _Claimed(_Shape):
    time: str
    made_by: _MadeBy
    options: dict[str, str | int | float | bool]
    policy_hmac_sha256: Digest
    input: _Input
    population: dict[str, Any] | None = None
    attacks: list[dict[str, Any]]
    earlier_releases: list[dict[str, Any]]
    not_covered: list[str]
    statement: str | None
    private: dict[str, Any] | None = None


class _Predicate(_Shape):
    format_version: int = Field(ge=1, le=FORMAT_VERSION)
    policy: _Policy
    recounted: _Recounted
    claimed: _Claimed


class _CertificateFile(_Shape):
    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: list[_Subject] = Field(min_length=1)
    predicateType: Literal["https://github.com/maskwise/maskwise/certificate/v1"]  # noqa: N815 - in-toto's name
    predicate: _Predicate


@dataclass(frozen=True, slots=True)
class Certificate:
    """What an owner certifies of a release."""

    subject: Mapping[str, str]
    """The SHA-256 of each file of the release, by its name."""
    policy: Mapping[str, Any]
    """The policy without what only the owner may know."""
    policy_sha256: str
    """The SHA-256 of that."""
    recounted: Mapping[str, Any]
    """What follows from the release and that policy."""
    claimed: Mapping[str, Any]
    """The owner's word."""

    @property
    def is_escaped(self) -> bool:
        """Whether cells that a spreadsheet would run were quoted."""
        return bool(self.claimed["options"].get("escape_formulas"))


def dumps(certificate: Certificate) -> str:
    """Write a certificate as JSON text; equal certificates give equal bytes."""
    said = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": digest}} for name, digest in sorted(certificate.subject.items())
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "format_version": FORMAT_VERSION,
            "policy": {"sha256": certificate.policy_sha256, "public": certificate.policy},
            "recounted": certificate.recounted,
            "claimed": certificate.claimed,
        },
    }
    return json.dumps(said, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def loads(text: str, name: str = "the certificate") -> Certificate:
    """Read a certificate from JSON text.

    Args:
        text: What `dumps` wrote.
        name: What messages call it.
    """
    data = _parse(text, name)
    _refuse_other_kinds(data, name)
    try:
        file = _CertificateFile.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = printable(".".join(str(part) for part in first["loc"])) or "the top"
        msg = f"{name} is no certificate: at `{place}`, {first['msg'].lower()}."
        raise InputError(msg) from None
    subject = {one.name: one.digest.sha256 for one in file.subject}
    if len(subject) < len(file.subject):
        msg = f"{name} is no certificate: it names a file of the release twice."
        raise InputError(msg)
    predicate = data["predicate"]
    policy = predicate["policy"]
    return Certificate(subject, policy["public"], policy["sha256"], predicate["recounted"], predicate["claimed"])


def read_certificate(path: Path) -> tuple[Certificate, bytes]:
    """Read a certificate, with the bytes that a signature is about."""
    name = f"`{printable(path.name)}`"
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        text = content.decode()
    except FileNotFoundError:
        msg = f"There is no file `{path}`."
        raise InputError(msg) from None
    except OSError as error:
        msg = f"`{path}` cannot be read: {error.strerror}."
        raise InputError(msg) from None
    except UnicodeDecodeError:
        text = ""
    if len(content) > _LARGEST:
        msg = f"{name} is too large for a certificate. Name what `maskwise mask ... --certificate cert.json` wrote."
        raise InputError(msg)
    return loads(text, name), content


def canonical(data: object) -> bytes:
    """Plain values as bytes that do not depend on the order of keys.

    >>> canonical({"b": 1, "a": [True, None]})
    b'{"a":[true,null],"b":1}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def fingerprint(data: object) -> str:
    """The SHA-256 of plain values."""
    return hashlib.sha256(canonical(data)).hexdigest()


def _parse(text: str, name: str) -> Any:
    """Read JSON; a key that stands twice would be read otherwise by another program, so it is refused."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError(pairs)
        return found

    try:
        data = json.loads(text, parse_constant=refuse, object_pairs_hook=unique)
        canonical(data)  # half of a surrogate pair is JSON, but no text
    except (ValueError, RecursionError):
        msg = f"{name} is not JSON, or has a key twice. Name what `maskwise mask ... --certificate cert.json` wrote."
        raise InputError(msg) from None
    return data


def _refuse_other_kinds(data: Any, name: str) -> None:
    """Refuse what is no Statement, is about something else, or was written by a newer maskwise."""
    kind = data.get("predicateType") if isinstance(data, dict) else None
    if not isinstance(kind, str) or not kind.startswith(PREDICATE):
        msg = f"{name} is no certificate of maskwise: its `predicateType` does not begin with `{PREDICATE}`."
        raise InputError(msg)
    predicate = data.get("predicate")
    found = predicate.get("format_version") if isinstance(predicate, dict) else None
    is_newer = isinstance(found, int) and found > FORMAT_VERSION
    if is_newer or (kind != PREDICATE_TYPE and kind.removeprefix(PREDICATE).isdecimal()):
        shown = found if is_newer else kind.removeprefix(PREDICATE)
        msg = f"{name} has format version {shown}; this maskwise reads up to {FORMAT_VERSION}. Upgrade maskwise."
        raise InputError(msg)
