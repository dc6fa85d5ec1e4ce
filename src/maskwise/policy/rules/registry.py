"""All rules by their key in a policy. A new rule is a module and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from maskwise.errors import PolicyError
from maskwise.policy.rules.base import ROOT
from maskwise.policy.rules.level_lists import shown
from maskwise.policy.rules.rule_tree import RuleTree
from maskwise.policy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.policy.rules.base import ValueRule

_CLASSES = {
    "prefix": "affixes:Prefix",
    "suffix": "affixes:Suffix",
    "phone": "affixes:Phone",
    "network": "network:Network",
    "domain": "domain:DomainNames",
    "steps": "number_grids:Steps",
    "rounded": "number_grids:Rounded",
    "calendar": "calendar:Calendar",
    "weekday": "cycles:Weekday",
    "season": "cycles:Season",
    "time_of_day": "cycles:TimeOfDay",
    "icd10": "icd10:Icd10",
    "isco": "isco:Isco",
    "nace": "nace:Nace",
    "naics": "naics:Naics",
    "un": "un:UnRegion",
}
"""For each key the module and the class, loaded when a policy has one."""
RULE_KEYS = frozenset(_CLASSES)
"""The keys of an attribute's entry that are rules."""
BESIDE = ("taxonomy", "root", "other")
"""What may stand beside a rule, as part of its tree."""
_UNDER = "under "


def read_rule(key: str, data: object) -> ValueRule:
    """Read a rule.

    Args:
        key: Its key.
        data: What stands beside the key.

    >>> read_rule("prefix", ["3", "1"]).path("02139")
    ('0****', '021**')
    """
    module, name = _CLASSES[key].split(":")
    rule: ValueRule = getattr(import_module(f"maskwise.policy.rules.{module}"), name).from_data(data)
    return rule


def read_rule_tree(entry: Mapping[str, Any], over: Taxonomy | None = None) -> RuleTree:
    """Read a rule with what stands beside it.

    Args:
        entry: The parts of an attribute's entry; those that are no part of a rule are left alone.
        over: Its taxonomy, where that is no nested mapping.

    >>> read_rule_tree({"prefix": [2], "root": "anywhere"}).to_data()
    {'prefix': [2], 'root': 'anywhere'}
    """
    keys = [key for key in entry if key in RULE_KEYS]
    if len(keys) != 1:
        raise PolicyError([f"An attribute has one rule; found {len(keys)}. Name one of them."])
    if over is None and entry.get("taxonomy") is not None:
        over = Taxonomy.from_nested(entry["taxonomy"])
    root = entry.get("root")
    if "root" in entry and not root:
        raise PolicyError(["`root` is empty. Write what the root is called, or take the key out."])
    if over is not None and root not in {None, over.root}:
        raise PolicyError([f"The taxonomy has the root `{over.root}`, so `root` says nothing. Take it out."])
    other = _read_other(entry["other"]) if "other" in entry else None
    return RuleTree(read_rule(keys[0], entry[keys[0]]), over, other, over.root if over else str(root or ROOT))


def _read_other(given: object) -> str:
    text = str(given or "")
    if not text.startswith(_UNDER) or not text.removeprefix(_UNDER).strip():
        msg = f"`other` is `under` and a label, such as `other: under other values`; found {shown(given)}."
        raise PolicyError([msg])
    return text.removeprefix(_UNDER).strip()
