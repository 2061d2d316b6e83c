"""Triples indexed and looked up: python bench/triples.py [triples] [workers].

Synthetic triples whose words have Zipf's frequencies: a million names, 50,000 relations. A plain
clustered table (WITHOUT ROWID, sorted insert, both directions) is built beside it in the same run
from a tenth of the triples, and its figures are scaled up.
"""

import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path

from relsmith.engine import Local
from relsmith.kb.triples import TripleStore, argument_key
from relsmith.kb.triples.build import build
from relsmith.kb.triples.formats import source_of

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]
LOOKUPS = 2000


def names(count: int, rng: random.Random) -> list[str]:
    """Names that can be said, the shorter ones first."""
    found: dict[str, None] = {}
    while len(found) < count:
        length = 2 + len(found).bit_length() // 8
        found["".join(rng.choices(SYLLABLES, k=length))] = None
    return list(found)


def synthetic(count: int, seed: int = 0) -> Iterator[tuple[str, str, str]]:
    """Triples of words drawn with Zipf's frequencies."""
    rng = random.Random(seed)
    nouns, verbs = names(1_000_000, rng), names(50_000, rng)
    weights = [
        list(accumulate(1 / rank for rank in range(1, len(of) + 1))) for of in (nouns, verbs)
    ]
    while count:
        step = min(count, 100_000)
        one, other = (rng.choices(nouns, cum_weights=weights[0], k=step) for _ in range(2))
        said = rng.choices(verbs, cum_weights=weights[1], k=step)
        yield from zip(one, said, other, strict=True)
        count -= step


def seconds() -> float:
    """Processor time of this process and of the workers that ended."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime


def plain_table(path: Path, count: int, wanted: list[str]) -> None:
    """The same triples in a clustered table of numbers and a table of words."""
    start = time.process_time()
    numbers: dict[str, int] = {}
    rows: dict[tuple[int, int, int, int], int] = {}
    for arg1, relation, arg2 in islice(synthetic(count), count):
        one, said, other = (
            numbers.setdefault(text, len(numbers)) for text in (arg1, relation, arg2)
        )
        for key in {one, other}:
            rows[key, one, said, other] = rows.get((key, one, said, other), 0) + 1
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT)")
    connection.execute(
        "CREATE TABLE triple (key, arg1, relation, arg2, count, "
        "PRIMARY KEY (key, arg1, relation, arg2)) WITHOUT ROWID"
    )
    connection.executemany("INSERT INTO word VALUES (?, ?)", ((n, t) for t, n in numbers.items()))
    connection.executemany(
        "INSERT INTO triple VALUES (?, ?, ?, ?, ?)", ((*row, rows[row]) for row in sorted(rows))
    )
    connection.execute("CREATE INDEX by_text ON word (text)")
    connection.commit()
    built = time.process_time() - start
    query = (
        "SELECT a.text, r.text, b.text, t.count FROM triple t JOIN word a ON a.id = t.arg1 "
        "JOIN word r ON r.id = t.relation JOIN word b ON b.id = t.arg2 "
        "WHERE t.key = (SELECT id FROM word WHERE text = ?)"
    )
    start = time.process_time()
    found = sum(len(connection.execute(query, (word,)).fetchall()) for word in wanted)
    report("plain table", count, built, path.stat().st_size, time.process_time() - start, found)


def report(what: str, count: int, built: float, size: int, looking: float, found: int) -> None:
    """One line of the table."""
    print(
        f"{what:12} {count:>11,} triples  {count / built:>9,.0f} indexed/s  {built:7.1f} s  "
        f"{size / 1e6:7.1f} MB  {size / count:5.1f} B each  "
        f"{LOOKUPS / looking:>7,.0f} look-ups/s  {1000 * looking / LOOKUPS:6.3f} ms  "
        f"{found / looking:>11,.0f} triples/s"
    )


def main(count: int = 1_000_000, workers: int = 1) -> None:
    """Build, look up, print."""
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder, "triples.tsv"), Path(folder, "store")
        with table.open("w") as file:
            file.write("arg1\trelation\targ2\n")
            file.writelines("\t".join(triple) + "\n" for triple in synthetic(count))
        argument_key("warm")
        before, wall = seconds(), time.perf_counter()
        store = build([source_of(table)], out, engine=Local(workers))
        built, wall = seconds() - before, time.perf_counter() - wall
        rng = random.Random(1)
        wanted = [triple[0] for triple in islice(synthetic(50 * LOOKUPS), 0, None, 50)]
        rng.shuffle(wanted)
        timed(store, count, built, out, sorted(set(wanted)), "each word")
        timed(store, count, built, out, wanted, "as in text")
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(
            f"{store.size:,} different triples; {wall:.1f} s by the clock with {workers} "
            f"worker(s); at most {most:,.0f} MB of memory"
        )
        plain_table(Path(folder, "plain"), count // 10, wanted)


def timed(
    store: TripleStore, count: int, built: float, out: Path, wanted: list[str], what: str
) -> None:
    """Look up words, capped at 1,000 triples each."""
    wanted = (wanted * (LOOKUPS // len(wanted) + 1))[:LOOKUPS]
    start = time.process_time()
    found = sum(sum(1 for _ in islice(store.about(word), 1000)) for word in wanted)
    report(what, count, built, out.stat().st_size, time.process_time() - start, found)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
