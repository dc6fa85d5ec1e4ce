"""What the process that has the table can do, each command a method that returns plain values."""

from __future__ import annotations

import base64
import binascii
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maskwise.datasets import adult_folder
from maskwise.errors import DuplicateNamesError, InputError, MaskwiseError
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.report.wording import requirement_sentence
from maskwise.session.remarks import remarks_of_error
from maskwise.session.session import Session
from maskwise.studio.exporting import export
from maskwise.studio.page_words import remark_data
from maskwise.studio.refusal import GONE, RequestError
from maskwise.studio.run_views import (
    event_data,
    reasons_data,
    result_data,
    rows_data,
)
from maskwise.studio.tree_views import import_tree, view_tree
from maskwise.suggestion.roles import Role
from maskwise.values.file_words import without_file_words
from maskwise.values.message import Level
from maskwise.values.reading import Rename

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.synchronize import Event as StopEvent

    from maskwise.progress import Event
    from maskwise.session.column_views import ColumnView
    from maskwise.session.remarks import Remark
    from maskwise.session.search_run import SearchRun

_MOST_STATES = 6
"""Of so many steps that were looked at, what was counted is kept."""
_NAMING = {Role.IDENTIFIER, Role.PERSON, Role.FREE_TEXT, Role.UNREADABLE}
"""The roles of columns whose values are never listed."""
_MOST_RUNS = 4
"""Of so many searches the results are kept: each holds counts of the whole table."""


class Commands:
    """The table, the searches on it, and what can be asked of them."""

    def __init__(self, tell: Callable[[str, dict[str, Any]], None], stop: StopEvent) -> None:
        """Begin without a table.

        Args:
            tell: Is called with the events of a run.
            stop: Is set to stop a run.
        """
        self._tell, self._stop = tell, stop
        self._session: Session | None = None
        self._chosen: dict[str, str] = {}
        self._runs: dict[str, tuple[SearchRun, dict[str, Any]]] = {}
        self._stopped: set[str] = set()
        self._telling = ""
        self._states: dict[tuple[str, int], SearchRun] = {}
        self.table: Mapping[str, Callable[..., Any]] = {
            "open": self.open,
            "columns": self.columns,
            "values": self.values,
            "tree": self.tree,
            "import": self.import_,
            "check": self.check,
            "search": self.search,
            "cost": self.cost,
            "result": self.result,
            "why": self.why,
            "rows": self.rows,
            "export": self.export,
        }
        """All of them by name."""

    def close(self) -> None:
        """Forget the table."""
        if self._session is not None:
            self._session.close()

    def open(
        self,
        data: str | None = None,
        engine: str | None = None,
        memory: str | None = None,
        example: str | None = None,
        name: str | None = None,
        roles: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Open a table instead of the one that is open.

        Args:
            data: Its path, its name or its address.
            engine: As in `anonymize`.
            memory: As in `anonymize`.
            example: The table that comes with maskwise, instead.
            name: What the page calls it.
            roles: The roles of columns that were chosen before, where it is opened again.
        """
        policy = None
        if example is not None:
            data, policy = str(adult_folder() / "adult.parquet"), to_data(read_policy(adult_folder() / "policy.yaml"))
        session, notes = _open_numbered(data, engine=engine, memory=memory)
        try:
            shape = {"n_records": session.n_records, "n_columns": len(session.names)}
            notes += session.notes
        except BaseException:
            session.close()
            raise
        self.close()
        self._session, self._chosen = session, roles or {}
        self._runs.clear()
        self._states.clear()
        return {"name": name, **shape, "notes": [remark_data(one) for one in notes], "policy": policy}

    def columns(self, roles: dict[str, str]) -> dict[str, Any]:
        """Every column, and what is suggested for it."""
        session = self._opened
        remark, suggestion = None, None
        try:
            suggestion = session.suggest(tries=False)
        except InputError as error:
            remark = without_file_words(str(error))
        self._chosen = roles
        renamed = None if session.rename is None else {"rename": str(session.rename)}
        return {
            "columns": [_column_data(view) for view in session.columns(roles)],
            "suggested_policy": renamed if suggestion is None else suggestion.data,
            "suggested_k": None if suggestion is None else suggestion.k,
            "remark": remark,
        }

    def values(
        self,
        column: str,
        start: int,
        n: int,
        filter: str,  # noqa: A002 - the page's word
        form: str | None = None,
    ) -> dict[str, Any]:
        """Some values of a column, the most frequent first; in the usual spelling, if theirs is named."""
        self._refuse_naming(column)
        wanted = filter.casefold()
        found = [one for one in self._opened.values(column, form) if wanted in one[0].casefold()]
        return {"n_all": len(found), "values": found[start : start + n]}

    def tree(self, column: str, entry: Any, policy: dict[str, Any]) -> dict[str, Any]:
        """What an entry of a policy makes of a column.

        Args:
            column: Its name.
            entry: What the policy says of it.
            policy: The whole of it: a tree that is made of the table may follow from its class and its k.
        """
        self._refuse_naming(column)
        session = self._opened
        asked = {**policy, "attributes": {**(policy.get("attributes") or {}), column: entry}}
        forms = {**(policy.get("dates") or {}), **(policy.get("numbers") or {})}
        values = session.values(column, forms.get(column))
        return view_tree(column, entry, values, lambda: session.tree(column, asked).taxonomy)

    def import_(self, column: str, name: str, text: str) -> dict[str, Any]:
        """What a file makes of a column."""
        self._refuse_naming(column)
        try:
            content = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise InputError("The file did not arrive whole. Choose it again.") from None
        return import_tree(column, name, content, self._opened.values(column))

    def check(self, policy: dict[str, Any]) -> dict[str, Any]:
        """What is to be said of a policy."""
        remarks = [remark_data(remark) for remark in self._opened.check(policy)]
        sentences: list[str] = []
        with suppress(MaskwiseError):  # its mistakes are among the remarks
            asked = read_policy(policy)
            sentences = [requirement_sentence(one, asked.unit, None, None) for one in asked.requirements]
        return {"remarks": remarks, "sentences": sentences}

    def search(self, name: str, policy: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """Search; events tell of it.

        Args:
            name: The run's.
            policy: What is asked.
            options: How to search.
        """
        self._telling = name
        run = self._opened.search(policy, **options, on_event=self._teller(), stop=self._stop)  # type: ignore[arg-type]
        self._keep(name, run, options)
        if self._stop.is_set():
            self._stopped.add(name)
        return {"n_steps": len(run.steps)}

    def cost(self, name: str, run: str, step: int | None) -> dict[str, Any]:
        """Measure what masking costs a classifier.

        Args:
            name: The evaluation's.
            run: The search.
            step: The step that it was followed to; None is the last.
        """
        from maskwise.evaluation.run import evaluate  # noqa: PLC0415 - heavy, and seldom asked for

        found, options = self._found(run)
        if found.policy.class_name is None:
            raise InputError("The policy names no class, so there is nothing to predict. Choose the role class first.")

        def progress(activity: str, n_done: int, n_total: int) -> None:
            if self._stop.is_set():
                raise RequestError(GONE, "The evaluation was stopped.")
            self._tell(
                name, {"kind": "stage", "stage": "evaluate", "number": n_done, "of": n_total, "activity": activity}
            )

        how = {key: value for key, value in options.items() if key != "seed"}
        if step is not None and step < len(found.steps):
            how["max_steps"] = step
        measured = evaluate(self._opened.records(), found.policy, progress=progress, **how)
        said = {"class": measured.class_name, "tested": measured.n_tested, "errors": measured.to_data()}
        return {"cost": {**said, "notes": list(measured.notes)}}

    def result(self, run: str, step: int | None) -> dict[str, Any]:
        """What a step of a search reaches, shows and risks."""
        whole, _ = self._found(run)
        return result_data(whole, self._at(run, step))

    def why(self, run: str, step: int | None) -> dict[str, Any]:
        """Why values stayed masked."""
        return reasons_data(self._at(run, step))

    def rows(self, run: str, step: int | None, start: int, n: int) -> dict[str, Any]:
        """Some records before and after."""
        return {**rows_data(self._at(run, step), start, n), "n_all": self._opened.n_records}

    def export(
        self, name: str, run: str, step: int | None, source: dict[str, Any], how: dict[str, Any]
    ) -> dict[str, Any]:
        """Release a step of a search into a folder; events tell of it.

        Args:
            name: The export's.
            run: The search.
            step: The step; None is the last.
            source: What the table is called on a command line.
            how: As in `exporting.export`.
        """
        whole, options = self._found(run)
        self._telling = name
        was_stopped = run in self._stopped
        return export(self._opened, whole, self._at(run, step), options, source, was_stopped=was_stopped, **how)

    @property
    def _opened(self) -> Session:
        if self._session is None:
            raise InputError("No table is open. Open one first.")
        return self._session

    def _keep(self, name: str, run: SearchRun, options: dict[str, Any]) -> None:
        """Keep what a search found, and forget the oldest ones."""
        self._runs[name] = run, options
        while len(self._runs) > _MOST_RUNS:
            oldest = next(iter(self._runs))
            del self._runs[oldest]
            self._states = {key: state for key, state in self._states.items() if key[0] != oldest}

    def _found(self, name: str) -> tuple[SearchRun, dict[str, Any]]:
        if name not in self._runs:
            raise RequestError(GONE, "This search has no results.", "Search again.")
        return self._runs[name]

    def _at(self, name: str, step: int | None) -> SearchRun:
        """A search at a step; what was counted of the last few is kept."""
        whole, _ = self._found(name)
        if step is None or step == len(whole.steps):
            return whole
        key = name, step
        found = self._states.pop(key, None) or whole.at(step)
        self._states[key] = found
        while len(self._states) > _MOST_STATES:
            self._states.pop(next(iter(self._states)))
        return found

    def _teller(self) -> Callable[[Event], None]:
        """Tells what happens to a search, now and when it is exported, as events of the run that goes on."""
        tell_event = event_data()
        return lambda event: self._tell(self._telling, tell_event(event))

    def _refuse_naming(self, column: str) -> None:
        """Refuse to list the values of a column that names people, by the role that was chosen, else suggested."""
        role = self._chosen.get(column)
        if role is None:
            with suppress(InputError):  # nothing is suggested
                role = next((one.role for one in self._opened.suggest(tries=False).columns if one.name == column), None)
        if role in _NAMING:
            msg = f"The values of `{column}` name people, so they are not listed. Change its role first."
            raise InputError(msg)


def _open_numbered(data: str | None, **how: Any) -> tuple[Session, list[Remark]]:
    """Open a table; where columns have the same name, number them and say so."""
    try:
        return Session(data, **how), []
    except DuplicateNamesError as error:
        (said,) = remarks_of_error(error)
        done = "Those after the first are numbered, `.1`, `.2` and so on. Was its first line a header?"
        return Session(data, rename=Rename.SUFFIX, **how), [replace(said, level=Level.WARNING, remedy=done)]


def _column_data(view: ColumnView) -> dict[str, Any]:
    one = view.suggestion
    suggestion = None
    if one is not None:
        entry = None if one.masking is None else one.masking.entry
        reason = one.reason if one.masking is None else f"{one.reason}; {one.masking.reason}"
        # The page knows fewer roles: what is left out, for whatever reason, is an identifier there.
        role = Role.IDENTIFIER if one.role.is_left_out else one.role
        suggestion = {"role": str(role), "kind": str(one.role), "reason": without_file_words(reason), "entry": entry}
        suggestion |= {"date_forms": one.figures.date_forms, "number_forms": one.figures.number_forms}
    return {
        "name": view.name,
        "type": view.type,
        "n_distinct": view.n_distinct,
        "n_missing": view.n_missing,
        "frequent": view.frequent,
        "hidden": view.frequent is None,
        "suggestion": suggestion,
    }
