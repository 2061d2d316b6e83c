"""The schema of sentence banks, and a loader that reports all mistakes at once.

A bank is a folder: `bank.yaml` declares the language, `lists.yaml` the words for lexical slots,
`vocabulary.yaml` (optional) the words the linter knows, and every other YAML file holds frames of
one theme. Files in the folder `scenes` hold the frames of one scene each. See docs/templates.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources.abc import Traversable
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ..block import ENGLISH
from ..errors import InvalidBank, NotFound, did_you_mean
from ..kb.document import (
    FieldPath,
    LineNumbers,
    Mistake,
    field_name,
    format_mistakes,
    parse_document,
)
from ..kb.worlds.languages import world_in
from ..kb.worlds.world import UNSTATED, World
from ..storage.text import read
from .frame import CLOSING, OPENING, Frame, ScenePart
from .language import BankHeader, BankModel, Language, Text
from .tokens import (
    GenderedWord,
    LexicalSlot,
    Name,
    Noun,
    OptionalPart,
    Pronoun,
    flatten,
    parse_tokens,
)

ANY = "any"
MAX_FACTS = 3

_OTHER_FILES = ("bank.yaml", "lists.yaml", "vocabulary.yaml", "world.yaml")
_ASIDE_PATH = ("a",)  # the slot of a person in a frame that states no fact
_FACT = re.compile(r"([a-z]) (\S+) ([a-z])")


class WordListsFile(BankModel):
    """`lists.yaml`: words and phrases for lexical slots."""

    format: Literal[1]
    lists: dict[str, tuple[Text, ...]]


class VocabularyFile(BankModel):
    """`vocabulary.yaml`: the correctly spelt words."""

    format: Literal[1]
    words: str


class FrameText(BankModel):
    """A frame with required genders of its own."""

    text: Text
    genders: dict[str, str] = Field({})


def _as_text(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


class FrameGroup(BankModel):
    """Frames that state the same facts, or none."""

    states: Annotated[tuple[Text, ...], Field(max_length=MAX_FACTS)]
    genders: dict[str, str] = Field({})
    frames: dict[str, Annotated[FrameText, BeforeValidator(_as_text)]] = Field(min_length=1)


class Scene(BankModel):
    """The occasion of a story: sentences that begin and end it, and its season."""

    season: Literal["spring", "summer", "autumn", "winter", "any"]
    openings: Annotated[tuple[Text, ...], Field(min_length=1)]
    closings: Annotated[tuple[Text, ...], Field(min_length=1)]


class ThemeFile(BankModel):
    """A file of frames, perhaps those of a scene."""

    format: Literal[1]
    theme: Text
    scene: Scene | None = None
    groups: tuple[FrameGroup, ...]


@dataclass(frozen=True, eq=False)
class Bank:
    """The frames of a world in one language."""

    world: World
    header: BankHeader
    language: Language
    frames: tuple[Frame, ...]
    vocabulary: frozenset[str]
    scenes: dict[str, Scene]

    @cached_property
    def by_id(self) -> dict[str, Frame]:
        """Every frame by its id."""
        return {frame.id: frame for frame in self.frames}


@cache
def find_bank(name: str, language: str = ENGLISH) -> Bank:
    """Return the bank of a world by name in a language; raise NotFound if it has none."""
    world = world_in(name, language)
    if world.sentences is None:
        raise NotFound(f"the world {name!r} has no sentences; choose one that has")
    return load_bank(world.sentences, world)


def load_bank(folders: Traversable | Sequence[Traversable], world: World) -> Bank:
    """Read a bank from a folder, or raise one error that lists all mistakes in its files.

    Later folders add to earlier ones; a file replaces an earlier one of the same name.
    """
    files: dict[str, Traversable] = {}
    for folder in folders if isinstance(folders, Sequence) else (folders,):
        for prefix, part in (("", folder), ("scenes/", folder / "scenes")):
            for file in part.iterdir() if part.is_dir() else ():
                if file.name.endswith(".yaml"):
                    files[prefix + file.name] = file
    return parse_bank({name: read(files[name]) for name in sorted(files)}, world)


def parse_bank(texts: dict[str, str], world: World) -> Bank:
    """Return a bank from the texts of its files by file name."""
    for name in ("bank.yaml", "lists.yaml"):
        if name not in texts:
            raise InvalidBank(f"the bank for {world.name!r} lacks {name}; add it")
    header, lines = parse_document(texts["bank.yaml"], "bank.yaml", BankHeader, InvalidBank)
    mistakes = _located("bank.yaml", lines, _header_mistakes(header, world))
    mistakes += _located("bank.yaml", lines, _agreement_mistakes(header, world))
    lists, lines = parse_document(texts["lists.yaml"], "lists.yaml", WordListsFile, InvalidBank)
    mistakes += _located("lists.yaml", lines, _list_mistakes(lists))
    if mistakes:
        raise InvalidBank("\n".join(mistakes))
    language = Language(header, world.genders, lists.lists)
    parser = _FrameParser(world, header, language)
    frames: dict[str, Frame] = {}
    scenes: dict[str, Scene] = {}
    words = ""
    for name, text in texts.items():
        if name == "vocabulary.yaml":
            vocabulary, _ = parse_document(text, name, VocabularyFile, InvalidBank)
            words = vocabulary.words
        if name in _OTHER_FILES:
            continue
        theme, lines = parse_document(text, name, ThemeFile, InvalidBank)
        mistakes += _located(name, lines, parser.parse(theme, frames))
        if theme.scene:
            scenes[theme.theme] = theme.scene
    if mistakes:
        raise InvalidBank("\n".join(mistakes))
    return Bank(world, header, language, (*frames.values(),), frozenset(words.split()), scenes)


def _located(file: str, lines: LineNumbers, found: Iterable[tuple[FieldPath, str]]) -> list[str]:
    mistakes = [
        Mistake(lines.line_of(where), field_name(where, file), what) for where, what in found
    ]
    return format_mistakes(file, mistakes).splitlines()


def _header_mistakes(header: BankHeader, world: World) -> Iterator[tuple[FieldPath, str]]:
    if world.name not in header.world:
        yield ("world",), f"expected {world.name!r}, but got {', '.join(header.world)!r}"
    for case, pronoun in header.pronouns.items():
        given, wanted = {*pronoun.words, UNSTATED}, {*world.genders, UNSTATED}
        unnamed = pronoun.instead is None and not set(world.genders) <= set(pronoun.words)
        if given != wanted or unnamed:
            yield ("pronouns", case), f"give one word for each of {', '.join(world.genders)}"
    for name, predicates in (*header.sets.items(), ("opposite", header.opposite)):
        for predicate in predicates:
            if predicate not in world.predicates:
                yield ("sets", name), f"{predicate!r} is not a predicate of {world.name!r}"
    for word, uses in header.nouns.items():
        for use in uses:
            predicate, _, gender = use.partition(" ")
            if predicate not in world.predicates or gender not in ("", *world.genders):
                yield ("nouns", word), f"expected 'predicate' or 'predicate gender', got {use!r}"
    if ANY in header.sets or set(header.sets) & set(world.predicates):
        yield ("sets",), f"a set may not be named {ANY!r} or like a predicate; rename it"
    try:
        for pattern in (header.sentence_end, *(article.before for article in header.articles)):
            re.compile(pattern)
    except re.error as error:
        yield ("articles",), f"{pattern!r} is not a regular expression: {error}"


def _agreement_mistakes(header: BankHeader, world: World) -> Iterator[tuple[FieldPath, str]]:
    genders = list(world.genders)
    for name, determiner in header.determiners.items():
        of_holder = determiner.holder
        tables = [*of_holder.values()] if of_holder else [determiner.words]
        if of_holder and (determiner.words or list(of_holder) != genders):
            yield ("determiners", name), f"give 'words', or 'holder' for {', '.join(genders)}"
        elif any(list(words) != genders for words in tables):
            yield ("determiners", name), f"give one word for each of {', '.join(genders)}"
        if determiner.form and determiner.form not in header.forms:
            yield ("determiners", name, "form"), f"no form {determiner.form!r} under 'forms'"
    for preposition, names in header.governs.items():
        for name in set(names) - header.determiners.keys():
            yield ("governs", preposition), f"{name!r} is no determiner"
    for form, inflected in header.forms.items():
        for word in inflected.keys() - world.meanings.keys():
            yield ("forms", form), f"{word!r} is no relation noun of {world.name!r}"


def _list_mistakes(lists: WordListsFile) -> Iterator[tuple[FieldPath, str]]:
    for name, words in lists.lists.items():
        if not re.fullmatch(r"[a-z][a-z-]+", name):
            yield ("lists", name), "expected a list name of two or more lower-case letters and -"
        seen: set[str] = set()
        for n, word in enumerate(words):
            if word in seen:
                yield ("lists", name, n), f"{word!r} is listed already; delete it"
            seen.add(word)


def _groups(theme: ThemeFile) -> Iterator[tuple[FieldPath, FrameGroup, ScenePart]]:
    """Yield the groups of a file, with those of the openings and closings of its scene."""
    parts: tuple[ScenePart, ...] = (OPENING, CLOSING)
    for part in parts if theme.scene else ():
        for n, text in enumerate(getattr(theme.scene, f"{part}s")):
            frames = {f"{theme.theme}-{part}-{n + 1}": FrameText(text=text, genders={})}
            yield ("scene", f"{part}s", n), FrameGroup(states=(), genders={}, frames=frames), part
    for number, group in enumerate(theme.groups):
        yield ("groups", number), group, ""


class _FrameParser:
    def __init__(self, world: World, header: BankHeader, language: Language) -> None:
        self.world = world
        self.language = language
        self.determiners = {
            name: (tuple(determiner.words.values()), determiner.form)
            for name, determiner in header.determiners.items()
        }
        self.sets: dict[str, tuple[str, ...]] = {name: (name,) for name in world.predicates}
        self.sets |= {ANY: tuple(world.predicates)} | header.sets

    def parse(self, theme: ThemeFile, frames: dict[str, Frame]) -> Iterator[tuple[FieldPath, str]]:
        for where, group, part in _groups(theme):
            try:
                path, predicates = self._path(group.states)
            except ValueError as error:
                yield (*where, "states"), str(error)
                continue
            for key, entry in group.frames.items():
                place = where if part else (*where, "frames", key)
                if not re.fullmatch(rf"{re.escape(theme.theme)}-[a-z0-9-]+", key):
                    yield place, f"expected an id that begins with the theme, as in {theme.theme}-1"
                if key in frames:
                    yield place, f"the id is taken in {frames[key].theme}; choose another"
                try:
                    parts = parse_tokens(entry.text, self.determiners)
                    if not (group.states or part):
                        path = _ASIDE_PATH if any(isinstance(part, Name) for part in parts) else ()
                    frame = Frame(
                        id=key,
                        theme=theme.theme,
                        text=entry.text,
                        path=path,
                        predicates=predicates,
                        genders=self._genders({**group.genders, **entry.genders}, path),
                        tokens=parts,
                        language=self.language,
                        scene=theme.theme if theme.scene else "",
                        part=part,
                    )
                    self._check(frame)
                except ValueError as error:
                    yield place, str(error)
                else:
                    frames[key] = frame

    def _genders(self, genders: dict[str, str], path: tuple[str, ...]) -> dict[str, str]:
        for slot, gender in genders.items():
            if slot not in path or gender not in self.world.genders:
                raise ValueError(f"no slot {slot!r} with gender {gender!r} here")
        return genders

    def _path(self, states: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[frozenset[str], ...]]:
        """Return the path of slots that facts form, and the predicates that each step can state."""
        if not states:
            return (), ()
        steps: dict[str, dict[str, frozenset[str]]] = {}
        for state in states:
            match = _FACT.fullmatch(state)
            if not match or match[1] == match[3]:
                raise ValueError(f"expected a fact like 'a {ANY} b', but got {state!r}")
            there = frozenset(p for name in match[2].split("|") for p in self._predicates(name))
            if match[3] in steps.get(match[1], {}):
                raise ValueError(f"{match[1]} and {match[3]} have two facts")
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
            guess = did_you_mean(name, self.sets).rstrip() or f"known: {', '.join(self.sets)}"
            raise ValueError(f"{name!r} is neither a predicate nor a set; {guess}")
        return self.sets[name]

    def _check(self, frame: Frame) -> None:
        named: set[str] = set()
        mentioned: set[str] = set()
        used: set[str] = set()
        place = {slot: n for n, slot in enumerate(frame.path)}
        for token in flatten(frame.tokens):
            parts = ("slot", "holder", "also", "agrees")
            slots = {getattr(token, part, None) for part in parts} - {None}
            for slot in slots - place.keys():
                raise ValueError(f"slot {slot!r} is in no fact of the group")
            if isinstance(token, Name):
                named.add(token.slot)
                mentioned.add(token.slot)
            elif isinstance(token, Pronoun):
                self._check_pronoun(token, mentioned)
            elif isinstance(token, Noun):
                self._check_noun(token, frame, place)
                mentioned.add(token.slot)
            elif isinstance(token, GenderedWord) and len(token.words) != len(self.world.genders):
                raise ValueError(f"{token.words} needs one word for each gender of the world")
            elif isinstance(token, LexicalSlot):
                self._check_list(token, used)
        if missing := set(frame.path) - named:
            raise ValueError(f"slot {min(missing)!r} is never named; add {{{min(missing)}}}")
        options = [token for token in frame.tokens if isinstance(token, OptionalPart)]
        if any(isinstance(part, Name | Noun) for option in options for part in option.tokens):
            raise ValueError("an optional part may not have names or relation nouns")

    def _check_noun(self, token: Noun, frame: Frame, place: dict[str, int]) -> None:
        stated = set()
        for holder in (token.holder, token.also or token.holder):
            if abs(place[holder] - place[token.slot]) != 1:
                raise ValueError(f"no fact relates {holder!r} and {token.slot!r}")
            names = frame.predicates[min(place[holder], place[token.slot])]
            backwards = place[holder] > place[token.slot]
            stated.add(frozenset(self.world.inverse(name) if backwards else name for name in names))
        if token.also and (len(stated) > 1 or len(stated.pop()) > 1):
            raise ValueError(f"{token.slot!r} may have two relations here; write two nouns")

    def _check_list(self, token: LexicalSlot, used: set[str]) -> None:
        if token.list_name not in self.language.lists:
            guess = did_you_mean(token.list_name, self.language.lists).rstrip()
            raise ValueError(f"no list {token.list_name!r}{guess and f'; {guess}'}")
        if token.list_name in used:
            raise ValueError(f"the list {token.list_name!r} is used twice")
        used.add(token.list_name)

    def _check_pronoun(self, token: Pronoun, mentioned: set[str]) -> None:
        if not token.agrees and token.case not in self.language.pronouns:
            known = ", ".join(self.language.pronouns) or "none"
            raise ValueError(f"no pronoun {token.case!r} in bank.yaml; known: {known}")
        if token.slot not in mentioned:
            raise ValueError(f"{{{token.slot}.{token.case}}} comes before {{{token.slot}}}")
