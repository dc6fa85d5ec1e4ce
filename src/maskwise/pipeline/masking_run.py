"""Mask a table and release it: read, profile, compress, search, mask, verify, assess.

Nothing is released that the verifier has not accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from maskwise.compress.spill import Workspace
from maskwise.errors import InputError
from maskwise.formats.policy_file import policy_files, read_policy
from maskwise.pipeline.finding import find
from maskwise.pipeline.releasing import ReleaseOptions, release
from maskwise.progress import RunProgress
from maskwise.release.earlier import read_earlier
from maskwise.release.interrupt import stop_on_interrupt
from maskwise.release.shuffle import check_seed, shuffles
from maskwise.release.target import resolve_target
from maskwise.search.options import SearchKeywords, search_options
from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import for_search, memory_of_run, parse_memory
from maskwise.values.message import warn_in_python
from maskwise.values.number_forms import Numbers, check_numbers
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from maskwise.outcome import Outcome
    from maskwise.policy.policy import Policy
    from maskwise.progress import Event
    from maskwise.release.file_set import Sidecar
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
    numbers: str = Numbers.LABEL,
    against: str | Path | Solution | Sequence[str | Path | Solution] = (),
    why: bool = False,
    engine: Any = None,
    memory: str | None = None,
    on_event: Callable[[Event], None] | None = None,
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
        seed: Makes the order and variants repeatable; keep it secret.
        escape_formulas: Quote cells that a spreadsheet would run.
        strict_leaks: Refuse a table with a released column that tells what a masked one hides.
        numbers: What stands for masked numbers and dates: `label` (the interval as text), or for learners `midpoint`,
            `mean` or `bounds` (two columns, `Age_low` and `Age_high`); what is written is what is recounted.
        against: The solutions, or solution files, of earlier releases of the same people. What these show counts as
            known, so that every requirement holds for the groups of all releases together.
        why: Find out why each masked value is shown as it is, for `Outcome.why`.
        engine: Where the work is done: `duckdb`, `duckdb:///people.db`, `postgres://user@host/database`,
            `spark`, `spark://host:port`, a Spark session or an Ibis backend; None goes by the data.
        memory: How much memory a run may use before it spills to disk, such as `4GB`; by default, most of what the
            machine allows. PostgreSQL is asked for its part if it is given; a Spark that runs already goes by its own
            settings.
        on_event: Is called with every event of the run, by one thread at a time: a stage begins, a step was taken, or
            the run is still working; see `maskwise.progress`.
        beside: Makes the files that appear together with the output, such as `Certification`.
        search: How to search: `method`, `criterion`, `max_steps`, `time_limit`, `effort`,
            `background`, `boundaries` and `as_published`, as `maskwise.search.options.SearchOptions` describes them.

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
    options = search_options(seed, **search)
    is_shuffled = shuffles(keep_order=keep_order or (options.as_published and not shuffle), shuffle=shuffle)
    check_seed(seed, is_used=is_shuffled or options.is_random)
    asked = read_policy(policy)
    earlier = read_earlier(against)
    files = [*policy_files(asked), *(one.path for one in earlier if one.path is not None)]
    if output is None and beside is not None:
        raise InputError("Files beside a release appear together with it, so it must have a place: name an output.")
    target = None if output is None else resolve_target(output, data, engine, files)
    how = ReleaseOptions(
        is_shuffled=is_shuffled,
        seed=seed,
        escape_formulas=escape_formulas,
        strict_leaks=strict_leaks,
        numbers=check_numbers(numbers),
    )
    n_bytes, progress = parse_memory(memory), RunProgress(on_event)
    with progress.ticking():
        progress.stage(Stage.READ)
        table = open_data(data, engine, target, n_bytes, asked.reading)
        with closing(table):
            workspace = Workspace(for_search(memory_of_run(n_bytes)))
            with stop_on_interrupt() as is_pressed, progress.stopped_by(is_pressed):
                found = find(table, asked, earlier, options, progress, workspace, why=why)
                taken = found.take(progress, why=why)
                # Its counts are not needed any more, and masking needs the memory.
                del found
            outcome = release(taken, target, how, progress, (data, engine), beside)
    warn_in_python(outcome.warnings)
    return outcome
