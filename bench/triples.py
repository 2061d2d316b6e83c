"""Speed of indexing and looking up triples: python bench/triples.py [triples].

The triples are synthetic, their words drawn with Zipf's frequencies from a million names and
50,000 relations. A plain clustered table of numbers (WITHOUT ROWID, sorted insert, both arguments)
is built in the same run from the same file, of a tenth of the triples, for comparison.
"""

import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path

from relsmith.kb.triples.build import build
from relsmith.kb.triples.table import make_source

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]
LOOKUPS = 1000


def name(number: int) -> str:
    """Return a pronounceable word for each number, the first ones short."""
    spelled = SYLLABLES[number % len(SYLLABLES)]
    while number := number // len(SYLLABLES):
        spelled += SYLLABLES[number % len(SYLLABLES)]
    return spelled


def synthetic(count: int) -> Iterator[str]:
    """Yield lines of triples whose words have Zipf's frequencies."""
    rng = random.Random(0)
    words = [[name(n) for n in range(many)] for many in (1_000_000, 50_000)]
    zipf = [list(accumulate(1 / rank for rank in range(1, len(of) + 1))) for of in words]

    def drawn(of: int, many: int) -> list[str]:
        return rng.choices(words[of], cum_weights=zipf[of], k=many)

    while count:
        step = min(count, 100_000)
        for said in zip(drawn(0, step), drawn(1, step), drawn(0, step), strict=True):
            yield "\t".join(said) + "\n"
        count -= step


def processor_seconds() -> float:
    """Return the CPU seconds of this process and of its finished workers."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def plain_table(path: Path, table: Path, count: int) -> Callable[[str], int]:
    """Build the comparison table, clustered by argument; return its look-up function."""
    numbers: dict[str, int] = {}
    rows: dict[tuple[int, int, int, int], int] = {}
    with table.open() as file:
        for line in islice(file, 1, count + 1):
            subject, said, object_ = (numbers.setdefault(w, len(numbers)) for w in line.split())
            for key in {subject, object_}:
                rows[key, subject, said, object_] = rows.get((key, subject, said, object_), 0) + 1
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        PRAGMA journal_mode = OFF;
        CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT UNIQUE);
        CREATE TABLE triple (key INTEGER, arg1 INTEGER, relation INTEGER, arg2 INTEGER, count,
                             PRIMARY KEY (key, arg1, relation, arg2)) WITHOUT ROWID;
        """
    )
    connection.executemany("INSERT INTO word VALUES (?, ?)", ((n, w) for w, n in numbers.items()))
    ordered = ((*row, rows[row]) for row in sorted(rows))
    connection.executemany("INSERT INTO triple VALUES (?, ?, ?, ?, ?)", ordered)
    connection.commit()
    query = """
        SELECT a.text, r.text, b.text, t.count FROM triple t CROSS JOIN word a ON a.id = t.arg1
        CROSS JOIN word r ON r.id = t.relation CROSS JOIN word b ON b.id = t.arg2
        WHERE t.key = (SELECT id FROM word WHERE text = ?)
    """
    return lambda word: len(connection.execute(query, (word,)).fetchall())


def report(
    what: str,
    count: int,
    built: float,
    path: Path,
    find: Callable[[str], int],
    words: Sequence[str],
) -> None:
    """Print a line of the table: build time, size, and time of look-ups."""
    size = path.stat().st_size
    start = time.process_time()
    hits = sum(map(find, words))
    looking = time.process_time() - start
    print(
        f"{what:<12} {count:>11,} {built:8.1f} {count / built:>9,.0f} {size / 1e6:8.1f} "
        f"{size / count:6.1f} {1000 * looking / len(words):8.3f} {len(words) / looking:>10,.0f} "
        f"{hits / looking:>11,.0f}"
    )


def main(count: int = 1_000_000) -> None:
    """Build, look up and print."""
    with tempfile.TemporaryDirectory() as folder:
        table, out, plain = (Path(folder, name) for name in ("triples.tsv", "store", "plain"))
        with table.open("w") as file:
            file.write("arg1\trelation\targ2\n")
            file.writelines(synthetic(count))
        with table.open() as file:
            few = {line.split("\t")[0] for line in islice(file, 1, count // 10)}
        words = random.Random(1).sample(sorted(few), LOOKUPS)
        print(
            "                 triples  built s     per s       MB B each  look-up ms  per s  "
            "triples/s"
        )
        before, wall = processor_seconds(), time.perf_counter()
        store = build([make_source(table)], out)
        built, wall = processor_seconds() - before, time.perf_counter() - wall
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        report("ours", count, built, out, lambda word: sum(1 for _ in store.about(word)), words)
        before = processor_seconds()
        find = plain_table(plain, table, count // 10)
        report("plain table", count // 10, processor_seconds() - before, plain, find, words)
        print(
            f"{store.size:,} different triples; {wall:.1f} s by the clock; at most {most:,.0f} MB "
            f"of memory"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
