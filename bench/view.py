"""Time and memory of gen view with many rows: first page, page after page.

    python bench/view.py [ROWS] [SHARDS]

The rows are those of a small dataset, repeated with new ids. The comparison is with the
small dataset itself: neither time nor memory should grow with the number of rows.
"""

import json
import os
import random
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from relsmith import make, write
from relsmith.dataset.manifest import DataFile, Manifest, default_shards, shard_name

SMALL = 1_000


def repeated(small: Path, out: Path, rows: int, shards: int) -> None:
    """Make a dataset of this many rows by repeating those of another."""
    manifest = Manifest.load(small)
    (source,) = small.glob("*.jsonl")
    lines = source.read_bytes().splitlines(keepends=True)
    stem = lines[0].split(b"-train-0")[0] + b"-train-"
    rests = [line.split(b'"', 4)[4] for line in lines]
    out.mkdir()
    files = []
    for shard in range(shards):
        name = shard_name("train", shard, shards, "jsonl")
        numbers = range(rows * shard // shards, rows * (shard + 1) // shards)
        digest, size = sha256(), 0
        with (out / name).open("wb") as file:
            for n in numbers:
                line = b'%b%d"%b' % (stem, n, rests[n % len(rests)])
                size += file.write(line)
                digest.update(line)
        files.append(
            DataFile(
                name=name, split="train", rows=len(numbers), bytes=size, sha256=digest.hexdigest()
            )
        )
    whole = manifest.model_copy(update={"splits": {"train": rows}, "files": files})
    (out / "manifest.json").write_bytes(whole.json_bytes())


def memory(process: int) -> float:
    """Return the memory of a process in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1000


def processor(process: int) -> float:
    """Return the CPU seconds of a process."""
    times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def measure(folder: Path, rows: int) -> dict[str, float]:
    """Return times in seconds and memory in MB."""
    start = time.perf_counter()
    command = [Path(sys.executable).with_name("gen"), "view", folder, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        home = server.stdout.readline().split(": ")[1].split()[0]

        def get(path: str) -> float:
            before = time.perf_counter()
            with urlopen(home + path) as answer:
                answer.read()
            return time.perf_counter() - before

        get("rows")
        figures = {"until the first page": time.perf_counter() - start}
        figures["of it computing"] = processor(server.pid)
        figures["to the last row, at once"] = get(f"row/train/{rows - 1}")
        places = random.Random(0)
        spent = processor(server.pid)
        tables = [get(f"rows?page={places.randrange(rows // 25) + 1}") for _ in range(40)]
        figures["a page of the table, computing"] = (processor(server.pid) - spent) / 40
        single = [get(f"row/train/{places.randrange(rows)}") for _ in range(40)]
        figures |= {"a page of the table": median(tables), "the slowest of 40": max(tables)}
        figures |= {"a row": median(single), "the slowest of 40 rows": max(single)}
        figures["memory"] = memory(server.pid)
        figures["until a rare text's first rows"] = get("rows?q=grandmother")
        start = time.perf_counter()
        get("rows?q=no+row+has+this")
        figures["a text searched in all rows"] = time.perf_counter() - start
        figures["memory after the search"] = memory(server.pid)
        server.terminate()
    return figures


def main() -> None:
    """Measure both sizes in turn."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    shards = int(sys.argv[2]) if len(sys.argv) > 2 else default_shards(rows)
    with TemporaryDirectory() as home:
        small, large = Path(home, "small"), Path(home, "large")
        write(make("clutrr", k="2..6", noise="all"), small, {"train": SMALL})
        repeated(small, large, rows, shards)
        figures = {SMALL: measure(small, SMALL), rows: measure(large, rows)}
    for name, value in figures[rows].items():
        before = figures[SMALL][name]
        unit = "MB" if name.startswith("memory") else "s"
        print(f"{name}: {value:.3f} {unit}, {value / before:.2f} times that of {SMALL} rows")
    print(json.dumps({str(size): found for size, found in figures.items()}))


if __name__ == "__main__":
    main()
