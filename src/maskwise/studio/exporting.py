"""Release a step of a search into a folder, and say which command would have written the same."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from maskwise.errors import InputError
from maskwise.formats.policy_file import to_data
from maskwise.release.file_set import Sidecar
from maskwise.release.target_checks import check_target, make_folder
from maskwise.search.options import search_options
from maskwise.solution.solution import Ending
from maskwise.studio.sources import full_path
from maskwise.table.endpoints import refuse_inputs, source_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.policy.policy import Policy
    from maskwise.session.search_run import SearchRun
    from maskwise.session.session import Session

POLICY = "policy.yaml"
_FIRST_LINE = "# Written by maskwise studio. Keep it private: it names what is protected.\n"
_FILES = {
    "solution": ("solution.json", "the solution, for `maskwise apply`", True),
    "trace": ("trace.jsonl", "every step, with what it gained and cost", True),
    "report": ("report.html", "the report for recipients", False),
    "owner_report": ("owner-report.html", "the owner's report, with everything that is known", True),
}
"""The files beside a release: their usual names, what they are, and whether they are private."""


def export(
    session: Session,
    whole: SearchRun,
    run: SearchRun,
    options: Mapping[str, Any],
    source: Mapping[str, str | None],
    *,
    was_stopped: bool,
    folder: str,
    name: str,
    files: Mapping[str, bool | str | None],
    keep_order: bool,
) -> dict[str, Any]:
    """Release into a folder.

    Args:
        session: Where the table is open.
        whole: The search at its end.
        run: The search at the step that is released.
        options: How it was searched.
        source: What a command line calls the `data`, and the `engine`.
        was_stopped: Whether somebody stopped it.
        folder: Where the files go; it is made if it is not there.
        name: What the release is called.
        files: Which files are written beside it, and under which names.
        keep_order: As in `anonymize`.
    """
    place = Path(os.path.realpath(full_path(folder)))
    names = {key: _FILES[key][0] if given is True else given or None for key, given in files.items()}
    beside = {key: own for key, own in names.items() if own is not None}
    _refuse_names([name, *beside.values(), POLICY])
    refuse_inputs([place / own for own in (*beside.values(), POLICY)], source_files(session.data, session.engine))
    policy = place / POLICY
    make_folder(place)
    _refuse_others_files(place, [name, *beside.values()])
    check_target(policy)
    run.write(
        place,
        name=name,
        solution=names.get("solution"),
        trace=names.get("trace"),
        report=names.get("report"),
        owner_report=names.get("owner_report"),
        keep_order=keep_order,
        beside=[Sidecar(policy, policy_text(run.policy), private=True)],
    )
    written = [(place / name, "the release", False)]
    written += [(place / own, *_FILES[key][1:]) for key, own in beside.items()]
    written.append((policy, "the policy, for the command below", True))
    command, note = equivalent_command(
        whole,
        run,
        options,
        source,
        place / name,
        {key: place / own for key, own in beside.items()},
        keep_order=keep_order,
        was_stopped=was_stopped,
    )
    said = [{"path": str(path), "what": what, "is_private": private} for path, what, private in written]
    return {"files": said, "command": command, "note": note}


def policy_text(policy: Policy) -> str:
    """A policy as a file."""
    return _FIRST_LINE + yaml.safe_dump(to_data(policy), sort_keys=False, allow_unicode=True, width=1 << 20)


def equivalent_command(
    whole: SearchRun,
    run: SearchRun,
    options: Mapping[str, Any],
    source: Mapping[str, str | None],
    output: Path,
    beside: Mapping[str, Path],
    *,
    keep_order: bool,
    was_stopped: bool,
) -> tuple[str, str]:
    """The command that gives the same release, and what is to be known about it.

    Args:
        whole: The search at its end.
        run: The search at the step that is released.
        options: How it was searched.
        source: As in `export`.
        output: The release.
        beside: The files beside it.
        keep_order: Whether the records keep their order.
        was_stopped: Whether somebody stopped the search; of several searches the best so far may still be a whole one.
    """
    seed = options.get("seed")
    asked = {key: value for key, value in options.items() if key != "seed"}
    is_random = search_options(seed, **asked).is_random
    # One search of tdr always takes the same steps, so that fewer of them are the same ones.
    can_repeat = whole.solution.method == "tdr" and not is_random
    is_shorter = was_stopped or len(run.steps) < len(whole.steps) or whole.solution.ending == Ending.TIME
    # How many searches there is time for depends on the machine.
    is_shorter |= options.get("time_limit") is not None and not can_repeat
    by_solution = is_shorter and not (can_repeat and run.policy.minimality is None)
    engine = [] if source.get("engine") is None else ["--engine", str(source["engine"])]
    order = ["--keep-order"] if keep_order else []
    order += [] if seed is None or (keep_order and (by_solution or not is_random)) else ["--seed", str(seed)]
    data = str(source["data"])
    notes = [] if source.get("note") is None else [str(source["note"])]
    if not keep_order and seed is None:
        notes.append("The records come in a random order, another one each time. With a seed it can be repeated.")
    if by_solution:
        solution = str(beside.get("solution", "SOLUTION.json"))
        notes.append("The search was left early, so the command masks by its solution instead of searching again.")
        return shlex.join(["maskwise", "apply", data, "-s", solution, "-o", str(output), *engine, *order]), " ".join(
            notes
        )
    if is_shorter:
        asked |= {"max_steps": len(run.steps), "time_limit": None}
    words = ["maskwise", "mask", data, "-p", str(output.with_name(POLICY)), "-o", str(output)]
    for key, path in beside.items():
        words += [f"--{key.replace('_', '-')}", str(path)]
    for key, value in asked.items():
        words += [] if value is None else [f"--{key.replace('_', '-')}", str(value)]
    return shlex.join([*words, *engine, *order]), " ".join(notes)


def _refuse_names(names: list[str]) -> None:
    """Refuse names that lead out of the folder, or that two files would have."""
    for name in names:
        if Path(name).name != name or name == ".." or "\0" in name:
            msg = f"`{name}` is no name of a file. Leave out folders: all files go into one."
            raise InputError(msg)
    if len({name.casefold() for name in names}) < len(names):
        msg = f"Two files would have the same name. `{POLICY}` is the policy's; give each its own."
        raise InputError(msg)


def _refuse_others_files(place: Path, names: list[str]) -> None:
    """Refuse to replace what somebody else wrote: only in a folder with a policy of ours files are replaced."""
    policy = place / POLICY
    if policy.is_file():
        with policy.open(encoding="utf-8", errors="replace") as file:
            if file.readline(len(_FIRST_LINE) + 1) == _FIRST_LINE:
                return
    # A link that leads nowhere counts too: what is written would go where it leads.
    there = [name for name in (POLICY, *names) if os.path.lexists(place / name)]
    if there:
        msg = f"There is a `{place / there[0]}` already that the studio did not write. Choose another folder."
        raise InputError(msg)
