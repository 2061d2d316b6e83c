"""Devices, and deterministic computation on them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ..errors import InvalidOption
from ..seed import hash_key

# cuBLAS is deterministic only with this, and reads it once.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def find_device(name: str) -> torch.device:
    """Return the device of this name; `auto` is a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidOption(f"--device: cannot use {name!r} ({reason}); try auto or cpu") from None
    return device


def device_name(name: str) -> str:
    """Return the device type, or the model name of a GPU."""
    device = torch.device(name)
    gpu = device.type == "cuda"
    return torch.cuda.get_device_name(device) if gpu else device.type


def random_number(*parts: str | int) -> int:
    """Return a torch seed derived from all parts."""
    return hash_key(*parts) % 2**63


@contextmanager
def deterministic(device: torch.device) -> Iterator[None]:
    """Use deterministic algorithms, and restore the caller's random state afterwards."""
    before = torch.are_deterministic_algorithms_enabled()
    warned = torch.is_deterministic_algorithms_warn_only_enabled()
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before, warn_only=warned)
