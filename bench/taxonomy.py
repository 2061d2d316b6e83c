"""Type checks per second, relative to NLTK's: python bench/taxonomy.py.

A check asks whether a noun in a context is of a type: NLTK's Lesk chooses the noun's sense, and
the closure of its hypernyms says whether the type is above it.
"""

import random
import time
from collections.abc import Iterator
from itertools import islice, product

from nltk.wsd import lesk

from relsmith.kb.lexicon.wordnet import locate, nltk_reader
from relsmith.kb.lexicon.wordnet.taxonomy import taxonomy

TYPES = "person animal drug food location time disease plant organization substance".split()
NOUNS = 1_000


def common_nouns() -> Iterator[str]:
    """Yield nouns that occur in texts annotated by the authors of WordNet, as answers do."""
    for line in (locate() / "index.noun").read_text().splitlines():
        fields = line.split()
        if not line.startswith(" ") and int(fields[len(fields) - int(fields[2]) - 1]) > 0:
            yield fields[0]


def main() -> None:
    """Print checks per second, and the ratio to NLTK."""
    start = time.process_time()
    ours = taxonomy()
    print(f"loading the compact form: {time.process_time() - start:.2f} s")
    reader, rng = nltk_reader(), random.Random(7)
    nouns = rng.sample(list(common_nouns()), NOUNS)
    glosses = [reader.synsets(noun, "n")[-1].definition().split() for noun in nouns]
    checks = [(noun, [noun, *rng.choice(glosses)[:7]]) for noun in nouns]
    kinds = [ours.kind(noun) for noun in TYPES]
    tops = [reader.synset(ours.name(kind)) for kind in kinds]

    def by_nltk(count: int) -> int:
        right = 0
        for (noun, context), top in islice(product(checks, tops), count):
            sense = lesk(context, noun, "n", synsets=reader.synsets(noun, "n"))
            above = sense.closure(lambda synset: synset.hypernyms() + synset.instance_hypernyms())
            right += top == sense or top in above
        return right

    def one_by_one(count: int) -> int:
        right = 0
        for (noun, context), kind in islice(product(checks, kinds), count):
            term = ours.term(noun)
            assert term
            right += ours.choose(term, kind, "lesk", context) is not None
        return right

    few = len(checks) * len(kinds)
    rates, right = {}, set()
    for name, check in (("NLTK's Lesk and closure", by_nltk), ("one by one", one_by_one)):
        check(few)
        start = time.process_time()
        right.add(check(few))
        rates[name] = few / (time.process_time() - start)

    assert len(right) == 1, f"they disagree: {right}"

    base = rates["NLTK's Lesk and closure"]
    for name, rate in rates.items():
        print(f"{name:27} {rate:14,.0f} checks/s {rate / base:10,.1f} x NLTK")


if __name__ == "__main__":
    main()
