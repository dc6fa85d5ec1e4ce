"""solution.json: what `apply` needs to mask later rows in the same way.

The owner's form lists hidden values and whole trees, so it can reveal more than
the release and says so. The public form says only what the release shows.
"""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from maskwise.errors import InputError, PolicyError
from maskwise.formats.date_entries import DateEntry, pairs
from maskwise.formats.number_entries import NumberEntry  # noqa: TC001 - read at run time
from maskwise.formats.policy_file import PersonEntry, texts
from maskwise.formats.region_entries import SplitEntry, list_splits, read_splits
from maskwise.formats.requirement_file import read_requirement
from maskwise.formats.set_entries import read_sets, with_sets, without_sets
from maskwise.formats.solution_checks import are_ascending, refuse_contradictions
from maskwise.formats.suppression_file import SuppressionEntry
from maskwise.formats.text_file import read_text
from maskwise.policy.attributes import Kind, Missing
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.rules.registry import read_rule_tree
from maskwise.policy.rules.rule_tree import RuleTree
from maskwise.policy.sensitive_trees import columns_by_level
from maskwise.policy.taxonomy import Taxonomy
from maskwise.solution.cut import HIDDEN, Cut, MissingShown
from maskwise.solution.solution import PRIVATE, Reached, Solution
from maskwise.values.number_forms import Numbers
from maskwise.values.reading import Reading, Rename
from maskwise.values.scales import Scale  # noqa: TC001 - pydantic needs it

if TYPE_CHECKING:
    from pathlib import Path


FORMAT_VERSION = 1
_OPTIONAL = (
    "na_values",
    "rename",
    "dates",
    "number_forms",
    "fixed",
    "regions",
    "against",
    "trees",
    "rules",
    "person",
    "tightened",
    "suppression",
    "numbers",
    "means",
)
"""Keys that are written only where they say something."""
_NO_TREES = {"__all__": {"taxonomy"}}
_FOR_THE_OWNER = (
    "For the owner only: this file lists hidden values and can reveal more than the release. "
    "Write a public form with --public."
)
_PUBLIC = (
    "Found with differential privacy: everything here was declared, or chosen by the mechanism, so it may accompany "
    "the release. Rows that it masks later are not protected by epsilon."
)


class _Attribute(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)
    name: str
    kind: Kind
    root: str
    missing: MissingShown
    shown: list[str]
    hidden: list[str] = []
    hides_more: bool = False
    taxonomy: dict[str, Any] | None = None
    is_made: bool = False
    rule: dict[str, Any] | None = None
    scale: Scale | None = None
    breaks: list[int | float] = []
    coded: tuple[bool, bool] = (False, False)
    clips: bool = False
    regional: list[str] = []


class _Figures(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)
    reached: int | float
    implied_by: int | None = None


class _SolutionFile(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)
    format: Literal["maskwise solution"] = "maskwise solution"
    format_version: int
    maskwise: str
    note: str
    rows: int
    policy_hash: str
    method: str
    criterion: str
    ending: str
    missing: Missing
    na_values: list[str] = []
    rename: Rename | None = None
    dates: dict[str, DateEntry] = {}
    number_forms: dict[str, NumberEntry] = {}
    drop: list[str]
    columns: list[str]
    person: PersonEntry | None = None
    attributes: list[_Attribute]
    requirements: list[dict[str, Any]]
    dropped_requirements: list[int]
    fixed: list[_Attribute] = []
    regions: list[SplitEntry] | None = None
    against: list[str] = []
    trees: dict[str, dict[str, Any]] = {}
    rules: dict[str, dict[str, Any]] = {}
    tightened: str | None = Field(default=None, pattern=r"^[1-9]\d*/[1-9]\d*$")
    suppression: SuppressionEntry | None = None
    numbers: Numbers | None = None
    means: dict[str, dict[str, float]] = {}


def dumps(solution: Solution, *, public: bool = False) -> str:
    """Write a solution as JSON text.

    Args:
        solution: What to write.
        public: Leave out everything that the release itself does not show.
    """
    if public:
        said: dict[str, Any] = {
            "format": "maskwise solution, public form",
            "format_version": FORMAT_VERSION,
            "maskwise": version("maskwise"),
            "rows": solution.n_released,
            **({} if solution.person is None else {"counted": Unit.PERSON.plural}),
            "attributes": [
                {
                    "name": cut.attribute,
                    "kind": cut.kind,
                    "shown": list(solution.shown_labels(cut)),
                    **({} if cut.rule is None else {"rule": cut.rule.public_data()}),
                }
                for cut in (*solution.cuts, *solution.fixed)
            ],
            **({} if solution.numbers is Numbers.LABEL else {"numbers": str(solution.numbers)}),
            "requirements": [_public_requirement(found, solution) for found in solution.reached],
        }
        return json.dumps(said, indent=2, ensure_ascii=False) + "\n"
    file = _SolutionFile(
        format_version=FORMAT_VERSION,
        maskwise=version("maskwise"),
        note=_PUBLIC if solution.is_private else _FOR_THE_OWNER,
        rows=solution.n_rows,
        policy_hash=solution.policy_hash,
        method=solution.method,
        criterion=solution.criterion,
        ending=str(solution.ending),
        missing=solution.missing,
        na_values=list(solution.reading.na_values),
        rename=solution.reading.rename,
        dates=dict(solution.reading.dates),
        number_forms=dict(solution.reading.numbers),
        drop=list(solution.drop),
        columns=list(solution.columns),
        person=None if solution.person is None else PersonEntry.of(solution.person),
        attributes=[_attribute(cut) for cut in solution.cuts],
        requirements=[
            with_sets(found.requirement.to_data(), solution.reading)
            | {"reached": found.figure, "implied_by": found.implied_by}
            for found in solution.reached
        ],
        dropped_requirements=[i for i, r in enumerate(solution.reached) if r.implied_by is not None],
        fixed=[_attribute(cut) for cut in solution.fixed],
        regions=None if solution.regions is None else list_splits(solution.regions),
        against=list(solution.against),
        trees={name: tree.to_nested() for name, tree in solution.trees if isinstance(tree, Taxonomy)},
        rules={name: tree.to_data() for name, tree in solution.trees if isinstance(tree, RuleTree)},
        numbers=None if solution.numbers is Numbers.LABEL else solution.numbers,
        means={name: dict(of_label) for name, of_label in solution.means},
        tightened=None if solution.tightened == 1 else str(solution.tightened),
        suppression=None if solution.suppression is None else SuppressionEntry.of(solution.suppression),
    )
    # Trees are plain values already, and may be deeper than pydantic can go.
    said = file.model_dump(mode="json", exclude={"trees": True, **dict.fromkeys(("attributes", "fixed"), _NO_TREES)})
    said["trees"] = file.trees
    for entries, own in ((said["attributes"], file.attributes), (said["fixed"], file.fixed)):
        for entry, attribute in zip(entries, own, strict=True):
            entry["taxonomy"] = attribute.taxonomy
    # Said only where it is so, which is rare.
    attributes = (*said["attributes"], *said["fixed"])
    rare = [
        (entry, key) for entry in attributes for key in ("hides_more", "is_made", "coded", "clips", "regional", "rule")
    ]
    for place, key in [*rare, *((said, key) for key in _OPTIONAL)]:
        if place[key] is None or (key != "regions" and place[key] in (False, [], {}, [False, False])):
            del place[key]
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def _public_requirement(found: Reached, solution: Solution) -> dict[str, Any]:
    """What was asked, and the figure where it is about group sizes that recipients can count.

    A share would tell which value is protected.
    """
    asked = found.requirement
    is_countable = asked.parts[0].counted is None and solution.is_unit_released
    return asked.public_data() | ({"reached": found.figure} if is_countable else {})


def _attribute(cut: Cut) -> _Attribute:
    return _Attribute(
        name=cut.attribute,
        kind=cut.kind,
        root=cut.root,
        missing=cut.missing,
        shown=list(cut.labels if cut.kind is Kind.INTERVAL else cut.shown),
        hidden=list(cut.hidden),
        hides_more=cut.hides_more,
        taxonomy=cut.taxonomy.to_nested() if cut.taxonomy else None,
        is_made=cut.is_made,
        rule=None if cut.rule is None else cut.rule.to_data(),
        scale=cut.scale,
        breaks=list(cut.breaks),
        coded=cut.coded,
        clips=cut.clips,
        regional=list(cut.regional),
    )


def loads(text: str, name: str = "the solution") -> Solution:
    """Read a solution from JSON text.

    Args:
        text: What `dumps` wrote.
        name: What messages call it.
    """
    try:
        data = json.loads(text)
        # Half of a pair of characters can be escaped, but is no text.
        if "\\ud" in text.lower():
            json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        msg = f"{name} is not JSON. Write one with `maskwise mask ... --solution solution.json`."
        raise InputError(msg) from None
    if isinstance(data, dict) and str(data.get("format", "")).endswith("public form"):
        msg = f"{name} is the public form, which says only what the release shows. Use the owner's solution file."
        raise InputError(msg)
    if isinstance(data, dict) and isinstance(found := data.get("format_version"), int) and found > FORMAT_VERSION:
        msg = f"{name} has format version {found}; this maskwise reads up to {FORMAT_VERSION}. Upgrade maskwise."
        raise InputError(msg)
    try:
        file = _SolutionFile.model_validate(data)
        return _solution(file)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the top"
        msg = f"{name} is no solution file: at `{place}`, {first['msg'].lower()}."
        raise InputError(msg) from None
    except PolicyError as error:
        msg = f"{name} is no solution file: {error}"
        raise InputError(msg) from None
    except RecursionError:
        msg = f"{name} is no solution file: its values are nested too deeply."
        raise InputError(msg) from None


def _solution(file: _SolutionFile) -> Solution:
    """Build a solution and make sure that it masks everything its requirements speak of."""
    names = [entry.name for entry in file.attributes]
    found = [_reached(said) for said in file.requirements]
    in_qid = {name for reached in found for name in reached.requirement.qid}
    is_private = file.method == PRIVATE and not file.requirements
    if not (is_private or (file.requirements and set(names) == in_qid)) or len(set(names)) < len(names):
        raise PolicyError(["its attributes are not those of its requirements."])
    cuts = tuple(_cut(entry) for entry in file.attributes)
    fixed = tuple(_cut(entry) for entry in file.fixed)
    if any(cut.regional for cut in (*fixed, *(cuts if file.regions is None else ()))):
        raise PolicyError(["its attributes have labels of regions, but there are no regions."])
    solution = Solution(
        cuts=cuts,
        reached=tuple(found),
        n_rows=file.rows,
        policy_hash=file.policy_hash,
        method=file.method,
        criterion=file.criterion,
        ending=file.ending,
        drop=tuple(file.drop),
        columns=tuple(file.columns),
        person=None if file.person is None else file.person.person(),
        missing=file.missing,
        reading=Reading(
            tuple(file.na_values),
            file.rename,
            pairs(file.dates),
            pairs(file.number_forms),
            read_sets(file.requirements),
        ),
        fixed=fixed,
        regions=None if file.regions is None else read_splits(file.regions, cuts),
        against=tuple(file.against),
        trees=(
            *((name, Taxonomy.from_nested(tree)) for name, tree in file.trees.items()),
            *((name, _rule(name, said)) for name, said in file.rules.items()),
        ),
        numbers=file.numbers or Numbers.LABEL,
        means=tuple((name, tuple(of_label.items())) for name, of_label in file.means.items()),
        tightened=Fraction(file.tightened or 1),
        suppression=None if file.suppression is None else file.suppression.suppression(names),
    )
    if any(solution.taxonomies.get(name) is None for name in columns_by_level([one.requirement for one in found])):
        raise PolicyError(["the taxonomy of a sensitive column is missing."])
    refuse_contradictions(solution, [entry.shown for entry in file.attributes], file.dropped_requirements)
    return solution


def _reached(said: dict[str, Any]) -> Reached:
    asked = read_requirement(without_sets({key: texts(said[key]) for key in said if key not in _Figures.model_fields}))
    figures = _Figures.model_validate({key: said[key] for key in said if key in _Figures.model_fields})
    return Reached(asked, figures.reached, figures.implied_by)


def _rule(name: str, said: dict[str, Any]) -> RuleTree:
    try:
        return read_rule_tree(said)
    except PolicyError as error:
        raise PolicyError([f"the rule of `{name}` is none: {error}"]) from None


def _cut(entry: _Attribute) -> Cut:
    """Build a cut and make sure that it covers its domain."""
    if entry.kind is Kind.TAXONOMY:
        if entry.taxonomy is None:
            raise PolicyError([f"the taxonomy of `{entry.name}` is missing."])
        tree = Taxonomy.from_nested(entry.taxonomy)
        rule = None if entry.rule is None else _rule(entry.name, entry.rule)
        if not entry.regional:
            tree.shown_as(entry.shown)
        if entry.root != tree.root or (rule is not None and rule.root != tree.root):
            raise PolicyError([f"the root of `{entry.name}` is not that of its taxonomy."])
        return Cut(
            entry.name,
            entry.kind,
            entry.root,
            entry.missing,
            taxonomy=tree,
            is_made=entry.is_made,
            rule=rule,
            shown=tuple(entry.shown),
            regional=tuple(entry.regional),
        )
    if entry.kind is Kind.SUPPRESS:
        if entry.root != HIDDEN or set(entry.shown) & set(entry.hidden):
            raise PolicyError([f"the values of `{entry.name}` are shown and hidden at once."])
        return Cut(
            entry.name,
            entry.kind,
            entry.root,
            entry.missing,
            shown=tuple(entry.shown),
            hidden=tuple(entry.hidden),
            hides_more=entry.hides_more,
            regional=tuple(entry.regional),
        )
    if entry.scale is None or not are_ascending(entry.breaks):
        raise PolicyError([f"the intervals of `{entry.name}` have no ascending breaks."])
    return Cut(
        entry.name,
        entry.kind,
        entry.root,
        entry.missing,
        scale=entry.scale,
        breaks=tuple(entry.breaks),
        coded=entry.coded,
        clips=entry.clips,
        regional=tuple(entry.regional),
    )


def read_solution(path: Path) -> Solution:
    """Read a solution file."""
    return loads(read_text(path), f"`{path.name}`")
