"""Shares of facts and answers that a regular expression finds in our stories, by k.

Given the names, it looks for a kinship word next to a name and a possessor before it. A story
that it solves reveals little about a reading model.
"""

import re
from collections import Counter

from closure import closure

from relsmith.example import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import story_segments
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.world import find_world

ROWS = 900
WORLD = find_world("kinship")
RULES = RuleIndex.from_world(WORLD)
PLURAL = {"sons": "son", "daughters": "daughter", "brothers": "brother", "sisters": "sister"}
Fact = tuple[str, str, str]


def extract(text: str, people: list[str]) -> set[Fact]:
    """Return the facts (x, word, y) that the patterns find in one or two sentences."""
    name = rf"\b(?:{'|'.join(map(re.escape, sorted(people, key=len, reverse=True)))})\b"
    kin = rf"(?P<kin>{'|'.join(map(re.escape, sorted(WORLD.meanings, key=len, reverse=True)))})"
    holder = rf"(?P<x>{name}'s|\b(?:his|her|whose)\b)(?: own)?"
    patterns = (
        rf"(?i:{holder} {kin},? )(?P<y>{name})",
        rf"(?P<y>{name}), (?:who is )?(?i:{holder} {kin})\b",
        rf"(?P<y>{name})(?:,| is| being) (?:who is )?(?:the |an? )?{kin} (?:of|to) (?P<x>{name})",
        rf"(?P<y>{name}) is (?i:{holder} {kin})\b",
    )
    facts: set[Fact] = set()
    for pattern in patterns:
        for match in re.finditer(pattern, text):
            x, y = match["x"].removesuffix("'s"), match["y"]
            if x not in people:
                x = _possessor(x.lower(), text, match, y, name, facts)
            if x and x != y:
                facts.add((x, match["kin"].lower(), y))
    for match in re.finditer(rf"(?P<x>{name}) (?:married|wed) (?P<y>{name})", text):
        facts.add((match["x"], "SO", match["y"]))
    both = rf"(?P<kin>{'|'.join(PLURAL)}),? (?P<y>{name}) and (?P<z>{name})"
    for match in re.finditer(both, text):
        x = _possessor("", text, match, match["y"], name, facts)
        facts |= {(x, PLURAL[match["kin"]], match[end]) for end in ("y", "z") if x}
    return facts


def _possessor(
    word: str, text: str, match: "re.Match[str]", y: str, name: str, facts: set[Fact]
) -> str:
    """Return the last person named before, or the last with the pronoun's gender if known."""
    known = {person: WORLD.meanings[kin][1] for _, kin, person in facts if kin in WORLD.meanings}
    wanted = {"his": "male", "her": "female"}.get(word)
    before = [person for person in re.findall(name, text[: match.start()]) if person != y]
    fitting = [person for person in before if known.get(person, wanted) == wanted]
    return (fitting or before or [""])[-1]


def both_ways(facts: set[Fact]) -> dict[tuple[str, str], str]:
    """Return the predicate from each person to the other."""
    found = {}
    for x, word, y in facts:
        predicate = WORLD.meanings[word][0] if word in WORLD.meanings else word
        found[y, x] = WORLD.inverse(predicate) or predicate
        found[x, y] = predicate
    return found


def solve(row: Example, facts: dict[tuple[str, str], str]) -> bool:
    """Return whether the found facts entail the answer and no other."""
    closed = closure(RULES, ((x, predicate, y) for (x, y), predicate in facts.items()))
    query = tuple(row.metadata["query"])
    return {name for x, name, y in closed if (x, y) == query} == {WORLD.meanings[row.target][0]}


def main() -> None:
    """Print the shares for stories without noise."""
    told: Counter[int] = Counter()
    read: Counter[int] = Counter()
    solved: Counter[int] = Counter()
    rows: Counter[int] = Counter()
    for row in Clutrr.configure({"k": "2..10"}).examples(ROWS):
        k, people = row.metadata["k"], [name for name, _ in row.metadata["genders"]]
        found: dict[tuple[str, str], str] = {}
        for text in story_segments(row):
            found |= both_ways(extract(text, people))
        facts = [(x, WORLD.meanings[word][0], y) for x, word, y in row.metadata["facts"]]
        told[k] += len(facts)
        read[k] += sum(found.get((x, y)) == predicate for x, predicate, y in facts)
        solved[k] += solve(row, found)
        rows[k] += 1
    for k in sorted(rows):
        print(f"k {k:2}: {read[k] / told[k]:6.1%} of facts, {solved[k] / rows[k]:6.1%} of answers")
    facts, answers = read.total() / told.total(), solved.total() / rows.total()
    print(f"all : {facts:6.1%} of facts, {answers:6.1%} of answers")


if __name__ == "__main__":
    main()
