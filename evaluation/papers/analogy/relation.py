"""Pair embeddings: relation encoders, and sentence encoders used as such.

References: Ushio et al., Distilling Relation Embeddings from Pretrained Language Models, 2021.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field, field_validator
from torch import Tensor
from typing_extensions import override

from ....errors import InvalidOption
from ... import pretrained
from . import template
from .embedding import Embedding
from .sentences import Precision, SentenceBatch, Sentences, masked_mean
from .task import WordPair, WordQuad

_THEIR_SLOTS = {"<subj>": "{h}", "<obj>": "{t}", "<mask>": "{mask}"}
_THEIR_POOLS = {"mask": "mask", "average": "mean", "average_no_mask": "no-mask"}
_PLAIN = "{h} : {t}"

Pool = Literal["auto", "mean", "mask", "no-mask"]


class RelationEncoder(Embedding):
    """A relation encoder such as RelBERT, a vector for each pair; an MLP over both.

    Template and pooling are read from the checkpoint if it has them, as RelBERT's do. Without
    training rows, the cosine between the pairs' vectors chooses.
    """

    name: ClassVar = "analogy-relation"
    reads: ClassVar = ("encoder",)
    packages: ClassVar = ("torch", "transformers")

    encoder: str = Field(description="name or path of a Hugging Face encoder; frozen")
    template: str = Field("auto", description="with {h}, {t}, {mask}; auto: the checkpoint's")
    pool: Pool = Field("auto", description="pieces to average; auto: the checkpoint's")
    precision: Precision = Field("float32", description="of the encoder")
    sentences: int = Field(256, ge=1, description="batch size of the encoder, in sentences")

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
        self.vectors: dict[WordPair, Tensor] = {}

    def embed(self, quads: Sequence[WordQuad]) -> Tensor:
        """Return the vectors of both pairs."""
        pairs = dict.fromkeys(pair for a, b, c, d in quads for pair in ((a, b), (c, d)))
        new = [pair for pair in pairs if pair not in self.vectors]
        mask = self.sentences.tokenizer.mask_token or ""
        texts = [_filled(self.template, {"h": h, "t": t, "mask": mask}) for h, t in new]
        for batch in self.sentences.batches(texts):
            states = batch.output.last_hidden_state.float()
            vectors = masked_mean(states, self._wanted(batch)[:, None]).squeeze(1)
            self.vectors |= dict(
                zip((new[number] for number in batch.numbers), vectors, strict=True)
            )
        return torch.stack(
            [torch.stack([self.vectors[a, b], self.vectors[c, d]]) for a, b, c, d in quads]
        )

    def _wanted(self, batch: SentenceBatch) -> Tensor:
        masked: Tensor = batch.pieces == self.sentences.tokenizer.mask_token_id
        if self.pool == "mask":
            return masked & batch.mask
        return batch.mask & ~masked if self.pool == "no-mask" else batch.mask


def _filled(text: str, words: dict[str, str]) -> str:
    """Fill a template; a checkpoint's own may use a slot more than once."""
    return re.sub(r"\{(h|t|mask)\}", lambda slot: words[slot[1]], text)
