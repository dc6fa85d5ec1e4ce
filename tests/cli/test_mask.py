"""`maskwise mask`: what it writes and says, held against a recount with pandas."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from maskwise.cli.terminal import Terminal
from maskwise.formats import yaml_lines
from maskwise.policy.source_lines import Document
from tests.conftest import (
    HEADER,
    MASKED,
    PARENT,
    POLICY,
    Run,
    cells,
    csv_text,
    drop_identifiers,
    folder,
    frame,
    group_sizes,
    people,
)

QIDS = {("Age", "Edu", "Job"): 5, ("Age", "Sex"): 8}
MOST_MASKED = {"Age": "[0, 120]", "Edu": "ANY_Edu", "Job": "*", "Sex": "*"}


def holds(path: Path) -> bool:
    """Whether a release meets the policy, by pandas."""
    table = frame(path)
    return all(group_sizes(table, qid).min() >= k for qid, k in QIDS.items())


def generalizes(shown: str, name: str, cell: str) -> bool:
    """Whether a shown value stands for a cell."""
    if name == "Age":
        low, high = (int(end) for end in shown[1:-1].split(", "))
        return low <= int(cell) <= high if shown.endswith("]") else low <= int(cell) < high
    if name == "Edu":
        above = [cell]
        while above[-1] in PARENT:
            above.append(PARENT[above[-1]])
        return shown in above
    return shown in {cell, "*"}


@pytest.mark.slow
def test_the_release_meets_the_policy_and_stands_for_the_records(
    tmp_path: Path, run: Run, data: Path, policy: Path
) -> None:
    assert run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--keep-order").code == 0
    assert holds(tmp_path / "out.csv")
    before, after = frame(data), frame(tmp_path / "out.csv")
    assert list(after.columns) == [name for name in HEADER if name != "Name"]
    for name in MASKED:
        assert all(generalizes(s, name, c) for s, c in zip(after[name], before[name], strict=True)), name
    for name in ("Id", "Zip", "Risk"):
        assert after[name].tolist() == before[name].tolist()
    assert any(after[name].nunique() > 1 for name in MASKED)


def test_json_agrees_with_a_recount_of_the_written_file(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    drop_identifiers(policy)
    result = run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--json")
    assert (result.code, result.err) == (0, "")
    said, table = json.loads(result.out), frame(tmp_path / "out.csv")
    assert said["rows"] == len(table) == 200
    assert said["output"] == str(tmp_path / "out.csv")
    assert [(tuple(r["qid"]), r["k"]) for r in said["requirements"]] == list(QIDS.items())
    for item in said["requirements"]:
        sizes = group_sizes(table, item["qid"])
        assert item["reached"] == sizes.min()
        assert item["groups"] == len(sizes)
        assert (item["violating_groups"], item["violating_records"], item["holds"]) == (0, 0, True)
        assert item["group_sizes"]["max"] == sizes.max()
        bins = item["group_sizes"]["histogram"]
        for bin_ in bins:
            inside = sizes[(sizes >= bin_["from"]) & (sizes <= (bin_["to"] or sizes.max()))]
            assert (bin_["groups"], bin_["records"]) == (len(inside), inside.sum())
        assert sum(b["records"] for b in bins) == len(table)
    for item in said["attributes"]:
        assert set(table[item["name"]]) <= set(item["shown"])
    assert said["ending"] == "maximal"


def test_quiet_prints_nothing(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    drop_identifiers(policy)
    result = run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert holds(tmp_path / "out.csv")


def test_quiet_still_tells_an_error(tmp_path: Path, run: Run, policy: Path) -> None:
    result = run("mask", tmp_path / "nowhere.csv", "-p", policy, "-o", tmp_path / "out.csv", "--quiet")
    assert (result.code, result.out) == (2, "")
    assert "nowhere.csv" in result.err


def test_what_was_written_is_listed(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    files = {
        option: tmp_path / name for option, name in (("-o", "o.csv"), ("--solution", "s.json"), ("--trace", "t.jsonl"))
    }
    result = run("mask", data, "-p", policy, *(part for pair in files.items() for part in pair))
    assert result.code == 0
    assert [path for path in files.values() if str(path) not in result.out or not path.is_file()] == []
    assert set(folder(tmp_path)) == {"people.csv", "policy.yaml", "o.csv", "s.json", "t.jsonl"}


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    for name in "ab":
        arguments = (
            "-o",
            tmp_path / f"{name}.csv",
            "--solution",
            tmp_path / f"{name}.json",
            "--trace",
            tmp_path / name,
            "--seed",
            7,
        )
        assert run("mask", data, "-p", policy, *arguments).code == 0
    written = folder(tmp_path)
    assert (written["a.csv"], written["a.json"], written["a"]) == (written["b.csv"], written["b.json"], written["b"])


@pytest.mark.slow
def test_without_a_seed_the_order_is_another_one_each_time(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    for name in "ab":
        assert run("mask", data, "-p", policy, "-o", tmp_path / f"{name}.csv").code == 0
    one, two = cells(tmp_path / "a.csv"), cells(tmp_path / "b.csv")
    ids = [[row[0] for row in table[1:]] for table in (one, two)]
    kept = [row[0] for row in people()]
    assert ids[0] != ids[1]
    assert kept not in ids
    assert sorted(one) == sorted(two)


@pytest.mark.slow
def test_as_published_keeps_the_order_unless_a_random_one_is_asked_for(
    tmp_path: Path, run: Run, data: Path, policy: Path
) -> None:
    ids = {}
    for name, options in {"published": (), "kept": ("--keep-order",), "shuffled": ("--shuffle",)}.items():
        arguments = ("-o", tmp_path / f"{name}.csv", "--as-published", *options)
        assert run("mask", data, "-p", policy, *arguments).code == 0
        ids[name] = [row[0] for row in cells(tmp_path / f"{name}.csv")[1:]]
    assert ids["published"] == ids["kept"] == [row[0] for row in people()]
    assert ids["shuffled"] != ids["kept"]
    assert sorted(ids["shuffled"]) == sorted(ids["kept"])


@pytest.mark.slow
def test_a_seed_is_refused_where_nothing_is_drawn(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    out = tmp_path / "out.csv"
    for options, code in (([], 2), (["--criterion", "conditional"], 2), (["--method", "regions"], 0)):
        result = run("mask", data, "-p", policy, "-o", out, "--keep-order", "--seed", "3", *options)
        assert result.code == code
        assert ("Leave out the seed" in result.err) == (code == 2)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--keep-order", "--shuffle"], "shuffled or keep their order"),
        (["--keep-order", "--seed", "3", "--criterion", "score"], "Leave out the seed"),
        (["--as-published", "--seed", "3"], "Leave out the seed"),
        (["--as-published", "--boundaries", "safe"], "exact boundaries, and safe ones are asked for"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    tmp_path: Path, refused, data: Path, policy: Path, options: list[str], says: str
) -> None:
    refused("mask", data, "-p", policy, "-o", tmp_path / "out.csv", *options, says=[says])


@pytest.mark.slow
def test_row_order_changes_no_cut(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    (tmp_path / "back.csv").write_text(csv_text(HEADER, people()[::-1]), encoding="utf-8")
    for name, source in (("a", data), ("b", tmp_path / "back.csv")):
        arguments = (
            "-o",
            tmp_path / f"{name}.csv",
            "--solution",
            tmp_path / f"{name}.json",
            "--trace",
            tmp_path / name,
            "--keep-order",
        )
        assert run("mask", source, "-p", policy, *arguments).code == 0
    written = folder(tmp_path)
    assert (written["a.json"], written["a"]) == (written["b.json"], written["b"])
    assert cells(tmp_path / "a.csv")[1:] == cells(tmp_path / "b.csv")[:0:-1]


@pytest.mark.slow
def test_a_requirement_that_another_implies_is_named(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    policy.write_text(POLICY.replace("drop:", "  - {qid: [Edu, Job], k: 3}\ndrop:"), encoding="utf-8")
    result = run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--solution", tmp_path / "s.json")
    assert result.code == 0
    assert "k=3 on {Edu, Job} follows from requirement 1" in result.err
    solution = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert solution["dropped_requirements"] == [2]
    assert solution["requirements"][2]["reached"] == group_sizes(frame(tmp_path / "out.csv"), ["Edu", "Job"]).min()


def test_defaults_are_told(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    policy.write_text("class: Risk\nattributes: {Zip: suppress}\nrequirements: [{qid: [Age, Sex], k: 5}]\n")
    result = run("mask", data, "-p", policy, "-o", tmp_path / "out.csv")
    assert result.code == 0
    assert "`Sex` has no entry" in result.err
    assert "`Age` has no range" in result.err
    assert "`Zip` has an entry but is in no quasi-identifier" in result.err
    ages = frame(data)["Age"].astype(int)
    ends = [label[1:-1].split(", ") for label in set(frame(tmp_path / "out.csv")["Age"])]
    assert min(int(low) for low, _ in ends) == ages.min()
    assert max(int(high) for _, high in ends) == ages.max()


# The files beside the release.


@pytest.mark.slow
def test_trace_lines_have_the_documented_keys_and_replay_to_the_release(
    tmp_path: Path, run: Run, data: Path, policy: Path
) -> None:
    trace = tmp_path / "t.jsonl"
    result = run(
        "mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--criterion", "score", "--trace", trace, "--json"
    )
    said = json.loads(result.out)
    steps = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert len(steps) == said["steps"] > 3
    shown = {name: {root} for name, root in MOST_MASKED.items()}
    for number, step in enumerate(steps, start=1):
        assert list(step) == ["step", "attribute", "from", "to", "info_gain", "loss", "score", "requirements"]
        assert step["step"] == number
        assert step["from"] in shown[step["attribute"]]
        shown[step["attribute"]] = shown[step["attribute"]] - {step["from"]} | set(step["to"])
        assert step["score"] == pytest.approx(step["info_gain"] / (step["loss"] + 1), rel=1e-12)
        assert all(figure >= k for figure, k in zip(step["requirements"], QIDS.values(), strict=True))
    assert steps[-1]["requirements"] == [item["reached"] for item in said["requirements"]]
    table = frame(tmp_path / "out.csv")
    for name in MASKED:
        assert set(table[name]) <= shown[name], name


def test_the_first_gain_of_the_trace_is_the_textbooks(tmp_path: Path, run: Run) -> None:
    # One attribute, four records of each value, classes 4:0 and 1:3; by hand from the definition of entropy.
    rows = [("a", "x")] * 4 + [("b", "x")] + [("b", "y")] * 3
    (tmp_path / "d.csv").write_text(csv_text(("Q", "C"), rows), encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        "class: C\nattributes: {Q: {taxonomy: {ANY: [a, b]}}}\nrequirements: [{qid: [Q], k: 2}]\n", encoding="utf-8"
    )
    arguments = ("-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv", "--trace", tmp_path / "t.jsonl")
    assert run("mask", tmp_path / "d.csv", *arguments).code == 0
    (line,) = (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    step = json.loads(line)
    assert step["info_gain"] == pytest.approx(0.9544340029249649 - 0.5 * 0.8112781244591328)
    assert step["loss"] == 8 - 4
    assert (step["from"], step["to"], step["requirements"]) == ("ANY", ["a", "b"], [4])


@pytest.mark.slow
def test_the_public_solution_holds_no_hidden_value_and_is_refused_by_apply(
    tmp_path: Path, run: Run, data: Path, policy: Path
) -> None:
    arguments = ("mask", data, "-p", policy, "-o", tmp_path / "o.csv", "--solution")
    assert run(*arguments, tmp_path / "owner.json").code == 0
    assert run(*arguments, tmp_path / "public.json", "--public").code == 0
    owner, public = ((tmp_path / f"{name}.json").read_text(encoding="utf-8") for name in ("owner", "public"))
    released = frame(tmp_path / "o.csv")
    gone = {cell for name in ("Edu", "Job", "Sex") for cell in set(frame(data)[name]) - set(released[name])}
    assert "judge" in gone  # only a few records have it
    assert [value for value in gone if f'"{value}"' not in owner] == []
    assert [value for value in gone | {"doctor"} if f'"{value}"' in public] == []
    assert "owner" in json.loads(owner)["note"]
    result = run("apply", data, "-s", tmp_path / "public.json", "-o", tmp_path / "again.csv")
    assert result.code == 2
    assert "public form" in result.err
    assert not (tmp_path / "again.csv").exists()


def test_the_solution_says_what_was_asked_and_reached(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    assert run("mask", data, "-p", policy, "-o", tmp_path / "o.csv", "--solution", tmp_path / "s.json").code == 0
    solution, table = json.loads((tmp_path / "s.json").read_text(encoding="utf-8")), frame(tmp_path / "o.csv")
    assert {"format_version", "maskwise", "policy_hash"} <= set(solution)
    assert solution["rows"] == len(table)
    assert [r["reached"] for r in solution["requirements"]] == [group_sizes(table, qid).min() for qid in QIDS]
    assert [entry["name"] for entry in solution["attributes"]] == list(MASKED)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r.md", "r.txt"])
def test_a_report_for_people_says_what_was_reached_and_what_is_not_protected(
    tmp_path: Path, run: Run, data: Path, policy: Path, name: str
) -> None:
    assert run("mask", data, "-p", policy, "-o", tmp_path / "o.csv", "--report", tmp_path / name).code == 0
    text, table = (tmp_path / name).read_text(encoding="utf-8"), frame(tmp_path / "o.csv")
    assert "200 records" in text
    for qid, k in QIDS.items():
        sizes = group_sizes(table, qid)
        assert f"| {', '.join(qid)} | k = {k} | {sizes.min()} | {len(sizes)} |" in text
    assert "minimality" in text
    hidden = set(frame(data)["Job"]) - set(table["Job"])
    assert [value for value in hidden if value in text] == []


@pytest.mark.slow
def test_the_owners_report_for_scripts_is_what_json_prints(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    reports = {"--report": tmp_path / "r.json", "--owner-report": tmp_path / "owner.json"}
    arguments = (part for pair in reports.items() for part in pair)
    result = run("mask", data, "-p", policy, "-o", tmp_path / "o.csv", *arguments, "--json")
    said = json.loads(result.out)
    public, owners = (json.loads(path.read_text(encoding="utf-8")) for path in reports.values())
    assert said == owners
    # Where the table was and how it was searched do not follow from the release; what looks like an identifier does.
    assert "`Id`" in said["warnings"][0]
    assert "drop: [" in said["warnings"][0]
    assert "`Id`" in public["warnings"][0]
    assert "drop: [" not in public["warnings"][0]
    private = {"source", "output", "dropped_rows", "steps", "ending", "how_it_ended", "curve", "why", "attacks"}
    assert set(owners) - set(public) == private
    assert not set(public) - set(owners)
    for name in ("rows", "class", "method", "criterion", "passed", "dropped", "protects"):
        assert public[name] == owners[name], name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["owner.md", "owner.txt"])
def test_the_owners_report_for_people_says_how_it_was_found(
    tmp_path: Path, run: Run, data: Path, policy: Path, name: str
) -> None:
    arguments = ("-o", tmp_path / "o.csv", "--report", tmp_path / "r.md", "--owner-report", tmp_path / name)
    result = run("mask", data, "-p", policy, *arguments, "--json")
    n_steps = json.loads(result.out)["steps"]
    public, owners = ((tmp_path / file).read_text(encoding="utf-8") for file in ("r.md", name))
    for text in ("people.csv", f"{n_steps} refinements", "drop: [Id", "Do not hand it out"):
        assert text in owners
        assert text not in public


def test_a_report_for_the_owner_can_be_read_by_nobody_else(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    arguments = ("-o", tmp_path / "o.csv", "--report", tmp_path / "r.md", "--owner-report", tmp_path / "owner.md")
    assert run("mask", data, "-p", policy, *arguments).code == 0
    assert (tmp_path / "owner.md").stat().st_mode & 0o077 == 0
    assert (tmp_path / "r.md").stat().st_mode & 0o044


# Stopping early.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "n_steps", "why"),
    [
        (["--max-steps", 0], 0, "step limit"),
        (["--max-steps", 1], 1, "step limit"),
        (["--time-limit", 0], 0, "time limit"),
    ],
)
def test_a_search_that_is_stopped_early_releases_a_verified_table_and_says_so(
    tmp_path: Path, run: Run, data: Path, policy: Path, options: list, n_steps: int, why: str
) -> None:
    arguments = ("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--trace", tmp_path / "t.jsonl", *options)
    result = run(*arguments)
    assert result.code == 0
    assert "stopped early" in result.err
    assert why in result.err
    assert holds(tmp_path / "out.csv")
    assert run("audit", tmp_path / "out.csv", "-p", policy).code == 0
    steps = (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(steps) == n_steps
    shown = {name: set(frame(tmp_path / "out.csv")[name]) for name in MASKED}
    refined = {json.loads(step)["attribute"] for step in steps}
    assert {name for name in MASKED if shown[name] != {MOST_MASKED[name]}} == refined
    said = json.loads(run(*arguments, "--json").out)
    assert (said["ending"], said["steps"]) == (why, n_steps)


def test_more_steps_than_there_are_is_no_early_stop(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    result = run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--max-steps", 10_000)
    assert result.code == 0
    assert "stopped early" not in result.err


@pytest.mark.slow
def test_a_limit_of_exactly_the_last_step_is_no_early_stop(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    arguments = ("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--json", "--keep-order")
    n_steps = json.loads(run(*arguments).out)["steps"]
    before = (tmp_path / "out.csv").read_bytes()
    said = json.loads(run(*arguments, "--max-steps", n_steps).out)
    assert (tmp_path / "out.csv").read_bytes() == before
    assert said["ending"] == "maximal"


def test_ctrl_c_during_the_search_releases_what_was_reached(
    tmp_path: Path, run: Run, data: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Terminal, "step", lambda _, step: signal.raise_signal(signal.SIGINT) if step.step == 2 else None
    )
    before = signal.getsignal(signal.SIGINT)
    result = run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--trace", tmp_path / "t.jsonl")
    assert result.code == 0
    assert "stopped early (interrupted) after 2 refinements" in result.err
    assert len((tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert holds(tmp_path / "out.csv")
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_ends_without_a_release(
    tmp_path: Path, refused, data: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Terminal, "step", twice)
    refused("mask", data, "-p", policy, "-o", tmp_path / "out.csv", code=130, says=["nothing was written"])


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["score", "infogain"])
def test_both_criteria_release_a_table_that_holds(
    tmp_path: Path, run: Run, data: Path, policy: Path, criterion: str
) -> None:
    result = run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--criterion", criterion, "--json")
    assert json.loads(result.out)["criterion"] == criterion
    assert holds(tmp_path / "out.csv")


def test_a_policy_is_read_once(
    tmp_path: Path, run: Run, data: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def load(path: Path) -> Document:
        read.append(path)
        return loaded(path)

    loaded = yaml_lines.load
    monkeypatch.setattr(yaml_lines, "load", load)
    assert run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "-q").code == 0
    assert read == [policy]
