"""Tables that several tests of classifiers learn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from maskwise.datasets import load_adult

OUTLOOK = {"s": "sunny", "o": "overcast", "r": "rainy"}
WEATHER = pd.DataFrame(
    {
        "outlook": [OUTLOOK[letter] for letter in "ssorrrossrsoor"],
        "temperature": [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71],
        "humidity": [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91],
        "windy": [False, True, False, False, False, True, True, False, False, False, True, True, False, True],
    }
)
PLAY = np.array([{"n": "no", "y": "yes"}[letter] for letter in "nnyyynynyyyyyn"])
WEATHER_TREE = """\
outlook = overcast: yes (4)
outlook = rainy
|   windy = false: yes (3)
|   windy = true: no (2)
outlook = sunny
|   humidity <= 75: yes (2)
|   humidity > 75: no (3)"""
ATTRIBUTES = [name for name in load_adult().column_names if name != "income"]
TOP7 = ["age", "education-num", "marital-status", "relationship", "capital-gain", "sex", "hours-per-week"]
GA = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


def adult(columns: list[str]) -> tuple[Any, Any, Any, Any]:
    whole = load_adult()
    train, test = (part.drop_null() for part in (whole.slice(0, 32_561), whole.slice(32_561)))
    assert (train.num_rows, test.num_rows) == (30_162, 15_060)
    return (
        train.select(columns),
        train["income"].to_numpy(),
        test.select(columns),
        test["income"].to_numpy(),
    )
