"""Earlier releases of the same people: what of them is known, what is refused, and what the owner is told."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.datasets import ADULT_QIDS, adult_folder, load_adult
from maskwise.formats import solution_file
from maskwise.report.report import report
from maskwise.values.message import Audience

TREE = {"Any": {"L": ["a", "b"], "R": ["c", "d"]}}
OTHER_TREE = {"Any": {"X": ["a", "c"], "Y": ["b", "d"]}}
QID = ("Age", "Job", "Sex")


def composition(outcome: maskwise.Outcome) -> maskwise.Attack:
    """What was tried with earlier releases."""
    (attack,) = (one for one in outcome.attacks if one.name == "composition")
    return attack


def people(n: int = 400, seed: int = 3) -> pa.Table:
    rng = random.Random(seed)  # noqa: S311 - test data
    rows = [
        (rng.randint(18, 80), rng.choice("abcd"), rng.choice("FM"), rng.choice(["flu", "HIV", "ok", "ok"]))
        for _ in range(n)
    ]
    risk = [("hi" if (age > 50) != (job in "ac") else "lo") for age, job, _, _ in rows]
    return pa.table({**dict(zip((*QID, "Ill"), map(list, zip(*rows, strict=True)), strict=True)), "Risk": risk})


def policy(*requirements: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "class": "Risk",
        "attributes": {"Age": {"interval": [0, 99]}, "Job": {"taxonomy": TREE}, "Sex": "suppress"},
        "requirements": list(requirements) or [{"qid": list(QID), "k": 10}],
        **more,
    }


def mask(table: pa.Table, asked: dict[str, Any], **how: Any) -> maskwise.Outcome:
    return maskwise.anonymize(table, asked, keep_order=True, **how)


def joint_sizes(tables: list[pa.Table], qid: tuple[str, ...] = QID) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(table[name].to_pylist() for table in tables for name in qid), strict=True))


def warned(outcome: maskwise.Outcome) -> str:
    return " ".join(outcome.warnings)


@pytest.fixture
def earlier() -> maskwise.Outcome:
    """A release by another tree and other ranges, which splits the people elsewhere."""
    attributes = {"Age": {"interval": [10, 90]}, "Job": {"taxonomy": OTHER_TREE}, "Sex": "suppress"}
    asked = policy({"qid": list(QID), "k": 30}, attributes=attributes, boundaries="exact")
    return mask(people(), asked, method="bug")


@pytest.mark.slow
def test_another_tree_and_other_ranges_are_counted_with(earlier: maskwise.Outcome) -> None:
    alone, together = mask(people(), policy()), mask(people(), policy(), against=earlier.solution)
    assert min(joint_sizes([earlier.data, alone.data]).values()) < 10
    sizes = joint_sizes([earlier.data, together.data])
    attack = composition(together)
    assert min(sizes.values()) == attack.details["requirements"][0]["reached"] >= 10
    assert attack.details["requirements"][0]["groups"] == len(sizes)
    assert attack.text == (
        f"k=10 on {{Age, Job, Sex}}, together with 1 earlier release, reaches {min(sizes.values())}."
    )
    assert attack.figure == 0
    assert attack.audience is Audience.OWNER
    assert not together.warnings
    assert "composition" not in {one.name for one in alone.attacks}


@pytest.mark.slow
def test_a_column_that_was_released_as_it_was_is_known_as_it_was() -> None:
    table = people()
    before = mask(table, policy({"qid": ["Age"], "k": 150}))
    assert {"Job", "Sex"} <= set(before.passed)
    after = mask(table, policy(), against=[before.solution])
    assert min(joint_sizes([before.data, after.data]).values()) >= 10
    # Then nothing is gained by hiding it, and the search need not.
    assert after.solution.cut("Sex").labels == ("F", "M")


@pytest.mark.slow
def test_a_column_shown_at_one_depth_is_known_at_that_depth() -> None:
    table = people()
    attributes = {"Age": {"interval": [0, 99]}, "Job": {"taxonomy": TREE, "release": 1}}
    before = mask(table, policy({"qid": ["Age"], "k": 100}, attributes=attributes))
    assert set(before.data["Job"].to_pylist()) == {"L", "R"}
    after = mask(table, policy({"qid": ["Job"], "k": 10}), against=before.solution)
    known = composition(after).details["requirements"][0]
    assert known["groups"] == len(joint_sizes([before.data, after.data], ("Job",)))


@pytest.mark.slow
def test_what_an_earlier_release_left_out_is_not_known() -> None:
    table = people()
    before = mask(table, policy({"qid": ["Age"], "k": 10}, drop=["Job", "Sex"]))
    after = mask(
        table, policy({"qid": ["Job", "Sex"], "k": 10}, {"qid": ["Age", "Job"], "k": 5}), against=before.solution
    )
    (one,) = composition(after).details["requirements"]
    assert one["qid"] == ["Age", "Job"]
    assert one["reached"] == min(
        Counter(
            zip(
                before.data["Age"].to_pylist(),
                after.data["Age"].to_pylist(),
                after.data["Job"].to_pylist(),
                strict=True,
            )
        ).values()
    )


def test_an_earlier_release_of_other_columns_is_warned_of() -> None:
    table = people()
    before = mask(table, policy({"qid": ["Age"], "k": 10}, drop=["Job", "Sex"]))
    after = mask(table, policy({"qid": ["Job", "Sex"], "k": 10}), against=before.solution)
    assert "Earlier release 1" in warned(after)
    assert "shows no masked attribute" in warned(after)
    assert composition(after).text == "The 1 earlier release showed no attribute of a quasi-identifier."


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["keep", "drop"])
def test_missing_cells_are_counted_as_they_were_shown(missing: str) -> None:
    table = people(900)
    ages = [None if i % 9 == 0 else cell for i, cell in enumerate(table["Age"].to_pylist())]
    table = table.set_column(0, "Age", pa.array(ages, pa.int64()))
    before = mask(table, policy({"qid": list(QID), "k": 30}, missing="keep"), criterion="infogain")
    assert len(set(before.data["Age"].to_pylist())) > 2
    assert None in before.data["Age"].to_pylist()
    after = mask(table, policy(missing=missing), against=before.solution, criterion="conditional")
    kept = before.data if missing == "keep" else before.data.filter(pa.array([age is not None for age in ages]))
    assert after.data.num_rows == kept.num_rows
    assert min(joint_sizes([kept, after.data]).values()) >= 10
    assert ("not of the same records" in warned(after)) == (missing == "drop")


@pytest.mark.slow
def test_templates_diversity_and_subsets_hold_together() -> None:
    table = people()
    before = mask(table, policy({"qid": ["Age", "Job"], "k": 40}), criterion="infogain")
    asked = policy(
        {"qid": list(QID), "sensitive": {"Ill": ["HIV"]}, "confidence": 0.5},
        {"qid": ["Age", "Sex"], "sensitive": "Ill", "diversity": {"distinct": 3}},
        {"lkc": {"attributes": list(QID), "L": 2}, "k": 12},
    )
    after = mask(table, asked, against=before.solution, method="bug")
    ill = table["Ill"].to_pylist()
    shown = list(zip(*(t[name].to_pylist() for t in (before.data, after.data) for name in QID), strict=True))
    groups: dict[Any, list[str]] = {}
    for cells, one in zip(shown, ill, strict=True):
        # What the earlier release showed of Sex, which it did not mask, is known as well.
        groups.setdefault(cells, []).append(one)
    assert max(Counter(group)["HIV"] / len(group) for group in groups.values()) <= 0.5
    of_two: dict[Any, set[str]] = {}
    for cells, one in zip(shown, ill, strict=True):
        of_two.setdefault((cells[0], cells[2], cells[3], cells[5]), set()).add(one)
    assert min(map(len, of_two.values())) >= 3
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert min(Counter((cells[a], cells[b], cells[a + 3], cells[b + 3]) for cells in shown).values()) >= 12


@pytest.mark.slow
def test_persons_are_counted_together_too() -> None:
    rng = random.Random(1)  # noqa: S311 - test data
    rows = [
        (f"P{p}", rng.randint(18, 80), rng.choice("abcd"), rng.choice("FM"))
        for p in range(200)
        for _ in range(rng.randint(1, 3))
    ]
    table = pa.table(dict(zip(("Id", *QID), map(list, zip(*rows, strict=True)), strict=True)))
    asked = {key: value for key, value in policy(person="Id").items() if key != "class"}
    before = mask(table, {**asked, "requirements": [{"qid": list(QID), "k": 30}]}, criterion="infogain")
    after = mask(table, asked, against=before.solution)
    persons: dict[Any, set[str]] = {}
    for person, *cells in zip(
        table["Id"].to_pylist(), *(t[n].to_pylist() for t in (before.data, after.data) for n in QID), strict=True
    ):
        persons.setdefault(tuple(cells), set()).add(person)
    assert min(map(len, persons.values())) == composition(after).details["requirements"][0]["reached"] >= 10


def test_what_an_earlier_release_breaks_cannot_be_mended(earlier: maskwise.Outcome) -> None:
    n = min(joint_sizes([earlier.data]).values())
    with pytest.raises(maskwise.InfeasibleError) as caught:
        mask(people(), policy({"qid": list(QID), "k": n + 1}), against=[earlier.solution, earlier.solution])
    assert str(caught.value) == (
        f"k={n + 1} on {{Age, Job, Sex}}, together with 2 earlier releases, cannot be met: what was released before "
        f"reaches {n} by itself, and no masking takes that back. Ask for less."
    )


def test_what_no_masking_meets_is_said_once(earlier: maskwise.Outcome) -> None:
    with pytest.raises(maskwise.InfeasibleError) as caught:
        mask(people(), policy({"qid": list(QID), "k": 1000}), against=earlier.solution)
    assert str(caught.value).count("k=1000") == 1


def test_levels_that_cannot_be_shown_together_are_named(earlier: maskwise.Outcome) -> None:
    asked = policy({"qid": list(QID), "k": 30})
    asked["attributes"]["Job"] = {"taxonomy": TREE, "at_least": 2}
    with pytest.raises(
        maskwise.InfeasibleError, match="together with 1 earlier release cannot be met with `Job` at_least 2:"
    ):
        mask(people(), asked, against=earlier.solution)


@pytest.mark.slow
def test_other_people_are_warned_of(earlier: maskwise.Outcome) -> None:
    table = people(500)
    # Some are older than the earlier range: all of them stand apart in it.
    ages = table["Age"].to_pylist()
    table = table.set_column(0, "Age", pa.array([*[95] * 100, *ages[100:]], pa.int64()))
    after = mask(table, policy(), against=earlier.solution)
    assert "it has 400 records and this one 500" in warned(after)
    assert "at least 100 records of this table hold a value that it did not know" in warned(after)
    assert "95" not in warned(after)
    table = table.set_column(0, "Age", pa.array([95, *ages[1:]], pa.int64()))
    with pytest.raises(
        maskwise.InfeasibleError, match="does not know a value of at least 1 record of this table: leave"
    ):
        mask(table, policy(), against=earlier.solution)


def test_other_cells_taken_for_missing_are_refused(earlier: maskwise.Outcome) -> None:
    with pytest.raises(maskwise.InputError, match=r"do not take the same cells for missing \(`d`\)"):
        mask(people(), policy(attributes={}, na_values=["d"]), against=earlier.solution)


def test_a_column_with_the_name_of_labels_is_refused(earlier: maskwise.Outcome) -> None:
    table = people().append_column("Age, earlier release 1", pa.array(range(400)))
    with pytest.raises(maskwise.InputError, match="Age, earlier release 1"):
        mask(table, policy(), against=earlier.solution)


@pytest.mark.slow
def test_the_solution_masks_later_rows_and_remembers_what_it_was_found_with(
    earlier: maskwise.Outcome, tmp_path: Path
) -> None:
    path = tmp_path / "earlier.json"
    path.write_text(solution_file.dumps(earlier.solution), encoding="utf-8")
    after = mask(people(), policy(), against=path, criterion="conditional")
    saved = solution_file.loads(solution_file.dumps(after.solution))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert saved.against == after.solution.against == (digest,)
    assert "earlier release" not in solution_file.dumps(after.solution)
    later = maskwise.apply(people(seed=9), saved, keep_order=True)
    assert later.data.column_names == people().column_names
    again = maskwise.apply(people(), saved, keep_order=True)
    assert again.data.to_pylist() == after.data.to_pylist()
    assert json.loads(solution_file.dumps(mask(people(), policy()).solution)).get("against") is None


@pytest.mark.slow
def test_reports_say_what_was_counted_with_and_recipients_see_no_hash(earlier: maskwise.Outcome) -> None:
    after = mask(people(), policy(), against=[earlier.solution])
    public, owners = report(after), report(after, Audience.OWNER)
    digest = after.solution.against[0]
    assert "checked together with 1 earlier release, and with no other." in public.to_markdown()
    assert digest[:12] not in public.to_json() + public.to_markdown()
    assert digest[:12] in owners.to_markdown()
    assert "checked by itself only" in report(mask(people(), policy())).to_markdown()
    assert public.data["requirements"][0]["reached"] == min(joint_sizes([after.data]).values())


@pytest.mark.slow
def test_the_curve_is_about_the_release_alone(earlier: maskwise.Outcome) -> None:
    after = mask(people(), policy(), against=earlier.solution)
    assert after.curve[0].information_kept == 0
    assert after.curve[0].requirements == (400,)
    assert [point.requirements for point in after.curve[1:]] == [step.requirements for step in after.steps]
    assert after.curve[-1].requirements == (after.verdict.findings[0].figure,)


@pytest.mark.slow
def test_columns_that_are_kept_or_dropped_stay_so(earlier: maskwise.Outcome) -> None:
    kept = mask(people(), policy(keep=["Ill"]), against=earlier.solution)
    assert kept.data.column_names == [*QID, "Ill", "Risk"]
    assert kept.solution.drop == ()
    dropped = mask(people(), policy(drop=["Ill"]), against=earlier.solution)
    assert dropped.data.column_names == [*QID, "Risk"]


@pytest.mark.slow
def test_adult_masked_twice_keeps_k_only_if_the_first_is_counted_with() -> None:
    qid = ADULT_QIDS["GA"]
    trees = {name: {"taxonomy": str(adult_folder() / f"{name}.yaml")} for name in qid if name != "age"}
    attributes = {"age": {"interval": [16, 100]}, **trees}
    asked = {"class": "income", "attributes": attributes, "requirements": [{"qid": list(qid), "k": 50}]}
    table = load_adult("train").select([*qid, "income"])
    before = mask(table, asked, method="bug")
    below = {}
    for way, how in (("alone", {}), ("together", {"against": before.solution})):
        sizes = joint_sizes([before.data, mask(table, asked, criterion="conditional", **how).data], qid)
        below[way] = sum(n for n in sizes.values() if n < 50) / table.num_rows
    assert below["alone"] > 0.05
    assert below["together"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tdr", pytest.param("bug", marks=pytest.mark.slow)])
def test_a_release_by_regions_is_counted_with_record_by_record(method: str) -> None:
    table, k = people(), 10
    first = mask(table, policy(), method="regions")
    alone = mask(table, policy(), method=method)
    second = mask(table, policy(), method=method, against=first.solution)
    assert min(joint_sizes([first.data, alone.data]).values()) < k
    assert min(joint_sizes([first.data, second.data]).values()) >= k
    assert second.solution.against


@pytest.mark.slow
def test_a_release_by_regions_of_fewer_columns_is_counted_with(tmp_path: Path) -> None:
    """Its labels rest on columns that are in no QID now; these are not left in the release."""
    table = people()
    first = mask(table, policy(), method="regions")
    (tmp_path / "first.json").write_text(solution_file.dumps(first.solution))
    asked = {"attributes": {"Age": {"interval": [0, 99]}}, "requirements": [{"qid": ["Age"], "k": 12}], "class": "Risk"}
    second = mask(table, asked, against=tmp_path / "first.json")
    assert second.data.column_names == table.column_names
    together = Counter(zip(first.data["Age"].to_pylist(), second.data["Age"].to_pylist(), strict=True))
    assert min(together.values()) >= 12


def test_a_release_by_regions_needs_all_columns_that_it_masked() -> None:
    first = mask(people(), policy(), method="regions")
    asked = {"attributes": {"Age": {"interval": [0, 99]}}, "requirements": [{"qid": ["Age"], "k": 12}], "class": "Risk"}
    with pytest.raises(maskwise.InputError, match=r"has regions.*the table has no `Job`"):
        mask(people().drop_columns(["Job"]), asked, against=first.solution)
