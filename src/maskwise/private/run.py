"""Release a table with differential privacy: read, code, draw, write, recount.

The flow is that of every release. What differs is that the mechanism stands
between the coded rows and everything after them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.errors import InputError, RefusedError
from maskwise.formats.policy_file import policy_files, read_policy
from maskwise.policy.private_release import PrivateForm
from maskwise.private.coded_records import code_records
from maskwise.private.domain import domains_of
from maskwise.private.mechanism import Released, release
from maskwise.private.mechanisms import OpenDPMechanisms
from maskwise.private.outcome import PrivateOutcome, released_columns
from maskwise.release.escape import original_text
from maskwise.release.publish import publish
from maskwise.release.target import resolve_target
from maskwise.solution.solution import PRIVATE, Solution
from maskwise.table.endpoints import closing, open_data
from maskwise.table.read import read
from maskwise.table.table import Table
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import TableName
from maskwise.values.memory import parse_memory
from maskwise.verify.same_groups import count_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.private.ledger import Ledger
    from maskwise.private.mechanisms import Mechanisms
    from maskwise.release.file_set import Sidecar
    from maskwise.values.location import Place


def anonymize_privately(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    output: str | Path | None = None,
    *,
    ledger: Ledger | None = None,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
    beside: Callable[[PrivateOutcome], Sequence[Sidecar]] | None = None,
) -> PrivateOutcome:
    """Release a table with differential privacy, as the `epsilon` of its policy asks.

    Args:
        data: As in `anonymize`.
        policy: As in `anonymize`; it asks for an `epsilon`.
        output: As in `anonymize`.
        ledger: Where what is spent on the same people is written down; None keeps no ledger.
        escape_formulas: As in `anonymize`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.
        beside: Makes the files that appear together with the output.

    Raises:
        PolicyError: The policy has mistakes, or does not declare a domain.
        InputError: The data cannot be read, a column is not there, or the ledger does not allow it.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"Age": [23, 25, 41, 47] * 500, "Risk": ["lo", "lo", "hi", "hi"] * 500})
        >>> policy = {
        ...     "class": {"Risk": ["lo", "hi"]},
        ...     "attributes": {"Age": {"interval": {"range": [0, 100], "on": 20}}},
        ...     "requirements": [{"epsilon": 5, "attributes": ["Age"], "steps": 1}],
        ... }
        >>> outcome = anonymize_privately(people, policy)
        >>> sorted(set(outcome.data["Age"].to_pylist()))  # doctest: +SKIP
        ['< 40', '≥ 40']
    """
    how: dict[str, Any] = {"ledger": ledger, "escape_formulas": escape_formulas, "engine": engine, "memory": memory}
    return release_by(OpenDPMechanisms(), data, policy, output, **how, beside=beside)


def release_by(
    mechanisms: Mechanisms,
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    output: str | Path | None = None,
    *,
    ledger: Ledger | None = None,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
    beside: Callable[[PrivateOutcome], Sequence[Sidecar]] | None = None,
) -> PrivateOutcome:
    """Release a table by other mechanisms than OpenDP's, which need not be private: a seam for tests.

    Args:
        mechanisms: What draws.
        data: As in `anonymize_privately`.
        policy: As in `anonymize_privately`.
        output: As in `anonymize_privately`.
        ledger: As in `anonymize_privately`.
        escape_formulas: As in `anonymize_privately`.
        engine: As in `anonymize_privately`.
        memory: As in `anonymize_privately`.
        beside: As in `anonymize_privately`.
    """
    asked = read_policy(policy, private=True)
    if asked.private is None:
        raise InputError("The policy asks for no `epsilon`. Use `maskwise.anonymize`, or add one to its requirements.")
    if output is None and beside is not None:
        raise InputError("Files beside a release appear together with it, so it must have a place: name an output.")
    domains = domains_of(asked)
    if output is not None and ledger is not None and Path(output).resolve() == ledger.path.resolve():
        msg = f"`{output}` is the ledger, which the release would replace. Write to another file."
        raise InputError(msg)
    target = None if output is None else resolve_target(output, data, engine, policy_files(asked))
    table = open_data(data, engine, target, parse_memory(memory), asked.reading)
    with closing(table):
        rows = code_records(table, asked, domains)
        # Written down before anything is drawn: whatever happens later, what may have become known is spent.
        spent = None if ledger is None else ledger.spend(asked.private.epsilon, str(output or "a table in memory"))
        made = release(rows, domains, len(asked.class_values), asked.private, mechanisms)
        shown = released_table(made, asked)
        with (
            closing(masked := _opened(shown, table, target)),
            publish(masked, target, escape=escape_formulas) as draft,
        ):
            _refuse_other_rows(draft.table, made, asked, escaped=escape_formulas)
            outcome = PrivateOutcome(
                draft.data,
                asked,
                made,
                _solution(made, asked),
                spent,
                (table.engine.dialect.name, str(table.engine.dialect.backend.version)),
                draft.written,
                escape_formulas,
            )
            if beside is not None and target is not None:
                draft.add(beside(outcome))
    return outcome


def released_table(made: Released, policy: Policy) -> pa.Table:
    """What the mechanism released as a table, in the order of the cells: it tells nothing of the records' order."""
    assert policy.private is not None  # noqa: S101 - called for private policies only
    cells, is_counts = made.cells, policy.private.form is PrivateForm.COUNTS
    at = np.arange(len(cells.counts)) if is_counts else np.repeat(np.arange(len(cells.counts)), cells.counts)

    def shown(texts: Sequence[str], codes: NDArray[np.int64]) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array(codes[at]), pa.array(texts, pa.string())).dictionary_decode()

    columns = [shown(texts, cells.codes[:, a]) for a, texts in enumerate(cells.labels)]
    columns.append(shown(policy.class_values, cells.classes))
    if is_counts:
        columns.append(pa.array(cells.counts, pa.int64()))
    return pa.table(dict(zip(released_columns(policy), columns, strict=True)))


def _opened(shown: pa.Table, table: Table, target: Place | None) -> Table:
    """Open what is released where it can be written: in the owner's database, or in an engine of its own."""
    is_in_database = isinstance(target, TableName) or (
        target is None and table.frame is not None and input_kind(table.frame).is_database_table
    )
    if is_in_database:
        frame = None if isinstance(target, TableName) else table.frame
        return Table(table.engine, table.engine.scan(shown), tuple(shown.column_names), table.source, frame=frame)
    if target is not None or table.frame is None:
        return read(shown)
    match input_kind(table.frame):
        case InputKind.PANDAS:
            return read(shown.to_pandas())
        case InputKind.POLARS:
            import polars as pl  # noqa: PLC0415 - heavy

            frame = pl.DataFrame(shown)
            return read(frame.lazy() if table.is_lazy else frame)
    return read(shown)


def _refuse_other_rows(written: Table, made: Released, policy: Policy, *, escaped: bool) -> None:
    """Refuse a written table that does not hold exactly the rows that the mechanism released."""
    assert policy.private is not None  # noqa: S101 - called for private policies only
    cells, is_counts = made.cells, policy.private.form is PrivateForm.COUNTS
    expected = Counter[tuple[str | None, ...]]()
    for codes, label, n in zip(cells.codes.tolist(), cells.classes.tolist(), cells.counts.tolist(), strict=True):
        row = (*(cells.labels[a][code] for a, code in enumerate(codes)), policy.class_values[label])
        expected[(*row, str(n)) if is_counts else row] += 1 if is_counts else n
    if count_groups(written, released_columns(policy), original_text if escaped else str) != expected:
        raise RefusedError("The written table does not hold what the mechanism released. Please report this as a bug.")


def _solution(made: Released, policy: Policy) -> Solution:
    """The cuts as a solution, which masks later rows; its number of records is the noisy one."""
    assert policy.private is not None  # noqa: S101 - called for private policies only
    return Solution(
        cuts=made.cuts,
        reached=(),
        n_rows=int(made.cells.counts.sum()),
        policy_hash=policy.fingerprint(),
        method=PRIVATE,
        criterion="gini",
        ending="steps" if len(made.chosen) == made.n_steps else "stopped",
        missing=policy.missing,
        reading=policy.reading,
        columns=(*policy.private.attributes, str(policy.class_name)),
    )
