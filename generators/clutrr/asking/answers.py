"""Answer keys: how answers to questions about a story are scored."""

from functools import cache

from ....example import Example
from ....kb.worlds.questions import PartQuestion, RankQuestion
from ....kb.worlds.world import World
from ....scoring.answers import NO_WORDS, YES_WORDS, AnswerKey, Members, Several, one_of, words_for
from ..metadata import POSSIBLE, UNKNOWN, stated_facts
from ..options import story_worlds

_POLAR = ("yes", "no", UNKNOWN)


def answer_key(row: Example) -> AnswerKey:
    """Return the key of a row: a relation, yes or no, a set of people, or of possible relations."""
    known = row.metadata
    x, y = known["query"]
    if asks_for_part(row):
        return _part(row)
    if known["asked"] == POSSIBLE:
        words, every = _words(worlds_of(row))
        return Several(row.target, POSSIBLE, tuple(every), words)
    if known["asked"] and row.target in _POLAR:
        yes = dict.fromkeys((*YES_WORDS, "true"), "yes")
        no = dict.fromkeys((*NO_WORDS, "false"), "no")
        words = yes | no | words_for([UNKNOWN])
        choices = _POLAR if _allows_unknown(row) else _POLAR[:2]
        letters = bool(row.choices)
        return one_of(row.target, choices, words, kind="yes-no", letters=letters)
    people = _people(row)
    if known["asked"]:
        # A rank may be that of one of the two people of the query.
        return Members(row.target, "who", (), people, "" if asks_for_rank(row) else x)
    words, every = _words(worlds_of(row))
    unknown = [UNKNOWN] if _allows_unknown(row) else []
    return one_of(
        row.target,
        row.choices or [*every, *unknown],
        words,
        kind="relation",
        letters=bool(row.choices),
        names=(x, y),
        others=people,
    )


def asks_for_part(row: Example) -> bool:
    """Return whether a row asks for a part of a relation, such as its direction."""
    return row.metadata["asked"] in _parts(worlds_of(row))


def asks_for_rank(row: Example) -> bool:
    """Return whether a row asks for a rank: tallest, second tallest."""
    asked: str = row.metadata["asked"]
    superlative = asked.rpartition(" ")[2]
    ranks = [world.questions.get("rank") for world in worlds_of(row)]
    return any(
        superlative in rank.superlatives.values()
        for rank in ranks
        if isinstance(rank, RankQuestion)
    )


def _part(row: Example) -> AnswerKey:
    part = _parts(worlds_of(row))[row.metadata["asked"]]
    words = {other: answer for answer, every in part.aliases.items() for other in every}
    words |= words_for([UNKNOWN]) | {other: other for other in part.others}
    unknown = [UNKNOWN] if _allows_unknown(row) else []
    return one_of(row.target, [*part.answers, *unknown], words, kind="part", letters=False)


def conventions(row: Example) -> str:
    """Return the conventions of the world and the possible answers, unless the row has them."""
    parts = []
    world = next((world for world in worlds_of(row) if world.conventions), None)
    if world and world.conventions:
        brief, full = world.conventions.brief, world.conventions.full
        if brief not in row.input and full not in row.input:
            parts.append(brief)
    choices = () if row.choices else answer_key(row).choices
    if choices and "The answer is one of these: " not in row.input:
        parts.append(f"The answer is one of these: {', '.join(choices)}.")
    return " ".join(parts)


def _allows_unknown(row: Example) -> bool:
    return row.input.endswith(f"the answer is {UNKNOWN}.") or UNKNOWN in row.choices


def _people(row: Example) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for a, _, b in stated_facts(row.metadata) for name in (a, b)))


def worlds_of(row: Example) -> tuple[World, ...]:
    """Return the worlds that fit the relation words and the opening of a story."""
    worlds = _worlds_with(frozenset(word for _, word, _ in row.metadata["facts"]))
    openings = {world: world.story_spec.opening for world in worlds}
    opened = tuple(world for world in worlds if openings[world] and openings[world] in row.input)
    return opened or tuple(world for world in worlds if not openings[world]) or worlds


@cache
def _worlds_with(words: frozenset[str]) -> tuple[World, ...]:
    return tuple(world for world in story_worlds() if words <= set(world.meanings))


@cache
def _parts(worlds: tuple[World, ...]) -> dict[str, PartQuestion]:
    return {name: part for world in worlds for name, part in world.parts.items()}


@cache
def _words(worlds: tuple[World, ...]) -> tuple[dict[str, str], list[str]]:
    """Return the meaning of each word that an answer may have, and the words that are answers."""
    words = words_for([UNKNOWN])
    for world in worlds:
        words |= {word: word for word in (*world.others, *world.meanings)} | world.aliases
    return words, sorted({word for world in worlds for word in world.meanings})
