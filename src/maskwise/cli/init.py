"""The command `maskwise init`: from a raw table to a release, step by step.

Draft a policy (`suggest`), let the owner edit it, check it against the table,
and mask on confirmation, as `maskwise mask` does.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from maskwise.cli.options import (
    DEFAULT_SEARCH,
    Engine,
    Formulas,
    KeepOrder,
    Memory,
    Quiet,
    Renaming,
    SearchFlags,
    Seed,
    require_distinct_names,
)
from maskwise.cli.printing import print_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.cli.terminal import Terminal
    from maskwise.session.remarks import Remark
    from maskwise.session.session import Session


def init(
    data: Annotated[str, Parameter(help="The raw table; as for `mask`.")],
    /,
    *,
    output: Annotated[
        Path, Parameter(name=["--output", "-o"], help="Where to write the draft of the policy, a new YAML file.")
    ] = Path("policy.yaml"),
    release: Annotated[
        str | None,
        Parameter(help="Where to write the release; by default the table's name and `-masked`, in this folder."),
    ] = None,
    class_name: Annotated[
        str | None, Parameter(name="--class", help="The column that recipients will predict.")
    ] = None,
    risk: Annotated[str, Parameter(help="The largest chance of being found; as for `suggest`.")] = "0.09",
    rename: Renaming = None,
    yes: Annotated[
        bool,
        Parameter(name=["--yes", "-y"], negative="", help="Ask nothing: keep the draft as it is, check it, and mask."),
    ] = False,
    engine: Engine = None,
    memory: Memory = None,
    search: SearchFlags = DEFAULT_SEARCH,
    keep_order: KeepOrder = False,
    seed: Seed = None,
    escape_formulas: Formulas = False,
    strict_leaks: Annotated[
        bool, Parameter(negative="", help="Refuse a released column that tells what a masked one hides.")
    ] = False,
    quiet: Quiet = False,
) -> int:
    """Draft a policy, edit it, check it against the table, and mask on confirmation."""
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.suggestion.suggest import suggest  # noqa: PLC0415 - start-up
    from maskwise.suggestion.suggestion import check_target  # noqa: PLC0415 - start-up

    target = _release_name(data) if release is None else release
    check_target(output)
    _check_release(target, data, engine, output)
    terminal = Terminal(quiet=quiet)
    with terminal:
        draft = suggest(
            data,
            class_name=class_name,
            risk=risk,
            rename=rename,
            progress=terminal.progress,
            engine=engine,
            memory=memory,
        )
    draft.write(output)
    if draft.trial is not None and search == DEFAULT_SEARCH and draft.trial.method != search.method:
        search = replace(search, method=draft.trial.method)
        terminal.note(f"The table is masked with `--method {search.method}`, which shows more of it.")
    first = FirstRelease(terminal, data, output, target, engine, memory, rename)
    try:
        terminal.say(f"draft: {output} (keep it private: its comments have figures of the raw table)")
        if (code := first.settle(asks=not yes)) != 0:
            return code
        if not first.is_confirmed(is_answered=yes):
            terminal.say(f"Nothing is masked yet. Later, run: maskwise mask DATA -p {output} -o {target}")
            return 0
        first.mask(search, seed, keep_order=keep_order, escape_formulas=escape_formulas, strict_leaks=strict_leaks)
    except KeyboardInterrupt:
        # The command line says it, with the exit code of the signal.
        msg = f"Interrupted; the draft stays in `{output}`, and nothing is released."
        raise KeyboardInterrupt(msg) from None
    return 0


@dataclass(frozen=True, slots=True)
class FirstRelease:
    """A table on its way to its first release."""

    terminal: Terminal
    """Where questions are asked and answers shown."""
    data: str
    """The raw table."""
    path: Path
    """The policy's file."""
    target: str
    """Where the release goes."""
    engine: str | None
    """Where the work is done."""
    memory: str | None
    """How much memory it may use."""
    rename: str | None = None
    """How columns of the same name are told apart."""

    def settle(self, *, asks: bool) -> int:
        """Edit and check until the policy fits the table, or the user leaves it with mistakes; return the exit code.

        Args:
            asks: Whether to offer the editor, where there is one.
        """
        from maskwise.cli.questions import ask  # noqa: PLC0415 - start-up
        from maskwise.session.session import Session as OpenTable  # noqa: PLC0415 - start-up

        command = self._editor() if asks else None
        if command is not None and ask(self.terminal, f"Edit {self.path} now?", default=True):
            self._edit(command)
        with OpenTable(self.data, rename=self.rename, engine=self.engine, memory=self.memory) as session:
            while True:
                remarks = self._check(session)
                mistakes = [remark for remark in remarks if remark.is_mistake]
                # What follows at once says its warnings itself.
                self._show(remarks if asks else mistakes)
                if not mistakes:
                    return 0
                if command is None or not ask(self.terminal, "Edit it again?", default=True):
                    print_error(f"`{self.path}` does not fit the table yet; nothing is released. Correct it.")
                    return 3 if all(remark.is_infeasible for remark in mistakes) else 2
                self._edit(command)

    def is_confirmed(self, *, is_answered: bool) -> bool:
        """Whether to mask now; a script confirms with `--yes` only.

        Args:
            is_answered: Whether it was confirmed already.
        """
        from maskwise.cli.questions import ask, is_interactive  # noqa: PLC0415 - start-up

        if is_answered or not is_interactive():
            return is_answered
        return ask(self.terminal, f"Mask the table to {self.target} now?", default=False)

    def mask(
        self, search: SearchFlags, seed: int | None, *, keep_order: bool, escape_formulas: bool, strict_leaks: bool
    ) -> None:
        """Mask, recount, and only then release, as `maskwise mask`.

        Args:
            search: How to search.
            seed: As in `anonymize`.
            keep_order: As in `anonymize`.
            escape_formulas: As in `anonymize`.
            strict_leaks: As in `anonymize`.
        """
        from maskwise.cli.mask import mask as mask_table  # noqa: PLC0415 - start-up

        # The editor may have been open for long: what was not there then may be there now.
        _check_release(self.target, self.data, self.engine, self.path)
        mask_table(
            self.data,
            policy=self.path,
            output=self.target,
            engine=self.engine,
            memory=self.memory,
            search=search,
            keep_order=keep_order,
            seed=seed,
            escape_formulas=escape_formulas,
            strict_leaks=strict_leaks,
            quiet=self.terminal.quiet,
        )
        self.terminal.say(f"The same again: maskwise mask DATA -p {self.path} -o {self.target}")

    def _editor(self) -> str | None:
        """The editor to use; where there is none, or nobody to use it, a note says so."""
        from maskwise.cli.questions import editor, is_interactive  # noqa: PLC0415 - start-up

        if not is_interactive():
            self.terminal.note("The draft is not edited: this is no terminal that somebody could answer at.")
            return None
        if editor() is None:
            self.terminal.note("The draft is not edited: neither $VISUAL nor $EDITOR names an editor.")
        return editor()

    def _edit(self, command: str) -> None:
        from maskwise.cli.questions import edit  # noqa: PLC0415 - start-up
        from maskwise.errors import InputError  # noqa: PLC0415 - start-up

        try:
            edit(self.path, command)
        except InputError as error:
            self.terminal.note(f"{error} The draft is as it was left.")

    def _check(self, session: Session) -> tuple[Remark, ...]:
        from maskwise.errors import MaskwiseError  # noqa: PLC0415 - start-up
        from maskwise.formats.policy_file import read_policy  # noqa: PLC0415 - start-up
        from maskwise.session.remarks import remarks_of_error  # noqa: PLC0415 - start-up

        try:
            # As a file, not as a mapping: what is said of it then names its lines.
            return session.check(read_policy(self.path), folder=self.path.parent)
        except MaskwiseError as error:
            return remarks_of_error(error)

    def _show(self, remarks: Sequence[Remark]) -> None:
        from maskwise.values.message import Level  # noqa: PLC0415 - start-up

        ways = {None: print_error, Level.WARNING: self.terminal.warn, Level.NOTE: self.terminal.note}
        for remark in remarks:
            ways[remark.level](f"{remark.text} {remark.remedy}".rstrip())


def _release_name(data: str) -> str:
    """What the release is called unless it is said: as the file that is read, or for want of one a csv."""
    from maskwise.values.location import has_suffix  # noqa: PLC0415 - start-up

    path = Path(data)
    if not has_suffix(path) or not os.path.isfile(data):  # noqa: PTH113 - a name that is too long is no file
        return "table-masked.csv"
    stem, dot, suffix = path.name.partition(".")
    return f"{stem}-masked{dot}{suffix}"


def _check_release(target: str, data: str, engine: str | None, policy: Path) -> None:
    """Refuse a place for the release that is taken, or cannot be written."""
    from maskwise.errors import InputError  # noqa: PLC0415 - start-up
    from maskwise.release.target import resolve_target  # noqa: PLC0415 - start-up
    from maskwise.table.endpoints import source_files  # noqa: PLC0415 - start-up
    from maskwise.values.location import TableName  # noqa: PLC0415 - start-up

    place = resolve_target(target, data, engine)
    if isinstance(place, TableName):
        msg = f"`{target}` is a table, which init could replace. Name a file with --release, or use `maskwise mask`."
        raise InputError(msg)
    if isinstance(place, Path):  # a folder that is there was refused already
        require_distinct_names(place, policy, inputs=source_files(data, engine))
        if place.exists() or place.is_symlink():
            msg = f"`{place}` is there already, and init overwrites nothing. Choose another name with --release."
            raise InputError(msg)
