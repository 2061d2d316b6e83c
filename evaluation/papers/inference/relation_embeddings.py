"""Relation vectors from what stands on both sides of relations in a store of triples.

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
from .layered import Layered
from .model import File, Scores
from .task import Pair
from .words import Form, relation, turned

Side = tuple[Form, bool]
"""A relation, read forwards or (True) with its arguments swapped."""


class RelationEmbeddings(Layered):
    """Cosine of relation vectors, trained on the arguments of relations in a store of triples."""

    name: ClassVar = "relation-embeddings"
    random: ClassVar = True
    packages: ClassVar = ("torch",)

    triples: File | None = Field(None, description="a store; without it, our own facts")
    size: int = Field(100, ge=1, description="numbers of a vector")
    epochs: int = Field(5, ge=1, description="how often each pair is seen in training")
    negatives: int = Field(5, ge=1, description="arguments drawn against each one seen")
    rate: float = Field(0.1, gt=0, description="learning rate")
    minimum: int = Field(2, ge=1, description="leave out relations that were read less often")
    threshold: float = Field(0.7, gt=0, le=1, description="taken for implied from this cosine on")

    @property
    @override
    def own_label(self) -> str:
        return f"{self.name} {self.triples.stem if self.triples else 'facts'}"

    @override
    def digests(self) -> dict[str, str]:
        return super().digests() | {"triples": open_store(self.triples).digest}

    @property
    @override
    def cut(self) -> float:
        return self.threshold

    @override
    def own_scores(self, pairs: Sequence[Pair], job: RunContext) -> Scores:
        """The cosine, 0 where it is negative; None where a relation is not in the store."""
        from .skip_gram import Embeddings, Training, train
        from .word_embeddings import cosine

        training = Training(self.size, self.epochs, self.negatives, self.rate, seed=job.seed)

        def learnt() -> Embeddings[Side] | None:
            counts = contexts(open_store(self.triples).triples(), self.minimum)
            return train(counts, training, job.device) if counts else None

        vectors = job.once(("relations", self.triples, self.minimum, training), learnt)
        if vectors is None:
            return [None] * len(pairs)
        scores: list[float | None] = []
        for pair in pairs:
            turn = turned(pair)
            premise = (relation(pair.premise.relation).form, False)
            hypothesis = (relation(pair.hypothesis.relation).form, bool(turn))
            comparable = turn is not None and premise in vectors and hypothesis in vectors
            both = (vectors[premise].numpy(), vectors[hypothesis].numpy()) if comparable else None
            scores.append(cosine(*both) if both else None)
        return scores


def contexts(
    triples: Iterable[Triple], minimum: int = 1
) -> dict[tuple[Side, tuple[int, str]], int]:
    """How often each argument stands on each side of a relation, read forwards and swapped."""
    counts: Counter[tuple[Side, tuple[int, str]]] = Counter()
    total: Counter[Form] = Counter()
    for triple in triples:
        said = relation(triple.relation)
        if not said.content:
            continue
        first, second = argument_key(triple.arg1), argument_key(triple.arg2)
        if said.passive:
            first, second = second, first
        total[said.form] += triple.count
        for swap, left, right in ((False, first, second), (True, second, first)):
            counts[(said.form, swap), (0, left)] += triple.count
            counts[(said.form, swap), (1, right)] += triple.count
    return {pair: count for pair, count in counts.items() if total[pair[0][0]] >= minimum}
