"""What does `maskwise mask` take for a csv as people have it, beside DuckDB copying the same file?

`python -m bench.csv_forms [rows [rounds [policy]]]`: the papers' blow-up of Adult with line feeds, with `\\r\\n`, with
semicolons and decimal commas, with quotes around every cell, with a column of unique ids, with one of free text, and as
parquet; the same policy for each, k = 50 on 14 attributes. Processor seconds from start to exit.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from bench.blowup import FOLDER, blow_up, policy
from bench.mask_vs_copy import COPY
from bench.measure import MASKWISE, side_by_side, table

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["patient", "reports", "pain", "since", "Monday", "no", "fever", "left", "arm,", 'see "letter"', "stable"]


def make_forms(n_rows: int) -> dict[str, Path]:
    """Write the table in each form, once."""
    plain, parquet = blow_up(n_rows)
    forms = {name: FOLDER / f"form-{name}-{n_rows}.csv" for name in ("crlf", "semicolons", "quoted", "ids", "text")}
    if not all(path.exists() for path in forms.values()):
        rows, rng = pq.read_table(parquet), np.random.default_rng(3)
        text = plain.read_bytes()
        forms["crlf"].write_bytes(text.replace(b"\n", b"\r\n"))
        rates = pa.array([f"{rate / 100:.2f}".replace(".", ",") for rate in rng.integers(0, 5000, n_rows)])
        half = {"quoting_style": "needed"}
        arrow_csv.write_csv(
            rows.append_column("rate", rates), forms["semicolons"], arrow_csv.WriteOptions(delimiter=";", **half)
        )
        spelled = re.sub(rb'"(\d+,\d+)"', rb"\1", forms["semicolons"].read_bytes())
        forms["semicolons"].write_bytes(spelled.replace(b"\n", b"\r\n"))
        arrow_csv.write_csv(rows, forms["quoted"], arrow_csv.WriteOptions(quoting_style="all_valid"))
        ids = pa.array([f"{number:012x}" for number in rng.permutation(16 * n_rows)[:n_rows]])
        arrow_csv.write_csv(rows.append_column("id", ids), forms["ids"], arrow_csv.WriteOptions(**half))
        notes = pa.array([" ".join(words) for words in np.array(WORDS)[rng.integers(0, len(WORDS), (n_rows, 8))]])
        arrow_csv.write_csv(rows.append_column("note", notes), forms["text"], arrow_csv.WriteOptions(**half))
    return {"lf": plain, **forms, "parquet": parquet}


def main(n_rows: int = 1_000_000, rounds: int = 3, policy_file: str | None = None) -> None:
    """Measure each form beside its copy."""
    asked = policy_file or str(policy())
    commands = {}
    for name, source in make_forms(n_rows).items():
        copied, masked = FOLDER / f"copied{source.suffix}", FOLDER / f"masked{source.suffix}"
        commands[f"copy {name}"] = [sys.executable, "-c", COPY, str(source), str(copied)]
        commands[f"mask {name}"] = [MASKWISE, "mask", str(source), "-p", asked, "-o", str(masked)]
    found = side_by_side(commands, rounds)
    masks = {name.removeprefix("mask "): one for name, one in found.items() if name.startswith("mask ")}
    best = min(one.processor for name, one in masks.items() if name != "parquet")
    rows: list[tuple[object, ...]] = [
        (
            "form",
            "copy, processor seconds",
            "mask, processor seconds",
            "times the copy",
            "times the best csv",
            "peak GiB",
        )
    ]
    for name, one in masks.items():
        copy = found[f"copy {name}"].processor
        rows.append((name, copy, one.processor, one.processor / copy, one.processor / best, one.gibibytes))
    table(rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:4])
