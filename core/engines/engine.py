"""Where shards are worked on: a protocol of one method, and the engine for one machine."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import RawArray
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeVar

from ..errors import InvalidOption, RelsmithError
from ..registry import Registry

Spec = TypeVar("Spec")
Result = TypeVar("Result")

Tick = Callable[[int], None]
"""Says how many rows of the shard at hand are done."""

Work = Callable[[Spec, Tick], Result]
"""What is done for a shard. It may be run twice for one shard, and must not mind."""


class Engine(Protocol):
    """Anything that can work on shards; results come as they are ready, in any order."""

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        """Yield the result of every shard, once each.

        What makes the work impossible is said at once; nothing is begun before a result is asked
        for. Work and shards can be pickled; a shard may say by `made_by` whose generator it needs.
        """
        ...


Start = Callable[[int | None, str | None, Tick], AbstractContextManager[Engine]]
"""What an entry point of `relsmith.engines` names: given --workers and --cluster, as far as they
were said, and whom to tell of rows that are done, it starts an engine and ends it afterwards."""


def check_start(name: str, plugin: object) -> Start:
    """Say why the object cannot start the engine of that name, or hand it back."""
    if not callable(plugin):
        raise TypeError(f"expected a function that starts an engine, but got {plugin!r}")
    if not (plugin.__doc__ or "").strip() and sys.flags.optimize < 2:
        raise ValueError(f"{name} has no docstring, and the docstring is its help")
    return plugin


ENGINES = Registry("relsmith.engines", "engine", check_start)


@contextmanager
def start_engine(
    name: str = "local",
    *,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Tick | None = None,
) -> Iterator[Engine]:
    """Start the engine of that name, as --engine, --workers and --cluster say."""
    if workers is not None and cluster is not None:
        raise InvalidOption("--workers: --cluster says how many there are; leave one of them out")
    with ENGINES.get(name)(workers, cluster, progress or unwatched) as engine:
        yield engine


def unwatched(rows: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Local:
    """Processes on this machine; with one worker or one shard, this very process."""

    workers: int = 1
    progress: Tick = unwatched

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        """Yield the result of every shard, surviving workers that are killed."""
        if min(self.workers, len(specs)) <= 1:
            return self._here(work, specs)
        return self._in_processes(work, specs)

    def _here(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        before = 0
        for spec in specs:
            done = 0

            def tick(rows: int, before: int = before) -> None:
                nonlocal done
                done = rows
                self.progress(before + rows)

            yield work(spec, tick)
            before += done

    def _in_processes(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        rows_done = RawArray("q", len(specs))
        left = dict(enumerate(specs))
        fruitless = 0
        while left:
            before = len(left)
            try:
                for at, result in self._pool(work, left, rows_done):
                    del left[at]
                    yield result
            except BrokenProcessPool:
                fruitless = fruitless + 1 if len(left) == before else 0
                if fruitless == _TRIES:
                    raise RelsmithError(
                        f"workers die before they finish a shard ({_TRIES} times in a row); "
                        f"is memory short, or does a script that asks for workers lack "
                        f"if __name__ == '__main__'? Try --workers 1 or more --shards"
                    ) from None

    def _pool(
        self, work: Work[Spec, Result], specs: dict[int, Spec], rows_done: Any
    ) -> Iterator[tuple[int, Result]]:
        context = multiprocessing.get_context("spawn")
        leash, held = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(
            min(self.workers, len(specs)), context, _start_worker, (leash, rows_done)
        )
        done = SimpleQueue[Future[Result]]()  # the one way to wait that may be interrupted
        futures: dict[Future[Result], int] = {}
        ready: list[Future[Result]] = []
        try:
            with undisturbed():
                for at, spec in specs.items():
                    future = pool.submit(_run, work, at, spec)
                    futures[future] = at
                    future.add_done_callback(done.put)
            while futures:
                with suppress(Empty):
                    ready.append(done.get(timeout=0.1))
                self.progress(sum(rows_done))
                for future in ready:
                    yield futures.pop(future), future.result()
                ready.clear()
        finally:
            with undisturbed():
                held.close()
                pool.shutdown(cancel_futures=True)
                leash.close()


@contextmanager
def local(workers: int | None, cluster: str | None, progress: Tick) -> Iterator[Local]:
    """Processes on this machine, as many as --workers says."""
    if cluster is not None:
        raise InvalidOption(
            "--cluster: the local engine has none; add --engine dask, or leave it out"
        )
    yield Local(workers or cores(), progress)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put signals off: what they raise amid a pool's locks would leave these locked for ever.

    Workers that start here never see Ctrl-C, not even while they import.
    """
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    if threading.current_thread() is not threading.main_thread():
        handlers = {}  # others are never disturbed
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append(number))
    if hasattr(signal, "pthread_sigmask"):
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for put_off in came:
            signal.raise_signal(put_off)


_TRIES = 3
_rows_done: Any = None


def _start_worker(leash: Connection, rows_done: Any) -> None:
    global _rows_done  # noqa: PLW0603 (a pool's initializer has no other place)
    _rows_done = rows_done
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, args=(leash,), daemon=True).start()


def _die_with_parent(leash: Connection) -> None:
    # Without this, a worker whose parent was killed waits for work for ever.
    try:
        leash.recv_bytes()
    except EOFError:
        os._exit(1)


def _run(work: Work[Spec, Result], at: int, spec: Spec) -> Result:
    # One slot a shard and no lock: a worker killed in here leaves nobody waiting.
    def tick(rows: int) -> None:
        _rows_done[at] = rows

    return work(spec, tick)
