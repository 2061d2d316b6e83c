"""What training shares: its options, and how far it has come."""

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

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
