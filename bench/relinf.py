"""Candidates per second, end to end: python bench/relinf.py [triples] [questions].

A store of Zipf-distributed triples of common nouns, 573 questions as in the paper, and all that
`gen relinf` does with them: look up, check types, compare relations, write rows, judge them.
"""

import random
import sqlite3
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

from taxonomy import common_nouns

from relsmith import Dataset, write
from relsmith.generators.relinf import Relinf, generator
from relsmith.kb.triples import Triple, TripleStore
from relsmith.kb.triples.store import encode_triple, write_store
from relsmith.validation import findings

TYPES = "person animal substance artifact food location act group state organism".split()
RELATIONS = ["eats", "makes", "is made of", "comes from", "is found in", "lives in", "was sold by"]


def main() -> None:
    """Print the time of each part."""
    triples = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    questions = int(sys.argv[2]) if len(sys.argv) > 2 else 573
    rng = random.Random(11)
    nouns = [noun.replace("_", " ") for noun in common_nouns()]
    rng.shuffle(nouns)
    weights = list(accumulate(1 / rank for rank in range(1, len(nouns) + 1)))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        connection = sqlite3.connect(path)
        drawn = rng.choices(nouns, cum_weights=weights, k=2 * triples)
        told = (
            Triple(left, rng.choice(RELATIONS), right)
            for left, right in zip(drawn[::2], drawn[1::2], strict=True)
        )
        lines = sorted(line for triple in told for line in encode_triple(*triple))
        write_store(connection, lines, {"sources": []})
        store = TripleStore(connection)
        asked = Path(folder) / "questions.tsv"
        rows = {
            f"{rng.choice(TYPES)}\tneeds\t{noun}"
            for noun in rng.sample(nouns[: 4 * questions], questions)
        }
        asked.write_text("\n".join(sorted(rows)) + "\n")
        options = Relinf(questions=str(asked), triples=str(path))

        start = time.process_time()
        retrieved = generator._retrieved(options)
        retrieving = time.process_time() - start
        candidates = sum(map(len, retrieved))
        looked_at = sum(
            sum(1 for _ in store.about(question.argument))
            for question in generator._questions(str(asked)).questions
        )
        print(f"{store.size:,} triples, {len(rows)} questions, {candidates:,} candidates")
        print(f"retrieval: {retrieving:.1f} s, {looked_at / retrieving:,.0f} triples/s looked at")
        start = time.process_time()
        write(options, Path(folder) / "out", {"train": candidates})
        writing = time.process_time() - start
        rate = candidates / (retrieving + writing)
        print(f"end to end, rows written: {rate:,.0f} candidates/s")

        sample = list(Dataset(Path(folder) / "out").rows())[:2000]
        findings(options, sample[0])
        start = time.process_time()
        wrong = sum(bool(findings(options, row)) for row in sample)
        judging = time.process_time() - start
        print(f"judged: {len(sample) / judging:,.0f} rows/s, {wrong} wrong of {len(sample)}")


if __name__ == "__main__":
    main()
