"""Print the papers' statements beside what the experiments wrote, and the errors: see docs/reproduction.md."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from experiments.common import parse_options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from experiments.common import Row

PROTOCOLS = ("combined", "held-out")


def rows_of(folder: Path, name: str) -> list[Row]:
    path = folder / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def error(rows: list[Row], requirement: str, protocol: str, measure: str) -> float | None:
    """An error that depends on no threshold."""
    matching = [
        row for row in rows if (row["requirement"], row["protocol"], row["measure"]) == (requirement, protocol, measure)
    ]
    return float(matching[0]["error"]) if matching else None


def gap(
    rows: list[Row], requirement: str, protocol: str, measure: str = "AE", most_k: int = 10**9, least_h: float = 0.0
) -> float | None:
    """The largest difference to BE, up to a k or from an h on; requirements are named by how they begin."""
    differences = [
        float(row["error"]) - base
        for row in rows
        if row["requirement"].startswith(requirement) and (row["protocol"], row["measure"]) == (protocol, measure)
        if row["error"] and float(row["k"] or 0) <= most_k and float(row["h"] or 1) >= least_h
        if (base := error(rows, row["requirement"], protocol, "BE")) is not None
    ]
    return max(differences, default=None)


def _error_of(name: str, requirement: str, measure: str = "BE") -> Callable[[Path, str], float | None]:
    return lambda folder, protocol: error(rows_of(folder, name), requirement, protocol, measure)


def _gap_of(name: str, requirement: str, measure: str = "AE", **only: float) -> Callable[[Path, str], float | None]:
    return lambda folder, protocol: gap(rows_of(folder, name), requirement, protocol, measure, **only)


STATEMENTS: tuple[tuple[str, str, str, Callable[[Path, str], float | None]], ...] = (
    ("TKDE Figure 5", "Adult, C4.5: BE", "14.7", _error_of("tkde_fig05", "Top7")),
    ("", "UE of Top7", "21.5", _error_of("tkde_fig05", "Top7", "UE")),
    ("", "suppression, Top7: AE - BE, k up to 1,000", "under 2.5", _gap_of("tkde_fig05", "Top7")),
    (
        "TKDE Figure 6(a)",
        "generalization, Top7: AE - BE, k up to 600",
        "under 2",
        _gap_of("tkde_fig06a", "Top7", most_k=600),
    ),
    ("TKDE Figure 6(b)", "Adult, Naive Bayes: BE", "18.07", _error_of("tkde_fig06b", "Top7")),
    ("", "Top5: AE - BE, k up to 1,000", "at most 1.5", _gap_of("tkde_fig06b", "Top5")),
    ("", "Top7: the same", "at most 1.5", _gap_of("tkde_fig06b", "Top7")),
    ("", "Top9: the same", "at most 1.5", _gap_of("tkde_fig06b", "Top9")),
    ("TKDE Figure 9(a)", "CRX, C4.5: BE", "15.4", _error_of("tkde_fig09a", "Top7")),
    ("", "UE of Top7", "42", _error_of("tkde_fig09a", "Top7", "UE")),
    ("", "Top7: AE - BE, k up to 300", "under 4", _gap_of("tkde_fig09a", "Top7", most_k=300)),
    ("TKDE Figure 9(b)", "German Credit, C4.5: BE", "28.8", _error_of("tkde_fig09b", "Top7")),
    ("", "UE of Top7", "36", _error_of("tkde_fig09b", "Top7", "UE")),
    ("", "Top7: AE - BE, k up to 100", "under 4", _gap_of("tkde_fig09b", "Top7", most_k=100)),
    ("ICDM Figure 3", "Adult, 7 attributes, C4.5: B", "17.4", _error_of("icdm_fig03", "bug")),
    ("", "W", "24.6", _error_of("icdm_fig03", "bug", "UE")),
    ("", "bottom-up: E - B, K from 10 to 500", "at most 1.1", _gap_of("icdm_fig03", "bug")),
    ("KAIS Section 5.1", "CRX, categorical: BE", "15.4", _error_of("kais_sec51", "Top1")),
    ("", "TopN: SE - BE", "at most 1.1", _gap_of("kais_sec51", "Top", "SE")),
    ("", "RanN: SE - BE", "at most 1.1", _gap_of("kais_sec51", "Ran", "SE")),
    ("", "RanN, h = 0.7 and 0.9 only", "", _gap_of("kais_sec51", "Ran", "SE", least_h=0.7)),
    ("KAIS Section 5.2", "Adult, categorical: BE", "17.6", _error_of("kais_sec52", "Top1")),
    ("", "TopN: SE - BE", "under 0.8", _gap_of("kais_sec52", "Top", "SE")),
    ("", "RanN: SE - BE", "", _gap_of("kais_sec52", "Ran", "SE")),
    ("", "RanN, h = 0.7 and 0.9 only", "", _gap_of("kais_sec52", "Ran", "SE", least_h=0.7)),
    ("KAIS Section 5.3", "German Credit, categorical: BE", "28.8", _error_of("kais_sec53", "Top1")),
    ("", "RE of Top1", "36", _error_of("kais_sec53", "Top1", "RE")),
)


ERRORS = {
    "tkde_fig05": "k",
    "tkde_fig06a": "k",
    "tkde_fig06b": "k",
    "tkde_fig09a": "k",
    "tkde_fig09b": "k",
    "tkde_fig10": "k",
    "icdm_fig03": "k",
    "kais_sec51": "h",
    "kais_sec52": "h",
    "kais_sec53": "h",
}
"""The files with errors, and what is varied in them."""


def wide(rows: list[Row], axis: str) -> list[list[str]]:
    """A line for each measure and threshold, a cell for each requirement: combined / held-out."""
    names = list(dict.fromkeys(row["requirement"] for row in rows))
    lines: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for row in rows:
        cell = lines.setdefault((row["measure"], row[axis]), {}).setdefault(row["requirement"], {})
        cell[row["protocol"]] = f"{float(row['error']):.1f}" if row["error"] else "none"
    table = [["", axis, *names]]
    for (measure, threshold), line in lines.items():
        cells = [[line[name][p] for p in PROTOCOLS if p in line[name]] if name in line else [] for name in names]
        is_baseline = measure in {"BE", "UE", "RE"}
        table.append([measure, threshold, *(" / ".join(cell[:1] if is_baseline else cell) for cell in cells)])
    return table


def main() -> None:
    folder = parse_options(about=__doc__).output
    print("| figure | statement | paper | " + " | ".join(PROTOCOLS) + " |")
    print("|" + " --- |" * (3 + len(PROTOCOLS)))
    for figure, statement, paper, measure in STATEMENTS:
        values = [measure(folder, protocol) for protocol in PROTOCOLS]
        print(
            f"| {figure} | {statement} | {paper} | "
            + " | ".join("" if x is None else f"{x:.1f}" for x in values)
            + " |"
        )
    for name, axis in ERRORS.items():
        if rows := rows_of(folder, name):
            print(f"\n{name}, error in percent, {' / '.join(PROTOCOLS)}\n")
            head, *lines = wide(rows, axis)
            for line in (head, ["---"] * len(head), *lines):
                print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main()
