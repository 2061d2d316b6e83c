"""Verify a dataset: every byte, then every row solved again by a judge without the rules.

`python examples/verify_data.py [FOLDER]`

Without a folder it makes a dataset, falsifies one answer, and shows that both checks find it.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import relsmith
from relsmith.validation import findings


def verify(folder: Path) -> int:
    """Print and count the findings of the dataset."""
    problems = list(relsmith.verify(folder))
    print(f"{folder.name}: {len(problems) or 'no'} problem(s)", *problems, sep="\n  ")
    return len(problems)


def demonstrate() -> None:
    """Falsify an answer on disk, and one in memory."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary, "stories")
        stories = relsmith.make("clutrr", k=3)
        relsmith.write(stories, folder, {"test": 50})
        verify(folder)

        row = relsmith.Dataset(folder)[7]
        print(f"\n{row.input}\n-> {row.target}, or so someone says: aunt")
        row.target = "aunt"
        print(*findings(stories, row), sep="\n")

        (shard,) = folder.glob("*.jsonl")
        shard.write_bytes(re.sub(rb'"target":"\w+', b'"target":"aunt', shard.read_bytes(), count=1))
        verify(folder)


if len(sys.argv) > 1:
    sys.exit(verify(Path(sys.argv[1])) > 0)
demonstrate()
