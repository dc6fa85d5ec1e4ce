"""Random tables with a policy each, and a larger table about people, for every search and its reference."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from tests.reference import privacy_models as models
from tests.reference.topdown import AnyOf, Attribute, K, Templates

TREES: list[dict[str, Any]] = [
    {"any": {"x": ["a", "b"], "y": {"z": ["c", "d"], "e": None}}},
    {"any": ["a", "b", "c", "d", "e"]},
    {"any": {"one": {"two": {"three": ["a", "b"]}}, "rest": ["c", "d", "e", "never"]}},
]
KINDS = ("taxonomy", "interval", "suppress")
SHARES = [Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction("0.9"), Fraction(1)]
MODELS = ("distinct", "entropy", "recursive", "equal", "ordered", "lkc", "unions", "grouped")
ILLNESSES = {"ill": {"viral": ["hiv", "flu"], "f": {"insects": ["fly", "fl*"]}, "cold": None}}
BELOW = (
    ("ill", ("ill", "viral", "hiv", "flu", "f", "insects", "fly", "fl*", "cold")),
    ("viral", ("viral", "hiv", "flu")),
    ("f", ("f", "insects", "fly", "fl*")),
    ("insects", ("insects", "fly", "fl*")),
    *((leaf, (leaf,)) for leaf in ("hiv", "flu", "fly", "fl*", "cold")),
)
LEVELS = {
    "level 1": (("hiv", "viral"), ("flu", "viral"), ("fly", "f"), ("fl*", "f"), ("cold", "cold")),
    "level 2": (("hiv", "hiv"), ("flu", "flu"), ("fly", "insects"), ("fl*", "insects"), ("cold", "cold")),
    "level 9": tuple((leaf, leaf) for leaf in ("hiv", "flu", "fly", "fl*", "cold")),
}
ELEMENTS = ["hiv", "flu", "cold", "viral", "f", "never", "f*", "fl*", "fly*", "c*", "x*", None]
"""What a union may name: values, values of the tree, and what values begin with."""


def children_of(nested: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}

    def walk(node: Any) -> list[str]:
        if node is None:
            return []
        if isinstance(node, list):
            return list(node)
        for label, below in node.items():
            found[label] = walk(below)
        return list(node)

    walk(nested)
    return {label: below for label, below in found.items() if below}


@st.composite
def problems(
    draw: Any,
    asked: list[str],
    *,
    kinds: Sequence[str] = KINDS,
    n_requirements: tuple[int, int] = (1, 3),
    whole: bool = False,
    preferring: bool = False,
) -> dict[str, Any]:
    """Records, how they are masked, and what is asked, for a reference and as a policy.

    Args:
        draw: Hypothesis gives it.
        asked: What requirements there may be: `k`, `templates`, `mixed` (both), one of `MODELS`, or `all`.
        kinds: How attributes may be masked.
        n_requirements: The fewest and the most requirements.
        whole: Whether the first requirement is on all attributes, which makes for long searches.
        preferring: Whether attributes may have weights and levels.
    """
    n_attributes = draw(st.integers(1, 4))
    kind_of = draw(st.lists(st.sampled_from(kinds), min_size=n_attributes, max_size=n_attributes))
    n_rows = draw(st.integers(1, 30))
    with_missing = draw(st.booleans())
    texts = st.sampled_from([*"abcde", *([None] if with_missing else [])])
    numbers = st.one_of(st.integers(0, 6), *([st.none()] if with_missing else []))
    names = [f"q{i}" for i in range(n_attributes)]
    row = st.tuples(*[numbers if kind == "interval" else texts for kind in kind_of])
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    records = [dict(zip(names, r, strict=True)) for r in rows]
    kind_asked = draw(st.sampled_from(asked))
    more = draw(st.lists(st.sampled_from(["fly", "fl*"]))) if kind_asked in {"unions", "grouped"} else []
    for record in records:
        record["cls"] = draw(st.sampled_from(["Y", "N", "M"]))
        record["sens"] = draw(st.sampled_from(["hiv", "flu", "cold", "cold", *more, None]))
        record["dose"] = draw(st.sampled_from([1, 2, 2, 10, None]))
    entries: dict[str, Any] = {}
    attributes = []
    for name, kind in zip(names, kind_of, strict=True):
        if kind == "taxonomy":
            tree = draw(st.sampled_from(TREES))
            entries[name] = {"taxonomy": tree}
            attributes.append(Attribute(name, kind, children=children_of(tree), root="any"))
        elif kind == "interval":
            records[0][name] = 3  # a column without a number cannot be discretized
            entries[name] = {"interval": [0, 6]}
            attributes.append(Attribute(name, kind, low=0, high=6))
        else:
            entries[name] = "suppress"
            attributes.append(Attribute(name, kind))
    for a in attributes if preferring else ():
        a.weight = draw(st.sampled_from([1.0, 1.0, 0.25, 3.0, 10.0]))
        a.at_least = draw(st.sampled_from([0, 0, 1])) if a.kind != "interval" else 0
        if a.kind == "taxonomy" and a.at_least:
            a.at_least = draw(st.integers(1, 2 if len(a.children) > 1 else 1))
        entry = entries[a.name] if isinstance(entries[a.name], dict) else {entries[a.name]: None}
        entries[a.name] = entry | {"weight": a.weight, "at_least": a.at_least}
    with_tree = kind_asked in {"unions", "grouped", "all"} and draw(st.booleans())
    entries.update({"sens": {"taxonomy": ILLNESSES}} if with_tree else {})
    requirements = draw(_requirements(names, kind_asked, len(records), n_requirements, whole, with_tree=with_tree))
    used = {name for requirement in requirements for name in requirement.qid}
    return {
        "records": records,
        "attributes": [a for a in attributes if a.name in used],
        "requirements": requirements,
        "policy": {
            "class": "cls",
            "attributes": entries,
            "requirements": [requirement.said() for requirement in requirements],
        },
    }


@st.composite
def _requirements(
    draw: Any, names: list[str], asked: str, n_records: int, sizes: tuple[int, int], whole: bool, *, with_tree: bool
) -> list[Any]:
    k = st.integers(1, min(6, n_records))
    protected = st.lists(
        st.tuples(st.just("sens"), st.sampled_from(["hiv", "flu", "never"]), st.sampled_from(SHARES)),
        min_size=1,
        max_size=2,
        unique_by=lambda entry: entry[1],
    ).map(tuple)
    column, level = st.sampled_from(["sens", "dose"]), st.integers(2, 3)
    # Tables are small, so that bounds which leave a search some way to go are loose ones.
    near = st.sampled_from([Fraction(1, 6), Fraction(1, 3), Fraction("0.45"), Fraction(2, 3)])
    c = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5), Fraction(12)])
    order = st.permutations(["hiv", "flu", "cold"]).flatmap(
        lambda order: st.sampled_from([tuple(order), (*order, "never")])
    )

    elements = st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=4, unique=True).map(tuple)
    unions = st.lists(
        st.tuples(
            st.just("sens"),
            st.one_of(
                st.builds(AnyOf, elements, st.just(BELOW if with_tree else ())),
                st.sampled_from(["hiv", "flu", "fl*", "viral"]),
            ),
            st.sampled_from(SHARES),
        ),
        min_size=1,
        max_size=3,
        unique_by=lambda entry: entry[1],
    ).map(tuple)

    @st.composite
    def grouped(draw: Any, qid: Any) -> models.Grouped:
        sens = st.just("sens")
        rules = [
            st.builds(models.Distinct, qid, sens, level),
            st.builds(models.Recursive, qid, sens, c, level),
            st.builds(models.Equal, qid, sens, near),
        ]
        by = draw(st.sampled_from(["prefix 1", "prefix 2", "prefix 3", *(LEVELS if with_tree else ())]))
        return models.Grouped(draw(st.one_of(rules)), by, LEVELS.get(by, ()))

    @st.composite
    def lkc(draw: Any, qid: Any, protected: Any = protected) -> models.Lkc:
        of, values = draw(qid), draw(st.one_of(st.just(()), protected))
        asks_k = draw(st.booleans()) if values else True
        return models.Lkc(of, draw(st.integers(1, len(of))), draw(k) if asks_k else None, values)

    def one(qid: Any) -> Any:
        offered = {
            "k": st.builds(K, qid, k),
            "templates": st.builds(Templates, qid, protected),
            "distinct": st.builds(models.Distinct, qid, column, level),
            "entropy": st.builds(
                models.Entropy, qid, column, st.sampled_from([Fraction("1.2"), Fraction(2), Fraction("2.5")])
            ),
            "recursive": st.builds(models.Recursive, qid, column, c, level),
            "equal": st.builds(models.Equal, qid, column, near),
            "ordered": st.one_of(
                st.builds(models.Ordered, qid, st.just("dose"), near),
                st.builds(models.Ordered, qid, st.just("sens"), near, order),
            ),
            "lkc": lkc(qid),
            "unions": st.one_of(st.builds(Templates, qid, unions), lkc(qid, unions)),
            "grouped": grouped(qid),
        }
        together = {"mixed": ["k", "templates"], "all": list(offered)}
        return st.one_of([offered[kind] for kind in together.get(asked, [asked])])

    some = one(st.lists(st.sampled_from(names), min_size=1, unique=True).map(tuple))
    first = one(st.permutations(names).map(tuple)) if whole else some
    fewest, most = sizes
    return [draw(first), *draw(st.lists(some, min_size=fewest - 1, max_size=most - 1))]


def people_table(seed: int, n_rows: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    risk = rng.random(n_rows)
    return pa.table(
        {
            "age": (20 + 60 * risk * rng.random(n_rows)).astype(int),
            "job": np.array(list("abcdefgh"))[(8 * rng.random(n_rows) ** 2).astype(int)],
            "zone": np.array(["n1", "n2", "s1", "s2", "w"])[rng.integers(0, 5, n_rows)],
            "cls": np.where(risk + 0.3 * rng.random(n_rows) > 0.6, "Y", "N"),
        }
    )


POLICY = {
    "class": "cls",
    "attributes": {
        "age": {"interval": [0, 100]},
        "job": "suppress",
        "zone": {"taxonomy": {"any": {"north": ["n1", "n2"], "south": ["s1", "s2"], "w": None}}},
    },
    "requirements": [{"qid": ["age", "job", "zone"], "k": 7}, {"qid": ["job", "zone"], "k": 30}],
}
REQUIREMENTS: list[K | Templates] = [K(("age", "job", "zone"), 7), K(("job", "zone"), 30)]
ATTRIBUTES = [
    Attribute("age", "interval", low=0, high=100),
    Attribute("job", "suppress"),
    Attribute(
        "zone",
        "taxonomy",
        root="any",
        children={"any": ["north", "south", "w"], "north": ["n1", "n2"], "south": ["s1", "s2"]},
    ),
]


def rare_people(n_rows: int = 400) -> pa.Table:
    """People of whom few live in zone `w`: those of one job there are fewer than `RARE_POLICY` asks for."""
    table = people_table(3, n_rows)
    zone = ["w" if i % 20 < 3 else ("n1", "n2", "s1", "s2")[i % 4] for i in range(n_rows)]
    job = ["ab"[i // 20 % 2] for i in range(n_rows)]
    columns = {"job": pa.array(job), "zone": pa.array(zone)}
    return pa.table({name: columns.get(name, table[name]) for name in table.column_names})


RARE_POLICY = {
    "class": "cls",
    "attributes": {name: POLICY["attributes"][name] for name in ("job", "zone")},  # type: ignore[index]
    "requirements": [{"qid": ["job", "zone"], "k": 35}, {"qid": ["job"], "k": 50}],
}
"""With a budget of 20 % the jobs and zones of all others can be told if the 60 people of `w` are suppressed."""
