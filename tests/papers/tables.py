"""The running examples of TKDE 2007: Table I with Figure 1's taxonomies, and Table II."""

from __future__ import annotations

from typing import Any

EDUCATION: dict[str, Any] = {
    "ANY_Edu": {
        "Secondary": {"Junior Sec.": ["9th", "10th"], "Senior Sec.": ["11th", "12th"]},
        "University": {"Bachelors": None, "Grad School": ["Masters", "Doctorate"]},
    }
}

TABLE_1 = [
    ("9th", "M", 30, 0, 3),
    ("10th", "M", 32, 0, 4),
    ("11th", "M", 35, 2, 3),
    ("12th", "F", 37, 3, 1),
    ("Bachelors", "F", 42, 4, 2),
    ("Bachelors", "F", 44, 4, 0),
    ("Masters", "M", 44, 4, 0),
    ("Masters", "F", 44, 3, 0),
    ("Doctorate", "F", 44, 1, 0),
]

TABLE_2 = [
    ("10th", "M", 40, 20, 0),
    ("10th", "M", 30, 0, 4),
    ("9th", "M", 30, 0, 2),
    ("9th", "F", 30, 0, 4),
    ("9th", "F", 40, 0, 6),
    ("8th", "F", 30, 0, 2),
    ("8th", "F", 40, 0, 2),
]

POLICY_1: dict[str, Any] = {
    "class": "Class",
    "attributes": {
        "Education": {"taxonomy": EDUCATION},
        "Sex": {"taxonomy": {"ANY_Sex": ["M", "F"]}},
        "Work_Hrs": {"interval": [1, 99]},
    },
    "requirements": [{"qid": ["Education", "Sex"], "k": 4}, {"qid": ["Sex", "Work_Hrs"], "k": 11}],
}

POLICY_2: dict[str, Any] = {
    "class": "Class",
    "attributes": {
        "Education": {"taxonomy": {"ANY_Edu": ["8th", "9th", "10th"]}},
        "Sex": {"taxonomy": {"ANY_Sex": ["M", "F"]}},
        "Work_Hrs": {"interval": [1, 99]},
    },
    "requirements": [{"qid": ["Education", "Sex", "Work_Hrs"], "k": 4}],
}


def records(rows: list[tuple[str, str, int, int, int]]) -> list[dict[str, Any]]:
    """Unfold a compressed table: one record for each of the class frequencies."""
    return [
        {"Education": education, "Sex": sex, "Work_Hrs": hours, "Class": label}
        for education, sex, hours, yes, no in rows
        for label in ["Y"] * yes + ["N"] * no
    ]
