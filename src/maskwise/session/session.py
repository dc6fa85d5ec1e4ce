"""A table that stays open: looked at, searched again and again, and released from."""

from __future__ import annotations

import shutil
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from maskwise.compress.spill import Workspace
from maskwise.engines.choose import has_tables
from maskwise.errors import InputError, MaskwiseError
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline.finding import find
from maskwise.pipeline.previewing import preview_made_trees
from maskwise.profile.profile import notes_of_table
from maskwise.profile.profile import profile as take_profile
from maskwise.progress import RunProgress
from maskwise.release.earlier import read_earlier
from maskwise.search.bounds import check_feasible
from maskwise.search.options import SearchKeywords, SearchOptions, search_options
from maskwise.session.column_views import count_values, view_columns
from maskwise.session.remarks import read_placed, remarks_of_error, remarks_of_messages
from maskwise.session.search_run import SearchRun
from maskwise.suggestion.suggest import DEFAULT_RISK, suggest_for
from maskwise.suggestion.trials import choose_draft
from maskwise.table.endpoints import closing, open_data
from maskwise.table.kept_counts import KeptCounts
from maskwise.values.file_words import file_words
from maskwise.values.memory import for_search, memory_of_run, parse_memory
from maskwise.values.reading import AS_IT_IS, Reading, reading_of, renaming
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from maskwise.pipeline.previewing import TreePreview
    from maskwise.policy.policy import Policy
    from maskwise.progress import Event
    from maskwise.session.column_views import ColumnView
    from maskwise.session.remarks import Remark
    from maskwise.solution.solution import Solution
    from maskwise.suggestion.suggestion import Suggestion
    from maskwise.table.table import Table


class Session:
    """A table that stays open; what is counted once is kept, so that a changed policy costs little more than a search.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"Age": [23, 25, 41, 47], "Sex": ["F", "M", "F", "M"], "Risk": ["lo", "lo", "hi", "hi"]})
        >>> with Session(people) as session:
        ...     run = session.search({"class": "Risk", "requirements": [{"qid": ["Age", "Sex"], "k": 2}]})
        ...     [point.requirements for point in run.curve], run.verdict.is_met
        ([(4,), (2,)], True)
    """

    def __init__(self, data: Any, *, rename: str | None = None, engine: Any = None, memory: str | None = None) -> None:
        """Open a table.

        Args:
            data: As in `anonymize`.
            rename: As in `suggest`; policies that are searched need not say it again.
            engine: As in `anonymize`.
            memory: As in `anonymize`.
        """
        self.rename = renaming(rename).rename
        """How columns of the same name are told apart."""
        self.data, self.engine = data, engine
        self._n_bytes = parse_memory(memory)
        self._open_things = ExitStack()
        self._tables: dict[Reading, Table] = {}
        self._is_open = True
        self._folder: Path | None = None
        self._lock = threading.RLock()
        self._is_searching = False
        self._suggested: list[Suggestion] | InputError | None = None
        self._table(AS_IT_IS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the table, and remove what was written to look at; a search of another thread is waited for."""
        with self._lock:
            self._is_open = False
            self._tables.clear()
            self._open_things.close()

    @contextmanager
    def using(self) -> Iterator[None]:
        """Have the engine for oneself: threads take turns, and while one searches the others are refused.

        Raises:
            InputError: Another thread is searching, or the session is closed.
        """
        if not self._lock.acquire(blocking=not self._is_searching):
            raise InputError("This session is searching. Wait for the end of the search, or stop it.")
        try:
            self.require_open()
            yield
        finally:
            self._lock.release()

    def require_open(self) -> None:
        """Refuse to work on a table that was closed."""
        if not self._is_open:
            raise InputError("This session is closed. Open the table again.")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        return self._table(AS_IT_IS).names

    @property
    def n_records(self) -> int:
        """How many records it has."""
        with self.using():
            return self._table(AS_IT_IS).n_rows()

    @property
    def notes(self) -> tuple[Remark, ...]:
        """What is to be known of the table itself, such as the letters that it was read in."""
        return remarks_of_messages(notes_of_table(self._table(AS_IT_IS)))

    def records(self) -> Any:
        """All records, to train classifiers on: what was given, or of a database an Arrow table of all of them."""
        self.require_open()
        if self.engine is None and not has_tables(None, self.data):
            return self.data
        with self.using():
            table = self._table(AS_IT_IS)
            keys = [table.key(name) for name in table.names]
            return table.engine.fetch(table.expr.select(*keys)).rename_columns(list(table.names))

    def columns(self, roles: Mapping[str, str] | None = None) -> tuple[ColumnView, ...]:
        """Every column: its type, its values and missing cells, and the part in a policy that is suggested for it.

        Args:
            roles: The roles that you chose, by column, where they are others than those that are suggested. Values of
                columns that are identifiers, persons or sensitive are not given.

        Example:
            >>> import pyarrow as pa
            >>> with Session(pa.table({"Sex": ["F", "M", "F"], "Sick": ["no", None, "yes"]})) as session:
            ...     for column in session.columns({"Sick": "sensitive"}):
            ...         print(column.name, column.type, column.n_distinct, column.n_missing, column.frequent)
            Sex text 2 0 (('F', 2), ('M', 1))
            Sick text 2 1 None
        """
        try:
            suggestion = self.suggest(tries=False)
        except InputError:
            suggestion = None
        with self.using():
            return view_columns(self._table(AS_IT_IS), suggestion, roles or {})

    def suggest(self, *, tries: bool = True) -> Suggestion:
        """A draft of a policy, as `maskwise.suggest` makes it; it is made once.

        Args:
            tries: Try it on the table, which takes some seconds; otherwise it is the strictest draft, untried.

        Raises:
            InputError: There is nothing in the table that a policy could protect and show.
        """
        with self.using():
            if self._suggested is None:
                try:
                    found = suggest_for(self._table(AS_IT_IS), None, DEFAULT_RISK)
                    self._suggested = [replace(draft, rename=self.rename) for draft in found]
                except InputError as error:
                    self._suggested = error
        if isinstance(self._suggested, InputError):
            raise self._suggested
        if not tries:
            return self._suggested[0]
        with self.using():
            if self._suggested[0].trial is None:
                self._suggested = [choose_draft(self._table(AS_IT_IS), self._suggested)]
        return self._suggested[0]

    def values(self, column: str, form: str | None = None) -> list[tuple[str, int]]:
        """All values of a column as taxonomies spell them, with their records, the most frequent first.

        Args:
            column: Its name.
            form: How its dates or numbers are written, as in `dates` or `numbers` of a policy; then they are given in
                the usual spelling.
        """
        reading = AS_IT_IS if form is None else reading_of(column, form)
        with self.using():
            return list(count_values(self._table(reading), column))

    def tree(self, column: str, policy: Mapping[str, Any] | Policy) -> TreePreview:
        """The tree that a policy asks to be made of the table for a column (`grow`, `from_column`).

        Args:
            column: Its name.
            policy: A mapping of the form of a policy file, or a Policy.

        Raises:
            InputError: No tree is made for this column.
        """
        asked = read_placed(policy, Path())
        with self.using():
            found = preview_made_trees(self._table(asked.reading), asked)
        if column not in found:
            msg = (
                f"The policy makes no tree for `{column}`. Let one be made of its values or of another "
                f"column{file_words('grow', 'from_column')}, and put it into a quasi-identifier."
            )
            raise InputError(msg)
        return found[column]

    def check(self, policy: Mapping[str, Any] | Policy, *, folder: str | Path = ".") -> tuple[Remark, ...]:
        """What is to be said of a policy for this table, mistakes first; nothing is searched.

        What is to be known of the table itself is in `notes`.

        Args:
            policy: A mapping of the form of a policy file, or a Policy.
            folder: Where taxonomy files are looked up.
        """
        with self.using():
            try:
                asked = read_placed(policy, Path(folder))
                table = self._table(asked.reading)
                profile, _ = take_profile(table, asked)

                check_feasible(profile, asked)
            except MaskwiseError as error:
                return remarks_of_error(error)
        implied = [
            asked.note_at(("requirements", i), f"This follows from requirement {by + 1}, so it changes nothing.")
            for i, by in asked.implied_by().items()
        ]
        of_table = notes_of_table(table)
        return remarks_of_messages([*implied, *(one for one in profile.messages if one not in of_table)])

    def search(
        self,
        policy: str | Path | Mapping[str, Any] | Policy,
        options: SearchOptions | None = None,
        *,
        against: str | Path | Solution | Sequence[str | Path | Solution] = (),
        seed: int | None = None,
        on_event: Callable[[Event], None] | None = None,
        stop: threading.Event | None = None,
        **search: Unpack[SearchKeywords],
    ) -> SearchRun:
        """Search; nothing is written.

        Args:
            policy: As in `anonymize`.
            options: How to search, where it is not said by keywords.
            against: As in `anonymize`.
            seed: As in `anonymize`.
            on_event: As in `anonymize`; it hears of what is done with the run later, too.
            stop: Set by another thread, it stops the search after the current step, and what was found so far is the
                result; before the search has begun there is none.
            search: As in `anonymize`.

        Raises:
            UnfinishedError: It was stopped before there was anything to keep.
        """
        self.require_open()
        if options is not None and search:
            raise InputError("How to search is said by `options` or by keywords, not by both.")
        options = search_options(seed, **search) if options is None else options
        asked, earlier = read_policy(policy), read_earlier(against)
        is_asked_to_stop = (lambda: False) if stop is None else stop.is_set
        progress = RunProgress(on_event, is_asked_to_stop, gives_up=True)
        if self._is_searching:
            raise InputError("This session is searching already. Stop that search, or wait for its end.")
        with self.using():
            self._is_searching = True
            try:
                with progress.ticking(self._interrupt):
                    progress.stage(Stage.READ)
                    table = self._table(asked.reading)
                    workspace = Workspace(for_search(memory_of_run(self._n_bytes)))
                    found = find(table, asked, earlier, options, progress, workspace)
            finally:
                self._is_searching = False
        return SearchRun(self, found, on_event, seed if options.seed is None else options.seed)

    def _interrupt(self) -> None:
        """End the query that an engine of this session is busy with."""
        for table in list(self._tables.values()):
            table.engine.interrupt()

    def private_folder(self) -> Path:
        """A folder that only the owner can read, for what is written to look at; it is removed with the session."""
        self.require_open()
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="maskwise-"))
            self._open_things.callback(shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def _table(self, reading: Reading) -> Table:
        """The table, read in one way; each way once."""
        self.require_open()
        reading = replace(reading, rename=reading.rename or self.rename)
        if reading not in self._tables and reading.forms:
            # How cells are written is looked at one by one, so the records are not loaded once more.
            opened = self._table(replace(reading, dates=(), numbers=(), sets=()))
            self._tables[reading] = replace(opened, forms=reading.forms, kept=KeptCounts())
        elif reading not in self._tables:
            opened = open_data(self.data, self.engine, None, self._n_bytes, reading)
            self._open_things.enter_context(closing(opened))
            self._tables[reading] = replace(opened, kept=KeptCounts())
        return self._tables[reading]
