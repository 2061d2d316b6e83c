"""How often the wrong step of a derivation is found without reading the story.

Four guessers, fitted to one half of the rows and tried on the other: the most frequent target for a
number of steps; naive Bayes on the relation words; naive Bayes on each step with its number, and on
how often its people are named; and a program that knows what all relations mean, and says which
step must be left out so that the others can be true together.

    python bench/verify_steps.py WORLD [K [ROWS]]
"""

import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from relsmith import Example, make
from relsmith.generators.clutrr.asking.derivation import labelled_steps
from relsmith.generators.clutrr.reasoning.reader import StepReader
from relsmith.kb.worlds.verdict import Status
from relsmith.kb.worlds.world import find_world

Seen = Callable[[Example], Iterator[str]]


def texts(row: Example) -> list[str]:
    """Return the steps of a derivation."""
    found = labelled_steps(row)
    assert found
    return found.steps


def nothing(row: Example) -> Iterator[str]:
    """Yield nothing: the majority."""
    return iter(())


def words(row: Example) -> Iterator[str]:
    """Yield how often each word occurs, names apart."""
    counts = Counter(re.findall(r"[a-z-]+", " ".join(texts(row))))
    return (f"{word} {count}" for word, count in counts.items())


def places(row: Example) -> Iterator[str]:
    """Yield each step with its number, and how often its people are named."""
    steps, people = texts(row), [name for pair in row.metadata["facts"] for name in pair[::2]]
    named = Counter(name for step in steps for name in set(people) if name in step)
    for number, step in enumerate(steps):
        yield f"{number} {' '.join(re.findall(r'[a-z-]+', step))}"
        yield f"{number} {sorted(named[name] for name in set(people) if name in step)}"


def bayes(rows: list[Example], seen: Seen) -> Callable[[Example], str]:
    """Return naive Bayes on what is seen, apart for each k."""
    counts: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    totals: Counter[tuple[int, str]] = Counter()
    for row in rows:
        key = row.metadata["k"], row.target
        totals[key] += 1
        counts[key].update(set(seen(row)))

    def guess(row: Example) -> str:
        own = set(seen(row))

        def weight(key: tuple[int, str]) -> float:
            total, of = totals[key], counts[key]
            return math.log(total) + sum(math.log((of[one] + 0.5) / (total + 1)) for one in own)

        return max((key for key in totals if key[0] == row.metadata["k"]), key=weight)[1]

    return guess


def consistent(row: Example) -> str:
    """Return a step without which the others can be true together; `none` if all can."""
    world, genders = find_world(row.metadata["world"]), dict(row.metadata["genders"])
    names = list(dict.fromkeys(name for fact in row.metadata["facts"] for name in fact[::2]))
    claims = []
    for step in texts(row):
        (claim,) = StepReader(world, names, genders).claims(step)
        claims.append((claim.x, claim.relation, claim.y))

    def possible(left_out: int) -> bool:
        facts = [claim for number, claim in enumerate(claims) if number != left_out]
        pair = facts[0][0], facts[0][2]
        return world.judge(facts, genders, pair, facts[0][1]).status is not Status.IMPOSSIBLE

    if possible(-1):
        return "none"
    able = [str(n + 1) for n in range(len(claims)) if possible(n)]
    return random.Random(row.id).choice(able)


def main(world: str = "kinship", k: str = "2..4", count: str = "2000") -> None:
    """Print the accuracy of each guesser."""
    rows = make("clutrr", world=world, k=k, task="verify-steps", style="plain")[: int(count)]
    half = len(rows) // 2
    train, test = rows[:half], rows[half:]
    chance = sum(1 / (2 * row.metadata["k"]) for row in test) / len(test)
    print(f"{world}, k = {k}, {len(test)} rows: chance {chance:.3f}")
    guessers = {"majority": bayes(train, nothing), "words": bayes(train, words)}
    guessers |= {"places": bayes(train, places), "consistency": consistent}
    for name, guess in guessers.items():
        print(f"  {name:12} {sum(guess(row) == row.target for row in test) / len(test):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
