"""The analogy generator: the rows of its splits, and their judge."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel

from ...block import Block
from ...capabilities import Cells, Documentation, Limited, Prompts, Source
from ...errors import Infeasible, InvalidOption
from ...example import Example
from ...kb.relations import SHIPPED, Extension, Pair, Relation, load
from ...kb.relations.readers import digest
from ...seed import Permutation, Stream
from . import negatives, splitting
from .metadata import Metadata
from .options import AnalogyOptions
from .product import SETTINGS, CandidateMaker, ProbeSet, Product, RowFormat, make_probe_set
from .resources import WORDNET, Resources
from .template import Template

# Modules that judge and score rows are imported where they are used, to keep --help quick.
if TYPE_CHECKING:
    from ...scoring.answers import AnswerKey
    from .judge import RelationLookup


class Analogy(AnalogyOptions, Prompts, Limited, Cells, Documentation):
    """Word analogies: is this pair related as that one is?

    Relations come with all their pairs. For every ordered pair of tuples of a relation there is
    a true analogy, and as many false ones, made by swapping heads or tails (random), reversing a
    tuple (reverse) or pairing words of one type (type). A pair that the relation lists is never
    offered as false, nor is one of an open relation unless something excludes it.
    """

    name: ClassVar[str] = "analogy"
    version: ClassVar[int] = 3
    tasks: ClassVar[tuple[str, ...]] = ("question-answering", "text-classification")
    citation: ClassVar[str] = (
        "Rezaee and Camacho-Collados, Probing Relational Knowledge in Language Models via Word "
        "Analogies, Findings of EMNLP 2022"
    )
    writes_all_rows: ClassVar[bool] = True
    Metadata: ClassVar[type[BaseModel]] = Metadata

    @cached_property
    def stamp(self) -> str:
        """Digest of the relation files, a key of the caches below."""
        load(self.relations)
        return digest(self.relations)

    @cached_property
    def extensions(self) -> dict[str, Extension]:
        """Extensions of the relations, by name."""
        return _extensions(self.relations, self.only, self.closure, self.stamp)

    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        fields = type(self).model_fields
        kept = {name: value for name, value in state["__dict__"].items() if name in fields}
        return {**state, "__dict__": kept}  # workers compute the cached properties themselves

    def product(self, seed: int, splits: tuple[str, ...], split: str) -> Product:
        """Return all rows of a split."""
        return _product(self, self.stamp, seed, splits, split)

    def default_split(self) -> str:
        """Return equal shares for training and testing."""
        return "train=0.5,test=0.5"

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Return the number of rows of each split, over all relations, probes and settings."""
        return {split: self.product(seed, splits, split).rows for split in splits}

    def cells(self) -> Sequence[Mapping[str, object]]:
        """Return the probes, from easy to hard negatives."""
        probes = ("type", "reverse", "random" if self.paper_faithful else "mismatch")
        return [{"probe": probe} for probe in probes]

    def sources(self) -> list[Source]:
        """Return the relation files, the sources of our own, and the resources of the probes."""
        ours = self.relations == SHIPPED
        name = "relsmith relation sets" if ours else "relation files"
        names: dict[tuple[str, str], list[str]] = {}
        for relation in (each.relation for each in self.extensions.values() if ours):
            names.setdefault((relation.source, relation.licence), []).append(relation.name)
        return [
            Source(name=name, version=str(self.version) if ours else "", digest=self.stamp),
            *(
                Source(name=source, version=", ".join(listed), digest="", licence=licence)
                for (source, licence), listed in names.items()
            ),
            *self.resources.sources(),
        ]

    @property
    def resources(self) -> Resources:
        """Resources for the probes and the closure."""
        near = self.neighbours if "hard" in self.probes else None
        return Resources(self.closure == WORDNET, near)

    def notes(self) -> list[str]:
        """Return what readers fixed in the files, and the probes that are skipped."""
        notes = []
        for name, extension in self.extensions.items():
            relation = extension.relation
            notes += [f"{name}: {note}" for note in relation.notes if _is_shown(note)]
            for probe in self.probes:
                if why := _why_skipped(probe, relation, self.extensions):
                    kept = "kept" if self.paper_faithful else "skipped"
                    notes.append(f"{name}: {why}, so the probe {probe} is {kept}")
        return notes

    def rows(self, block: Block) -> Iterator[Example]:
        """Yield rows from all over the product, in random order."""
        product = self.product(block.seed, block.splits, block.split)
        draw = block.stream("options").random
        numbers = _row_numbers(product, block)
        places = list(range(len(numbers)))
        block.stream("order").shuffle(places)
        examples = product.examples([block.ids[place] for place in places], numbers, draw)
        for _, example in sorted(zip(places, examples, strict=True), key=itemgetter(0)):
            yield example

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Return how answers to a row are scored."""
        from .answers import answer_key

        return answer_key(row)

    @classmethod
    def leakage_group(cls, row: Example) -> str:
        """Return the query."""
        return " : ".join(row.metadata["query"])

    def replay(self, example: Example) -> list[str]:
        """Check that query and positive are listed, and that the negative is known to be false."""
        metadata = example.metadata
        extension = self.extensions.get(metadata["relation"])
        if extension is None:
            return [f"there is no relation {metadata['relation']!r}"]
        for role in ("query", "positive"):
            pair = metadata[role]
            if pair is not None and (pair[0], pair[1]) not in extension.listed:
                return [f"the {role} {pair} is not listed"]
        pair = metadata["negative"]
        if pair is not None and extension.holds(pair[0], pair[1]) != metadata["false_negative"]:
            return [f"the negative {pair} is in fact {not metadata['false_negative']}"]
        sure = pair is None or self.paper_faithful
        if not sure and extension.why_false(pair[0], pair[1]) is None:
            return [f"nothing says that the negative {pair} is false"]
        return []

    def problems(self, example: Example) -> list[str]:
        """Look every pair up in the relation files, and rebuild the text."""
        from .judge import judge_row

        files = _files(self.relations, self.stamp)
        return judge_row(example, files, self) or self.replay(example)


def _is_shown(note: str) -> bool:
    return note[0].isdigit()


@lru_cache(maxsize=8)
def _block_order(blocks: int, *parts: str | int) -> Permutation:
    return Permutation(blocks, *parts, "blocks")


def _row_numbers(product: Product, block: Block) -> list[int]:
    whole, rest = divmod(product.rows, len(block.numbers))
    place = block.index
    if place < whole:
        place = _block_order(whole, block.generator, block.version, block.seed, block.split)[place]
    elif place > whole or not rest:
        return []
    return product.numbers(place)


@lru_cache(maxsize=8)
def _extensions(
    where: str, only: tuple[str, ...], closure: str, stamp: str
) -> dict[str, Extension]:
    every = load(where)
    chosen = [
        relation for relation in every if not only or any(part in relation.name for part in only)
    ]
    if not chosen:
        raise Infeasible(
            f"no relation of {where!r} has {' or '.join(map(repr, only))} in its name; "
            f"gen relations list shows their names"
        )
    resources = Resources(closure == WORDNET)
    return {
        relation.name: Extension(relation, resources.closure(relation), every)
        for relation in chosen
    }


@lru_cache(maxsize=8)
def _files(where: str, stamp: str) -> "dict[str, RelationLookup]":
    from .judge import RelationLookup

    return {relation.name: RelationLookup(relation) for relation in load(where)}


def _stream(generator: Analogy, seed: int, *parts: str | int) -> Stream:
    return Stream(generator.name, generator.version, seed, "tables", *parts)


@lru_cache(maxsize=8)
def _tuples_by_split(
    generator: Analogy, stamp: str, seed: int, splits: int
) -> dict[str, list[list[Pair]]]:
    """Return the tuples of every relation by split."""
    assigned: dict[Pair, int] = {}
    by_relation = {}
    canonical = generator.tails == "canonical"
    if not canonical and not any(it.relation.canonical for it in generator.extensions.values()):
        raise InvalidOption(
            "tails: none of these relations has canonical tails, so all are drawn; drop --tails"
        )
    for name, extension in generator.extensions.items():
        relation = extension.relation
        stream = _stream(generator, seed, name, "split")
        if generator.paper_faithful:
            parts = splitting.split_by_tuple(relation, splits, generator.tuples, stream)
        else:
            asked = relation.positive_tails(canonical)
            parts = splitting.split_by_head(asked, splits, generator.tuples, stream, assigned)
            assigned |= {
                pair: split_index for split_index, part in enumerate(parts) for pair in part
            }
        if min(map(len, parts)) < 2:
            raise Infeasible(
                f"relation {name!r} has {len(relation.pairs)} pair(s) of {len(relation.tails)} "
                f"head(s), too few for {splits} split(s) of at least 2; add pairs, or leave it out"
            )
        by_relation[name] = parts
    return by_relation


@lru_cache(maxsize=6)
def _product(
    generator: Analogy, stamp: str, seed: int, splits: tuple[str, ...], split: str
) -> Product:
    split_index = splits.index(split)
    by_relation = _tuples_by_split(generator, stamp, seed, len(splits))
    settings = SETTINGS if generator.setting == "all" else (generator.setting,)
    style = RowFormat(
        Template.parse(generator.template), generator.form == "question", generator.choices
    )
    resources = generator.resources
    sets: list[ProbeSet] = []
    for name, parts in by_relation.items():
        extension, tuples = generator.extensions[name], parts[split_index]
        for probe in generator.probes:
            senseless = _why_skipped(probe, extension.relation, generator.extensions)
            if senseless and not generator.paper_faithful:
                continue
            stream = _stream(generator, seed, name, split, probe)
            maker = CandidateMaker(extension.relation, probe, style.template)
            if generator.paper_faithful:
                table = negatives.PaperNegatives(tuples, extension, stream, maker.candidate).table(
                    probe
                )
            else:
                foreign = _foreign_pairs(generator, extension.relation, by_relation, split_index)
                sampler = negatives.SoundNegatives(
                    tuples, extension, stream, maker.candidate, resources, foreign
                )
                table = sampler.table(probe, generator.choices - 1)
                maker.profiles = sampler.profiles if probe == "hard" else {}
            if not table.queries:
                raise Infeasible(
                    f"relation {name!r} has no {generator.choices - 1} sound negative(s) for the "
                    f"probe {probe!r} among {len(tuples)} tuples; leave it or the probe out"
                )
            sets += [make_probe_set(maker, setting, style, tuples, table) for setting in settings]
    product = Product(sets)
    if not product.rows:
        raise Infeasible(
            "these probes make no sense for any of these relations, so there is no row; "
            "ask for another probe, such as random"
        )
    return product


def _why_skipped(probe: str, relation: Relation, extensions: dict[str, Extension]) -> str | None:
    """Return why the probe makes no sense for the relation, or None."""
    if probe == "reverse" and relation.symmetric:
        return "holds both ways"
    if probe == "cross" and relation.open:
        return "is open, and what another relation lists may hold"
    alike = (_is_comparable(relation, extension.relation) for extension in extensions.values())
    if probe == "cross" and not any(alike):
        return "no other relation is between words of the same types"
    return None


def _is_comparable(relation: Relation, other: Relation) -> bool:
    """Return whether the other is another relation between words of the same types."""
    typed = relation.types is not None and relation.types == other.types
    return typed and other.kind != relation.kind


def _foreign_pairs(
    generator: Analogy,
    relation: Relation,
    by_relation: dict[str, list[list[Pair]]],
    split_index: int,
) -> list[Pair]:
    """Return tuples of other relations between words of the same types."""
    if "cross" not in generator.probes:
        return []
    return [
        pair
        for name, parts in by_relation.items()
        if _is_comparable(relation, generator.extensions[name].relation)
        for pair in parts[split_index]
    ]
