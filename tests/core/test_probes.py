"""Every generator, every kind of question: right answers get 1, what looks like them none."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Example, make, score
from relsmith.kb.world import find_world
from relsmith.probes import WRAPPINGS, garbled, impostors, oracles
from relsmith.prompt import lettered
from relsmith.scoring import key

KINDS: dict[str, tuple[str, dict[str, object]]] = {
    "relation": ("clutrr", {"k": "2..4"}),
    "relation, choices": ("clutrr", {"choices": "4", "unknown_share": 0.3}),
    "relation, unknown": ("clutrr", {"unknown_share": 0.5}),
    "relation, spatial": ("clutrr", {"world": "spatial"}),
    "relation, no names": ("clutrr", {"anonymize": True}),
    "yes-no": ("clutrr", {"answer": "yes-no", "unknown_share": 0.3}),
    "who": ("clutrr", {"answer": "who", "gender": "given", "unknown_share": 0.3}),
    "who, no names": ("clutrr", {"answer": "who", "gender": "given", "anonymize": True}),
    "true-false": ("analogy", {"setting": "supervised"}),
    "true-false, question": ("analogy", {"setting": "supervised", "form": "question"}),
    "which": ("analogy", {"setting": "unsupervised"}),
    "which, colon": ("analogy", {"setting": "unsupervised", "template": "colon"}),
    "which, question": ("analogy", {"setting": "unsupervised", "form": "question"}),
    "all": ("cloze", {"form": "all"}),
    "one": ("cloze", {"form": "one"}),
    "bank": ("cloze", {"form": "bank"}),
    "choice": ("cloze", {"form": "choice"}),
    "candidate": ("relinf", {}),
    "default": ("comparatives", {}),
}


@cache
def rows(kind: str) -> list[Example]:
    name, options = KINDS[kind]
    made = make(name, **options)[:48]
    assert {key(row).kind for row in made} == {kind.partition(",")[0]}
    if kind.startswith("relation"):
        made += [lettered(row) for row in made[:8]]
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_an_oracle_is_always_right(kind: str) -> None:
    tried = 0
    for row in rows(kind):
        for text in oracles(row):
            assert score(row, text).value == 1, (row, text, score(row, text))
            tried += 1
    assert tried > 500


@pytest.mark.parametrize("kind", KINDS)
def test_an_impostor_never_is(kind: str) -> None:
    tried = 0
    for row in rows(kind):
        for text in impostors(row):
            assert score(row, text).value == 0, (row, text, score(row, text))
            tried += 1
    assert tried > 500


@pytest.mark.parametrize("kind", KINDS)
def test_nor_is_what_is_garbled(kind: str) -> None:
    for row in rows(kind):
        for text in garbled(row):
            assert score(row, text).value == 0, (row, text, score(row, text))


@pytest.mark.parametrize("kind", ["relation", "relation, spatial", "relation, no names"])
def test_who_has_it_the_wrong_way_round_gets_nothing(kind: str) -> None:
    world = find_world("spatial" if "spatial" in kind else "kinship")
    the = "the " if "spatial" in kind else ""
    for row in rows(kind):
        x, y = row.metadata["query"]
        predicate, _ = world.meanings[row.target]
        inverse = world.predicates[world.inverse(predicate) or ""]
        words = {inverse.word(gender) for gender in world.genders or (None,)} - {row.target}
        for word in words:
            assert score(row, word).value == 0
            assert score(row, f"The answer is {word}.").value == 0
        said = f"{the}{x} is {the}{y}'s {row.target}."
        if the:
            said = f"The {x} is {row.target} the {y}."
        assert score(row, said).value == 0, (said, row.target)
        right = f"The {y} is {row.target} the {x}." if the else f"{y} is {x}'s {row.target}."
        assert score(row, right).value == 1, (right, row.target)


@st.composite
def thoughts(draw: st.DrawFn) -> tuple[Example, str]:
    """A row, and something written before the answer is given."""
    row = draw(st.sampled_from(rows(draw(st.sampled_from(sorted(KINDS))))))
    words = row.input.split()
    pieces = st.one_of(
        st.text(max_size=20), st.sampled_from(words), st.sampled_from(row.choices or words)
    )
    return row, " ".join(draw(st.lists(pieces, max_size=12)))


MARKED = [w for w in WRAPPINGS if any(mark in w for mark in ("nswer", "boxed", "####"))]


@given(thoughts(), st.sampled_from(MARKED))
def test_what_is_thought_before_changes_nothing(
    thought: tuple[Example, str], wrapping: str
) -> None:
    row, before = thought
    right = key(row).right
    if not right:
        return
    assert score(row, f"{before}\n\n{wrapping.format(right)}").value == 1


@given(st.sampled_from(sorted(KINDS)), st.text(max_size=40))
def test_a_text_without_the_answer_gets_nothing(kind: str, text: str) -> None:
    row = rows(kind)[0]
    given_score = score(row, text)
    assert given_score.value in (0, 1)
    if given_score.value:
        assert given_score.answer == key(row).right


@given(st.sampled_from(["relation", "who", "which", "all"]), st.data())
def test_no_longer_word_is_an_answer(kind: str, data: st.DataObject) -> None:
    row = data.draw(st.sampled_from(rows(kind)))
    letters = st.text("abcdefgz", min_size=2, max_size=6)
    right = key(row).right.rstrip(".")
    for text in (f"{right}{data.draw(letters)}", f"{right}-{data.draw(letters)}"):
        assert score(row, text).value == 0, text
