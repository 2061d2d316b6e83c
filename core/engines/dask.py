"""The engine for several machines: shards as tasks of a Dask cluster."""

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

from ..errors import CannotWrite, InvalidOption, MissingExtra, RelsmithError, install_command
from ..registry import installed_versions
from .engine import Result, Spec, Tick, Work, available_cores, no_progress, signals_deferred

_SHARDS_PER_WORKER = 3
"""Shards submitted at a time: one running, the others queued."""
_MAX_ATTEMPTS = 3
_MAX_WORKER_DEATHS = 2
_TOPIC = "relsmith"
_SECONDS_TO_CONNECT = 5
_SECONDS_TO_RECONNECT = 60
"""A run waits this long for a lost scheduler, or for a worker if there is none."""
_SECONDS_BETWEEN_COUNTS = 2.0
_SECONDS_BETWEEN_TICKS = 1.0
_LOCAL = re.compile(r"local(?::([1-9]\d*))?")
_VERSION_EXPRESSION = (
    "(lambda u, m: m.version('relsmith') if u.find_spec('relsmith') else None)"
    "(__import__('importlib.util').util, __import__('importlib.metadata').metadata)"
)
"""The version of relsmith as an expression; where it is missing, our functions cannot be sent."""


@contextmanager
def dask(workers: int | None, cluster: str | None, progress: Tick) -> Iterator["Dask"]:
    """Workers of a Dask cluster: --cluster tcp://HOST:PORT, or local:N for N local workers."""
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        local = _LOCAL.fullmatch(cluster or "local")
        if local:
            count = int(local[1]) if local[1] else workers or available_cores()
            client = _local(count, stack)
        else:
            assert cluster is not None
            client = _remote(cluster, stack)
        _check_versions(client)
        yield Dask(client, cluster or "local", progress)


class Dask:
    """Submits shards to a cluster, a few at a time, and again if a worker dies."""

    def __init__(self, client: Any, cluster: str, progress: Tick = no_progress) -> None:
        self.client = client
        self.cluster = cluster
        self.progress = progress

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        """Check at once that every worker has the needed versions; results are lazy."""
        needs = installed_versions(getattr(specs[0], "generator_name", "")) if specs else {}
        if specs:
            for where, theirs in _run_everywhere(
                self.client, installed_versions, getattr(specs[0], "generator_name", "")
            ):
                _check_same(where, needs, theirs)
        return _ClusterRun(self, work, specs, needs).results()


class _ClusterRun:
    """One call of `map_shards`."""

    def __init__(
        self, engine: Dask, work: Any, specs: Sequence[Any], needs: dict[str, str]
    ) -> None:
        self.engine, self.client = engine, engine.client
        self.work, self.specs, self.needs = work, specs, needs
        self.name = token_hex(8)
        self.waiting = deque(range(len(specs)))
        self.futures: dict[Any, int] = {}
        self.done = SimpleQueue[Any]()  # the one way to wait that may be interrupted
        self.attempts: dict[int, int] = {}
        self.deaths: dict[int, int] = {}
        """Worker deaths by shard since the last finished shard."""
        self.max_submitted = 0
        self.counted_at = 0.0
        self.last_seen = time.monotonic()
        self.rows_done = 0
        self.rows_at_work: dict[int, int] = {}

    def results(self) -> Iterator[Any]:
        """Yield the result of every shard."""
        self.client.subscribe_topic(_TOPIC, self._on_event)
        try:
            while self.waiting or self.futures:
                self._update_workers()
                while self.waiting and len(self.futures) < self.max_submitted:
                    self._submit(self.waiting.popleft())
                with suppress(Empty):
                    future = self.done.get(timeout=0.1)
                    index = self.futures.pop(future)
                    self.last_seen = time.monotonic()
                    try:
                        finished = self._outcome(index, future)
                    finally:
                        future.release()  # lets the scheduler forget it
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
            with suppress(Exception):  # the run is over in any case
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
        """Return the result and its rows; None if the shard is to be retried."""
        from distributed import CancelledError, KilledWorker

        try:
            return future.result(timeout=_SECONDS_TO_RECONNECT)
        except (CancelledError, TimeoutError):  # the scheduler was lost with its tasks
            return None
        except KilledWorker:  # Dask gave up after several deaths
            self.deaths[index] = self.deaths.get(index, 0) + 1
            if self.deaths[index] == _MAX_WORKER_DEATHS:
                raise RelsmithError(
                    f"workers of {self.engine.cluster} die one after another before they finish a "
                    f"shard; is memory short? Try more --shards; the same command continues where "
                    f"it stopped"
                ) from None
            return None
        except RelsmithError as error:
            if not isinstance(error, CannotWrite) or self._attempts_exhausted(index):
                raise
        except Exception:  # probably of the machine, not of the work
            if self._attempts_exhausted(index):
                raise
        return None

    def _attempts_exhausted(self, index: int) -> bool:
        self.attempts[index] = self.attempts.get(index, 0) + 1
        return self.attempts[index] == _MAX_ATTEMPTS

    def _update_workers(self) -> None:
        """Count the workers from time to time, because the number changes."""
        now = time.monotonic()
        if now - self.counted_at < _SECONDS_BETWEEN_COUNTS:
            return
        workers = 0
        with suppress(OSError):
            if self.client.status == "running":
                workers = self.client.run_on_scheduler(_count_workers)
        self.max_submitted = workers * _SHARDS_PER_WORKER
        self.counted_at = time.monotonic()
        if workers:
            self.last_seen = self.counted_at
        elif (
            self.client.status == "closed"
            or self.counted_at - self.last_seen > _SECONDS_TO_RECONNECT
        ):
            gone = "scheduler" if self.client.status != "running" else "worker"
            raise RelsmithError(
                f"{self.engine.cluster} has had no {gone} for {_SECONDS_TO_RECONNECT} seconds; "
                f"start one, then run the same command again: it continues where it stopped"
            )

    def _on_event(self, event: tuple[float, Any]) -> None:
        _, said = event
        if said["run"] == self.name and said["shard"] in self.rows_at_work.keys() | {
            *self.futures.values()
        }:
            self.rows_at_work[said["shard"]] = said["rows"]


def _count_workers(dask_scheduler: Any) -> int:
    """Return the number of workers; also drop what the scheduler keeps of finished tasks.

    It keeps the arguments and name prefixes of every task for its dashboard.
    """
    _clear_name_cache()
    group, spans = dask_scheduler.task_groups.get(_TOPIC), dask_scheduler.extensions.get("spans")
    if group and group.span_id and spans:
        metadata = spans.spans[group.span_id].metadata
        if metadata:
            metadata.get("collections", []).clear()
    return len(dask_scheduler.workers)


def _clear_name_cache() -> None:
    from dask.utils import key_split  # caches the names of 100,000 tasks

    key_split.cache_clear()


_installed = cache(installed_versions)
"""Cached, because reading takes milliseconds and a worker keeps what it has imported."""

_one_at_a_time = threading.Lock()
"""One thread per process makes rows, because generators' caches are not thread-safe."""


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

    # This worker may have joined after the check.
    _check_same(
        f"the worker {worker.address}", needs, _installed(getattr(spec, "generator_name", ""))
    )
    _clear_name_cache()
    with _one_at_a_time:
        return work(spec, tick), done


_DASK_CONFIG = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.deploy.lost-worker-timeout": "1000 days",
}
"""Less sampling for the dashboard, which local clusters do not have; and workers that die are not
given up for good after the default of 15 seconds."""


def _local(count: int, stack: ExitStack) -> Any:
    distributed = _distributed()
    from dask import config

    scratch = stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
    resource_tracker.ensure_running()  # starting it later would unblock signals
    stack.enter_context(config.set(_DASK_CONFIG))
    with signals_deferred():
        cluster = distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            local_directory=scratch,
        )
        stack.callback(_close, cluster)
        client = distributed.Client(cluster, set_as_default=False, timeout=_SECONDS_TO_RECONNECT)
        stack.callback(_close, client)
    return client


def _remote(address: str, stack: ExitStack) -> Any:
    distributed = _distributed()
    try:
        if not re.match(r"[a-z]+://[^/]+", address):
            raise ValueError("it is not an address")
        with distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False):
            pass  # connects quickly; the second client has the longer timeout for reconnecting
        client = distributed.Client(address, timeout=_SECONDS_TO_RECONNECT, set_as_default=False)
    except (OSError, ValueError, AttributeError) as error:
        why = " ".join(str(error).split()).split(" after ")[0] or type(error).__name__
        raise InvalidOption(
            f"--cluster: no Dask scheduler answers at {address} ({why}); pass tcp://HOST:8786, "
            f"or local:4 for workers on this machine"
        ) from None
    stack.callback(_close, client)
    return client


def _close(thing: Any) -> None:
    with signals_deferred(), suppress(Exception):
        thing.close(timeout=10)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the libraries' logs about connections; we report errors in one line."""
    _distributed()  # creates its loggers
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
    """Check that scheduler and workers have the same Python, Dask and relsmith."""
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
    ours = installed_versions("")
    answers = _run_everywhere(client, eval, _VERSION_EXPRESSION)
    answers.append(("the scheduler", client.run_on_scheduler(eval, _VERSION_EXPRESSION)))
    for where, version in answers:
        _check_same(where, ours, {"relsmith": version} if version else {})


def _software(versions: dict[str, Any]) -> dict[str, str]:
    packages = versions["packages"]
    python = ".".join(str(packages["python"]).split(".")[:2])
    return {"Python": python, "dask": packages["dask"], "distributed": packages["distributed"]}


def _run_everywhere(client: Any, function: Any, *arguments: Any) -> list[tuple[str, Any]]:
    """Return the result of a function on each worker; lost workers are left out."""
    answers = client.run(function, *arguments, on_error="return")
    return [
        (f"the worker {where}", answer)
        for where, answer in answers.items()
        if not isinstance(answer, OSError)
    ]


def _check_same(where: str, ours: dict[str, str], theirs: Any) -> None:
    if isinstance(theirs, Exception):
        raise InvalidOption(f"--cluster: {where} cannot report its versions: {theirs}")
    for name, version in ours.items():
        if theirs.get(name) != version:
            has = f"{name} {theirs[name]}" if theirs.get(name) else f"no {name}"
            raise InvalidOption(
                f"--cluster: {where} has {has}, but this machine has {name} {version}; install the "
                f"same versions everywhere"
            )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtra(f"--engine dask needs distributed: {install_command('dask')}") from None
    return distributed
