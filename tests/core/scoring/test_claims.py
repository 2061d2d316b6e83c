"""Answers are read as claims about the two people of the query, not as words that occur."""

import time
from typing import Any

import pytest
from scorer_probes import REASONING_BLOCKS

from relsmith import Example, make, score
from relsmith.testing.profile import thinned

KINSHIP: dict[str, tuple[str, str, list[tuple[str, str, str]]]] = {
    "mother": ("Magnus", "Eileen", [("Magnus", "brother", "Otto"), ("Otto", "mother", "Eileen")]),
    "uncle": ("Joanna", "Zachary", [("Joanna", "father", "Max"), ("Max", "brother", "Zachary")]),
    "grandmother": ("Nina", "Fiona", [("Nina", "father", "Jo"), ("Jo", "mother", "Fiona")]),
    "mother-in-law": (
        "Joaquin",
        "Elif",
        [("Joaquin", "husband", "Cem"), ("Cem", "mother", "Elif")],
    ),
    "sister": ("Greta", "Rosa", [("Greta", "brother", "Emil"), ("Emil", "sister", "Rosa")]),
}


def row(target: str, asked: str = "", **genders: str) -> Example:
    """Return a row about two people of the table."""
    x, y, facts = KINSHIP[asked or target]
    metadata: dict[str, Any] = {
        "world": "kinship",
        "query": [x, y],
        "facts": [list(fact) for fact in facts],
        "side_facts": [],
        "noise_facts": [],
        "asked": asked,
        "genders": [list(pair) for pair in genders.items()],
    }
    return Example("clutrr-v4-s0-test-0", "A story.", [], target, metadata)


WRONG = {
    "mother": [
        "Eileen is the mother of Magnus's father, making her Magnus's grandmother.",
        "Grandmother \u2014 Eileen is the mother of Magnus's father.",
        "Grandmother - Eileen is the mother of Magnus.",
        "Eileen is the mother of Magnus's friend.",
        "Eileen is the mother of Magnus' friend.",
        "Eileen is his wife's mother.",
        "Eileen is mother to his colleague.",
        "Eileen is a mother of three.",
        "spouse's mother",
        "partner's mother",
        "mother of his partner",
        "mother of the bride",
        "Heavenly mother",
        "church mother",
        "Mother. Eileen is Magnus's aunt.",
        "Otto says Eileen is Magnus's mother.",
        "According to Otto, Eileen is Magnus's mother.",
        "If Eileen is Magnus's mother, all is well.",
        "The sister of Eileen is Magnus's mother.",
        "Eileen's sister is Magnus's mother.",
        "Magnus's mother is Eileen's sister.",
        "Magnus's mother is the sister of Eileen.",
        "The mother of Magnus is Wilhelmina.",
        "<thinking>Therefore the answer is mother.</thinking> aunt",
        "<reasoning>mother</reasoning>aunt",
        "[THINK]mother[/THINK] aunt",
        "\u25c1think\u25b7mother\u25c1/think\u25b7aunt",
        *(block.format("So the answer is mother.") + "aunt" for block in REASONING_BLOCKS),
        *(
            block.partition("{}")[0] + "The answer is mother."
            for block in REASONING_BLOCKS
            if block[0] not in "{#"
        ),
    ],
    "grandmother": ["maternal grandmother", "Fiona is her maternal grandmother."],
}
RIGHT = {
    "uncle": [
        "Zachary is the brother of Joanna's father, making him Joanna's uncle.",
        "Uncle (father's brother)",
        "uncle (Zachary is the brother of Joanna's father)",
        "It could be uncle or father, but I'd go with uncle.",
        "Joanna's father has a brother, Zachary, so he is her uncle.",
        "Joanna has an uncle, Zachary.",
        "Zachary is Joanna's father's brother, so he is her uncle.",
        "Zachary is Joanna's paternal uncle.",
        "That makes Zachary Joanna's uncle.",
        "<thinking>aunt</thinking> uncle",
        "<reasoning>aunt</reasoning> uncle",
        "[THINK]aunt[/THINK]uncle",
        "\u25c1think\u25b7aunt\u25c1/think\u25b7uncle",
        "<|channel|>analysis<|message|>aunt<|end|><|start|>assistant<|channel|>final<|message|>uncle",
        "analysisWe need the aunt. assistantfinal uncle",
        *(block.format("So the answer is aunt.") + "uncle" for block in REASONING_BLOCKS),
        "[BEGIN FINAL RESPONSE]\nuncle\n[END FINAL RESPONSE]",
    ],
    "grandmother": [
        "Grandmother \u2014 Fiona is the mother of Nina's father.",
        "She is the mother of his father, i.e. his grandmother.",
        "It could be grandmother or mother, but I'd go with grandmother.",
        "grand mother",
        "grand-mother",
        "paternal grandmother",
    ],
    "mother-in-law": [
        "Answer: mother-in-law (the mother of her spouse)",
        "Since Elif is the mother of Joaquin's husband, Elif is the mother-in-law.",
    ],
}
YES_NO = {
    "yes": [
        "Correct.",
        "That is correct.",
        "Indeed, he is.",
        "Absolutely.",
        "Zachary is Joanna's uncle.",
    ],
    "no": [
        "Incorrect.",
        "That is not correct.",
        "Absolutely not.",
        "No, Zachary is Joanna's father.",
        "Zachary is not Joanna's uncle.",
    ],
    "": [
        "Indeed, he is not her uncle.",
        "Yes, he is not Joanna's uncle.",
        "No, Zachary is Joanna's uncle.",
        "Joanna is Zachary's uncle.",
        "Max says yes.",
    ],
}


@pytest.mark.parametrize(("target", "text"), [(t, text) for t in WRONG for text in WRONG[t]])
def test_claims_about_others_are_not_right(target: str, text: str) -> None:
    assert score(row(target), text).value == 0


@pytest.mark.parametrize(("target", "text"), [(t, text) for t in RIGHT for text in RIGHT[t]])
def test_explanations_do_not_hide_the_answer(target: str, text: str) -> None:
    assert score(row(target), text).value == 1, score(row(target), text)


@pytest.mark.parametrize(("said", "text"), [(s, text) for s in YES_NO for text in YES_NO[s]])
def test_yes_no_answers_may_be_sentences(said: str, text: str) -> None:
    assert (score(row("yes", "uncle"), text).value, score(row("no", "uncle"), text).value) == (
        said == "yes",
        said == "no",
    )


def test_a_plural_answers_only_for_two_of_the_same_gender() -> None:
    women = row("sister", Greta="female", Rosa="female")
    assert score(women, "They are sisters.").value == 1
    assert score(women, "Greta and Rosa are sisters.").value == 1
    assert score(women, "Emil and Rosa are sisters.").value == 0
    assert score(row("sister", Greta="male", Rosa="female"), "They are sisters.").value == 0
    assert score(row("mother"), "They are mothers.").value == 0


@pytest.mark.parametrize(
    "unit",
    thinned(
        [
            *("\\boxed{", "answer:\n", "{", "mother or ", "I choose ", "<answer>", "\\text{"),
            *("not mother ", "\n", "mother ", "[", "- ", "one of her ", "any of the ", "wait, "),
            *("a", "A ", " "),
        ],
        least=6,
    ),
)
@pytest.mark.parametrize("options", [{}, {"answer": "who", "gender": "given"}], ids=["", "who"])
def test_a_million_characters_take_less_than_a_second(
    unit: str, options: dict[str, str], slowness: float
) -> None:
    first = make("clutrr", **options)[0]
    for characters in (40_000, 1_000_000):  # only the end of longer texts is read
        text = f"A{unit * (characters // len(unit))}b"
        started = time.process_time()
        score(first, text)
        assert time.process_time() - started < slowness
