"""trace.jsonl: one line per step, in full precision."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from maskwise.solution.steps import Generalization

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.solution.steps import Step


def dumps(steps: Iterable[Step | Generalization]) -> str:
    """Write steps as JSON lines.

    >>> from maskwise.solution.steps import Step
    >>> dumps([Step(1, "Job", "*", ("Trader", "*"), 0.5, 2.0, 0.25, (7,))])[:54]
    '{"step": 1, "attribute": "Job", "from": "*", "to": ["T'
    """
    return "".join(json.dumps(_line(step), ensure_ascii=False) + "\n" for step in steps)


def _line(step: Step | Generalization) -> dict[str, Any]:
    figures = [None if math.isinf(figure) else figure for figure in step.requirements]
    if isinstance(step, Generalization):
        change = {"from": list(step.before), "to": step.after}
        measure = {"info_loss": step.info_loss, "anonymity_gain": step.anonymity_gain, "ip": step.ip}
        return {"step": step.step, "attribute": step.attribute, **change, **measure, "requirements": figures}
    return {
        "step": step.step,
        **({"regions": list(step.regions)} if step.regions else {}),
        "attribute": step.attribute,
        "from": step.before,
        "to": list(step.after),
        "info_gain": step.info_gain,
        "loss": step.loss,
        "score": step.score,
        "requirements": figures,
    }
