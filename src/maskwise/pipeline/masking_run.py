"""Mask a table and release it: read, profile, compress, search, mask, verify, assess.

Nothing is released that the verifier has not accepted.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from maskwise.attacks.composition import attack_with_earlier
from maskwise.attacks.run import attack_release, attack_search, failed_messages
from maskwise.compress.spill import Workspace
from maskwise.engines.base import Feature
from maskwise.errors import InputError
from maskwise.formats.policy_file import policy_files, read_policy
from maskwise.outcome import Outcome, Run
from maskwise.pipeline.solving import solve
from maskwise.pipeline.suppressing import mask_and_suppress, what_is_left
from maskwise.profile.record_order import order_message, order_tells
from maskwise.profile.sensitive import named_values, unseen_values
from maskwise.progress import Silent
from maskwise.release import mask as masking
from maskwise.release.common_rows import common_rows
from maskwise.release.earlier import join_earlier, read_earlier
from maskwise.release.interrupt import stop_on_interrupt
from maskwise.release.label_counts import count_regions
from maskwise.release.publish import publish, recount, refuse_other_labels, refuse_unless_confirmed
from maskwise.release.release_risks import assess_release
from maskwise.release.released_columns import look_at_columns
from maskwise.release.shuffle import check_seed, shuffle_records, shuffles
from maskwise.release.suppressed_share import suppression_messages
from maskwise.release.target import resolve_target
from maskwise.search.options import SearchKeywords, search_options
from maskwise.table.endpoints import closing, input_files, open_data
from maskwise.values.memory import for_search, memory_of_run, parse_memory
from maskwise.values.message import warn_in_python
from maskwise.verify.single_records import warn_of_single_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from maskwise.attacks.attack import Attack
    from maskwise.policy.policy import Policy
    from maskwise.progress import Observer
    from maskwise.release.file_set import Sidecar
    from maskwise.solution.reasons import Reasons
    from maskwise.solution.solution import Solution


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
    against: str | Path | Solution | Sequence[str | Path | Solution] = (),
    why: bool = False,
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
        against: The solutions, or solution files, of earlier releases of the same people. What these show counts as
            known, so that every requirement holds for the groups of all releases together.
        why: Find out why each masked value is shown as it is, for `Outcome.why`.
        engine: Where the work is done: `duckdb`, `duckdb:///people.db`, `postgres://user@host/database`, `spark`,
            `spark://host:port`, a Spark session or an Ibis backend; None goes by the data.
        memory: How much memory a run may use before it spills to disk, such as `4GB`; by default, most of what the
            machine allows. PostgreSQL, and a Spark that runs already, go by their own settings.
        observer: Is told how far the run has come.
        beside: Makes the files that appear together with the output, such as `Certification`.
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
    earlier = read_earlier(against)
    files = [*policy_files(policy), *(one.path for one in earlier if one.path is not None)]
    if output is None and beside is not None:
        raise InputError("Files beside a release appear together with it, so it must have a place: name an output.")
    target = None if output is None else resolve_target(output, data, engine, files)
    observer.stage("read")
    n_bytes = parse_memory(memory)
    with _warming_up():
        table = open_data(data, engine, target, n_bytes, asked.reading)
    with closing(table):
        attacks: list[Attack] = []
        joint = join_earlier(table, asked, earlier)
        with stop_on_interrupt() as is_asked_to_stop, joint.explaining():
            workspace = Workspace(for_search(memory_of_run(n_bytes)))
            reasons: list[Reasons] = []
            found, profile, counted = solve(
                joint.table,
                joint.policy,
                options,
                observer,
                is_asked_to_stop,
                workspace,
                after=lambda searched: attacks.extend(attack_search(searched)),
                reasons=reasons if why else None,
            )
        solution, profile, table = joint.own_solution(found), joint.own_profile(profile), joint.own_table(counted)
        checked = look_at_columns(table, asked, solution, profile, strict=strict_leaks)
        messages = (*solution.messages, *solution.implied(), *joint.messages(profile.n_rows), *checked.messages)
        observer.stage("mask")
        whole, solution, hit = mask_and_suppress(counted, asked, solution, profile)
        masked = masking.drop_columns(masking.show_fixed(whole, solution), (*solution.drop, *joint.policy.known))
        if is_shuffled:
            # A seed for restarts or variants alone asks for no order that can be repeated, which a database has not.
            can_repeat = table.engine.can(Feature.RECORD_ORDER) or not options.is_random
            masked = shuffle_records(masked, seed if can_repeat else None)
        else:
            messages = (*messages, *order_message(order_tells(table, profile.columns)))
        with publish(masked, target, joint.policy.requirements, escape=escape_formulas) as draft:
            observer.stage("verify")
            verdict = recount(
                draft.table,
                joint.policy.requirements,
                escaped=escape_formulas,
                trees=asked.trees,
                whole=whole,
                generalized=[cut.attribute for cut in solution.fixed],
                person=asked.person,
            )
            refuse_other_labels(draft.table, solution.fixed, escaped=escape_formulas)
            n_rows, n_persons = what_is_left(hit, profile)
            dropped = asked.dropped(table.names)
            refuse_unless_confirmed(verdict, dropped, found, n_rows, draft.table.names, n_persons)
            attacks += attack_with_earlier(joint, verdict)
            verdict = joint.own_verdict(verdict).hiding(named_values(asked.requirements, asked.trees))
            verdict = replace(verdict, messages=unseen_values(asked, profile.sensitive))
            run = Run(
                options.asked() | {"keep_order": not is_shuffled, "escape_formulas": escape_formulas},
                table.engine.dialect.name,
                str(table.engine.dialect.backend.version),
                input_files(data, engine),
                draft.written,
            )
            attacks += attack_release(asked, draft.table, whole, checked.leaks)
            risk, owner_risk = assess_release(draft.table, whole, asked, solution, verdict)
            outcome = Outcome(
                draft.data,
                solution,
                verdict,
                asked,
                table.source,
                profile.n_dropped,
                (
                    *warn_of_single_records(verdict),
                    *messages,
                    *suppression_messages(hit, asked),
                    *failed_messages(attacks),
                ),
                risk,
                tuple(attacks),
                joint.own_reasons(reasons[0]) if reasons else None,
                owner_risk=owner_risk,
                run=run,
                common=common_rows(draft.table, [cut.attribute for cut in solution.cuts]),
                regions=count_regions(draft.table, solution, escaped=escape_formulas),
                suppressed=hit,
            )
            if beside is not None and target is not None:
                draft.add(beside(outcome))
    warn_in_python(outcome.warnings)
    return outcome


@contextmanager
def _warming_up() -> Iterator[None]:
    """Warm up meanwhile."""
    warming = threading.Thread(target=_warm_up, daemon=True)
    warming.start()
    yield
    warming.join()


def _warm_up() -> None:
    """Import what is slow to import while the engine reads a csv, which needs no Python."""
    import ibis.backends.duckdb  # noqa: PLC0415 - the point
    import pyarrow.compute  # noqa: PLC0415 - the point

    from maskwise.search.interval_split import warm_up  # noqa: PLC0415 - the point

    del ibis, pyarrow
    warm_up()
