"""Stories realized per second, by number of facts."""

import gc
from time import process_time

from relsmith import Stream
from relsmith.generators.clutrr import Clutrr
from relsmith.templates.bank import find_bank
from relsmith.templates.stitcher import GenderedPath, Stitcher

ROWS = 3000
Passage = tuple[list[str], GenderedPath]


def passages(length: int, count: int) -> list[Passage]:
    """Return people and paths of this many stories without noise."""
    told = []
    for row in Clutrr.configure({"k": length, "style": "facts"}).examples(count):
        genders, facts = dict(row.metadata["genders"]), row.metadata["facts"]
        people = [facts[0][0], *(y for _, _, y in facts)]
        path: list[str | None] = [genders[people[0]]]
        for predicate, person in zip(row.metadata["clause"], people[1:], strict=True):
            path += predicate, genders[person]
        told.append((people, tuple(path)))
    return told


def main() -> None:
    """Print the rate for all lengths from 2 to 10 mixed, three times, and for single lengths."""
    samples = {length: passages(length, ROWS // 3) for length in range(2, 11)}
    stitcher, stream = Stitcher(find_bank("kinship")), Stream("bench")
    mixed = [passage for some in zip(*samples.values(), strict=True) for passage in some]
    for state in ("cold", "lukewarm", "warm"):
        print(f"2..10 facts, {state}: {_rate(stitcher, mixed, stream):8.0f} stories per CPU second")
    for length in (2, 3, 5, 10):
        rate = _rate(stitcher, samples[length], stream)
        print(f"{length:5} facts, warm: {rate:8.0f} stories per CPU second")


def _rate(stitcher: Stitcher, told: list[Passage], stream: Stream) -> float:
    gc.collect()  # so that no garbage collection falls into one pass by chance
    start = process_time()
    for people, path in told:
        stitcher.realize_path(people, path, stream)
    return len(told) / (process_time() - start)


if __name__ == "__main__":
    main()
