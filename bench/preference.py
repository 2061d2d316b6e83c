"""Compare our stories with human-written ones, read blind: preference.py sheets | score FOLDER.

    python bench/preference.py sheets FOLDER [SEED]    # 120 pairs in three sheets, and the key
    python bench/preference.py score FOLDER            # from FOLDER/verdicts-*.txt

A pair is one of our stories without side facts and conventions, and an official story of the same
k from ../shared/data/clutrr; a coin decides which is A. Each reader gets one sheet and writes a
line per pair: its number, then A or B for each of three questions: Which text is more likely
written by a person who is telling something? Which is more coherent? Which is in better English?
The key has our stories and the ids of the official ones, whose sentences stay where they
are. Key and verdicts of the last reading are in docs/results/readings/preference.
"""

import csv
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

from relsmith import Stream
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import story_segments

OFFICIAL = Path(__file__).parents[2] / "shared" / "data" / "clutrr"
LENGTHS = (2, 3, 4, 5, 6)
SHEETS, PAIRS = 3, 40
QUESTIONS = ("person", "coherent", "English")


def official(k: int) -> list[tuple[str, str]]:
    """Return ids and texts of the official stories of k facts."""
    with (OFFICIAL / f"1.{k}_test.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [(row["id"], row["story"].replace("[", "").replace("]", "")) for row in rows]


def ours(k: int, seed: int, count: int) -> list[tuple[str, str]]:
    """Return ids and texts of our stories of k facts."""
    options = {"k": k, "side_facts": 0, "conventions": "none"}
    rows = Clutrr.configure(options).examples(count, seed=seed)
    return [(row.id, " ".join(story_segments(row))) for row in rows]


def sheets(folder: Path, seed: int) -> None:
    """Write the sheets and the key."""
    folder.mkdir(parents=True)
    stream, key = Stream("preference", seed), []
    each = SHEETS * PAIRS // len(LENGTHS)
    pairs = []
    for k in LENGTHS:
        theirs = official(k)
        stream.shuffle(theirs)
        pairs += [(k, *pair) for pair in zip(ours(k, seed, each), theirs[:each], strict=True)]
    stream.shuffle(pairs)
    for sheet in range(SHEETS):
        lines = []
        for number, (k, our, their) in enumerate(pairs[sheet * PAIRS : (sheet + 1) * PAIRS], 1):
            is_a = stream.random() < 0.5
            texts = (our[1], their[1]) if is_a else (their[1], our[1])
            lines += [f"## {number}", "", f"A: {texts[0]}", "", f"B: {texts[1]}", ""]
            side = "A" if is_a else "B"
            key.append([sheet + 1, number, k, side, their[0], our[0], our[1]])
        (folder / f"sheet-{sheet + 1}.md").write_text("\n".join(lines))
    with gzip.open(folder / "key.json.gz", "wt") as file:
        json.dump({"seed": seed, "pairs": key}, file, indent=0)


def score(folder: Path) -> None:
    """Print how often our stories were preferred, in all and by k."""
    with gzip.open(folder / "key.json.gz", "rt") as file:
        known = json.load(file)["pairs"]
    key = {(sheet, number): (k, side) for sheet, number, k, side, *_ in known}
    counts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for file in sorted(folder.glob("verdicts-*.txt")):
        sheet = int(file.stem.split("-")[1])
        for line in file.read_text().splitlines():
            if not line.strip():
                continue
            number, *verdicts = line.split()
            k, side = key[sheet, int(number)]
            for question, verdict in zip(QUESTIONS, verdicts, strict=True):
                for group in ("all", f"k = {k}", file.stem):
                    counts[group, question].append(verdict == side)
    for group in sorted({group for group, _ in counts}):
        shares = [counts[group, question] for question in QUESTIONS]
        found = "  ".join(
            f"{question} {100 * sum(share) / len(share):.0f} %"
            for question, share in zip(QUESTIONS, shares, strict=True)
        )
        print(f"{group:16} {len(shares[0]):4} pairs  {found}")


def main() -> None:
    """Run the command."""
    command, folder, *seed = sys.argv[1:]
    if command == "sheets":
        sheets(Path(folder), int(*seed) if seed else 0)
    else:
        score(Path(folder))


if __name__ == "__main__":
    main()
