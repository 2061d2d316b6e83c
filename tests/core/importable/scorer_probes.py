"""Answers with known scores, to test our scorer and its exports."""

import string
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import yaml

from relsmith.example import NONE, Example, members_of
from relsmith.prompting.prompt import letter
from relsmith.scoring.answers import UNKNOWN, AnswerKey, Blanks, Members, OneOf
from relsmith.scoring.claims import is_relational
from relsmith.scoring.scorer import answer_key

_TEXTS: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_suffix(".yaml").read_text("utf-8")
)
WRAPPINGS, REASONING_BLOCKS = _TEXTS["wrappings"], _TEXTS["reasoning_blocks"]
_UNKNOWN_NAME = "Zebulonia"


def correct_answers(row: Example) -> list[str]:
    """Return right answers in the formats of models; empty if the row has no answer."""
    answers = answer_key(row)
    if not answers.right:
        return []
    said = [answers.right]
    if isinstance(answers, OneOf) and answers.letters and answers.right in answers.choices:
        said.append(letter(answers.choices.index(answers.right)))
    return [wrapping.format(text) for text in said for wrapping in WRAPPINGS]


def wrong_answers(row: Example) -> list[str]:
    """Return wrong answers that resemble the right one: compounds, negations, other choices."""
    return wrong_texts(answer_key(row))


def wrong_texts(answers: AnswerKey) -> list[str]:
    """Return wrong answers for a key."""
    return [
        wrapping.format(text)
        for text in dict.fromkeys(_wrong(answers))
        for wrapping in _TEXTS["wrong_wrappings"]
    ]


def non_answers(row: Example) -> list[str]:
    """Return texts without any answer."""
    right = answer_key(row).right
    turned = right[::-1]
    every_other = " ".join(character for character in right if character.isalnum())
    texts = [
        "",
        " ",
        "...",
        "asdf qwer",
        "?!",
        "\x00",
        string.punctuation,
        "0",
        "lorem ipsum " * 50,
    ]
    if len(right) > 1:
        texts.append(every_other)
    if turned.casefold() != right.casefold():
        texts += [turned, f"The answer is {turned}."]
    return texts


def _wrong(answers: AnswerKey) -> Iterator[str]:
    right = answers.right.rstrip(".")
    yield f"not {right}"
    yield f"{right}ish"
    yield f"{right}-to-be"
    *before, last = right.split()
    if len(before) < 3:
        yield " ".join([*before, f"grand{last}"])
        yield " ".join([*before, f"step-{last}"])
    if isinstance(answers, OneOf):
        yield from _wrong_choices(answers, right)
    elif isinstance(answers, Members):
        members = sorted(members_of(answers.right))
        yield "; ".join([*members, _UNKNOWN_NAME])
        yield members[0] if len(members) > 1 else _UNKNOWN_NAME
        if answers.right != NONE:
            yield NONE
    elif isinstance(answers, Blanks):
        first = [words[0] for words in answers.accepted]
        yield answers.between.join([*first, "more"])
        for place, next_one in pairwise(range(len(first))):
            swapped = list(first)
            swapped[place], swapped[next_one] = swapped[next_one], swapped[place]
            if swapped != first:
                yield answers.between.join(swapped)


def _wrong_claims(answers: OneOf, right: str) -> Iterator[str]:
    """Yield sentences that use the right word about other people, or without asserting it."""
    if answers.names is None:
        return
    x, y = answers.names
    if right == UNKNOWN:
        return
    is_noun = not is_relational(right.split())
    forms = _TEXTS["of_nouns" if is_noun else "of_phrases"]
    others = [name for name in answers.others if name not in (x, y)]
    if is_noun:
        yield f"heavenly {right}"
    for z in [*others[:1], _UNKNOWN_NAME]:
        yield from (form.format(x=x, y=y, z=z, right=right) for form in forms)


def _wrong_choices(answers: OneOf, right: str) -> Iterator[str]:
    yield from _wrong_claims(answers, right)
    if len(right) > 1:  # no letter
        yield f"(step){right}"
        yield f"{right} (in-law)"
        yield f"{right} \u2013 in \u2013 law"
    if "wrong" not in answers.words:
        yield f"{right} is wrong"
    others = [choice for choice in answers.choices if choice != answers.right]
    for block in REASONING_BLOCKS:
        if others:
            yield block.format(f"The answer is {right}.") + f"\n{others[0]}"
        yield block.format(f"The answer is {right}.")
    for other in others[:8]:
        yield other
        yield f"{right} or {other.rstrip('.')}"
    if answers.letters:
        for number, choice in enumerate(answers.choices):
            if choice != answers.right:
                yield letter(number)
                yield f"({letter(number)})"
        yield letter(len(answers.choices))
