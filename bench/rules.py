"""Chains per second for which rules find an answer, count proofs, and prove."""

from random import Random
from time import perf_counter

from relsmith import Stream
from relsmith.kb.worlds.kinship import world
from relsmith.kb.worlds.rules import RuleIndex

ROWS = 2000


def chain(rules: RuleIndex, rng: Random, length: int) -> tuple[int, ...]:
    """Return a chain with a conclusion, made by expanding a head."""
    predicates = [rng.choice(sorted(rules.head_predicates))]
    while len(predicates) < length:
        place = rng.randrange(len(predicates))
        predicates[place : place + 1] = rng.choice(rules.bodies[predicates[place]])
    return tuple(predicates)


def main() -> None:
    """Print a line per length."""
    rules, rng, stream = RuleIndex.from_world(world()), Random(0), Stream("bench")
    for length in (2, 6, 10):
        chains = [chain(rules, rng, length) for _ in range(ROWS)]
        named = [[rules.predicates[predicate] for predicate in clause] for clause in chains]
        start = perf_counter()
        for names in named:
            rules.derive(names)
        derived = perf_counter()
        counts = [rules.count_proofs(clause) for clause in chains]
        counted = perf_counter()
        for clause, proofs in zip(chains, counts, strict=True):
            rules.sample_proof(clause, min(proofs), stream)
        proved = perf_counter()
        times = (derived - start, counted - derived, proved - counted)
        print(f"k={length}", *(f"{ROWS / time:,.0f}/s" for time in times))


if __name__ == "__main__":
    main()
