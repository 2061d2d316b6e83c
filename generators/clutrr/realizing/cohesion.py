"""Cohesion of a story: an order in which sentences share people, and mentions without a name."""

from collections.abc import Sequence
from typing import Final

from ....seed import Stream
from ....templates.bank import Bank
from ....templates.tokens import capitalize
from ..metadata import GENDERS
from ..story import IndexedFact, Segment, Story

_LAST_SHARE: Final = 0.75
"""How often the next sentence shares a person with the last one, if it can, not the one before."""
_REFERENCE_SHARE: Final = 0.7
"""How often a sentence begins with a pronoun or description, if that is unique."""
_NOT_AFTER_PRONOUN: Final = ("of ", "who ", "whose ")
_PUNCTUATION: Final = '.,;:!?"()'


def connected_order(groups: list[list[int]], stream: Stream) -> list[int]:
    """Return an order of groups of people in which most share somebody with one of the two before.

    All groups are treated alike, whatever their facts are for.
    """
    left = list(range(len(groups)))
    order: list[int] = []
    while left:
        recent = order[:-3:-1]
        if len(recent) == 2 and stream.random() >= _LAST_SHARE:
            recent.reverse()
        following: list[int] = []
        for before in recent:
            following = following or [n for n in left if _share(groups[n], groups[before])]
        for before in order[-3::-1]:
            following = following or [n for n in left if _share(groups[n], groups[before])]
        following = following or left
        chosen = following[stream.below(len(following))]
        left.remove(chosen)
        order.append(chosen)
    return order


def _share(one: list[int], other: list[int]) -> bool:
    return any(person in other for person in one)


class Referrer:
    """Replaces the name that a sentence begins with by a pronoun or a description.

    "She" is used if nobody else of her gender was in the segment before, "His aunt" if that segment
    called her an aunt of its only man. Neither is used if another pronoun would become ambiguous.
    """

    def __init__(self, bank: Bank, inverse: Sequence[int], words: list[list[str]]) -> None:
        self.inverse, self.words = inverse, words
        pronouns = bank.language.pronouns
        self.subject, self.possessive = (dict(pronouns[case].words) for case in ("they", "their"))
        self.gender_of: dict[str, str] = {}
        for case in pronouns.values():
            for gender, word in case.words.items():
                self.gender_of[word] = gender
        self.bystanders = frozenset(bank.header.bystanders)

    def refer(self, story: Story, segment: Segment, before: Segment, stream: Stream) -> Segment:
        """Return the segment with another mention of its first person, if that is unique."""
        earlier = [person for number in before.facts for person in story.plan.facts[number][::2]]
        first = [
            person
            for person in earlier
            if segment.text.startswith((f"{story.names[person]} ", f"{story.names[person]}'s "))
        ]
        if not first or stream.random() >= _REFERENCE_SHARE:
            return segment
        if not self.bystanders.isdisjoint(_words(before.text)):
            return segment
        rest = segment.text[len(story.names[first[0]]) :]
        after = rest.removeprefix("'s")[1:]
        unfit = after.startswith(_NOT_AFTER_PRONOUN) or not after[:1].islower()
        if unfit or story.names[first[0]] in rest:
            return segment
        mention, rest = self._mention(story, first[0], rest, before)
        return Segment(mention + rest, segment.facts, segment.template) if mention else segment

    def _mention(self, story: Story, person: int, rest: str, before: Segment) -> tuple[str, str]:
        """Return a mention of a person and the text after it; nothing if none is unique."""
        gender, facts = story.plan.gender, story.plan.facts
        others = {
            GENDERS[gender[other]]
            for number in before.facts
            for other in facts[number][::2]
            if other != person
        }
        own = GENDERS[gender[person]]
        meant = {self.gender_of[word] for word in _words(rest) if word in self.gender_of}
        if "unstated" in others or own not in self.subject:
            return "", rest
        if own not in others and not (meant - {own}) & others:
            words = self.possessive if rest[0] == "'" else self.subject
            return capitalize(words[own]), rest.removeprefix("'s")
        if meant & others:
            return "", rest
        return self._description(story, person, before), rest

    def _description(self, story: Story, person: int, before: Segment) -> str:
        """Return what the segment before calls a person, after a pronoun for the other one."""
        plan, described, holder = story.plan, "", -1
        for number in before.facts:
            for one, predicate, other in self._both_ways(plan.facts[number]):
                word = self.words[predicate][plan.gender[other]]
                if other == person and word in _words(before.text):
                    described, holder = word, one
        if holder < 0:
            return ""
        own = plan.gender[holder]
        for number in before.facts:
            x, _, y = plan.facts[number]
            if (x != holder and plan.gender[x] == own) or (y != holder and plan.gender[y] == own):
                return ""  # the pronoun could mean two people
        for fact in plan.facts:
            for one, predicate, other in self._both_ways(fact):
                word = self.words[predicate][plan.gender[other]]
                if one == holder and other != person and word == described:
                    return ""
        return f"{capitalize(self.possessive[GENDERS[own]])} {described}"

    def _both_ways(self, fact: IndexedFact) -> list[IndexedFact]:
        x, predicate, y = fact
        inverse = self.inverse[predicate]
        return [fact, (y, inverse, x)] if inverse >= 0 else [fact]


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation and possessive 's."""
    return [word.strip(_PUNCTUATION).removesuffix("'s") for word in text.lower().split()] or [""]
