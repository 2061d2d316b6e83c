"""The generator: relations shared out, negatives drawn, rows read off by their number."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from ...block import Block
from ...errors import Infeasible, InvalidOption
from ...example import Example
from ...generator import Generator, Source
from ...kb.relations import SHIPPED, Extension, Pair, Relation, load
from ...kb.relations.readers import digest
from ...options import Listed, Outside
from ...seed import Deal, Stream
from . import halves, negatives
from .aids import WORDNET, Aids
from .metadata import Metadata
from .product import SETTINGS, Desk, Product, Set, Style, make_set
from .template import NAMED, Template

# What makes and judges rows is imported where it is used: `gen analogy --help` needs none of it.
if TYPE_CHECKING:
    from ...scoring.answers import Key
    from .judgement import Files

ProbeOption = Literal[
    "all",
    "random",
    "random-head",
    "random-tail",
    "reverse",
    "type",
    "mismatch",
    "frequency",
    "near",
    "cross",
]
PAPER = ("random", "reverse", "type")
_LITERAL = (*PAPER, "random-head", "random-tail")


class Analogy(Generator):
    """Word analogies: is this pair related as that one is?

    Relations come with all their pairs. For every ordered pair of tuples of a relation there is
    a true analogy, and as many false ones, by swapping heads or tails (random), turning a tuple
    round (reverse) or pairing words of one kind (type). A pair that the relation lists is never
    passed off as false, nor is one of an open relation unless something excludes it.
    """

    name: ClassVar[str] = "analogy"
    version: ClassVar[int] = 2
    tasks: ClassVar[tuple[str, ...]] = ("question-answering", "text-classification")
    citation: ClassVar[str] = (
        "Rezaee and Camacho-Collados, Probing Relational Knowledge in Language Models via Word "
        "Analogies, Findings of EMNLP 2022"
    )
    written_whole: ClassVar[bool] = True
    Metadata: ClassVar[type[BaseModel]] = Metadata

    relations: Outside[str] = Field(
        SHIPPED, description="a relation file, a folder of them (BATS, say), or our own, 'shipped'"
    )
    only: Listed[str] = Field((), description="only relations with one of these in their name")
    probe: Listed[ProbeOption] = Field(
        ("all",), min_length=1, description="how negatives are made; all: random, reverse, type"
    )
    setting: Literal["supervised", "unsupervised", "all"] = Field(
        "all", description="true or false of one sentence, or the better of several"
    )
    tails: Literal["canonical", "all"] = Field(
        "canonical",
        description="which true tails rows draw: the canonical one of each head, where the "
        "relation has one, or all that are listed; either way none of them is ever false",
    )
    tuples: int = Field(100, ge=4, description="most tuples of a relation, over all splits")
    choices: int = Field(2, ge=2, le=10, description="options of an unsupervised row")
    template: str = Field(
        "what", description=f"{', '.join(NAMED)}, or a sentence with {{a}}, {{b}}, {{c}}, {{d}}"
    )
    form: Literal["sentence", "question"] = Field(
        "sentence", description="bare sentences, or a question for language models"
    )
    paper_faithful: bool = Field(
        False, description="draw negatives as the paper does, and mark those that are true"
    )
    closure: Literal["none", "wordnet"] = Field(
        "none", description="what WordNet derives is true of lexicographic relations as well"
    )
    neighbours: Outside[str] = Field(
        "wordnet", description="what is near, for the near probe: wordnet, or a file of vectors"
    )

    @field_validator("template")
    @classmethod
    def _has_slots(cls, text: str) -> str:
        Template.parse(text)
        return text

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.paper_faithful:
            hard = [probe for probe in self.probes if probe not in _LITERAL]
            if hard:
                raise ValueError(f"probe: {hard[0]!r} is not the paper's; drop --paper-faithful")
            if self.choices > 2:
                raise ValueError(
                    f"choices: the paper has 2, but got {self.choices}; drop --paper-faithful"
                )
            if self.tails == "all":
                raise ValueError("tails: the paper draws all of them anyway; drop --tails")
        return self

    @cached_property
    def probes(self) -> tuple[str, ...]:
        """The probes asked for, each once."""
        asked = [name for probe in self.probe for name in (PAPER if probe == "all" else (probe,))]
        return tuple(dict.fromkeys(asked))

    @cached_property
    def stamp(self) -> str:
        """The digest of the relation files, so that what is remembered is never stale."""
        load(self.relations)
        return digest(self.relations)

    @cached_property
    def extensions(self) -> dict[str, Extension]:
        """The truth about every relation, by its name."""
        return _extensions(self.relations, self.only, self.closure, self.stamp)

    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        fields = type(self).model_fields
        kept = {name: value for name, value in state["__dict__"].items() if name in fields}
        return {**state, "__dict__": kept}  # workers look things up themselves

    def product(self, seed: int, splits: tuple[str, ...], split: str) -> Product:
        """All rows of a split."""
        return _product(self, self.stamp, seed, splits, split)

    def default_split(self) -> str:
        """Probes are trained and tested, on as much."""
        return "train=0.5,test=0.5"

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Every relation, probe and setting."""
        return {split: self.product(seed, splits, split).rows for split in splits}

    def levels(self) -> Sequence[Mapping[str, object]]:
        """Negatives of another kind of word, turned round, and of words that do not belong."""
        probes = ("type", "reverse", "random" if self.paper_faithful else "mismatch")
        return [{"probe": probe} for probe in probes]

    def sources(self) -> list[Source]:
        """The relation files, and what else negatives were drawn by."""
        ours = self.relations == SHIPPED
        name = "relsmith relation sets" if ours else "relation files"
        return [
            Source(name=name, version=str(self.version) if ours else "", digest=self.stamp),
            *self.aids.sources(),
        ]

    @property
    def aids(self) -> Aids:
        """What probes and closure need beyond the relations."""
        near = self.neighbours if "near" in self.probes else None
        return Aids(self.closure == WORDNET, near, "frequency" in self.probes)

    def notes(self) -> list[str]:
        """What readers mended, and the probes that make no sense."""
        notes = []
        for name, extension in self.extensions.items():
            relation = extension.relation
            notes += [f"{name}: {note}" for note in relation.notes if _matters(note)]
            for probe in self.probes:
                if why := _senseless(probe, relation, self.extensions):
                    kept = "kept" if self.paper_faithful else "skipped"
                    notes.append(f"{name}: {why}, so the probe {probe} is {kept}")
        return notes

    def rows(self, block: Block) -> Iterator[Example]:
        """Rows from all over the product, each read off by its number, in random order."""
        product = self.product(block.seed, block.splits, block.split)
        draw = block.stream("options").random
        numbers = _numbers(product, block)
        places = list(range(len(numbers)))
        block.stream("order").shuffle(places)
        examples = product.examples([block.ids[place] for place in places], numbers, draw)
        for _, example in sorted(zip(places, examples, strict=True), key=itemgetter(0)):
            yield example

    @classmethod
    def answer_key(cls, row: Example) -> "Key":
        """True or false, or one of the pairs on offer."""
        from .answers import answer_key

        return answer_key(row)

    @classmethod
    def kin(cls, row: Example) -> str:
        """The pair asked about."""
        return " : ".join(row.metadata["query"])

    def replay(self, example: Example) -> list[str]:
        """Query and positive are listed, the negative is known to be false."""
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
        sure = pair is None or self.paper_faithful or bool(extension.relation.options)
        if not sure and extension.why_false(pair[0], pair[1]) is None:
            return [f"nothing says that the negative {pair} is false"]
        return []

    def problems(self, example: Example) -> list[str]:
        """Look every pair up in the relation files, and build the text anew."""
        from .judgement import judgement

        files = _files(self.relations, self.only, self.stamp)
        return judgement(example, files, self) or self.replay(example)


def _matters(note: str) -> bool:
    return note[0].isdigit()


@lru_cache(maxsize=8)
def _deck(blocks: int, *parts: str | int) -> Deal:
    return Deal(blocks, *parts, "blocks")


def _numbers(product: Product, block: Block) -> list[int]:
    whole, rest = divmod(product.rows, len(block.numbers))
    place = block.index
    if place < whole:
        place = _deck(whole, block.generator, block.version, block.seed, block.split)[place]
    elif place > whole or not rest:
        return []
    return product.numbers(place)


@lru_cache(maxsize=8)
def _extensions(
    where: str, only: tuple[str, ...], closure: str, stamp: str
) -> dict[str, Extension]:
    chosen = [
        relation
        for relation in load(where)
        if not only or any(part in relation.name for part in only)
    ]
    if not chosen:
        raise Infeasible(
            f"no relation of {where!r} has {' or '.join(map(repr, only))} in its name; "
            f"gen relations list shows their names"
        )
    aids = Aids(closure == WORDNET)
    return {relation.name: Extension(relation, aids.closure(relation)) for relation in chosen}


@lru_cache(maxsize=8)
def _files(where: str, only: tuple[str, ...], stamp: str) -> "dict[str, Files]":
    from .judgement import Files

    extensions = _extensions(where, only, "none", stamp)
    return {name: Files(extension.relation) for name, extension in extensions.items()}


def _stream(generator: Analogy, seed: int, *parts: str | int) -> Stream:
    return Stream(generator.name, generator.version, seed, "tables", *parts)


@lru_cache(maxsize=8)
def _parts(generator: Analogy, stamp: str, seed: int, splits: int) -> dict[str, list[list[Pair]]]:
    """The tuples of every relation by split."""
    taken: dict[Pair, int] = {}
    by_relation = {}
    canonical = generator.tails == "canonical"
    if not canonical and not any(it.relation.canonical for it in generator.extensions.values()):
        raise InvalidOption(
            "tails: none of these relations has canonical tails, so all are drawn; drop --tails"
        )
    for name, extension in generator.extensions.items():
        relation = extension.relation
        if relation.options:
            continue
        stream = _stream(generator, seed, name, "split")
        if generator.paper_faithful:
            parts = halves.by_tuple(relation, splits, generator.tuples, stream)
        else:
            asked = relation.asked(canonical)
            parts = halves.by_head(asked, splits, generator.tuples, stream, taken)
            taken |= {pair: seat for seat, part in enumerate(parts) for pair in part}
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
    seat = splits.index(split)
    every = _parts(generator, stamp, seed, len(splits))
    settings = SETTINGS if generator.setting == "all" else (generator.setting,)
    style = Style(
        Template.parse(generator.template), generator.form == "question", generator.choices
    )
    aids = generator.aids
    sets: list[Set] = []
    for name, parts in every.items():
        extension, tuples = generator.extensions[name], parts[seat]
        for probe in generator.probes:
            senseless = _senseless(probe, extension.relation, generator.extensions)
            if senseless and not generator.paper_faithful:
                continue
            stream = _stream(generator, seed, name, split, probe)
            desk = Desk(extension.relation, probe, style.template)
            if generator.paper_faithful:
                table = negatives.Literal(tuples, extension, stream, desk.offer).table(probe)
            else:
                foreign = _foreign(generator, extension.relation, every, seat)
                maker = negatives.Sound(tuples, extension, stream, desk.offer, aids, foreign)
                table = maker.table(probe, generator.choices - 1)
            if not table.queries:
                raise Infeasible(
                    f"relation {name!r} has no {generator.choices - 1} sound negative(s) for the "
                    f"probe {probe!r} among {len(tuples)} tuples; leave it or the probe out"
                )
            sets += [make_set(desk, setting, style, tuples, table) for setting in settings]
    product = Product(sets, _questions(generator, seed, len(splits), seat), style)
    if not product.rows:
        raise Infeasible(
            "these probes make no sense for any of these relations, so there is no row; "
            "ask for another probe, such as random"
        )
    return product


def _questions(generator: Analogy, seed: int, splits: int, seat: int) -> list[Relation]:
    relations = (extension.relation for extension in generator.extensions.values())
    asked = [relation for relation in relations if relation.options]
    _stream(generator, seed, "questions").shuffle(asked)
    return asked[seat::splits] if generator.setting != "supervised" else []


def _senseless(probe: str, relation: Relation, extensions: dict[str, Extension]) -> str | None:
    """Why the probe makes no sense for the relation, if so."""
    if relation.options:
        return None
    if probe == "reverse" and relation.symmetric:
        return "holds both ways"
    if probe == "cross" and relation.open:
        return "is open, and what another relation lists may hold"
    alike = (_like(relation, extension.relation) for extension in extensions.values())
    if probe == "cross" and not any(alike):
        return "no other relation is between words of the same types"
    return None


def _like(relation: Relation, other: Relation) -> bool:
    """Whether the other is another relation between words of the same types."""
    typed = relation.types is not None and relation.types == other.types
    return typed and other.kind != relation.kind and not other.options


def _foreign(
    generator: Analogy, relation: Relation, every: dict[str, list[list[Pair]]], seat: int
) -> list[Pair]:
    """Tuples of other relations between words of the same types."""
    if "cross" not in generator.probes:
        return []
    return [
        pair
        for name, parts in every.items()
        if _like(relation, generator.extensions[name].relation)
        for pair in parts[seat]
    ]
