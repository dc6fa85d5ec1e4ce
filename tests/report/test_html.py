"""The page: well formed, self-contained, readable without a picture, whatever the names and cells are."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from maskwise.errors import InputError
from maskwise.outcome import Outcome
from maskwise.policy.attributes import Kind
from maskwise.policy.taxonomy import Taxonomy
from maskwise.release.common_rows import CommonRow
from maskwise.report.report import check_suffix, report
from maskwise.solution.cut import Cut
from maskwise.values.message import Audience
from maskwise.values.scales import Scale
from tests.report.pages import Outline, check_page, pictures
from tests.report.runs import POLICY, QID, RARE, Errors, full_run, put_together, real_run, suppressed


@pytest.fixture(scope="module")
def full() -> Outcome:
    return full_run()


@pytest.fixture(scope="module")
def owners(full: Outcome) -> str:
    return report(full, Audience.OWNER, Errors()).to_html()


@pytest.fixture(scope="module")
def public(full: Outcome) -> str:
    return report(full).to_html()


def headings(page: str) -> list[str]:
    return re.findall(r"<h2[^>]*>(.*?)</h2>", page)


@pytest.mark.slow
def test_pages_are_well_formed_and_load_nothing(owners: str, public: str) -> None:
    for page in (owners, public, report(real_run()).to_html()):
        check_page(page)


def test_the_page_allows_its_own_style_and_nothing_else(public: str) -> None:
    (allowed,) = [
        one["content"] for one in check_page(public).of("meta") if one.get("http-equiv") == "Content-Security-Policy"
    ]
    (style,) = re.findall(r"<style>(.*?)</style>", public, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert allowed == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_every_part_that_has_data_has_a_section(owners: str, public: str) -> None:
    both = {
        "In short", "What was asked and reached", "Risk", "Attacks tried", "Group sizes", "How each attribute is shown",
        "Rows", "Other columns", "What this protects", "What it does not",
    }  # fmt: skip
    private = {"Detail against privacy", "What it costs a classifier", "Why values stay masked"}
    assert both <= set(headings(public))
    assert not private & set(headings(public))
    assert both | private <= set(headings(owners))


def test_parts_without_data_have_no_section() -> None:
    outcome = replace(real_run(), attacks=(), risk=None)
    absent = {"Risk", "Attacks tried", "Why values stay masked", "What it costs a classifier"}
    assert not absent & set(headings(report(outcome, Audience.OWNER).to_html()))


def test_contents_lead_to_every_section(owners: str) -> None:
    outline = check_page(owners)
    targets = [one["id"] for one in outline.of("h2")]
    assert [str(one["href"])[1:] for one in outline.of("a")] == targets
    assert len(set(targets)) == len(targets)


def test_tables_have_headers_and_marks_have_words(owners: str) -> None:
    outline = check_page(owners)
    assert {one.get("scope") for one in outline.of("th")} == {"col", "row"}
    marks = re.findall(r'<span class="mark ([\w-]+)">(.*?)</span>', owners)
    assert set(marks) == {
        ("held", "Held"), ("held", "Passed"), ("not-held", "Failed"), ("not-run", "Not run")
    }  # fmt: skip


def test_folds_are_open_on_paper(owners: str) -> None:
    assert "details::details-content { content-visibility: visible; display: block;" in owners
    assert "@page { size: A4;" in owners


def test_requirements_are_sentences_with_the_figures_of_the_release(full: Outcome, owners: str, public: str) -> None:
    rows = full.data.to_pylist()
    smallest = min(Counter(tuple(row[name] for name in QID) for row in rows).values())
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        groups.setdefault((row["Age"], row["Edu"]), []).append(row["Ill"])
    share = 100 * max(ills.count("hiv") / len(ills) for ills in groups.values())
    alike = "Nobody can be told apart from at least 5 others by Age, Edu and Job"
    k = f"{alike}; the smallest group has {smallest} records."
    template = "Among records alike by Age and Edu, no protected value of Ill is shared by more than 90 %"
    assert k in check_page(public).text
    assert k in check_page(owners).text
    assert f"{template}." in check_page(public).text
    said = re.search(rf"{template}; the largest share is ([\d.]+) %\.", check_page(owners).text)
    assert said
    assert float(said[1]) == pytest.approx(share, abs=0.005)


def test_a_requirement_that_does_not_hold_is_marked() -> None:
    outcome = put_together([suppressed("Job", ["a"])])
    finding = outcome.verdict.findings[0]
    object.__setattr__(finding, "n_violating_groups", 1)
    page = report(outcome).to_html()
    assert '<span class="mark not-held">Not held</span>' in page


HIDDEN = ("name-3", RARE, "Do not hand it out", "a group of 3 would be left", "90,001", "80,003", "12.7 %", "14.21")


def test_recipients_read_no_hidden_cell_and_nothing_of_the_owners(full: Outcome, owners: str, public: str) -> None:
    text = check_page(public).text.lower() + public.lower()
    assert not [one for one in HIDDEN if one.lower() in text]
    # What a requirement protects by name is a cell of a sensitive column, and so are all others.
    assert not [ill for ill in ("flu", "cold", "hiv") if re.search(rf"\b{ill}\b", check_page(public).text)]
    seen = check_page(owners).text.lower()
    assert [one for one in HIDDEN if one.lower() in seen] == list(HIDDEN[1:])
    shown = set(full.solution.cut("Edu").labels)
    below = {"5th", "8th", "Bachelor", "Master", "Doctor"} - shown
    assert not [value for value in below if value in check_page(public).text]


def test_all_forms_say_the_same_figures(full: Outcome) -> None:
    made = report(full, Audience.OWNER, Errors())
    page, text, data = check_page(made.to_html()).text, made.to_markdown(), made.data
    said = [
        "61.23 %", "73.45 %", "45.6 %", "4.44 %", "28.31 %", "17.29 %", "21.57 %", "54.19 %", "35.71 %", "81.23 %",
        "3.13 %", "1.19 %", "1.17 %", "6.23 %", "7.31 %", "90,001", "80,003", "1 in 8", "0.127", "15.37",
        "A group of 3 would be left below", "k=3 instead of 6 on {Age, Edu, Job}",
    ]  # fmt: skip
    assert not [one for one in said if one not in page]
    assert not [one for one in said if one not in text]
    assert data["risk"]["everything"]["below_k"] == 0.2831
    assert data["risk"]["one_more"][1]["below_k"] == 0.2157
    assert data["attacks"][1]["figure"] == 0.127
    assert data["cost"]["errors"][1]["error"] == 15.37
    assert sum(len(one["values"]) for one in data["why"]["attributes"]) == sum(
        len(cut.labels) for cut in full.solution.cuts
    )
    for sentence in (*data["summary"], *(one["sentence"] for one in data["requirements"])):
        assert sentence in text
        assert sentence in page
    for row in data["common_rows"]:
        assert f"| {row['records']} | {row['shown']['Age']} |" in text


def test_words_stand_for_the_papers_abbreviations(owners: str) -> None:
    text = check_page(owners).text
    assert "the original columns: 14.21 %" in text
    assert "the masked columns, k = 6: 15.37 %" in text
    assert "no masked column at all: 19.48 %" in text
    assert "the masked columns, k = 900: the policy cannot be met." in text
    assert not re.search(r"\b(BE|AE|UE)\b", text)


def test_each_picture_has_one_axis_and_shows_what_is_released(full: Outcome, owners: str) -> None:
    last = full.curve[-1]
    lines = [one for one in pictures(owners) if one.get("class") == "lines"]
    texts = ["".join(one.itertext()) for one in lines]
    assert len(lines) == 2 + len(POLICY["requirements"])
    assert f"released: {100 * last.information_kept:,.4g}" in texts[0]
    assert f"released: {last.requirements[0]:,.4g}" in texts[2]
    assert "asked: 6" in texts[2]
    for one in lines:
        points = str(one.find("polyline").get("points")).split()  # type: ignore[union-attr]
        assert len(points) == len(full.curve)


def test_a_histogram_has_a_bar_for_each_range(full: Outcome, public: str) -> None:
    bars = [one for one in pictures(public) if one.get("class") == "bars"]
    finding = full.verdict.findings[0]
    first = bars[0]
    found = [rect for rect in first.iter("rect") if rect.get("class") == "bar"]
    assert len(found) == len(finding.histogram())
    widths = [float(str(rect.get("width"))) for rect in found]
    records = [row[3] for row in finding.histogram()]
    longest = max(widths)
    assert widths == pytest.approx([longest * n / max(records) for n in records], abs=0.06)


# Names and cells that others wrote.

BAD = (
    "<script>alert(1)</script>",
    "\"quote' & </style></svg>",
    "*",
    "a|b`c`",
    "\u202egnp.exe",
    "new\nline\ttab\x00",
    "]]><!-- -->",
    "x" * 300,
    "مرحبا",
    "onload=alert(1) href=javascript:alert(1)",
    "\ud800",
)


def bad_run() -> Outcome:
    tree = Taxonomy.from_nested({"<any>": {name: [f"{name}1", f"{name}2"] for name in BAD}})
    cuts = [suppressed(name, BAD, [f"hidden {one}" for one in BAD]) for name in BAD]
    cuts += [
        Cut("<tree>", Kind.TAXONOMY, "<any>", taxonomy=tree, shown=BAD),
        Cut("</svg>", Kind.INTERVAL, "[0, 9]", scale=Scale.INTEGER, breaks=(0, 3, 9)),
    ]
    common = [CommonRow(tuple(zip(BAD[:9], (*BAD[1:9], None), strict=True)), 3)]
    return put_together(cuts, BAD, common, BAD)


@pytest.mark.parametrize("audience", list(Audience))
def test_no_name_or_cell_breaks_the_page(audience: Audience) -> None:
    made = report(bad_run(), audience)
    page = made.to_html()
    outline = check_page(page)
    assert not re.search("[\u202e\u2066\x00\ud800]", page)
    assert "<script>alert(1)</script>" in outline.text  # as text, that is
    assert r"\u202egnp.exe" in outline.text
    assert "x" * 300 not in page.split("Warnings")[0]
    page.encode("utf-8")
    rows = [line for line in made.to_markdown().splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in rows if "alert(1)" in line and "suppress" in line}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("audience", list(Audience))
def test_many_long_values_and_attributes_are_folded(audience: Audience) -> None:
    values = [f"{i:04d} {'long ' * 60}" for i in range(2000)]
    tree = Taxonomy.from_nested({"ANY": {f"branch {i}": values[40 * i : 40 * i + 40] for i in range(50)}})
    cuts = [suppressed(f"column {i}", values, values[::-1]) for i in range(50)]
    cuts += [Cut(f"tree {i}", Kind.TAXONOMY, "ANY", taxonomy=tree, shown=tuple(values)) for i in range(49)]
    cuts.append(Cut("dates", Kind.INTERVAL, "", scale=Scale.DATE, breaks=tuple(range(0, 20_000, 10))))
    outcome = put_together(cuts, [f"other {i}" for i in range(300)])
    begun = time.process_time()
    page = report(outcome, audience).to_html()
    assert time.process_time() - begun < 3
    outline = check_page(page)
    assert len(page) < 5_000_000
    assert "1,777 more not listed here" in outline.text
    assert "Nobody can be told apart from at least 4 others by column 0" in outline.text
    assert "and 92 more columns" in outline.text


def test_a_very_deep_tree_is_folded() -> None:
    nested: object = {"leaf": None}
    for depth in range(600):
        nested = {f"level {depth}": nested, f"other {depth}": None}
    tree = Taxonomy.from_nested({"ANY": nested})
    page = report(put_together([Cut("deep", Kind.TAXONOMY, "ANY", taxonomy=tree, shown=tree.leaves())])).to_html()
    depth = deepest = 0
    for tag in re.findall(r"<(/?)(?:ul|li|details)\b", page):
        depth += -1 if tag else 1
        deepest = max(deepest, depth)
    assert deepest < 20
    assert "601 shown values" in Outline(page).text or "600 shown values" in Outline(page).text


def test_a_table_without_records_has_a_page() -> None:
    outcome = put_together([suppressed("Job", [], ["a"])], sizes=((0, 0),))
    check_page(report(outcome, Audience.OWNER).to_html())


def test_a_page_is_made_in_a_moment(full: Outcome) -> None:
    report(full, Audience.OWNER).to_html()
    begun = time.process_time()
    report(full, Audience.OWNER, Errors()).to_html()
    assert time.process_time() - begun < 0.3


def test_forms_are_chosen_by_the_name_of_the_file(full: Outcome) -> None:
    made = report(full)
    assert made.render(Path("r.html")) == made.to_html()
    assert made.render(Path("r.txt")) == made.to_markdown()
    assert made.render(Path("r.json")) == made.to_json()
    with pytest.raises(InputError, match=r"written as \.html, \.md, \.txt or \.json"):
        check_suffix(Path("r.pdf"))
