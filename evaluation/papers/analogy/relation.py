"""A vector for each pair by itself: relation encoders, and sentence encoders used as such.

References: Ushio et al., Distilling Relation Embeddings from Pretrained Language Models, 2021.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field, field_validator
from torch import Tensor
from torch.nn import functional
from typing_extensions import override

from ....errors import InvalidOption
from ... import pretrained
from . import template
from .embedding import Embedding
from .sentences import Batch, Precision, Sentences, mean
from .task import Pair, Quad

_THEIR_SLOTS = {"<subj>": "{h}", "<obj>": "{t}", "<mask>": "{mask}"}
_THEIR_POOLS = {"mask": "mask", "average": "mean", "average_no_mask": "no-mask"}
_PLAIN = "{h} : {t}"

Pool = Literal["auto", "mean", "mask", "no-mask"]


class Relation(Embedding):
    """A relation encoder in the manner of RelBERT, a vector for each pair; an MLP over both.

    Template and pooling are read from the checkpoint where it has them, as RelBERT's do. Where
    there is nothing to train on, the cosine between the pairs' vectors chooses.
    """

    name: ClassVar = "analogy-relation"
    reads: ClassVar = ("encoder",)
    packages: ClassVar = ("torch", "transformers")

    encoder: str = Field(description="name or path of a Hugging Face encoder; it stays frozen")
    template: str = Field(
        "auto", description="a text with {h} and {t}, and {mask}; auto: the checkpoint's own"
    )
    pool: Pool = Field(
        "auto", description="over all pieces, at the mask, or over all but it; auto: as template"
    )
    precision: Precision = Field("float32", description="what the encoder computes in")
    sentences: int = Field(256, ge=1, description="sentences that the encoder reads at once")

    @field_validator("template")
    @classmethod
    def _has_slots(cls, text: str) -> str:
        return text if text == "auto" else template.check(text, "h t mask", "h t")

    @override
    def load(self, device: torch.device, words: Collection[str]) -> "PairEncoder":
        tokenizer, model = pretrained.load(self.encoder)
        own = getattr(model.config, "relbert_config", None) or {}
        text = _template(own) if self.template == "auto" else self.template
        pool = _THEIR_POOLS.get(own.get("mode", ""), "mean") if self.pool == "auto" else self.pool
        if pool == "mask" and "mask" not in template.slots(text):
            raise InvalidOption(
                f"{self.name}: pool=mask needs a template with {{mask}}, but it is {text!r}"
            )
        loaded = Sentences(tokenizer, model, device, self.precision, self.sentences)
        return PairEncoder(loaded, text, pool)


def _template(own: dict[str, Any]) -> str:
    text = str(own.get("template", _PLAIN))
    for theirs, ours in _THEIR_SLOTS.items():
        text = text.replace(theirs, ours)
    return text


class PairEncoder:
    """A vector for each pair, computed once."""

    def __init__(self, sentences: Sentences, text: str, pool: str) -> None:
        self.sentences, self.template, self.pool = sentences, text, pool
        self.vectors: dict[Pair, Tensor] = {}

    def embed(self, quads: Sequence[Quad]) -> Tensor:
        """The vectors of both pairs."""
        pairs = dict.fromkeys(pair for a, b, c, d in quads for pair in ((a, b), (c, d)))
        new = [pair for pair in pairs if pair not in self.vectors]
        mask = self.sentences.tokenizer.mask_token or ""
        texts = [_filled(self.template, {"h": h, "t": t, "mask": mask}) for h, t in new]
        for batch in self.sentences.batches(texts):
            states = batch.output.last_hidden_state.float()
            vectors = mean(states, self._wanted(batch)[:, None]).squeeze(1)
            self.vectors |= dict(
                zip((new[number] for number in batch.numbers), vectors, strict=True)
            )
        return torch.stack(
            [torch.stack([self.vectors[a, b], self.vectors[c, d]]) for a, b, c, d in quads]
        )

    def _wanted(self, batch: Batch) -> Tensor:
        masked: Tensor = batch.pieces == self.sentences.tokenizer.mask_token_id
        if self.pool == "mask":
            return masked & batch.mask
        return batch.mask & ~masked if self.pool == "no-mask" else batch.mask

    def similarity(self, vectors: Tensor) -> Tensor:
        """The cosine between the vectors of the two pairs."""
        return functional.cosine_similarity(vectors[:, 0], vectors[:, 1])


def _filled(text: str, words: dict[str, str]) -> str:
    """A checkpoint's own template may name a word more than once."""
    return re.sub(r"\{(h|t|mask)\}", lambda slot: words[slot[1]], text)
