"""Cost of many rows: measured on this machine, simulated for a cluster.

    python bench/scale.py measure [ROWS]        CPU time of a row and a shard on this machine
    python bench/scale.py overhead [ROWS]       Dask against processes, two workers against one
    python bench/scale.py check [SHARDS]        the simulation against real runs of 1 to 4 workers
    python bench/scale.py simulate              10 to 1,000 workers, 10^9 to 10^11 rows
    python bench/scale.py scheduler [SHARDS]    memory of a real scheduler over empty shards

The simulation is event-driven: a scheduler that assigns one shard at a time; workers
that make and upload shards, die and restart, some of them slow; a store that throttles; a
client that takes results one by one. `check` compares it with runs of a real cluster whose
workers sleep as long as a shard takes, so the result does not depend on the load of the machine.
"""

import argparse
import heapq
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any

from relsmith import Engine, make, start_engine, write

GENERATOR, OPTIONS = "clutrr", {"k": "4"}


@dataclass(frozen=True)
class Figures:
    """Costs: seconds, bytes and failure rates."""

    row: float = 1.26e-4  # CPU seconds to make, encode and compress a row
    bytes: float = 300.0  # of a compressed row in the store
    start: float = 2.0  # until a worker has imported and prepared everything
    hand_out: float = 3.0e-3  # of the scheduler, per shard
    take_in: float = 3.0e-3  # of the client, per result
    request: float = 0.03  # until a store responds
    bandwidth: float = 50e6  # bytes per second of a worker
    requests_per_shard: float = 9.0  # counted: 4 HEAD, 3 GET, 2 PUT
    most_requests: float = 3500.0  # requests per second of a store under one prefix
    life: float = 24 * 3600.0  # mean time to failure of a worker
    repair: float = 120.0  # until its replacement is there
    slow_share: float = 0.02  # share of workers
    slowness: float = 3.0  # times as slow
    listing: float = 0.1  # per 1,000 names


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run."""

    seconds: float
    busy: float  # minimum time of the rows as a share of the workers' time
    scheduler: float  # share of the time in which the scheduler was busy
    deaths: int
    throttled: int  # requests that waited for the store


def simulate(
    rows: int,
    workers: int,
    shards: int,
    figures: Figures,
    seed: int = 0,
    *,
    slow: Collection[int] | None = None,
) -> Outcome:
    """Simulate a run; slow workers are drawn unless given."""
    draw = random.Random(seed)
    share, tie = rows / shards, count()
    if slow is None:
        slow = {worker for worker in range(workers) if draw.random() < figures.slow_share}
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
            making = share * figures.row * (figures.slowness if worker in slow else 1)
            # Requests queue if there are more than the store handles.
            store_free = max(store_free, scheduler_free)
            store_free += figures.requests_per_shard / figures.most_requests
            wait = store_free - scheduler_free
            throttled += wait > 1.0
            sending = share * figures.bytes / figures.bandwidth
            taken = making + sending + figures.requests_per_shard * figures.request + wait
            death = draw.expovariate(1 / figures.life)
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
    """Return a number of shards, up to 100,000, that take minutes and keep all workers busy."""
    by_time = rows * figures.row / 300
    return int(min(100_000, max(20 * workers, by_time, 1)))


def plan(figures: Figures) -> None:
    """Print the table of docs/scale.md."""
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
    """Measure the CPU time of a row in each format, and of a shard."""
    generator = make(GENERATOR, **OPTIONS)
    write_here(rows // 10)  # everything is prepared and cached
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
            size = sum(file.bytes for file in made.files) / rows
            print(f"{encoding:10} {taken * 1e6:8.0f} CPU s and {size / 1000:8.2f} GB for 10^6 rows")
    with start_engine("dask", cluster="local:1") as engine:
        print(f"a shard: {no_op(engine) * 1000:.2f} CPU ms of scheduler and client")


def write_here(rows: int) -> None:
    """Write once, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        write(make(GENERATOR, **OPTIONS), Path(folder, "data"), {"train": rows})


def no_op(engine: Engine, shards: int = 1000) -> float:
    """Measure CPU seconds of this process, with scheduler and client, for an empty shard."""
    start = time.process_time()
    for _ in engine.map_shards(_nothing, range(shards)):
        pass
    return (time.process_time() - start) / shards


# Dask against processes

RUN = """
import json, resource, sys, tempfile, time
from pathlib import Path
from relsmith import make, start_engine, write
engine, workers, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if __name__ == "__main__":
    began = time.perf_counter()
    with start_engine(engine, workers=workers) as started:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "data")
            write(make("clutrr", k="4"), out, {"train": rows}, shards=40, engine=started)
            wall = time.perf_counter() - began
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps([wall, sum(one.ru_utime + one.ru_stime for one in usage)]))
"""


def overhead(rows: int, rounds: int = 2) -> None:
    """Run in turns, each in its own process; the best of each counts."""
    runs = [("local", 1), ("dask", 1), ("local", 2), ("dask", 2)]
    wall, cpu = dict.fromkeys(runs, float("inf")), dict.fromkeys(runs, float("inf"))
    print(f"{'engine':8} {'workers':>7} {'seconds':>9} {'CPU s':>9}   of {rows:,} rows")
    for _ in range(rounds):
        for engine, workers in runs:
            command = [sys.executable, "-c", RUN, engine, str(workers), str(rows)]
            ran = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            seconds, of_cpu = json.loads(ran.stdout)
            print(f"{engine:8} {workers:7} {seconds:9.1f} {of_cpu:9.1f}", flush=True)
            wall[engine, workers] = min(wall[engine, workers], seconds)
            cpu[engine, workers] = min(cpu[engine, workers], of_cpu)
    for name, taken in (("time", wall), ("CPU time", cpu)):
        for workers in (1, 2):
            over = taken["dask", workers] / taken["local", workers] - 1
            print(f"{name}: Dask takes {over:+.1%} over processes with {workers} (goal: 10 %)")
    for engine in ("local", "dask"):
        faster = wall[engine, 1] / wall[engine, 2]
        at_best = 2 * cpu[engine, 1] / cpu[engine, 2]
        print(
            f"{engine}: two workers are {faster:.2f} times as fast as one (goal: 1.8); by CPU time "
            f"at best {at_best:.2f}"
        )


# The simulation against real runs


@dataclass(frozen=True)
class Nap:
    """A simulated shard: duration, slow workers, store, and times of deaths."""

    number: int
    seconds: float
    slow: tuple[int, ...]
    slowness: float
    store: float
    life: float
    notes: Path


def nap(shard: Nap, tick: object) -> None:
    """Sleep for the duration of the shard, then hold the store; record starts and deaths."""
    import fcntl

    from distributed import get_worker

    name = get_worker().name

    def note(word: str) -> None:
        with (shard.notes / f"worker-{name}").open("a") as file:
            file.write(f"{word} {time.time()}\n")

    tries = shard.notes / f"shard-{shard.number}"
    with tries.open("a") as file:
        file.write("x")
    note("begin")
    taken = shard.seconds * (shard.slowness if name in shard.slow else 1)
    draw = random.Random(f"{shard.number} {tries.stat().st_size}")
    death = draw.expovariate(1 / shard.life)
    time.sleep(min(taken, death))
    if death < taken:
        note("die")
        os.kill(os.getpid(), signal.SIGKILL)
    if shard.store:
        with (shard.notes / "store").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(shard.store)


def repair_time(notes: Path) -> tuple[int, float]:
    """Return the number of deaths, and the mean time until a new shard was started."""
    taken, now = [], time.time()
    for path in notes.glob("worker-*"):
        lines = [line.split() for line in path.read_text().splitlines()]
        for (word, at), (_, then) in pairwise([*lines, ["end", str(now)]]):
            if word == "die":
                taken.append(float(then) - float(at))
    return len(taken), fmean(taken) if taken else 0.0


def check(shards: int) -> None:
    """Compare real runs of 1 to 4 sleeping workers with their simulation."""
    usual = Figures(
        row=1.0,
        bytes=0.0,
        start=0.0,
        request=0.0,
        most_requests=float("inf"),
        life=1e9,
        slow_share=0.0,
        listing=0.0,
    )
    cases: list[tuple[str, Figures, tuple[int, ...], tuple[int, ...]]] = [
        ("as they are", usual, (), (1, 2, 3, 4)),
        ("one is three times as slow", usual, (0,), (2, 3, 4)),
        ("the store takes 2 shards a second", replace(usual, most_requests=18.0), (), (1, 2, 4)),
        ("workers live for 6 seconds", replace(usual, life=6.0), (), (1, 2, 4)),
    ]
    print(f"{shards} shards of one second; simulated: the median of 1,000 with as many deaths")
    print(f"{'':36}{'workers':>7} {'seconds':>8} {'simulated':>10} {'of it':>7}")
    for name, figures, slow, numbers in cases:
        for workers in numbers:
            with (
                start_engine("dask", cluster=f"local:{workers}") as engine,
                tempfile.TemporaryDirectory() as folder,
            ):
                cost = no_op(engine, 200)
                store = figures.requests_per_shard / figures.most_requests
                naps = [
                    Nap(n, figures.row, slow, figures.slowness, store, figures.life, Path(folder))
                    for n in range(shards)
                ]
                began = time.perf_counter()
                for _ in engine.map_shards(nap, naps):
                    pass
                seconds = time.perf_counter() - began
                deaths, repair = repair_time(Path(folder))
            here = replace(figures, repair=repair, hand_out=cost / 2, take_in=cost / 2)
            outcomes = [
                simulate(shards, workers, shards, here, seed, slow=slow) for seed in range(1000)
            ]
            drawn = sorted(one.seconds for one in outcomes if one.deaths == deaths)
            middle = median(drawn)
            spread = f"{deaths} deaths, simulated {drawn[0]:.1f} to {drawn[-1]:.1f}"
            print(
                f"{name:36}{workers:7} {seconds:8.2f} {middle:10.2f} {seconds / middle - 1:+7.1%}  "
                f"{spread if deaths else ''}",
                flush=True,
            )


def scheduler(shards: int) -> None:
    """Pass empty shards through a real scheduler; print its memory."""
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
    """Run a subcommand."""
    works: dict[str, tuple[Callable[[int], None], int]] = {
        "measure": (measure, 40_000),
        "overhead": (overhead, 10**6),
        "check": (check, 40),
        "simulate": (lambda _: plan(Figures()), 0),
        "scheduler": (scheduler, 100_000),
    }
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=works)
    parser.add_argument("number", type=int, nargs="?")
    words = parser.parse_args()
    work, usual = works[words.what]
    work(words.number or usual)


if __name__ == "__main__":
    main()
