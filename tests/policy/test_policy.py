"""What a policy says by itself: which rules others imply, which columns it leaves out, its hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.policy.person import Person
from maskwise.policy.policy import Policy
from maskwise.policy.requirements.base import Part
from maskwise.policy.requirements.confidence import Confidence
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.policy.requirements.lkc import LKC

names = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True).map(tuple)
protected = st.sampled_from([Fraction(1, 2), Fraction(1, 3)]).map(lambda bound: (("ill", "HIV", bound),))
requirements = st.one_of(
    st.builds(KAnonymity, names, st.integers(1, 3)),
    st.builds(Confidence, names, protected),
    names.flatmap(lambda qid: st.builds(LKC, st.just(qid), st.integers(1, len(qid)), st.integers(1, 3), protected)),
)


def pair_by_pair(policy: Policy) -> dict[tuple[int, int], int]:
    """The definition: every rule is held against every other."""
    rules = [((i, p), part) for i, one in enumerate(policy.requirements) for p, part in enumerate(one.parts)]
    found: dict[tuple[int, int], int] = {}
    for subject in dict.fromkeys(part.subject for _, part in rules):
        alike = [(place, part) for place, part in rules if part.subject == subject]
        for place, part in alike:
            for other, stronger in alike:
                is_equal_and_later = place < other and part.implies(stronger)
                if other != place and other not in found and stronger.implies(part) and not is_equal_and_later:
                    found[place] = other[0]
                    break
    return found


@settings(deadline=None)
@given(st.lists(requirements, min_size=1, max_size=5))
def test_implied_rules_are_those_found_pair_by_pair(asked: list) -> None:
    policy = Policy(tuple(asked))
    assert dict(policy.implied_parts()) == pair_by_pair(policy)


def test_rules_on_many_qids_are_compared_once_and_not_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    attributes = tuple(f"a{i}" for i in range(14))
    policy = Policy((LKC(attributes, 3, 5), LKC(attributes, 2, 4), KAnonymity(attributes[:9], 7)))
    n_rules = sum(len(one.parts) for one in policy.requirements)
    calls: list[Part] = []
    implies = KAnonymity.implies

    def counted(self: KAnonymity, other: Part) -> bool:
        calls.append(other)
        return implies(self, other)

    monkeypatch.setattr(KAnonymity, "implies", counted)
    found = [policy.implied_parts() for _ in range(3)]
    assert found[0] == found[1] == found[2]
    assert len(calls) < 5 * n_rules
    assert len(found[0]) == 91 + 84  # every pair, and the triples inside the wide QID


def test_what_is_not_kept_is_dropped() -> None:
    template = Confidence(("Age",), (("Illness", "HIV", Fraction(1, 2)),))
    policy = Policy((KAnonymity(("Age", "Sex"), 2), template), class_name="Risk", keep=("Job",))
    names = ["Name", "Age", "Sex", "Illness", "Risk", "Job", "Ward"]
    assert policy.dropped(names) == ("Name", "Ward")
    assert replace(policy, keep=None, drop=("Name",)).dropped(names) == ("Name",)


def test_keep_changes_the_hash_of_a_policy_and_its_absence_does_not() -> None:
    policy = Policy((KAnonymity(("Age",), 2),))
    assert policy.fingerprint() == "6d492dc753d5bdb11b3acc484c8322b22ae88a4728c4c63c04c889906f9c3cd9"
    assert (
        len({policy.fingerprint(), replace(policy, keep=()).fingerprint(), replace(policy, keep=("a",)).fingerprint()})
        == 3
    )


def test_shares_of_persons_imply_nothing_on_fewer_attributes() -> None:
    half = Fraction(1, 2)
    k = [KAnonymity(("a", "b"), 3), KAnonymity(("a",), 3)]
    shares = [Confidence(qid, (("ill", "hiv", half),)) for qid in (("a", "b"), ("a",))]
    weaker = Confidence(("b", "a"), (("ill", "hiv", Fraction(2, 3)),))
    requirements = (*k, *shares, weaker)
    assert Policy(requirements).implied_by() == {1: 0, 3: 2, 4: 2}
    assert Policy(requirements, person=Person("id")).implied_by() == {1: 0, 4: 2}
    # Parts with one of two persons having the value, overlapping in the one that has not: 1/2, 1/2, and 2/3 together.
    people = pa.table({"id": ["x", "y", "x", "z"], "a": ["1"] * 4, "b": list("1122"), "ill": ["no", "hiv"] * 2})
    verdict = maskwise.audit(people, Policy(tuple(shares), person=Person("id")))
    assert [finding.figure for finding in verdict.findings] == [0.5, pytest.approx(2 / 3)]


def test_a_policy_without_persons_keeps_its_fingerprint() -> None:
    plain = Policy((KAnonymity(("a",), 3),))
    said = {
        "class": None,
        "attributes": [],
        "requirements": [["KAnonymity", {"qid": ["a"], "k": 3}]],
        "drop": [],
        "missing": "keep",
    }
    assert plain.fingerprint() == hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    prints = {Policy(plain.requirements, person=person).fingerprint() for person in (None, Person("a1"), Person("a2"))}
    assert len(prints) == 3


def test_a_requirement_without_a_grouping_keeps_its_fingerprint() -> None:
    diverse = {"qid": ["a"], "sensitive": "ill", "diversity": {"distinct": 2}}
    plain, grouped = (maskwise.read_policy({"requirements": [{**diverse, **by}]}) for by in ({}, {"by": "prefix 1"}))
    assert plain.fingerprint() == "f823e0f10215cf5705fa007b8d60b68a289f94b129d8a295cec41d1c06a9cb39"
    assert grouped.fingerprint() != plain.fingerprint()
