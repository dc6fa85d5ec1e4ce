"""What the owner asks for: the attributes, the requirements, what to drop.

A `Policy` is plain values; its YAML form, with file and line in every
complaint, is the concern of `formats.policy_file`. Whether a table fits a
policy is checked where the table is first looked at, in `profile`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.attributes import Attribute, Boundaries, Minimality, Missing
from maskwise.policy.date_columns import date_mistakes
from maskwise.policy.implied import _implied_parts
from maskwise.policy.number_columns import number_mistakes
from maskwise.policy.private_release import private_mistakes
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.rules.made import source_mistakes
from maskwise.policy.sensitive_trees import tree_mistakes
from maskwise.policy.set_columns import set_mistakes
from maskwise.policy.source_lines import Document
from maskwise.values.message import Audience, Level, Message
from maskwise.values.reading import AS_IT_IS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from maskwise.policy.budget import SuppressionBudget
    from maskwise.policy.person import Person
    from maskwise.policy.private_release import PrivateRelease
    from maskwise.policy.requirements.base import Requirement
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.source_lines import Place
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.values.reading import Reading


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything the owner decides.

    Example:
        >>> from maskwise import KAnonymity
        >>> policy = Policy(requirements=(KAnonymity(("Age", "Sex"), 10),))
        >>> policy.masked
        ('Age', 'Sex')
    """

    requirements: tuple[Requirement, ...]
    """What the masked table must satisfy, in policy order."""
    attributes: tuple[Attribute, ...] = ()
    """The entries the policy gives, in policy order; others get a default."""
    class_name: str | None = None
    """The column recipients will predict."""
    drop: tuple[str, ...] = ()
    """Columns removed from the output."""
    missing: Missing = Missing.KEEP
    """What happens to missing cells of masked attributes."""
    boundaries: Boundaries = Boundaries.SAFE
    """Where intervals may be split."""
    keep: tuple[str, ...] | None = None
    """The only columns that pass through; None lets all pass that are not dropped."""
    reading: Reading = AS_IT_IS
    """How a table is read before anything else."""
    person: Person | None = None
    """The column that says whom a record is about; None if every record is about another person."""
    minimality: Minimality | None = None
    """What is done about the minimality attack on templates; None checks for it where that is cheap."""
    class_is_number: bool = False
    """Whether the class is a number, of which bins are told apart."""
    class_values: tuple[str, ...] = ()
    """The values of the class, where the policy lists them."""
    private: PrivateRelease | None = None
    """The differentially private release that is asked for; then there are no other requirements."""
    suppress: SuppressionBudget | None = None
    """The share of records that may be suppressed; None suppresses none."""
    document: Document = field(default=Document(None, "", {}), compare=False, repr=False)
    """Where each part stands in the file; empty for a policy made in Python."""

    def __post_init__(self) -> None:
        """Refuse parts that contradict each other."""
        mistakes: list[str] = []
        if not self.requirements and self.private is None:
            mistakes.append(
                self.at(("requirements",)) + "The policy has no requirement. Add one, such as {qid: [Age, Sex], k: 10}."
            )
        in_qid = {name for requirement in self.requirements for name in requirement.qid}
        if self.class_name in in_qid:
            mistakes.append(
                self.at(("class",))
                + f"The class `{self.class_name}` is in a quasi-identifier, so it would be masked. Take it out."
            )
        if self.class_is_number and self.class_name in self.sensitive:
            mistakes.append(
                self.at(("class",))
                + f"`{self.class_name}` is a number to be predicted and also sensitive, so it would have to be counted "
                "in two ways. Take it out of one of them, or write it as a plain class."
            )
        if self.keep is not None and self.drop:
            mistakes.append(
                self.at(("keep",))
                + "`keep` and `drop` are both given. `keep` leaves out every column that it does not name, so delete "
                "`drop`, or delete `keep` and name in `drop` what is to be left out."
            )
        for name in self.drop:
            if name in in_qid or name == self.class_name:
                role = "in a quasi-identifier" if name in in_qid else "the class"
                mistakes.append(
                    self.at(("drop",)) + f"`{name}` is dropped and also {role}. Take it out of one of them."
                )
        shown = {"*": "what hidden values are shown as"} | {
            label: f"a value of the taxonomy of `{name}`"
            for name, tree in self.trees.items()
            for label in (tree.labels if tree is not None else ())
        }
        mistakes += [
            self.at(("na_values",)) + f"`{text}` is in na_values and also {shown[text]}. Take it out of one of them."
            for text in self.reading.na_values
            if text in shown
        ]
        mistakes += [
            self.at(("requirements", i))
            + f"`{counted.column}` is masked by another requirement, so its values could not be counted in the "
            "release. Take it out of that quasi-identifier, or protect it with templates."
            for i, requirement in enumerate(self.requirements)
            for part in requirement.parts
            if (counted := part.counted) is not None and counted.values is None and counted.column in in_qid
        ]
        if self.minimality is Minimality.GUARD and not any(one.confidences for one in self.requirements):
            mistakes.append(
                self.at(("minimality",))
                + "The minimality guard tightens the bounds of templates, which bound shares of values, and the policy "
                "has none. Take it out."
            )
        if self.minimality is Minimality.GUARD and self.suppress is not None:
            mistakes.append(
                self.at(("suppress",))
                + "`suppress` and `minimality: guard` do not go together yet: the attack is not computed for a release "
                "with suppressed records. Delete one of them."
            )
        mistakes += [*tree_mistakes(self), *source_mistakes(self), *private_mistakes(self), *date_mistakes(self)]
        mistakes += [*number_mistakes(self), *set_mistakes(self), *self._person_mistakes(in_qid)]
        if mistakes:
            raise PolicyError(mistakes)

    def _person_mistakes(self, in_qid: set[str]) -> list[str]:
        """What is wrong with the column that names persons."""
        if self.person is None:
            return []
        roles: list[tuple[str, Collection[str | None]]] = [
            ("in a quasi-identifier", in_qid),
            ("the class", {self.class_name}),
            ("sensitive", self.sensitive),
        ]
        roles += [("an attribute", set(self.idle))]
        roles += [("dropped", self.drop)] if self.person.is_released else []
        mistakes = [self.at(("person",)) + text for text in self.person.mistakes(roles)]
        for i, requirement in enumerate(self.requirements):
            if requirement.persons_misfit is not None:
                mistakes.append(self.at(("requirements", i)) + requirement.persons_misfit)
        return mistakes

    def at(self, place: Place) -> str:
        """Begin a message with file and line, where the policy has them."""
        return f"{self.document.locate(place)}: " if self.document.name else ""

    def note_at(self, place: Place, text: str, column: str | None = None, of_many: str | None = None) -> Message:
        """Make a note on a place of the policy; recipients are not told where in which file it stands.

        Args:
            place: What the note is about.
            text: What it says.
            column: As in `Message`.
            of_many: As in `Message`.
        """
        public = text if self.document.name else None
        return Message(Level.NOTE, Audience.RECIPIENT, self.at(place) + text, public, column, of_many)

    @property
    def masked(self) -> tuple[str, ...]:
        """The attributes of all QIDs: entries first, in policy order, then by first mention; last what is known."""
        in_qid = dict.fromkeys(name for requirement in self.requirements for name in requirement.qid)
        entries = [attribute.name for attribute in self.attributes if attribute.name in in_qid]
        known = dict.fromkeys(self.known)
        return (*(name for name in dict.fromkeys([*entries, *in_qid]) if name not in known), *known)

    @property
    def known(self) -> tuple[str, ...]:
        """The attributes that attackers have from an earlier release: they are counted with, and have no cut."""
        return tuple(attribute.name for attribute in self.attributes if attribute.is_known)

    @property
    def n_cuts(self) -> int:
        """How many attributes have a cut; they come first among the masked ones."""
        return len(self.masked) - len(self.known)

    @property
    def idle(self) -> tuple[str, ...]:
        """Attributes with an entry that are in no QID, so pass through unchanged."""
        used = {*self.masked, *(a.name for a in self.fixed), *self.sensitive_trees}
        used |= set() if self.private is None else set(self.private.attributes)
        return tuple(a.name for a in self.attributes if a.name not in used)

    @property
    def fixed(self) -> tuple[Attribute, ...]:
        """Attributes in no QID that are released at one depth of their tree."""
        return tuple(a for a in self.attributes if a.release is not None)

    @property
    def sensitive_trees(self) -> dict[str, Taxonomy | RuleTree]:
        """The taxonomies of sensitive columns, in which requirements may name values and groups of them."""
        return {name: tree for name, tree in self.trees.items() if tree is not None and name in self.sensitive}

    def dropped(self, names: Iterable[str]) -> tuple[str, ...]:
        """The columns of a table that its release leaves out.

        Args:
            names: The columns of the table.

        >>> from maskwise import KAnonymity
        >>> Policy((KAnonymity(("Age",), 2),), class_name="Risk", keep=("Job",)).dropped(["Name", "Age", "Job", "Risk"])
        ('Name',)
        """
        person = None if self.person is None else self.person.column
        is_hidden = self.person is not None and not self.person.is_released
        if self.keep is None:
            return tuple(dict.fromkeys([*self.drop, *([person] if person is not None and is_hidden else [])]))
        released = {*self.keep, *self.masked, *self.sensitive, self.class_name, person}
        return tuple(name for name in names if name not in released or (is_hidden and name == person))

    @property
    def trees(self) -> dict[str, Taxonomy | RuleTree | None]:
        """The taxonomy of each entry, or the rule that makes one, if it has one."""
        return {attribute.name: attribute.taxonomy or attribute.rule for attribute in self.attributes}

    @property
    def tree_columns(self) -> tuple[str, ...]:
        """The columns that trees are made of, beside those that they are for."""
        sources = [attribute.source for attribute in self.attributes if attribute.source is not None]
        return tuple(dict.fromkeys(name for source in sources for name in source.columns))

    @property
    def unit(self) -> Unit:
        """What requirements count."""
        return Unit.RECORD if self.person is None else Unit.PERSON

    def implied_parts(self) -> Mapping[tuple[int, int], int]:
        """For each rule (requirement, part) that another rule implies, the position of that one's requirement.

        >>> from maskwise import KAnonymity
        >>> dict(Policy((KAnonymity(("a",), 3), KAnonymity(("a", "b"), 3))).implied_parts())
        {(0, 0): 1}
        """
        return _implied_parts(self.requirements, self.unit)

    def implied_by(self) -> dict[int, int]:
        """For each requirement all of whose rules are implied, the position of a requirement that implies one.

        >>> from maskwise import KAnonymity
        >>> Policy((KAnonymity(("a",), 3), KAnonymity(("a", "b"), 3))).implied_by()
        {0: 1}
        """
        found = self.implied_parts()
        return {
            i: found[i, 0]
            for i, requirement in enumerate(self.requirements)
            if all((i, p) in found for p in range(len(requirement.parts)))
        }

    def floors(self) -> dict[str, int]:
        """For each masked attribute the largest k that any of its QIDs asks for.

        >>> from maskwise import KAnonymity
        >>> Policy((KAnonymity(("a",), 3), KAnonymity(("a", "b"), 2))).floors()
        {'a': 3, 'b': 2}
        """
        implied = self.implied_parts()
        floors = dict.fromkeys(self.masked, 0)
        for i, requirement in enumerate(self.requirements):
            for p, part in enumerate(requirement.parts):
                if part.min_group and (i, p) not in implied:
                    floors.update({name: max(floors[name], part.min_group) for name in part.qid})
        return floors

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns, by first mention."""
        parts = [part for requirement in self.requirements for part in requirement.parts]
        return tuple(dict.fromkeys(part.counted.column for part in parts if part.counted is not None))

    def fingerprint(self) -> str:
        """Hash what the policy says, whatever file it stood in."""
        said: dict[str, object] = {
            "class": self.class_name,
            "attributes": [
                [a.name, a.kind, a.taxonomy and [a.taxonomy.labels, a.taxonomy.parents], a.bounds, *a.preferred]
                for a in self.attributes
            ],
            "requirements": [[type(r).__name__, _said(r)] for r in self.requirements],
            "drop": self.drop,
            "missing": self.missing,
            **({} if self.person is None else {"person": asdict(self.person)}),
        }
        # Keys that a policy does not use leave its hash as it was before they existed.
        clamps = {a.name: a.clamp for a in self.attributes if a.clamp != (None, None)}
        optional = {
            "minimality": None if self.minimality is Minimality.CHECK else self.minimality,
            "boundaries": None if self.boundaries is Boundaries.SAFE else self.boundaries,
            "clamp": clamps or None,
            "sources": {a.name: [a.source.key, a.source.to_data()] for a in self.attributes if a.source} or None,
            "rules": {a.name: a.rule.to_data() for a in self.attributes if a.rule is not None} or None,
            "grids": {a.name: a.grid.text for a in self.attributes if a.grid is not None} or None,
            "release": {a.name: a.release for a in self.fixed} or None,
            "keep": self.keep,
            "na_values": self.reading.na_values or None,
            "rename": self.reading.rename,
            "dates": {name: form.text for name, form in self.reading.dates} or None,
            "numbers": {name: form.text for name, form in self.reading.numbers} or None,
            "sets": {name: form.separator for name, form in self.reading.sets} or None,
            "class_is_number": self.class_is_number or None,
            "class_values": self.class_values or None,
            "domains": {a.name: a.values for a in self.attributes if a.values} or None,
            "private": self.private and self.private.to_data(),
            "suppress": self.suppress and [self.suppress.share, self.suppress.shown_as],
        }
        said |= {key: value for key, value in optional.items() if value is not None}
        return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def _said(requirement: Requirement) -> dict[str, object]:
    """The fields of a requirement; without a grouping it has the hash that it had before there was one."""
    return {key: value for key, value in asdict(requirement).items() if key != "by" or value is not None}
