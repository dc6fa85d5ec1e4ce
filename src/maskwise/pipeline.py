"""The product in one place: read, profile, compress, search, mask, verify.

`anonymize`, `audit` and `apply` are what the command line and Python users
call. Nothing is released that the verifier has not accepted.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from maskwise.compress.compress import compress
from maskwise.compress.spill import Workspace
from maskwise.engines.base import Feature
from maskwise.errors import NotMetError
from maskwise.formats.policy_file import read_policy
from maskwise.formats.solution_file import read_solution
from maskwise.outcome import NO_PERSON_COLUMN, NO_SENSITIVE_COLUMN, Applied, Outcome
from maskwise.policy.attributes import Boundaries, Kind
from maskwise.profile.boundaries import limit_boundaries, read_midnights_as_dates
from maskwise.profile.persons import count_at_smallest
from maskwise.profile.profile import check_columns, check_sensitive
from maskwise.profile.profile import profile as take_profile
from maskwise.profile.record_order import order_message, order_tells
from maskwise.profile.sensitive import named_values, unseen_values
from maskwise.profile.unreleased import refuse_generalized, refuse_unreleased
from maskwise.progress import SearchProgress, Silent
from maskwise.release import mask as masking
from maskwise.release.escape import original_text, safe_name
from maskwise.release.interrupt import stop_on_interrupt
from maskwise.release.pseudonyms import pseudonymize
from maskwise.release.publish import publish, recount, refuse_other_labels, refuse_unless_confirmed
from maskwise.release.release_risks import assess_release
from maskwise.release.released_columns import check_released_columns
from maskwise.release.shuffle import check_seed, shuffle_records, shuffles
from maskwise.release.target import resolve_target
from maskwise.search.options import SearchKeywords, SearchOptions, search_options
from maskwise.solution.cut import disclose_lone_value
from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import for_search, memory_of_run, parse_memory
from maskwise.values.message import warn_in_python
from maskwise.verify.single_records import warn_of_single_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.progress import Observer
    from maskwise.release.atomic_files import Sidecar
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Verdict


def anonymize(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    output: str | Path | None = None,
    *,
    keep_order: bool = False,
    shuffle: bool = False,
    seed: int | None = None,
    escape_formulas: bool = False,
    strict_leaks: bool = False,
    engine: Any = None,
    memory: str | None = None,
    observer: Observer | None = None,
    beside: Callable[[Outcome], Sequence[Sidecar]] | None = None,
    **search: Unpack[SearchKeywords],
) -> Outcome:
    """Mask a table so that it meets a policy and still tells the class.

    Args:
        data: A path, a folder of parquet files, a pattern, or a pandas, Polars (also lazy), Arrow, Spark or Ibis
            table; with an engine that has tables, the name of one.
        policy: A YAML file, a mapping of the same form, or a Policy.
        output: Where to write: a file, a folder (`released/`), or a table of the engine. Without it the masked table
            comes back as the kind that was given.
        keep_order: Release the records in the order they have. By default their order is random, because a table that
            is sorted by a masked column would tell it.
        shuffle: Release the records in random order also with `as_published`, which keeps it.
        seed: Makes the order, restarts and variants repeatable; keep it secret.
        escape_formulas: Quote cells that a spreadsheet would run.
        strict_leaks: Refuse a table with a released column that tells what a masked one hides.
        engine: Where the work is done: `duckdb`, `duckdb:///people.db`, `postgres://user@host/database`, `spark`,
            `spark://host:port`, a Spark session or an Ibis backend; None goes by the data.
        memory: How much memory a run may use before it spills to disk, such as `4GB`; by default, most of what the
            machine allows. PostgreSQL, and a Spark that runs already, go by their own settings.
        observer: Is told how far the run has come.
        beside: Makes the files that appear together with the output.
        search: How to search: `method`, `criterion`, `max_steps`, `time_limit`, `restarts`, `effort`, `boundaries` and
            `as_published`, as `maskwise.search.options.SearchOptions` describes them.

    Returns:
        The release and what is known about it. A pandas table comes back with
        a fresh index: the old one was neither masked nor recounted.

    Raises:
        PolicyError: The policy has mistakes; all are listed.
        InputError: The data cannot be read or does not fit the policy.
        InfeasibleError: No masking meets the policy.
        UnfinishedError: A bottom-up search was stopped before its end.
        LeakError: With `strict_leaks`, a released column tells what a masked one hides.

    Warns:
        MaskwiseWarning: For each of the outcome's warnings.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"Age": [23, 25, 41, 47], "Sex": ["F", "M", "F", "M"], "Risk": ["lo", "lo", "hi", "hi"]})
        >>> outcome = anonymize(people, {"class": "Risk", "requirements": [{"qid": ["Age", "Sex"], "k": 2}]})
        >>> sorted(outcome.data["Age"].to_pylist())
        ['[23, 40)', '[23, 40)', '[40, 47]', '[40, 47]']
    """
    observer = observer or Silent()
    options = search_options(seed, **search)
    is_shuffled = shuffles(keep_order=keep_order or (options.as_published and not shuffle), shuffle=shuffle)
    check_seed(seed, is_used=is_shuffled or options.is_random)
    asked = read_policy(policy)
    target = None if output is None else resolve_target(output, data, engine)
    observer.stage("read")
    warming = threading.Thread(target=_warm_up, daemon=True)
    warming.start()
    n_bytes = parse_memory(memory)
    table = open_data(data, engine, target, n_bytes, asked.reading)
    warming.join()
    with closing(table):
        with stop_on_interrupt() as is_asked_to_stop:
            workspace = Workspace(for_search(memory_of_run(n_bytes)))
            solution, profile, table = solve(table, asked, options, observer, is_asked_to_stop, workspace)
        checked = check_released_columns(table, asked, solution, profile, strict=strict_leaks)
        messages = (*solution.messages, *solution.implied(), *checked)
        observer.stage("mask")
        whole = masking.mask(pseudonymize(table, asked.person), solution, profile.columns)
        masked = masking.drop_columns(masking.show_fixed(whole, solution), solution.drop)
        if is_shuffled:
            # A seed for restarts or variants alone asks for no order that can be repeated, which a database has not.
            can_repeat = table.engine.can(Feature.RECORD_ORDER) or not options.is_random
            masked = shuffle_records(masked, seed if can_repeat else None)
        else:
            messages = (*messages, *order_message(order_tells(table, profile.columns)))
        with publish(masked, target, asked.requirements, escape=escape_formulas) as draft:
            observer.stage("verify")
            verdict = recount(
                draft.table,
                asked.requirements,
                escaped=escape_formulas,
                trees=asked.trees,
                whole=whole,
                generalized=[cut.attribute for cut in solution.fixed],
                person=asked.person,
            )
            refuse_other_labels(draft.table, solution.fixed, escaped=escape_formulas)
            n_persons = None if profile.persons is None else profile.persons.n_persons
            dropped = asked.dropped(table.names)
            refuse_unless_confirmed(verdict, dropped, solution, profile.n_rows, draft.table.names, n_persons)
            verdict = verdict.hiding(named_values(asked.requirements, asked.trees))
            verdict = replace(verdict, messages=unseen_values(asked, profile.sensitive))
            messages = (*warn_of_single_records(verdict), *messages)
            risk, owner_risk = assess_release(draft.table, whole, asked, solution, verdict)
            outcome = Outcome(
                draft.data,
                solution,
                verdict,
                asked,
                table.source,
                profile.n_dropped,
                messages,
                risk,
                owner_risk=owner_risk,
            )
            if beside is not None and target is not None:
                draft.add(beside(outcome))
    warn_in_python(outcome.warnings)
    return outcome


def solve(
    table: Table,
    policy: Policy,
    options: SearchOptions,
    observer: Observer | None = None,
    is_asked_to_stop: Callable[[], bool] = lambda: False,
    workspace: Workspace | None = None,
    *,
    columns: Sequence[str] | None = None,
) -> tuple[Solution, Profile, Table]:
    """Find the cut, without masking anything yet.

    Args:
        table: The records.
        policy: What is asked.
        options: Which way, by what measure, for how long.
        observer: Is told how far the search has come.
        is_asked_to_stop: Asked after every step.
        workspace: Where compressed tables are kept; None is memory without bound.
        columns: The columns of the release; None is all but those that the policy leaves out.

    Returns:
        The solution, the profile it rests on, and the table without dropped records.
    """
    from maskwise.search.bounds import check_feasible  # noqa: PLC0415 - compiled code is slow to load
    from maskwise.search.interface import Problem  # noqa: PLC0415 - as above
    from maskwise.search.registry import start_search  # noqa: PLC0415 - as above

    progress = SearchProgress(observer or Silent(), is_asked_to_stop)
    progress.stage("profile")
    profile, table = take_profile(table, policy, keep_rare=options.search.starts_from_raw_values)
    check_feasible(profile, policy)
    profile = profile if options.as_published else read_midnights_as_dates(profile)
    boundaries, persons = options.boundaries_for(policy.boundaries), None
    if profile.persons is not None and boundaries is Boundaries.SAFE:
        intervals = [column for column in profile.columns if column.kind is Kind.INTERVAL]
        persons = {one.name: count_at_smallest(table, one, profile.persons.column) for one in intervals}
    profile = limit_boundaries(profile, policy.floors(), boundaries, persons)
    dropped = policy.dropped(table.names)
    if columns is None:
        columns = [name for name in table.names if name not in dropped]
    search = start_search(Problem(profile, policy, options, tuple(columns), dropped))
    progress.stage("compress")
    counts = compress(table, profile, search.request, workspace)
    solution = search.run(counts, progress)
    if not options.as_published:
        solution = replace(solution, cuts=tuple(disclose_lone_value(cut) for cut in solution.cuts))
    return solution, profile, table


def apply(
    data: Any,
    solution: str | Path | Solution,
    output: str | Path | None = None,
    *,
    strict: bool = False,
    outside: str = "root",
    enforce: bool = False,
    keep_order: bool = False,
    shuffle: bool = False,
    seed: int | None = None,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
) -> Applied:
    """Mask other rows in the way a saved solution says.

    The cut was found on other records, so these rows alone need not meet its
    requirements; the verdict says whether they do.

    Args:
        data: As in `anonymize`.
        solution: A solution file, or a Solution.
        output: As in `anonymize`.
        strict: Refuse values that the solution does not know, numbers outside every interval, and columns that the
            release did not have.
        outside: What happens to rows with a number or date outside every interval that is shown: `root` shows the
            whole range and "or outside", `drop` leaves the row out, `refuse` refuses the rows.
        enforce: Refuse rows that alone do not meet the requirements.
        keep_order: As in `anonymize`.
        shuffle: The default; it goes with no `keep_order`.
        seed: As in `anonymize`.
        escape_formulas: As in `anonymize`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.
    """
    is_shuffled = shuffles(keep_order=keep_order, shuffle=shuffle)
    check_seed(seed, is_used=is_shuffled)
    saved = read_solution(Path(solution)) if isinstance(solution, str | Path) else solution
    target = None if output is None else resolve_target(output, data, engine)
    table = open_data(data, engine, target, parse_memory(memory), saved.reading)
    with closing(table):
        later = masking.apply(table, saved, strict=strict, outside=outside)
        masked = shuffle_records(later.table, seed) if is_shuffled else later.table

        # Later rows may not have the sensitive column yet, or show it masked; then its templates cannot be recounted.
        asked = [reached.requirement for reached in saved.reached]
        present = set(later.whole.names)
        about = set() if saved.person is None else {saved.person.column}
        hidden = {cut.attribute for cut in saved.cuts}
        requirements = [
            requirement
            for requirement in asked
            if {*requirement.columns, *about} <= present
            and not (set(requirement.columns) - set(requirement.qid)) & hidden
        ]
        unchecked = tuple(requirement for requirement in asked if requirement not in requirements)
        why = NO_SENSITIVE_COLUMN if about <= present else NO_PERSON_COLUMN
        if enforce and unchecked:
            msg = f"{unchecked[0].asks()} cannot be recounted: {why}."
            raise NotMetError(msg)
        with publish(masked, target, requirements, escape=escape_formulas) as draft:
            verdict = recount(
                draft.table,
                requirements,
                escaped=escape_formulas,
                trees=saved.taxonomies,
                whole=later.whole,
                generalized=[cut.attribute for cut in saved.fixed],
                person=saved.person,
            )
            if enforce and not verdict.is_met:
                broken = "; ".join(finding.complaint() for finding in verdict.findings if not finding.is_met)
                msg = f"These rows alone do not meet the requirements: {broken}. Mask them anew, together with others."
                raise NotMetError(msg)
            verdict = verdict.hiding(named_values(asked, saved.taxonomies))
            applied = Applied(
                draft.data,
                verdict,
                later.unknown,
                later.outside,
                later.n_dropped,
                later.n_outside_dropped,
                later.left_out,
                unchecked,
                why,
            )
    return applied


def audit(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
) -> Verdict:
    """Recount any table, also one that another tool masked.

    Args:
        data: As in `anonymize`.
        policy: As in `anonymize`.
        escape_formulas: The table was written with this option, so cells and names are looked for as it spells them.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"Age": [23, 23, 41], "Sex": ["F", "F", "M"]})
        >>> audit(table, {"requirements": [{"qid": ["Age", "Sex"], "k": 2}]}).is_met
        False
    """
    with audited(data, policy, escape_formulas=escape_formulas, engine=engine, memory=memory) as (_, _, verdict):
        return verdict


@contextmanager
def audited(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    escape_formulas: bool,
    engine: Any,
    memory: str | None,
) -> Iterator[tuple[Table, Policy, Verdict]]:
    """Recount any table and keep it open, to count more of it; the arguments are those of `audit`."""
    asked = read_policy(policy)
    # Whoever holds the table tells its cells apart, whatever the policy takes for a missing one.
    table = open_data(data, engine, None, parse_memory(memory), replace(asked.reading, na_values=()))
    with closing(table):
        read_text: Callable[[str], str] = str
        if escape_formulas:
            about = () if asked.person is None else (asked.person.column,)
            asked_name = {safe_name(name): name for one in asked.requirements for name in (*one.columns, *about)}
            table = replace(table, names=tuple(asked_name.get(name, name) for name in table.names))
            read_text = original_text
        refuse_unreleased(table, asked)
        check_columns(table, asked, with_drop=False, with_attributes=False)
        sensitive = check_sensitive(table, asked, read_text)
        refuse_generalized(sensitive, asked)
        verdict = recount(table, asked.requirements, escaped=escape_formulas, trees=asked.trees, person=asked.person)
        verdict = verdict.hiding(named_values(asked.requirements, asked.trees))
        yield table, asked, replace(verdict, messages=unseen_values(asked, sensitive, asked.masked))


def _warm_up() -> None:
    """Import what is slow to import while the engine reads a csv, which needs no Python."""
    import ibis.backends.duckdb  # noqa: PLC0415 - the point
    import pyarrow.compute  # noqa: PLC0415 - the point

    from maskwise.search.interval_split import warm_up  # noqa: PLC0415 - the point

    del ibis, pyarrow
    warm_up()
