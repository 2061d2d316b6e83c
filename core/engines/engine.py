"""Engines run work on shards: the protocol, and the engine for one machine."""

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
"""Reports the number of finished rows of the current shard."""

Work = Callable[[Spec, Tick], Result]
"""The function for one shard. It must be idempotent: it may run twice for a shard."""


class Engine(Protocol):
    """Runs work on shards; results come in any order."""

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        """Yield the result of every shard, once each.

        Raises at once if the work is impossible; starts when the first result is requested. Work
        and shards can be pickled; a shard may name the generator it needs in `generator_name`.
        """
        ...


EngineStarter = Callable[[int | None, str | None, Tick], AbstractContextManager[Engine]]
"""The type of entry points in `relsmith.engines`: starts and stops an engine, given --workers,
--cluster and a callback for the number of finished rows."""


def check_start(name: str, plugin: object) -> EngineStarter:
    """Return the plugin if it can start an engine; raise TypeError or ValueError if not."""
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
    """Start the engine `name`; the arguments are those of --engine, --workers and --cluster."""
    if workers is not None and cluster is not None:
        raise InvalidOption("--workers: --cluster sets the number of workers; leave one out")
    with ENGINES.get(name)(workers, cluster, progress or no_progress) as engine:
        yield engine


def no_progress(rows: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class Local:
    """Processes on this machine; with one worker or one shard, the current process."""

    workers: int = 1
    progress: Tick = no_progress

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        """Yield the result of every shard; work of killed workers is repeated."""
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
        failures = 0
        while left:
            before = len(left)
            try:
                for at, result in self._pool(work, left, rows_done):
                    del left[at]
                    yield result
            except (BrokenProcessPool, BrokenPipeError):  # the latter while they start
                failures = failures + 1 if len(left) == before else 0
                if failures == _MAX_FAILURES:
                    raise RelsmithError(
                        f"workers die before they finish a shard ({_MAX_FAILURES} times in a row); "
                        f"is memory short, or does a script that starts workers lack "
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
        done = SimpleQueue[Future[Result]]()  # waiting on it can be interrupted
        futures: dict[Future[Result], int] = {}
        ready: list[Future[Result]] = []
        try:
            with signals_deferred():
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
            with signals_deferred():
                held.close()
                pool.shutdown(cancel_futures=True)
                leash.close()


@contextmanager
def local(workers: int | None, cluster: str | None, progress: Tick) -> Iterator[Local]:
    """Processes on this machine, as many as --workers says."""
    if cluster is not None:
        raise InvalidOption(
            "--cluster: the local engine has no cluster; add --engine dask, or leave it out"
        )
    yield Local(workers or available_cores(), progress)


def available_cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Defer signals: an exception inside a pool's locks would leave them locked for ever.

    Workers that start here never receive Ctrl-C, not even while importing.
    """
    received: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    if threading.current_thread() is not threading.main_thread():
        handlers = {}  # signals reach only the main thread
    for number in handlers:
        signal.signal(number, lambda number, frame: received.append(number))
    if hasattr(signal, "pthread_sigmask"):
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for deferred in received:
            signal.raise_signal(deferred)


_MAX_FAILURES = 3
_rows_done: Any = None


def _start_worker(leash: Connection, rows_done: Any) -> None:
    global _rows_done  # noqa: PLW0603 (pool initializers return nothing)
    _rows_done = rows_done
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, args=(leash,), daemon=True).start()


def _die_with_parent(leash: Connection) -> None:
    # Without this, a worker whose parent was killed would wait for ever.
    try:
        leash.recv_bytes()
    except EOFError:
        os._exit(1)


def _run(work: Work[Spec, Result], at: int, spec: Spec) -> Result:
    # One slot per shard and no lock: a worker killed here blocks nobody.
    def tick(rows: int) -> None:
        _rows_done[at] = rows

    return work(spec, tick)
