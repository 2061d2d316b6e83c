"""The claims of chains of thought: what is read, the verdicts, and the classes."""

import json
import random
from collections.abc import Iterator
from functools import cache

import pytest

from relsmith import Example, make, score, steps
from relsmith.errors import InvalidInput
from relsmith.generators.clutrr.metadata import stated_facts, world_of
from relsmith.generators.clutrr.reasoning.judging import StoryJudge
from relsmith.scoring.steps import CLASSES
from relsmith.testing.profile import scaled, thinned

WORLDS = thinned(
    "kinship kinship-extended space spatial time time-dates work ordering time-points".split(),
    least=4,
)
Fact = tuple[str, str, str]


@cache
def rows(world: str, k: str = "2..4", noise: str = "supporting") -> list[Example]:
    return make("clutrr", world=world, k=k, explain=True, noise=noise)[: scaled(60, least=8)]


def claims(row: Example, text: str) -> list[Fact]:
    return [(claim.x, claim.relation, claim.y) for claim in steps(row, text).claims]


def sentence(row: Example, x: str, word: str, y: str) -> str:
    return world_of(row).story_spec.plain[0].format(x=x, word=word, y=y)


def random_claims(row: Example, count: int) -> Iterator[Fact]:
    """Yield claims about any two of the story, with words that fit their kinds."""
    stream, world = random.Random(row.id), world_of(row)
    names = StoryJudge(row).names
    kinds = {name: kind for name in names for kind in [_kind(row, name)]}
    for _ in range(count):
        x, y = stream.sample(names, 2)
        words = [
            word
            for word, (name, _) in world.meanings.items()
            if world.predicates[name].between in (None, (kinds[x], kinds[y]))
        ]
        yield x, stream.choice(words), y


def _kind(row: Example, name: str) -> str:
    world = world_of(row)
    for x, word, y in stated_facts(row.metadata):
        between = world.predicates[world.meanings[word][0]].between
        if between and name in (x, y):
            return between[name == y]
    return ""


@pytest.mark.parametrize("world", WORLDS)
def test_explanations_are_sound(world: str) -> None:
    for row in rows(world):
        explanation = row.metadata["explanation"]
        for text, word in zip(explanation, row.metadata["concluded"], strict=True):
            judged = steps(row, text)
            assert len(judged.claims) == 3, text
            assert all(claim.holds for claim in judged.claims), text
            assert word in [claim.relation for claim in judged.claims]
            assert all(claim.relation in text[claim.start : claim.end] for claim in judged.claims)
        whole = f"{' '.join(explanation)}\nAnswer: {row.target}"
        judged = steps(row, whole)
        assert judged.kind == "right by sound steps"
        assert judged.score == score(row, whole)


@pytest.mark.parametrize("world", WORLDS)
def test_verdicts_are_those_of_the_judge(world: str) -> None:
    """Claims with other people or other relations get the verdict of the world's judge."""
    statuses = set()
    for row in rows(world):
        known, stated = StoryJudge(row), {tuple(fact) for fact in stated_facts(row.metadata)}
        for x, word, y in (*random_claims(row, 6), *known.facts[:2]):
            (claim,) = steps(row, f"{sentence(row, x, word, y)}\n").claims
            assert (claim.x, claim.relation, claim.y) == (x, word, y)
            status = str(known.status(known.facts, (x, word, y)))
            statuses.add(status)
            if status == "entailed":
                assert claim.verdict in ("stated", "entailed")
                assert (x, word, y) not in stated or claim.verdict == "stated"
            else:
                assert claim.verdict == status
                assert claim.cause
    assert {"contradicted", "entailed"} <= statuses


@pytest.mark.parametrize("world", WORLDS)
def test_no_fact_behind_a_claim_can_be_left_out(world: str) -> None:
    for row in rows(world):
        known = StoryJudge(row)
        for claim in steps(row, " ".join(row.metadata["explanation"])).claims:
            said = claim.x, claim.relation, claim.y
            facts = [known.facts[number] for number in claim.facts]
            assert facts
            assert known.status(facts, said) == "entailed"
            for fact in facts:
                rest = [other for other in facts if other != fact]
                assert not rest or known.status(rest, said) != "entailed"


@pytest.mark.parametrize("world", WORLDS)
def test_what_is_read_in_a_story_is_true(world: str) -> None:
    """Stories are thousands of sentences that were not written for the reader."""
    read = 0
    for row in make("clutrr", world=world, k="2..4", noise="all")[: scaled(400)]:
        story = row.input[: row.metadata["starts"][-1]]
        judged = steps(row, story).claims
        assert [claim for claim in judged if not claim.holds] == []
        read += len(judged)
    assert read > scaled(400)


@pytest.mark.parametrize("world", WORLDS)
def test_planted_faults_are_found(world: str) -> None:
    """In a sound derivation, a wrong relation, person or direction is the first wrong step."""
    found = set()
    for row in rows(world):
        known, stream = StoryJudge(row), random.Random(row.id)
        lines = [sentence(row, *fact) for fact in stated_facts(row.metadata)[: row.metadata["k"]]]
        place = stream.randrange(len(lines))
        x, word, y = known.facts[place]
        wrong = [(y, word, x), *((x, other, y) for _, other, _ in random_claims(row, 5))]
        wrong += [(x, word, name) for name in known.names if name not in (x, y)]
        for fault in wrong:
            if _kinds(row, fault) == _kinds(row, known.facts[place]) and (
                known.status(known.facts, fault) == "contradicted"
            ):
                text = "\n".join([*lines[:place], sentence(row, *fault), *lines[place + 1 :]])
                judged = steps(row, f"{text}\nAnswer: {row.target}")
                assert judged.first_wrong == place + 1
                assert judged.kind == "right by unsound steps"
                found.add(judged.claims[place].cause)
    assert {"direction turned round", "misread a fact"} <= found


def _kinds(row: Example, fact: Fact) -> tuple[str, str]:
    return _kind(row, fact[0]), _kind(row, fact[2])


@pytest.fixture(scope="module")
def kin() -> Example:
    """Sofia's brother is Basil, whose daughter is Anna; Sofia's husband is Viktor."""
    facts = [["Sofia", "brother", "Basil"], ["Basil", "daughter", "Anna"]]
    genders = [["Sofia", "female"], ["Basil", "male"], ["Anna", "female"], ["Viktor", "male"]]
    row = rows("kinship", "2")[0]
    metadata = row.metadata | {
        "facts": facts,
        "side_facts": [["Sofia", "husband", "Viktor"]],
        "noise_facts": [],
        "genders": genders,
        "query": ["Sofia", "Anna"],
    }
    return Example(id=row.id, input="", choices=[], target="niece", metadata=metadata)


@pytest.mark.parametrize(
    "text",
    [
        "If Basil is Sofia's brother, then Anna is Sofia's niece.",
        "Is Basil Sofia's brother?",
        "Could it be that Basil is Sofia's brother?",
        "Basil is not Sofia's brother.",
        "Basil isn't the brother of Sofia, and can't be Sofia's uncle.",
        "It is not true that Basil is Sofia's brother.",
        "The claim that Basil is Sofia's brother is false.",
        "Basil is Sofia's brother, which is impossible.",
        "Suppose Basil is Sofia's brother.",
        "Assume Basil is Sofia's brother.",
        "Maybe Basil is Sofia's brother.",
        "Basil might be Sofia's brother.",
        "Basil is either Sofia's brother or uncle.",
        "Basil or Viktor is Sofia's brother.",
        "We should check whether Basil is Sofia's brother.",
        "I first thought Basil was Sofia's brother.",
        "My brother is Basil.",
        "Basil is Sofia's step-brother.",
        "Basil is Sofia's brother officer.",
        "Basil is Sofia's mother's brother.",
        "Basil is the brother of Sofia's mother.",
        "Sofia's brother is Anna's uncle.",
        "Basil and Viktor met, and he is her brother.",
        "A brother's daughter is a niece.",
    ],
)
def test_what_is_not_asserted_is_no_claim(kin: Example, text: str) -> None:
    assert claims(kin, text) == []


BROTHER, DAUGHTER = ("Sofia", "brother", "Basil"), ("Basil", "daughter", "Anna")
NIECE, HUSBAND = ("Sofia", "niece", "Anna"), ("Sofia", "husband", "Viktor")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Basil is Sofia's brother.", [BROTHER]),
        ("Sofia's brother is Basil.", [BROTHER]),
        ("The brother of Sofia is called Basil.", [BROTHER]),
        ("Sofia has a brother named Basil.", [BROTHER]),
        ("Basil, Sofia's brother, sings.", [BROTHER]),
        ("Sofia's brother Basil sings.", [BROTHER]),
        ("Basil, who sings, is the brother of Sofia.", [BROTHER]),
        ("Sofia waits. Her brother is Basil.", [BROTHER]),
        (
            "Basil is Sofia's brother, so he is Anna's father.",
            [BROTHER, ("Anna", "father", "Basil")],
        ),
        ("That makes Anna Sofia's niece.", [NIECE]),
        ("Viktor is married to Sofia.", [HUSBAND]),
        ("Viktor and Sofia are married.", [HUSBAND]),
        ("Basil and Sofia are siblings.", [BROTHER]),
        ("Zoltan is Sofia's brother.", [("Sofia", "brother", "Zoltan")]),
        ("1. Sofia -> Basil (brother)\n2. Basil -> Anna (daughter)", [BROTHER, DAUGHTER]),
        ("Sofia → Basil (brother) → Anna (daughter)", [BROTHER, DAUGHTER]),
        ("Sofia --brother--> Basil --daughter--> Anna", [BROTHER, DAUGHTER]),
        ("- Basil: Sofia's brother\n- Anna → niece of Sofia", [BROTHER, NIECE]),
        ("Sofia =(brother)=> Basil ↦ (daughter) Anna", [BROTHER, DAUGHTER]),
        ("Sofia ~brother~> Basil >>daughter>> Anna", [BROTHER, DAUGHTER]),
        ("brother(Sofia) = Basil; daughter(Anna, Basil)", [BROTHER, DAUGHTER]),
        ("Basil: Sofia's brother, Viktor's uncle", [BROTHER, ("Viktor", "uncle", "Basil")]),
        ("Anna: Basil's daughter. So Sofia's niece.", [DAUGHTER, NIECE]),
        ("Basil: brother of Sofia, of Viktor", [BROTHER, ("Viktor", "brother", "Basil")]),
        ('[{"person": "Basil", "relation": "brother", "of": "Sofia"}]', [BROTHER]),
        ('{"Sofia": {"brother": "Basil", "niece": ["Anna"]}}', [BROTHER, NIECE]),
        ('{"steps": ["Basil is Sofia\'s brother"], "answer": "niece"}', [BROTHER]),
        ("| who | relation | of |\n|---|---|---|\n| Basil | brother | Sofia |\n", [BROTHER]),
        ("Basil is Sofia's uncle. No, wait, Basil is Sofia's brother.", [BROTHER]),
        ("Basil is Sofia's uncle... actually, Basil is her brother.", [BROTHER]),
        ("Basil is Sofia's uncle, no, brother.", [BROTHER]),
        ("Anna is Basil's daughter. Basil is Sofia's uncle. Scratch that.", [DAUGHTER]),
        ("Basil is Sofia's brother. Actually, the weather is fine.", [BROTHER]),
        ("Basil is Sofia's brother. Hmm, wait. Is that so?", [BROTHER]),
        ("Basil is Sofia's uncle. Hmm, wait. Is that so?", []),
    ],
)
def test_formats_and_corrections(kin: Example, text: str, expected: list[Fact]) -> None:
    assert claims(kin, text) == expected
    for claim in steps(kin, text).claims:
        assert 0 <= claim.start < claim.end <= len(text)


FROM = ["Sofia", "Basil"], ["Basil", "Anna"], ["Sofia", "Anna"]
WORDS = "brother", "daughter", "niece"
NOTATIONS = (
    "{0} -> {1}: {2}",
    "{0} --{2}--> {1}",
    '["{0}", "{2}", "{1}"]',
    '{{"{0}|{1}": "{2}"}}',
    '{{"a": "{0}", "rel": "{2}", "b": "{1}"}}',
    "| {0} | {2} | {1} |",
)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_stated_facts_say_which_direction_a_notation_has(kin: Example, notation: str) -> None:
    head = "| A | is | B |\n|---|---|---|\n" * notation.startswith("|")
    for step in (1, -1):
        lines = [
            notation.format(*pair[::step], word) for pair, word in zip(FROM, WORDS, strict=True)
        ]
        assert set(claims(kin, head + "\n".join(lines))) == {BROTHER, DAUGHTER, NIECE}


def test_one_line_that_is_turned_round_is_wrong(kin: Example) -> None:
    text = "Sofia -> Basil: brother\nAnna -> Basil: daughter\nSofia -> Anna: niece"
    assert [claim.holds for claim in steps(kin, text).claims] == [True, False, True]


def test_a_notation_of_unknown_direction_is_left_out(kin: Example) -> None:
    assert claims(kin, '[["Viktor", "father", "Anna"]]') == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Basil is Sofia's brother and Anna's father. Answer: niece", "right by sound steps"),
        ("Basil is Sofia's husband; Anna is his daughter. Answer: niece", "right by unsound steps"),
        ("Viktor is Sofia's husband. Answer: niece", "right without steps"),
        ("Answer: niece", "right without steps"),
        ("Anna is Sofia's niece. Answer: niece", "right without steps"),
        ("Basil is Sofia's uncle. Answer: cousin", "wrong at step: misread a fact"),
        ("Basil is Anna's daughter. Answer: aunt", "wrong at step: direction turned round"),
        ("Viktor is Sofia's brother. Answer: aunt", "wrong at step: misread a fact"),
        ("Anna is Viktor's daughter. Answer: daughter", "wrong at step: wrong person"),
        ("Anna is Viktor's mother. Answer: mother-in-law", "wrong at step: wrong rule"),
        ("Zoltan is Sofia's brother. Answer: aunt", "wrong at step: wrong person"),
        ("Basil is Sofia's brother. Answer: aunt", "wrong last step"),
        ("Basil is Sofia's brother, so Anna is Sofia's sister. Answer: sister", "wrong last step"),
        ("Answer: aunt", "wrong without steps"),
        ("Basil is Sofia's brother.", "unreadable"),
    ],
)
def test_classes(kin: Example, text: str, kind: str) -> None:
    assert kind in CLASSES
    assert steps(kin, text).kind == kind


def test_an_unknown_person_is_nobody_in_the_story(kin: Example) -> None:
    (claim,) = steps(kin, "Zoltan is Sofia's brother.").claims
    assert claim.verdict == "unknown"


@pytest.mark.parametrize("answer", ["yes-no", "who", "relation"])
def test_all_questions(answer: str) -> None:
    share = {"gender": "given"} if answer == "who" else {"unknown_share": 0.3}
    kinds = set()
    for row in make("clutrr", k="2", answer=answer, explain=True, **share)[: scaled(200)]:
        text = " ".join(row.metadata["explanation"]) + f"\nAnswer: {row.target}"
        kinds.add(steps(row, text).kind)
    assert "right by sound steps" in kinds
    assert kinds <= {"right by sound steps", "right without steps"}


def test_results_are_plain_values(kin: Example) -> None:
    record = steps(kin, "Basil is Sofia's brother. Answer: aunt").record()
    assert json.loads(json.dumps(record))["class"] == "wrong last step"


def test_rows_of_other_generators_are_refused() -> None:
    with pytest.raises(InvalidInput, match="cannot be judged"):
        steps(make("analogy")[0], "Answer: a")
