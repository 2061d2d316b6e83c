"""Judge rows of random options and worlds: outside.py [ROWS] [SEED].

In kinship, each answer is found once more by `kb/worlds/kinship/couples.py`, and in the spatial
world by adding up steps. That code is neither the maker's nor the judge's. In all worlds, the
generator's own judge checks rows and groups of rows. Prints the findings and how many rows were
judged.
"""

import random
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import Any

import relsmith
from relsmith import Example
from relsmith.capabilities import Groups
from relsmith.errors import RelsmithError
from relsmith.generators.clutrr.metadata import canonical_target, world_of
from relsmith.generators.clutrr.options import story_worlds
from relsmith.kb.worlds.kinship.couples import solve
from relsmith.kb.worlds.kinship.judge import judge
from relsmith.kb.worlds.languages import LocalizedWorld
from relsmith.kb.worlds.verdict import Status
from relsmith.validation import findings, group_findings

TOGETHER = 1200
WORLDS = [world.name for world in story_worlds()]
STEPS = {"left": (-1, 0), "right": (1, 0), "above": (0, 1), "below": (0, -1)}


def random_options(rng: random.Random) -> dict[str, object]:
    """Return random options, which may conflict."""
    options: dict[str, object] = {
        "world": rng.choice(["kinship", "spatial"] * 2 + WORLDS),
        "k": rng.choice(["2", "3", "2..4", "2..6", "2..10", "5,7", "12", "20"]),
        "side_facts": rng.choice([0, 1, 3, 3, 3, 5, 9]),
        "direction": rng.choice(["random", "random", "random", "forward"]),
        "noise": rng.choice(["none", "supporting", "irrelevant", "disconnected", "all"]),
        "style": rng.choice(["text", "text", "plain", "facts"]),
        "order": rng.choice(["connected", "connected", "shuffled"]),
        "conventions": rng.choice(["none", "brief", "full"]),
        "answer": rng.choice(["relation", "relation", "yes-no", "who"]),
        "unknown_share": rng.choice([0, 0, 0, 0.3]),
        "task": rng.choice(["reasoning"] * 4 + ["mixed"]),
        "explain": rng.random() < 0.2,
        "anonymize": rng.random() < 0.1,
        "people": rng.choice([60, 60, 80, 120]),
        "questions": rng.choice([1, 1, 1, 2, 3, 5]),
        "siblings": rng.choice(
            ["", "", "", "words,names,inverse", "order,gender", "noise,names", "de,es"]
        ),
        "language": rng.choice(["en", "en", "en", "de", "es"]),
        "hold_out": rng.choice(["none"] * 5 + ["templates", "names"]),
        "words": rng.choice([0] * 19 + [700]),
        "children": rng.randint(2, 6),
        "marriage": rng.choice([0.5, 0.85, 1]),
    }
    if options["world"] == "kinship":
        options["gender"] = rng.choice(["text", "given", "names"])
    else:
        del options["children"], options["marriage"]
    return options


def in_english(row: Example) -> Example:
    """Return a row with the English words of its facts, question and answer."""
    world, known = world_of(row), row.metadata
    if not isinstance(world, LocalizedWorld):
        return row
    words = {own: english for english, own in world.own_words.items()}

    def translated(value: Any) -> Any:
        if isinstance(value, list):
            return [translated(each) for each in value]
        return words.get(value, value)

    fields = ("facts", "side_facts", "noise_facts", "relation", "asked", "concluded")
    changed = {name: translated(known[name]) for name in fields}
    target = words.get(row.target, canonical_target(row))
    return replace(row, target=target, metadata=known | changed)


def stated_facts(row: Example) -> list[tuple[str, str, str]]:
    """Return every fact of a story."""
    known = row.metadata
    paths = [known["facts"], known["side_facts"], *chain(*known["noise_facts"])]
    return [(x, word, y) for path in paths for x, word, y in path]


def apart(facts: list[tuple[str, str, str]], x: str, y: str) -> int:
    """Return the length of the shortest path of facts from one person to the other."""
    near, steps = {x}, 0
    while y not in near:
        steps += 1
        grown = near | {b for a, _, b in facts if a in near} | {a for a, _, b in facts if b in near}
        if grown == near:
            return -1
        near = grown
    return steps


def directions(path: list[list[str]], x: str) -> str | None:
    """Return the direction of the end of a path from its start, if entailed."""
    sums: list[set[int]] = [set(), set()]
    for a, word, b in path:
        sign, x = (1, b) if a == x else (-1, a)
        for axis in (0, 1):
            sums[axis].add(sign * sum(STEPS[part][axis] for part in parts(word)))
    lies = [axis - {0} for axis in sums]
    if any(len(axis) > 1 for axis in lies):
        return None
    return "/".join(str(next(iter(axis), 0)) for axis in lies)


def parts(word: str) -> list[str]:
    """Return the simple directions of a direction word."""
    words = word.replace("upper", "above").replace("lower", "below").split()
    return [part for part in words if part in STEPS]


def errors(row: Example, world: str) -> list[str]:
    """Return what is wrong with the answer."""
    known, facts = row.metadata, stated_facts(row)
    x, y = known["query"]
    complaints = []
    if apart(facts, x, y) != (1 if known["task"] == "memory" else known["k"]):
        complaints.append("not k facts apart")
    relation = known["relation"] or row.target
    if world == "spatial":
        lies = directions(known["facts"], x) if known["task"] == "reasoning" else None
        if relation not in ("unknown", "none") and lies not in (
            None,
            directions([[x, relation, y]], x),
        ):
            complaints.append(f"lies at {lies}")
        return complaints
    genders = dict(known["genders"])
    follows = entailed(facts, genders, (x, y))
    if follows != ([] if relation in ("unknown", "none") else [relation]):
        complaints.append(f"what follows is {follows}, not {relation}")
    needed = [(a, word, b) for a, word, b in known["facts"]]
    if follows and known["task"] == "reasoning" and entailed(needed, genders, (x, y)) != follows:
        complaints.append("the chain alone does not give it")
    if row.target in ("yes", "no"):
        if (row.target == "yes") != (known["asked"] in follows):
            complaints.append("yes is no")
    elif known["asked"] and row.target != "unknown":
        # Such rows are made by couples.py, so the judge checks them.
        people = sorted({name for fact in facts for name in fact[::2]} - {x})
        statuses = {
            name: judge(facts, genders, (x, name), known["asked"]).status for name in people
        }
        certain = [name for name in people if statuses[name] is Status.ENTAILED]
        right = "; ".join(certain) or "none"
        complaints += [f"they are {right}"] * (row.target != right)
    return complaints


def entailed(
    facts: list[tuple[str, str, str]], genders: dict[str, str], query: tuple[str, str]
) -> list[str]:
    """Return all words that the facts entail between two people."""
    verdict = solve(facts, genders, query)
    return sorted(verdict.answers) if verdict.status is Status.ENTAILED else []


def main(rows: int = 10_000, seed: int = 0) -> None:
    """Judge this many rows."""
    rng = random.Random(seed)
    judged = faults = refused = 0
    kinds: Counter[str] = Counter()
    start = time.process_time()
    while judged < rows:
        options = random_options(rng)
        # Options are added one by one; those that conflict are left out.
        names = list(options)
        rng.shuffle(names)
        chosen: dict[str, object] = {"world": options["world"]}
        for name in names:
            try:
                relsmith.make(
                    "clutrr", **chosen, **{name: options[name]} if name != "world" else {}
                )
            except RelsmithError:
                refused += 1
            else:
                chosen[name] = options[name]
        generator = relsmith.make("clutrr", **chosen)
        where = {"seed": rng.randrange(2**32), "split": rng.choice(["train", "test"])}
        size = Groups.of(generator).group_size
        few = TOGETHER // 60 if chosen.get("words") else TOGETHER
        try:
            made = list(generator.examples(few // size * size, splits=("train", "test"), **where))
        except RelsmithError as error:
            print("refused late:", chosen, where, error, flush=True)
            continue
        for number, row in enumerate(made):
            complaints = findings(generator, row)
            if not chosen.get("words") and chosen["world"] in ("kinship", "spatial"):
                complaints += errors(in_english(row), str(chosen["world"]))
            if size > 1 and number % size == size - 1:
                complaints += group_findings(generator, made[number + 1 - size : number + 1])
            for complaint in complaints:
                faults += 1
                print("FAULT", chosen, where, row.id, complaint, flush=True)
        judged += len(made)
        kinds.update(f"{name}={chosen[name]}" for name in chosen if name not in ("children",))
        seconds = time.process_time() - start
        print(f"{judged} rows, {faults} faults, {refused} refused, {seconds:.0f} s", flush=True)
    print(kinds)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
