"""Check a certificate against a release: signature, hashes, policy, and every figure that can be counted again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.certificate.checks import CertificateCheck, Check, CheckMark, differences
from maskwise.certificate.digests import read_key, release_digests, text_digest
from maskwise.certificate.figures import OWNER, assess_again, recounted, stated_thresholds
from maskwise.certificate.private_certificate import check_private
from maskwise.certificate.public_policy import WITHHELD, public_policy, read_public_policy
from maskwise.certificate.signature import check_signature, signature_path
from maskwise.errors import InputError
from maskwise.formats.certificate_file import fingerprint, read_certificate
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.policy.requirements.qid import called
from maskwise.release.escape import original_name, original_text
from maskwise.release.publish import open_release
from maskwise.table.endpoints import closing
from maskwise.values.location import is_there
from maskwise.verify.verify import verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.certificate.public_policy import PublicPolicy
    from maskwise.formats.certificate_file import Certificate
    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table

_NO_KEY = "needs the owner's key: without it a guessed value could be tried until it fits"


def check_certificate(
    certificate: str | Path,
    release: str | Path,
    *,
    signers: str | Path | None = None,
    policy: str | Path | Mapping[str, Any] | Policy | None = None,
    key: str | Path | None = None,
) -> CertificateCheck:
    """Check a certificate against the release it came with.

    What follows from the release is counted again and compared; what only the
    owner can know is listed as the owner's claim.

    Claim: a certificate is confirmed only if its files are the release, and
    everything in it is true of them that is not listed as a claim.

    Args:
        certificate: What `mask --certificate` wrote. Its signature, if there is one, stands beside it.
        release: The file or folder.
        signers: Whose signature is trusted, a list in the form of `ssh-keygen -Y verify`.
        policy: The owner's whole policy, to recount requirements with protected values too.
        key: The owner's key of the certificate, to compare the whole policy.

    Raises:
        InputError: The certificate is none, or a file cannot be read.

    Example:
        See `Certification`.
    """
    if key is not None and policy is None:
        raise InputError("The key compares the owner's policy with the certificate's. Give the policy too.")
    path, place = Path(certificate), Path(release)
    stated, content = read_certificate(path)
    is_private = stated.claimed.get("private") is not None
    given = None if policy is None else read_policy(policy, private=is_private)
    checks = [check_signature(content, signature_path(path), None if signers is None else Path(signers))]
    of_files = _check_files(stated, place)
    checks += of_files
    checks.append(_compare("policy (sha256)", stated.policy_sha256, fingerprint(stated.policy)))
    if given is not None:
        checks += _check_policy(stated, given, None if key is None else Path(key))
    if any(check.mark is CheckMark.DIFFERS for check in of_files):
        checks.append(Check("recount", None, "not done, because the files differ", CheckMark.NOT_CHECKED))
    elif is_private:
        checks += check_private(stated, place)
    else:
        checks += _Recount(stated, read_public_policy(stated.policy), given).check(place)
    known = {"policy_hmac_sha256"} if key is not None else set()
    claims = [
        Check(name, value, None, CheckMark.CLAIMED) for name, value in stated.claimed.items() if name not in known
    ]
    return CertificateCheck((*checks, *claims))


def _compare(name: str, stated: Any, found: Any) -> Check:
    return Check(name, stated, found, CheckMark.DIFFERS if differences(stated, found) else CheckMark.AGREES)


def _check_files(stated: Certificate, release: Path) -> list[Check]:
    """Compare the hashes of all files; what a single file is called now is no matter."""
    if not is_there(release):
        msg = f"There is no file or folder `{release}`."
        raise InputError(msg)
    found = release_digests(release, release.resolve().name)
    if len(stated.subject) == len(found) == 1:
        (was, one), (name, other) = *stated.subject.items(), *found.items()
        checks = [_compare(f"sha256 of {name}", one, other)]
        return checks if was == name else [*checks, Check("name of the file", was, name, CheckMark.CLAIMED)]
    names = sorted({*stated.subject, *found})
    return [_compare(f"sha256 of {name}", stated.subject.get(name), found.get(name)) for name in names]


def _check_policy(stated: Certificate, given: Policy, key: Path | None) -> list[Check]:
    """Compare the owner's policy with the one in the certificate."""
    checks = [_compare("policy given (sha256)", stated.policy_sha256, fingerprint(_told(given)))]
    name = "whole policy given (hmac)"
    if key is None:
        return [*checks, Check(name, stated.claimed["policy_hmac_sha256"], _NO_KEY, CheckMark.NOT_CHECKED)]
    known = read_key(key)
    if known is None:
        msg = f"There is no key `{key}`."
        raise InputError(msg)
    found = text_digest(given.fingerprint(), known)
    return [*checks, _compare(name, stated.claimed["policy_hmac_sha256"], found)]


def _told(policy: Policy) -> dict[str, Any]:
    """What a certificate says of a policy."""
    return public_policy(policy) if policy.private is None else to_data(policy)


@dataclass(frozen=True, slots=True)
class _Recount:
    """Counts a release again."""

    stated: Certificate
    """What the certificate says."""
    public: PublicPolicy
    """The policy in it."""
    given: Policy | None
    """The owner's policy, where it was given."""

    def check(self, release: Path) -> list[Check]:
        """Compare every figure that follows from the release."""
        table = open_release(release, self.stated.recounted["columns"]["released"])
        with closing(table):
            if self.stated.is_escaped:
                table = replace(table, names=tuple(original_name(name) for name in table.names))
            policy = self.public.policy
            table = replace(table, forms=policy.reading.forms)
            person = policy.person if self.public.is_unit_released else None
            whose = () if person is None else (person.column,)
            needed = dict.fromkeys([*policy.masked, *self.public.fixed, *whose])
            missing = [name for name in needed if name not in table.names]
            if missing:
                return [Check("columns.released", missing, None, CheckMark.DIFFERS)]
            found = self._figures(table)
            checks = [_compare("columns", self.stated.recounted["columns"], found["columns"])]
            dropped = [name for name in found["columns"]["dropped"] if name in table.names]
            checks += [Check(f"columns.dropped.{name}", "left out", "released", CheckMark.DIFFERS) for name in dropped]
            return [*checks, *self._check_columns(table.names), *self._compare_figures(found)]

    def _check_columns(self, names: Sequence[str]) -> list[Check]:
        """What the policy says of columns beside its requirements: whether it is so, where the release tells."""
        policy, checks = self.public.policy, []
        named = [] if policy.class_name is None else [policy.class_name]
        checks += [Check("policy.class", name, None, CheckMark.DIFFERS) for name in named if name not in names]
        if policy.keep is not None:
            person = [] if policy.person is None else [policy.person.column]
            kept = {*policy.masked, *self.public.fixed, *policy.keep, *named, *person}
            checks += [
                Check("policy.keep", list(policy.keep), name, CheckMark.DIFFERS) for name in names if name not in kept
            ]
        rest = {key: value for key, value in self.stated.policy.items() if key not in {"requirements", "class", "drop"}}
        return [*checks, Check("the rest of the policy", rest, None, CheckMark.CLAIMED)]

    def _figures(self, table: Table) -> dict[str, Any]:
        """What the release itself tells."""
        stated = self.stated.recounted
        recounts = self.public.recounts(table.names)
        read_text = original_text if self.stated.is_escaped else str
        is_counted = self.public.is_unit_released
        person = self.public.policy.person if is_counted else None
        verdict = verify(table, [one.requirement for one in recounts], None, read_text, person)
        risk = assess_again(table, self.public.policy, stated_thresholds(stated["risk"])) if is_counted else None
        found = recounted(self.public, table.names, verdict, risk)
        for i, one in enumerate(recounts):
            if not one.is_whole and found["requirements"][i]["holds"]:
                found["requirements"][i]["holds"] = self._holds(table, i)
        return found

    def _holds(self, table: Table, i: int) -> object:
        """Whether a requirement holds that recipients cannot recount: by the owner's policy, or by the owner's word."""
        stated = self.stated.recounted["requirements"]
        said = stated[i].get("holds") if i < len(stated) else None
        given = self.given
        if given is None or i >= len(given.requirements) or not self.public.is_unit_released:
            return said
        asked = given.requirements[i]
        if not set(asked.columns) <= {*asked.qid, *self.public.passed(table.names)}:
            return said
        if not set(asked.qid) <= set(table.names):
            return None
        read_text = original_text if self.stated.is_escaped else str
        return verify(table, [asked], given.trees, read_text, given.person).is_met

    def _is_claim(self, names: Sequence[str], i: int) -> bool:
        """Whether that a requirement holds is the owner's word."""
        entry = self.public.entries[i]
        asked = self.public.policy.requirements[i]
        is_there = set(asked.columns) <= {*asked.qid, *self.public.passed(names)}
        is_known = self.given is not None or WITHHELD not in entry
        return not (self.public.is_unit_released and is_there and is_known)

    def _compare_figures(self, found: Mapping[str, Any]) -> list[Check]:
        """Compare the other figures, a line for each requirement and one for each other part."""
        stated = self.stated.recounted
        checks = []
        for key in dict.fromkeys([*stated, *found]):
            if key in {"columns", "requirements"}:
                continue
            one, other = stated.get(key), found.get(key)
            if isinstance(one, dict) and isinstance(other, dict):
                checks += differences(one, other, key) or [Check(key, "figures", "the same figures", CheckMark.AGREES)]
            elif one is not None or other is not None:
                checks.append(_compare(key, one, other))
        names = found["columns"]["released"]
        n = max(len(stated["requirements"]), len(found["requirements"]))
        for i in range(n):
            one, other = (side["requirements"][i : i + 1] for side in (stated, found))
            checks += self._compare_requirement(names, i, one, other)
        return checks

    def _compare_requirement(
        self, names: Sequence[str], i: int, stated: Sequence[Any], found: Sequence[Any]
    ) -> list[Check]:
        name = f"requirement {i + 1}"
        if not stated or not found:
            return [Check(name, stated[0] if stated else None, found[0] if found else None, CheckMark.DIFFERS)]
        wrong = differences(stated[0], found[0], name)
        if wrong:
            return wrong
        about = f"{name} on {called(self.public.policy.requirements[i].qid)}"
        if found[0]["holds"] is not True:
            return [Check(about, "a release that meets it", "it is not met", CheckMark.DIFFERS)]
        figures = {key: found[0][key] for key in ("holds", "reached", "groups") if key in found[0]}
        if "group_sizes" in found[0]:
            figures["smallest"] = found[0]["group_sizes"]["smallest"]
        if stated[0]["counted_by"] == OWNER and self._is_claim(names, i):
            del figures["holds"]
            claim = Check(f"{about} holds", stated[0]["holds"], None, CheckMark.CLAIMED)
            return [*([Check(about, figures, figures, CheckMark.AGREES)] if figures else []), claim]
        return [Check(about, figures, figures, CheckMark.AGREES)]
