"""The commands `maskwise taxonomy …` on a small table and small trees."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from maskwise.formats.taxonomies.registry import read_taxonomy
from tests.formats.arx_project.test_draft import members

TREE = "Any\n  School\n    primary\n    secondary\n  University\n    bachelor\n    master\n    doctor\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "edu.txt"
    path.write_text(TREE)
    return path


def test_show_draws_the_tree_with_the_records_of_a_column(run, tree: Path, data: Path) -> None:
    plain = run("taxonomy", "show", tree)
    assert plain.code == 0
    assert plain.out.splitlines()[:3] == ["Any  (5 leaves)", "├── School  (2 leaves)", "│   ├── primary"]
    counted = run("taxonomy", "show", tree, "--data", data, "--column", "Edu").out.splitlines()
    cells = [line.split(",")[3] for line in data.read_text().splitlines()[1:]]
    assert counted[0] == "Any  (200 records)"
    assert f"│   ├── primary  ({cells.count('primary')} records)" in counted
    assert counted[-1] == "    └── doctor  (0 records)"
    assert len(run("taxonomy", "show", tree, "--depth", 1).out.splitlines()) == 3


def test_show_writes_a_picture(run, tree: Path, tmp_path: Path) -> None:
    assert run("taxonomy", "show", tree, "--svg", tmp_path / "t.svg").code == 0
    assert (tmp_path / "t.svg").read_text().startswith("<svg xmlns")


def test_check_ends_with_1_if_a_value_is_no_leaf(run, tree: Path, data: Path) -> None:
    good = run("taxonomy", "check", tree, "--data", data, "--column", "Edu")
    assert good.code == 0
    assert "covered: every value is a leaf" in good.out
    assert "leaves that no record has: 1 (`doctor`)" in good.out
    tree.write_text(TREE.replace("    master\n", "").replace("primary", "Primary"))
    bad = run("taxonomy", "check", tree, "--data", data, "--column", "Edu")
    cells = [line.split(",")[3] for line in data.read_text().splitlines()[1:]]
    n_primary, n_master = cells.count("primary"), cells.count("master")
    assert bad.code == 1
    assert f"not covered: 2 values in {n_primary + n_master} records" in bad.out
    assert f"`primary` {n_primary} (the leaf is spelled `Primary`)" in bad.out
    found = json.loads(run("taxonomy", "check", tree, "--data", data, "--column", "Edu", "--json").out)
    assert found["uncovered"] == {"primary": n_primary, "master": n_master}


def test_check_does_not_print_names_of_people(run, tree: Path, data: Path) -> None:
    result = run("taxonomy", "check", tree, "--data", data, "--column", "Name")
    assert result.code == 1
    assert "Name 7" not in result.out + result.err
    assert "200 more; rare values are not named" in result.out


def test_import_and_export_give_the_same_tree(run, tree: Path, tmp_path: Path) -> None:
    assert run("taxonomy", "export", tree, "-o", tmp_path / "edu.csv").code == 0
    assert (tmp_path / "edu.csv").read_text().splitlines()[0] == "primary;School;Any"
    assert run("taxonomy", "import", tmp_path / "edu.csv", "-o", tmp_path / "edu.yaml").code == 0
    assert read_taxonomy(tmp_path / "edu.yaml") == read_taxonomy(tree)
    for form in ("yaml", "json", "arx", "edges", "skos", "indented", "amnesia", "braces"):
        assert run("taxonomy", "export", tree, "-o", tmp_path / "t.any", "--format", form).code == 0
        assert read_taxonomy(tmp_path / "t.any", form=form) == read_taxonomy(tree)


def test_import_puts_several_roots_under_one(run, refused, tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("parent,child\nA,a\nB,b\n")
    command = ("taxonomy", "import", tmp_path / "two.csv", "-o", tmp_path / "out.yaml")
    refused(*command, says=["2 different roots", "--root ANY"])
    assert run(*command, "--root", "ANY").code == 0
    assert read_taxonomy(tmp_path / "out.yaml").leaves() == ("a", "b")


def test_build_takes_a_tree_from_columns(run, refused, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("city,county,state\nSalem,Essex,MA\nBoston,Suffolk,MA\nReno,Washoe,NV\nReno,Washoe,NV\n,,\n")
    command = ("taxonomy", "build", table, "--from-columns", "city,county,state", "-o", tmp_path / "geo.yaml")
    assert run(*command).code == 0
    assert read_taxonomy(tmp_path / "geo.yaml").to_nested() == {
        "ANY": {"MA": {"Essex": {"Salem": {}}, "Suffolk": {"Boston": {}}}, "NV": {"Washoe": {"Reno": {}}}}
    }
    (tmp_path / "geo.yaml").unlink()
    text = table.read_text() + "Reno,Essex,NV\n"
    table.write_text(text)
    # A city of four records may be somebody's own.
    refused(*command, says=["are no hierarchy: 2 values have several cells"], hides=["Reno"])
    table.write_text(text + "Reno,Washoe,NV\nReno,Essex,NV\n" * 10)
    refused(*command, says=["`Reno` of `city` has 2 cells of `county`: `Essex`, `Washoe`", "are no hierarchy"])
    refused(*command[:4], "city,country", *command[5:], says=["Column `country` is named but not in the table"])


def test_an_arx_project_becomes_a_policy_with_its_trees(run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "p.deid", "w") as file:
        for name, text in members().items():
            file.writestr(name, text)
    result = run("taxonomy", "import", tmp_path / "p.deid", "-o", tmp_path / "draft.yaml")
    assert result.code == 0
    assert sorted(path.name for path in tmp_path.glob("draft*")) == [
        "draft-age.yaml",
        "draft-sex_m_f.yaml",
        "draft.yaml",
    ]
    assert "basic-1.0-likeness" in result.err
    (tmp_path / "draft.yaml").unlink()
    (tmp_path / "draft-age.yaml").write_text("Any: [mine]\n")
    again = run("taxonomy", "import", tmp_path / "p.deid", "-o", tmp_path / "draft.yaml")
    assert again.code == 2
    assert "there already, and a draft overwrites nothing" in again.err
    assert (tmp_path / "draft-age.yaml").read_text() == "Any: [mine]\n"
    assert not (tmp_path / "draft.yaml").exists()
    for path in tmp_path.glob("draft-*"):
        path.unlink()
    assert run("taxonomy", "import", tmp_path / "p.deid", "-o", tmp_path / "draft.yaml").code == 0
    from maskwise import read_policy

    assert read_policy(tmp_path / "draft.yaml").requirements


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show", "gone.yaml"), "There is no file"),
        (("show", "edu.txt", "--data", "people.csv"), "`--data` and `--column` go together"),
        (("show", "edu.txt", "--depth", "-1"), "`--depth` is -1"),
        (("show", "edu.txt", "--svg", "edu.txt"), "is the input"),
        (("check", "edu.txt", "--data", "people.csv", "--column", "Edo"), "Column `Edo` is named but not in the table"),
        (("import", "edu.txt", "-o", "edu.txt"), "is the input"),
        (("import", "edu.txt", "-o", "edu.xml"), "suffix `.xml`"),
        (("import", "edu.txt", "-o", "e.yaml", "--format", "arks"), "no taxonomy format `arks`"),
        (("import", "people.deid", "-o", "e.yaml"), "There is no file"),
        (("import", "cycle.csv", "-o", "e.yaml"), "a cycle"),
        (("export", "edu.txt", "-o", "gone/e.csv"), "gone"),
        (("build", "people.csv", "--from-columns", "Edu", "-o", "e.yaml"), "two columns or more"),
        (("build", "people.csv", "--from-columns", "Edu,Sex", "-o", "people.csv"), "is the input"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(
    refused,
    tree: Path,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    assert tree.exists()
    assert data.exists()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cycle.csv").write_text("parent,child\na,b\nb,a\n")
    refused("taxonomy", *arguments, says=[says])


@pytest.mark.parametrize("form", ["arx", "edges", "skos", "indented", "amnesia", "braces", "json"])
def test_a_policy_names_a_tree_of_any_format(run, tree: Path, tmp_path: Path, form: str) -> None:
    from maskwise.formats.policy_file import read_policy

    suffix = {"json": "json", "braces": "hchy", "indented": "txt", "amnesia": "txt"}.get(form, "csv")
    assert run("taxonomy", "export", tree, "-o", tmp_path / f"t.{suffix}", "--format", form).code == 0
    (tmp_path / "p.yaml").write_text(
        f"attributes: {{Edu: {{taxonomy: t.{suffix}}}}}\nrequirements: [{{qid: [Edu], k: 60}}]\n"
    )
    assert read_policy(tmp_path / "p.yaml").attributes[0].taxonomy == read_taxonomy(tree)


def test_a_rule_is_drawn_and_checked_on_a_column(run, data: Path) -> None:
    cells = [line.split(",")[3] for line in data.read_text().splitlines()[1:]]
    column = ("--data", data, "--column", "Edu")
    drawn = run("taxonomy", "show", "--rule", "{prefix: [1]}", *column)
    assert drawn.code == 0
    assert drawn.out.splitlines()[0] == f"*  ({len(cells)} records)"
    assert f"primary  ({cells.count('primary')} records)" in drawn.out
    assert run("taxonomy", "check", "--rule", "{prefix: [1]}", *column).code == 0
    refused = run("taxonomy", "check", "--rule", "{steps: [5]}", *column)
    assert refused.code == 1
    assert f"in {len(cells)} records (100.00 %)" in refused.out
    assert run("taxonomy", "check", "--rule", "{steps: [5], other: under texts}", *column).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", ["frequency", "similarity", "classes"])
def test_a_grown_tree_is_drawn_built_and_read_back(run, data: Path, tmp_path: Path, how: str) -> None:
    by = ("--class", "Risk") if how == "classes" else ()
    drawn = run("taxonomy", "show", "--grow", how, *by, "--data", data, "--column", "Edu")
    assert drawn.code == 0, drawn.err
    built = run("taxonomy", "build", data, "--column", "Edu", "--grow", how, *by, "-o", tmp_path / "grown.yaml")
    assert built.code == 0, built.err
    cells = {line.split(",")[3] for line in data.read_text().splitlines()[1:]}
    assert set(read_taxonomy(tmp_path / "grown.yaml").leaves()) == cells


def test_a_policy_says_which_tree_a_column_has(run, data: Path, tmp_path: Path) -> None:
    policy = tmp_path / "p.yaml"
    policy.write_text("attributes: {Edu: {prefix: [2]}, Sex: suppress}\nrequirements: [{qid: [Edu, Sex], k: 2}]\n")
    assert "pr*****" in run("taxonomy", "show", "-p", policy, "--data", data, "--column", "Edu").out
    none = run("taxonomy", "show", "-p", policy, "--data", data, "--column", "Sex")
    assert none.code == 2
    assert "no tree for `Sex`" in none.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show"], "found none"),
        (["show", "--rule", "{prefix: [1]}"], "Name the table and the column"),
        (["check", "--rule", "[prefix]", "--data", "DATA", "--column", "Edu"], "entry of `attributes`"),
        (["check", "--rule", "prefix", "--data", "DATA", "--column", "Edu"], "`prefix` has whole numbers"),
        (["build", "DATA", "--column", "Edu", "--rule", "icd10", "-o", "t.yaml"], "The rule does not cover"),
        (["build", "DATA", "--from-columns", "Edu,Edu", "-o", "t.yaml"], "names a column twice"),
        (["check", "--rule", "{prefx: [1]}", "--data", "DATA", "--column", "Edu"], "prefx"),
        (
            ["show", "--rule", "{prefix: [1]}", "--grow", "frequency", "--data", "DATA", "--column", "Edu"],
            "one of them",
        ),
        (["build", "DATA", "--from-columns", "Edu,Sex", "--column", "Edu", "-o", "t.yaml"], "says all"),
    ],
)
def test_a_tree_has_one_source(run, data: Path, arguments: list[str], said: str) -> None:
    refused = run("taxonomy", *(str(data) if part == "DATA" else part for part in arguments))
    assert refused.code == 2
    assert said in refused.err
    assert not Path("t.yaml").exists()


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_a_check_of_a_rule_names_no_cell_of_few_records(run, tmp_path: Path, option: list[str]) -> None:
    table = tmp_path / "t.csv"
    table.write_text("name\n" + "Ann Smith\nann smith\nBo Jones\n" + "Li\n" * 12)
    arguments = ("--rule", "{prefix: [1]}", "--data", table, "--column", "name")
    checked = run("taxonomy", "check", *arguments, *option)
    assert checked.code == 0
    assert "Ann" not in checked.out
    assert "Bo Jones" not in checked.out
    assert "1" in checked.out
