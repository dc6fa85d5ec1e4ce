"""Random policies for made tables: every kind of attribute, rule and requirement, and how a run is asked for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torture.tables import Column, MadeTable, spelled


@dataclass(frozen=True)
class Asked:
    """A policy and the options of a run."""

    policy: dict[str, Any]
    """As a policy file says it."""
    options: list[str]
    """Of `maskwise mask`."""
    in_qids: list[str] = field(default_factory=list)
    """The masked columns that some QID has."""


def ask(rng: random.Random, table: MadeTable) -> Asked:
    """Draw a policy for a table, and options."""
    masked = table.of_role("masked")
    entries: dict[str, Any] = {}
    for column in masked:
        entry = _entry(rng, column)
        if entry is not None:
            entries[column.name] = entry
    requirements = [_requirement(rng, masked, table) for _ in range(rng.randint(1, 3))]
    used = {name for asked in requirements for name in asked.get("qid", asked.get("lkc", {}).get("attributes", ()))}
    policy: dict[str, Any] = {
        "attributes": {name: entry for name, entry in entries.items() if name in used},
        "requirements": requirements,
        "missing": rng.choice(["keep"] * 10 + ["drop"] * 6 + ["error"]),
    }
    if rng.random() < 0.7:
        policy["class"] = table.of_role("class")[0].name
    identifier = table.of_role("identifier")[0].name
    persons = table.of_role("person")
    if persons and rng.random() < 0.6:
        policy["person"] = persons[0].name
    if rng.random() < 0.2:
        # What is not named here is left out, the identifier too.
        policy["keep"] = [column.name for column in table.of_role("passed")]
    else:
        policy["drop"] = [identifier]
    if rng.random() < 0.2:
        policy["suppress"] = rng.choice(["5%", "20%", {"share": "20%", "as": "root"}])
    if rng.random() < 0.3:
        policy["boundaries"] = rng.choice(["safe", "exact"])
    if rng.random() < 0.15:
        policy["minimality"] = rng.choice(["check", "guard"])
    return Asked(policy, _options(rng), sorted(used))


def _entry(rng: random.Random, column: Column) -> Any:
    cells = [cell for cell in column.cells if cell is not None]
    values = list(dict.fromkeys(map(spelled, cells)))
    general = ["suppress", None, {"grow": rng.choice(["frequency", "similarity"])}]
    if column.kind in {"number", "real"} and cells:
        low, high = int(min(cells)) - 1, int(max(cells)) + 1
        width = rng.choice([1, 5, 100])
        own = [
            "interval",
            {"interval": [low, high]},
            {"interval": [low, high], "clamp": [None, low + max((high - low) // 2, 2)]},
            {"interval": {"on": width}},
            {"steps": [width, width * 4]},
            {"rounded": [10, 100]},
        ]
    elif column.kind in {"date", "moment"}:
        own = [
            "interval",
            {"interval": ["2019-01-01", "2030-01-01"]} if column.kind == "date" else "interval",
            {"interval": {"on": rng.choice(["week", "month", "quarter", "year"])}},
            {"calendar": ["day", "month", "year"]},
            {"season": ["month", "season"]},
            {"weekday": ["day", "part"]},
        ]
    elif column.kind == "code":
        own = [
            {"prefix": [4, 2, 1]},
            {"prefix": [1]},
            {"suffix": [2, 1]},
            {"prefix": [3, 1], "other": "under elsewhere"},
        ]
    else:
        own = [{"taxonomy": _tree(rng, values)}] if values else []
    entry = rng.choice([*own, *own, *general])
    if entry is not None and rng.random() < 0.2:
        entry = {entry: None} if isinstance(entry, str) else dict(entry)
        entry["weight"] = rng.choice([0.5, 3])
    return entry


def _tree(rng: random.Random, values: Sequence[str]) -> dict[str, Any]:
    """A tree with these leaves, and some that no record has."""
    leaves = [*values, *(f"never {i}" for i in range(rng.randint(0, 2)))]
    rng.shuffle(leaves)
    n_parts = rng.randint(1, 3)
    parts = {f"part {i}": leaves[i::n_parts] for i in range(n_parts) if leaves[i::n_parts]}
    nested: dict[str, Any] = {}
    for name, below in parts.items():
        if len(below) > 2 and rng.random() < 0.5:
            nested[name] = {f"{name} a": below[:1], f"{name} b": below[1:]}
        else:
            nested[name] = below
    return {"everything": nested}


def _requirement(rng: random.Random, masked: Sequence[Column], table: MadeTable) -> dict[str, Any]:
    qid = [column.name for column in rng.sample(masked, rng.randint(1, len(masked)))]
    sensitive = table.of_role("sensitive")[0]
    k = rng.randint(1, max(table.n_records // 3, 1))
    values = [cell for cell in dict.fromkeys(sensitive.cells) if cell is not None][:2] or ["nothing"]
    kinds: list[dict[str, Any]] = [
        {"qid": qid, "k": k},
        {"qid": qid, "k": k},
        {"qid": qid, "sensitive": {sensitive.name: values}, "confidence": rng.choice(["2/3", "0.9", "1"])},
        {"qid": qid, "sensitive": sensitive.name, "diversity": {"distinct": rng.randint(1, min(len(values), 3))}},
        {"qid": qid, "sensitive": sensitive.name, "diversity": {"entropy": rng.choice([1.2, 2])}},
        {"qid": qid, "sensitive": sensitive.name, "diversity": {"recursive": {"c": 3, "l": 2}}},
        {"qid": qid, "sensitive": sensitive.name, "closeness": rng.choice(["0.2", "0.5", "1"])},
        {"lkc": {"attributes": qid, "L": rng.randint(1, len(qid))}, "k": k},
        {
            "lkc": {"attributes": qid, "L": 1},
            "k": k,
            "sensitive": {sensitive.name: values},
            "confidence": "0.9",
        },
    ]
    return rng.choice(kinds)


def _options(rng: random.Random) -> list[str]:
    options = [["--method", "tdr"], ["--method", "bug"], ["--method", "regions", "--effort", "1"], [], []]
    options += [["--criterion", "infogain"], ["--criterion", "conditional"]]
    found = list(rng.choice(options))
    if rng.random() < 0.5:
        found.append("--keep-order")
    elif rng.random() < 0.5:
        found += ["--seed", "7"]
    if rng.random() < 0.2:
        found += ["--numbers", rng.choice(["midpoint", "mean", "bounds"])]
    if rng.random() < 0.2:
        found += ["--max-steps", str(rng.randint(0, 3))]
    if rng.random() < 0.1:
        found.append("--escape-formulas")
    if rng.random() < 0.1:
        found.append("--why")
    return found
