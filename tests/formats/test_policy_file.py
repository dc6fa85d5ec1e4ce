"""The policy's YAML form: what it says, and how it complains."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from maskwise import InputError, PolicyError, read_policy
from maskwise.formats.policy_file import policy_files, to_data
from maskwise.policy.attributes import Kind, Missing

ASKS = "requirements: [{qid: [Age], k: 2}]\n"


def written(tmp_path: Path, text: str, name: str = "policy.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def complaint(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_policy(path)
    return str(caught.value).splitlines()


def marked_line(text: str) -> int:
    """The line of a YAML text that a comment marks as wrong."""
    return 1 + next(i for i, line in enumerate(text.splitlines()) if line.endswith("# HERE"))


def test_every_part_of_a_policy_is_read(tmp_path: Path) -> None:
    written(
        tmp_path, "ANY_Edu:\n  School: [primary, secondary]\n  University:\n    bachelor:\n    master:\n", "edu.yaml"
    )
    policy = read_policy(
        written(
            tmp_path,
            """\
class: Risk
attributes:
  Edu: {taxonomy: edu.yaml}
  Sex: {taxonomy: {ANY_Sex: [M, F]}}
  Age: {interval: [1, 99]}
  Hours: interval
  Job: suppress
requirements:
  - {qid: [Edu, Sex], k: 4}
  - qid: [Sex, Age]
    k: 11
drop: [Name, SSN]
missing: drop
""",
        )
    )
    assert policy.class_name == "Risk"
    assert [(a.name, a.kind, a.bounds) for a in policy.attributes] == [
        ("Edu", Kind.TAXONOMY, None),
        ("Sex", Kind.TAXONOMY, None),
        ("Age", Kind.INTERVAL, ("1", "99")),
        ("Hours", Kind.INTERVAL, None),
        ("Job", Kind.SUPPRESS, None),
    ]
    trees = [a.taxonomy.to_nested() for a in policy.attributes if a.taxonomy]
    assert trees == [
        {"ANY_Edu": {"School": {"primary": {}, "secondary": {}}, "University": {"bachelor": {}, "master": {}}}},
        {"ANY_Sex": {"M": {}, "F": {}}},
    ]
    assert [(r.qid, r.k) for r in policy.requirements] == [(("Edu", "Sex"), 4), (("Sex", "Age"), 11)]
    assert policy.drop == ("Name", "SSN")
    assert policy.missing is Missing.DROP


def test_all_but_the_requirements_has_a_default(tmp_path: Path) -> None:
    policy = read_policy(written(tmp_path, ASKS))
    assert (policy.class_name, policy.attributes, policy.drop, policy.missing) == (None, (), (), Missing.KEEP)


def test_a_single_name_may_stand_without_a_list(tmp_path: Path) -> None:
    policy = read_policy(written(tmp_path, "requirements: [{qid: Age, k: 2}]\ndrop: Name\n"))
    assert policy.requirements[0].qid == ("Age",)
    assert policy.drop == ("Name",)


def test_a_separate_tree_and_an_inline_one_are_the_same_policy(tmp_path: Path) -> None:
    written(tmp_path, "ANY: [a, b]\n", "tree.yaml")
    separate = read_policy(written(tmp_path, "attributes: {Age: {taxonomy: tree.yaml}}\n" + ASKS, "one.yaml"))
    inline = read_policy(written(tmp_path, "attributes: {Age: {taxonomy: {ANY: [a, b]}}}\n" + ASKS, "two.yaml"))
    assert separate == inline
    assert separate.fingerprint() == inline.fingerprint()


def test_a_taxonomy_file_is_looked_up_beside_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    written(tmp_path, "ANY: [a, b]\n", "deep/tree.yaml")
    path = written(tmp_path, "attributes: {Age: {taxonomy: tree.yaml}}\n" + ASKS, "deep/policy.yaml")
    monkeypatch.chdir(tmp_path)
    tree = read_policy(path).attributes[0].taxonomy
    assert tree is not None
    assert tree.leaves() == ("a", "b")


def test_leaves_keep_the_spelling_of_the_file(tmp_path: Path) -> None:
    leaves = ["No", "yes", "01", "1.0", "1e3", "0x1F", "2024-01-01", "null", "true", "1_000", "12:30:00"]
    inline = read_policy(
        written(tmp_path, f"attributes: {{Age: {{taxonomy: {{ANY: [{', '.join(leaves)}]}}}}}}\n" + ASKS)
    )
    written(tmp_path, "ANY:\n" + "".join(f"  {leaf}:\n" for leaf in leaves), "tree.yaml")
    separate = read_policy(written(tmp_path, "attributes: {Age: {taxonomy: tree.yaml}}\n" + ASKS))
    for policy in (inline, separate):
        tree = policy.attributes[0].taxonomy
        assert tree is not None
        assert list(tree.leaves()) == leaves


def test_a_python_mapping_says_the_same_as_a_file(tmp_path: Path) -> None:
    given = {"class": "Risk", "attributes": {"Age": {"interval": [1, 99]}}, "requirements": [{"qid": ["Age"], "k": 2}]}
    file = written(tmp_path, "class: Risk\nattributes: {Age: {interval: [1, 99]}}\n" + ASKS)
    assert read_policy(given) == read_policy(file)


MISTAKES = {
    "unknown key at the top": (
        "atributes: {} # HERE\n" + ASKS,
        ["`atributes`", "Did you mean `attributes`?"],
    ),
    "unknown key in an attribute": (
        "attributes:\n  Sex: suppress\n  Age: {intervall: [1, 2]} # HERE\n" + ASKS,
        ["`intervall`", "Did you mean `interval`?"],
    ),
    "unknown way to mask": (
        "attributes:\n  Sex: suppress\n  Age: supress # HERE\n" + ASKS,
        ["`supress`", "Did you mean `suppress`?"],
    ),
    "unknown key in a requirement": (
        "requirements:\n  - {qid: [Age], k: 2}\n  - {qid: [Sex], k: 2, qidd: 3} # HERE\n",
        ["`qidd`", "Did you mean `qid`?"],
    ),
    "two ways in an attribute": (
        "attributes:\n  Age: {interval: [1, 2], suppress: } # HERE\n" + ASKS,
        ["{interval: [low, high]}", "{taxonomy: ...}"],
    ),
    "k of zero": ("requirements:\n  - {qid: [Age], k: 0} # HERE\n", ["k is at least 1", "`0`"]),
    "k below zero": ("requirements:\n  - {qid: [Age], k: -3} # HERE\n", ["k is at least 1", "`-3`"]),
    "k in words": ("requirements:\n  - {qid: [Age], k: ten} # HERE\n", ["`k` is a whole number", "`ten`"]),
    "k with a fraction": ("requirements:\n  - {qid: [Age], k: 2.5} # HERE\n", ["`k` is a whole number", "`2.5`"]),
    "k left out": ("requirements:\n  - {qid: [Age]} # HERE\n", ["`k` is missing", "`sensitive` with `confidence`"]),
    "empty QID": ("requirements:\n  - {qid: [], k: 2} # HERE\n", ["`qid` is empty", "at least one"]),
    "attribute twice in a QID": (
        "requirements:\n  - {qid: [Sex], k: 2}\n  - {qid: [Age, Sex, Age], k: 2} # HERE\n",
        ["names each attribute once", "{Age, Sex, Age}"],
    ),
    "no requirement in the list": ("class: Risk\nrequirements: [] # HERE\n", ["`requirements` is empty"]),
    "a key twice": ("class: Risk\n" + ASKS + "class: Age # HERE\n", ["`class` stands twice", "line 1", "Remove one"]),
    "an attribute twice": (
        "attributes:\n  Age: suppress\n  Age: interval # HERE\n" + ASKS,
        ["`Age` stands twice", "first on line 2"],
    ),
    "a value twice in a taxonomy": (
        "attributes:\n  Age:\n    taxonomy:\n      ANY:\n        A: [x, y]\n        B: [z, x] # HERE\n" + ASKS,
        ["`x` stands twice", "first on line 5", "rename or remove one"],
    ),
    "an alias that is a cycle": (
        "attributes:\n  Age:\n    taxonomy: &tree # HERE\n      ANY: [a, *tree]\n" + ASKS,
        ["cycle", "Remove the alias"],
    ),
    "several roots": (
        "attributes:\n  Age:\n    taxonomy: [A, B] # HERE\n" + ASKS,
        ["one root", "2 values", "Put it under `ANY`"],
    ),
    "class in a QID": ("class: Age # HERE\n" + ASKS, ["`Age` is in a quasi-identifier", "Take it out."]),
    "drop in a QID": (ASKS + "drop: [Age] # HERE\n", ["also in a quasi-identifier", "Take it out"]),
    "keep beside drop": (ASKS + "drop: [Name]\nkeep: [Job] # HERE\n", ["`keep` and `drop` are both given", "delete"]),
    "keep of no list": (ASKS + "keep: {Job: 1} # HERE\n", ["`keep` is a list"]),
    "drop of the class": ("class: Risk\n" + ASKS + "drop: [Risk] # HERE\n", ["`Risk` is dropped and also the class"]),
    "missing misspelt": (
        ASKS + "missing: kep # HERE\n",
        ["`kep`", "Did you mean `keep`?", "`drop`", "`error`"],
    ),
    "interval upside down": (
        "attributes:\n  Age: {interval: [99, 1]} # HERE\n" + ASKS,
        ["[99, 1]", "upside down", "lower end first"],
    ),
    "interval of three values": (
        "attributes:\n  Age: {interval: [1, 2, 3]} # HERE\n" + ASKS,
        ["[low, high]", "two values"],
    ),
    "interval of one value": ("attributes:\n  Age: {interval: [1]} # HERE\n" + ASKS, ["[low, high]", "two values"]),
    "interval of words": (
        "attributes:\n  Age: {interval: [young, old]} # HERE\n" + ASKS,
        ["`young`", "neither a number nor an ISO date"],
    ),
    "interval of a number and a date": (
        "attributes:\n  Age: {interval: [1, 2024-01-01]} # HERE\n" + ASKS,
        ["[1, 2024-01-01]", "mixes numbers and dates"],
    ),
    "interval without end": ("attributes:\n  Age: {interval: [0, .inf]} # HERE\n" + ASKS, ["`.inf`"]),
    "requirements is no list": ("requirements: all # HERE\n", ["`requirements` is a list", "`all`"]),
    "a key that is no text": ("? [a, b] # HERE\n: 1\n" + ASKS, ["a key here is not plain text"]),
}


@pytest.mark.parametrize(("text", "says"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_told_with_file_line_and_remedy(tmp_path: Path, text: str, says: list[str]) -> None:
    lines = complaint(written(tmp_path, text))
    assert len(lines) == 1
    assert lines[0].startswith(f"policy.yaml, line {marked_line(text)}: ")
    assert [fact for fact in says if fact not in lines[0]] == [], lines[0]
    assert "invalid" not in lines[0].lower()


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("attributes: {Age: {intervall: [1, 2]}}\n" + ASKS, ["`qid`", "`k`"]),
        ("requirements: [{qid: [Age], k: 2, kk: 3}]\n", ["`taxonomy`", "`interval`", "`suppress`"]),
    ],
)
def test_the_known_keys_are_those_of_the_place(tmp_path: Path, text: str, foreign: list[str]) -> None:
    (line,) = complaint(written(tmp_path, text))
    assert [key for key in foreign if key in line] == [], line


def test_a_policy_without_requirements_is_refused(tmp_path: Path) -> None:
    (line,) = complaint(written(tmp_path, "class: Risk\n"))
    assert line.startswith("policy.yaml")
    assert "`requirements` is missing" in line


@pytest.mark.parametrize(
    "text", ["requirements: [{qid: [Age], k: 2}\nclass: Risk\n", "a: 'b\n", "a: b: c\n", "\ta: 1\n"]
)
def test_what_is_not_yaml_is_told_with_a_line(tmp_path: Path, text: str) -> None:
    (line, *_) = complaint(written(tmp_path, text))
    assert re.match(r"policy\.yaml, line \d+: this is not YAML", line)


@pytest.mark.parametrize("text", ["", "# nothing\n", "- {qid: [Age], k: 2}\n", "just text\n"])
def test_what_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    (line,) = complaint(written(tmp_path, text))
    assert "policy.yaml" in line
    assert "`requirements`" in line


def test_a_missing_policy_file_is_named(tmp_path: Path) -> None:
    (line,) = complaint(tmp_path / "nowhere.yaml")
    assert str(tmp_path / "nowhere.yaml") in line


def test_a_latin_1_policy_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes("class: Größe\n".encode("latin-1") + ASKS.encode())
    (line,) = complaint(path)
    assert "UTF-8" in line


def test_a_missing_taxonomy_file_suggests_the_nearest(tmp_path: Path) -> None:
    written(tmp_path, "ANY: [a]\n", "education.yaml")
    text = "attributes:\n  Age: {taxonomy: eduction.yaml} # HERE\n" + ASKS
    (line,) = complaint(written(tmp_path, text))
    assert line.startswith("policy.yaml, line 2: ")
    assert "eduction.yaml" in line
    assert "Did you mean `education.yaml`?" in line


def test_a_mistake_in_a_taxonomy_file_is_told_with_that_file_and_line(tmp_path: Path) -> None:
    written(tmp_path, "ANY:\n  A:\n    - x\n    - y\n  B:\n    - x\n", "tree.yaml")
    (line,) = complaint(written(tmp_path, "attributes:\n  Age: {taxonomy: tree.yaml}\n" + ASKS))
    assert line.startswith("tree.yaml, line 6: ")
    assert "`x` goes to `B` here but to `A` on line 3" in line
    assert "line 3" in line


def test_a_taxonomy_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tree.yaml").mkdir()
    (line,) = complaint(written(tmp_path, "attributes:\n  Age: {taxonomy: tree.yaml}\n" + ASKS))
    assert "tree.yaml" in line


def test_several_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    text = """\
clas: Risk
attributes:
  Age: {interval: [9, 1]}
  Edu: {taxonomy: {ANY: [a, a]}}
  Job: {taxonomy: nowhere.yaml}
  Sex: supress
requirements:
  - {qid: [Age], k: 0}
  - {qid: [Edu], k: many}
missing: sometimes
"""
    lines = complaint(written(tmp_path, text))
    numbers = sorted(int(re.match(r"policy\.yaml, line (\d+): ", line)[1]) for line in lines)  # type: ignore[index]
    assert numbers == [1, 3, 4, 5, 6, 8, 9, 10]


def test_contradictions_are_reported_at_once(tmp_path: Path) -> None:
    lines = complaint(written(tmp_path, "class: Age\nrequirements:\n  - {qid: [Age, Sex], k: 2}\ndrop: [Sex]\n"))
    assert [line.partition(": ")[0] for line in lines] == ["policy.yaml, line 1", "policy.yaml, line 4"]


@pytest.mark.slow
def test_nested_aliases_are_refused_before_they_fill_the_memory(tmp_path: Path) -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    (line,) = complaint(written(tmp_path, "\n".join(levels) + "\n"))
    assert "aliases" in line


def test_a_yaml_tag_runs_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f'class: !!python/object/apply:os.mkdir ["{mark}"]\n' + ASKS
    complaint(written(tmp_path, text))
    assert not mark.exists()


def test_the_command_line_tells_the_mistakes_and_exits_2(tmp_path: Path, refused, data: Path) -> None:
    policy = written(tmp_path, "atributes: {}\nrequirements:\n  - {qid: [Age], k: 0}\n", "mine.yaml")
    refused(
        *("mask", data, "-p", policy, "-o", tmp_path / "out.csv"),
        says=["mine.yaml, line 1", "Did you mean `attributes`?", "mine.yaml, line 3", "k is at least 1"],
    )


def test_persons_are_written_as_they_are_read() -> None:
    asked = {"requirements": [{"qid": ["Age"], "k": 5}]}
    assert "person" not in to_data(read_policy(asked))
    short = read_policy({**asked, "person": "id"})
    assert short == read_policy({**asked, "person": {"column": "id", "release": "drop"}})
    assert short.dropped(["id", "Age"]) == ("id",)
    for policy in (short, read_policy({**asked, "person": {"column": "id", "release": "pseudonym"}})):
        assert read_policy(to_data(policy)) == policy
    assert policy.dropped(["id", "Age"]) == ()


def test_a_class_may_be_a_number(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("class: {charges: number}\nrequirements: [{qid: [Age], k: 5}]\n")
    policy = read_policy(path)
    assert (policy.class_name, policy.class_is_number) == ("charges", True)
    assert read_policy(to_data(policy)) == policy
    plain = read_policy({**to_data(policy), "class": "charges"})
    assert not plain.class_is_number
    assert plain.fingerprint() != policy.fingerprint()
    for wrong in ("{charges: text}", "{a: number, b: number}", "{}", "[charges]"):
        path.write_text(f"class: {wrong}\nrequirements: [{{qid: [Age], k: 5}}]\n")
        with pytest.raises(PolicyError, match=r"p.yaml, line 1: .*class"):
            read_policy(path)


def test_a_policy_that_was_read_knows_its_files_without_reading_them_again(tmp_path: Path) -> None:
    written(tmp_path, "ANY: [a, b]\n", "tree.yaml")
    path = written(tmp_path, f"attributes: {{Age: {{taxonomy: tree.yaml}}}}\n{ASKS}")
    policy = read_policy(path)
    (tmp_path / "tree.yaml").unlink()
    path.unlink()
    assert policy_files(policy) == (path, tmp_path / "tree.yaml")
    assert policy_files(read_policy({"requirements": [{"qid": ["Age"], "k": 2}]})) == ()
