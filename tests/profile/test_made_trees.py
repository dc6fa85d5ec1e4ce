"""Grown trees in a masking run: what recipients are told, persons, later rows, files."""

from __future__ import annotations

import random

import pandas as pd
import pyarrow as pa
import pytest

import maskwise
from maskwise.certificate.public_policy import public_policy
from maskwise.formats import policy_file, solution_file
from maskwise.pipeline import preview_trees
from maskwise.report.report import report
from maskwise.report.trees import attribute_shown
from maskwise.values.message import Audience

JOBS = {"clerk": 30, "clerk, senior": 20, "nurse": 25, "nurse, junior": 22, "pilot": 14, "pontiff": 4, "monarch": 3}


def people(seed: int = 0, jobs: dict[str, int] | None = None) -> pa.Table:
    rng = random.Random(seed)  # noqa: S311 - a table, no secret
    rows = [
        {"job": job, "sex": rng.choice("MF"), "risk": "high" if rng.random() < 0.2 + 0.6 * (job[0] == "c") else "low"}
        for job, n in (jobs or JOBS).items()
        for _ in range(n)
    ]
    return pa.Table.from_pylist(rows)


def policy(by: str = "classes", **beside: object) -> dict:
    return {
        "class": "risk",
        "attributes": {"job": {"grow": by}},
        "requirements": [{"qid": ["job", "sex"], "k": 6}],
    } | beside


@pytest.mark.slow
@pytest.mark.parametrize("by", ["classes", "frequency", "similarity"])
def test_no_public_file_names_a_value_of_few_people(by: str) -> None:
    outcome = maskwise.anonymize(people(), policy(by))
    assert outcome.verdict.is_met
    public = report(outcome)
    texts = [public.to_markdown(), public.to_json(), public.to_html(), str(outcome.data.to_pylist())]
    texts += [solution_file.dumps(outcome.solution, public=True), str(public_policy(maskwise.read_policy(policy(by))))]
    for text in texts:
        assert "pontiff" not in text
        assert "monarch" not in text
    owners = report(outcome, Audience.OWNER).to_markdown()
    assert "pontiff" in owners


def test_the_public_report_says_how_the_tree_came_about_but_does_not_draw_it() -> None:
    outcome = maskwise.anonymize(people(), policy())
    assert any("grown from the table, by classes" in message.text for message in outcome.messages)
    cut = outcome.solution.cut("job")
    assert attribute_shown(cut, is_public=True).tree == ()
    assert attribute_shown(cut, is_public=False).tree
    assert list(cut.labels) == sorted(cut.labels)


@pytest.mark.slow
def test_later_rows_are_shown_along_the_same_tree_and_new_values_as_the_root() -> None:
    outcome = maskwise.anonymize(people(), policy("similarity"))
    solution = solution_file.loads(solution_file.dumps(outcome.solution))
    assert solution.cuts == outcome.solution.cuts
    later = pa.table({"job": ["pontiff", "astronaut"], "sex": ["M", "M"], "risk": ["low", "low"]})
    shown = set(maskwise.apply(later, solution).data.column("job").to_pylist())
    assert shown == {solution.cut("job").show_text("pontiff"), "*"}


def towns() -> dict[str, list[str]]:
    rng = random.Random(3)  # noqa: S311 - a table, no secret
    county = {"Chicago": "Cook", "Evanston": "Cook", "Utica": "Oneida", "Rome": "Oneida"}
    town = [rng.choice(list(county)) for _ in range(80)]
    return {
        "town": town,
        "county": [county[one] for one in town],
        "age": [str(rng.randint(20, 60)) for _ in town],
        "risk": ["high" if rng.random() < 0.2 + 0.5 * (county[one] == "Cook") else "low" for one in town],
    }


BY_COUNTY = {
    "class": "risk",
    "attributes": {"town": {"from_column": ["county"]}},
    "requirements": [{"qid": ["town"], "k": 30}],
    "drop": ["county"],
}


@pytest.mark.slow
def test_a_transformer_makes_its_tree_of_columns_that_are_no_features() -> None:
    frame = pd.DataFrame(towns())
    masker = maskwise.Masker(policy=BY_COUNTY, encode="label").fit(frame.drop(columns="risk"), frame["risk"])
    assert list(masker.get_feature_names_out()) == ["town", "age"]
    assert set(masker.solution_.cut("town").labels) == {"Cook", "Oneida"}
    later = pd.DataFrame({"town": ["Rome", "Paris"], "age": ["30", "31"]})
    assert list(masker.transform(later)["town"]) == ["Oneida", "*"]


@pytest.mark.slow
@pytest.mark.parametrize("left_out", [{"drop": ["county"]}, {"keep": ["age"]}])
def test_an_evaluation_makes_trees_of_columns_that_predict_nothing(left_out: dict) -> None:
    asked = {key: value for key, value in BY_COUNTY.items() if key != "drop"} | left_out
    asked["requirements"] = [{"qid": ["town"], "k": 20}]
    found = maskwise.evaluate(pa.table(towns()), asked, split=0.7, classifiers=["naive-bayes"])
    without = pa.table({name: column for name, column in towns().items() if name != "county"})
    plain = asked | {"attributes": {"town": "suppress"}} | ({"drop": []} if "drop" in left_out else {})
    expected = maskwise.evaluate(without, plain, split=0.7, classifiers=["naive-bayes"])
    # The errors without masking are those of a table that never had the column.
    errors = [[one.error for one in each.records if one.measure in {"BE", "UE"}] for each in (found, expected)]
    assert errors[0] == errors[1] != []


def test_a_policy_says_how_a_tree_is_made_and_not_the_tree() -> None:
    asked = maskwise.read_policy(policy("frequency"))
    assert policy_file.to_data(asked)["attributes"] == {"job": {"grow": "frequency"}}
    assert maskwise.read_policy(policy_file.to_data(asked)) == asked
    assert public_policy(asked)["attributes"]["job"]["rule"] == {"grow": "frequency"}
    assert asked.fingerprint() != maskwise.read_policy(policy("similarity")).fingerprint()


def test_a_value_of_many_records_of_one_person_is_not_named() -> None:
    rows = [{"who": f"p{i}", "job": job} for i, job in enumerate(["clerk"] * 30 + ["nurse"] * 30 + ["cook"] * 15)]
    rows += [{"who": "p0", "job": "pontiff"}] * 20
    asked = {
        "attributes": {"job": {"grow": "frequency"}},
        "requirements": [{"qid": ["job"], "k": 5}],
        "person": "who",
    }
    preview = preview_trees(pa.Table.from_pylist(rows), asked)["job"]
    assert not any("pontiff" in label for label in preview.taxonomy.labels if label != "pontiff")
    assert "pontiff  (20 records)" in preview.to_text()
    without = {key: value for key, value in asked.items() if key != "person"} | {"drop": ["who"]}
    named = preview_trees(pa.Table.from_pylist(rows), without)["job"].taxonomy
    assert any("pontiff" in label for label in named.labels if label != "pontiff")


def test_a_value_that_is_spelled_like_the_root_is_refused() -> None:
    with pytest.raises(maskwise.InputError, match=r"Column `job` holds the value `\*`"):
        preview_trees(people(jobs={"*": 20, "clerk": 20}), policy())


def test_records_that_are_left_out_are_not_counted() -> None:
    table = people()
    missing = pa.table({"job": ["monarch"] * 40, "sex": pa.array([None] * 40, pa.string()), "risk": ["low"] * 40})
    both = pa.concat_tables([table, missing])
    dropped = preview_trees(both, policy("frequency", missing="drop"))["job"].taxonomy
    assert dropped == preview_trees(table, policy("frequency"))["job"].taxonomy


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"class": None}, "A tree by classes needs a class"),
        (
            {"requirements": [{"qid": ["job"], "sensitive": {"risk": ["high"]}, "confidence": 0.9}]},
            "which is sensitive",
        ),
        ({"attributes": {"job": {"grow": "class"}}}, "`grow` is one of `classes`, `frequency`, `similarity`"),
        ({"attributes": {"job": {"grow": "classes", "at_least": 1}}}, "at_least is 1"),
        (
            {
                "requirements": [
                    {"qid": ["job"], "k": 2},
                    {"qid": ["sex"], "sensitive": {"job": ["nurse"]}, "confidence": 0.9},
                ]
            },
            "its values are protected",
        ),
    ],
)
def test_what_would_tell_too_much_or_cannot_be_grown_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(maskwise.PolicyError) as caught:
        maskwise.read_policy(policy(**changes))
    assert message in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["classes", "frequency", "similarity"])
def test_equal_releases_have_equal_public_files_though_their_trees_differ(by: str) -> None:
    # Within what is shown together, the rare values are others, and there are more of them.
    one = maskwise.anonymize(people(), policy(by))
    renamed = {"pontiff": ["abbot", "bishop"], "monarch": ["tsar", "khan", "shah"]}
    jobs = (
        {job: n for job, n in JOBS.items() if job not in renamed}
        | dict.fromkeys(["abbot", "tsar", "khan"], 2)
        | {"shah": 1}
    )
    other = maskwise.anonymize(people(jobs=jobs), policy(by))
    assert sorted(map(str, one.data.to_pylist())) == sorted(map(str, other.data.to_pylist()))
    assert one.solution.cut("job").taxonomy != other.solution.cut("job").taxonomy
    assert report(one).to_markdown() == report(other).to_markdown()
    assert report(one).to_json() == report(other).to_json()
    assert solution_file.dumps(one.solution, public=True) == solution_file.dumps(other.solution, public=True)


@pytest.mark.slow
def test_reasons_and_regions_go_by_made_trees_as_by_listed_ones() -> None:
    table = people()
    tree = preview_trees(table, policy())["job"].taxonomy
    listed = policy() | {"attributes": {"job": {"taxonomy": tree}}}
    for how in ({"why": True}, {"method": "bug", "why": True}, {"method": "regions"}):
        made, twin = (maskwise.anonymize(table, asked, **how) for asked in (policy(), listed))
        assert sorted(map(str, made.data.to_pylist())) == sorted(map(str, twin.data.to_pylist()))
        assert set(made.solution.cut("job").labels) == set(twin.solution.cut("job").labels)
        if "why" in how:
            assert {repr(reason) for reason in made.why()} == {repr(reason) for reason in twin.why()}
