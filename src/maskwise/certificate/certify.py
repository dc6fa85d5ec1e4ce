"""Make the certificate of a release, its signature and the owner's key."""

from __future__ import annotations

import datetime as dt
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.certificate.digests import input_digests, keep_key, new_key, read_key, release_digests, text_digest
from maskwise.certificate.figures import population_risk, recounted
from maskwise.certificate.private_certificate import make_private_certificate
from maskwise.certificate.public_policy import public_policy, read_public_policy
from maskwise.certificate.signature import check_key, sign, signature_path
from maskwise.errors import InputError
from maskwise.formats import certificate_file
from maskwise.formats.certificate_file import Certificate
from maskwise.private.outcome import PrivateOutcome
from maskwise.release.file_set import Sidecar
from maskwise.release.target_checks import check_target
from maskwise.report.report import what_is_not_protected
from maskwise.values.location import Folder
from maskwise.values.message import Audience
from maskwise.values.number_forms import Numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.outcome import Outcome

_IN_MEMORY = "The input was a data frame or a table of a database, which has no bytes of its own."
_NOT_AGAIN = "The input was no file that can be read twice."
NOT_A_FILE = (
    "A certificate names the files of a release, and this release is a table of a database. Write it to a file, such "
    "as release.parquet, or leave out the certificate."
)


@dataclass(frozen=True, slots=True)
class Certification:
    """Writes a certificate together with a release: the `beside` of `anonymize`.

    Example:
        >>> import tempfile, maskwise, pyarrow as pa
        >>> people = pa.table({"Age": [23, 25, 41, 47]})
        >>> folder = tempfile.mkdtemp()
        >>> certification = Certification(f"{folder}/cert.json", statement="Approved by the data protection officer.")
        >>> policy = {"attributes": {"Age": {"interval": [0, 99]}}, "requirements": [{"qid": ["Age"], "k": 2}]}
        >>> outcome = maskwise.anonymize(people, policy, f"{folder}/release.csv", beside=certification)
        >>> maskwise.check_certificate(f"{folder}/cert.json", f"{folder}/release.csv").is_confirmed
        True
    """

    path: str | Path
    """Where the certificate goes; its signature gets `.sig` added to the name."""
    sign: str | Path | None = None
    """The SSH key to sign with; None leaves the certificate unsigned."""
    key: str | Path | None = None
    """The key of the input's HMAC, which is made where there is none; None is the certificate's name with `.key`."""
    statement: str | None = None
    """What the owner states, in the owner's words."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are written, the key last."""
        signature = () if self.sign is None else (signature_path(Path(self.path)),)
        return (Path(self.path), *signature, self.key_path)

    @property
    def key_path(self) -> Path:
        """Where the owner's key is, or will be."""
        return Path(self.path).with_name(f"{Path(self.path).name}.key") if self.key is None else Path(self.key)

    def lines(self) -> list[str]:
        """What was written, in lines for the owner."""
        lines = [f"certificate: {self.path}"]
        if self.sign is not None:
            lines.append(f"signature: {signature_path(Path(self.path))}")
        why = "keep it secret: with it a guess of the input can be tried"
        return [*lines, f"key of the certificate: {self.key_path} ({why})"]

    def check(self) -> None:
        """Refuse what cannot be written or signed with, before any work is done."""
        for path in self.paths:
            check_target(path)
        signs = () if self.sign is None else (Path(self.sign),)
        names = [path.resolve() for path in (*self.paths, *signs)]
        if len(set(names)) < len(names):
            raise InputError("The certificate, its key and the key to sign with are different files. Name each apart.")
        stale = signature_path(Path(self.path))
        if self.sign is None and stale.exists():
            msg = f"`{stale}` is the signature of another certificate. Remove it, or sign this one with --sign."
            raise InputError(msg)
        if self.statement is not None and not self.statement.isprintable():
            raise InputError("The statement has characters that cannot be printed. Write it as one line of text.")
        read_key(self.key_path)
        for key in signs:
            check_key(key)

    def __call__(self, outcome: Outcome | PrivateOutcome) -> list[Sidecar]:
        """Make the certificate and its signature, and keep the key.

        Args:
            outcome: The run, whose release is written and has no name yet.
        """
        written = _written(outcome)
        if written is None:
            raise InputError(NOT_A_FILE)
        if outcome.solution.numbers is Numbers.BOUNDS:
            raise InputError(
                "A certificate speaks of the policy's columns, and `numbers: bounds` writes two for one. Write labels, "
                "midpoints or means, or leave out the certificate."
            )
        self.check()
        while True:
            known = read_key(self.key_path)
            key = known or new_key()
            text = certificate_file.dumps(_certify(outcome, written, key, self.statement))
            files = [Sidecar(Path(self.path), text)]
            if self.sign is not None:
                signed = sign(text.encode(), Path(self.sign))
                files.append(Sidecar(signature_path(Path(self.path)), signed))
            # Another run may have made the key in the meantime; then that one counts.
            if known is not None or keep_key(self.key_path, key):
                return files


def _written(outcome: Outcome | PrivateOutcome) -> Path | None:
    if isinstance(outcome, PrivateOutcome):
        return outcome.written
    return None if outcome.run is None else outcome.run.written


def _certify(outcome: Outcome | PrivateOutcome, written: Path, key: bytes, statement: str | None) -> Certificate:
    if isinstance(outcome, PrivateOutcome):
        return make_private_certificate(outcome, written, key, statement)
    return make_certificate(outcome, written, key, statement)


def make_certificate(outcome: Outcome, written: Path, key: bytes, statement: str | None = None) -> Certificate:
    """Certify a release.

    Claim: what is not under `claimed` follows from the release and the policy
    without what only the owner may know.

    Args:
        outcome: The run.
        written: The file or folder of the release.
        key: The key of the input's HMAC.
        statement: What the owner states.
    """
    public = public_policy(outcome.policy)
    name = written.name if isinstance(outcome.data, Folder) else Path(outcome.data).name
    return Certificate(
        subject=release_digests(written, name),
        policy=public,
        policy_sha256=certificate_file.fingerprint(public),
        recounted=recounted(read_public_policy(public), outcome.solution.columns, outcome.verdict, outcome.risk),
        claimed=_claims(outcome, key, statement),
    )


def _claims(outcome: Outcome, key: bytes, statement: str | None) -> dict[str, Any]:
    """What recipients must believe the owner."""
    run = outcome.run
    assert run is not None  # noqa: S101 - every outcome with a file comes from a run
    population = population_risk(outcome.risk)
    return {
        "time": dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "made_by": {
            "maskwise": version("maskwise"),
            "python": platform.python_version(),
            "engine": {"name": run.engine, "version": run.engine_version},
        },
        "options": dict(run.options),
        "policy_hmac_sha256": text_digest(outcome.policy.fingerprint(), key),
        "input": _input_data(run.files, key),
        **({} if population is None else {"population": population}),
        "attacks": [attack.to_data() for attack in outcome.attacks if attack.audience is Audience.RECIPIENT],
        "earlier_releases": [{"solution_hmac_sha256": text_digest(digest, key)} for digest in outcome.solution.against],
        "not_covered": list(what_is_not_protected(len(outcome.solution.against))),
        "statement": statement,
    }


def _input_data(files: tuple[Path, ...], key: bytes) -> Mapping[str, Any]:
    if not files:
        return {"left_out": _IN_MEMORY}
    if not all(path.is_file() for path in files):
        return {"left_out": _NOT_AGAIN}
    return {"hmac_sha256": input_digests(files, key)}
