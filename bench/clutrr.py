"""Kinship stories per CPU-second: made, proofs replayed, written; one process.

    python bench/clutrr.py [ROWS]

k = 2..10 with supporting noise, then k = 2 and k = 10 alone, to see what length costs. The
original generator makes 9.4 rows per CPU-second of the first kind on the machine this was
written on.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from relsmith import write
from relsmith.generators.clutrr import Clutrr


def rows_per_second(rows: int, **options: object) -> float:
    """Write a dataset and count CPU time only."""
    generator = Clutrr.configure(options)
    list(generator.examples(256, seed=1))  # load the bank and make frames ready
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        write(generator, Path(folder) / "dataset", {"train": rows})
        return rows / (time.process_time() - start)


def main() -> None:
    """Print a line for each kind."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for style in ("text", "plain"):
        for k in ("2..10", "2", "10"):
            speed = rows_per_second(rows, k=k, noise="supporting", style=style)
            print(f"{style:6} k = {k:6} supporting noise  {speed:8,.0f} rows per CPU-second")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
