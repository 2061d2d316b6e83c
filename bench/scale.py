"""What many rows cost, and how a cluster would make them: measured here, simulated beyond.

    python bench/scale.py measure [ROWS]    what a row takes here; real runs of 1 and 2 workers
    python bench/scale.py simulate          10 to 1,000 workers, 10^9 to 10^11 rows
    python bench/scale.py scheduler [SHARDS]    memory over shards without work, real scheduler

The simulation goes from event to event: a scheduler that hands out one shard at a time; workers
that make and upload them, die and come back, and some of which are slow; a store that throttles; a
client that takes results one after another. `measure` runs it with the figures that it has just
measured, beside real runs.
"""

import argparse
import heapq
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from relsmith import make, start_engine, write

GENERATOR, OPTIONS = "clutrr", {"k": "4"}


@dataclass(frozen=True)
class Figures:
    """What things take: seconds, bytes, and how often something fails."""

    row: float = 1.26e-4  # CPU seconds to make, encode and pack a row
    bytes: float = 300.0  # of a row in the store, packed
    start: float = 2.0  # until a worker has imported and prepared all
    hand_out: float = 3.0e-3  # the scheduler, for a shard
    take_in: float = 3.0e-3  # the client, for a result
    request: float = 0.03  # until a store answers
    bandwidth: float = 50e6  # bytes in a second, of a worker
    requests_per_shard: float = 9.0  # counted: 4 HEAD, 3 GET, 2 PUT
    most_requests: float = 3500.0  # that a store takes in a second under one prefix
    life: float = 24 * 3600.0  # a worker's mean time to its death
    repair: float = 120.0  # until another one is there
    slow_share: float = 0.02  # of workers
    slowness: float = 3.0  # times as long
    listing: float = 0.1  # for each 1,000 names


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    seconds: float
    busy: float  # what the rows take at the least, as a share of the workers' time
    scheduler: float  # share of the time that the scheduler was at work
    deaths: int
    throttled: int  # requests that had to wait for the store


def simulate(
    rows: int, workers: int, shards: int, figures: Figures, seed: int = 0, *, mortal: bool = True
) -> Outcome:
    """One run, from event to event."""
    draw = random.Random(seed)
    share, tie = rows / shards, count()
    slow = [draw.random() < figures.slow_share for _ in range(workers)]
    left, done = shards, 0
    scheduler_free = client_free = store_free = 0.0
    scheduler_work = 0.0
    deaths = throttled = 0
    waiting: list[tuple[float, int, int]] = [
        (figures.start, next(tie), worker) for worker in range(workers)
    ]
    heapq.heapify(waiting)
    at_work: list[tuple[float, int, int, bool]] = []
    end = 0.0
    while done < shards:
        if waiting and left and (not at_work or waiting[0][0] <= at_work[0][0]):
            now, _, worker = heapq.heappop(waiting)
            scheduler_free = max(scheduler_free, now) + figures.hand_out
            scheduler_work += figures.hand_out
            left -= 1
            making = share * figures.row * (figures.slowness if slow[worker] else 1)
            # Requests queue where there are more than the store takes.
            store_free = max(store_free, scheduler_free)
            store_free += figures.requests_per_shard / figures.most_requests
            wait = store_free - scheduler_free
            throttled += wait > 1.0
            sending = share * figures.bytes / figures.bandwidth
            taken = making + sending + figures.requests_per_shard * figures.request + wait
            death = draw.expovariate(1 / figures.life) if mortal else float("inf")
            lives = death > taken
            over = scheduler_free + (taken if lives else death)
            heapq.heappush(at_work, (over, next(tie), worker, lives))
        else:
            now, _, worker, lives = heapq.heappop(at_work)
            if lives:
                client_free = max(client_free, now) + figures.take_in
                done += 1
                end = client_free
                heapq.heappush(waiting, (now, next(tie), worker))
            else:
                deaths += 1
                left += 1
                back = now + figures.repair + figures.start
                heapq.heappush(waiting, (back, next(tie), worker))
    end += figures.listing * shards / 1000 * 2 + 2 * figures.request
    useful = rows * figures.row
    return Outcome(end, useful / (workers * end), scheduler_work / end, deaths, throttled)


def shards_for(rows: int, workers: int, figures: Figures) -> int:
    """Files of a size that keeps shards to minutes and files to 100,000, and all workers busy."""
    by_time = rows * figures.row / 300
    return int(min(100_000, max(20 * workers, by_time, 1)))


def plan(figures: Figures) -> None:
    """The table of docs/scale.md."""
    print(
        "rows   workers   shards  rows/shard      hours  core-hours  efficiency  scheduler  deaths"
    )
    for rows in (10**9, 10**10, 10**11):
        for workers in (10, 100, 1000):
            shards = shards_for(rows, workers, figures)
            outcome = simulate(rows, workers, shards, figures)
            print(
                f"{rows:.0e} {workers:7} {shards:8} {rows // shards:11,} "
                f"{outcome.seconds / 3600:10.1f} {workers * outcome.seconds / 3600:11,.0f} "
                f"{outcome.busy:10.0%} {outcome.scheduler:10.2%} {outcome.deaths:7}"
            )
    print("\nwhat if, at 10^10 rows and 1,000 workers:")
    rows, workers = 10**10, 1000
    usual = shards_for(rows, workers, figures)
    cases = {
        "as above": (usual, figures),
        "shards of 20,000 rows (refused: too many files)": (rows // 20_000, figures),
        "4 shards for each worker": (4 * workers, figures),
        "workers live an hour": (usual, replace(figures, life=3600.0)),
        "one worker in five is slow": (usual, replace(figures, slow_share=0.2)),
        "the store takes 100 requests a second": (usual, replace(figures, most_requests=100.0)),
        "the store takes 5 MB a second of a worker": (usual, replace(figures, bandwidth=5e6)),
        "a scheduler ten times as slow": (usual, replace(figures, hand_out=3e-2, take_in=3e-2)),
    }
    for name, (shards, changed) in cases.items():
        outcome = simulate(rows, workers, shards, changed)
        print(
            f"{name:48} {shards:8} shards {outcome.seconds / 3600:7.2f} h  busy {outcome.busy:4.0%}"
            f"  scheduler {outcome.scheduler:6.1%}  {outcome.deaths:5} deaths"
        )


def measure(rows: int) -> None:
    """What a row takes here, and real runs beside the simulation of them."""
    generator = make(GENERATOR, **OPTIONS)
    write_here(rows // 10)  # all is prepared and cached
    figures = Figures()
    sizes = {}
    for encoding in ("jsonl", "jsonl.gz", "jsonl.zst", "parquet"):
        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            made = write(
                generator,
                Path(folder, "data"),
                {"train": rows},
                encoding=encoding,  # type: ignore[arg-type]  # one of them
            )
            taken = (time.process_time() - start) / rows
            sizes[encoding] = taken, sum(file.bytes for file in made.files) / rows
            print(
                f"{encoding:10} {taken * 1e6:8.0f} CPU s and {sizes[encoding][1] / 1000:8.2f} GB "
                f"for 10^6 rows"
            )
    figures = replace(figures, row=sizes["jsonl"][0], bytes=sizes["jsonl"][1])
    overhead = no_ops()
    figures = replace(figures, hand_out=overhead / 2, take_in=overhead / 2)
    print(f"a shard without work: {overhead * 1000:.2f} ms of scheduler and client")
    print(f"{'engine':10} {'workers':>7} {'seconds':>9} {'simulated':>10}   CPU s of workers")
    for engine in ("local", "dask"):
        for workers in (1, 2):
            run = timed(engine, workers, rows)
            # Machines like this one share their cores: a row costs what it cost in this very run.
            here = replace(
                figures,
                row=run["cpu"] / rows,
                bandwidth=1e9,
                start=run["start"],
                request=1e-3,
                hand_out=overhead / 2 if engine == "dask" else 1e-4,
                take_in=overhead / 2 if engine == "dask" else 1e-4,
            )
            simulated = simulate(rows, workers, 16, here, mortal=False)
            print(
                f"{engine:10} {workers:7} {run['wall']:9.1f} {simulated.seconds:10.1f}   "
                f"{run['cpu']:.1f}"
            )


def write_here(rows: int) -> None:
    """Once, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        write(make(GENERATOR, **OPTIONS), Path(folder, "data"), {"train": rows})


RUN = """
import json, resource, sys, tempfile, time
from pathlib import Path
from relsmith import make, start_engine, write
engine, workers, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if __name__ == "__main__":
    began = time.perf_counter()
    first = []
    def watch(done):
        if done and not first:
            first.append(time.perf_counter() - began)
    with start_engine(engine, workers=workers, progress=watch) as started:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "data")
            write(make("clutrr", k="4"), out, {"train": rows}, shards=16, engine=started)
        wall = time.perf_counter() - began
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in usage)
    print(json.dumps({"wall": wall, "cpu": cpu, "start": first[0] if first else 0.0}))
"""


def timed(engine: str, workers: int, rows: int) -> dict[str, float]:
    """A real run in a process of its own: its seconds, the CPU's, and those to the first rows."""
    ran = subprocess.run(
        [sys.executable, "-c", RUN, engine, str(workers), str(rows)],
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def no_ops(shards: int = 3000) -> float:
    """Seconds that a shard takes in which nothing is done."""
    with start_engine("dask", cluster="local:1") as engine:
        start = time.perf_counter()
        for _ in engine.map_shards(_nothing, range(shards)):
            pass
        return (time.perf_counter() - start) / shards


def scheduler(shards: int) -> None:
    """Hand so many shards without work through a real scheduler; print memory on the way."""
    import psutil

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    place = ["--host", "127.0.0.1", "--no-dashboard"]
    commands = [subprocess.Popen([*dask, "scheduler", "--port", port, *place], **quiet)]
    worker = [*dask, "worker", address, "--nthreads", "1", "--no-nanny", *place]
    commands.append(subprocess.Popen(worker, **quiet))
    names = ("scheduler", "worker", "client")
    processes = [psutil.Process(pid) for pid in (*(one.pid for one in commands), os.getpid())]
    marks = [digit * 10**power for power in range(3, 9) for digit in (1, 2, 5)]
    try:
        time.sleep(5)
        with start_engine("dask", cluster=address) as engine:
            print("MiB of memory, and milliseconds of CPU a shard since the line before")
            print(f"{'shards':>8} {'known':>6}" + "".join(f"{name:>18}" for name in names))
            cpu, before = [_cpu(process) for process in processes], 0
            for done, _ in enumerate(engine.map_shards(_nothing, range(shards)), 1):
                if done in marks or done == shards:
                    tasks = engine.client.run_on_scheduler(_tasks)  # type: ignore[attr-defined]
                    line = f"{done:8} {tasks:6}"
                    now = [_cpu(process) for process in processes]
                    for process, start, end in zip(processes, cpu, now, strict=True):
                        size = process.memory_info().rss / 2**20
                        line += f"{size:11.2f} {(end - start) / (done - before) * 1000:6.2f}"
                    print(line, flush=True)
                    cpu, before = now, done
    finally:
        for command in commands:
            command.kill()
            command.wait()


def _cpu(process: Any) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _tasks(dask_scheduler: Any) -> int:
    return len(dask_scheduler.tasks)


def _nothing(number: int, tick: object) -> None:
    pass


def main() -> None:
    """Measure, simulate or watch a scheduler."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["measure", "simulate", "scheduler"])
    parser.add_argument("number", type=int, nargs="?")
    words = parser.parse_args()
    if words.what == "simulate":
        plan(Figures())
    elif words.what == "scheduler":
        scheduler(words.number or 100_000)
    else:
        measure(words.number or 40_000)


if __name__ == "__main__":
    main()
