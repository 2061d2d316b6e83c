"""Answers with known scores, to test our scorer and its exports."""

import string
from collections.abc import Iterator
from itertools import pairwise

from ..example import NONE, Example, members_of
from ..prompting.prompt import letter
from .answers import UNKNOWN, AnswerKey, Blanks, Members, OneOf
from .claims import is_relational
from .scorer import answer_key

WRAPPINGS = (
    "{}",
    "{}.",
    " {}\n",
    "**{}**",
    '"{}"',
    "Answer: {}",
    "The answer is {}.",
    "I think the answer is: **{}**.",
    "Final answer: {}",
    "Let me see what follows.\n\nThe answer is {}.",
    "\\boxed{{{}}}",
    "So we get $\\boxed{{\\text{{{}}}}}$.",
    "<answer>{}</answer>",
    "<think>Is it this, or is it that?</think>\n{}",
    '{{"answer": "{}"}}',
    '```json\n{{"answer": "{}"}}\n```',
    "#### {}",
)
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
        for wrapping in _WRONG_WRAPPINGS
    ]


_WRONG_WRAPPINGS = ("{}", "The answer is {}.", "<answer>{}</answer>", "\\boxed{{{}}}")


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


_OF_RELATIVES = (
    "{y} is the {right} of {x}'s friend.",
    "{y} is {x}'s friend's {right}.",
    "{y} is the {right} of {x}'s neighbour, so they know each other.",
    "{y} is the {right} of a friend of {x}.",
    "{x}'s friend is {y}'s {right}.",
    "{x}'s {right} is a friend of {y}.",
    "{x}'s {right} is {y}'s friend.",
    "the {right} of {x}'s friend",
    "the {right} of his partner",
    "the {right} of the bride",
    "spouse's {right}",
)
"""Sentences about the relatives of others, for relations that are nouns."""
_OF_OTHERS = (
    "{x} is {y}'s {right}.",
    "{y}'s {right} is {x}.",
    "I thought {y} was {x}'s {right}.",
    "{z} thinks that {y} is {x}'s {right}, which is wrong.",
    "{y} could be {x}'s {right}.",
    "{y} is everything but {x}'s {right}.",
    "{y} is the {right} of {z}, {x}'s friend.",
    "{y} is {x}'s {right}. Wait, no.",
    "{z} is {x}'s {right}.",
    "{y} is {z}'s {right}.",
    "{y} is the {right} of {z}.",
    "{x}'s {right} is {z}.",
    "The {right} of {x} is {z}.",
    "{y} is not {x}'s {right}.",
    "{y} isn't the {right} of {x}.",
    "{y} might be {x}'s {right}.",
    "{z} says that {y} is {x}'s {right}.",
    "According to {z}, {y} is {x}'s {right}.",
    "If {y} is {x}'s {right}, they know each other.",
    "Is {y} {x}'s {right}?",
    "It is false that {y} is {x}'s {right}.",
)
_PHRASES_OF_OTHERS = (
    "The {z} is {right} the {x}.",
    "The {y} is {right} the {z}.",
    "The {y} is not {right} the {x}.",
    "The {y} may be {right} the {x}.",
    "The {y} is {right} the {x}'s neighbour.",
    "{z} says that the {y} is {right} the {x}.",
    "If the {y} is {right} the {x}, we are done.",
    "Is the {y} {right} the {x}?",
)
"""The same for relations that are phrases, such as `to the left of`."""
REASONING_BLOCKS = (
    "<think>{}</think>",
    "<thinking>{}</thinking>",
    "<reasoning>{}</reasoning>",
    "<thought>{}</thought>",
    "<scratchpad>{}</scratchpad>",
    "[THINK]{}[/THINK]",
    "\u25c1think\u25b7{}\u25c1/think\u25b7",
    "<|begin_of_thought|>{}<|end_of_thought|>",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
    "analysis{} assistantfinal ",
    "<seed:think>{}</seed:think>",
    "<think >{}</think >",
    "<|START_THINKING|>{}<|END_THINKING|>",
    "<unused94>thought\n{}<unused95>",
    "<|channel>thought\n{}<channel|>",
    "<|im_start|>think\n{}<|im_start|>answer\n",
    "Here is my thought process: {} Here is my response: ",
    "{}\n[BEGIN FINAL RESPONSE]\n",
    "# Thinking\n{}\n# Response\n",
)
"""How chat formats mark reasoning, which is not part of the answer."""


def _wrong_claims(answers: OneOf, right: str) -> Iterator[str]:
    """Yield sentences that use the right word about other people, or without asserting it."""
    if answers.names is None:
        return
    x, y = answers.names
    if right == UNKNOWN:
        return
    forms = _PHRASES_OF_OTHERS if is_relational(right.split()) else _OF_RELATIVES + _OF_OTHERS
    others = [name for name in answers.others if name not in (x, y)]
    if not is_relational(right.split()):
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
