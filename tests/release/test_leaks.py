"""Released columns that tell a masked one, against plain Python."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
import yaml

import maskwise
from maskwise.datasets import adult_folder, load_adult
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.release import leaks as leaks_module
from maskwise.release import released_columns
from maskwise.release.leak_messages import leak_messages
from maskwise.release.leaks import Leak, LeakKind, find_leaks
from maskwise.report.report import report
from maskwise.search.options import SearchOptions
from maskwise.table import random_part
from maskwise.table.random_part import RandomPart, take_part
from maskwise.table.read import read
from maskwise.values.message import Audience
from tests.conftest import Run
from tests.reference.leaks import is_function, likely_by_chance, told


def leaks_of(
    data: Any, policy: Any, warned_from: float = leaks_module.WARNED_FROM, **options: Any
) -> dict[tuple[str, str], Leak]:
    """All leaks by attribute and column, from a smaller share on than is warned of."""
    asked = read_policy(policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaks_module, "WARNED_FROM", warned_from)
        solved = solve(read(data), asked, SearchOptions(**options))
        solution, profile, table = solved.solution, solved.profile, solved.table
        found = find_leaks(take_part(table, profile.n_rows), solution, profile.columns, asked)
    return {(leak.attribute, leak.column): leak for leak in found}


# Adult: what relationship told of sex.


def with_relationship() -> dict[str, Any]:
    """The bundled policy with `relationship` shown or hidden value by value, and a QID of its own."""
    asked: dict[str, Any] = yaml.safe_load((adult_folder() / "policy.yaml").read_text())
    for name, how in asked["attributes"].items():
        if isinstance(how, dict) and "taxonomy" in how:
            asked["attributes"][name] = {"taxonomy": str(adult_folder() / how["taxonomy"])}
    asked["attributes"]["relationship"] = "suppress"
    asked["requirements"][1] = {"qid": ["age", "sex", "hours-per-week", "relationship"], "k": 100}
    asked["drop"].remove("relationship")
    return asked


@pytest.mark.slow
def test_on_adult_relationship_tells_the_sex_of_46_percent_and_nothing_else_tells_much() -> None:
    policy = with_relationship()
    outcome = maskwise.anonymize(load_adult(), policy, as_published=True)
    raw = [one for one in load_adult().to_pylist() if all(one[name] is not None for name in outcome.policy.masked)]
    released = outcome.data.to_pylist()
    floors = outcome.policy.floors()
    expected = {
        (attribute, column): told(raw, released, attribute, column, floors[attribute])
        for attribute in outcome.policy.masked
        for column in outcome.solution.columns
        if column != attribute
    }
    first, second, *_ = sorted(expected.items(), key=lambda item: -item[1])
    assert (first[0], round(first[1], 4)) == (("sex", "relationship"), 0.4590)
    assert (second[0], round(second[1], 4)) == (("native-country", "capital-gain"), 0.0150)
    found = leaks_of(load_adult(), policy, warned_from=1e-9, as_published=True)
    assert {pair: pytest.approx(share) for pair, share in expected.items() if share} == {
        pair: leak.share for pair, leak in found.items()
    }
    (warning,) = outcome.warnings
    assert warning.startswith("`relationship` is released and tells the hidden value of `sex` in 46 % of all records.")


@pytest.mark.slow
def test_the_bundled_policy_has_no_warning() -> None:
    assert maskwise.anonymize(adult_folder() / "adult.parquet", adult_folder() / "policy.yaml").warnings == ()


# Random tables.


def some_table(seed: int, n: int = 400) -> pa.Table:
    """Masked columns a, b, c and others that are more or less bound to them."""
    rng = random.Random(seed)  # noqa: S311 - test data
    rows = []
    for _ in range(n):
        a, b = rng.choice("wxyz"), rng.randrange(12)
        rows.append(
            {
                "a": a,
                "b": b,
                "c": rng.choice(["p", "q", None]),
                "near": a if rng.random() < rng.choice([0.9, 1]) else rng.choice("wxyz"),
                "far": rng.choice("uv"),
                "of_b": b // rng.choice([1, 4]) if rng.random() < 0.9 else None,
                "many": rng.randrange(60),
                "class": "hi" if b > 5 + rng.randrange(3) else "lo",
            }
        )
    return pa.Table.from_pylist(rows)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_shares_are_those_of_plain_python(seed: int) -> None:
    table, k = some_table(seed), [2, 9, 30, 80][seed % 4]
    policy = {
        "class": "class",
        "attributes": {"a": {"taxonomy": {"*": {"l": ["w", "x"], "r": ["y", "z"]}}}, "b": {"interval": [0, 12]}},
        "requirements": [{"qid": ["a", "b", "c"], "k": k}],
    }
    outcome = maskwise.anonymize(table, policy, keep_order=True)
    raw, released = table.to_pylist(), outcome.data.to_pylist()

    def least(attribute: str) -> dict[Any, int]:
        """The smallest group behind each label that is no chance."""
        labels = {one[attribute] for one in released}
        return {
            label: next(
                (s for s in range(2, 10_000) if likely_by_chance(raw, released, attribute, label, s) <= 0.01), 10_000
            )
            for label in labels
        }

    expected = {}
    for attribute in "abc":
        smallest = least(attribute)
        for column in released[0]:
            if column == attribute:
                continue
            share = 0.0
            for label, size in smallest.items():
                chosen = [i for i, one in enumerate(released) if one[attribute] == label]
                among = told([raw[i] for i in chosen], [released[i] for i in chosen], attribute, column, max(k, size))
                share += among * len(chosen) / len(raw)
            if share:
                expected[attribute, column] = pytest.approx(share)
    found = leaks_of(table, policy, warned_from=1e-9)
    assert {pair: leak.share for pair, leak in found.items() if leak.kind is LeakKind.TELLS} == expected
    assert any(expected) or k == 80


def test_fewer_records_are_counted_of_very_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks_module, "_MOST_CELLS", 60_000)
    table = pa.table({**{f"m{i}": ["x", "y"] * 5_000 for i in range(3)}, "same": ["u", "v"] * 5_000})
    policy = {
        "attributes": {f"m{i}": {"taxonomy": {"*": ["x", "y"]}} for i in range(3)},
        "requirements": [{"qid": ["m0", "m1", "m2"], "k": 6_000}],
    }
    found = leaks_of(table, policy)
    assert {pair: leak.share for pair, leak in found.items()} == {(f"m{i}", "same"): 1.0 for i in range(3)}


# Columns that are bound to a masked one.


def bound(n: int = 300) -> dict[str, list[Any]]:
    """Records whose class depends on the age, so that the age is shown in parts and the sex is not."""
    rng = random.Random(1)  # noqa: S311 - test data
    ages = [rng.randrange(20, 80) for _ in range(n)]
    return {
        "age": ages,
        "sex": [rng.choice("FM") for _ in range(n)],
        "salary": [1_000 + i * 7 % 3_001 for i in range(n)],
        "risk": ["hi" if age + rng.randrange(20) > 60 else "lo" for age in ages],
    }


ASKS = {
    "class": "risk",
    "attributes": {
        "age": {"interval": [0, 99]},
        "sex": {"taxonomy": {"Any": ["F", "M"]}},
        "salary": {"interval": [0, 9_999]},
    },
    "requirements": [{"qid": ["age", "sex", "salary"], "k": 80}],
}


def kinds(extra: dict[str, list[Any]], **also: Any) -> dict[tuple[str, str], LeakKind]:
    found = leaks_of(pa.table({**bound(), **extra}), {**ASKS, **also})
    return {pair: leak.kind for pair, leak in found.items()}


@pytest.mark.slow
def test_a_copy_is_found_even_if_all_its_cells_differ() -> None:
    assert len(set(bound()["salary"])) == 300
    assert kinds({"pay": bound()["salary"]}) == {("salary", "pay"): LeakKind.REPEATS}
    assert kinds({"pay": [str(cell) for cell in bound()["salary"]]}) == {("salary", "pay"): LeakKind.REPEATS}
    shifted = [*bound()["salary"][1:], 5]
    assert kinds({"pay": shifted}) == {}


def test_a_column_with_groups_below_k_still_determines() -> None:
    """Fifty numbers with six records each, of one sex: none has k records, yet each tells the sex."""
    sexes = bound()["sex"]
    at = {"F": 0, "M": 0}
    codes = []
    for sex in sexes:
        codes.append(f"{sex}{at[sex] // 6}" if sex == "F" else f"N{at[sex] // 6}")
        at[sex] += 1
    assert is_function(sexes, codes)
    assert kinds({"code": codes})["sex", "code"] is LeakKind.DETERMINES
    random.Random(4).shuffle(codes)  # noqa: S311 - test data
    assert ("sex", "code") not in kinds({"code": codes})


def test_a_coarser_column_narrows_what_is_shown_more_coarsely() -> None:
    ages = bound()["age"]
    groups = ["young" if age < 25 else "old" if age > 45 else "middle" for age in ages]
    assert is_function(groups, ages)
    found = leaks_of(pa.table({**bound(), "age_cat": groups}), ASKS)
    leak = found["age", "age_cat"]
    assert leak.kind is LeakKind.NARROWS
    outcome = maskwise.anonymize(pa.table({**bound(), "age_cat": groups}), ASKS, keep_order=True)
    shown = outcome.data["age"].to_pylist()
    several = {label for label in shown if len({g for g, s in zip(groups, shown, strict=True) if s == label}) > 1}
    assert leak.share == pytest.approx(sum(label in several for label in shown) / len(shown))


def test_that_the_class_follows_from_an_attribute_is_no_leak() -> None:
    ages = bound()["age"]
    assert kinds({"risk": ["hi" if age > 50 else "lo" for age in ages]}) == {}


def test_identifiers_constants_and_unrelated_columns_tell_nothing() -> None:
    rng = random.Random(8)  # noqa: S311 - test data
    extra = {
        "id": [f"p{i}" for i in range(300)],
        "same": ["x"] * 300,
        "pairs": [i // 2 for i in range(300)],
        "other": [rng.choice("abcdef") for _ in range(300)],
        "empty": pa.array([None] * 300, pa.string()),
    }
    assert kinds(extra) == {}


def test_what_is_dropped_tells_nothing() -> None:
    assert kinds({"title": bound()["sex"]}, drop=["title"]) == {}


def test_small_groups_that_agree_by_chance_do_not_count() -> None:
    """With k=2, half of all pairs of records agree in sex."""
    asks = {**ASKS, "requirements": [{"qid": ["sex"], "k": 2}, {"qid": ["age", "salary"], "k": 290}]}
    table = pa.table({**bound(), "pairs": [i // 2 for i in range(300)]})
    assert leaks_of(table.set_column(1, "sex", pa.array(["F", "M"] * 150)), {**asks, "class": None}) == {}


# What is said, and to whom.


def files(folder: Path) -> tuple[Path, Path]:
    rows = bound()
    titles = ["Ms" if sex == "F" else "Mr" for sex in rows["sex"]]
    lines = [",".join(map(str, row)) for row in zip(*rows.values(), titles, strict=True)]
    (folder / "people.csv").write_text("\n".join([",".join([*rows, "title"]), *lines]))
    (folder / "policy.yaml").write_text(json.dumps(ASKS))
    return folder / "people.csv", folder / "policy.yaml"


SAYS = (
    "`title` is released and tells the hidden value of `sex` in 100 % of all records. Drop it, or put it into a "
    "quasi-identifier with `sex`."
)


def test_the_command_says_it_once_and_the_report_does_not(tmp_path: Path, run: Run) -> None:
    data, policy = files(tmp_path)
    given = ("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--report", tmp_path / "r.md", "--json")
    result = run(*given)
    assert result.err.splitlines() == [f"warning: {SAYS}"]
    assert json.loads(result.out)["warnings"] == [SAYS]
    assert "`title`" not in (tmp_path / "r.md").read_text()
    assert not [note for note in json.loads(result.out)["notes"] if "title" in note]


def test_strict_leaks_refuses_and_writes_nothing(tmp_path: Path, run: Run) -> None:
    data, policy = files(tmp_path)
    result = run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--strict-leaks")
    assert result.code == 1
    assert SAYS in " ".join(result.err.split())
    assert not (tmp_path / "out.csv").exists()
    policy.write_text(json.dumps({**ASKS, "drop": ["title"]}))
    assert run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--strict-leaks").code == 0


def test_python_warns_of_each_and_only_the_owner_may_read_it(tmp_path: Path) -> None:
    data, policy = files(tmp_path)
    with pytest.warns(maskwise.MaskwiseWarning) as caught:
        outcome = maskwise.anonymize(data, policy)
    ours = [one for one in caught if one.category is maskwise.MaskwiseWarning]
    assert [str(one.message) for one in ours] == list(outcome.warnings) == [SAYS]
    assert ours[0].filename == __file__
    (message,) = [message for message in outcome.messages if message.is_warning]
    assert message.audience is Audience.OWNER
    assert "title" not in " ".join(report(outcome).data["notes"])
    with pytest.raises(maskwise.LeakError, match="Nothing was released"):
        maskwise.anonymize(data, policy, strict_leaks=True)


def test_a_masker_warns_of_the_columns_that_pass_through() -> None:
    rows = bound()
    frame = pd.DataFrame({**rows, "title": rows["sex"], "name": [f"Pat {i}" for i in range(300)]}).drop(columns="risk")
    with pytest.warns(maskwise.MaskwiseWarning) as caught:
        maskwise.Masker(ASKS, encode="label").fit(frame, rows["risk"])
    ours = [str(one.message) for one in caught if one.category is maskwise.MaskwiseWarning]
    assert [text.split("`")[1] for text in ours] == ["title", "name"]


def test_an_estimate_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(random_part, "MOST_RECORDS", 200)
    (warning,) = maskwise.anonymize(*files(tmp_path)).warnings
    assert warning == f"{SAYS} This is an estimate from some 200 records."


def test_a_check_that_fails_is_told_and_only_strict_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: Any) -> None:
        raise maskwise.InputError("The database could not read the table.")

    data, policy = files(tmp_path)
    monkeypatch.setattr(released_columns, "find_leaks", fail)
    (warning,) = maskwise.anonymize(data, policy).warnings
    assert warning == "What the released columns tell could not be checked: The database could not read the table."
    with pytest.raises(maskwise.InputError, match="could not read"):
        maskwise.anonymize(data, policy, strict_leaks=True)


def test_each_kind_is_put_into_words() -> None:
    part = RandomPart(read(pa.table({"a": [1]})), 1)
    found = [
        Leak("b", "a", LeakKind.REPEATS, 1, is_masked=False),
        Leak("c", "a", LeakKind.DETERMINES, 1, is_masked=False),
        Leak("c", "d", LeakKind.TELLS, 0.254, is_masked=False),
        Leak("e", "a", LeakKind.NARROWS, 0.5, is_masked=False),
    ]
    repeats, determines, narrows = [message.text for message in leak_messages(found, part)]
    assert repeats == (
        "`b` is released and repeats `a` cell by cell. Drop it, or put it into a quasi-identifier with `a`."
    )
    assert determines == (
        "`c` is released and determines `a`: each of its values occurs with one value of it; it tells the hidden "
        "value of `d` in 25 % of all records. Drop it, or put it into a quasi-identifier with them."
    )
    assert narrows == (
        "`e` is released and follows from `a`, in more detail than the label of `a` in 50 % of all records. Drop it, "
        "or put it into a quasi-identifier with `a`."
    )
