"""A draft of a policy from an ARX project, written here as ARX's own writer does."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from maskwise.errors import InputError
from maskwise.formats.arx_project import archive
from maskwise.formats.arx_project.draft import draft_policy
from maskwise.formats.policy_file import read_policy, to_data

COLUMNS = (
    ("name", "IDENTIFYING_ATTRIBUTE", "String", ""),
    ("age", "QUASI_IDENTIFYING_ATTRIBUTE", "Integer", "<ref>hierarchies/age.csv</ref><min>All</min><max>1</max>"),
    ("sex: m/f", "QUASI_IDENTIFYING_ATTRIBUTE", "String", "<ref>hierarchies/sex: m/f.csv</ref><min>All</min>"),
    ("zip", "QUASI_IDENTIFYING_ATTRIBUTE", "String", ""),
    ("illness", "SENSITIVE_ATTRIBUTE", "String", ""),
    ("salary", "SENSITIVE_ATTRIBUTE", "Decimal", ""),
    ("income", "INSENSITIVE_ATTRIBUTE", "String", "<response>true</response>"),
)  # fmt: skip
MODELS = (
    "5-anonymity",
    "distinct-3-diversity for attribute 'illness'",
    "shannon-entropy-2.5-diversity for attribute 'illness'",
    "recursive-(4.0,3)-diversity for attribute 'illness'",
    "0.2-closeness with equal ground-distance for attribute 'illness'",
    "0.001-closeness with ordered distance for attribute 'salary'",
    "0.2-closeness with ordered distance for attribute 'illness'",
    "0.3-closeness with hierarchical distance for attribute 'illness'",
    "grassberger-entropy-2.0-diversity for attribute 'illness'",
    "basic-1.0-likeness for attribute 'illness'",
    "(0.0,0.5)-presence",
)
HIERARCHIES = {"age": "20;20-29;*\n25;20-29;*\n30;30-39;*\n", "sex: m/f": "m;*\nf;*\n;*\n"}


def members(
    columns: object = COLUMNS,
    models: object = MODELS,
    outliers: str = "0.02",
    hierarchies: Mapping[str, str] = HIERARCHIES,
) -> dict[str, str]:
    entries = "".join(
        f"\t<assigment>\n\t\t<name>{escape(name)}</name>\n\t\t<type>{role}</type>\n\t\t<datatype>{kind}</datatype>\n"
        f"\t\t{rest}\n\t</assigment>\n"
        for name, role, kind, rest in columns  # type: ignore[attr-defined]
    )
    criteria = "".join(f"\t\t<criterion>{escape(model)}</criterion>\n" for model in models)  # type: ignore[attr-defined]
    return {
        "metadata.xml": "<metadata>\n\t<version>3.9.1</version>\n\t<vocabulary>2.0</vocabulary>\n</metadata>\n",
        "project.xml": "<project>\n\t<name>p</name>\n\t<separator>;</separator>\n</project>\n",
        "data/input.csv": "name;age\nAnn;20\n",
        "input/definition.xml": f"<definition>\n{entries}</definition>\n",
        "input/config.xml": f"<config>\n\t<relativeMaxOutliers>{outliers}</relativeMaxOutliers>\n"
        f"\t<criteria>\n{criteria}\t</criteria>\n</config>\n",
        **{f"input/hierarchies/{name}.csv": text for name, text in hierarchies.items()},
    }


@pytest.fixture
def project(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    def write(content: Mapping[str, str | bytes]) -> Path:
        path = tmp_path / "p.deid"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, text in content.items():
                file.writestr(name, text)
        return path

    return write


def test_roles_hierarchies_and_models_become_a_policy(project, tmp_path: Path) -> None:
    draft = draft_policy(project(members()), "mine")
    (tmp_path / "mine.yaml").write_text(draft.text)
    for name, text in draft.trees.items():
        (tmp_path / name).write_text(text)
    policy = read_policy(tmp_path / "mine.yaml")
    assert policy.drop == ("name",)
    assert policy.class_name == "income"
    age, sex = policy.attributes
    assert (age.name, sex.name) == ("age", "sex: m/f")
    assert age.taxonomy is not None
    assert age.taxonomy.to_nested() == {"*": {"20-29": {"20": {}, "25": {}}, "30-39": {"30": {}}}}
    assert age.at_least == 1
    assert sex.taxonomy is not None
    assert sex.taxonomy.leaves() == ("m", "f")
    qid = ["age", "sex: m/f", "zip"]
    assert to_data(policy)["suppress"] == {"share": "2%", "as": "root"}
    assert to_data(policy)["requirements"] == [
        {"qid": qid, "k": 5},
        {"qid": qid, "sensitive": "illness", "diversity": {"distinct": "3"}},
        {"qid": qid, "sensitive": "illness", "diversity": {"entropy": "5/2"}},
        {"qid": qid, "sensitive": "illness", "diversity": {"recursive": {"c": "4", "l": "3"}}},
        {"qid": qid, "sensitive": "illness", "closeness": "1/5", "distance": "equal"},
        {"qid": qid, "sensitive": "salary", "closeness": "1/1000", "distance": "ordered"},
    ]


def test_what_does_not_map_is_told_and_stands_in_the_draft(project) -> None:
    draft = draft_policy(project(members()), "mine")
    for fact in (
        "0.2-closeness with ordered distance for attribute 'illness': the order of its values",
        "hierarchical distance",
        "grassberger-entropy-2.0-diversity",
        "basic-1.0-likeness",
        "(0.0,0.5)-presence",
        "`zip` has no hierarchy",
        "`sex: m/f`: the row for missing cells is left out",
    ):
        assert [note for note in draft.notes if fact in note], fact
        assert f"{fact}" in draft.text
    assert "# illness: sensitive" in draft.text


def test_without_a_model_that_maps_k_is_a_guess_that_is_told(project) -> None:
    draft = draft_policy(project(members(models=["(0.0,0.5)-presence"], outliers="1.0")), "mine")
    assert "k: 5}  # a guess" in draft.text
    assert any("is a guess" in note for note in draft.notes)
    assert any("100 %" in note for note in draft.notes)
    assert "suppress:" not in draft.text


def test_names_of_trees_stay_in_the_folder_and_differ(project) -> None:
    odd = ("../../etc/passwd", "a/b", "A b", "CON:x")
    columns = [
        (name, "QUASI_IDENTIFYING_ATTRIBUTE", "String", f"<ref>hierarchies/h{i}.csv</ref>")
        for i, name in enumerate(odd)
    ]
    draft = draft_policy(
        project(members(columns, ["2-anonymity"], hierarchies={f"h{i}": "a;*\nb;*\n" for i in range(4)})), "mine"
    )
    assert len(draft.trees) == 4
    assert all(Path(name).name == name and name.startswith("mine-") for name in draft.trees)
    assert len({name.casefold() for name in draft.trees}) == 4


def test_a_hierarchy_in_the_letters_of_windows_is_read_and_told(project) -> None:
    table = "männlich;*\nweiblich;*\n".encode("cp1252")
    draft = draft_policy(project({**members(), "input/hierarchies/sex: m/f.csv": table}), "mine")
    assert "männlich" in draft.trees["mine-sex_m_f.yaml"]
    assert any("read as Windows-1252" in note for note in draft.notes)


def test_levels_and_microaggregation_that_do_not_map_are_told(project) -> None:
    rest = "<ref>hierarchies/age.csv</ref><min>1</min><max>All</max>"
    other = "<microaggregationFunction>Geometric mean</microaggregationFunction>"
    columns = [("age", COLUMNS[1][1], "Integer", rest), ("zip", COLUMNS[1][1], "Integer", other)]
    draft = draft_policy(project(members(columns, ["2-anonymity"])), "mine")
    assert any("`age` is generalized to level 1 at least" in note for note in draft.notes)
    assert any("`zip` is microaggregated (Geometric mean)" in note for note in draft.notes)
    assert "at_least" not in draft.text


def test_a_bad_hierarchy_has_its_member_and_line(project) -> None:
    path = project(members(hierarchies={**HIERARCHIES, "age": "20;a;*\n25;a;b;*\n"}))
    with pytest.raises(InputError, match=r"p\.deid: input/hierarchies/age\.csv, line 2: `a` goes to `b`"):
        draft_policy(path, "mine")


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><definition>&b;</definition>'
FILE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><definition>&a;</definition>'


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"input/definition.xml": BOMB}, "document type"),
        ({"input/config.xml": FILE}, "document type"),
        ({"input/definition.xml": "<definition><assigment>"}, r"definition\.xml, line 1: this is not XML"),
        ({"input/definition.xml": ""}, "this is not XML"),
        ({"input/definition.xml": "<a>" * 60 + "</a>" * 60}, "nested too deeply"),
        ({"input/definition.xml": "<definition></definition>"}, "no column is described"),
        ({"input/definition.xml": b"\xff\xfe\x00"}, "UTF-16"),
        ({"input/hierarchies/age.csv": "20;*\n".encode("utf-16")}, "line 1: there is a NUL byte"),
        ({"../../evil.csv": "x"}, "names a file outside"),
        ({"/evil.csv": "x"}, "names a file outside"),
        ({"a\\..\\..\\evil.csv": "x"}, "names a file outside"),
        ({"input/hierarchies/age.csv": "x;y\n" * 1_000_000}, "unpacks to more than"),
    ],
)
def test_a_hostile_project_is_refused(project, change, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_MOST_UNPACKED", 1 << 20)
    with pytest.raises(InputError, match=says) as caught:
        draft_policy(project({**members(), **change}), "mine")
    assert "root:" not in str(caught.value)


def test_other_files_are_no_projects(tmp_path: Path, project) -> None:
    path = tmp_path / "p.deid"
    path.write_text("text")
    with pytest.raises(InputError, match="no zip file"):
        draft_policy(path, "mine")
    with pytest.raises(InputError, match=r"has no `definition\.xml`"):
        draft_policy(project({"x": "y"}), "mine")
    whole = project(members()).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="no zip file"):
        draft_policy(path, "mine")
    broken = bytearray(whole)
    at = whole.index(b"input/definition.xml") + 30
    broken[at : at + 20] = b"\xff" * 20
    path.write_bytes(bytes(broken))
    with pytest.raises(InputError, match="cannot be unpacked"):
        draft_policy(path, "mine")


def test_a_member_that_stands_twice_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("input/definition.xml", "a")
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("input/definition.xml", "b")
    (tmp_path / "p.deid").write_bytes(buffer.getvalue())
    with pytest.raises(InputError, match="or one twice"):
        draft_policy(tmp_path / "p.deid", "mine")


def test_a_project_without_quasi_identifiers_is_refused(project) -> None:
    with pytest.raises(InputError, match="names no quasi-identifying column"):
        draft_policy(project(members(columns=COLUMNS[:1])), "mine")
