"""Judged rows per second of processor time: python bench/judge.py [rows].

The ratio is to writing the same question as JSON and reading it back, which depends on the machine
as judging does.
"""

import random
import sys
import time
from collections import Counter
from functools import partial

import orjson

from relsmith import Stream
from relsmith.kb.worlds.kinship.judge import FEMALE_WORDS, MALE_WORDS, Fact, judge
from relsmith.kb.worlds.space import directions as spatial
from relsmith.kb.worlds.space.steps import DIRECTIONS
from relsmith.kb.worlds.verdict import Verdict

Relatives = dict[str, list[tuple[str, str]]]
Row = tuple[list[Fact], dict[str, str], tuple[str, str], str]


def family(rng: random.Random) -> tuple[Relatives, dict[str, str]]:
    """Return four generations from two founders, everyone married: (word, relative) by name."""
    male: dict[str, bool] = {}
    parents: dict[str, list[str]] = {}
    spouse: dict[str, str] = {}

    def born(gender: bool, *elders: str) -> str:
        name = f"P{len(male)}"
        male[name], parents[name] = gender, list(elders)
        return name

    youngest = [born(True)]
    for generation in range(4):
        for person in youngest:
            partner = born(not male[person])
            spouse[person], spouse[partner] = partner, person
        if generation < 3:
            youngest = [
                born(rng.random() < 0.5, person, spouse[person])
                for person in youngest
                for _ in range(rng.randint(2, 3))
            ]

    children: dict[str, list[str]] = {name: [] for name in male}
    for child, elders in parents.items():
        for elder in elders:
            children[elder].append(child)
    relatives: Relatives = {}
    for x in male:
        siblings = {y: [c for p in parents[y][:1] for c in children[p] if c != y] for y in male}
        mate = spouse[x]
        kin = [
            children[x],
            parents[x],
            [mate],
            siblings[x],
            [g for c in children[x] for g in children[c]],
            [g for p in parents[x] for g in parents[p]],
            [spouse[c] for c in children[x]],
            parents[mate],
            siblings[mate] + [spouse[s] for s in siblings[x]],
            [u for p in parents[x] for u in siblings[p]],
            [c for s in siblings[x] for c in children[s]],
        ]
        words = zip(MALE_WORDS, FEMALE_WORDS, kin, strict=True)
        relatives[x] = [(m if male[y] else f, y) for m, f, people in words for y in people]
    return relatives, {name: "male" if male[name] else "female" for name in male}


def row(rng: random.Random, k: int, noise: int) -> Row:
    """Return a chain of k facts between two relatives, some side facts, and the true answer."""
    while True:
        relatives, genders = family(rng)
        path = [rng.choice(sorted(relatives))]
        facts: list[Fact] = []
        while len(facts) < k:
            ahead = [(word, y) for word, y in relatives[path[-1]] if y not in path]
            if not ahead:
                break
            word, y = rng.choice(ahead)
            facts.append((path[-1], word, y))
            path.append(y)
        answers = [word for word, y in relatives[path[0]] if y == path[-1]]
        if len(facts) == k and answers:
            beside = [(x, *rng.choice(relatives[x])) for x in rng.choices(path, k=noise)]
            names = {name for x, _, y in facts + beside for name in (x, y)}
            told = {name: genders[name] for name in names}
            return facts + beside, told, (path[0], path[-1]), answers[0]


def spatial_row(stream: Stream, k: int, noise: int) -> tuple[list[Fact], tuple[str, str], str]:
    """Return a chain of k facts towards the upper right, some side facts, and the true answer."""
    word = {name: entry.word() for name, entry in spatial().predicates.items()}
    cells = [(0, 0)]
    for _ in range(k):
        right, up = stream.choice([(1, 0), (0, 1), (1, 1)])
        cells.append((cells[-1][0] + right, cells[-1][1] + up))

    def fact(x: int, y: int) -> Fact:
        name = DIRECTIONS.relation(cells[x], cells[y])
        assert name is not None
        return f"t{x}", word[name], f"t{y}"

    facts = [fact(x, x + 1) for x in range(k)]
    for _ in range(noise):
        cells.append((stream.below(k), -1 - len(cells)))
        facts.append(fact(stream.below(k), len(cells) - 1))
    return facts, ("t0", f"t{k}"), fact(0, k)[1]


Judged = partial[Verdict]


def measure(rows: list[Judged]) -> str:
    """Return rows per second, the ratio to JSON, the slowest row, and the counts of verdicts."""
    start = time.process_time()
    for judged in rows:
        orjson.loads(orjson.dumps(judged.args))
    json = time.process_time() - start
    verdicts: Counter[str] = Counter()
    slowest, start = 0.0, time.process_time()
    for judged in rows:
        before = time.process_time()
        verdicts[judged().status] += 1
        slowest = max(slowest, time.process_time() - before)
    total = time.process_time() - start
    speed = len(rows) / total
    counts = ", ".join(f"{n} {status}" for status, n in verdicts.most_common())
    return f"{speed:6.0f}  {total / json:5.1f}  {1000 * slowest:10.1f}  {counts}"


def main(rows: int = 1000) -> None:
    """Print the tables."""
    print("world     k  noise  rows/s  ratio  slowest ms  verdicts")
    for k in (2, 6, 10):
        for noise in (0, 3, 6):
            rng = random.Random(f"{k} {noise}")
            kinship = [partial(judge, *row(rng, k, noise)) for _ in range(rows)]
            print(f"kinship {k:3}  {noise:5}  {measure(list(kinship))}")
    for k in (2, 6, 10):
        for noise in (0, 3, 6):
            stream = Stream("bench", k, noise)
            grid = [
                partial(spatial().story_spec.judge, *spatial_row(stream, k, noise))
                for _ in range(rows)
            ]
            print(f"spatial {k:3}  {noise:5}  {measure(list(grid))}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
