"""A session: a table that stays open, searched again and again."""

from __future__ import annotations

import stat
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import maskwise
from maskwise.compress import scored_records
from maskwise.engines.sql import Engine
from maskwise.errors import WriteError
from maskwise.progress import Event, RunProgress, StageBegun, StepTaken, StillWorking
from maskwise.session.session import Session
from maskwise.values.reading import AS_IT_IS
from maskwise.values.stages import Stage

POLICY: dict[str, Any] = {
    "class": "Risk",
    "attributes": {
        "Age": {"interval": [0, 100]},
        "Job": {"taxonomy": {"Any": {"Office": ["clerk", "boss"], "Care": ["nurse", "cook"]}}},
    },
    "requirements": [{"qid": ["Age", "Job", "Sex"], "k": 4}],
}
JOBS = ("clerk", "nurse", "boss", "cook")


def people(n: int = 240) -> pa.Table:
    """Made by plain arithmetic, so that every run has the same."""
    ages = [18 + (i * 37) % 70 for i in range(n)]
    jobs = [JOBS[(i * 7 + i // 5) % 4] for i in range(n)]
    sexes = ["FM"[(i // 3) % 2] for i in range(n)]
    risky = [
        (age > 50 and job != "boss") or (age < 35 and sex == "F")
        for age, job, sex in zip(ages, jobs, sexes, strict=True)
    ]
    return pa.table(
        {
            "Age": ages,
            "Job": jobs,
            "Sex": sexes,
            "Town": [f"T{i % 6}" for i in range(n)],
            "Risk": ["hi" if one else "lo" for one in risky],
        }
    )


def with_k(k: int, **more: Any) -> dict[str, Any]:
    return POLICY | {"requirements": [{"qid": ["Age", "Job", "Sex"], "k": k}], **more}


WAYS = [{}, {"criterion": "conditional"}, {"method": "regions", "effort": 1}]


@pytest.mark.slow
@pytest.mark.parametrize("how", WAYS)
def test_an_earlier_step_is_the_search_stopped_there(how: dict[str, Any]) -> None:
    with Session(people()) as session:
        run = session.search(POLICY, **how)
        assert len(run.steps) > 2
        for step in (0, 1, len(run.steps) - 1, len(run.steps)):
            there = run.at(step)
            assert there.curve == run.curve[: step + 1]
            assert there.steps == run.steps[:step]
            assert there.verdict.is_met
            assert there.verdict.findings[0].figure == run.curve[step].requirements[0]
        assert run.at(0).solution.cut("Job").labels == ("Any",)


def test_steps_are_those_of_a_run_with_a_limit() -> None:
    with Session(people()) as session:
        run = session.search(POLICY)
        assert run.at(2).solution.cuts == maskwise.anonymize(people(), POLICY, max_steps=2).solution.cuts


def test_bottom_up_only_the_end_is_safe() -> None:
    with Session(people()) as session:
        run = session.search(POLICY, method="bug")
        assert run.at(len(run.steps)).steps == run.steps
        with pytest.raises(maskwise.InputError, match="only at the end"):
            run.at(1)


@pytest.mark.parametrize("step", [-1, 10_000])
def test_there_is_no_such_step(step: int) -> None:
    with Session(people()) as session, pytest.raises(maskwise.InputError, match="The search has the steps 1 to"):
        session.search(POLICY).at(step)


def test_every_step_comes_with_its_point_of_the_curve() -> None:
    heard: list[Event] = []
    with Session(people()) as session:
        run = session.search(POLICY, on_event=heard.append)
    taken = [event for event in heard if isinstance(event, StepTaken)]
    assert tuple(event.step for event in taken) == run.steps
    assert tuple(event.point for event in taken) == run.curve[1:]
    stages = [event.stage for event in heard if isinstance(event, StageBegun)]
    assert stages == [Stage.READ, Stage.PROFILE, Stage.COMPRESS, Stage.LEARN, Stage.COMPRESS, Stage.SEARCH]


@pytest.mark.slow
@pytest.mark.parametrize("how", WAYS)
def test_another_thread_stops_the_search_and_what_was_found_is_kept(how: dict[str, Any]) -> None:
    stop = threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, StepTaken) and event.step.step == 2:
            other = threading.Thread(target=stop.set)
            other.start()
            other.join()

    with Session(people()) as session:
        run = session.search(POLICY, on_event=listen, stop=stop, **how)
        assert len(run.steps) == 2
        assert run.solution.ending == "interrupted"
        assert run.verdict.is_met


def test_stopped_before_the_search_there_is_nothing_to_keep() -> None:
    stop = threading.Event()
    stop.set()
    with Session(people()) as session:
        with pytest.raises(maskwise.UnfinishedError, match="before its search began"):
            session.search(POLICY, stop=stop)
        assert session.search(POLICY).verdict.is_met


@pytest.mark.slow
def test_a_changed_k_counts_no_column_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    counting = Engine.group_each

    def count(self: Engine, expr: Any, columns: Any, together: Any) -> Any:
        asked.append(len(columns))
        return counting(self, expr, columns, together)

    monkeypatch.setattr(Engine, "group_each", count)
    with Session(people()) as session:
        session.search(POLICY)
        assert asked == [3, 1]  # three masked columns, and the unmasked one beside the class
        for k in (2, 9, 30):
            assert session.search(with_k(k)).solution == maskwise.anonymize(people(), with_k(k)).solution
        assert asked == [3, 1] * 4  # of which three are those of `anonymize`
        wider = POLICY | {"requirements": [{"qid": ["Age", "Job", "Sex", "Town"], "k": 3}]}
        assert session.search(wider).solution == maskwise.anonymize(people(), wider).solution
        assert asked == [*[3, 1] * 4, 1, 4]


@pytest.mark.slow
def test_a_changed_k_looks_for_identifiers_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from maskwise.release import released_columns

    asked: list[tuple[str, ...]] = []
    looking = released_columns.repeated_person_keys

    def look(table: Any, policy: Any, part: Any) -> Any:
        asked.append(policy.masked)
        return looking(table, policy, part)

    monkeypatch.setattr(released_columns, "repeated_person_keys", look)
    with Session(people()) as session:
        for k in (2, 9):
            found = session.search(with_k(k)).outcome
            assert found.warnings == maskwise.anonymize(people(), with_k(k)).warnings
        assert len(asked) == 3  # of which two are those of `anonymize`
        _ = session.search(with_k(2, drop=["Town"])).outcome
        assert len(asked) == 4


@pytest.mark.slow
@pytest.mark.parametrize("n_qids", [1, 2])
def test_what_a_search_and_a_release_made_in_the_engine_is_gone(tmp_path: Path, n_qids: int) -> None:
    """With one QID there are unmasked columns, whose records are looked at."""
    qids = [["Age", "Job"], ["Sex", "Town"]][:n_qids]
    with Session(people()) as session:
        engine = session._table(AS_IT_IS).engine  # noqa: SLF001 - what it made is nobody's to see
        sizes = []
        for k in (3, 4, 5):
            run = session.search(with_k(k, requirements=[{"qid": qid, "k": k} for qid in qids]))
            assert run.verdict.is_met
            run.write(tmp_path, keep_order=True)
            sizes.append(len(engine._temporary))  # noqa: SLF001 - as above
        assert sizes[0] == sizes[1] == sizes[2]
        assert len(list(session.private_folder().iterdir())) == 1  # that of the last run
        del run
        assert list(session.private_folder().iterdir()) == []


@pytest.mark.slow
def test_what_unmasked_columns_tell_is_learned_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[int] = []
    learning = scored_records._score_records  # noqa: SLF001 - what is done once

    def learn(table: Any, columns: Any, *more: Any) -> Any:
        asked.append(len(columns))
        return learning(table, columns, *more)

    monkeypatch.setattr(scored_records, "_score_records", learn)
    pa.parquet.write_table(people(), tmp_path / "people.parquet")
    with Session(tmp_path / "people.parquet") as session:
        for k in (3, 4):
            session.search(with_k(k), criterion="conditional")
        assert asked == [1]
        found = session.search(with_k(4), criterion="conditional").solution.cuts
    assert found == maskwise.anonymize(people(), with_k(4), criterion="conditional").solution.cuts


def test_a_recount_counts_although_counts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with Session(people()) as session:
        run = session.search(POLICY)
        assert run.verdict.is_met
        masked = run.outcome.solution.cut("Job")
        # A release that shows the raw jobs has the same kept counts, and is refused all the same.
        monkeypatch.setattr(
            "maskwise.pipeline.releasing.mask_and_suppress", lambda table, *_: (table, run.solution, None)
        )
        with pytest.raises(maskwise.RefusedError):
            _ = session.search(POLICY).outcome
    assert masked.labels


def test_a_policy_is_read_with_its_own_missing_values() -> None:
    table = people().set_column(3, "Town", pa.array(["?" if i % 4 == 0 else "T1" for i in range(240)]))
    policy = {"na_values": ["?"], "missing": "drop", "requirements": [{"qid": ["Town", "Sex"], "k": 3}]}
    with Session(table) as session:
        assert session.search(policy | {"na_values": []}).verdict.n_rows == 240
        assert session.search(policy).verdict.n_rows == 180


def test_rows_stand_beside_what_is_released_of_them() -> None:
    with Session(people()) as session:
        run = session.search(POLICY)
        pairs = run.rows(7, 5)
        masked = maskwise.apply(people(), run.solution, keep_order=True).data.slice(7, 5).to_pylist()
    raw = people().slice(7, 5).to_pylist()
    assert pairs.names == tuple(people().column_names)
    assert [row.before for row in pairs.rows] == [tuple(str(cell) for cell in row.values()) for row in raw]
    shown = [dict(zip(pairs.released, row.after or (), strict=True)) for row in pairs.rows]
    assert shown == [{name: str(cell) for name, cell in row.items()} for row in masked]


def test_rows_that_are_suppressed_have_no_release() -> None:
    table = pa.table({"Job": ["nurse"] * 15 + ["smith"] + ["clerk"] * 15, "Risk": ["lo"] * 16 + ["hi"] * 15})
    jobs = {"taxonomy": {"Any": ["nurse", "clerk", "smith"]}}
    policy = {"class": "Risk", "attributes": {"Job": jobs}, "suppress": "5%"}
    with Session(table) as session:
        run = session.search(policy | {"requirements": [{"qid": ["Job"], "k": 5}]})
        rows = run.rows(0, 31).rows
        assert run.verdict.n_rows == 30
    assert [i for i, row in enumerate(rows) if row.after is None] == [15]
    assert rows[0].after == ("nurse", "lo")


def test_rows_beyond_the_end_and_too_many() -> None:
    with Session(people()) as session:
        run = session.search(POLICY)
        assert run.rows(240, 5).rows == ()
        for start, n in ((-1, 5), (0, 100_000)):
            with pytest.raises(maskwise.InputError, match="up to 1,000"):
                run.rows(start, n)


def test_reasons_are_found_when_they_are_asked_for() -> None:
    with Session(people()) as session:
        run = session.search(POLICY)
        assert run.why() == maskwise.anonymize(people(), POLICY, why=True).why()
        assert {reason.attribute for reason in run.why("Job")} <= {"Job"}
        with pytest.raises(maskwise.InputError, match="`Shoe` is not masked"):
            run.why("Shoe")


@pytest.mark.slow
def test_the_release_is_that_of_the_command_line(tmp_path: Path) -> None:
    from maskwise.cli.app import main

    data, policy = tmp_path / "people.csv", tmp_path / "policy.yaml"
    pa.csv.write_csv(people(), data)
    policy.write_text(
        "class: Risk\nattributes: {Age: {interval: [0, 100]}}\nrequirements: [{qid: [Age, Job, Sex], k: 4}]\n"
    )
    beside = [
        f"--{name}={tmp_path / file}"
        for name, file in (("solution", "s.json"), ("trace", "t.jsonl"), ("report", "r.html"))
    ]
    assert (
        main(["mask", str(data), "-p", str(policy), "-o", str(tmp_path / "out.csv"), "--keep-order", "-q", *beside])
        == 0
    )
    with Session(data) as session:
        session.search(policy).write(tmp_path / "out", name="out.csv", keep_order=True)
    pairs = {"out.csv": "out.csv", "solution.json": "s.json", "trace.jsonl": "t.jsonl", "report.html": "r.html"}
    for written, by_command in pairs.items():
        assert (tmp_path / "out" / written).read_bytes() == (tmp_path / by_command).read_bytes(), written
    private = {path.name for path in (tmp_path / "out").iterdir() if stat.S_IMODE(path.stat().st_mode) == 0o600}
    assert private == {"solution.json", "trace.jsonl", "owner-report.html"}


def test_the_source_is_not_written_over(tmp_path: Path) -> None:
    pa.csv.write_csv(people(), tmp_path / "people.csv")
    before = (tmp_path / "people.csv").read_bytes()
    with Session(tmp_path / "people.csv") as session, pytest.raises(maskwise.InputError, match="is the input"):
        session.search(POLICY).write(tmp_path, name="people.csv")
    assert (tmp_path / "people.csv").read_bytes() == before


def test_what_is_looked_at_is_private_and_gone_at_the_end() -> None:
    with Session(people()) as session:
        run = session.search(POLICY)
        assert run.verdict.is_met
        folder = session.private_folder()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert list(folder.iterdir())
    assert not folder.exists()


def test_a_closed_session_says_so() -> None:
    with Session(people()) as session:
        run = session.search(POLICY)
    for ask in (lambda: session.search(POLICY), lambda: run.at(1), run.rows, lambda: run.verdict):
        with pytest.raises(maskwise.InputError, match="session is closed"):
            ask()


def test_nothing_is_asked_of_a_closed_session(tmp_path: Path) -> None:
    with Session(people()) as session:
        run = session.search(POLICY)
    session.close()
    asks: list[Any] = [session.columns, session.suggest, session.records, lambda: session.check(POLICY)]
    asks += [lambda: session.values("Job"), lambda: session.names, lambda: session.n_records]
    asks += [lambda: run.write(tmp_path / "out"), run.why]
    for ask in asks:
        with pytest.raises(maskwise.InputError, match="session is closed"):
            ask()
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_threads_take_turns_and_are_refused_while_one_searches() -> None:
    found: list[Any] = []

    def ask() -> None:
        try:
            found.append(session.n_records)
        except maskwise.InputError as error:
            found.append(str(error))

    def listen(event: Event) -> None:
        if isinstance(event, StepTaken) and not found:
            other = threading.Thread(target=ask)
            other.start()
            other.join(30)

    with Session(people()) as session:
        run = session.search(POLICY, on_event=listen)
        assert found == ["This session is searching. Wait for the end of the search, or stop it."]
        threads = [threading.Thread(target=lambda: found.append(session.columns())) for _ in range(2)]
        threads += [threading.Thread(target=lambda k=k: found.append(run.at(k).verdict.is_met)) for k in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(found) == 5
        assert found.count(True) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy"])
def test_data_frames_are_searched_and_released(kind: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    frames = {"pandas": people().to_pandas, "polars": lambda: polars.from_arrow(people())}
    frames["lazy"] = lambda: polars.from_arrow(people()).lazy()
    with Session(frames[kind]()) as session:
        run = session.search(POLICY)
        assert run.solution == maskwise.anonymize(people(), POLICY).solution
        for _ in range(2):  # what stands there is replaced
            run.write(tmp_path, keep_order=True)
        assert run.rows(0, 1).rows[0].before[1] == "clerk"
    assert pa.csv.read_csv(tmp_path / "release.csv").num_rows == 240


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with Session(people()) as session, pytest.raises(WriteError, match="cannot be made"):
        session.search(POLICY).write(tmp_path / "file" / "out")


def test_the_tree_that_is_made_for_a_column_is_the_one_that_is_masked_along() -> None:
    grown = POLICY | {"attributes": {"Job": {"grow": "frequency"}}}
    with Session(people()) as session:
        tree = session.tree("Job", grown)
        assert dict(tree.n_records) == {job: people()["Job"].to_pylist().count(job) for job in JOBS}
        assert set(session.search(grown).solution.cut("Job").labels) <= set(tree.taxonomy.labels)
        with pytest.raises(maskwise.InputError, match="makes no tree for `Age`"):
            session.tree("Age", grown)


def test_one_search_at_a_time() -> None:
    refused: list[BaseException] = []

    def again(event: Event) -> None:
        if isinstance(event, StepTaken) and not refused:
            with pytest.raises(maskwise.InputError, match="searching already") as caught:
                session.search(POLICY)
            refused.append(caught.value)

    with Session(people()) as session:
        session.search(POLICY, on_event=again)
        assert len(refused) == 1
        assert session.search(POLICY).verdict.is_met


def test_options_are_said_once() -> None:
    from maskwise.search.options import SearchOptions

    with Session(people()) as session:
        assert session.search(POLICY, SearchOptions(max_steps=1)).solution.ending == "step limit"
        with pytest.raises(maskwise.InputError, match="not by both"):
            session.search(POLICY, SearchOptions(), method="bug")


def test_long_work_is_never_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.progress.SILENCE", 0.02)
    enough, heard = threading.Event(), []

    def listen(event: Event) -> None:
        heard.append(event)
        if len(heard) > 3:
            enough.set()

    progress = RunProgress(listen)
    with progress.ticking():
        progress.stage(Stage.COMPRESS)
        assert enough.wait(10)
    assert heard[0] == StageBegun(Stage.COMPRESS)
    assert all(isinstance(event, StillWorking) and event.within.stage is Stage.COMPRESS for event in heard[1:])
    seconds = [event.seconds for event in heard[1:] if isinstance(event, StillWorking)]
    assert seconds == sorted(seconds)
    n_heard = len(heard)
    assert threading.active_count() < 50
    assert len(heard) == n_heard


def test_mistakes_come_with_their_place() -> None:
    with Session(people()) as session:
        (remark,) = session.check(POLICY | {"requirements": [{"qid": ["Age"], "k": 2}, {"qid": ["Sex"], "k": 0}]})
        assert (remark.is_mistake, remark.place) == (True, ("requirements", 1, "k"))
        found = session.check(POLICY | {"requirement": [], "drop": ["Name"]})
        assert [one.place for one in found] == [("requirement",)]
        (remark,) = session.check(POLICY | {"drop": ["Name"]})
        assert remark.place == ("drop",)
        assert remark.text == "Column `Name` is in the policy but not in the table."
        assert remark.remedy.startswith("The table has:")
        (remark,) = session.check(with_k(1000))
        assert remark.place == ("requirements", 0)
        assert "cannot be met" in remark.text


def test_a_policy_without_mistakes_has_notes() -> None:
    implied = POLICY | {"requirements": [*POLICY["requirements"], {"qid": ["Age", "Sex"], "k": 2}]}
    with Session(people()) as session:
        remarks = session.check(implied)
    assert not any(remark.is_mistake for remark in remarks)
    assert remarks[0].place == ("requirements", 1)
    assert "follows from requirement 1" in remarks[0].text
    assert any("`Sex` has no entry" in remark.text for remark in remarks)
