"""Stories per CPU-second in each world: made, proofs replayed, written; one process.

    python bench/worlds.py [ROWS [WORLD ...]]

For each world, CPU-seconds until the first row, which include loading rules and sentences,
then rows per CPU-second by k. Rows are written in five datasets; the best of them counts.
"""

import sys
import tempfile
import time
from pathlib import Path

from relsmith import WORLDS, write
from relsmith.generators.clutrr import Clutrr, rows

ROUNDS = 5
KS = ("2..4", "2..6", "2..10")


def start(world: str) -> float:
    """Return CPU-seconds until the first row of the world."""
    begun = time.process_time()
    list(Clutrr.configure({"world": world, "k": KS[0]}).examples(1))
    return time.process_time() - begun


def speed(world: str, k: str, each: int) -> float:
    """Return rows of the world per CPU-second."""
    generator = Clutrr.configure({"world": world, "k": k})
    list(generator.examples(256, seed=ROUNDS * len(KS)))  # loads the bank
    times = []
    for number in range(ROUNDS):
        seed = ROUNDS * KS.index(k) + number  # seeds without common scenes
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            write(generator, Path(folder) / "dataset", {"train": each}, seed=seed)
            times.append(time.process_time() - begun)
    return each / min(times)


def main() -> None:
    """Print a line per world."""
    each = (int(sys.argv[1]) if len(sys.argv) > 1 else 50_000) // ROUNDS
    worlds = sys.argv[2:] or sorted(WORLDS.entries)
    how = "plain Python" if rows.__file__.endswith(".py") else "compiled"
    print(f"{ROUNDS} times {each:,} rows; {how}")
    print(f"{'world':20}{'start':>9}" + "".join(f"{f'k = {k}':>12}" for k in KS))
    for world in worlds:
        print(f"{world:20}{start(world):7.2f} s", end="", flush=True)
        for k in KS:
            print(f"{speed(world, k, each):12,.0f}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
