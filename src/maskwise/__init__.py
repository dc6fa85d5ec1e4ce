"""Mask a table about people so that nobody can be linked, and classifiers trained on it still work.

A release is a cut through the taxonomies; searching moves the cut, masking
applies it, verifying forgets it.

Mask:
    anonymize: A table and a policy in, a verified release out.
    anonymize_privately: The same with differential privacy, for a policy with an epsilon.
    Ledger: What was spent on the same people by all releases.
    apply: Mask later rows with a saved solution.
    Masker: The same as a scikit-learn transformer.

Check:
    audit: Recount any table, also one that another tool masked.
    Certification: A certificate that is written together with a release.
    check_certificate: What a recipient can check of it.
    attack: Try known attacks on a release of one's own.
    compose: Recount two releases of the same people, and what both tell together.
    risk: How likely somebody is found in a table, or something about them.
    evaluate: What masking costs a classifier.

Ask:
    suggest: A first draft of a policy, from a raw table.
    suggest_privately: The same with an epsilon: domains that somebody has to confirm.
    Policy, Attribute, Taxonomy, Person: What a policy is made of.
    KAnonymity, Confidence, Diversity, Closeness, LKC: What it may require.
    PrivateRelease: What it may ask for instead.
    read_policy, read_solution, read_taxonomy: From files.
    taxonomy_from_index: From an index or a data frame of pandas.

The packages follow the flow: `table` reads, then `profile`, `compress`,
`search`, `release`, `verify` and `report`; `pipeline` puts them together and
`cli` calls it. Below them are `errors`, `values`, `policy`, `solution`,
`formats` and `engines`; beside them `private`, `certificate`, `evaluation`, `classifiers`,
`datasets` and `sklearn`. docs/architecture.md says what each is.

A name is imported when it is used: `maskwise --help` waits for none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maskwise.assessment import risk
    from maskwise.attacks.attack import Attack
    from maskwise.attacks.run import attack
    from maskwise.certificate.certify import Certification
    from maskwise.certificate.check import check_certificate
    from maskwise.certificate.checks import CertificateCheck, Check
    from maskwise.composition import Composition, compose
    from maskwise.errors import (
        InfeasibleError,
        InputError,
        LeakError,
        MaskwiseError,
        MaskwiseWarning,
        NotMetError,
        PolicyError,
        RefusedError,
        UnfinishedError,
    )
    from maskwise.evaluation.run import evaluate
    from maskwise.formats.policy_file import read_policy
    from maskwise.formats.solution_file import read_solution
    from maskwise.formats.taxonomies.frames import taxonomy_from_index
    from maskwise.formats.taxonomies.registry import read_taxonomy
    from maskwise.outcome import Applied, Outcome
    from maskwise.pipeline import anonymize, apply, audit
    from maskwise.policy.attributes import Attribute
    from maskwise.policy.person import Person
    from maskwise.policy.policy import Policy
    from maskwise.policy.private_release import PrivateRelease
    from maskwise.policy.requirements.closeness import Closeness
    from maskwise.policy.requirements.confidence import Confidence
    from maskwise.policy.requirements.diversity import Diversity
    from maskwise.policy.requirements.k_anonymity import KAnonymity
    from maskwise.policy.requirements.lkc import LKC
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.private.ledger import Ledger
    from maskwise.private.outcome import PrivateOutcome
    from maskwise.private.run import anonymize_privately
    from maskwise.risks.risk import Risk
    from maskwise.session.session import Session
    from maskwise.sklearn import Masker
    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution
    from maskwise.suggestion.private_draft import PrivateDraft, suggest_privately
    from maskwise.suggestion.suggest import suggest
    from maskwise.suggestion.suggestion import Suggestion
    from maskwise.verify.verdict import Finding, Verdict

    __version__: str

_HOME = {
    "LKC": "policy.requirements.lkc",
    "Applied": "outcome",
    "Attack": "attacks.attack",
    "Attribute": "policy.attributes",
    "CertificateCheck": "certificate.checks",
    "Certification": "certificate.certify",
    "Check": "certificate.checks",
    "Closeness": "policy.requirements.closeness",
    "Composition": "composition",
    "Confidence": "policy.requirements.confidence",
    "Cut": "solution.cut",
    "Diversity": "policy.requirements.diversity",
    "Finding": "verify.verdict",
    "InfeasibleError": "errors",
    "InputError": "errors",
    "KAnonymity": "policy.requirements.k_anonymity",
    "LeakError": "errors",
    "Ledger": "private.ledger",
    "Masker": "sklearn",
    "MaskwiseError": "errors",
    "MaskwiseWarning": "errors",
    "NotMetError": "errors",
    "Outcome": "outcome",
    "Person": "policy.person",
    "Policy": "policy.policy",
    "PolicyError": "errors",
    "PrivateDraft": "suggestion.private_draft",
    "PrivateOutcome": "private.outcome",
    "PrivateRelease": "policy.private_release",
    "RefusedError": "errors",
    "Risk": "risks.risk",
    "Session": "session.session",
    "Solution": "solution.solution",
    "Suggestion": "suggestion.suggestion",
    "Taxonomy": "policy.taxonomy",
    "UnfinishedError": "errors",
    "Verdict": "verify.verdict",
    "anonymize": "pipeline",
    "anonymize_privately": "private.run",
    "apply": "pipeline",
    "attack": "attacks.run",
    "audit": "pipeline",
    "check_certificate": "certificate.check",
    "compose": "composition",
    "evaluate": "evaluation.run",
    "read_policy": "formats.policy_file",
    "read_solution": "formats.solution_file",
    "read_taxonomy": "formats.taxonomies.registry",
    "risk": "assessment",
    "suggest": "suggestion.suggest",
    "suggest_privately": "suggestion.private_draft",
    "taxonomy_from_index": "formats.taxonomies.frames",
}

__all__ = [
    "LKC",
    "Applied",
    "Attack",
    "Attribute",
    "CertificateCheck",
    "Certification",
    "Check",
    "Closeness",
    "Composition",
    "Confidence",
    "Cut",
    "Diversity",
    "Finding",
    "InfeasibleError",
    "InputError",
    "KAnonymity",
    "LeakError",
    "Ledger",
    "Masker",
    "MaskwiseError",
    "MaskwiseWarning",
    "NotMetError",
    "Outcome",
    "Person",
    "Policy",
    "PolicyError",
    "PrivateDraft",
    "PrivateOutcome",
    "PrivateRelease",
    "RefusedError",
    "Risk",
    "Session",
    "Solution",
    "Suggestion",
    "Taxonomy",
    "UnfinishedError",
    "Verdict",
    "anonymize",
    "anonymize_privately",
    "apply",
    "attack",
    "audit",
    "check_certificate",
    "compose",
    "evaluate",
    "read_policy",
    "read_solution",
    "read_taxonomy",
    "risk",
    "suggest",
    "suggest_privately",
    "taxonomy_from_index",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("maskwise")
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"maskwise.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
