"""Options that several commands share, and a check on the files they name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from maskwise.errors import InputError
from maskwise.policy.attributes import Boundaries
from maskwise.search.registry import DEFAULT_METHOD, criteria, methods
from maskwise.values.background import Background

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.certificate.certify import Certification
    from maskwise.search.options import SearchKeywords

    MethodName = str
    CriterionName = str
    BoundaryName = str
    BackgroundName = str
else:
    MethodName, CriterionName = Literal[methods()], Literal[criteria()]
    BoundaryName = Literal[tuple(map(str, Boundaries))]
    BackgroundName = Literal[tuple(map(str, Background))]

Quiet = Annotated[bool, Parameter(name=["--quiet", "-q"], negative="", help="Print nothing but errors and warnings.")]
AsPublished = Annotated[
    bool,
    Parameter(
        negative="",
        help="Work as the papers do, whatever the policy says: exact boundaries, the order of records kept, a lone "
        "hidden value left as *.",
    ),
]
AsJson = Annotated[bool, Parameter(name="--json", negative="", help="Print the result as JSON.")]
PolicyPath = Annotated[Path, Parameter(name=["--policy", "-p"], help="The policy, a YAML file.")]
Output = Annotated[
    str,
    Parameter(
        name=["--output", "-o"],
        help="Where to write: .csv, .tsv, .parquet or .arrow, each also with .gz; a folder, such as released/; "
        "or a table of the engine.",
    ),
]
Engine = Annotated[
    str | None,
    Parameter(
        help="Where the work is done: duckdb, duckdb:///people.db, postgres://user@host/database, "
        "spark or spark://host:port. In a database DATA is a table."
    ),
]
Memory = Annotated[str | None, Parameter(help="How much memory a run may use before it spills to disk, such as 4GB.")]
Renaming = Annotated[
    str | None,
    Parameter(help="With `suffix`, number columns of the same name: age, age.1. The draft says so to later commands."),
]
KeepOrder = Annotated[
    bool, Parameter(negative="", help="Release the records in the order they have, instead of a random one.")
]
Shuffle = Annotated[
    bool, Parameter(negative="", help="Release the records in random order: the default, but for --as-published.")
]
Seed = Annotated[
    int | None,
    Parameter(help="Makes the order of records and regions repeatable; keep it secret."),
]
WrittenNumbers = Annotated[
    Literal["label", "midpoint", "mean", "bounds"],
    Parameter(
        help="How masked numbers and dates are written: as intervals (label), or for learners as their middle, as the "
        "mean of their records, or as both ends in two columns."
    ),
]
Against = Annotated[
    tuple[Path, ...],
    Parameter(
        name="--against",
        negative="",
        help="The solution of an earlier release of the same people (repeatable): every requirement then holds for "
        "the groups of all these releases together.",
    ),
]
Formulas = Annotated[
    bool,
    Parameter(name="--escape-formulas", negative="", help="Quote cells that a spreadsheet would run as a formula."),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFlags:
    """The options of a search as flags, named and meant as in `SearchOptions`; the seed is each command's own."""

    method: Annotated[
        MethodName,
        Parameter(
            help="Which way the search goes: top-down from the most masked table, bottom-up from the raw one, or "
            "region by region."
        ),
    ] = DEFAULT_METHOD
    criterion: Annotated[
        CriterionName | None,
        Parameter(
            help="For tdr: the most information per anonymity lost, the most information, or what is not told yet. The "
            "default is conditional where there is a class, else score."
        ),
    ] = None
    max_steps: Annotated[
        int | None,
        Parameter(
            help="Stop after so many steps; tdr and regions are safe at each, bug writes nothing before its end."
        ),
    ] = None
    time_limit: Annotated[float | None, Parameter(help="Stop searching after so many seconds.")] = None
    effort: Annotated[
        int | None,
        Parameter(help="For regions: 1 is a single search, 2, the default, chooses the size of regions."),
    ] = None
    background: Annotated[
        BackgroundName | None,
        Parameter(
            help="For conditional and regions: what unmasked columns tell of the class is found by odds of values "
            "counted where the records are (the default), or not at all."
        ),
    ] = None
    boundaries: Annotated[
        BoundaryName | None,
        Parameter(
            help="Where intervals are split: safe, between bins of at least k records and at round numbers; or exact, "
            "at numbers of the data. The default is the policy's, or safe."
        ),
    ] = None
    as_published: AsPublished = False

    def keywords(self) -> SearchKeywords:
        """The same as the Python functions take it."""
        return {
            "method": self.method,
            "criterion": self.criterion,
            "max_steps": self.max_steps,
            "time_limit": self.time_limit,
            "effort": self.effort,
            "background": self.background,
            "boundaries": self.boundaries,
            "as_published": self.as_published,
        }


DEFAULT_SEARCH = SearchFlags()


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFlags:
    """The options of a certificate as flags, meant as in `Certification`."""

    certificate: Annotated[
        Path | None, Parameter(help="Write a certificate here that recipients check with `maskwise verify` (.json).")
    ] = None
    sign: Annotated[
        Path | None, Parameter(help="Sign the certificate with this SSH key; the signature gets its name and .sig.")
    ] = None
    certificate_key: Annotated[
        Path | None,
        Parameter(
            help="The secret key of the input's HMAC in the certificate, made if there is none; by default the "
            "certificate's name and .key."
        ),
    ] = None
    statement: Annotated[str | None, Parameter(help="What the owner states in the certificate, a line of text.")] = None

    def certification(self, output: str, data: str, engine: str | None) -> Certification | None:
        """What writes the certificate, if one is asked for; refuses what cannot be certified before any work is done.

        Args:
            output: Where the release goes.
            data: What is read.
            engine: Where the work is done.
        """
        if self.certificate is None:
            if self.sign or self.certificate_key or self.statement:
                raise InputError("--sign, --certificate-key and --statement go with --certificate, which is not given.")
            return None
        from maskwise.certificate.certify import NOT_A_FILE, Certification  # noqa: PLC0415 - start-up
        from maskwise.release.target import resolve_target  # noqa: PLC0415 - start-up
        from maskwise.values.location import TableName  # noqa: PLC0415 - start-up

        if isinstance(resolve_target(output, data, engine), TableName):
            raise InputError(NOT_A_FILE)
        certification = Certification(self.certificate, self.sign, self.certificate_key, self.statement)
        certification.check()
        return certification


NO_CERTIFICATE = CertificateFlags()


def require_distinct_names(*paths: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write two files under one name, or one over what is read.

    Args:
        paths: What is written.
        inputs: What is read.
    """
    from maskwise.table.endpoints import refuse_inputs  # noqa: PLC0415 - start-up

    refuse_inputs(paths, inputs)
    seen: dict[Path, Path] = {}
    for path in paths:
        if path.resolve() in seen:
            msg = f"`{path}` is named twice. Give each file its own name."
            raise InputError(msg)
        seen[path.resolve()] = path
