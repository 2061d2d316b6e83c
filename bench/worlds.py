"""Stories per CPU-second in each world: made, proofs replayed, written; one process.

    python bench/worlds.py [ROWS [WORLD ...]]

For each world the CPU-seconds until its first row is there, which loading its rules and sentences
takes, then rows per CPU-second by k. Rows are written in five datasets; the best of them counts.
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
    """The CPU-seconds until there is a row of the world."""
    begun = time.process_time()
    list(Clutrr.configure({"world": world, "k": KS[0]}).examples(1))
    return time.process_time() - begun


def speed(world: str, k: str, each: int) -> float:
    """Rows of the world per CPU-second."""
    generator = Clutrr.configure({"world": world, "k": k})
    list(generator.examples(256, seed=ROUNDS * len(KS)))  # load the bank
    times = []
    for number in range(ROUNDS):
        seed = ROUNDS * KS.index(k) + number  # no two have scenes in common
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            write(generator, Path(folder) / "dataset", {"train": each}, seed=seed)
            times.append(time.process_time() - begun)
    return each / min(times)


def main() -> None:
    """Print a line for each world."""
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
