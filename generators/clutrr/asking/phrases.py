"""The answer key of stories in other languages than English: whole sentences, listed beforehand.

English answers are read by rules about negation, hedging and reported speech. Other languages have
a list of sentences instead (`claims` in the `world.yaml` of a language), filled with the words of
the world and the two people of the question. Whatever is not in the list is unreadable, so that no
wrong answer can be taken for the right one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from ....example import Example, set_target
from ....kb.worlds.languages import LocalizedWorld, find_language
from ....kb.worlds.stories import agreeing
from ....scoring.answers import AnswerKey
from ....scoring.extraction import AnswerPassage, Unreadable
from ..metadata import stated_facts

_LETTER = re.compile(r"\(?([a-z])(?:[).:]\s*|\Z)(.*)")
_QUOTES = re.compile(r"[\"*`„“”«»\u2018\u2019]")
_OUTER_SIGNS = " .,;:!¡¿-…"


@dataclass(frozen=True)
class PhraseKey(AnswerKey):
    """Key for answers that are one of many listed sentences.

    `phrases` maps each sentence, normalized, to the answer that it gives. `markers` are the words
    that may stand before the final answer.
    """

    phrases: Mapping[str, str] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    letters: bool = False
    """Whether a letter may stand for one of the choices."""

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the answer that the last sentence gives; no other may give a different one."""
        texts = [passage.text for passage in passages]
        for place in range(len(texts) - 1, -1, -1):
            if marked := self._marked(texts[place]):
                texts = [marked, *texts[place + 1 :]]
                break
        answers = [self._answer(text) for text in texts]
        if answers[-1] is None:
            raise Unreadable("its last sentence is none of those that are understood")
        found = {answer for answer in answers if answer}
        if len(found) > 1:
            raise Unreadable(f"several answers are given: {', '.join(sorted(found))}")
        return answers[-1]

    def _marked(self, text: str) -> str:
        """Return what follows the last marker of a text; empty without one."""
        markers = "|".join(sorted(map(re.escape, self.markers), key=len, reverse=True))
        parts = re.split(rf"(?:\A|[.,;:!?]\s+)(?:{markers})\s*:\s*", text, flags=re.IGNORECASE)
        return parts[-1].strip() if markers and len(parts) > 1 else ""

    def _answer(self, text: str) -> str | None:
        if "?" in text:
            return None
        said = normalized_phrase(text)
        letter = _LETTER.fullmatch(text.strip().lower())
        if letter and self.letters and said not in self.phrases:
            number = ascii_uppercase.index(letter[1].upper())
            answer = self.choices[number] if number < len(self.choices) else None
            rest = normalized_phrase(letter[2])
            return answer if not rest or self.phrases.get(rest) == answer else None
        return self.phrases.get(said)


def normalized_phrase(text: str) -> str:
    """Return a sentence in lower case, without quotes, outer punctuation and repeated spaces.

    Punctuation inside stays: "no, es mayor" is not "no es mayor".
    """
    return " ".join(_QUOTES.sub("", text.casefold()).split()).strip(_OUTER_SIGNS)


@dataclass(frozen=True)
class NamesKey(PhraseKey):
    """Key for a set of people, in any order; `phrases` are those that name nobody."""

    names: tuple[str, ...] = ()
    conjunction: str = ","

    def _answer(self, text: str) -> str | None:
        listed = re.split(rf"[,;]|\b{self.conjunction.strip()}\b", text)
        people = {name.casefold(): name for name in self.names}
        found = [people.get(normalized_phrase(part)) for part in listed if part.strip()]
        if found and all(found):
            return set_target(sorted({name for name in found if name}))
        return super()._answer(text)


def phrase_key(row: Example, world: LocalizedWorld) -> PhraseKey:
    """Return the key of a row about a story that is not in English."""
    code, asked = world.language, row.metadata["asked"]
    texts = find_language(code).texts
    others: dict[str, str] = {}
    for answer, word in texts.answers.items():
        for phrase in (word, *texts.answer_phrases.get(answer, ())):
            others[normalized_phrase(phrase)] = word
    markers, letters = texts.answer_markers, bool(row.choices)
    yes, no, unknown, _ = (texts.answers[name] for name in ("yes", "no", "unknown", "none"))
    may_be_unknown = row.input.endswith(texts.unknown_hint) or unknown in row.choices
    open_answers = [unknown] if may_be_unknown else []
    if not asked:
        choices = tuple(row.choices) or (*sorted(world.meanings), *open_answers)
        open_phrases = {said: word for said, word in others.items() if word == unknown}
        phrases = _relation_phrases(row, world) | open_phrases
        return PhraseKey(row.target, f"relation-{code}", choices, phrases, markers, letters)
    if row.target in (yes, no, unknown):
        choices = tuple(row.choices) or (yes, no, *open_answers)
        phrases = {said: word for said, word in others.items() if word in (yes, no, unknown)}
        return PhraseKey(row.target, f"yes-no-{code}", choices, phrases, markers, letters)
    nobody = {said: word for said, word in others.items() if word == texts.answers["none"]}
    facts = stated_facts(row.metadata)
    names = dict.fromkeys(name for x, _, y in facts for name in (x, y))
    people = tuple(name for name in names if name != row.metadata["query"][0])
    conjunction = texts.conjunction
    kind = f"who-{code}"
    return NamesKey(row.target, kind, (), nobody, markers, names=people, conjunction=conjunction)


def _relation_phrases(row: Example, world: LocalizedWorld) -> dict[str, str]:
    """Return the answer that each sentence about the two people of the question gives."""
    x, y = row.metadata["query"]
    of_x = dict(row.metadata["genders"]).get(x)
    claims = [agreeing(claim, of_x, slot="x") for claim in world.claims]
    phrases: dict[str, str] = {}
    meant = {word: word for word in world.meanings} | world.aliases
    for word, answer in (meant | {word: word for word in world.others}).items():
        genders = [world.meanings[answer][1]] if answer in world.meanings else ["male", "female"]
        for phrase in _filled(claims, word, (x, y), genders):
            phrases.setdefault(normalized_phrase(phrase), answer)
    return phrases


def _filled(
    claims: Sequence[str], word: str, query: tuple[str, str], genders: Sequence[str | None]
) -> Iterator[str]:
    for claim in claims:
        for gender in genders:
            text = agreeing(claim, gender)
            yield text.replace("{x}", query[0]).replace("{y}", query[1]).replace("{word}", word)
