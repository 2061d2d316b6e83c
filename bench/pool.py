"""Parallel jobs in separate processes, within a time limit."""

import functools
import multiprocessing
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch

Job = TypeVar("Job")
Done = TypeVar("Done")


def in_time(
    work: Callable[[Job], Done], jobs: Sequence[Job], workers: int, minutes: float
) -> Iterator[tuple[str, Done, float]]:
    """Yield the finished jobs in time: number, outcome, seconds.

    A failed job is reported and does not affect others.
    """
    deadline = time.monotonic() + 60 * minutes
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        waiting = pool.imap_unordered(functools.partial(_timed, work), jobs)
        for number in range(1, len(jobs) + 1):
            try:
                done = waiting.next(max(0.01, deadline - time.monotonic()))
            except multiprocessing.TimeoutError:
                print(f"time is up after {number - 1} of {len(jobs)} runs", flush=True)
                break
            if done:
                yield f"{number}/{len(jobs)}", *done
        pool.terminate()


def _timed(work: Callable[[Job], Done], job: Job) -> tuple[Done, float] | None:
    torch.set_num_threads(1)
    start = time.monotonic()
    try:
        return work(job), time.monotonic() - start
    except Exception:
        print(f"FAILED {job}\n{traceback.format_exc()}", flush=True)
        return None
