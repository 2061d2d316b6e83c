"""Type checks per second, one by one and many at once, beside NLTK's: python bench/taxonomy.py.

A check asks whether a noun is of a type: whether the type is above one of its senses, in the
closure of its hypernyms.
"""

import random
import time
from collections.abc import Iterator
from itertools import cycle, islice, product

from relsmith.kb.lexicon.wordnet import locate, nltk_reader
from relsmith.kb.lexicon.wordnet.taxonomy import taxonomy

TYPES = "person animal drug food location time disease plant organization substance".split()
NOUNS = 1_000
MANY = 500_000


def common_nouns() -> Iterator[str]:
    """Nouns that WordNet's makers met in running text, as answers are."""
    for line in (locate() / "index.noun").read_text().splitlines():
        fields = line.split()
        if not line.startswith(" ") and int(fields[len(fields) - int(fields[2]) - 1]) > 0:
            yield fields[0]


def main() -> None:
    """Print checks per second, and how many times NLTK's that is."""
    start = time.process_time()
    ours = taxonomy()
    print(f"loading the compact form: {time.process_time() - start:.2f} s")
    reader, rng = nltk_reader(), random.Random(7)
    nouns = rng.sample(list(common_nouns()), NOUNS)
    kinds = [ours.kind(noun) for noun in TYPES]
    tops = [reader.synset(ours.name(kind)) for kind in kinds]

    def by_nltk() -> int:
        right = 0
        for noun, top in product(nouns, tops):
            right += any(
                top == sense
                or top in sense.closure(lambda one: one.hypernyms() + one.instance_hypernyms())
                for sense in reader.synsets(noun, "n")
            )
        return right

    def one_by_one() -> int:
        right = 0
        for noun, kind in product(nouns, kinds):
            term = ours.term(noun)
            assert term
            right += ours.choose(term, kind, "any") is not None
        return right

    few = len(nouns) * len(kinds)
    rates, right = {}, set()
    for name, check in (("NLTK's closure", by_nltk), ("one by one", one_by_one)):
        check()
        start = time.process_time()
        right.add(check())
        rates[name] = few / (time.process_time() - start)

    terms = ours.terms(islice(cycle(nouns), MANY))
    start = time.process_time()
    hits = sum(int(ours.below(terms, kind).sum()) for kind in kinds)
    rates["many at once"] = MANY * len(kinds) / (time.process_time() - start)
    right.add(hits * few // (MANY * len(kinds)))
    assert len(right) == 1, f"they disagree: {right}"

    base = rates["NLTK's closure"]
    for name, rate in rates.items():
        print(f"{name:16} {rate:14,.0f} checks/s {rate / base:10,.1f} x NLTK")


if __name__ == "__main__":
    main()
