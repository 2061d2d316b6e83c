"""Run a pretrained model on sentences, in batches of similar length."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from ....errors import InvalidOption

Precision = Literal["float32", "bfloat16"]


class SentenceBatch(NamedTuple):
    """A batch of sentences: their indices, word pieces and the model's output."""

    numbers: list[int]
    pieces: Tensor
    mask: Tensor
    special: Tensor
    """True at special tokens and padding."""
    spans: Tensor
    """First and last character offset of each piece."""
    output: Any


class Sentences:
    """A tokenizer and a frozen model."""

    def __init__(
        self, tokenizer: Any, model: Any, device: torch.device, precision: Precision, batch: int
    ) -> None:
        if not tokenizer.is_fast:
            raise InvalidOption(
                f"{type(tokenizer).__name__} gives no offsets of word pieces; "
                f"use a model with a fast tokenizer"
            )
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        tokenizer.padding_side = "right"
        self.tokenizer = tokenizer
        self.model = model.eval().requires_grad_(False).to(device)
        self.device, self.precision, self.batch = device, precision, batch

    def batches(self, texts: Sequence[str]) -> Iterator[SentenceBatch]:
        """Yield the model's output for all texts, shortest first."""
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
            yield SentenceBatch(
                numbers,
                pieces,
                mask.bool(),
                special,
                encoded["offset_mapping"],
                self.run(pieces, mask),
            )

    @torch.inference_mode()
    def run(self, pieces: Tensor, mask: Tensor) -> Any:
        """Return the model's output for these word pieces."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16"):
            return self.model(
                input_ids=pieces.to(self.device), attention_mask=mask.long().to(self.device)
            )


def masked_mean(states: Tensor, wanted: Tensor) -> Tensor:
    """Return the mean over the wanted pieces: texts x ... x pieces to texts x ... x size."""
    weights = wanted.to(states.device, states.dtype)
    total = weights.sum(-1, keepdim=True).clamp(min=1)
    return (weights / total) @ states
