"""Checkpoints: what a killed run goes on from."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import nn

from .. import files
from ..errors import InvalidInput

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Progress = TypeVar("Progress", bound=DataclassInstance)


def save_checkpoint(
    path: Path, module: nn.Module, optimizer: torch.optim.Optimizer, progress: Any
) -> None:
    """Write under another name first, so that a killed run leaves a whole checkpoint."""
    held = {"module": module.state_dict(), "optimizer": optimizer.state_dict(), **vars(progress)}
    with files.replacing(path, force=True) as successor:
        torch.save(held, successor)


def restore_checkpoint(
    path: Path,
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    kind: "type[Progress]",
    device: torch.device,
) -> "Progress":
    """Put module and optimizer back where they stood, and say how far training had come."""
    try:
        held = torch.load(path, map_location=device, weights_only=True)
        module.load_state_dict(held["module"])
        optimizer.load_state_dict(held["optimizer"])
        return kind(**{field.name: held[field.name] for field in fields(kind)})
    except Exception as error:  # torch says in many ways that a file is damaged
        raise InvalidInput(
            f"{path} is no checkpoint of this run ({type(error).__name__}); remove it to train anew"
        ) from error
