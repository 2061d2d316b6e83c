"""Cohesion of a story: an order in which sentences share people, and mentions without a name."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ....kb.worlds.scene import members
from ....seed import Stream
from ....templates.bank import Bank
from ....templates.language import words_of
from ....templates.tokens import LexicalSlot, capitalize, flatten
from ..metadata import GENDERS
from ..story import Segment, Story

_RANDOM_SHARE: Final = 0.4
"""How often the next sentence is drawn from all that are left."""
_LAST_SHARE: Final = 0.6
"""How often the next sentence shares a person with the last one, if it can, not the one before."""
_REFERENCE_SHARE: Final = 0.9
"""How often a mention is replaced, if another is unique."""
_DESCRIPTION_SHARE: Final = 0.3
"""How often a description is preferred to a pronoun."""
_PUNCTUATION: Final = '.,;:!?"()'
_SENTENCE_ENDS: Final = (". ", "! ", "? ", '." ', '!" ', '?" ')
_Parts = tuple[str, str, str]
"""A text cut at a name: before it, the ending of a possessive name, after it."""


def connected_order(groups: list[list[int]], stream: Stream) -> list[int]:
    """Return an order of groups of people in which most share somebody with one of the two before.

    All groups are treated alike, but those with many neighbors come somewhat later than in a random
    walk, and some come at random: else neighbors would tell the facts of a chain from side facts.
    """
    masks: list[int] = []
    neighbors: list[int] = []
    for number, group in enumerate(groups):
        mask = 0
        for person in group:
            mask |= 1 << person
        sharing = 1 << number
        for other in range(number):
            if masks[other] & mask:
                sharing |= 1 << other
                neighbors[other] |= 1 << number
        masks.append(mask)
        neighbors.append(sharing)
    left = (1 << len(groups)) - 1
    last = before = 0
    order: list[int] = []
    while left:
        following = 0
        if stream.random() >= _RANDOM_SHARE:
            following, other = last & left, before & left
            if following == 0 or (other != 0 and stream.random() >= _LAST_SHARE):
                following = other
        chosen = _draw_by_degree(following or left, neighbors, stream)
        left &= ~(1 << chosen)
        before, last = last, neighbors[chosen]
        order.append(chosen)
    return order


def _draw_by_degree(numbers: int, neighbors: list[int], stream: Stream) -> int:
    """Draw a member of a bitmask; one with n neighbors has the weight 1 / n."""
    drawn = members(numbers)
    if len(drawn) == 1:
        return drawn[0]
    total = 0.0
    weights: list[float] = []
    for number in drawn:
        total += 1 / neighbors[number].bit_count()
        weights.append(total)
    return drawn[stream.weighted_index(weights)]


class Referrer:
    """Replaces a name by a pronoun or a description, where the segment before makes it unique.

    Only people whom the last sentence of that segment names are mentioned in another way.
    "She" begins a segment if nobody else of her gender was in the segment before, "His aunt" if
    that segment called her an aunt of its only man. "Her" and "him" stand elsewhere if nobody else
    of their gender is in either segment. Nothing is replaced if another pronoun becomes ambiguous.
    """

    def __init__(
        self, bank: Bank, texts: dict[str, str], inverse: Sequence[int], words: list[list[str]]
    ) -> None:
        self.inverse, self.words, self.ending = inverse, words, texts["ending"]
        pronouns = bank.language.pronouns
        self.they, self.them, self.their = [
            dict(pronouns[texts[case]].words) for case in ("subject", "object", "possessive")
        ]
        self.not_before, self.prepositions = [
            tuple([f" {word} " for word in texts[place].split()])
            for place in ("not_before", "prepositions")
        ]
        spoken = [pair for case in pronouns.values() for pair in case.words.items()]
        self.gender_of = {word: gender for gender, word in spoken}
        self.bank, self._has_bystanders = bank, dict[str, bool]()

    def refer(
        self, story: Story, segment: Segment, before: Segment, shared: list[int], stream: Stream
    ) -> Segment:
        """Return the segment with another mention of a person whom it shares with that before."""
        if stream.random() >= _REFERENCE_SHARE or self._bystanders(before.template):
            return segment
        recent = before.text[max(map(before.text.rfind, _SENTENCE_ENDS)) + 1 :]
        for person in shared:
            name = story.names[person]
            parts = self._parts(segment.text, name) if name in recent else None
            if parts:
                mention = self._mention(story, (before, segment), name, parts)
                if stream.random() < _DESCRIPTION_SHARE or not mention:
                    mention = self._description(story, before, name, parts) or mention
                if mention:
                    start, _, rest = parts
                    return Segment(f"{start}{mention}{rest}", segment.facts, segment.template)
        return segment

    def _bystanders(self, template: str) -> bool:
        """Return whether a frame may mention somebody else whom a pronoun could mean."""
        found = self._has_bystanders.get(template)
        if found is None:
            frame = self.bank.by_id[template]
            texts = [frame.text]
            for token in flatten(frame.tokens):
                if isinstance(token, LexicalSlot):
                    texts += self.bank.language.lists[token.list_name]
            words = {word for text in texts for word in words_of(text)}
            found = not words.isdisjoint(self.bank.header.bystanders)
            self._has_bystanders[template] = found
        return found

    def _mention(
        self, story: Story, segments: tuple[Segment, Segment], name: str, parts: _Parts
    ) -> str:
        """Return a pronoun for a name; empty if none is unique."""
        earlier, here = _people(story, segments[0]), _people(story, segments[1])
        own = earlier[name]
        others = {gender for other, gender in earlier.items() if other != name}
        is_shared = own in others or "unstated" in others
        if is_shared or self._meant(parts[2]) & others or self._meant(parts[0]):
            return ""
        if parts[0] == "":
            return capitalize((self.their if parts[1] else self.they).get(own, ""))
        if [*here.values()].count(own) > 1 or "unstated" in here.values():
            return ""
        if parts[1]:
            return self.their.get(own, "")
        return self.them.get(own, "") if parts[0].endswith(self.prepositions) else ""

    def _description(self, story: Story, before: Segment, name: str, parts: _Parts) -> str:
        """Return what the segment before calls a person, after a pronoun for the other one."""
        if parts[0]:
            return ""
        earlier, described, holder = _people(story, before), "", ""
        for one, word, other in self._sayings(story, before.facts):
            if other == name and word in self._words(before.text):
                described, holder = word, one
        others = {gender for other, gender in earlier.items() if other != name}
        if not described or "unstated" in others or self._meant(parts[2]) & others:
            return ""
        if [*earlier.values()].count(earlier[holder]) > 1:
            return ""  # the pronoun could mean two people
        for one, word, other in self._sayings(story, range(len(story.plan.facts))):
            if one == holder and other != name and word == described:
                return ""
        return f"{capitalize(self.their[earlier[holder]])} {described}{parts[1]}"

    def _meant(self, text: str) -> set[str]:
        """Return the genders of the pronouns in a text."""
        return {self.gender_of[word] for word in self._words(text) if word in self.gender_of}

    def _sayings(self, story: Story, numbers: Iterable[int]) -> Iterator[tuple[str, str, str]]:
        """Yield facts in both directions, in words: (x, word, y), y is the word of x."""
        names, gender = story.names, story.plan.gender
        for number in numbers:
            x, predicate, y = story.plan.facts[number]
            yield names[x], self.words[predicate][gender[y]], names[y]
            inverse = self.inverse[predicate]
            if inverse >= 0:
                yield names[y], self.words[inverse][gender[x]], names[x]

    def _parts(self, text: str, name: str) -> _Parts | None:
        """Return the text before a name, its possessive ending if it has one, and what follows.

        None if the name occurs twice, or where a pronoun could not stand.
        """
        start, found, rest = text.partition(name)
        possessive = self.ending if rest.startswith(f"{self.ending} ") else ""
        rest = rest.removeprefix(possessive)
        fits = rest[:1] == " " and rest[1:2].islower() and not rest.startswith(self.not_before)
        fits = fits or (rest[:1] == "." and not possessive)
        stands_alone = start == "" or start[-1] == " "
        is_clear = found and fits and stands_alone and name not in rest
        return (start, possessive, rest) if is_clear else None

    def _words(self, text: str) -> list[str]:
        """Return the words of a text in lower case, without punctuation and possessive ending."""
        words = text.lower().split()
        return [word.strip(_PUNCTUATION).removesuffix(self.ending) for word in words]


def _people(story: Story, segment: Segment) -> dict[str, str]:
    people: dict[str, str] = {}
    for number in segment.facts:
        x, _, y = story.plan.facts[number]
        for person in (x, y):
            people[story.names[person]] = GENDERS[story.plan.gender[person]]
    return people
