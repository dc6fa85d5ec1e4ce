"""The risk in any table: opens it, and the population that it was drawn from, and counts.

`pipeline.anonymize` assesses what it writes by itself; here is what the commands
`risk` and `audit` and Python users call.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import choose
from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy
from maskwise.formats.solution_file import read_solution
from maskwise.pipeline import audited
from maskwise.policy.number_columns import reading_of_release
from maskwise.release import mask as masking
from maskwise.risks.assess import assess
from maskwise.risks.thresholds import DEFAULT_THRESHOLDS, read_thresholds
from maskwise.table.endpoints import closing, open_data
from maskwise.table.read import read
from maskwise.values.input_kind import input_kind
from maskwise.values.location import is_there, table_name
from maskwise.values.memory import parse_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from maskwise.policy.policy import Policy
    from maskwise.risks.risk import Risk
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table
    from maskwise.values.reading import Reading
    from maskwise.verify.verdict import Verdict


def risk(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    population: Any = None,
    population_size: int | None = None,
    solution: str | Path | Solution | None = None,
    thresholds: str | float | Iterable[str | float] = DEFAULT_THRESHOLDS,
    engine: Any = None,
    memory: str | None = None,
) -> Risk:
    """Say how likely somebody is found in a table, or something about them.

    Args:
        data: The table as released, or raw; as in `anonymize`.
        policy: What is asked: its QIDs, sensitive columns and class are looked at; as in `anonymize`.
        population: A table of the population that the data was drawn from, in the same place as the data.
        population_size: The size of the population, where there is no table of it: how many of it are unique is then
            estimated.
        solution: A solution file, or a Solution: the population is raw and is masked by it. Without it, the population
            is taken as it is, so it must be masked by the same cut as the data.
        thresholds: Chances of being found, by name (`ema-0070`) or number.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Raises:
        InputError: The data cannot be read, or is no part of the population.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"Age": ["old", "old", "young"], "Sex": ["F", "M", "F"]})
        >>> found = risk(table, {"requirements": [{"qid": ["Age"], "k": 2}]})
        >>> round(found.qids[0].average, 3), found.everything.unique
        (0.667, 1.0)
    """
    asked = read_policy(policy)
    names = [thresholds] if isinstance(thresholds, str | float | int) else list(thresholds)
    if population_size is not None and not isinstance(population_size, int):
        raise InputError("The size of a population is a whole number.")
    read_thresholds(names)
    if solution is not None and population is None:
        raise InputError("A solution says how the population is masked, but no population is given.")
    saved = read_solution(Path(solution)) if isinstance(solution, str | Path) else solution
    as_it_is = reading_of_release(asked)
    table = open_data(data, engine, None, parse_memory(memory), as_it_is)
    with closing(table):
        others = None
        if population is not None:
            place = _place_of(population, data, table)
            others = _read_population(place, table, saved, as_it_is)
        return assess(table, asked, thresholds=names, population=others, population_size=population_size)


def _place_of(population: Any, data: Any, table: Table) -> Any:
    """Where the population is in the engine of the table."""
    elsewhere = (
        "The population is in another place than the table. Give both as files or data frames, or both as tables of "
        "one database."
    )
    if isinstance(population, str) and "://" in population:
        address, _, name = population.partition("#")
        if not isinstance(data, str) or data.partition("#")[0] != address or not name:
            raise InputError(elsewhere)
        return table_name(name)
    if isinstance(population, str | Path):
        _, place = choose(str(population), table.engine)
        # Without a database there are only files, whatever their names.
        is_file = not isinstance(data, str) or is_there(data)
        return Path(population) if is_file and not input_kind(data).is_database_table else place
    if input_kind(population).is_database_table != input_kind(data).is_database_table:
        raise InputError(elsewhere)
    return population


def _read_population(place: Any, table: Table, solution: Solution | None, as_it_is: Reading) -> Table:
    """Open the population in the table's engine, and mask it if it is raw."""
    if solution is None:
        return read(place, table.engine, reading=as_it_is)
    population = read(place, table.engine, reading=solution.reading)
    # A population may lack a QID: those that it has are assessed.
    cuts = tuple(cut for cut in solution.cuts if cut.attribute in population.names)
    return masking.apply(population, replace(solution, cuts=cuts, person=None, suppression=None)).whole


def audit_with_risk(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
) -> tuple[Verdict, Risk]:
    """Recount a table and assess it; the arguments are those of `audit`."""
    with audited(data, policy, escape_formulas=escape_formulas, engine=engine, memory=memory) as (
        table,
        asked,
        verdict,
    ):
        return verdict, assess(table, asked, verdict=verdict)
