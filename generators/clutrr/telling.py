"""Facts told in words: by the sentence bank, or plainly, a sentence for each."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from ...seed import Stream
from ...templates.bank import find_bank
from ...templates.stitcher import Order, Stitcher
from .sentences import frames

Style = Literal["text", "plain"]


class Telling(NamedTuple):
    """A stretch of text that stands on its own, what it states, and the frame it was made by."""

    text: str
    facts: list[list[str]]
    template: str


@cache
def stitcher() -> Stitcher:
    """The stitcher over the kinship bank, which takes a moment to load."""
    return Stitcher(find_bank("kinship"))


def tell(
    facts: Sequence[list[str]],
    predicates: Sequence[str],
    genders: Mapping[str, str],
    style: Style,
    order: Order,
    stream: Stream,
    reveal: Sequence[str] = (),
) -> list[Telling]:
    """Tell the facts, each once; the genders of those to reveal can be read off the text."""
    if style == "plain":
        plain = [_plainly(fact, stream) for fact in facts]
        if order == "shuffled":
            stream.shuffle(plain)
        return plain
    neutral = [(x, name, y) for (x, _, y), name in zip(facts, predicates, strict=True)]
    story = stitcher().story(neutral, genders, stream, order=order, reveal=reveal)
    found, sentences, at = [], story.sentences, 0
    for (start, end), template in zip(story.parts, story.templates, strict=True):
        stated: list[list[str]] = []
        while at < len(sentences) and sentences[at][1] <= end:
            stated += [facts[number] for number in sentences[at][2]]
            at += 1
        found.append(Telling(story.text[start:end], stated, template))
    return found


def _plainly(fact: list[str], stream: Stream) -> Telling:
    x, word, y = fact
    template, text = stream.choice(frames(word))
    return Telling(text.replace("{x}", x).replace("{y}", y), [fact], template)
