"""Runs over seeds, and over models, that are taken up where they were left."""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import orjson

from .. import files
from .model import Model, Order
from .record import Part, Setup, check_setup
from .training import Tick

Kind = TypeVar("Kind", bound=Part)
R = TypeVar("R")
SeedTick = Callable[[int, int], None]
"""Is told the seed, and how many rows it has been trained on."""


class _HasSetup(Protocol):
    @property
    def setup(self) -> Setup: ...


Kept = TypeVar("Kept", bound=_HasSetup)


def earlier_result(
    path: Path, setup: Setup, load: Callable[[list[Path]], list[Kept]]
) -> Kept | None:
    """What an earlier evaluation left that differed in nothing, None where none did."""
    files.recover(path)
    if not path.exists():
        return None
    (earlier,) = load([path])
    check_setup(path, earlier.setup, setup)
    return earlier


def run_models(models: Sequence[Model], order: Order, rows: int, run: Callable[..., R]) -> list[R]:
    """Evaluate models one after another, each with a bar over all its epochs of so many rows."""
    each = order.epochs * rows
    results = []
    for model in models:
        with order.bar(f"eval {model.name}", order.seeds * each) as advance:
            tick = partial(_tick, advance, each)
            results.append(run(model, order.seeds, order.out, tick=tick))
    return results


def _tick(advance: Tick, each: int, seed: int, done: int) -> None:
    advance(seed * each + done)


def run_seeds(
    path: Path,
    setup: Setup,
    runs: list[Kind],
    seeds: int,
    run: Callable[[int, Path, Tick | None], Kind],
    save: Callable[[list[Kind]], None],
    tick: SeedTick | None,
) -> list[Kind]:
    """Add the runs that are missing, each saved as soon as it is there.

    A run gets its seed, the file for its checkpoint, and whom to tell how far it is.
    """
    folder = path.parent / "checkpoints"
    # A checkpoint of another setup must not be taken up, so the setup is in its name.
    digest = hashlib.sha256(orjson.dumps(setup.model_dump(mode="json"))).hexdigest()
    for seed in range(seeds):
        checkpoint = folder / f"{setup.model}-{digest[:16]}-{seed}.pt"
        files.recover(checkpoint)
        if seed >= len(runs):
            advance = (lambda done, seed=seed: tick(seed, done)) if tick else None
            runs.append(run(seed, checkpoint, advance))
            save(runs)
        checkpoint.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    return runs[:seeds]
