"""Sentence banks as data: their schema, and a loader that names every mistake.

A bank is a folder: `bank.yaml` declares the language, `lists.yaml` the words that fill lexical
slots, `vocabulary.yaml` (if there) the words the linter knows, and every other YAML file holds
frames of one theme. docs/templates.md explains both.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache, cached_property
from importlib.resources.abc import Traversable
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ..errors import InvalidBank, NotFound
from ..kb.document import (
    FieldPath,
    LineNumbers,
    Mistake,
    field_name,
    format_mistakes,
    parse_document,
)
from ..kb.worlds.world import UNSTATED, World, find_world
from ..storage.text import read
from .frame import Frame
from .language import Head, Language, Part, Text
from .tokens import Choice, Filler, Name, Noun, Option, Pronoun, flat, tokens

ANY = "any"
LONGEST = 3

_NO_THEMES = ("bank.yaml", "lists.yaml", "vocabulary.yaml")
_ASIDE = ("a",)  # the slot of those of whom something is said that states no fact
_STATE = re.compile(r"([a-z]) (\S+) ([a-z])")


class Lists(Part):
    """`lists.yaml`: words and phrases for lexical slots."""

    format: Literal[1]
    lists: dict[str, tuple[Text, ...]]


class Vocabulary(Part):
    """`vocabulary.yaml`: every word that is known to be spelt right."""

    format: Literal[1]
    words: str


class FrameText(Part):
    """A frame that needs more than its group says."""

    text: Text
    genders: dict[str, str] = Field({})


def _as_text(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


class Group(Part):
    """Frames that state the same facts, or none."""

    states: Annotated[tuple[Text, ...], Field(max_length=LONGEST)]
    genders: dict[str, str] = Field({})
    frames: dict[str, Annotated[FrameText, BeforeValidator(_as_text)]] = Field(min_length=1)


class Theme(Part):
    """A file of frames."""

    format: Literal[1]
    theme: Text
    groups: tuple[Group, ...]


class Bank:
    """The frames of a world in one language."""

    def __init__(
        self,
        world: World,
        head: Head,
        language: Language,
        frames: Iterable[Frame],
        vocabulary: frozenset[str] = frozenset(),
    ) -> None:
        self.world = world
        self.head = head
        self.language = language
        self.frames = tuple(frames)
        self.vocabulary = vocabulary

    @cached_property
    def by_id(self) -> dict[str, Frame]:
        """Every frame by its id."""
        return {frame.id: frame for frame in self.frames}

    def names(self, gender: str | None = None) -> tuple[str, ...]:
        """Names to try the bank with, by gender where the world has genders."""
        names = self.head.names
        if isinstance(names, dict):
            return names[gender] if gender else tuple(n for some in names.values() for n in some)
        return names


@cache
def find_bank(name: str) -> Bank:
    """The bank of the world of this name."""
    world = find_world(name)
    if world.sentences is None:
        raise NotFound(f"the world {name!r} has no sentences; choose a world that has")
    return load_bank(world.sentences, world)


def load_bank(folders: Traversable | Sequence[Traversable], world: World) -> Bank:
    """Read a bank from its folder, or raise one error that lists the mistakes of its files.

    Of several folders each adds to those before it, and a file of the same name takes the place of
    theirs.
    """
    files = {
        file.name: file
        for folder in (folders if isinstance(folders, Sequence) else (folders,))
        for file in folder.iterdir()
        if file.name.endswith(".yaml")
    }
    return parse_bank({name: read(files[name]) for name in sorted(files)}, world)


def parse_bank(texts: dict[str, str], world: World) -> Bank:
    """Make a bank of its files' texts by file name."""
    missing = [name for name in ("bank.yaml", "lists.yaml") if name not in texts]
    if missing:
        raise InvalidBank(f"the bank for {world.name!r} lacks {missing[0]}; add it")
    head, lines = parse_document(texts["bank.yaml"], "bank.yaml", Head, InvalidBank)
    mistakes = _mistakes("bank.yaml", lines, _wrong_head(head, world))
    lists, lines = parse_document(texts["lists.yaml"], "lists.yaml", Lists, InvalidBank)
    mistakes += _mistakes("lists.yaml", lines, _wrong_lists(lists))
    if mistakes:
        raise InvalidBank("\n".join(mistakes))
    language = Language(head, world.genders, lists.lists)
    reader = _Reader(world, head, language)
    frames: dict[str, Frame] = {}
    words = ""
    for name, text in texts.items():
        if name == "vocabulary.yaml":
            vocabulary, _ = parse_document(text, name, Vocabulary, InvalidBank)
            words = vocabulary.words
        if name in _NO_THEMES:
            continue
        theme, lines = parse_document(text, name, Theme, InvalidBank)
        mistakes += _mistakes(name, lines, reader.read(theme, frames))
    if mistakes:
        raise InvalidBank("\n".join(mistakes))
    return Bank(world, head, language, frames.values(), frozenset(words.split()))


def _mistakes(
    file: str, lines: LineNumbers, complaints: Iterable[tuple[FieldPath, str]]
) -> list[str]:
    mistakes = [
        Mistake(lines.line_of(where), field_name(where, file), what) for where, what in complaints
    ]
    return format_mistakes(file, mistakes).splitlines()


def _wrong_head(head: Head, world: World) -> Iterator[tuple[FieldPath, str]]:
    if world.name not in head.world:
        yield ("world",), f"expected {world.name!r}, but got {', '.join(head.world)!r}"
    for case, pronoun in head.pronouns.items():
        given, wanted = {*pronoun.words, UNSTATED}, {*world.genders, UNSTATED}
        unnamed = pronoun.instead is None and not set(world.genders) <= set(pronoun.words)
        if given != wanted or unnamed:
            yield ("pronouns", case), f"give one word for each of {', '.join(world.genders)}"
    for name, predicates in (*head.sets.items(), ("opposite", head.opposite)):
        for predicate in predicates:
            if predicate not in world.predicates:
                yield ("sets", name), f"{predicate!r} is not a predicate of {world.name!r}"
    for word, uses in head.nouns.items():
        for use in uses:
            predicate, _, gender = use.partition(" ")
            if predicate not in world.predicates or gender not in ("", *world.genders):
                yield ("nouns", word), f"expected 'predicate' or 'predicate gender', got {use!r}"
    if ANY in head.sets or set(head.sets) & set(world.predicates):
        yield ("sets",), f"a set may not be called {ANY!r} or like a predicate; rename it"
    try:
        for pattern in (head.sentence_end, *(article.before for article in head.articles)):
            re.compile(pattern)
    except re.error as error:
        yield ("articles",), f"{pattern!r} is no regular expression: {error}"


def _wrong_lists(lists: Lists) -> Iterator[tuple[FieldPath, str]]:
    for name, words in lists.lists.items():
        if not re.fullmatch(r"[a-z][a-z-]+", name):
            yield ("lists", name), "a list's name has small letters and -, at least two"
        seen: set[str] = set()
        for n, word in enumerate(words):
            if word in seen:
                yield ("lists", name, n), f"{word!r} is there already; delete it"
            seen.add(word)


class _Reader:
    """Makes frames of a theme, and notes what is wrong with them."""

    def __init__(self, world: World, head: Head, language: Language) -> None:
        self.world = world
        self.language = language
        self.sets: dict[str, tuple[str, ...]] = {name: (name,) for name in world.predicates}
        self.sets |= {ANY: tuple(world.predicates)} | head.sets

    def read(self, theme: Theme, frames: dict[str, Frame]) -> Iterator[tuple[FieldPath, str]]:
        for number, group in enumerate(theme.groups):
            where: FieldPath = ("groups", number)
            try:
                path, predicates = self._path(group.states)
            except ValueError as error:
                yield (*where, "states"), str(error)
                continue
            for key, entry in group.frames.items():
                place = (*where, "frames", key)
                if not re.fullmatch(rf"{re.escape(theme.theme)}-[a-z0-9-]+", key):
                    yield place, f"an id begins with the theme, as in {theme.theme}-1"
                if key in frames:
                    yield place, f"the id is taken in {frames[key].theme}; give another"
                try:
                    parts = tokens(entry.text)
                    if not group.states:
                        path = _ASIDE if any(isinstance(part, Name) for part in parts) else ()
                    genders = self._genders({**group.genders, **entry.genders}, path)
                    frame = Frame(
                        key,
                        theme.theme,
                        entry.text,
                        path,
                        predicates,
                        genders,
                        parts,
                        self.language,
                    )
                    self._check(frame)
                except ValueError as error:
                    yield place, str(error)
                else:
                    frames[key] = frame

    def _genders(self, genders: dict[str, str], path: tuple[str, ...]) -> dict[str, str]:
        for slot, gender in genders.items():
            if slot not in path or gender not in self.world.genders:
                raise ValueError(f"no slot {slot!r} of gender {gender!r} here")
        return genders

    def _path(self, states: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[frozenset[str], ...]]:
        """Facts as a path of slots and, for each step, the predicates that it can state."""
        if not states:
            return (), ()
        steps: dict[str, dict[str, frozenset[str]]] = {}
        for state in states:
            match = _STATE.fullmatch(state)
            if not match or match[1] == match[3]:
                raise ValueError(f"expected a fact like 'a {ANY} b', but got {state!r}")
            there = frozenset(p for name in match[2].split("|") for p in self._predicates(name))
            if match[3] in steps.get(match[1], {}):
                raise ValueError(f"{match[1]} and {match[3]} are joined twice")
            back = frozenset(inverse for p in there if (inverse := self.world.inverse(p)))
            steps.setdefault(match[1], {})[match[3]] = there
            steps.setdefault(match[3], {})[match[1]] = back
        ends = [slot for slot, onward in steps.items() if len(onward) == 1]
        if len(ends) != 2 or any(len(onward) > 2 for onward in steps.values()):
            raise ValueError("the facts do not form one path of people; split the group")
        path, predicates = [min(ends)], []
        while len(path) <= len(states):
            following = [slot for slot in steps[path[-1]] if slot not in path]
            if not following:
                raise ValueError("the facts do not form one path of people; split the group")
            predicates.append(steps[path[-1]][following[0]])
            path.append(following[0])
        return tuple(path), tuple(predicates)

    def _predicates(self, name: str) -> tuple[str, ...]:
        if name not in self.sets:
            close = get_close_matches(name, self.sets, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(self.sets)}"
            raise ValueError(f"{name!r} is neither predicate nor set; {hint}")
        return self.sets[name]

    def _check(self, frame: Frame) -> None:
        named: set[str] = set()
        spoken_of: set[str] = set()
        used: set[str] = set()
        place = {slot: n for n, slot in enumerate(frame.path)}
        for token in flat(frame.tokens):
            slots = {getattr(token, part, None) for part in ("slot", "holder", "also")} - {None}
            stranger = next((slot for slot in slots if slot not in place), None)
            if stranger:
                raise ValueError(f"slot {stranger!r} is in no fact of the group")
            if isinstance(token, Name):
                named.add(token.slot)
                spoken_of.add(token.slot)
            elif isinstance(token, Pronoun):
                self._check_pronoun(token, spoken_of)
            elif isinstance(token, Noun):
                self._check_noun(token, frame, place)
                spoken_of.add(token.slot)
            elif isinstance(token, Choice) and len(token.words) != len(self.world.genders):
                raise ValueError(f"{token.words} needs one word for each gender of the world")
            elif isinstance(token, Filler):
                self._check_filler(token, used)
        if missing := set(frame.path) - named:
            raise ValueError(f"slot {min(missing)!r} is never named")
        options = [token for token in frame.tokens if isinstance(token, Option)]
        if any(isinstance(part, Name | Noun) for option in options for part in option.tokens):
            raise ValueError("an option may not name people or their relations")

    def _check_noun(self, token: Noun, frame: Frame, place: dict[str, int]) -> None:
        stated = set()
        for holder in (token.holder, token.also or token.holder):
            if abs(place[holder] - place[token.slot]) != 1:
                raise ValueError(f"no fact joins {holder!r} and {token.slot!r}")
            names = frame.predicates[min(place[holder], place[token.slot])]
            backwards = place[holder] > place[token.slot]
            stated.add(frozenset(self.world.inverse(name) if backwards else name for name in names))
        if token.also and (len(stated) > 1 or len(stated.pop()) > 1):
            raise ValueError(f"{token.slot!r} may not be the same to both; write two nouns")

    def _check_filler(self, token: Filler, used: set[str]) -> None:
        if token.words not in self.language.lists:
            close = get_close_matches(token.words, self.language.lists, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"there is no list {token.words!r}{hint}")
        if token.words in used:
            raise ValueError(f"the list {token.words!r} is used twice")
        used.add(token.words)

    def _check_pronoun(self, token: Pronoun, spoken_of: set[str]) -> None:
        if token.case not in self.language.pronouns:
            known = ", ".join(self.language.pronouns) or "none"
            raise ValueError(f"no pronoun {token.case!r} in bank.yaml; known: {known}")
        if token.slot not in spoken_of:
            raise ValueError(f"{{{token.slot}.{token.case}}} stands before {{{token.slot}}}")
