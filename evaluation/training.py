"""How networks are trained; a task has its own defaults, a user changes what is wanted."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Precision = Literal["auto", "float32", "bfloat16"]


class Training(BaseModel):
    """The options of the one training loop; the learning rate is a model's own."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    epochs: int = Field(default=100, ge=1, description="most times to go through the training rows")
    patience: int = Field(
        default=10, ge=1, description="stop after so many epochs without improvement"
    )
    batch: int = Field(default=100, ge=1, description="rows in a step")
    validation: float = Field(
        default=0.1, ge=0, lt=1, description="share of rows kept for early stopping"
    )
    clip: float | None = Field(
        default=None, gt=0, description="most that the gradient's norm may be; none: any"
    )
    precision: Precision = Field(
        default="float32",
        description="what networks compute in; auto: bfloat16 on a GPU, float32 elsewhere",
    )

    def on(self, device_type: str) -> "Training":
        """With `auto` settled for a device, so that a result says what it was."""
        if self.precision != "auto":
            return self
        settled = "bfloat16" if device_type == "cuda" else "float32"
        return self.model_copy(update={"precision": settled})
