"""Answer keys: how answers to questions about a story are scored."""

import re
from collections.abc import Iterator
from functools import cache

from ....example import Example
from ....kb.worlds.languages import LocalizedWorld, find_language
from ....kb.worlds.world import World
from ....scoring.answers import AnswerKey, Members, OneOf, one_of, words_for, yes_no
from ....tables import load_tables
from ..metadata import UNKNOWN, stated_facts, world_of
from .phrases import phrase_key
from .step_number import step_key

_POLAR = ("yes", "no", UNKNOWN)


def answer_key(row: Example) -> AnswerKey:
    """Return the key of a row: a relation, yes or no, a set of people, or a step."""
    known = row.metadata
    if known.get("task") == "verify-steps":
        return step_key(row)
    world = world_of(row)
    if isinstance(world, LocalizedWorld):
        return phrase_key(row, world)
    x, y = known["query"]
    if known["asked"] and row.target in _POLAR:
        choices = _POLAR if _allows_unknown(row) else _POLAR[:2]
        return yes_no(row.target, choices, _asked_relation(row), letters=bool(row.choices))
    people = _people(row)
    if known["asked"]:
        return Members(row.target, "who", (), people, x, known["asked"], _other_relations(row))
    words, every = relation_words(world)
    unknown = [UNKNOWN] if _allows_unknown(row) else []
    return one_of(
        row.target,
        row.choices or [*every, *unknown],
        words | _plural(row),
        kind="relation",
        letters=bool(row.choices),
        names=(x, y),
        others=people,
        excluded=_wrong_sides(row),
    )


def english_key(row: Example) -> AnswerKey:
    """Return the key of a row for answers in its language or in English."""
    world = world_of(row)
    if isinstance(world, LocalizedWorld):
        return phrase_key(row, world, english=True)
    return answer_key(row)


def _other_relations(row: Example) -> frozenset[str]:
    """Return the words for relations that a row does not ask for."""
    asked, (words, _) = row.metadata["asked"], relation_words(world_of(row))
    others = {word for word, meant in words.items() if meant not in (asked, UNKNOWN)}
    return frozenset(others - set(asked.split()))


def _plural(row: Example) -> dict[str, str]:
    """Return the plural of a target that holds both ways: "They are sisters"."""
    genders = dict(row.metadata.get("genders") or ())
    x, y = row.metadata["query"]
    world = world_of(row)
    predicate, gender = world.meanings.get(row.target, ("", None))
    both = gender is None or genders.get(x) == genders.get(y)
    if predicate and both and world.inverse(predicate) == predicate:
        first, *rest = row.target.split("-")
        return {"-".join([f"{first}s", *rest]): row.target}
    return {}


_SIDES = {"father": "maternal", "mother": "paternal"}


def _wrong_sides(row: Example) -> tuple[str, ...]:
    """Return `maternal` if the chain leads over the father, `paternal` if over the mother."""
    place = row.metadata["query"][0]
    genders = dict(row.metadata.get("genders") or ())
    for a, word, b in row.metadata["facts"]:
        if place not in (a, b):
            break
        other = b if a == place else a
        if word in ("brother", "sister"):
            place = other
            continue
        if other == b and word in _SIDES:
            return (_SIDES[word],)
        if other == a and word in ("son", "daughter") and other in genders:
            return ("maternal" if genders[other] == "male" else "paternal",)
        break
    return ()


def _asked_relation(row: Example) -> OneOf:
    """Return a key for claims of the relation that a yes-no question asks about."""
    asked, (x, y) = row.metadata["asked"], row.metadata["query"]
    words, _ = relation_words(world_of(row))
    meant = {word: asked for word, meaning in words.items() if meaning == asked}
    return one_of(asked, (asked,), meant, names=(x, y), others=_people(row), letters=False)


def conventions(row: Example) -> str:
    """Return the conventions of the world and the possible answers, unless the row has them."""
    parts = []
    world = world_of(row)
    if world.conventions and world.conventions.brief not in row.input:
        parts.append(world.conventions.brief)
    listed = find_language(world.language).texts.possible_answers
    choices = () if row.choices else answer_key(row).choices
    if choices and listed.partition("{")[0] not in row.input:
        parts.append(listed.format(answers=", ".join(choices)))
    return " ".join(parts)


def _allows_unknown(row: Example) -> bool:
    return row.input.endswith(f"the answer is {UNKNOWN}.") or UNKNOWN in row.choices


def _people(row: Example) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for a, _, b in stated_facts(row.metadata) for name in (a, b)))


def _variants(word: str) -> Iterator[str]:
    """Yield other ways to write a relation: with synonyms, and with its two parts swapped."""
    written = [word]
    swapped = re.fullmatch(r"(began \w+) and (ended \w+) (than)", word)
    if swapped:
        written.append(f"{swapped[2]} and {swapped[1]} {swapped[3]}")
    if word == "began and ended at the same time as":
        written += ["ended and began at the same time as"]
        written += ["began at the same time as and ended at the same time as"]
    for one, other in load_tables(__package__, "synonyms.yaml").items():
        written += [each.replace(one, other) for each in written if one in each]
    yield from written


@cache
def relation_words(world: World) -> tuple[dict[str, str], list[str]]:
    """Return the meaning of each word that an answer may have, and the words that are answers."""
    words = words_for([UNKNOWN])
    own = {word: word for word in world.meanings} | world.aliases
    words |= {other: meant for word, meant in own.items() for other in _variants(word)}
    words |= {word: word for word in world.others} | own
    return words, sorted(world.meanings)
