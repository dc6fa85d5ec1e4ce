"""Random policies on random tables in random formats, each release checked by other means."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

from torture import checker
from torture.campaign import Tally
from torture.command import call
from torture.planted import content_of, found_in
from torture.policies import Asked, ask
from torture.tables import FORMATS, MadeTable, make_table, spelled


class Differential:
    """Masks a table in this process, reads what was written with other libraries, and counts again."""

    def run(self, seed: int, folder: Path) -> Tally:
        """One table, one policy, one format to another."""
        rng = random.Random(seed)
        table = make_table(rng, hostile=rng.choice([0, 0.1, 0.5]))
        asked = ask(rng, table)
        source, target = rng.choice([*FORMATS, ".db"]), rng.choice(FORMATS)
        data, engine = _source(table, folder, source)
        (folder / "policy.yaml").write_text(json.dumps(asked.policy), encoding="utf-8")
        output = folder / f"released{target}"
        files = {"report": rng.choice([".html", ".md", ".json", ".txt"]), "solution": ".json", "owner-report": ".md"}
        paths = {name: folder / f"{name}{suffix}" for name, suffix in files.items()}
        beside = [part for name, path in paths.items() for part in (f"--{name}", path)]
        is_public = rng.random() < 0.5
        beside += ["--public"] if is_public else []
        ended = call("mask", data, "-p", folder / "policy.yaml", "-o", output, *engine, *asked.options, *beside)
        tally = Tally(1, refused=int(ended.code > 0), crashes=[ended.crash] if ended.crash else [])
        # What is said is for the owner, who sees labels of masked values; not identifiers.
        tally.violations += [
            f"an identifier in a message: {one}" for one in found_in(ended.said.encode(), table.identifiers)
        ]
        if ended.code != 0:
            tally.violations += [
                f"{path.name} without a release" for path in (output, *paths.values()) if path.exists()
            ]
            tally.violations += [f"a draft is left: {path.name}" for path in folder.glob(".maskwise-*")]
            return tally
        tally.violations += _violations(table, asked, output)
        tally.violations += _leaks(table, output, paths, is_public=is_public)
        for path, options in ((output, []), (output, ["--escape-formulas"])):
            if ("--escape-formulas" in asked.options) == bool(options):
                tally.add(_audit(path, folder, asked, options))
        if not is_public:
            tally.add(_apply(table, folder, data, engine, paths["solution"], target))
        return tally


def _source(table: MadeTable, folder: Path, source: str) -> tuple[object, list[str]]:
    if source == ".db":
        table.write_database(folder / "people.db")
        return "people", ["--engine", f"duckdb:///{folder}/people.db"]
    path = folder / f"people{source}"
    table.write(path)
    return path, []


def _violations(table: MadeTable, asked: Asked, output: Path) -> list[str]:
    """Read the release and count everything that was asked."""
    names, rows = checker.read_release(output)
    numbers = asked.options[asked.options.index("--numbers") + 1] if "--numbers" in asked.options else "label"
    is_escaped = "--escape-formulas" in asked.options
    if is_escaped:
        return []
    shown = {}
    for name in asked.in_qids:
        own = [name] if name in names else [f"{name}_low", f"{name}_high"]
        shown[name] = [one for one in own if one in names]
    found = []
    person = asked.policy.get("person")
    by_name = {column.name: column for column in table.columns}
    is_whole = asked.policy["missing"] != "drop" and "suppress" not in asked.policy
    if is_whole and len(rows) != table.n_records:
        found.append(f"{len(rows)} records released of {table.n_records}")
    if len(rows) > table.n_records:
        found.append("more records than the table has")
    identifier = table.of_role("identifier")[0].name
    found += [f"a dropped column is there: {name!r}" for name in (identifier, person) if name in names]
    if person is None:
        found += checker.broken(names, rows, asked.policy["requirements"], shown)
    is_aligned = is_whole and "--keep-order" in asked.options
    if is_aligned and person is not None:
        found += _broken_for_persons(names, rows, asked, by_name[person].cells, shown)
    found += _other_cells(table, asked, names, rows, is_whole=is_whole)
    if is_aligned and numbers == "label":
        for name in asked.in_qids:
            at, column = names.index(name), by_name[name]
            lies = [
                (row[at], cell)
                for row, cell in zip(rows, column.cells, strict=True)
                if row[at] is not None
                and not checker.covers(str(row[at]), cell if column.kind != "code" else str(cell), column.kind)
            ]
            found += [f"{label!r} is shown for {cell!r}" for label, cell in lies[:1]]
    return found


def _broken_for_persons(names, rows, asked, persons, shown) -> list[str]:
    found = []
    for one in asked.policy["requirements"]:
        if "k" not in one or "lkc" in one:
            continue
        qid = [names.index(own) for name in one["qid"] for own in shown[name]]
        if min(checker.by_persons(rows, persons, qid), default=one["k"]) < one["k"]:
            found.append(f"a group with fewer persons than k={one['k']}")
    return found


def _other_cells(table: MadeTable, asked: Asked, names: list[str], rows: list[tuple], *, is_whole: bool) -> list[str]:
    """Columns that pass through have the cells they had, together in the same records."""
    passed = [c for c in table.columns if c.name in names and c.name not in asked.in_qids and c.kind == "text"]
    passed = [c for c in passed if c.role in {"passed", "class", "sensitive"}]
    if not passed:
        return []
    before = Counter(zip(*(tuple(None if x is None else spelled(x) for x in c.cells) for c in passed), strict=True))
    at = [names.index(c.name) for c in passed]
    after = Counter(tuple(None if row[i] is None else str(row[i]) for i in at) for row in rows)
    more = after - before
    found = [f"cells that the table does not have: {sorted(map(repr, more))[:2]}"] if more else []
    return [*found, *(["cells are missing"] if is_whole and before - after else [])]


def _leaks(table: MadeTable, output: Path, paths: dict[str, Path], *, is_public: bool) -> list[str]:
    """Secrets outside their place."""
    released = content_of(output)
    hidden = {
        cell for c in table.of_role("masked") for cell in c.cells if isinstance(cell, str) and cell.startswith("QI")
    }
    found = [f"an identifier in the release: {one}" for one in found_in(released, table.identifiers)]
    _, rows = checker.read_release(output)
    cells = {str(cell) for row in rows for cell in row}
    unseen = [one for one in hidden if one not in cells]
    found += [f"a hidden cell in the bytes of the release: {one}" for one in found_in(released, unseen)]
    for name, path in paths.items():
        content = content_of(path)
        found += [f"an identifier in {path.name}: {one}" for one in found_in(content, table.identifiers)]
        if name == "report" or (name == "solution" and is_public):
            found += [f"a hidden cell in {path.name}: {one}" for one in found_in(content, unseen)]
            found += [f"a protected value in {path.name}: {one}" for one in found_in(content, table.protected)]
        elif path.stat().st_mode & 0o077:
            found.append(f"{path.name} can be read by others")
    return found


def _audit(output: Path, folder: Path, asked: Asked, options: list[str]) -> Tally:
    """What was released holds, to `audit` too, unless it needs a column that was left out."""
    ended = call("audit", output, "-p", folder / "policy.yaml", *options)
    tally = Tally(1, refused=int(ended.code > 0), crashes=[ended.crash] if ended.crash else [])
    needs_more = "person" in asked.policy or "bounds" in asked.options
    if ended.code == 1 and not needs_more:
        tally.violations.append(f"an audit of the release fails: {ended.said[-300:]}")
    return tally


def _apply(table: MadeTable, folder: Path, data: object, engine: list[str], solution: Path, target: str) -> Tally:
    """The same rows are masked again by the solution."""
    later = folder / f"later{target}"
    ended = call("apply", data, "-s", solution, "-o", later, *engine)
    tally = Tally(1, refused=int(ended.code > 0), crashes=[ended.crash] if ended.crash else [])
    if ended.code == 0:
        tally.violations += [
            f"an identifier in later rows: {one}" for one in found_in(content_of(later), table.identifiers)
        ]
    tally.violations += [
        f"an identifier in a message of apply: {one}" for one in found_in(ended.said.encode(), table.identifiers)
    ]
    return tally
