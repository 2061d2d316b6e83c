"""Relation vectors, learnt from the arguments of relations in a store of triples.

References: section 4.1 of Levy and Dagan, 2016; Lin and Pantel, DIRT, 2001.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

from pydantic import Field
from typing_extensions import override

from ....kb.triples.argument import argument_key
from ....kb.triples.store import open_store
from ....kb.triples.triple import Triple
from ...model import RunContext
from .layered import LayeredModel
from .model import File, Scores
from .task import InferencePair
from .words import Form, analyse, swapped_as_active

Side = tuple[Form, bool]
"""A relation, and whether its arguments are swapped."""


class RelationEmbeddings(LayeredModel):
    """Cosine of relation vectors, trained on the arguments of relations in a store of triples."""

    name: ClassVar = "relation-embeddings"
    random: ClassVar = True
    packages: ClassVar = ("torch",)

    triples: File | None = Field(None, description="a triple store; default: the built-in facts")
    size: int = Field(100, ge=1, description="size of a vector")
    epochs: int = Field(5, ge=1, description="epochs of training")
    negatives: int = Field(5, ge=1, description="negative samples per pair")
    rate: float = Field(0.1, gt=0, description="learning rate")
    minimum: int = Field(2, ge=1, description="leave out rarer relations")
    threshold: float = Field(0.7, gt=0, le=1, description="smallest cosine that counts as implied")

    @property
    @override
    def own_label(self) -> str:
        return f"{self.name} {self.triples.stem if self.triples else 'facts'}"

    @override
    def digests(self) -> dict[str, str]:
        return super().digests() | {"triples": open_store(self.triples).digest}

    @override
    def own_scores(self, pairs: Sequence[InferencePair], job: RunContext) -> Scores:
        """Return the cosine, at least 0; None if a relation is not in the store."""
        from .skip_gram import Embeddings, SkipGramTraining, train
        from .word_embeddings import cosine

        training = SkipGramTraining(
            self.size, self.epochs, self.negatives, self.rate, seed=job.seed
        )

        def learnt() -> Embeddings[Side] | None:
            counts = contexts(open_store(self.triples).triples(), self.minimum)
            return train(counts, training, job.device) if counts else None

        vectors = job.once(("relations", self.triples, self.minimum, training), learnt)
        if vectors is None:
            return [None] * len(pairs)
        scores: list[float | None] = []
        for pair in pairs:
            swap = swapped_as_active(pair)
            premise = (analyse(pair.premise.relation).form, False)
            hypothesis = (analyse(pair.hypothesis.relation).form, bool(swap))
            comparable = swap is not None and premise in vectors and hypothesis in vectors
            both = (vectors[premise].numpy(), vectors[hypothesis].numpy()) if comparable else None
            scores.append(cosine(*both) if both else None)
        return scores


def contexts(
    triples: Iterable[Triple], minimum: int = 1
) -> dict[tuple[Side, tuple[int, str]], int]:
    """Count the arguments on each side of each relation, as stated and swapped."""
    counts: Counter[tuple[Side, tuple[int, str]]] = Counter()
    total: Counter[Form] = Counter()
    for triple in triples:
        features = analyse(triple.relation)
        if not features.content:
            continue
        first, second = argument_key(triple.arg1), argument_key(triple.arg2)
        if features.passive:
            first, second = second, first
        total[features.form] += triple.count
        for swap, left, right in ((False, first, second), (True, second, first)):
            counts[(features.form, swap), (0, left)] += triple.count
            counts[(features.form, swap), (1, right)] += triple.count
    return {pair: count for pair, count in counts.items() if total[pair[0][0]] >= minimum}
