"""What each rule makes of a value, beside plain Python and the standard library; hostile values; one parent a label."""

from __future__ import annotations

import calendar
import datetime as dt
import ipaddress
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.policy.rules.base import PathTree, label_order
from maskwise.policy.rules.registry import RULE_KEYS, read_rule
from maskwise.policy.rules.rule_tree import RuleTree
from tests.policy.rules.trees import tree_of

ENTRIES: dict[str, list[Any]] = {
    "prefix": [[5, 3, 2, 1], [3], 2],
    "suffix": [[4, 2], [1]],
    "phone": [[6, 3], [17, 2]],
    "network": [[24, 16, 8], [32, 8], {"v4": [32, 16], "v6": [128, 48]}],
    "domain": [[3, 2, 1], ["address", 2, 1], ["address", 3]],
    "steps": [[5, 10, 20], ["0.5", "2.5"], {"widths": [7, 21], "from": "-3"}],
    "rounded": [[100, 1000, 10000], ["0.1", "0.5"]],
    "calendar": [["day", "month", "quarter", "year", "decade"], ["hour", "shift", "day"], ["day", "week"], ["year"]],
    "weekday": [["day", "part"], ["part"]],
    "season": [["month", "season"]],
    "time_of_day": [["hour", "shift"], ["shift"]],
    "icd10": [None, ["category", "chapter"], ["block"], {"levels": ["code", "block"], "version": "cm"}],
    "isco": [None, ["minor", "major"]],
    "nace": [None, ["section"], ["group", "division"], {"levels": ["class", "section"], "version": "2.1"}],
    "naics": [None, ["sector"], ["industry", "subsector"]],
}
RULES = [read_rule(key, data) for key, entries in ENTRIES.items() for data in entries]
HOSTILE = [
    "*",
    "",
    " ",
    "02*39",
    "021**",
    "[20, 25)",
    "1987-03",
    "1980s",
    "שלום",
    "\u202e02139",
    "a\nb",
    "é",
    "é",
    "itself",
]
dates = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=7),
    st.from_regex(r"[0-9]{1,7}", fullmatch=True),
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.floats(allow_nan=True).map(repr),
    dates.map(str),
    st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)).map(dt.datetime.isoformat),  # noqa: DTZ001
    st.times().map(str),
    st.ip_addresses().map(str),
    st.lists(st.sampled_from(["a", "b", "org", "example", "mail"]), min_size=1, max_size=4).map(".".join),
    st.emails(),
    st.from_regex(r"[A-Z][0-9][0-9A](\.?[0-9A-Z]{1,3})?[*-]?", fullmatch=True),
    st.from_regex(r"[A-V]? ?[0-9]{1,2}(\.[0-9]{1,2})?Z?", fullmatch=True),
    st.from_regex(r"(\+|00)?[1-9][0-9 -]{3,12}", fullmatch=True),
)


def test_every_rule_that_a_policy_may_name_is_tried_here() -> None:
    # Countries come from a package that need not be there, and have tests of their own.
    assert set(ENTRIES) == RULE_KEYS - {"un"}


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(values=st.lists(texts, min_size=1, max_size=30))
def test_a_label_has_one_parent_and_a_values_own_label_has_nothing_below(rule: Any, values: list[str]) -> None:
    parents: dict[str, str] = {}
    last, inner = set(), set()
    for value in values:
        path = rule.path(value)
        if path is None:
            continue
        assert path
        assert "*" not in path
        assert "" not in path
        assert len(set(path)) == len(path)
        for above, label in pairwise(("*", *path)):
            assert parents.setdefault(label, above) == above
            inner.add(above)
        last.add(path[-1])
    assert not last & inner


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(values=st.lists(texts, min_size=1, max_size=12))
def test_the_tree_of_some_values_has_their_paths(rule: Any, values: list[str]) -> None:
    readable = [value for value in values if rule.path(value) is not None]
    tree = tree_of(rule, readable)
    up = {label: tree.labels[parent] for label, parent in zip(tree.labels, tree.parents, strict=True) if parent >= 0}
    for value in readable:
        path = rule.path(value)
        assert [up[label] for label in path] == ["*", *path[:-1]]
    assert set(tree.labels) == {"*", *(label for value in readable for label in rule.path(value))}
    assert tree == tree_of(rule, reversed(readable))


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_a_rule_reads_what_it_writes_into_a_policy(rule: Any) -> None:
    assert read_rule(rule.key, rule.to_data()) == rule
    assert len(rule.levels) == len(set(rule.levels))


@given(text=st.from_regex(r"[0-9A-Z]{1,8}", fullmatch=True))
def test_prefixes_and_suffixes_keep_characters_and_the_length(text: str) -> None:
    path = RULES[0].path(text)
    assert path is not None
    assert path == tuple(dict.fromkeys(text[:n].ljust(len(text), "*") for n in (1, 2, 3, 5)))
    ends = read_rule("suffix", [4, 2]).path(text)
    assert ends == tuple(dict.fromkeys(text[max(len(text) - n, 0) :].rjust(len(text), "*") for n in (2, 4)))


def test_leading_zeros_and_lengths_are_kept_apart() -> None:
    rule = read_rule("prefix", [3, 1])
    assert rule.path("02139") == ("0****", "021**")
    assert rule.path("2139") == ("2***", "213*")
    assert rule.path("021") == ("0**", "021")
    assert rule.path("021390") == ("0*****", "021***")
    assert rule.path("021**") is None


@given(address=st.ip_addresses())
def test_networks_are_those_of_the_standard_library(address: Any) -> None:
    found = read_rule("network", [24, 16, 8]).path(f" {address}")
    bits = (8, 16, 24) if address.version == 4 else (16, 32, 48)
    assert found == tuple(str(ipaddress.ip_network((address, n), strict=False)) for n in bits)
    whole = read_rule("network", {"v4": [32], "v6": [128]}).path(str(address))
    assert whole == (str(address),)


@given(day=dates)
def test_calendar_labels_are_those_of_the_standard_library(day: dt.date) -> None:
    found = read_rule("calendar", ["day", "month", "quarter", "year", "decade"]).path(day.isoformat())
    year = f"{day.year:04d}"
    quarter = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3}.get(day.month, 4)
    assert found == (f"{year[:3]}0s", year, f"{year}-Q{quarter}", day.isoformat()[:7], day.isoformat())
    iso = day.isocalendar()
    assert read_rule("calendar", ["week"]).path(day.isoformat()) == (f"{iso.year}-W{iso.week:02d}",)
    part = "weekend" if day.weekday() in {calendar.SATURDAY, calendar.SUNDAY} else "working day"
    assert read_rule("weekday", ["day", "part"]).path(str(day)) == (part, calendar.day_name[day.weekday()])
    season = {12: "winter", 1: "winter", 2: "winter", 3: "spring", 4: "spring", 5: "spring"}
    season |= {6: "summer", 7: "summer", 8: "summer", 9: "autumn", 10: "autumn", 11: "autumn"}
    assert read_rule("season", ["month", "season"]).path(str(day)) == (
        season[day.month],
        calendar.month_name[day.month],
    )


@given(moment=st.datetimes())
def test_hours_and_shifts_of_a_timestamp(moment: dt.datetime) -> None:
    day, hour = moment.date().isoformat(), moment.hour
    shift = "night" if hour >= 22 or hour < 6 else "early" if hour < 14 else "late"
    for text in (moment.isoformat(), str(moment), moment.replace(tzinfo=dt.UTC).isoformat(), f"{moment.isoformat()}Z"):
        found = read_rule("calendar", ["hour", "shift", "day"]).path(text)
        assert found == (day, f"{day} {shift}", f"{day} {hour:02}h")
        assert read_rule("time_of_day", ["hour", "shift"]).path(text) == (shift, f"{hour:02}h")
    assert read_rule("time_of_day", ["hour", "shift"]).path(moment.time().isoformat()) == (shift, f"{hour:02}h")
    assert read_rule("calendar", ["hour", "day"]).path(day) is None


@pytest.mark.parametrize(
    "text", ["2023-02-29", "2024-13-01", "2024-1-1", "24:00", "2024-01-01T24:00", "1.2.2024", "٢٠٢٤-01-01"]
)
def test_what_is_no_moment_is_not_read(text: str) -> None:
    for key in ("calendar", "weekday", "season", "time_of_day"):
        assert all(rule.path(text) is None for rule in RULES if rule.key == key)


@given(number=st.decimals(-(10**9), 10**9, places=3))
def test_steps_hold_their_number_and_lie_in_each_other(number: Any) -> None:
    for rule, widths, start in ((RULES[13], (5, 10, 20), 0), (RULES[15], (7, 21), -3)):
        assert rule.key == "steps"
        path = rule.path(str(number))
        ends = [tuple(Fraction(end) for end in label[1:-1].split(", ")) for label in path]
        assert [high - low for low, high in ends] == sorted(widths, reverse=True)
        assert all(low <= Fraction(number) < high and (low - start) % (high - low) == 0 for low, high in ends)
        assert all(outer[0] <= inner[0] and inner[1] <= outer[1] for outer, inner in pairwise(ends))


def test_whole_numbers_and_decimals_are_in_the_same_steps() -> None:
    rule = read_rule("steps", [5, 10])
    assert {rule.path(text) for text in ("37", "37.0", "+37", " 37 ", "3.7e1", "037")} == {("[30, 40)", "[35, 40)")}
    assert rule.path("-0") == rule.path("0.0") == ("[0, 10)", "[0, 5)")


@pytest.mark.parametrize("text", ["nan", "inf", "1e99", "9" * 30, "1,5", "0x10", "1_000", "٣", "-", "."])
def test_what_is_no_number_of_a_measure_is_not_read(text: str) -> None:
    assert read_rule("steps", [5]).path(text) is None
    assert read_rule("rounded", [5]).path(text) is None


@given(number=st.decimals(-(10**9), 10**9, places=2))
def test_a_rounded_label_says_how_far_its_number_may_be(number: Any) -> None:
    path = read_rule("rounded", [100, 1000, 10000]).path(str(number))
    for label, unit in zip(path or (), (10000, 1000, 100), strict=True):
        middle, off = (Fraction(part) for part in label.split(" ± "))
        assert middle % unit == 0
        assert abs(Fraction(number) - middle) <= off
    assert path is not None
    nearest = Fraction(path[-1].split(" ")[0])
    assert abs(Fraction(number) - nearest) <= 50


def test_domains_of_mail_addresses_and_hosts() -> None:
    rule = read_rule("domain", [3, 2, 1])
    assert rule.path("user@mail.example.org") == ("org", "example.org", "mail.example.org")
    assert rule.path("User@A.Mail.Example.ORG.") == ("org", "example.org", "mail.example.org")
    assert rule.path("user@example.org") == ("org", "example.org", "example.org itself")
    assert rule.path("localhost") == ("localhost", "localhost itself")
    assert read_rule("domain", ["address", 1]).path('"odd name"@b.org') == ("org", '"odd name"@b.org')
    for text in ("@example.org", "a@", "a b.org", "a..org", "http://a.org", "*.org"):
        assert rule.path(text) is None


def test_phone_numbers_are_read_without_what_stands_between_their_digits() -> None:
    rule = read_rule("phone", [5, 2])
    assert {rule.path(text) for text in ("+49 30 901820", "0049-30-901820", "+49(30)901.820")} == {
        ("+49********", "+49309*****")
    }
    assert rule.path("030/901820") == ("03*******", "03090****")
    assert rule.path("call me") is rule.path("+") is rule.path("12") is None


@pytest.mark.parametrize(
    ("key", "data", "message"),
    [
        ("prefix", [], "whole numbers from 1 to 255, the largest first"),
        ("prefix", None, "found nothing"),
        ("prefix", ["3", "x"], r"found `\[3, x\]`"),
        ("prefix", [0], "from 1 to 255"),
        ("prefix", [1, 3], r"prefix: \[3, 1\]"),
        ("network", [33], "from 1 to 32"),
        ("network", {"v4": [8]}, "both v4 and v6"),
        ("network", {"v4": [8], "v6": [48, 32]}, "as many levels"),
        ("domain", ["address"], "how many names"),
        ("domain", [1, 2], r"domain: \[2, 1\]"),
        ("steps", [5, 12], "12 is none of 5"),
        ("steps", ["-5"], "numbers above 0"),
        ("steps", {"widths": [5], "form": 3}, "widths and from"),
        ("steps", {"widths": [5], "from": "x"}, "`from` of `steps` is a number"),
        ("rounded", [1000, 100], "multiple of the one before"),
        ("calendar", ["month", "day"], r"calendar: \[day, month\]"),
        ("calendar", ["moth"], "Did you mean `month`"),
        ("calendar", ["week", "year"], "`week` is the coarsest level"),
        ("weekday", None, r"weekday: \[day, part\]"),
    ],
)
def test_what_a_rule_cannot_be_is_said_with_how_it_is_written(key: str, data: Any, message: str) -> None:
    from maskwise.errors import PolicyError

    with pytest.raises(PolicyError, match=message):
        read_rule(key, data)


def test_a_label_with_two_meanings_is_refused() -> None:
    from maskwise.errors import PolicyError

    for paths in ((("a", "x"), ("b", "x")), (("a",), ("a", "b")), (("a", "*"),)):
        tree = PathTree("*")
        placed = [tree.place(path) for path in paths]
        with pytest.raises(PolicyError, match="more than one meaning"):
            tree.refuse_ambiguous("made up", placed)


def test_labels_are_sorted_by_themselves() -> None:
    assert sorted(["1987-10", "1987-9", "[100, 105)", "[20, 25)", "021**", "9" * 5000], key=label_order)[:2] == [
        "[20, 25)",
        "[100, 105)",
    ]


@pytest.mark.slow
@given(values=st.lists(texts, max_size=20), other=st.sampled_from([None, "0****", "1980s", "org", "unknown"]))
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_other_values_have_a_label_of_their_own(rule: Any, values: list[str], other: str | None) -> None:
    tree = RuleTree(rule, other=other, root="root")
    for value in values:
        path, own = tree.path(value), rule.path(value)
        if own is None or {other, "root"} & {value, *own}:
            assert path == (None if other is None else (other,))
        else:
            assert path == own
    built = tree.tree_with(values)
    up = {label: built.labels[parent] for label, parent in zip(built.labels, built.parents, strict=True)}
    for value in values:
        path = tree.path(value)
        if path is None:
            assert value not in up or any(value in (tree.path(one) or ()) for one in values) or value == "root"
        else:
            assert value in path or up[value] == path[-1]
