"""Words as the pieces that a pretrained model reads."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


def piece_table(tokenizer: Any, words: Sequence[str]) -> Tensor:
    """The pieces of each word, -1 beyond its last."""
    spelled = [tokenizer(word, add_special_tokens=False).input_ids for word in words]
    longest = max(map(len, spelled))
    return torch.tensor([[*pieces, *[-1] * (longest - len(pieces))] for pieces in spelled])


def left_align(pieces: Tensor) -> Tensor:
    """Those of each row without the gaps of -1 between them, which stand at its end then."""
    order = (pieces < 0).int().argsort(dim=1, stable=True)
    close = pieces.gather(1, order)
    return close[:, : max(1, int((close >= 0).sum(1).amax()))]
