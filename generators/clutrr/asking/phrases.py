"""The answer key of stories in other languages than English: whole sentences, listed beforehand.

English answers are read by rules about negation, hedging and reported speech. Other languages have
a list of sentences instead (`claims` in the `world.yaml` of a language), filled with the words of
the world and the two people of the question. An answer is a text whose sentences are all in the
list and agree, or one whose last line is marked as the answer and is in the list. Whatever is not
is unreadable, so that no wrong answer can be taken for the right one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from string import ascii_lowercase

from ....block import ENGLISH
from ....example import Example, set_target
from ....kb.worlds.languages import LocalizedWorld, find_language
from ....kb.worlds.stories import agreeing
from ....scoring.answers import AnswerKey, Score
from ....scoring.extraction import AnswerPassage, Unreadable, after_thinking, plain
from ..metadata import stated_facts

_MAX_TEXT = 20_000
_LETTER = re.compile(r"\(?([a-z])(?:[).:]\s*|\Z)(.*)")
_QUOTES = re.compile('["*`\u201a\u201e\u201c\u201d\u00ab\u00bb\u2018\u2019]')
_OUTER_SIGNS = " .,;:!\u00a1-\u2026'"
_QUESTION = re.compile("[?\u00bf]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_]|[\"*])|\n")
_ENDS = re.compile(r"(?<!\.\.)[.!)\]]\Z")
"""The end of a line that does not go on in the next one."""
_BOXED = re.compile(r"\\boxed\s*\{([^{}]*)\}\s*\.?")
_JSON = re.compile(r'\{\s*"(?:answer|antwort|respuesta)"\s*:\s*"([^"]*)"\s*\}', re.IGNORECASE)
_TAG = re.compile(r"<answer>(.*)</answer>", re.IGNORECASE)
_SIBILANTS = ("s", "x", "z", "\u00df", "ce")


@dataclass(frozen=True)
class PhraseKey(AnswerKey):
    """Key for answers that are one of many listed sentences.

    `phrases` maps each sentence, normalized, to the answer that it gives. `markers` are the words
    that stand before a colon and the final answer, `leads` begin a sentence that ends in it.
    """

    phrases: Mapping[str, str] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    letters: bool = False
    """Whether a letter may stand for one of the choices."""

    def score(self, text: str) -> Score:
        """Extract the answer from a text and compare it with the right one."""
        try:
            answer = self._extract(plain(after_thinking(text)[-_MAX_TEXT:]).strip())
        except Unreadable as reason:
            return Score(0.0, None, str(reason))
        right = answer == self.right and bool(self.right)
        return Score(float(right), answer, "right" if right else f"expected {self.right}")

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the answer that some passages give together."""
        return self._extract("\n".join(passage.text for passage in passages))

    def _extract(self, text: str) -> str:
        """Return the answer of a text: of its marked last line, or of all its sentences."""
        if match := _JSON.fullmatch(text):
            text = match[1]
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        if not lines:
            raise Unreadable("it is empty")
        marked = {answer for line in lines if (answer := self._marked(line)) is not None}
        last = self._marked(lines[-1])
        if last is not None:
            if len(marked) > 1:
                raise Unreadable(f"several answers are given: {', '.join(sorted(marked))}")
            if len(lines) > 1 and not _ENDS.search(lines[-2]):
                raise Unreadable("the line before the answer does not end a sentence")
            return last
        whole = self._answer(text)
        said = [whole] if whole else [self._answer(part) for part in _SENTENCE_END.split(text)]
        if None in said:
            raise Unreadable("it has a sentence that is none of those that are understood")
        found = sorted({answer for answer in said if answer})
        if len(found) > 1:
            raise Unreadable(f"several answers are given: {', '.join(found)}")
        return found[0]

    def _marked(self, line: str) -> str | None:
        """Return the answer of a line that marks it; None if it does not, or if it is unknown."""
        line = _QUOTES.sub("", line)
        for pattern in (_BOXED, _TAG):
            if match := pattern.fullmatch(line):
                return self._answer(match[1])
        name, colon, rest = line.partition(":")
        if not colon or normalized_phrase(name) not in {m.casefold() for m in self.markers}:
            return None
        boxed = _BOXED.fullmatch(rest.strip())
        return self._answer(boxed[1] if boxed else rest)

    def _answer(self, text: str) -> str | None:
        """Return the answer that a sentence gives; None if it is not understood."""
        if _QUESTION.search(text):
            return None
        said = normalized_phrase(text)
        if said not in self.phrases:
            said = self._without_lead(said)
        letter = _LETTER.fullmatch(text.strip().lower())
        if letter and self.letters and said not in self.phrases:
            number = ascii_lowercase.index(letter[1])
            answer = self.choices[number] if number < len(self.choices) else None
            rest = normalized_phrase(letter[2])
            return answer if not rest or self.phrases.get(rest) == answer else None
        return self.phrases.get(said)

    def _without_lead(self, said: str) -> str:
        """Return a normalized phrase without the beginning that announces an answer."""
        lead = next((lead for lead in self.leads if said.startswith(f"{lead.casefold()} ")), "")
        return normalized_phrase(said[len(lead) :])


def normalized_phrase(text: str) -> str:
    """Return a sentence in lower case, without quotes, outer punctuation and repeated spaces.

    Punctuation inside stays: "no, es mayor" is not "no es mayor".
    """
    return _folded(text).strip(_OUTER_SIGNS)


def _folded(text: str) -> str:
    return " ".join(_QUOTES.sub("", text.casefold()).split())


@dataclass(frozen=True)
class NamesKey(PhraseKey):
    """Key for a set of people, in any order; `phrases` are those that name nobody."""

    names: tuple[str, ...] = ()
    conjunctions: tuple[str, ...] = ()

    def _extract(self, text: str) -> str:
        return self._listed(text) or super()._extract(text)

    def _answer(self, text: str) -> str | None:
        named = self._listed(text) or self._listed(self._without_lead(normalized_phrase(text)))
        return named or super()._answer(text)

    def _listed(self, text: str) -> str | None:
        """Return the target for a list of names; None if anything else is in it."""
        words = "|".join(re.escape(word.strip()) for word in self.conjunctions)
        people = {name.casefold(): name for name in self.names}
        parts = re.split(rf"[,;\n]|\s(?:{words})\s", text)
        found = [people.get(normalized_phrase(part)) for part in parts]
        if _QUESTION.search(text) or not all(found):
            return None
        return set_target(sorted({name for name in found if name}))


def phrase_key(row: Example, world: LocalizedWorld, *, english: bool = False) -> PhraseKey:
    """Return the key of a row about a story that is not in English.

    With `english`, sentences in English are understood, too.
    """
    code, asked = world.language, row.metadata["asked"]
    texts = find_language(code).texts
    read = (texts, find_language(ENGLISH).texts) if english else (texts,)
    others = {
        normalized_phrase(phrase): texts.answers[answer]
        for language in read
        for answer, word in language.answers.items()
        for phrase in (word, *language.answer_phrases.get(answer, ()))
    }
    markers = tuple(marker for language in read for marker in language.answer_markers)
    leads = tuple(lead for language in read for lead in language.answer_leads)
    letters = bool(row.choices)
    yes, no, unknown, none = (texts.answers[name] for name in ("yes", "no", "unknown", "none"))
    is_open = row.input.endswith(texts.unknown_hint) or unknown in row.choices
    open_answers = [unknown] * is_open
    if not asked:
        choices = tuple(row.choices) or (*sorted(world.meanings), *open_answers)
        phrases = {said: word for said, word in others.items() if word == unknown}
        if english:
            plain = ("{word}", *world.english.story_spec.plain)
            phrases |= dict(_english_claims(row, world, plain))
        phrases |= _relation_phrases(row, world)
        return PhraseKey(row.target, f"relation-{code}", choices, phrases, markers, leads, letters)
    if row.target in (yes, no, unknown):
        choices = tuple(row.choices) or (yes, no, *open_answers)
        phrases = {said: word for said, word in others.items() if word in (yes, no, unknown)}
        asking = (asked, *(alias for alias, meant in world.aliases.items() if meant == asked))
        filled = [_filled(row, world, word, asked, about_both=True) for word in asking]
        claims = [(claim, [yes]) for claim in chain.from_iterable(filled)]
        if english:
            plain = world.english.story_spec.plain
            meant = (claim for claim, word in _english_claims(row, world, plain) if word == asked)
            claims += [(claim, [yes, "yes"]) for claim in meant]
        for claim, affirmations in claims:
            phrases[claim] = yes
            phrases |= {normalized_phrase(f"{word}, {claim}"): yes for word in affirmations}
        return PhraseKey(row.target, f"yes-no-{code}", choices, phrases, markers, leads, letters)
    nobody = {said: word for said, word in others.items() if word == none}
    names = dict.fromkeys(name for x, _, y in stated_facts(row.metadata) for name in (x, y))
    people = tuple(name for name in names if name != row.metadata["query"][0])
    words = tuple(rule.word for language in read for rule in language.conjunctions)
    return NamesKey(
        *(row.target, f"who-{code}", (), nobody, markers, leads), names=people, conjunctions=words
    )


def _relation_phrases(row: Example, world: LocalizedWorld) -> dict[str, str]:
    """Return the answer that each sentence about the two people of the question gives."""
    own = {word: word for word in world.meanings}
    phrases: dict[str, str] = {}
    for word, answer in ({word: word for word in world.others} | world.aliases | own).items():
        for phrase in _filled(row, world, word, answer):
            phrases.setdefault(phrase, answer)
    return phrases


def _english_claims(
    row: Example, world: LocalizedWorld, claims: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield claims with the two people and each English relation word, and their answers."""
    x, y = row.metadata["query"]
    own = {word: word for word in (*world.english.meanings, *world.english.others)}
    for word, meant in (world.english.aliases | own).items():
        article = find_language(ENGLISH).texts.article(word)
        for claim in claims:
            said = claim.replace("{a}", article).replace("{word}", word)
            said = normalized_phrase(said.replace("{x}", x).replace("{y}", y))
            yield said, world.own_words.get(meant, meant)


def _filled(
    row: Example, world: LocalizedWorld, word: str, answer: str, *, about_both: bool = False
) -> Iterator[str]:
    """Yield claims with the two people of the question and a word for an answer, normalized."""
    x, y = row.metadata["query"]
    possessive = "{x}' " if x.endswith(_SIBILANTS) else "{x}s "
    of_x, names = dict(row.metadata["genders"]).get(x), (_folded(x), _folded(y))
    for claim in _claims(world, word, answer, of_x, possessive):
        if not about_both or ("{x}" in claim and "{y}" in claim):
            yield claim.replace("{x}", names[0]).replace("{y}", names[1]).strip(_OUTER_SIGNS)


@cache
def _claims(
    world: LocalizedWorld, word: str, answer: str, of_x: str | None, possessive: str
) -> list[str]:
    """Return the claims of a word for an answer, in lower case, with {x} and {y} left open."""
    genders = [world.meanings[answer][1]] if answer in world.meanings else ["male", "female"]
    texts = [
        agreeing(agreeing(claim, of_x, slot="x"), gender)
        for claim in world.claims
        for gender in genders
    ]
    return [_folded(text.replace("{x}s ", possessive).replace("{word}", word)) for text in texts]
