"""Contextual word embeddings of any frozen encoder, in a template sentence.

References: section 2.4 of Rezaee and Camacho-Collados, 2022.
"""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor
from typing_extensions import override

from ... import pretrained
from ...task import TaskRows
from . import template
from .embedding import Embedding
from .sentences import Precision, Sentences, masked_mean
from .task import WordQuad
from .template import Sentence


class ContextualEncoder(Embedding):
    """The four words' embeddings in a sentence, by any Hugging Face encoder, joined; an MLP.

    Without training rows, the best pair is the one whose difference has the highest cosine with
    that of the query. A template may leave out the query: then the classifier judges the
    candidate alone.
    """

    name: ClassVar = "analogy-encoder"
    reads: ClassVar = ("encoder",)
    packages: ClassVar = ("torch", "transformers")

    encoder: str = Field(
        "minilm", description="name or path of any Hugging Face encoder, or minilm"
    )
    template: Sentence = Field(template.DEFAULT_TEMPLATE, description="with {a}, {b}, {c}, {d}")
    precision: Precision = Field("float32", description="of the encoder")
    sentences: int = Field(256, ge=1, description="batch size of the encoder, in sentences")

    @property
    def pair_only(self) -> bool:
        """Whether the sentence lacks words of the query."""
        return len(template.slots(self.template)) < 4

    @override
    def details(self) -> list[str]:
        return [*super().details(), *(["pair only"] if self.pair_only else [])]

    @override
    def answerable_rows(self, rows: TaskRows[Any]) -> Sequence[int]:
        """Return all rows, or only supervised ones if the sentence lacks the query."""
        return [n for n, row in enumerate(rows.rows) if row.supervised or not self.pair_only]

    @override
    def load(self, device: torch.device, words: Collection[str]) -> "ContextualEmbedder":
        loaded = Sentences(*pretrained.load(self.encoder), device, self.precision, self.sentences)
        return ContextualEmbedder(loaded, self.template)


class ContextualEmbedder:
    """Embeddings of the words of a sentence, each the mean over its word pieces."""

    def __init__(self, sentences: Sentences, text: str) -> None:
        self.sentences, self.template = sentences, text
        self.slots = [slot for slot in "abcd" if slot in template.slots(text)]

    def embed(self, quads: Sequence[WordQuad]) -> Tensor:
        """Return a vector for each word; a sentence shared by several quads is read once."""
        filled = [
            template.fill(self.template, dict(zip("abcd", quad, strict=True))) for quad in quads
        ]
        places: dict[str, list[tuple[int, int]]] = {
            text: [spans[slot] for slot in self.slots] for text, spans in filled
        }
        texts = list(places)
        number = {text: place for place, text in enumerate(texts)}
        vectors: Tensor | None = None
        for batch in self.sentences.batches(texts):
            spans = torch.tensor([places[texts[place]] for place in batch.numbers])
            starts, ends = batch.spans[:, None, :, 0], batch.spans[:, None, :, 1]
            inside = (starts < spans[..., 1:]) & (ends > spans[..., :1])
            means = masked_mean(
                batch.output.last_hidden_state.float(), inside & ~batch.special[:, None]
            )
            if vectors is None:
                vectors = means.new_empty(len(texts), *means.shape[1:])
            vectors[batch.numbers] = means
        assert vectors is not None
        return vectors[torch.tensor([number[text] for text, _ in filled], device=vectors.device)]
