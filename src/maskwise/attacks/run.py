"""Runs attacks: the cheap ones while a table is masked, all of them on a release and what its owner has."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.attacks import labels, minimality
from maskwise.attacks.attack import Attack, AttackResult
from maskwise.attacks.guard import tighten
from maskwise.attacks.homogeneity import column_attacks
from maskwise.attacks.registry import Attacked, try_all
from maskwise.attacks.searched import Searched
from maskwise.attacks.told import told
from maskwise.compress.compress import compress
from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy
from maskwise.formats.solution_file import read_solution
from maskwise.policy.number_columns import reading_of_release
from maskwise.profile.boundaries import read_midnights_as_dates
from maskwise.profile.persons import with_boundaries
from maskwise.profile.profile import profile as take_profile
from maskwise.release import mask as masking
from maskwise.release.released_columns import look_at_columns
from maskwise.search.interface import Problem
from maskwise.search.options import SearchOptions
from maskwise.search.registry import PLAIN_CRITERION, criteria, start_search
from maskwise.solution.solution import Solution
from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import parse_memory
from maskwise.values.message import Audience, Level, Message, private_note

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from maskwise.policy.policy import Policy
    from maskwise.release.leaks import Leak
    from maskwise.table.table import Table


def attack(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    solution: str | Path | Solution | None = None,
    original: Any = None,
    engine: Any = None,
    memory: str | None = None,
) -> tuple[Attack, ...]:
    """Try the known attacks on a release of one's own.

    Args:
        data: The release, as the data of `anonymize`.
        policy: What it was masked by, as in `anonymize`.
        solution: The solution that `mask` wrote, for attacks that need to know how the table was masked.
        original: The table as it was before, for the same attacks.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Returns:
        What each attack came to. Those that could not be tried say what they need.

    Example:
        >>> import pyarrow as pa
        >>> release = pa.table({"Job": ["*", "*", "*"], "Ill": ["Flu", "Flu", "HIV"]})
        >>> asked = {"requirements": [{"qid": ["Job"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.5}]}
        >>> {found.name for found in attack(release, asked) if found.result == "passed"}
        {'homogeneity'}
    """
    asked, n_bytes = read_policy(policy), parse_memory(memory)
    if (solution is None) != (original is None):
        missing, given = ("original", "solution") if original is None else ("solution", "original")
        msg = f"Of --original and --solution only the {given} is given, not the {missing}. Pass both, or neither."
        raise InputError(msg)
    with ExitStack() as opened:
        release = open_data(data, engine, None, n_bytes, reading_of_release(asked))
        opened.enter_context(closing(release))
        release.require_all(asked.masked, "is in the policy", among=asked.masked)
        if solution is None:
            return try_all(Attacked(asked, release))
        found = solution if isinstance(solution, Solution) else read_solution(Path(solution))
        if found.policy_hash != asked.fingerprint():
            msg = "The solution was found for another policy. Pass the policy and the solution of one run."
            raise InputError(msg)
        if found.against:
            raise InputError(
                "The solution was found together with earlier releases (--against), and the attacks on it were tried "
                "then: the owner's report has them. Leave out --original and --solution."
            )
        if found.suppression is not None:
            raise InputError(
                "The solution suppresses records, and attacks on the method are not computed for such a release yet. "
                "Leave out --original and --solution."
            )
        table = open_data(original, engine, None, n_bytes, asked.reading)
        opened.enter_context(closing(table))
        searched, records = search_again(table, asked, found)
        looked = look_at_columns(records, asked, found, searched.profile)
        whole = masking.mask(records, found, searched.profile.columns)
        return try_all(Attacked(asked, release, searched, looked.leaks, whole))


def search_again(table: Table, policy: Policy, solution: Solution) -> tuple[Searched, Table]:
    """Count what the search had counted, and put the cut beside it that it found.

    Args:
        table: The records, unmasked.
        policy: What was asked.
        solution: What was found.

    Returns:
        The counts with the cut, and the table without dropped records.
    """
    criterion = solution.criterion if solution.criterion in criteria(solution.method) else PLAIN_CRITERION
    options = SearchOptions(method=solution.method, criterion=criterion)
    profile, table = take_profile(table, policy, keep_rare=options.search.starts_from_raw_values)
    if [column.name for column in profile.columns] != [cut.attribute for cut in solution.cuts]:
        raise InputError("The solution masks other attributes than the policy. Pass those of one run.")
    profile = with_boundaries(read_midnights_as_dates(profile), table, policy, policy.boundaries)
    search = start_search(Problem(profile, policy, options, solution.columns, solution.drop))
    request = replace(search.request, classes=None)
    counts = compress(table, profile, request)
    tried = policy if solution.tightened == 1 else tighten(policy, solution.tightened, profile)
    trees = search.coded_trees
    return Searched(policy, tried, profile, trees, request.tables, counts.tables, solution), table


def attack_search(searched: Searched) -> tuple[Attack, ...]:
    """The attacks on a cut that are tried whenever a table is masked, as long as they are cheap."""
    if searched.solution.suppression is not None:
        return suppressed_attacks(searched)
    has_templates = any(one.confidences for one in searched.policy.requirements)
    found = [minimality.minimality(searched)] if has_templates else []
    return (*found, labels.labels_that_tell(searched))


def suppressed_attacks(searched: Searched) -> tuple[Attack, ...]:
    """Say that attacks on the method were not tried, because the release suppresses records."""
    text = "It is not computed for a release with suppressed records yet."
    has_templates = any(one.confidences for one in searched.policy.requirements)
    tried = {"labels": labels.KNOWS} | ({"minimality": minimality.KNOWS} if has_templates else {})
    return tuple(Attack(name, knows, AttackResult.NOT_RUN, text, Audience.OWNER) for name, knows in tried.items())


def attack_release(policy: Policy, release: Table, whole: Table, leaks: Sequence[Leak] | None) -> tuple[Attack, ...]:
    """The attacks on a masked table that are tried whenever one is written: what sensitive columns and others tell.

    Args:
        policy: What was asked.
        release: What was written.
        whole: The masked records with the columns that are not released.
        leaks: The released columns that tell a masked one.
    """
    found = [one for name in policy.sensitive for one in column_attacks(policy, name, release, whole)]
    return (told(leaks, policy), *found)


def failed_messages(attacks: Iterable[Attack]) -> tuple[Message, ...]:
    """Warn the owner of each attack that succeeded, and say if that on templates was not tried.

    Of columns that tell others the owner is warned one by one.
    """
    found = list(attacks)
    return (
        *(
            Message(Level.WARNING, Audience.OWNER, f"The {one.name} attack succeeds. {one.text}")
            for one in found
            if one.result is AttackResult.FAILED and one.name != "told"
        ),
        *(
            private_note(f"The minimality attack, by those who know how the search works, was not tried. {one.text}")
            for one in found
            if one.result is AttackResult.NOT_RUN and one.name == "minimality"
        ),
    )
