"""Sentence likelihood under a language model: masked models piece by piece, causal ones at once.

References: Salazar et al., Masked Language Model Scoring, 2020; equation 1 of Rezaee and
Camacho-Collados, 2022.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor
from typing_extensions import override

from ....errors import InvalidOption
from ... import pretrained
from ...model import FittedModel, RunContext
from ...task import Fold, TaskRows
from . import template
from .model import AnalogyModel, best_candidates, keep_latest, number_quads
from .sentences import Precision, Sentences
from .task import WordQuad
from .template import Sentence

ModelKind = Literal["auto", "masked", "causal"]


class Perplexity(AnalogyModel):
    """A language model's (pseudo-)perplexity of each sentence, the lowest wins; no training.

    Masked models: the sum of log-probabilities of each word piece when masked, as in the paper.
    Causal models: the mean log-probability of the pieces after the first.
    """

    name: ClassVar = "analogy-perplexity"
    learns: ClassVar = False
    random: ClassVar = False
    packages: ClassVar = ("torch", "transformers")
    reads: ClassVar = ("lm",)

    lm: str = Field(description="name or path of a masked or causal model, a GGUF file, or smollm2")
    kind: ModelKind = Field("auto", description="masked or causal; auto: by the checkpoint")
    template: Sentence = Field(template.DEFAULT_TEMPLATE, description="with {a}, {b}, {c}, {d}")
    per_piece: bool | None = Field(None, description="mean over pieces; default: if causal")
    precision: Precision = Field("float32", description="of the model")
    sentences: int = Field(256, ge=1, description="batch size of the model, in sentences")

    @override
    def answerable_rows(self, rows: TaskRows[Any]) -> Sequence[int]:
        """Return the rows with several candidates."""
        return [place for place, row in enumerate(rows.rows) if not row.supervised]

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        scorer = keep_latest(job, "scorer", self, lambda: self.load(torch.device(job.device)))

        def answers(rows: TaskRows[Any]) -> list[int]:
            numbers = number_quads(rows.rows)
            return best_candidates(rows.rows, numbers, scorer.score(list(numbers)))

        return FittedModel(answers)

    def load(self, device: torch.device) -> "Likelihood":
        """Load the language model."""
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
        f"give a masked or causal model, or set kind=masked or kind=causal"
    )


class Likelihood:
    """The log-(pseudo-)likelihood of sentences."""

    def __init__(self, sentences: Sentences, text: str, masked: bool, per_piece: bool) -> None:
        self.sentences, self.template = sentences, text
        self.masked, self.per_piece = masked, per_piece

    def score(self, quads: Sequence[WordQuad]) -> Tensor:
        """Return the score of each quad's sentence; every sentence is read once."""
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
            # On the device: the log-probabilities of all pieces are too many to be moved.
            piece_logs = logs.gather(2, batch.pieces[:, 1:, None].to(logs.device)).squeeze(2).cpu()
            wanted = batch.mask[:, 1:]
            totals[batch.numbers] = (piece_logs * wanted).sum(1)
            counts[batch.numbers] = wanted.sum(1).float()
        return totals, counts

    def _masked(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        """Mask each piece in a copy of its sentence; copies of all sentences are batched."""
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
