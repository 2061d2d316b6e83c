"""How many chains per second the rule engine derives, proves and replays."""

from random import Random
from time import perf_counter

from relsmith.kb.engine import Engine
from relsmith.kb.kinship import world
from relsmith.kb.proof import replay
from relsmith.kb.rules import RuleTable

ROWS = 2000


def chain(engine: Engine, rng: Random, length: int) -> list[str]:
    """A chain that derives something, made by taking a head apart."""
    names = [rng.choice(engine.rules.predicates)]
    while len(names) < length:
        place = rng.randrange(len(names))
        names[place : place + 1] = rng.choice(engine.rules.bodies[names[place]])
    return names


def main() -> None:
    """Print one line per length."""
    engine, rng = Engine(RuleTable.of(world())), Random(0)
    for length in (2, 6, 10):
        people = [f"p{n}" for n in range(length + 1)]
        chains = [chain(engine, rng, length) for _ in range(ROWS)]
        start = perf_counter()
        heads = [min(engine.derive(names)) for names in chains]
        derived = perf_counter()
        pairs = list(zip(chains, heads, strict=True))
        proofs = [next(engine.proofs(people, names, head)) for names, head in pairs]
        proved = perf_counter()
        for names, proof in zip(chains, proofs, strict=True):
            facts = [(people[n], name, people[n + 1]) for n, name in enumerate(names)]
            assert not replay(proof, facts, engine.rules)
        replayed = perf_counter()
        times = (derived - start, proved - derived, replayed - proved)
        print(f"k={length}", *(f"{ROWS / time:,.0f}/s" for time in times))


if __name__ == "__main__":
    main()
