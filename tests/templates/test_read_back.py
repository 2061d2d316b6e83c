"""Frames of worlds without genders are parsed back by small grammars of English.

phrases.yaml has the phrases of frames for one relation. Kinship is in test_backparse.py.
"""

import re
from collections.abc import Callable
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from relsmith import Stream
from relsmith.kb.worlds.world import find_world
from relsmith.templates.bank import find_bank
from relsmith.templates.samples import render
from relsmith.templates.stitcher import Stitcher
from relsmith.testing.profile import scaled, thinned

SAYS = yaml.safe_load(Path(__file__).with_name("phrases.yaml").read_text())


@cache
def stitcher_of(world):
    return Stitcher(find_bank(world))


@cache
def words_of(world):
    return {name: entry.word() for name, entry in find_world(world).predicates.items()}


def alternatives(words):
    return "|".join(sorted(words, key=len, reverse=True))


def plain(world, frame):
    """Return whether the frame states its facts in the words of the world."""
    return bool(frame.predicates) and len(frame.predicates[0]) == len(words_of(world))


def background(world):
    """Return the frames of no scene; those of scenes have forms of their own, and were read."""
    return [frame for frame in find_bank(world).frames if not frame.scene]


def read_placed(name, said, text):
    """Return the facts (x, word, y) of a text such as "y is left of x".

    y is the thing named last before; if that is x, or if there is none, the thing named next.
    """
    facts = []
    for found in said.finditer(text):
        before = re.findall(name, text[: found.start()], re.IGNORECASE)
        after = re.findall(name, text[found.end() :], re.IGNORECASE)
        x = found[2] or before[-2]
        y = before[-1] if before and before[-1] != x else after[0]
        facts.append((x, found[1].lower(), y))
    return facts


def read_timed(name, said, text):
    """Return the facts of a text: the subject of a verb is the event named last before.

    In a riddle that asks for something, it is the one named next.
    """
    facts = []
    for found in said.finditer(text):
        before = re.findall(name, text[: found.start()], re.IGNORECASE)
        after = re.findall(name, text[found.end() :], re.IGNORECASE)
        facts.append((found[2].lower(), found[1].lower(), (before or after[:1])[-1].lower()))
    return facts


# Text before the comparison if its subject is named later.
RIDDLE = re.compile(r"(^who was|asked who was|those who were) $", re.I)


def read_compared(name, said, text):
    """Return the facts of a text: the subject is the person named last before, or in a riddle next.

    The other person is named directly behind, or is the answer to "whom".
    """
    facts = []
    for found in said.finditer(text):
        ahead, behind = text[: found.start()], text[found.end() :]
        before, after = re.findall(name, ahead), re.findall(name, behind)
        listed = re.search(rf"{name} among those who were $", ahead)
        y = listed[1] if listed else after[0] if RIDDLE.search(ahead) else before[-1]
        facts.append((found[2] or after[0], found[1].lower(), y))
    return facts


def read_work(name, said, text):
    """Return the facts of a text: "y is x's word".

    y is named directly behind, or is the one named last before, or the one named next.
    """
    facts = []
    for found in said.finditer(text):
        holder, whose, word, behind, alone, of = found.groups()
        before = re.findall(name, text[: found.start()])
        after = re.findall(name, text[found.end() :])
        x = holder or of or (before[-1] if whose else None)
        facts.append((x, word or alone, behind or (before[-1] if before else after[0])))
    return facts


NUMBER = r"(?:one step|(?:two|three|more than three) steps)"
WAY = "(?:north|south|east|west)(?:-east|-west)?"
STEP = f"{NUMBER} {WAY}"
STEPS = f"{STEP}(?: and {STEP})? of"


class Grammar(NamedTuple):
    """Names of four people or things, a parser of plain frames, and the number of these."""

    names: tuple[str, ...]
    name: str
    said: str
    read: Callable
    least: tuple[int, int, int] = (15, 15, 15)

    def parsed(self, text):
        name = self.name.format("|".join(self.names))
        return self.read(name, re.compile(self.said.replace("NAME", name), re.I), text)


PEOPLE = ("Ada", "Bilal", "Carmen", "Dmitri")
PLACES = ("mill", "chapel", "lake", "bakery")
PLACED = rf"\b({STEPS}) (?:NAME|(it)\b)"
GRAMMARS = {
    "ordering": Grammar(
        *(PEOPLE, r"\b({})\b"),
        rf"\b({alternatives(words_of('ordering').values())})(?: NAME)?",
        read_compared,
    ),
    "work": Grammar(
        *(PEOPLE, r"\b({})\b"),
        # Possessor, noun and perhaps the name; or noun and possessor.
        rf"(?:NAME's|(whose)) ({alternatives(words_of('work').values())})\b(?: is| was)?(?: NAME)?|"
        rf"\b({alternatives(words_of('work').values())}) of NAME",
        read_work,
    ),
    "spatial": Grammar(
        *(("lamp", "kettle", "vase", "clock"), r"the ({})\b"),
        rf"\b({alternatives(words_of('spatial').values())}) (?:NAME|(it)\b)",
        read_placed,
    ),
    "space": Grammar(PLACES, r"the ({})\b", PLACED, read_placed, (45, 25, 20)),
    **{
        world: Grammar(
            *(names, r"the ({})\b"),
            rf"\b({alternatives(words_of(world).values())}) NAME",
            read_timed,
        )
        for world, names in (
            ("time", ("parade", "concert", "regatta", "blizzard")),
            ("time-points", ("parade", "concert", "flash", "gong")),
        )
    },
}
worlds = pytest.mark.parametrize("world", GRAMMARS)


def clauses_of(world, length):
    """Return all chains of predicates, or some if there are many."""
    words, stream = words_of(world), Stream("read back", world, length)
    between = {name: entry.between for name, entry in find_world(world).predicates.items()}
    if len(words) ** length < 300:
        every = list(product(words, repeat=length))
    else:
        every = [[stream.choice(list(words)) for _ in range(length)] for _ in range(300)]
    if "same" in words:
        every[:3] = [["same"] * length, *([*every[n][1:], "same"] for n in (1, 2))]
    fitting = [
        clause
        for clause in every
        if all(not between[a] or between[a][1] == between[b][0] for a, b in pairwise(clause))
    ]
    return thinned(fitting, least=60 if length > 1 else len(fitting))


@worlds
@pytest.mark.parametrize("length", [1, 2, 3])
def test_frames_that_state_any_relation_are_read_back(world, length):
    frames = [f for f in background(world) if plain(world, f) and len(f.predicates) == length]
    grammar, words = GRAMMARS[world], words_of(world)
    assert len(frames) >= grammar.least[length - 1]
    names = grammar.names[: length + 1]
    for frame in frames:
        for clause in clauses_of(world, length):
            text = render(stitcher_of(world), frame, False, clause, (None,) * (length + 1), names)
            told = [(x, words[r], y) for x, r, y in zip(names, clause, names[1:], strict=False)]
            assert sorted(grammar.parsed(text)) == sorted(told), (frame.id, text)


@worlds
def test_realized_facts_are_parsed_back_in_either_direction(world):
    stream, bank, words = Stream(world), find_bank(world), words_of(world)
    only = Stitcher(bank, only=[frame.id for frame in background(world) if plain(world, frame)])
    for _ in range(scaled(300, least=100)):
        x, y = stream.sample(GRAMMARS[world].names, 2)
        name = stream.choice(sorted(words))
        (line,) = only.realize_path([x, y], (None, name, None), stream)
        back = words[bank.world.inverse(name)]
        read = GRAMMARS[world].parsed(line.text)
        assert read in ([(x, words[name], y)], [(y, back, x)]), line.text


def single_frames(world, *names, without=()):
    """Yield the frames for one relation: their id, predicate and text in lower case."""
    for frame in background(world):
        if frame.predicates and not plain(world, frame) and frame.id not in without:
            ((name,),) = frame.predicates
            text = render(stitcher_of(world), frame, False, [name], (None, None), names).lower()
            yield frame.id, name, text


DIMENSIONS = {
    "taller": "taller shorter tall height grow heel",
    "older": "older younger old age born lived",
    "faster": "faster slower fast speed race distance outrun",
    "stronger": "stronger weaker strong strength train",
}


def test_frames_for_one_comparison_say_just_that():
    used = set()
    for frame, name, text in single_frames("ordering", "Ada", "Bilal"):
        meant = set()
        for (sign, phrases), (turned, two) in product(
            SAYS["ordering"].items(), enumerate((("ada", "bilal"), ("bilal", "ada")))
        ):
            for phrase in phrases:
                if found := re.search(phrase.format(*two), text):
                    (more,) = [d for d, said in DIMENSIONS.items() if found[1] in said.split()]
                    same = "as-" + DIMENSIONS[more].split()[2]
                    meant.add(({">": more, "=": same, "<=": f"not-{more}"}[sign], turned))
                    used.add(phrase)
        # (Ada, name, Bilal): Bilal has this relation to Ada.
        expected = {(name, 0), (name, 1)} if name.startswith("as-") else {(name, 0)}
        assert meant and meant <= expected, (frame, text)
    assert used == {phrase for phrases in SAYS["ordering"].values() for phrase in phrases}


SIDES = {"left": "right", "right": "left"}
SAYS["spatial"]["upper-right"] = [
    re.sub("left|right", lambda side: SIDES[side[0]], phrase)
    for phrase in SAYS["spatial"]["upper-left"]
]


@pytest.mark.parametrize(
    ("world", "x", "y"), [("spatial", "the lamp", "the kettle"), ("work", "ada", "bilal")]
)
def test_frames_for_one_relation_say_just_that(world, x, y):
    names = [name.removeprefix("the ") for name in (x, y)]
    for frame, name, text in single_frames(world, *names):
        # (x, name, y): y has this relation to x, as the first of a phrase to the second.
        meant = {
            (relation, turned and relation != "teammate")
            for relation, phrases in SAYS[world].items()
            for phrase in phrases
            for turned, two in ((False, (y, x)), (True, (x, y)))
            if re.search(phrase.format(*two), text)
        }
        assert meant == {(name, False)}, (frame, text)


def holding(said):
    """Return the relations of two events that are consistent with comparisons of moments."""
    left = set()
    for first, second in product(combinations(range(4), 2), repeat=2):
        at = {"s0": first[0], "e0": first[1], "s1": second[0], "e1": second[1]}
        if all(
            at[one] < at[other] if sign == "<" else at[one] == at[other]
            for one, sign, other in (re.fullmatch(r"(..)([<=])(..)", s).groups() for s in said)
        ):
            left.add(tuple((at[one] > at[other]) - (at[one] < at[other]) for one, other in MOMENTS))
    return left


MOMENTS = list(combinations(("s0", "e0", "s1", "e1"), 2))
EVENTS = {
    "before": "e0<s1",
    "meets": "e0=s1",
    "overlaps": "s0<s1 s1<e0 e0<e1",
    "starts": "s0=s1 e0<e1",
    "during": "s1<s0 e0<e1",
    "finishes": "s1<s0 e0=e1",
    "equals": "s0=s1 e0=e1",
}


def test_frames_for_one_relation_of_events_say_just_that():
    names, used = ["the concert", "the parade"], set()
    for frame, name, text in single_frames("time", "parade", "concert"):
        # (parade, name, concert): the concert has this relation to the parade.
        said = []
        for pattern, comparisons in SAYS["time"].items():
            if re.search(pattern.format(*names), text):
                said += comparisons.split()
                used.add(pattern)
            elif re.search(pattern.format(*reversed(names)), text):
                said += comparisons.translate(str.maketrans("01", "10")).split()
                used.add(pattern)
        left = holding(said)
        assert left == holding(EVENTS[name].split()) and len(left) == 1, (frame, said, text)
    assert used == set(SAYS["time"])


INSTANTS = {
    **{"earlier": "i<j", "at-once": "i=j"},
    **{"ahead": "i<s", "opens": "i=s", "amid": "s<i i<e", "closes": "i=e", "past": "e<i"},
}


def test_frames_for_one_relation_of_instants_say_just_that():
    used, older = set(), find_bank("time").by_id
    assert older.keys() < find_bank("time-points").by_id.keys()
    for what in ("gong", "concert"):
        for frame, name, text in single_frames("time-points", what, "flash", without=older):
            is_instant = find_world("time-points").predicates[name].between[0] == "instant"
            if is_instant == (what == "gong"):
                fitting = [p for p in SAYS["time-points"] if re.search(p, text)]
                assert [SAYS["time-points"][p] for p in fitting] == [INSTANTS[name]], (frame, text)
                used.update(fitting)
    assert used == set(SAYS["time-points"])


def test_each_meaning_is_one_relation():
    """Check that exactly one relation of an instant to another or to an event is meant."""
    kinds = {name: set() for name in INSTANTS}
    for at, (first, last) in product(range(3), combinations_with_replacement(range(3), 2)):
        value = {"i": at, "j": first, "s": first, "e": last}
        for name, meant in INSTANTS.items():
            instant = find_world("time-points").predicates[name].between[0] == "instant"
            if (first == last) == instant and all(
                value[a] < value[b] if sign == "<" else value[a] == value[b]
                for a, sign, b in meant.split()
            ):
                kinds[name].add(((at > first) - (at < first), (at > last) - (at < last)))
    assert all(len(ways) == 1 for ways in kinds.values())


NUMBERS = {"one": 1, "two": 2, "three": 3, "second": 2, "third": 3, "": 1}
NUMBERS |= {"a single square": 2, "two squares": 3}
NUMBERS |= {"more than three": 4, "further away than three": 4}
N = f"(?P<n>{'|'.join(sorted(filter(None, NUMBERS), key=len, reverse=True))})"
D, E = "(?P<d>[a-z]+(?:-[a-z]+)?)", "(?P<e>[a-z]+)"
X, Y = "the (?P<x>mill|chapel)", "the (?P<y>mill|chapel)"
# Phrases for one relation: N steps in the direction D, and M (or as many) in the direction E,
# lead from X to Y.
PHRASES = [
    f"{Y} lay in the very next square to the {D} of {X}",
    f"{N} step straight {D} from {X} took .* to {Y}",
    f"from {X} it was {N} steps straight {D} to {Y}",
    f"took {N} steps straight {D} from {X} and was at {Y}",
    f"left {X} on its {D} side, and the first square entered was that of {Y}",
    f"squares of {X} and {Y} shared an edge, on the {D} side of the (?P=x)",
    f"left {X}, walked straight {D}, and on the {N} step arrived at {Y}",
    f"straight to the {D} of {X}, with {N} in between, lay {Y}",
    f"{Y} lay straight to the {D} of {X}, and {N} steps",
    f"walked straight {D} from {X}, and after {N} steps came to {Y}",
    f"went {N} steps? {D} from {X} and (?:as many|(?P=n) step) {E}, and was at {Y}",
    f"from {X}, {N} steps? {D} led to {Y}",
    f"squares of {X} and {Y} touched at a corner only, the {D} one of the (?P=x)",
    f"left {X} and kept to the diagonal, {N} steps? {D}, until {Y} was reached",
    f"from {X}, .* walked {N} steps? {D}, then (?P<m>one|two|three) steps? {E}, and stopped at {Y}",
    f"the way from {X} to {Y} was {N} steps? {D} and (?P<m>one|two|three) steps? {E}",
]
ALONG = {
    "north": (1, 0),
    "south": (-1, 0),
    "east": (0, 1),
    "west": (0, -1),
}


def walked(text):
    """Return all (x, steps north, steps east, y) in a text."""
    found = set()
    for phrase in PHRASES:
        for match in re.finditer(phrase, text.lower()):
            said = match.groupdict()
            steps = NUMBERS[said.get("n") or ""]
            turns = [(steps, name) for name in said["d"].split("-")]
            if said.get("e"):
                turns.append((NUMBERS[said.get("m") or said.get("n")], said["e"]))
            ways = [sum(n * ALONG[name][axis] for n, name in turns) for axis in range(2)]
            found.add((said["x"], *ways, said["y"]))
    return found


def meant(name):
    """Return the steps north and east of a predicate."""
    way = {word[0]: steps for word, steps in ALONG.items()}
    parts = re.findall(r"([nsew])([123+])", name)
    return tuple(
        sum(way[letter][axis] * (4 if n == "+" else int(n)) for letter, n in parts)
        for axis in range(2)
    )


def either(name, x, y):
    """Return a fact in both directions."""
    ways = meant(name)
    return {(x, *ways, y)}, {(y, *(-way for way in ways), x)}


def test_frames_for_one_way_say_just_that():
    found = list(single_frames("space", "mill", "chapel"))
    assert len(found) == 70
    for frame, name, text in found:
        # (mill, name, chapel): the chapel lies there from the mill, and the mill the other way.
        assert walked(text) in either(name, "mill", "chapel"), (frame, text)


def test_realized_ways_are_parsed_back_in_either_direction():
    world = "space"
    stream, bank = Stream("ways"), find_bank(world)
    ways = [frame.id for frame in background(world) if not plain(world, frame)]
    stated = sorted({name for way in ways for name in bank.by_id[way].predicates[0]})
    for _ in range(scaled(200, least=80)):
        x, y = stream.sample(PLACES[:2], 2)
        name = stream.choice(stated)
        only = Stitcher(bank, only=ways)
        (line,) = only.realize_path([x, y], (None, name, None), stream)
        assert walked(line.text) in either(name, x, y), line.text
