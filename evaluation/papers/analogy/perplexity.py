"""How likely a language model finds a sentence: masked models piece by piece, causal ones at once.

References: Salazar et al., Masked Language Model Scoring, 2020; equation 1 of Rezaee and
Camacho-Collados, 2022.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor
from typing_extensions import override

from ....errors import InvalidOption
from ... import pretrained
from . import template
from .model import Scoring
from .sentences import Precision, Sentences
from .task import Quad
from .template import Sentence

Kind = Literal["auto", "masked", "causal"]


class Perplexity(Scoring):
    """A language model's (pseudo-)perplexity of each sentence, the lowest wins; no training.

    Masked models: every word piece masked in turn, the sum of the logarithms, as in the paper's
    equation. Causal models: the mean over the pieces after the first, as is usual.
    """

    name: ClassVar = "analogy-perplexity"
    reads: ClassVar = ("lm",)

    lm: str = Field(description="name or path of a masked or causal model, a GGUF file, or smollm2")
    kind: Kind = Field("auto", description="masked or causal; auto: what the checkpoint says")
    template: Sentence = Field(
        template.WHAT, description="the sentence, with {a}, {b}, {c} and {d}"
    )
    per_piece: bool | None = Field(
        None, description="divide by the number of word pieces; by default causal models do"
    )
    precision: Precision = Field("float32", description="what the model computes in")
    sentences: int = Field(256, ge=1, description="sentences that the model reads at once")

    @override
    def load(self, device: torch.device) -> "Likelihood":
        kind = _kind(self.lm) if self.kind == "auto" else self.kind
        head = "AutoModelForMaskedLM" if kind == "masked" else "AutoModelForCausalLM"
        sentences = Sentences(
            *pretrained.load(self.lm, head), device, self.precision, self.sentences
        )
        if kind == "masked" and sentences.tokenizer.mask_token_id is None:
            raise InvalidOption(f"{self.name}: {self.lm!r} has no mask; give kind=causal")
        per_piece = kind == "causal" if self.per_piece is None else self.per_piece
        return Likelihood(sentences, self.template, kind == "masked", per_piece)


def _kind(where: str) -> str:
    if pretrained.find(where).endswith(".gguf"):
        return "causal"
    built = " ".join(pretrained.config_of(where).architectures or [])
    if "MaskedLM" in built:
        return "masked"
    if "CausalLM" in built or "LMHead" in built:
        return "causal"
    raise InvalidOption(
        f"analogy-perplexity: {where!r} has no language-model head ({built or 'no architecture'}); "
        f"give a masked or causal model, or say kind=masked or kind=causal"
    )


class Likelihood:
    """The logarithm of a sentence's (pseudo-)likelihood; perplexity falls as it grows."""

    def __init__(self, sentences: Sentences, text: str, masked: bool, per_piece: bool) -> None:
        self.sentences, self.template = sentences, text
        self.masked, self.per_piece = masked, per_piece

    def score(self, quads: Sequence[Quad]) -> Tensor:
        """The score of each quad's sentence, every sentence read once."""
        texts = [
            template.fill(self.template, dict(zip("abcd", quad, strict=True)))[0] for quad in quads
        ]
        number = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        totals, counts = self._masked(list(number)) if self.masked else self._causal(list(number))
        scores = totals / counts.clamp(min=1) if self.per_piece else totals
        return scores[torch.tensor([number[text] for text in texts])]

    def _causal(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        totals, counts = torch.zeros(len(texts)), torch.zeros(len(texts))
        for batch in self.sentences.batches(texts):
            logs = batch.output.logits[:, :-1].float().log_softmax(-1)
            # On the device: all chances of all pieces are too many to be moved.
            piece_logs = logs.gather(2, batch.pieces[:, 1:, None].to(logs.device)).squeeze(2).cpu()
            wanted = batch.mask[:, 1:]
            totals[batch.numbers] = (piece_logs * wanted).sum(1)
            counts[batch.numbers] = wanted.sum(1).float()
        return totals, counts

    def _masked(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        """A copy of the sentence for each piece, masked there; copies of all sentences batched."""
        tokenizer, many = self.sentences.tokenizer, self.sentences.batch
        totals, counts = torch.zeros(len(texts)), torch.zeros(len(texts))
        read = tokenizer(texts, return_special_tokens_mask=True)
        copies = [
            (number, place)
            for number, special in enumerate(read["special_tokens_mask"])
            for place, own in enumerate(special)
            if not own
        ]
        copies.sort(key=lambda copy: len(read["input_ids"][copy[0]]))
        for start in range(0, len(copies), many):
            batch = copies[start : start + many]
            numbers, places = (torch.tensor(part) for part in zip(*batch, strict=True))
            padded = tokenizer.pad(
                {"input_ids": [read["input_ids"][number] for number, _ in batch]},
                return_tensors="pt",
            )
            pieces, rows = padded["input_ids"], torch.arange(len(batch))
            hidden = pieces[rows, places]
            pieces[rows, places] = tokenizer.mask_token_id
            logits = self.sentences.run(pieces, padded["attention_mask"]).logits
            device = logits.device
            at_mask = logits[rows.to(device), places.to(device)].float().log_softmax(-1).cpu()
            totals.index_add_(0, numbers, at_mask[rows, hidden])
            counts.index_add_(0, numbers, torch.ones(len(batch)))
        return totals, counts
