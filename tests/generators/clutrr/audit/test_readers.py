"""Readers of other people's data: right, contradicted, undetermined and unreadable rows of each."""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from relsmith.errors import InvalidInput, InvalidOption, MissingExtra, NotFound, RelsmithError
from relsmith.generators.clutrr.audit import reasoning_gym
from relsmith.generators.clutrr.audit.case import UnreadableRow
from relsmith.generators.clutrr.audit.report import Audit, audit, find_format
from relsmith.generators.clutrr.audit.settings import Settings
from relsmith.generators.clutrr.audit.stepgame import LABELS, read_sentence
from relsmith.testing.profile import scaled

Judge = Callable[..., list[tuple[str, str, str]]]
ENTAILED = ("entailed", "", "")


@pytest.fixture
def judged(tmp_path: Path) -> Judge:
    """Write a file, detect its format, and return verdict, cause and detail of each row."""

    def run(name: str, text: str, expected: str, **settings: Any) -> list[tuple[str, str, str]]:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        options = Settings(**settings)
        assert find_format(path, None, options) == expected
        found = Audit(str(path), expected)
        rows = [row for _, row in audit(found, path, options)]
        assert found.verdicts.total() == len(rows)
        return [(row["verdict"], row["cause"], row["detail"]) for row in rows]

    return run


def jsonl(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def audited(path: Path | None, name: str, settings: Settings | None = None, n: int = 1) -> Audit:
    found = Audit(str(path), name, n)
    assert [share for share, _ in audit(found, path, settings or Settings())][-1:] in ([1.0], [])
    return found


# reasoning-gym

FAMILY = (
    "Thomas is married to Anna. They have children called Peter, Mary and Daniel. Peter is married "
    "to Lucy. They have a child called Grace. Jack is married to Emma. "
    "They have a child called Lucy."
)


def family_row(question: str, answer: str, story: str = FAMILY, **metadata: Any) -> dict[str, Any]:
    text = f"{story}\n\n{question}"
    return {"question": text, "answer": answer, "metadata": metadata}


@pytest.mark.parametrize(
    ("question", "answer", "outcome"),
    [
        ("What is Thomas to Grace? Respond only with the word.", "grandfather", ENTAILED),
        ("How is Mary related to Grace? Provide the relationship in one word.", "aunt", ENTAILED),
        ("What relation is Lucy to Anna? Answer with a single word.", "daughter-in-law", ENTAILED),
        (
            "What is Lucy to Anna?",
            "mother-in-law",
            ("contradicted", "it holds in the other direction", "entailed: daughter-in-law"),
        ),
        (
            "What is Grace to Daniel?",
            "nephew",
            ("contradicted", "the word is for the other gender", "entailed: niece"),
        ),
        (
            "What is Grace to Thomas?",
            "daughter",
            ("contradicted", "another relation holds", "entailed: granddaughter"),
        ),
        (
            "What is Mary to Jack?",
            "niece",
            ("undetermined", "several answers are possible", "niece, no named relation, sister"),
        ),
        ("Is Grace a niece?", "yes", ("unreadable", "the question is not understood", "")),
        (
            "What is Grace to Daniel?",
            "cousin",
            ("unreadable", "a relation is none of the world", "cousin is no word of kinship"),
        ),
    ],
)
def test_reasoning_gym(judged: Judge, question: str, answer: str, outcome: Any) -> None:
    row = family_row(question, answer, source_dataset="family_relationships")
    (found,) = judged("rows.jsonl", jsonl(row), "reasoning-gym")
    assert found[:2] == outcome[:2]
    assert outcome[2] in found[2]


@pytest.mark.parametrize(
    ("story", "cause"),
    [
        (FAMILY.replace("Grace", "Xyla"), "a gender is not known"),
        (FAMILY + " They are happy.", "a sentence is not understood"),
        (FAMILY.replace("Jack is married", "Jack was married"), "a sentence is not understood"),
        (FAMILY + " They have a child called Alice.", "a sentence is not understood"),
        (FAMILY.replace(" They have a child called Lucy.", " They have Lucy"), "a sentence is not"),
        ("Lucy is married to Mary. They have a child called James.", "a gender is not known"),
        (FAMILY.replace("Lucy", "Alice"), "the question is about somebody"),
    ],
)
def test_reasoning_gym_is_read_whole_or_not_at_all(judged: Judge, story: str, cause: str) -> None:
    row = family_row("What is Mary to Lucy?", "sister-in-law", story)
    good = family_row("What is Mary to Lucy?", "sister-in-law")
    first, second = judged("rows.jsonl", jsonl(good, row), "reasoning-gym")
    assert first == ENTAILED
    assert second[0] == "unreadable"
    assert second[1].startswith(cause)


def test_a_spouse_tells_the_gender_of_an_unknown_name(judged: Judge) -> None:
    story = "Xyla is married to James. They have a child called Mary."
    row = family_row("What is Xyla to Mary?", "mother", story)
    assert judged("rows.jsonl", jsonl(row), "reasoning-gym") == [ENTAILED]


PACKAGE = {
    "__init__.py": "raise ImportError('all tasks are imported here')",
    "factory.py": "",
    "graphs/__init__.py": "raise ImportError",
    "graphs/family_relationships.py": """
from dataclasses import dataclass
from .. import factory
@dataclass
class FamilyRelationshipsConfig:
    min_family_size: int = 4
    male_names: list = ()
    seed: int = None
    size: int = 500
class FamilyRelationshipsDataset:
    def __init__(self, config):
        assert config.min_family_size > 2, "too small"
    def __getitem__(self, number):
        return {
            "question": "James is married to Mary.\\n\\nWhat is James to Mary?",
            "answer": "husband" if number else "wife",
            "metadata": {"family_size": 2},
        }
""",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in PACKAGE.items():
        path = tmp_path / "site" / "reasoning_gym" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


def test_rows_of_the_installed_package(package: None) -> None:
    found = audited(None, "reasoning-gym", Settings(values={"size": "3", "seed": "1"}))
    assert found.as_json()["groups"][0]["group"] == "family size 2"
    assert (found.verdicts["entailed"], found.verdicts["contradicted"]) == (2, 1)
    for values, message in (
        ({"sise": "3"}, "no setting 'sise'; did you mean 'size'"),
        ({"size": "x"}, "--set: invalid literal"),
        ({"min_family_size": "1"}, "--set: too small"),
    ):
        with pytest.raises(InvalidOption, match=message):
            audited(None, "reasoning-gym", Settings(values=values))


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasoning_gym, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pip install reasoning-gym"):
        audited(None, "reasoning-gym", Settings())


# StepGame


def step(*story: str, asked: str = "AB", label: str) -> dict[str, Any]:
    question = f"What is the relation of the agent {asked[0]} to the agent {asked[1]}?"
    return {"story": list(story), "question": question, "label": label}


UNIT = "entailed if each sentence is about two things that are exactly one step apart"


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (step("A is above C.", "B is below C.", label="above"), ENTAILED),
        (step("A is above C.", "C is to the left of B.", label="upper-left"), ENTAILED),
        (step("A is above C.", "C is above B.", label="overlap"), ("contradicted", "another r")),
        (step("A is above C.", "C is above B.", label="below"), ("contradicted", "it holds in")),
        (step("A is above C.", "C is below B.", label="overlap"), ("undetermined", UNIT)),
        (step("A is over C.", "C is south west of B.", label="left"), ("undetermined", UNIT)),
        (step("A is over C.", "C is under B.", label="left"), ("contradicted", "only other")),
        (step("A is over C.", "D is under B.", label="left"), ("undetermined", "several")),
        (step("A is over C.", "A is under C.", asked="AC", label="left"), ("impossible", "the f")),
        (step("A is behind C.", asked="AC", label="left"), ("unreadable", "a sentence")),
        (step("A is above C.", label="above"), ("unreadable", "the question is about")),
        (step("A is above B.", asked="AA", label="above"), ("unreadable", "the question is about")),
    ],
)
def test_stepgame(judged: Judge, row: dict[str, Any], outcome: tuple[str, ...]) -> None:
    first = step("A is above B.", label="above")
    for name, text in (
        ("rows.jsonl", jsonl(first, row)),
        ("rows.json", json.dumps({"0": first, "1": row})),
        ("list.json", json.dumps([first, row], indent=1)),
    ):
        found = judged(name, text, "stepgame")
        assert found[0] == ENTAILED
        assert found[1][0] == outcome[0]
        assert found[1][1].startswith(outcome[1])


SENTENCES = {
    "left": """A is directly left of B.|A is to the left of object B.|A is at B\u2019s 9 o'clock.
        A is placed at the 9:00 position relative to B.|B is on the right and A is on the left.
        B is over there and A is on the left side of it.|A is west of B by a small gap.
        A and B are next to each other with A to the left.|B presents right to A.
        A and B are parallel, and the object A is on the left side of object B.
        B and A are in the same horizontal line with B at the right and A at the left.
        The objects A and B are there. The object labeled B is slightly to the right of A.""",
    "above": """A is over B.|A is over there with B below it.|B is sitting at A's 6 o'clock.
        A is on the top of B and both are in the same vertical plane.
        A and B are side by side with B at the bottom A at the top.|B is at the bottom of A.
        A and B are vertical with the object A above the object B.""",
    "lower-left": """A is on the lower left of B.|A is below B at 8 o'clock.|A is south-west of B.
        A is left of and below B.|A is diagonally below B to the left at a 45 degree angle.
        Object A is to the left of object B and below it, too.
        A is in the lower lefthand corner of B.
        If B is the center of a clock face, A is located between 7 and 8.""",
    "upper-right": """If A is the center of a clock, B is located between 7 and 8.
        B is there and A is at the 1 position of a clock face.|A is above B at 2 o'clock.
        If B is the center of a clock, A is between 2 and 3.|A is north east of B.""",
    "upper-left": """A is off to the top left and B is off to the bottom right.
        B is there and A is at the 11 position of a clock.|A is positioned above B and to the left.
        """,
}


@pytest.mark.parametrize("label", SENTENCES)
def test_wordings_of_stepgame(label: str) -> None:
    for sentence in re.split(r"[|\n]\s*", SENTENCES[label].strip()):
        x, (across, up), y = read_sentence(sentence)
        steps = (across, up) if y == "A" else (-across, -up)
        assert {x, y} == {"A", "B"}
        assert steps == LABELS[label], sentence


@pytest.mark.parametrize(
    "sentence",
    [
        *(
            "A is above A.",
            "A is in the front right corner of B.",
            "A is B.",
            "above",
            "A is near B.",
        ),
        *("A is to the left and right of B.", "A is above B and C is below.", "A is not above B."),
        *(
            "A is above B at 5 o'clock.",
            "A is on the left and B is on the left.",
            "A is left of B?",
        ),
    ],
)
def test_unclear_sentences_of_stepgame(sentence: str) -> None:
    with pytest.raises(UnreadableRow, match="a sentence is not understood"):
        read_sentence(sentence)


# bAbI


def babi(*lines: str) -> str:
    return "".join(f"{number} {line}\n" for number, line in enumerate(lines, 1))


def test_babi_positions(judged: Judge) -> None:
    text = babi(
        "The lamp is above the green box.",
        "The old clock is to the left of the lamp.",
        "Is the green box to the right of the old clock?\tyes\t1 2",
        "Is the old clock below the green box?\tno\t2 1",
        "Is the old clock above the green box?\tno\t2 1",
        "Is the old clock above the red box?\tno\t2 1",
        "Is the old clock above the green box?\tperhaps\t2 1",
        "The vase is to the left of the lamp.",
        "Is the vase to the left of the old clock?\tyes\t1",
        "Is the vase above the old clock?\tno\t1",
        "Is the vase above the old clock?\tyes\t1",
        "The cup is to the right of the lamp.",
        "Is the cup above the green box?\tyes\t1",
    )
    causes = [found[:2] for found in judged("qa17.txt", text, "babi")]
    assert causes == [
        ENTAILED[:2],
        ENTAILED[:2],
        ("contradicted", "what the answer denies is entailed"),
        ("unreadable", "the question is about somebody or something that is not in the facts"),
        ("unreadable", "the question is not understood"),
        ("undetermined", "several answers are possible"),
        ENTAILED[:2],
        ("contradicted", "only other relations may hold"),
        ENTAILED[:2],
    ]


def test_babi_two_arguments(judged: Judge) -> None:
    lines = ["The barn is north of the mill.", "The inn is south of the mill."]
    asked = ["What is north of the mill?\tbarn", "What is the inn south of?\tmill"]
    asked += ["What is north of the mill?\tinn", "How do you go to the inn?\ts"]
    later = ["The hall is near the mill.", "What is north of the mill?\tbarn"]
    other = ["The well is north of the pond.", "What is north of the mill?\tbarn"]
    text = babi(*lines, *asked) + babi(*other) + babi(*lines, *later)
    verdicts = [found[0] for found in judged("qa4.txt", text, "babi")]
    assert verdicts == ["entailed", "entailed", "contradicted"] + ["unreadable"] * 3


def test_babi_kinship(judged: Judge) -> None:
    text = babi(
        "Mary is the mother of John.",
        "Sue's brother is John.",
        "What is Mary to Sue?\tmother\t1 2",
        "Is Mary the aunt of Sue?\tno",
        "Is Mary Sue's aunt?\tyes",
        "Who is the mother of Sue?\tMary",
        "Who is Sue's mother?\tJohn",
        "How is Sue related to Mary?\tdaughter",
        "How is Sue related to Mary?\tchild",
        "How is Mary related to John?\tparent",
        "How is Mary related to Bob?\taunt",
        "Where is Mary?\tkitchen",
        "John and Sue have a mother, who is nice.",
        "What is Mary to Sue?\tmother\t1 2",
    )
    found = judged("kinship.txt", text, "babi")
    assert [one[0] for one in found] == [
        *("entailed", "entailed", "contradicted", "entailed", "contradicted", "undetermined"),
        *("unreadable", "entailed", "unreadable", "unreadable", "unreadable"),
    ]
    assert found[5][1] == "the gender is not stated"
    assert found[6][1] == "a gender is not known"


@pytest.mark.parametrize(
    "sentence",
    [
        "Mary is not the mother of John.",
        "Mary may be the mother of John.",
        "Mary, a friend of Ann, is the mother of John.",
        "Mary is the mother of John and plays chess with Bob.",
        "She is the mother of John.",
        "Mary was once the mother of John.",
        "Mary is a parent of John.",
        "If Mary is the mother of John, Ann is the aunt of John.",
        "Mary -> John: mother.",
        "Mary is the mother of John, no, the aunt.",
        "Mary is the stepmother of John.",
        "Mary is the dear mother of John.",
        "Mary and Ann is the mother of John.",
        "Mary is the mother and aunt of John.",
    ],
)
def test_sentences_that_leave_something_open(judged: Judge, sentence: str) -> None:
    text = babi("Ann is the wife of John.", sentence, "What is Ann to John?\twife")
    ((verdict, _, _),) = judged("kinship.txt", text, "babi")
    assert verdict == "unreadable", sentence


def test_stepgame_in_the_format_of_babi(judged: Judge) -> None:
    text = babi("A is above B.", "What is the relation of the agent A to the agent B?\tabove\t1")
    assert judged("qa1.txt", text, "babi") == [ENTAILED]


# PhantomWiki

WIKI = """
:- dynamic parent/2.
parent('Bo Lee', 'Al Lee').
parent('Bo Lee', 'Di Lee').
parent('Cy Lee', 'Al Lee').
parent('Cy Lee', 'Di Lee').
parent(eve, 'Bo Lee').
married('Al Lee', 'Di Lee').
gender('Al Lee', 'male').
gender('Di Lee', 'female').
gender('Bo Lee', male).
gender('Cy Lee', female).
gender(eve, "female").
sibling(X, Y) :-
    parent(X, A),
    parent(Y, A).
"""


def wiki(question: str, *answers: str) -> dict[str, Any]:
    return {"question": question, "answer": list(answers), "prolog": {"query": []}}


def test_phantomwiki(judged: Judge, tmp_path: Path) -> None:
    (tmp_path / "facts.pl").write_text(WIKI)
    rows = [
        wiki("Who is the mother of Bo Lee?", "Di Lee"),
        wiki("Who is the aunt of eve ?", "Cy Lee"),
        wiki("Who is the child of the father of Bo Lee?", "Bo Lee", "Cy Lee"),
        wiki("Who is the child of the father of Bo Lee?", "Cy Lee"),
        wiki("Who is the grandmother of eve?", "Di Lee", "Al Lee"),
        wiki("Who is the mother of eve?", "Fay"),
        wiki("Who is the friend of eve?", "Cy Lee"),
        wiki("How many children does eve have?", "0"),
        wiki("Who is the mother of the person whose hobby is chess?", "Di Lee"),
        wiki("Who is the mother of Nobody?", "Di Lee"),
        wiki("Who is the sister-in-law of eve?", "Di Lee"),
    ]
    found = judged("questions.json", json.dumps(rows), "phantomwiki")
    assert [one[0] for one in found] == (
        ["entailed"] * 3 + ["contradicted"] * 2 + ["undetermined"] + ["unreadable"] * 5
    )
    assert found[3][1:] == ("somebody is missing", "Bo Lee")
    assert found[4][1:] == ("somebody listed does not fit", "Al Lee")


def test_divorce_in_phantomwiki(judged: Judge, tmp_path: Path) -> None:
    rows = json.dumps([wiki("Who is the wife of Al Lee?", "Di Lee")])
    (tmp_path / "facts.pl").write_text(WIKI)
    assert judged("questions.json", rows, "phantomwiki") == [ENTAILED]
    (tmp_path / "facts.pl").write_text(f"{WIKI}\ndivorce('Di Lee', 'Al Lee', '0273-07-17').\n")
    ((verdict, _, _),) = judged("questions.json", rows, "phantomwiki")
    assert verdict in ("contradicted", "undetermined")


def test_the_facts_of_phantomwiki_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([wiki("Who is the mother of A?", "B")]))
    with pytest.raises(NotFound, match=r"no .*facts\.pl; give the facts, with --set facts=FILE"):
        audited(path, "phantomwiki", Settings())
    facts = tmp_path / "other.pl"
    for text, message in (
        ("gender(a, male).", "has no facts parent"),
        ("parent(a, b).", "a gender is not known: 'b'; give facts with gender"),
    ):
        facts.write_text(text)
        with pytest.raises(InvalidInput, match=message):
            audited(path, "phantomwiki", Settings(values={"facts": str(facts)}))


# Mapped columns

MAPPING = """
format: 1
world: kinship
facts: meta.triples
order: [y, relation, x]
query: [meta.of, meta.who]
answer: label
genders: meta.genders
group: hops
words: {oma: grandmother}
"""


def mapped_row(triples: object, who: str, of: str, label: object, **genders: str) -> dict[str, Any]:
    meta = {"triples": triples, "of": of, "who": who, "genders": genders}
    return {"meta": meta, "label": label, "hops": 2}


def test_mapped_columns(judged: Judge, tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.yaml"
    mapping.write_text(MAPPING)
    facts = [["Ann", "mother", "Bob"], ["Cid", "oma", "Bob"]]
    rows = [
        mapped_row(facts, "Cid", "Bob", "oma"),
        mapped_row(facts, "Cid", "Ann", "mother"),
        mapped_row(facts, "Ann", "Bob", "parent"),
        mapped_row(facts, "Bob", "Ann", "child", Bob="male"),
        mapped_row(facts, "Bob", "Ann", "child"),
        mapped_row([*facts, ["Ann", "pal", "Bob"]], "Ann", "Bob", "mother"),
        mapped_row([["Ann", "mother"]], "Ann", "Bob", "mother"),
        mapped_row("Ann", "Ann", "Bob", "mother"),
        mapped_row(facts, "Ann", "Eve", "mother"),
        mapped_row(facts, "Ann", "Bob", 3),
        mapped_row(facts, "Bob", "Ann", "son", Bob="boy"),
        {"label": 1},
        [],
    ]
    found = judged("rows.json", json.dumps(rows), "mapped", mapping=mapping)
    assert [one[0] for one in found] == (
        ["entailed", "undetermined", "entailed", "entailed"] + ["unreadable"] * 9
    )
    assert "mother, mother-in-law" in found[1][2]


def test_mapped_text_and_worlds(judged: Judge, tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.yaml"
    mapping.write_text("format: 1\ntext: story\nquery: pair\nanswer: label\n")
    row = {"story": "Ann is Bob's mother. Bob is Cid's father.", "pair": ["Cid", "Ann"]}
    text = jsonl(row | {"label": "grandma"}, row | {"label": "aunt"}, row | {"story": "Ann."})
    found = judged("rows.jsonl", text, "mapped", mapping=mapping)
    assert [one[:2] for one in found] == [
        ENTAILED[:2],
        ("undetermined", "another relation holds, and this one may hold too"),
        ("unreadable", "a sentence is not understood"),
    ]
    mapping.write_text("format: 1\nworld: work\nfacts: f\nquery: q\nanswer: a\n")
    work = {"f": [["Ann", "direct manager", "Bob"]], "q": ["Bob", "Ann"], "a": "direct report"}
    assert judged("work.jsonl", jsonl(work), "mapped", mapping=mapping) == [ENTAILED]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("format: 1\nquery: q\nanswer: a\n", "facts: give either facts or text"),
        ("format: 2\nfacts: f\nquery: q\nanswer: a\n", "format: expected 1"),
        ("format: 1\nfact: f\nquery: q\nanswer: a\n", "no such field; did you mean 'facts'"),
        ("format: 1\nfacts: f\nquery: q\nanswer: a\norder: [x, x, y]\n", "order: name x"),
        ("format: 1\nfacts: f\nquery: q\nanswer: a\nwords: {dad: papa}\n", "'papa' is no word"),
        ("format: 1\nfacts: f\nquery: q\nanswer: a\nworld: kin\n", "no world is called 'kin'"),
        ("format: &a 1\nfacts: *a\n", "write out the alias"),
        ("format: !!python/object/apply:os.getcwd []\n", "mapping.yaml:1"),
    ],
)
def test_bad_mappings(tmp_path: Path, mapping: str, message: str) -> None:
    (tmp_path / "mapping.yaml").write_text(mapping)
    (tmp_path / "rows.jsonl").write_text("{}\n")
    with pytest.raises(RelsmithError, match=re.escape(message)):
        audited(tmp_path / "rows.jsonl", "mapped", Settings(mapping=tmp_path / "mapping.yaml"))


# All


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no known format"),
        ("{}", "no known format"),
        ("hello", "no known format"),
        ("[1, 2", "no known format"),
        ('{"question": "a", "answer": "b"}\n', "no known format"),
        ("\x00\n", "no known format"),
    ],
)
def test_unknown_formats(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rows"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=message):
        find_format(path, None, Settings())


@pytest.mark.parametrize("reader", ["reasoning-gym", "stepgame", "phantomwiki", "babi"])
def test_bad_files_are_refused_in_one_line(tmp_path: Path, reader: str) -> None:
    (tmp_path / "facts.pl").write_text(WIKI)
    path = tmp_path / "rows"
    for data in (b'{"a": 1}\n{"b"\n', b"\xff\n", b"{" * 100):
        path.write_bytes(data)
        with pytest.raises(RelsmithError, match=r"rows:?") as error:
            audited(path, reader, Settings())
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("reader", ["reasoning-gym", "stepgame", "phantomwiki"])
def test_odd_values_are_unreadable(tmp_path: Path, reader: str) -> None:
    (tmp_path / "facts.pl").write_text(WIKI)
    path = tmp_path / "rows.jsonl"
    values: list[Any] = [None, 3, [], {}, [[]], "", "x", ["x"], {"x": 1}]
    names = ("question", "answer", "story", "label", "metadata")
    rows = [dict.fromkeys(names, value) for value in values]
    rows.append(dict(zip(names, values, strict=False)))
    path.write_text(jsonl(*rows))
    found: Audit = audited(path, reader, Settings())
    assert found.verdicts == {"unreadable": len(rows)}


def test_counts_examples_and_json(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    good, bad = step("A is above B.", label="above"), step("A is above B.", label="left")
    path.write_text(jsonl(good, bad, bad, bad))
    found = audited(path, "stepgame", n=2).as_json()
    assert {name: found[name] for name in ("format", "rows", "entailed", "contradicted")} == {
        "format": "stepgame",
        "rows": 4,
        "entailed": 1,
        "contradicted": 3,
    }
    assert found["groups"][0]["group"] == "1 sentences"
    (cause,) = found["causes"]
    assert (cause["verdict"], cause["rows"]) == ("contradicted", 3)
    assert [example["row"] for example in cause["examples"]] == [2, 3]
    assert cause["examples"][0]["text"].startswith("A is above B.")


def test_labels_of_random_walks_are_entailed_with_unit_steps(judged: Judge) -> None:
    rng, rows = Random(0), []
    labels = {steps: label for label, steps in LABELS.items()}
    moves = [steps for steps in labels if any(steps)]
    for _ in range(scaled(40)):
        names = rng.sample("ABCDEFGHIJKLMNOP", rng.randint(2, 8))
        places, story = {names[0]: (0, 0)}, []
        for before, name in pairwise(names):
            across, up = rng.choice(moves)
            places[name] = places[before][0] + across, places[before][1] + up
            story.append(f"{name} is {labels[across, up].replace('-', ' ')} of {before}.")
        x, y = rng.sample(names, 2)
        apart = (places[y][axis] - places[x][axis] for axis in (0, 1))
        label = labels[tuple((steps > 0) - (steps < 0) for steps in apart)]
        rows.append(step(*story, asked=y + x, label=label))
    found = judged("walks.jsonl", jsonl(*rows), "stepgame")
    assert {one[:2] for one in found} == {ENTAILED[:2], ("undetermined", UNIT)}
