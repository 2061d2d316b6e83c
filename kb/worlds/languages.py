"""Languages of stories: the words and texts of worlds in other languages than English.

A language is a folder: `language.yaml` has the texts that all worlds share, and for each world
that can be told in it, a folder of its name has `world.yaml` (relation words, questions,
conventions) and the sentence bank. docs/languages.md explains the files.
"""

import copy
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources.abc import Traversable
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from ...block import ENGLISH
from ...errors import BrokenPlugin, InvalidWorld, NotFound
from ...registry import LANGUAGES
from ...storage.text import read
from ..document import FieldPath, parse_document
from .fact import Fact
from .stories import Judge
from .verdict import Verdict
from .world import Conventions, Text, World, find_world

_ANSWERS: Final = ("yes", "no", "unknown", "none")
_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "answers": _ANSWERS,
    "genders": ("female", "male"),
    "rule": ("where", "nouns", "sentences", "convention"),
    "references": ("subject", "object", "possessive", "ending", "not_before", "prepositions"),
    "page": ("fact", "step", "asked", "whose", "open"),
    "lint": ("patterns", "seasons", "numbers"),
}
"""The keys of parts of `language.yaml`."""
Feature = Literal["words", "task", "gender-siblings", "judged-steps", "inflection"]
_TEXTS: Final = ("question", "yes_no", "plain", "legend", "who")


class _FileModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class GenderTexts(_FileModel):
    """Sentences that one person or several, {names}, have a gender."""

    one: Text
    many: Text


class Word(_FileModel):
    """A word that stands before others if they match a pattern."""

    before: str = ""
    word: Text


class LanguageFile(_FileModel):
    """`language.yaml`: the texts of a language that all worlds share."""

    format: Literal[1]
    name: Text
    """What its speakers call it."""
    answers: dict[str, Text]
    """The answers yes, no, unknown and none, by their English words."""
    unknown_hint: Text
    """Sentence after a question whose answer may be open."""
    possible_answers: Text
    """Sentence that lists {answers}."""
    genders: dict[str, GenderTexts]
    """By gender, female and male."""
    conjunctions: Annotated[tuple[Word, ...], Field(min_length=1)]
    """Words between the last two names of a list; the last entry is for all names."""
    steps: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Sentences that conclude {then} from {first} and {second}."""
    answer_phrases: dict[str, tuple[Text, ...]] = {}
    """Other phrases for these answers, which `gen score` understands."""
    answer_markers: tuple[Text, ...] = ()
    """Words such as `answer` that stand before a colon and the final answer of a model."""
    answer_leads: tuple[Text, ...] = ()
    """Beginnings of a sentence that ends in the answer, such as `the answer is`."""
    features: frozenset[Feature] = frozenset()
    """Names of features whose code exists for some languages only."""
    articles: tuple[Word, ...] = ()
    """The indefinite article {a} of a relation word in plain sentences."""
    thing_article: str = ""
    """The article before names of things in plain sentences, and a space."""
    rule: dict[str, Text] = {}
    """How explanations name the rule of a step; without it they name its convention only."""
    references: dict[str, Text] = {}
    """Words of pronouns for people of the sentence before; without it there are none."""
    page: dict[str, str]
    """Texts of pages about a story."""
    lint: dict[str, dict[str, Text]] = {}
    """Patterns of the linter for scenes: regular expressions, words of seasons, numbers."""

    @field_validator(*_KEYS)
    @classmethod
    def _has_all(cls, given: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        wanted = _KEYS[info.field_name or ""]
        if set(given) != set(wanted) or (wanted is _ANSWERS and len(set(given.values())) < 4):
            raise ValueError(f"give a different text for each of {', '.join(wanted)}")
        return given

    @field_validator("answer_phrases")
    @classmethod
    def _phrases_differ(
        cls, phrases: dict[str, tuple[str, ...]], info: ValidationInfo
    ) -> dict[str, tuple[str, ...]]:
        answers: dict[str, str] = info.data.get("answers", {})
        every = [*answers.values(), *(phrase for some in phrases.values() for phrase in some)]
        twice = [phrase for phrase, count in Counter(every).items() if count > 1]
        if twice or phrases.keys() - set(_ANSWERS):
            raise ValueError(f"{twice[0]!r} has two meanings" if twice else "unknown answer")
        return phrases

    def joined(self, names: Sequence[str]) -> str:
        """Return a list of names in words."""
        *others, last = names
        if not others:
            return last
        fitting = next(rule for rule in self.conjunctions if re.match(rule.before, last))
        return f"{', '.join(others)}{fitting.word}{last}"

    def article(self, word: str) -> str:
        """Return the indefinite article of a relation word, empty in languages without any."""
        return next((rule.word for rule in self.articles if re.match(rule.before, word)), "")


class WorldTexts(_FileModel):
    """`world.yaml`: the relation words and texts of a world in a language."""

    format: Literal[1]
    words: dict[str, str | dict[str, str]]
    """By predicate its word, or its words by gender."""
    aliases: dict[str, tuple[Text, ...]] = {}
    others: tuple[Text, ...] = ()
    conventions: Conventions | None = None
    question: Text
    yes_no: Text
    plain: Annotated[tuple[Text, ...], Field(min_length=1)]
    legend: Text
    who: Text = ""
    claims: tuple[Text, ...] = ()
    """Sentences that answer with {word} about {x} and {y}, which `gen score` understands."""


class Language:
    """A language of stories, read from its folder."""

    def __init__(self, code: str, folder: Traversable) -> None:
        self.code, self.folder = code, folder
        text = read(folder / "language.yaml", "give the folder of a language")
        self.texts, _ = parse_document(text, f"{code}/language.yaml", LanguageFile, InvalidWorld)

    @property
    def worlds(self) -> list[str]:
        """The worlds that can be told in it, by name."""
        return sorted(
            part.name.replace("_", "-")
            for part in self.folder.iterdir()
            if part.is_dir() and (part / "world.yaml").is_file()
        )

    def world_texts(self, world: World) -> WorldTexts:
        """Return the words and texts of a world; raise NotFound if it has none."""
        folder = self.folder / world.name.replace("-", "_")
        if not (folder / "world.yaml").is_file():
            raise NotFound(
                f"the world {world.name!r} is not told in {self.texts.name}; choose from "
                f"{', '.join(self.worlds)}"
            )
        file = f"{self.code}/{world.name}/world.yaml"
        text = read(folder / "world.yaml", "")
        parsed, _ = parse_document(
            text, file, WorldTexts, InvalidWorld, checks=[lambda data: _mistakes(data, world)]
        )
        return parsed


def _mistakes(data: Any, world: World) -> Iterator[tuple[FieldPath, str]]:
    """Yield what is wrong with the words, aliases and slots of a world's texts."""
    words = data.get("words") if isinstance(data, dict) else None
    if not isinstance(words, dict):
        return
    meanings: dict[str, str] = {}
    for name in world.predicates:
        yield from _word_mistakes(name, words.get(name), world, meanings)
    for name in words.keys() - world.predicates.keys():
        yield ("words", name), f"{world.name!r} has no predicate {name!r}"
    aliases = data.get("aliases")
    for word, others in aliases.items() if isinstance(aliases, dict) else ():
        if word not in meanings:
            yield ("aliases",), f"{word!r} is no relation word"
        for other in others if isinstance(others, list) else ():
            if other in meanings and meanings[other] != word:
                yield ("aliases", word), f"{other!r} has another meaning already"
            meanings[other] = word
    for name in ("question", "yes_no", "who", "plain", "claims"):
        texts = data.get(name) or ()
        for text in [texts] if isinstance(texts, str) else texts:
            known = {"x", "y", "word", *("a" if name == "plain" else "")}
            for slot in set(re.findall(r"\{([^{}:]*)", str(text))) - known:
                yield (name,), f"no slot {{{slot}}} here; there are {{x}}, {{y}} and {{word}}"


def _word_mistakes(
    name: str, given: Any, world: World, meanings: dict[str, str]
) -> Iterator[tuple[FieldPath, str]]:
    """Yield what is wrong with the words of a predicate; add them to the meanings."""
    if not given:
        yield ("words",), f"no word for the predicate {name!r}; add it"
        return
    by_gender = given if isinstance(given, dict) else {"": given}
    if set(by_gender) != set(world.genders or ("",)):
        yield ("words", name), f"give one word for each of {', '.join(world.genders) or 'all'}"
        return
    for gender, word in by_gender.items():
        meaning = f"{name} {gender}".strip()
        if meanings.setdefault(word, meaning) != meaning:
            yield ("words", name), f"{word!r} is the word for {meanings[word]!r} already"


@cache
def find_language(code: str) -> Language:
    """Return the language of this code, registered in the entry point group relsmith.languages."""
    folder = LANGUAGES.get(code)
    if not isinstance(folder, Traversable):
        raise BrokenPlugin(f"the language {code!r} is {folder!r}, not a folder; fix it")
    return Language(code, folder)


class LocalizedWorld(World):
    """A world in another language: other words, texts and sentences; the same rules and judges."""

    def __init__(self, english: World, language: Language) -> None:
        self.__dict__.update(copy.copy(english).__dict__)
        for name in ("rule_conventions", "meanings", "words", "same_kind_words"):
            self.__dict__.pop(name, None)
        texts = language.world_texts(english)
        self.language, self.english = language.code, english
        self.answer_words = language.texts.answers
        self.predicates = {
            name: predicate.model_copy(update={"words": texts.words[name]})
            for name, predicate in english.predicates.items()
        }
        self.aliases = {other: word for word, every in texts.aliases.items() for other in every}
        self.others, self.conventions = texts.others, texts.conventions
        self.sentences = language.folder / english.name.replace("-", "_")
        self.claims = texts.claims
        genders: tuple[str | None, ...] = english.genders or (None,)
        self._english_words = {
            predicate.word(gender): english.predicates[name].word(gender)
            for name, predicate in self.predicates.items()
            for gender in genders
        }
        self.own_words = {english: own for own, english in self._english_words.items()}
        """The relation words by their English words."""
        spec = english.story_spec
        self.stories = replace(
            spec,
            judge=self._translated(spec.judge),
            solver=self._translated(spec.solver or spec.judge),
            **{name: getattr(texts, name) for name in _TEXTS},
            unique_words=frozenset(self.own_words[word] for word in spec.unique_words),
            gender_of_word={word: gender for word, (_, gender) in self.meanings.items() if gender},
        )

    def _translated(self, judge: Judge) -> Judge:
        """Return an English judge of facts with the words of this language."""
        words, own = self._english_words, self.own_words

        def judged(facts: Iterable[Fact], *case: Any) -> Verdict:
            *known, claimed = case
            translated = [(x, words[word], y) for x, word, y in facts]
            verdict = judge(translated, *known, words.get(claimed or "", claimed))
            answers = frozenset([own.get(answer, answer) for answer in verdict.answers])
            return Verdict(verdict.status, answers)

        return judged


@cache
def world_in(name: str, language: str = ENGLISH) -> World:
    """Return a world by name in a language; raise NotFound if it is not told in it."""
    world = find_world(name)
    return world if language == world.language else LocalizedWorld(world, find_language(language))
