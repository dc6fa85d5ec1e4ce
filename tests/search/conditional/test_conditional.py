"""What the conditional criterion does that the papers' score does not, and what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import maskwise
from maskwise import Masker
from maskwise.compress.compress import compress
from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.progress import Event, StageBegun, StepTaken
from maskwise.search.conditional.search import ConditionalSearch
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.table.read import read

N = 240
POLICY = {
    "class": "cls",
    "attributes": {"age": {"interval": [0, 100]}, "job": "suppress"},
    "requirements": [{"qid": ["age", "job"], "k": 8}],
}


def people(n: int = N, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age, job = rng.integers(18, 90, n), rng.choice(list("abcdef"), n)
    cls = np.where(age + 15 * (job == "a") + rng.normal(0, 10, n) > 55, "Y", "N")
    return {"age": age, "job": job, "cls": cls}


def conditional(columns: dict[str, Any], policy: dict[str, Any] | None = None, **options: Any) -> maskwise.Outcome:
    """Mask by conditional gain."""
    return maskwise.anonymize(pa.table(columns), policy or POLICY, criterion="conditional", **options)


def moves(outcome: maskwise.Outcome) -> list[Any]:
    return [(step.attribute, step.before, step.after) for step in outcome.steps]


# What it values.


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["suppress", "interval", {"taxonomy": {"any": {"lo": ["1", "2"], "hi": ["3", "4"]}}}])
def test_a_column_that_repeats_another_is_never_refined(kind: Any) -> None:
    rng = np.random.default_rng(1)
    value = rng.integers(1, 5, N)
    cells = value if kind == "interval" else value.astype(str)
    columns = {"a": cells, "b": cells, "cls": np.where(value + rng.random(N) > 3, "Y", "N")}
    policy = {"class": "cls", "attributes": {"a": kind, "b": kind}, "requirements": [{"qid": ["a", "b"], "k": 5}]}
    outcome = conditional(columns, policy)
    assert {step.attribute for step in outcome.steps} == {"a"}
    by_score = maskwise.anonymize(pa.table(columns), policy, criterion="score")
    assert {step.attribute for step in by_score.steps} == {"a", "b"}


@pytest.mark.slow
def test_nothing_is_refined_for_what_an_unmasked_column_tells() -> None:
    columns = people()
    told = {**columns, "copy": columns["cls"]}
    assert len(conditional(columns).steps) > 3
    assert not conditional(told).steps
    assert moves(conditional(told, {**POLICY, "drop": ["copy"]})) == moves(conditional(columns))


@pytest.mark.slow
def test_an_attribute_that_unmasked_columns_repeat_comes_late() -> None:
    """The class follows two columns alike; one of them is also there unmasked."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    columns = {"a": a.astype(str), "b": b.astype(str), "cls": (a + b + (rng.random(400) < 0.1)).astype(str)}
    policy = {"class": "cls", "requirements": [{"qid": ["a", "b"], "k": 5}]}
    assert conditional(columns, policy).steps[0].attribute == "a"
    outcome = conditional({**columns, "again": columns["a"]}, policy)
    assert {step.attribute for step in outcome.steps} == {"b"}


def test_an_interval_is_split_elsewhere_if_its_best_split_is_not_valid() -> None:
    age = [1] * 2 + [2] * 3 + [3] * 4
    columns = {"age": age, "cls": ["Y"] * 2 + ["N"] * 3 + ["N"] * 3 + ["Y"]}
    policy = {"class": "cls", "attributes": {"age": {"interval": [0, 9]}}, "requirements": [{"qid": ["age"], "k": 3}]}
    assert not maskwise.anonymize(pa.table(columns), policy, as_published=True).steps
    assert moves(conditional(columns, policy, as_published=True)) == [("age", "[0, 9]", ("[0, 3)", "[3, 9]"))]


def test_a_split_is_valid_only_with_all_attributes_of_its_qid() -> None:
    """Alone the best border leaves enough records on both sides; together with the other column it does not."""
    rows = [(1, "x", "Y")] * 3 + [(1, "z", "Y")] + [(2, "x", "N")] * 2 + [(2, "z", "Y")] * 2 + [(3, "x", "N")] * 3
    rows += [(3, "z", "N")] * 3
    age, job, cls = zip(*rows, strict=True)
    policy = {
        "class": "cls",
        "attributes": {"age": {"interval": [0, 9]}, "job": "suppress"},
        "requirements": [{"qid": ["age", "job"], "k": 3}],
    }
    outcome = conditional({"age": age, "job": job, "cls": cls}, policy)
    sizes = pd.DataFrame(outcome.data.to_pydict()).groupby(["age", "job"]).size()
    assert sizes.min() >= 3
    assert [r.figure for r in outcome.solution.reached] == [sizes.min()]


@pytest.mark.parametrize("work", [0, 10**6])
def test_a_gain_that_rises_is_found_also_if_weighed_lazily(monkeypatch: pytest.MonkeyPatch, work: int) -> None:
    """The class is whether two columns differ: the second tells nothing before the first is shown."""
    monkeypatch.setattr("maskwise.search.conditional.chooser.EXACT_WORK", work)
    rows = [("0", "0", "N")] * 4 + [("0", "1", "Y")] * 3 + [("0", "1", "N"), ("2", "0", "Y"), ("2", "1", "N")]
    rows += [("1", "0", "Y")] * 2 + [("1", "1", "N")] * 2
    a, b, cls = zip(*rows, strict=True)
    trees = {"a": {"taxonomy": {"any": ["0", "1", "2"]}}, "b": {"taxonomy": {"any": ["0", "1"]}}}
    policy = {"class": "cls", "attributes": trees, "requirements": [{"qid": ["a", "b"], "k": 1}]}
    outcome = conditional({"a": a, "b": b, "cls": cls}, policy)
    assert [step.attribute for step in outcome.steps] == ["a", "b"]
    assert outcome.steps[1].info_gain > outcome.steps[0].info_gain


def test_a_missing_value_splits_off_with_the_first_split() -> None:
    columns = people()
    columns["age"] = pa.array([None if i % 10 == 0 else int(age) for i, age in enumerate(columns["age"])])
    outcome = conditional(columns)
    first = next(step for step in outcome.steps if step.attribute == "age")
    assert first.before == "[0, 100]"
    assert len(first.after) == 3
    assert first.after[-1] is None
    assert sum(cell is None for cell in outcome.data["age"].to_pylist()) == N // 10


# What it takes.


def test_without_a_class_it_says_so() -> None:
    policy = {key: value for key, value in POLICY.items() if key != "class"}
    with pytest.raises(InputError, match=r"needs a class to tell\. Name one in the policy, or use `score`"):
        conditional(people(), policy)


def test_too_many_classes_are_refused_with_their_number() -> None:
    columns = people()
    conditional({**columns, "cls": [f"c{i % 50}" for i in range(N)]})
    with pytest.raises(InputError, match=r"up to 50 classes; found 51\. Use `score`"):
        conditional({**columns, "cls": [f"c{i % 51}" for i in range(N)]})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"criterion": "conditional", "effort": 2},
            "effort is for the method `regions`, and at least 1; others search once",
        ),
        ({"criterion": "score", "effort": 2}, "effort is for the method `regions`"),
        ({"method": "regions", "effort": 0}, "effort is for the method `regions`, and at least 1"),
        ({"criterion": "conditional", "method": "bug"}, "criterion is for the method `tdr`"),
        ({"criterion": "conditional", "seed": -1}, "at least 0"),
        ({"criterion": "infogain", "keep_order": True, "seed": 1}, "here nothing is"),
        ({"criterion": "condtional"}, "one of .*`conditional`"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        maskwise.anonymize(pa.table(people()), POLICY, **options)


@pytest.mark.slow
def test_a_class_may_have_missing_values_and_many_kinds_of_labels() -> None:
    columns = people()
    labels = np.where(columns["age"] > 60, 2, np.where(columns["job"] == "a", 1, 0))
    for cells in (labels, labels / 2, labels > 0, pa.array(labels.astype(np.int32)).cast(pa.date32())):
        assert conditional({**columns, "cls": cells}).steps
    holes = [None if label == 1 else str(label) for label in labels]
    outcome = conditional({**columns, "cls": holes, "free": np.arange(N) % 3}, keep_order=True)
    assert outcome.verdict.is_met
    # The missing class is a class: nothing else tells it from `0` but the job.
    assert "job" in {step.attribute for step in outcome.steps}
    assert outcome.data["cls"].to_pylist() == holes


def test_one_class_leaves_nothing_to_tell() -> None:
    outcome = conditional({**people(), "cls": ["Y"] * N, "free": list(range(N))})
    assert not outcome.steps
    assert any("one value only" in note for note in outcome.notes)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_tables_of_a_few_records(n: int) -> None:
    policy = {**POLICY, "requirements": [{"qid": ["age", "job"], "k": 1}]}
    assert conditional({**people(n), "free": list(range(n))}, policy).verdict.is_met


def unmasked() -> dict[str, Any]:
    """Columns of all kinds that pass through, with missing cells where there can be some."""
    some = np.arange(N)
    return {
        "missing": pa.array([None if i % 3 else float(i) for i in some]),
        "absent": pa.array([None] * N, pa.float64()),
        "nothing": pa.nulls(N),
        "infinite": np.where(some % 7 == 0, np.inf, some * 1e305),
        "large": 2**60 + some,
        "bool": pa.array([None if i % 5 == 0 else bool(i % 2) for i in some]),
        "date": pa.array((some % 20).astype(np.int32)).cast(pa.date32()),
        "moment": pa.array(some.astype(np.int64)).cast(pa.timestamp("us", "UTC")),
        "category": pa.array([["u", "v", None][i % 3] for i in some]).dictionary_encode(),
        "id": [f"person {i}" for i in some],
        "list": [[1]] * N,
        "bytes": [b"x"] * N,
        "constant": ["c"] * N,
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", unmasked())
def test_any_column_may_pass_unmasked(name: str) -> None:
    outcome = conditional({**people(), name: unmasked()[name]})
    assert name in outcome.passed
    assert len(outcome.steps) > 2


def test_a_column_of_names_and_one_that_is_constant_tell_nothing() -> None:
    without = conditional(people()).steps
    for name in ("id", "constant", "absent"):
        assert conditional({**people(), name: unmasked()[name]}).steps == without


@pytest.mark.slow
def test_csv_pandas_and_polars_give_the_same_cuts(tmp_path: Path) -> None:
    """Also by what an unmasked column of numbers tells, which a csv holds as texts."""
    rng = np.random.default_rng(5)
    columns = people()
    columns["pay"] = columns["age"] * 100.0 + rng.integers(0, 2500, N)
    columns["when"] = [f"2024-01-{1 + i % 28:02d}" for i in range(N)]
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "people.csv", index=False)
    sources = (pa.table(columns), frame, pl.DataFrame(columns), tmp_path / "people.csv")
    found = [maskwise.anonymize(source, POLICY, tmp_path / "out.csv", criterion="conditional") for source in sources]
    assert len(found[0].steps) > 2
    assert all(moves(outcome) == moves(found[0]) for outcome in found)
    assert isinstance(maskwise.anonymize(frame, POLICY, criterion="conditional").data, pd.DataFrame)


@pytest.mark.slow
def test_dropped_records_are_left_out_of_everything() -> None:
    columns = people()
    columns["free"] = columns["age"] // 10
    kept = {name: cells[N // 6 :] for name, cells in columns.items()}
    columns["job"] = pa.array([None] * (N // 6) + columns["job"].tolist()[N // 6 :])
    outcome = conditional(columns, {**POLICY, "missing": "drop"})
    assert outcome.n_dropped == N // 6
    assert outcome.steps == conditional(kept).steps


@pytest.mark.slow
def test_a_masker_searches_by_conditional_gain() -> None:
    frame = pd.DataFrame(people())
    masker = Masker(POLICY, criterion="conditional", encode="label").fit(frame)
    outcome = conditional(people(), keep_order=True)
    assert masker.solution_.cuts == outcome.solution.cuts
    assert masker.transform(frame.drop(columns="cls"))["age"].tolist() == outcome.data["age"].to_pylist()
    assert Masker.from_json(masker.to_json()).solution_.cuts == masker.solution_.cuts


def test_a_search_leaves_the_counts_it_starts_from_as_they_are() -> None:
    policy = read_policy(POLICY)
    profiled, table = profile(read(pa.table(people())), policy)
    search = ConditionalSearch(Problem(profiled, policy, SearchOptions(criterion="conditional"), tuple(people())))
    counts = compress(table, profiled, search.request)
    tables = [*counts.tables, counts.classes.rows]
    before = [(one.codes.copy(), one.counts.copy()) for one in tables]
    first, again = (search.run(counts, NoProgress()) for _ in range(2))
    assert len(first.steps) > 2
    assert again.steps == first.steps
    assert search.rerun(counts, 2).steps == first.steps[:2]
    for (codes, counted), one in zip(before, tables, strict=True):
        assert (codes == one.codes).all()
        assert (counted == one.counts).all()


def test_a_value_with_one_child_in_the_table_gives_way_to_it() -> None:
    """Nobody of `Elsewhere` is there, so `Any` tells no more than `Here`, but hides what is below it."""
    rng = np.random.default_rng(0)
    town = rng.choice(["north", "south"], 60)
    columns = {"town": town, "cls": np.where(town == "north", "Y", rng.choice(["Y", "N"], 60))}
    tree = {"Any": {"Here": ["north", "south"], "Elsewhere": ["moon", "mars"]}}
    asked = {"class": "cls", "attributes": {"town": {"taxonomy": tree}}, "requirements": [{"qid": ["town"], "k": 5}]}
    outcome = conditional(columns, asked)
    assert [(step.before, step.info_gain, step.loss) for step in outcome.steps[:1]] == [("Any", 0.0, 0.0)]
    assert set(outcome.data["town"].to_pylist()) == {"north", "south"}


def test_no_time_still_gives_a_safe_table() -> None:
    outcome = conditional(people(), time_limit=0)
    assert not outcome.steps
    assert outcome.verdict.is_met


def test_a_step_limit_is_kept() -> None:
    outcome = conditional(people(), max_steps=3)
    assert len(outcome.steps) == 3
    assert outcome.verdict.is_met


# What is told of a run.


class Heard:
    """Keeps the stages, and the numbers of the steps in each."""

    def __init__(self) -> None:
        self.stages: dict[str, list[int]] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, StageBegun):
            assert str(event) not in {*self.stages} - {"compress"}
            self.stages[str(event)] = []
        elif isinstance(event, StepTaken):
            list(self.stages.values())[-1].append(event.step.step)


def test_a_single_search_is_not_counted() -> None:
    heard = Heard()
    maskwise.anonymize(pa.table(people()), POLICY, on_event=heard, criterion="conditional")
    ending = ["attack", "check", "mask", "verify", "assess"]
    assert list(heard.stages) == ["read", "profile", "compress", "search", *ending]
