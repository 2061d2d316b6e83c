"""What all training shares: its options, the device, and that the same seed repeats itself."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from pydantic import BaseModel, ConfigDict, Field

from ..errors import InvalidOption
from ..seed import key

# cuBLAS is deterministic only with this, and reads it once.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

Tick = Callable[[int], None]


class Training(BaseModel):
    """How networks are trained; the thesis says 100 epochs of Adam at 0.001."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    epochs: int = Field(default=100, ge=1, description="most times to go through the training rows")
    patience: int = Field(
        default=10, ge=1, description="stop after so many epochs without improvement"
    )
    batch: int = Field(default=100, ge=1, description="rows in a step")
    learning_rate: float = Field(default=1e-3, gt=0, description="of Adam")
    validation: float = Field(
        default=0.1, ge=0, lt=1, description="share of rows kept for early stopping"
    )


def find_device(name: str) -> torch.device:
    """The device of that name; `auto` takes a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidOption(f"--device: cannot use {name!r} ({reason}); try auto or cpu") from None
    return device


def number(*parts: str | int) -> int:
    """A seed for torch, by hash."""
    return key(*parts) % 2**63


@contextmanager
def deterministic(device: torch.device) -> Iterator[None]:
    """Algorithms that repeat themselves, and the caller's random state as it was."""
    before = torch.are_deterministic_algorithms_enabled()
    warned = torch.is_deterministic_algorithms_warn_only_enabled()
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before, warn_only=warned)
