"""Training options. Each task has its own defaults."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Precision = Literal["auto", "float32", "bfloat16"]


class Training(BaseModel):
    """Options of the training loop. The learning rate is an option of the model."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    epochs: int = Field(default=100, ge=1, description="maximum number of epochs")
    patience: int = Field(
        default=10, ge=1, description="epochs without improvement before training stops"
    )
    batch: int = Field(default=100, ge=1, description="rows per batch")
    validation: float = Field(
        default=0.1, ge=0, lt=1, description="share of training rows held out for early stopping"
    )
    clip: float | None = Field(
        default=None, gt=0, description="maximum gradient norm; none: no clipping"
    )
    precision: Precision = Field(
        default="float32",
        description="number format; auto: bfloat16 on a GPU, float32 elsewhere",
    )

    def on(self, device_type: str) -> "Training":
        """Return the options with precision `auto` resolved for a device."""
        if self.precision != "auto":
            return self
        settled = "bfloat16" if device_type == "cuda" else "float32"
        return self.model_copy(update={"precision": settled})
