"""The bodies of requests: their shapes, and how large their parts may be."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from maskwise.studio.refusal import BAD, RequestError

Role = Literal["identifier", "quasi-identifier", "sensitive", "class", "released", "person"]
_MOST_ROWS, _MOST_VALUES = 1000, 20_000


class Body(BaseModel):
    """A body without anything in it."""

    model_config = ConfigDict(extra="forbid", strict=True)


class OpenBody(Body):
    """What table to open: a path, an example, or a table of a database."""

    path: str | None = Field(default=None, min_length=1, max_length=4096)
    example: Literal["adult"] | None = None
    engine: str | None = Field(default=None, min_length=1, max_length=4096)
    table: str | None = Field(default=None, min_length=1, max_length=1000)


class ColumnsBody(Body):
    """The roles that were chosen so far."""

    roles: dict[str, Role] = {}


class ValuesBody(Body):
    """Which values of a column."""

    column: str
    start: int = Field(default=0, ge=0)
    n: int = Field(default=100, ge=0, le=_MOST_VALUES)
    filter: str = Field(default="", max_length=1000)
    form: str | None = Field(default=None, max_length=100)


class TreeBody(Body):
    """What a policy says of a column."""

    column: str
    entry: Any
    policy: dict[str, Any] = {}


class ImportBody(Body):
    """A file with a tree for a column."""

    column: str
    name: str = Field(min_length=1, max_length=255)
    text: str


class PolicyBody(Body):
    """A policy."""

    policy: dict[str, Any]


class OptionsBody(Body):
    """How to search; what is None is left to maskwise."""

    method: str | None = None
    criterion: str | None = None
    effort: int | None = None
    background: str | None = None
    time_limit: float | None = None
    max_steps: int | None = None
    seed: int | None = None
    boundaries: str | None = None


class SearchBody(PolicyBody):
    """What to search for, and how."""

    options: OptionsBody = OptionsBody()


class RunBody(Body):
    """A run."""

    run: str


class EventsBody(RunBody):
    """Events of a run after the one with a number."""

    after: int = Field(default=0, ge=0)


class StepBody(RunBody):
    """A step of a search; None is the last."""

    step: int | None = Field(default=None, ge=0)


class RowsBody(StepBody):
    """Which records."""

    start: int = Field(default=0, ge=0)
    n: int = Field(default=20, ge=0, le=_MOST_ROWS)


class FilesBody(Body):
    """The files beside a release: whether they are written, or under which name."""

    solution: bool | str | None = True
    trace: bool | str | None = True
    report: bool | str | None = True
    owner_report: bool | str | None = True


class ExportBody(StepBody):
    """Where a release goes."""

    folder: str = Field(min_length=1, max_length=4096)
    name: str = Field(default="release.csv", min_length=1, max_length=255)
    files: FilesBody = FilesBody()
    keep_order: bool = False


class DraftBody(Body):
    """A draft."""

    draft: dict[str, Any]


def read_body(kind: type[Body], text: bytes) -> Any:
    """Read a body; what is wrong is said without repeating it.

    Args:
        kind: Its shape.
        text: What came.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        what = "The request is no JSON that can be read" if first["type"] == "json_invalid" else "The request is wrong"
        said = f"{what}: `{where}`." if where else f"{what}."
        raise RequestError(BAD, said, "Load the page again.") from None
