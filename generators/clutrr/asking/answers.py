"""How answers to questions about a story are read."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from ....errors import RelsmithError
from ....example import Example
from ....kb.worlds.world import PartOfWords, World, find_world
from ....registry import WORLDS
from ....scoring.answers import NO_WORDS, YES_WORDS, Key, Members, Several, one_of, words_for
from ..metadata import told
from .question import POSSIBLE, UNKNOWN

_POLAR = ("yes", "no", UNKNOWN)


def answer_key(row: Example) -> Key:
    """A relation, yes or no, everyone who is asked for, or all relations that are possible."""
    known = row.metadata
    x, y = known["query"]
    if asks_for_part(row):
        return _part(row)
    if known["asked"] == POSSIBLE:
        words, every = _words(worlds_of(row))
        return Several(row.target, POSSIBLE, tuple(every), words)
    if known["asked"] and row.target in _POLAR:
        words = dict.fromkeys((*YES_WORDS, "true"), "yes") | dict.fromkeys(
            (*NO_WORDS, "false"), "no"
        )
        choices = _POLAR if _may_be_open(row) else _POLAR[:2]
        return one_of(
            row.target,
            choices,
            words | words_for([UNKNOWN]),
            kind="yes-no",
            letters=bool(row.choices),
        )
    people = _people(row)
    if known["asked"]:
        # Whoever ranks may be one of the two at the ends of the chain.
        return Members(row.target, "who", (), people, "" if asks_for_rank(row) else x)
    words, every = _words(worlds_of(row))
    open_ = [UNKNOWN] if _may_be_open(row) else []
    return one_of(
        row.target,
        row.choices or [*every, *open_],
        words,
        kind="relation",
        letters=bool(row.choices),
        names=(x, y),
        others=people,
    )


def asks_for_part(row: Example) -> bool:
    """Whether a part of a relation is asked for, such as its direction."""
    return row.metadata["asked"] in _parts(worlds_of(row))


def asks_for_rank(row: Example) -> bool:
    """Whether a superlative is asked for: tallest, second tallest."""
    asked: str = row.metadata["asked"]
    superlative = asked.rpartition(" ")[2]
    return any(superlative in world.superlatives.values() for world in worlds_of(row))


def _part(row: Example) -> Key:
    part = _parts(worlds_of(row))[row.metadata["asked"]]
    words = {other: answer for answer, every in part.aliases.items() for other in every}
    words |= words_for([UNKNOWN]) | {other: other for other in part.others}
    open_ = [UNKNOWN] if _may_be_open(row) else []
    return one_of(row.target, [*part.answers, *open_], words, kind="part", letters=False)


def conventions(row: Example) -> str:
    """What holds in the world, and which answers there are, as far as the row says neither."""
    parts = []
    world = next((world for world in worlds_of(row) if world.conventions), None)
    if world and world.conventions:
        said = world.conventions
        if said.brief not in row.input and said.full not in row.input:
            parts.append(said.brief)
    choices = () if row.choices else answer_key(row).choices
    if choices and "The answer is one of these: " not in row.input:
        parts.append(f"The answer is one of these: {', '.join(choices)}.")
    return " ".join(parts)


def _may_be_open(row: Example) -> bool:
    return row.input.endswith(f"the answer is {UNKNOWN}.") or UNKNOWN in row.choices


def _people(row: Example) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for a, _, b in told(row.metadata) for name in (a, b)))


def worlds_of(row: Example) -> tuple[World, ...]:
    """The worlds that a story may be set in, by the words of its facts and by what opens it."""
    worlds = _fitting(frozenset(word for _, word, _ in row.metadata["facts"]))
    opened = tuple(world for world in worlds if _opening(world) and _opening(world) in row.input)
    return opened or tuple(world for world in worlds if not _opening(world)) or worlds


def _opening(world: World) -> str:
    return world.stories.opening if world.stories else ""


@cache
def _fitting(words: frozenset[str]) -> tuple[World, ...]:
    return tuple(world for world in _every() if words <= set(world.meanings))


@cache
def _parts(worlds: tuple[World, ...]) -> dict[str, PartOfWords]:
    return {name: part for world in worlds for name, part in world.parts.items()}


def _every() -> Iterator[World]:
    for name in WORLDS.entries:
        with suppress(RelsmithError):
            yield find_world(name)


@cache
def _words(worlds: tuple[World, ...]) -> tuple[dict[str, str], list[str]]:
    """What each word means that an answer may be, and the words that are answers."""
    words = words_for([UNKNOWN])
    for world in worlds:
        words |= {word: word for word in (*world.others, *world.meanings)} | world.aliases
    return words, sorted({word for world in worlds for word in world.meanings})
