"""Hostile names and cells through every path: data frames, drafts, trees, reports, formulas, certificates, epsilon."""

from __future__ import annotations

import html.parser
import json
import random
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa

import maskwise
from maskwise.errors import MaskwiseError
from maskwise.report.report import report
from maskwise.values.message import Audience
from torture import checker
from torture.campaign import Tally
from torture.command import call
from torture.planted import content_of, found_in
from torture.tables import CELLS, NAMES, MadeTable, make_table, spelled


class Hostile:
    """Hostile tables, each through one of the paths."""

    def run(self, seed: int, folder: Path) -> Tally:
        """One table on one path."""
        rng = random.Random(seed)
        table = make_table(rng, most_records=40, hostile=0.7)
        paths: list[Callable[[random.Random, MadeTable, Path], Tally]] = [
            self._frame,
            self._draft,
            self._formulas,
            self._page,
            self._tree,
            self._certificate,
            self._private,
            self._session,
        ]
        path = paths[seed % len(paths)]
        tally = Tally(1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tally.add(path(rng, table, folder))
        except MaskwiseError as error:
            tally.refused += 1
            said = str(error)
            tally.violations += [
                f"an identifier in an error: {one}"
                for one in found_in(said.encode("utf-8", "replace"), table.identifiers)
            ]
        except BaseException as error:
            frames = traceback.extract_tb(error.__traceback__)
            last = frames[-1]
            at = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
            tally.crashes.append(f"{path.__name__}: {type(error).__name__} at {at}: {str(error)[:200]}")
        return tally

    def _frame(self, rng: random.Random, table: MadeTable, folder: Path) -> Tally:
        """A data frame in, one of the same kind out, with the cells that pass through as they were."""
        del folder
        arrow = table.arrow()
        kinds: list[Callable[[], Any]] = [
            lambda: arrow,
            arrow.to_pandas,
            lambda: pl.from_arrow(arrow),
            lambda: pl.from_arrow(arrow).lazy(),
            lambda: _database_table(arrow),
        ]
        given = rng.choice(kinds)()
        policy = _plain_policy(table)
        outcome = maskwise.anonymize(given, policy)
        data = outcome.data
        data = (
            data.collect()
            if isinstance(data, pl.LazyFrame)
            else data.to_pyarrow()
            if hasattr(data, "to_pyarrow")
            else data
        )
        released = data.to_arrow() if isinstance(data, pl.DataFrame) else data
        released = (
            pa.Table.from_pandas(released, preserve_index=False) if isinstance(released, pd.DataFrame) else released
        )
        tally = Tally()
        expected = [column.name for column in table.columns if column.role != "identifier"]
        if released.column_names != expected:
            tally.violations.append(f"other columns: {released.column_names}")
        for column in table.of_role("passed"):
            before = sorted(repr(cell) for cell in column.cells)
            after = sorted(repr(cell) for cell in released.column(column.name).to_pylist())
            if before != after:
                tally.violations.append(f"other cells in {column.name!r}")
        rows = list(zip(*(part.to_pylist() for part in released.columns), strict=True))
        tally.violations += checker.broken(released.column_names, rows, policy["requirements"], {})
        later = maskwise.apply(given, outcome.solution)
        del later
        return tally

    def _draft(self, rng: random.Random, table: MadeTable, folder: Path) -> Tally:
        """A draft of a policy is a policy, quotes no cell, and masks."""
        path = folder / f"people{rng.choice(['.csv', '.parquet'])}"
        table.write(path)
        ended = call("suggest", path, "-o", folder / "policy.yaml")
        tally = Tally(crashes=[ended.crash] if ended.crash else [], refused=int(ended.code > 0))
        if ended.code:
            return tally
        text = (folder / "policy.yaml").read_text(encoding="utf-8")
        cells = [spelled(cell) for column in table.columns for cell in column.cells if cell is not None]
        planted = [cell for cell in {*cells, *table.identifiers, *table.protected} if cell[:2] in {"ID", "SE", "QI"}]
        tally.violations += [f"a cell in the draft: {one}" for one in found_in(text.encode(), planted)]
        masked = call("mask", path, "-p", folder / "policy.yaml", "-o", folder / "out.csv", "-q")
        tally.crashes += [masked.crash] if masked.crash else []
        if masked.code == 2:
            tally.violations.append(f"the draft is refused: {masked.said[-300:]}")
        return tally

    def _formulas(self, rng: random.Random, table: MadeTable, folder: Path) -> Tally:
        """No cell of an escaped release is run by a spreadsheet."""
        del rng
        path = folder / "people.parquet"
        table.write(path)
        (folder / "policy.yaml").write_text(json.dumps(_plain_policy(table)), encoding="utf-8")
        out = folder / "out.csv"
        ended = call("mask", path, "-p", folder / "policy.yaml", "-o", out, "-q", "--escape-formulas")
        tally = Tally(crashes=[ended.crash] if ended.crash else [], refused=int(ended.code > 0))
        if ended.code == 0:
            names, rows = checker.read_release(out)
            for cell in (*names, *(cell for row in rows for cell in row if cell is not None)):
                if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} and not _is_number(cell):
                    tally.violations.append(f"a formula: {cell!r}")
            audited = call("audit", out, "-p", folder / "policy.yaml", "--escape-formulas", "-q")
            tally.crashes += [audited.crash] if audited.crash else []
            if audited.code == 1:
                tally.violations.append("an audit of the escaped release fails")
        return tally

    def _page(self, rng: random.Random, table: MadeTable, folder: Path) -> Tally:
        """A report has the elements that it has without hostile texts."""
        del rng, folder
        outcome = maskwise.anonymize(table.arrow(), _plain_policy(table))
        tally = Tally()
        for audience in Audience:
            parser = _Elements()
            parser.feed(report(outcome, audience).to_html())
            tally.violations += [f"{what} in a report" for what in parser.strange]
        return tally

    def _tree(self, rng: random.Random, table: MadeTable, folder: Path) -> Tally:
        """Labels survive every format of taxonomies that takes them, or the format refuses them."""
        del table
        labels = list(dict.fromkeys(label for label in rng.sample([*CELLS, *NAMES], 12) if label.strip()))
        tree = maskwise.Taxonomy.from_nested({"the root": {"one": labels[::2], "two": labels[1::2]}})
        source = folder / "tree.json"
        source.write_text(json.dumps(tree.to_nested()), encoding="utf-8")
        tally = Tally()
        for name in ("t.yaml", "t.json", "t.csv", "t.txt", "edges.csv"):
            made = call("taxonomy", "export", source, "-o", folder / name)
            tally.crashes += [made.crash] if made.crash else []
            if made.code:
                tally.refused += 1
                continue
            again = maskwise.read_taxonomy(folder / name)
            if sorted(again.leaves()) != sorted(tree.leaves()):
                tally.violations.append(f"{name}: other leaves: {set(again.leaves()) ^ set(tree.leaves())}")
        return tally

    def _certificate(self, rng: random.Random, table: MadeTable, folder: Path) -> Tally:
        """A certificate of a hostile table agrees with its release, and tells no secret."""
        path = folder / f"people{rng.choice(['.csv', '.parquet'])}"
        table.write(path)
        (folder / "policy.yaml").write_text(json.dumps(_plain_policy(table)), encoding="utf-8")
        out, certificate = folder / f"out{rng.choice(['.csv', '.parquet', '.arrow'])}", folder / "c.json"
        ended = call("mask", path, "-p", folder / "policy.yaml", "-o", out, "--certificate", certificate, "-q")
        tally = Tally(crashes=[ended.crash] if ended.crash else [], refused=int(ended.code > 0))
        if ended.code == 0:
            checked = call("verify", certificate, out)
            tally.crashes += [checked.crash] if checked.crash else []
            if checked.code:
                tally.violations.append(f"the certificate is not confirmed: {checked.said[-300:]}")
            secrets = [*table.identifiers, *table.protected]
            tally.violations += [
                f"a secret in a certificate: {one}" for one in found_in(content_of(certificate), secrets)
            ]
        return tally

    def _private(self, rng: random.Random, table: MadeTable, folder: Path) -> Tally:
        """A release with an epsilon holds what was declared, and nothing else."""
        path = folder / f"people{rng.choice(['.csv', '.parquet'])}"
        table.write(path)
        column = next((c for c in table.of_role("masked") if c.kind == "text"), None)
        named = table.of_role("class")[0]
        entries: dict[str, Any] = {}
        for one in table.of_role("masked"):
            if one.kind == "number":
                entries[one.name] = {"interval": [0, 100], "grid": 1}
        if column is not None:
            declared = list(dict.fromkeys(c for c in column.cells if c is not None and not c.startswith("QI")))
            if declared:
                entries[column.name] = {"suppress": declared}
        asked = {"epsilon": 1, "attributes": list(entries), "steps": 2}
        policy = {"class": {named.name: ["yes", "no", "maybe"]}, "attributes": entries, "requirements": [asked]}
        (folder / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
        out = folder / "out.csv"
        ended = call("mask", path, "-p", folder / "policy.yaml", "-o", out, "--solution", folder / "s.json")
        tally = Tally(crashes=[ended.crash] if ended.crash else [], refused=int(ended.code > 0))
        if ended.code == 0:
            secrets = [*table.identifiers, *table.protected]
            secrets += [
                c for one in table.of_role("masked") for c in one.cells if isinstance(c, str) and c.startswith("QI")
            ]
            for file in (out, folder / "s.json"):
                tally.violations += [f"a secret in {file.name}: {one}" for one in found_in(content_of(file), secrets)]
        return tally

    def _session(self, rng: random.Random, table: MadeTable, folder: Path) -> Tally:
        """A table that stays open, searched and released again."""
        del rng
        path = folder / "people.parquet"
        table.write(path)
        tally = Tally()
        with maskwise.Session(str(path)) as session:
            for column in session.columns():
                repr(column)
            found = session.search(_plain_policy(table))
            found.write(folder / "out", owner_report=None)
        names, rows = checker.read_release(folder / "out" / "release.csv")
        tally.violations += checker.broken(names, rows, _plain_policy(table)["requirements"], {})
        return tally


def _database_table(arrow: pa.Table) -> Any:
    """The table in a DuckDB of the owner's; Ibis itself cannot make one of some names."""
    backend = ibis.duckdb.connect()
    backend.con.register("made", arrow)
    backend.con.execute("CREATE TABLE people AS SELECT * FROM made")
    backend.con.unregister("made")
    return backend.table("people")


def _plain_policy(table: MadeTable) -> dict[str, Any]:
    masked = [column.name for column in table.of_role("masked")]
    return {
        "class": table.of_role("class")[0].name,
        "drop": [table.of_role("identifier")[0].name],
        "requirements": [{"qid": masked, "k": 2}],
    }


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class _Elements(html.parser.HTMLParser):
    """Notices elements and attributes that no report has."""

    def __init__(self) -> None:
        super().__init__()
        self.strange: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A report has no script, no picture and no link out."""
        if tag in {"script", "img", "iframe", "object", "link"}:
            self.strange.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or (name in {"href", "src"} and not (value or "").startswith("#")):
                self.strange.append(f"{name}={value!r}")
