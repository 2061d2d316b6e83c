"""Kinship stories per CPU-second: made, proofs replayed, written; one process.

    python bench/clutrr.py [ROWS]

k = 2..10 with supporting noise in the styles text and plain, then k = 2 and k = 10 alone, to show
the cost of length. Rows are written in ten datasets; all ten together and the best of them are
printed. If the package reasoning-gym is installed, its families (at most three hops, no noise, not
written) take turns with the first kind. The original generator makes 9.4 rows per CPU-second of
that kind.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from relsmith import write
from relsmith.dataset.suite import Suite
from relsmith.engines.engine import Local
from relsmith.exam.sealing import Secret, describe, seal
from relsmith.generators.clutrr import Clutrr, rows

ROUNDS = 10
KINDS = [(style, k) for style in ("text", "plain") for k in ("2..10", "2", "10")]


def stories(style: str, k: str) -> Callable[[int, int], None]:
    """Return a function that writes this many rows with a seed."""
    generator = Clutrr.configure({"k": k, "noise": "supporting", "style": style})
    list(generator.examples(256, seed=1))  # load the bank

    def run(count: int, seed: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write(generator, Path(folder) / "dataset", {"train": count}, seed=seed)

    return run


def families() -> Callable[[int, int], None]:
    """Return a function that makes this many rows of reasoning-gym."""
    import reasoning_gym

    def run(count: int, seed: int) -> None:
        dataset = reasoning_gym.create_dataset("family_relationships", size=count, seed=seed)
        for number in range(count):
            dataset[number]

    return run


def sealing() -> Callable[[int, int], None]:
    """Return a function that seals an exam of this many stories of the default options."""
    suite: dict[str, Any] = {"name": "exam", "datasets": {"stories": {"generator": "clutrr"}}}

    @contextmanager
    def engines(label: str, count: int) -> Iterator[Local]:
        yield Local()

    def run(count: int, seed: int) -> None:
        suite["datasets"]["stories"]["rows"] = count
        exam = describe(Suite.model_validate(suite), submissions=1, wordings=False)
        with tempfile.TemporaryDirectory() as folder:
            seal(exam, Secret(seed.to_bytes(32, "big")), Path(folder) / "exam", engines)

    return run


def unsealed() -> Callable[[int, int], None]:
    """Return a function that writes this many stories of the default options."""
    list(Clutrr().examples(256, seed=1))  # load the bank

    def run(count: int, seed: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write(Clutrr(), Path(folder) / "dataset", {"train": count}, seed=seed)

    return run


def measured(each: int, **runs: Callable[[int, int], None]) -> list[float]:
    """Print rows per CPU-second of each, in turns; return the CPU-seconds of each."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for seed in range(ROUNDS):
        for name, run in runs.items():
            start = time.process_time()
            run(each, seed)
            times[name].append(time.process_time() - start)
    for name, taken in times.items():
        speed, best = ROUNDS * each / sum(taken), each / min(taken)
        print(f"{name:36} {speed:8,.0f} rows per CPU-second, at best {best:8,.0f}")
    return [sum(taken) for taken in times.values()]


def main() -> None:
    """Print a line per setting."""
    each = (int(sys.argv[1]) if len(sys.argv) > 1 else 100_000) // ROUNDS
    how = "plain Python" if rows.__file__.endswith(".py") else "compiled"
    print(f"{ROUNDS} times {each:,} rows; {how}")
    for number, (style, k) in enumerate(KINDS):
        runs = {f"{style}, k = {k}, supporting noise": stories(style, k)}
        if number == 0 and find_spec("reasoning_gym"):
            ours, theirs = measured(each, **runs, **{"reasoning-gym": families()})
            print(f"so stories have {theirs / ours:.2f} times its speed")
        else:
            measured(each, **runs)
    plain, sealed = measured(each, **{"default options, written": unsealed(), "sealed": sealing()})
    print(f"so sealing takes {sealed / plain:.2f} times the time of writing")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
