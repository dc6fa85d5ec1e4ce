"""trace.jsonl: one line per refinement, in full precision."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.cut import Step


def dumps(steps: Iterable[Step]) -> str:
    """Write steps as JSON lines.

    >>> from maskwise.cut import Step
    >>> dumps([Step(1, "Job", "*", ("Trader", "*"), 0.5, 2.0, 0.25, (7,))])[:54]
    '{"step": 1, "attribute": "Job", "from": "*", "to": ["T'
    """
    return "".join(
        json.dumps(
            {
                "step": step.step,
                "attribute": step.attribute,
                "from": step.before,
                "to": list(step.after),
                "info_gain": step.info_gain,
                "loss": step.loss,
                "score": step.score,
                "requirements": list(step.requirements),
            },
            ensure_ascii=False,
        )
        + "\n"
        for step in steps
    )
