"""Any model of natural language inference that reads premise and hypothesis together."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainSerializer
from typing_extensions import override

from ....errors import InvalidOption
from ... import pretrained
from ...model import RunContext
from .layered import LayeredModel
from .model import Scores
from .task import InferencePair


class CrossEncoder(LayeredModel):
    """A Hugging Face sequence classifier over both sentences, without training."""

    name: ClassVar = "cross-encoder"
    packages: ClassVar = ("torch", "transformers")
    reads: ClassVar = ("path",)

    path: Annotated[str, PlainSerializer(lambda path: Path(path).name, str, when_used="json")] = (
        Field(description="name or path of a model that classifies pairs of sentences")
    )
    implied: str = Field("", description="label that means yes; default: entailment")
    threshold: float = Field(0.5, gt=0, le=1, description="minimum probability of yes")

    @property
    @override
    def own_label(self) -> str:
        return f"{self.name} {Path(self.path).name}"

    @override
    def own_scores(self, pairs: Sequence[InferencePair], job: RunContext) -> Scores:
        import torch

        tokenizer, classifier = pretrained.load(self.path, "AutoModelForSequenceClassification")
        classifier = classifier.eval().to(job.device)
        label = label_index(classifier.config, self.implied)
        scores: list[float] = []
        for start in range(0, len(pairs), job.training.batch):
            batch = pairs[start : start + job.training.batch]
            encoded = tokenizer(
                [pair.sentences[0] for pair in batch],
                [pair.sentences[1] for pair in batch],
                padding=True,
                truncation=True,
                return_tensors="pt",
            ).to(job.device)
            with torch.no_grad():
                logits = classifier(**encoded).logits.float()
            sure = logits.sigmoid()[:, 0] if label is None else logits.softmax(1)[:, label]
            scores += sure.tolist()
        return scores


def label_index(config: Any, wanted: str) -> int | None:
    """Return the index of the label that means yes; None if the model has a single score."""
    if config.num_labels == 1:
        return None
    labels = {name.lower(): int(index) for name, index in config.label2id.items()}
    if not wanted:
        likely = [name for name in labels if name.startswith("entail")]
        wanted = likely[0] if len(likely) == 1 else ""
    if wanted.lower() not in labels:
        raise InvalidOption(
            f"implied: the model has no label {wanted or 'entailment'!r}; "
            f"set implied to one of {', '.join(labels)}"
        )
    return labels[wanted.lower()]
