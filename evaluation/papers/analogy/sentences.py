"""Sentences through a pretrained model: in batches of like length, each once."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from ....errors import InvalidOption

Precision = Literal["float32", "bfloat16"]


class Batch(NamedTuple):
    """Some of the sentences, by number, as word pieces and as the model's output."""

    numbers: list[int]
    pieces: Tensor
    mask: Tensor
    special: Tensor
    """Which pieces are the tokenizer's own, padding among them."""
    spans: Tensor
    """From which letter to which each piece goes."""
    output: Any


class Sentences:
    """A tokenizer and a frozen model."""

    def __init__(
        self, tokenizer: Any, model: Any, device: torch.device, precision: Precision, batch: int
    ) -> None:
        if not tokenizer.is_fast:
            raise InvalidOption(
                f"{type(tokenizer).__name__} does not say where word pieces stand in the text; "
                f"use a model with a fast tokenizer"
            )
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        tokenizer.padding_side = "right"
        self.tokenizer = tokenizer
        self.model = model.eval().requires_grad_(False).to(device)
        self.device, self.precision, self.batch = device, precision, batch

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """The model's output for every text, the short ones first."""
        order = sorted(range(len(texts)), key=lambda number: (len(texts[number]), number))
        for start in range(0, len(order), self.batch):
            numbers = order[start : start + self.batch]
            encoded = self.tokenizer(
                [texts[number] for number in numbers],
                padding=True,
                return_tensors="pt",
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
            )
            pieces, mask = encoded["input_ids"], encoded["attention_mask"]
            special = encoded["special_tokens_mask"].bool() | ~mask.bool()
            yield Batch(
                numbers,
                pieces,
                mask.bool(),
                special,
                encoded["offset_mapping"],
                self.run(pieces, mask),
            )

    @torch.inference_mode()
    def run(self, pieces: Tensor, mask: Tensor) -> Any:
        """What the model gives for these word pieces."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16"):
            return self.model(
                input_ids=pieces.to(self.device), attention_mask=mask.long().to(self.device)
            )


def mean(states: Tensor, wanted: Tensor) -> Tensor:
    """The mean over the wanted pieces of each text: texts x ... x pieces to texts x ... x size."""
    weights = wanted.to(states.device, states.dtype)
    total = weights.sum(-1, keepdim=True).clamp(min=1)
    return (weights / total) @ states
