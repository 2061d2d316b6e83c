"""The engine for many machines: shards as tasks of a Dask cluster."""

import logging
import re
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import CannotWrite, InvalidOption, MissingExtra, RelsmithError, install
from ..registry import installed
from .engine import Result, Spec, Tick, Work, cores, undisturbed, unwatched

_SHARDS_PER_WORKER = 3
"""So many are in the scheduler's hands: one at work, and some to go on with."""
_TRIES = 3
_TRIES_OF_SEVERAL = 2
_TOPIC = "relsmith"
_SECONDS_TO_CONNECT = 5
_SECONDS_ALONE = 60
"""So long a run waits for a scheduler that went away, or for a worker where there is none."""
_SECONDS_BETWEEN_LOOKS = 2.0
_SECONDS_BETWEEN_TICKS = 1.0
_LOCAL = re.compile(r"local(?::([1-9]\d*))?")
_FOUND = (
    "(lambda u, m: m.version('relsmith') if u.find_spec('relsmith') else None)"
    "(__import__('importlib.util').util, __import__('importlib.metadata').metadata)"
)
"""Which relsmith there is: an expression, since where there is none nothing of ours can be sent."""


@contextmanager
def dask(workers: int | None, cluster: str | None, progress: Tick) -> Iterator["Dask"]:
    """Workers of a Dask cluster: --cluster tcp://HOST:PORT, or local:N for N on this machine."""
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        local = _LOCAL.fullmatch(cluster or "local")
        if local:
            count = int(local[1]) if local[1] else workers or cores()
            client = _local(count, stack)
        else:
            assert cluster is not None
            client = _remote(cluster, stack)
        _check_versions(client)
        yield Dask(client, cluster or "local", progress)


class Dask:
    """Shards as tasks of a cluster; a few at a time, and again where a worker dies."""

    def __init__(self, client: Any, cluster: str, progress: Tick = unwatched) -> None:
        self.client = client
        self.cluster = cluster
        self.progress = progress

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        """See that every worker has what the work needs, at once; the results come when asked."""
        needs = installed(getattr(specs[0], "made_by", "")) if specs else {}
        if specs:
            for where, theirs in _run_everywhere(
                self.client, installed, getattr(specs[0], "made_by", "")
            ):
                _check_same(where, needs, theirs)
        return _Run(self, work, specs, needs).results()


class _Run:
    """The shards of one piece of work, on their way to the workers and back."""

    def __init__(
        self, engine: Dask, work: Any, specs: Sequence[Any], needs: dict[str, str]
    ) -> None:
        self.engine, self.client = engine, engine.client
        self.work, self.specs, self.needs = work, specs, needs
        self.name = token_hex(8)
        self.waiting = deque(range(len(specs)))
        self.futures: dict[Any, int] = {}
        self.done = SimpleQueue[Any]()  # the one way to wait that may be interrupted
        self.tries: dict[int, int] = {}
        self.deaths: dict[int, int] = {}
        """How often workers died of a shard since one was last finished."""
        self.room = 0
        self.looked = 0.0
        self.seen = time.monotonic()
        self.rows_done = 0
        self.rows_at_work: dict[int, int] = {}

    def results(self) -> Iterator[Any]:
        """Yield the result of every shard."""
        self.client.subscribe_topic(_TOPIC, self._hear)
        try:
            while self.waiting or self.futures:
                self._look()
                while self.waiting and len(self.futures) < self.room:
                    self._submit(self.waiting.popleft())
                with suppress(Empty):
                    future = self.done.get(timeout=0.1)
                    index = self.futures.pop(future)
                    self.seen = time.monotonic()
                    try:
                        finished = self._outcome(index, future)
                    finally:
                        future.release()  # the scheduler forgets it, whoever else holds it
                    if finished is None:
                        self.waiting.append(index)
                    else:
                        result, rows = finished
                        self.deaths.clear()
                        self.rows_done += rows
                        self.rows_at_work.pop(index, None)
                        yield result
                self.engine.progress(self.rows_done + sum(self.rows_at_work.copy().values()))
        finally:
            with suppress(Exception):  # whatever the cluster has come to, the run is over
                self.client.unsubscribe_topic(_TOPIC)
                self.client.cancel(list(self.futures), force=True)

    def _submit(self, index: int) -> None:
        key = f"{_TOPIC}-{self.name}-{index}-{token_hex(4)}"
        future = self.client.submit(
            _on_worker,
            self.work,
            self.specs[index],
            self.needs,
            (self.name, index),
            key=key,
            pure=False,
        )
        self.futures[future] = index
        future.add_done_callback(self.done.put)

    def _outcome(self, index: int, future: Any) -> Any:
        """The result with its rows; None where the shard is to be tried again."""
        from distributed import CancelledError, KilledWorker

        try:
            return future.result(timeout=_SECONDS_ALONE)
        except (CancelledError, TimeoutError):  # with the scheduler went its tasks
            return None
        except KilledWorker:  # several of them, one after another
            self.deaths[index] = self.deaths.get(index, 0) + 1
            if self.deaths[index] == _TRIES_OF_SEVERAL:
                raise RelsmithError(
                    f"workers of {self.engine.cluster} die before they finish a shard, one after "
                    f"another; is memory short? Try more --shards; the same command goes "
                    f"on where it stopped"
                ) from None
            return None
        except RelsmithError as error:
            if not isinstance(error, CannotWrite) or self._tried(index):
                raise
        except Exception:  # of the machines rather than of the work
            if self._tried(index):
                raise
        return None

    def _tried(self, index: int) -> bool:
        self.tries[index] = self.tries.get(index, 0) + 1
        return self.tries[index] == _TRIES

    def _look(self) -> None:
        """Count the workers now and then: some go, others come."""
        now = time.monotonic()
        if now - self.looked < _SECONDS_BETWEEN_LOOKS:
            return
        workers = 0
        with suppress(OSError):
            if self.client.status == "running":
                workers = self.client.run_on_scheduler(_count_workers)
        self.room = workers * _SHARDS_PER_WORKER
        self.looked = time.monotonic()
        if workers:
            self.seen = self.looked
        elif self.client.status == "closed" or self.looked - self.seen > _SECONDS_ALONE:
            gone = "scheduler" if self.client.status != "running" else "worker"
            raise RelsmithError(
                f"{self.engine.cluster} has had no {gone} for {_SECONDS_ALONE} seconds; start one, "
                f"then run the same command again: it goes on where it stopped"
            )

    def _hear(self, event: tuple[float, Any]) -> None:
        _, said = event
        if said["run"] == self.name and said["shard"] in self.rows_at_work.keys() | {
            *self.futures.values()
        }:
            self.rows_at_work[said["shard"]] = said["rows"]


def _count_workers(dask_scheduler: Any) -> int:
    """How many there are; on the way, what the scheduler notes of each task is thrown away.

    Its dashboard would have it all, but nobody needs it for tasks that are over: what there was to
    each that was handed in, and what the name of each begins with.
    """
    _forget_names()
    group, spans = dask_scheduler.task_groups.get(_TOPIC), dask_scheduler.extensions.get("spans")
    if group and group.span_id and spans:
        metadata = spans.spans[group.span_id].metadata
        if metadata:
            metadata.get("collections", []).clear()
    return len(dask_scheduler.workers)


def _forget_names() -> None:
    from dask.utils import key_split  # it remembers those of 100,000 tasks

    key_split.cache_clear()


_installed = cache(installed)
"""To read it takes milliseconds, and a worker goes on with what it has once imported."""

_one_at_a_time = threading.Lock()
"""Rows are made by one thread of a process: what generators prepare is not for several."""


def _on_worker(
    work: Any, spec: Any, needs: dict[str, str], place: tuple[str, int]
) -> tuple[Any, int]:
    from distributed import get_worker

    worker, said, done = get_worker(), time.monotonic(), 0

    def tick(rows: int) -> None:
        nonlocal said, done
        done = rows
        if time.monotonic() - said >= _SECONDS_BETWEEN_TICKS:
            said = time.monotonic()
            run, shard = place
            worker.log_event(_TOPIC, {"run": run, "shard": shard, "rows": rows})

    # Workers may have come since the others were asked.
    _check_same(f"the worker {worker.address}", needs, _installed(getattr(spec, "made_by", "")))
    _forget_names()
    with _one_at_a_time:
        return work(spec, tick), done


_OURS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.deploy.lost-worker-timeout": "1000 days",
}
"""What Dask samples for its dashboard, which a cluster of ours has not, takes time; and 15 seconds
after a death it gives a worker up for good that is not back, or is away again."""


def _local(count: int, stack: ExitStack) -> Any:
    distributed = _distributed()
    from dask import config

    scratch = stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
    resource_tracker.ensure_running()  # it lets signals through again where it is started
    stack.enter_context(config.set(_OURS))
    with undisturbed():
        cluster = distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            local_directory=scratch,
        )
        stack.callback(_closed, cluster)
        client = distributed.Client(cluster, set_as_default=False, timeout=_SECONDS_ALONE)
        stack.callback(_closed, client)
    return client


def _remote(address: str, stack: ExitStack) -> Any:
    distributed = _distributed()
    try:
        if not re.match(r"[a-z]+://[^/]+", address):
            raise ValueError("it is no address")
        with distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False):
            pass  # to connect is quick; to wait for one that went away takes longer
        client = distributed.Client(address, timeout=_SECONDS_ALONE, set_as_default=False)
    except (OSError, ValueError, AttributeError) as error:
        why = " ".join(str(error).split()).split(" after ")[0] or type(error).__name__
        raise InvalidOption(
            f"--cluster: no scheduler of Dask answers at {address} ({why}); name one as "
            f"tcp://HOST:8786, or local:4 for workers on this machine"
        ) from None
    stack.callback(_closed, client)
    return client


def _closed(thing: Any) -> None:
    with undisturbed(), suppress(Exception):
        thing.close(timeout=10)


@contextmanager
def _quiet() -> Iterator[None]:
    """What the libraries have to say about their connections is said by us, in one line."""
    _distributed()  # it sets its loggers up, one by one
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    loggers = [logging.getLogger(name) for name in (*names, "tornado", "asyncio")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _check_versions(client: Any) -> None:
    """The scheduler and all workers run the same Python, Dask and relsmith, compiled or not."""
    if not client.nthreads():
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
    found = client.get_versions()
    if not found["workers"]:
        raise InvalidOption(
            f"--cluster: {client.scheduler.address} has no workers; start some with dask worker"
        )
    everyone = {"the scheduler": found["scheduler"]}
    everyone |= {f"the worker {where}": versions for where, versions in found["workers"].items()}
    for where, versions in everyone.items():
        _check_same(where, _software(found["client"]), _software(versions))
    ours = installed("")
    answers = _run_everywhere(client, eval, _FOUND)
    answers.append(("the scheduler", client.run_on_scheduler(eval, _FOUND)))
    for where, version in answers:
        _check_same(where, ours, {"relsmith": version} if version else {})


def _software(versions: dict[str, Any]) -> dict[str, str]:
    packages = versions["packages"]
    python = ".".join(str(packages["python"]).split(".")[:2])
    return {"Python": python, "dask": packages["dask"], "distributed": packages["distributed"]}


def _run_everywhere(client: Any, function: Any, *arguments: Any) -> list[tuple[str, Any]]:
    """What a function gives on each worker; those that are gone by then are left out."""
    answers = client.run(function, *arguments, on_error="return")
    return [
        (f"the worker {where}", answer)
        for where, answer in answers.items()
        if not isinstance(answer, OSError)
    ]


def _check_same(where: str, ours: dict[str, str], theirs: Any) -> None:
    if isinstance(theirs, Exception):
        raise InvalidOption(f"--cluster: {where} cannot be asked what it has: {theirs}")
    for name, version in ours.items():
        if theirs.get(name) != version:
            has = f"{name} {theirs[name]}" if theirs.get(name) else f"no {name}"
            raise InvalidOption(
                f"--cluster: {where} has {has}, but this is {name} {version}; install the same "
                f"everywhere"
            )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtra(f"--engine dask needs distributed: {install('dask')}") from None
    return distributed
