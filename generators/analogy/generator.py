"""The generator: relations shared out, negatives drawn, rows read off by their number."""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from ...block import Block
from ...errors import Infeasible
from ...example import Example
from ...generator import Generator, Source
from ...kb.relations import SHIPPED, Extension, Pair, Relation, load
from ...kb.relations.readers import digest
from ...options import Listed
from ...seed import Deal, Stream
from . import halves, negatives
from .aids import Aids
from .judgement import judgement
from .metadata import Metadata
from .product import Product, Set, sets
from .template import NAMED, Template

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
_SETTINGS = ("supervised", "unsupervised")
_LETTERS = "ABCDEFGHIJ"
_TRUTH = ["true", "false"]
_NO_PAIRS: list[list[str]] = []


class Analogy(Generator):
    """Word analogies: is this pair related as that one is?

    Relations come with all their pairs. For every ordered pair of tuples of a relation there is
    a true analogy, and as many false ones, by swapping heads or tails (random), turning a tuple
    round (reverse) or pairing words of one kind (type). A pair that the relation lists is never
    passed off as false.
    """

    name: ClassVar[str] = "analogy"
    version: ClassVar[int] = 1
    citation: ClassVar[str] = (
        "Rezaee and Camacho-Collados, Probing Relational Knowledge in Language Models via Word "
        "Analogies, Findings of EMNLP 2022"
    )
    default_split: ClassVar[str] = "train=0.5,test=0.5"
    Metadata: ClassVar[type[BaseModel]] = Metadata

    relations: str = Field(
        SHIPPED, description="a relation file, a folder of them (BATS, say), or our own, 'shipped'"
    )
    only: Listed[str] = Field((), description="only relations with one of these in their name")
    probe: Listed[ProbeOption] = Field(
        ("all",), min_length=1, description="how negatives are made; all: random, reverse, type"
    )
    setting: Literal["supervised", "unsupervised", "all"] = Field(
        "all", description="true or false of one sentence, or the better of several"
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
    neighbours: str = Field(
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

    @property
    def known(self) -> dict[str, Extension]:
        """The truth about every relation, by its name."""
        return _known(self.relations, self.only, self.closure, self.stamp)

    def product(self, seed: int, splits: tuple[str, ...], split: str) -> Product:
        """All rows of a split."""
        return _product(self, self.stamp, seed, splits, split)

    def whole(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Every relation, probe and setting."""
        return {split: self.product(seed, splits, split).rows for split in splits}

    def capacity(self, splits: int) -> int:
        """The rows of the smallest split."""
        names = tuple(f"split{at}" for at in range(splits))
        return min(self.whole(names, 0).values())

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
        return Aids(self.closure == "wordnet", "near" in self.probes and self.neighbours or None,
                    "frequency" in self.probes)

    def notes(self) -> list[str]:
        """What readers mended, and the probes that make no sense."""
        found = []
        for name, extension in self.known.items():
            relation = extension.relation
            found += [f"{name}: {note}" for note in relation.notes if _matters(note)]
            if relation.symmetric and "reverse" in self.probes and not relation.options:
                kept = "kept, though each is true" if self.paper_faithful else "skipped"
                found.append(f"{name}: holds both ways, so its reverse negatives are {kept}")
        return found

    def rows(self, block: Block) -> Iterator[Example]:
        """Rows from all over the product, each read off by its number."""
        product = self.product(block.seed, block.splits, block.split)
        order, draw = Template.parse(self.template).query_first, block.stream("options").random
        question, few = self.form == "question", self.choices == 2
        ids, at = iter(block.ids), 0
        ends, every = product.ends, product.sets
        for number in _numbers(product, block):
            while at < len(ends) and number >= ends[at]:
                at += 1
            if at == len(ends):
                asked = product.questions[number - (ends[-1] if ends else 0)]
                yield self._question(next(ids), asked, block.stream("questions"))
                continue
            one = every[at]
            x = number - ends[at] + one.rows
            if one.setting == "supervised":
                false, instance = divmod(x, one.instances)
                i, j, k = one.place(instance)
                asking = one.asked[i]
                if false:
                    pair, text, rule, why, true = one.negatives[i][k]
                else:
                    text, rule, why, true = one.offered[j], None, None, False
                    pair = one.pairs[j]
                text = asking + text if order else text + asking
                yield Example(
                    next(ids),
                    _true_or_false(text) if question else text,
                    _TRUTH,
                    "false" if false else "true",
                    {
                        "relation": one.relation.name,
                        "group": one.relation.group,
                        "probe": one.probe,
                        "setting": "supervised",
                        "query": one.pairs[i],
                        "positive": None if false else pair,
                        "negative": pair if false else None,
                        "others": _NO_PAIRS,
                        "rule": rule,
                        "certificate": why,
                        "false_negative": true,
                        "flags": one.flags,
                    },
                )
                continue
            i, j, k = one.place(x)
            asking, right = one.asked[i], one.offered[j]
            pair, text, rule, why, true = _negative(one, i, j, k)
            right = asking + right if order else right + asking
            texts = [asking + text if order else text + asking]
            others = _NO_PAIRS
            if not few:
                more = _further(one, i, k, self.choices - 2)
                others = [offer[0] for offer in more]
                texts += [asking + m[1] if order else m[1] + asking for m in more]
            place = int(draw() * self.choices)
            texts.insert(place, right)
            shown, target = "\n".join(texts), right
            if question:
                pairs = [pair, *others]
                pairs.insert(place, one.pairs[j])
                shown, target = _which(one.pairs[i], pairs), _LETTERS[place]
                texts = list(_LETTERS[: self.choices])
            yield Example(
                next(ids),
                shown,
                texts,
                target,
                {
                    "relation": one.relation.name,
                    "group": one.relation.group,
                    "probe": one.probe,
                    "setting": "unsupervised",
                    "query": one.pairs[i],
                    "positive": one.pairs[j],
                    "negative": pair,
                    "others": others,
                    "rule": rule,
                    "certificate": why,
                    "false_negative": true,
                    "flags": one.flags,
                },
            )

    def _question(self, name: str, relation: Relation, stream: Stream) -> Example:
        """A question as its source asks it, its options in another order."""
        query, positive = relation.listed[0], relation.listed[1]
        pairs = [positive, *relation.options]
        Stream(relation.name, name).shuffle(pairs)
        template = Template.parse(self.template)
        texts = [template.sentence(query, pair) for pair in pairs]
        place = pairs.index(positive)
        shown, target = "\n".join(texts), texts[place]
        if self.form == "question":
            shown, target = _which(query, pairs), _LETTERS[place]
            texts = list(_LETTERS[: len(pairs)])
        wrong = [list(pair) for pair in relation.options]
        return Example(
            name,
            shown,
            texts,
            target,
            {
                "relation": relation.name,
                "group": relation.group,
                "probe": "listed",
                "setting": "unsupervised",
                "query": list(query),
                "positive": list(positive),
                "negative": wrong[0],
                "others": wrong[1:],
                "rule": "listed",
                "certificate": "listed as wrong",
                "false_negative": False,
                "flags": {"symmetric": relation.symmetric, "cardinality": relation.cardinality},
            },
        )

    def replay(self, example: Example) -> list[str]:
        """Query and positive are listed, the negative is not."""
        known = example.metadata
        extension = self.known.get(known["relation"])
        if extension is None:
            return [f"there is no relation {known['relation']!r}"]
        holds, negative = extension.holds, known["negative"]
        if not holds(*known["query"]):
            return [f"the query {known['query']} does not hold"]
        if known["positive"] is not None and not holds(*known["positive"]):
            return [f"the positive {known['positive']} does not hold"]
        if negative is not None and holds(*negative) != known["false_negative"]:
            return [f"the negative {negative} is in fact {not known['false_negative']}"]
        return []

    def problems(self, example: Example) -> list[str]:
        """Look every pair up in the relation files, and build the text anew."""
        relations = {name: extension.relation for name, extension in self.known.items()}
        return judgement(example, relations, self) or self.replay(example)


def _matters(note: str) -> bool:
    return note[0].isdigit()


def _numbers(product: Product, block: Block) -> range | list[int]:
    whole, rest = divmod(product.rows, len(block.numbers))
    place = block.index
    if place < whole:
        deck = Deal(whole, block.generator, block.version, block.seed, block.split, "blocks")
        place = deck[place]
    elif place > whole or not rest:
        return []
    return product.numbers(place)


def _negative(one: Set, i: int, j: int, k: int) -> Any:
    """The negative of an instance; another where the paper's procedure hits upon the positive."""
    offers = one.negatives[i]
    found = offers[k]
    if found[4] and found[0] == one.pairs[j]:
        return next((offer for offer in offers if offer[0] != one.pairs[j]), found)
    return found


def _further(one: Set, i: int, k: int, count: int) -> list[Any]:
    """So many negatives of the query besides number k, all different."""
    offers = one.negatives[i]
    used = [offers[k][0]]
    found = []
    for offer in islice([*offers[k + 1 :], *offers[:k]], None):
        if offer[0] not in used:
            used.append(offer[0])
            found.append(offer)
            if len(found) == count:
                break
    return found


def _true_or_false(sentence: str) -> str:
    return f"Is this analogy right?\n{sentence}\nAnswer true or false."


def _which(query: Any, pairs: Any) -> str:
    lines = [f"{_LETTERS[at]}. {head} : {tail}" for at, (head, tail) in enumerate(pairs)]
    return "\n".join(
        [
            f"Which two words are related in the same way as {query[0]} : {query[1]}?",
            *lines,
            "Answer with the letter.",
        ]
    )


@lru_cache(maxsize=8)
def _known(where: str, only: tuple[str, ...], closure: str, stamp: str) -> dict[str, Extension]:
    chosen = [
        relation
        for relation in load(where)
        if not only or any(part.casefold() in relation.name.casefold() for part in only)
    ]
    if not chosen:
        raise Infeasible(
            f"no relation of {where!r} has {' or '.join(map(repr, only))} in its name; "
            f"gen relations list shows their names"
        )
    aids = Aids(closure == "wordnet")
    return {one.name: Extension(one, aids.closure(one)) for one in chosen}


def _stream(generator: Analogy, seed: int, *parts: str | int) -> Stream:
    return Stream(generator.name, generator.version, seed, "tables", *parts)


@lru_cache(maxsize=8)
def _parts(
    generator: Analogy, stamp: str, seed: int, splits: int
) -> dict[str, list[list[Pair]]]:
    """The tuples of every relation by split."""
    taken: dict[Pair, int] = {}
    found = {}
    for name, extension in generator.known.items():
        relation = extension.relation
        if relation.options:
            continue
        stream = _stream(generator, seed, name, "split")
        if generator.paper_faithful:
            parts = halves.by_tuple(relation, splits, generator.tuples, stream)
        else:
            parts = halves.by_head(relation, splits, generator.tuples, stream, taken)
            taken |= {pair: at for at, part in enumerate(parts) for pair in part}
        if min(map(len, parts)) < 2:
            raise Infeasible(
                f"relation {name!r} has {len(relation.pairs)} pair(s) of {len(relation.tails)} "
                f"head(s), too few for {splits} split(s) of at least 2; add pairs, or leave it out"
            )
        found[name] = parts
    return found


@lru_cache(maxsize=4)
def _product(
    generator: Analogy, stamp: str, seed: int, splits: tuple[str, ...], split: str
) -> Product:
    seat = splits.index(split)
    every = _parts(generator, stamp, seed, len(splits))
    settings = _SETTINGS if generator.setting == "all" else (generator.setting,)
    template = Template.parse(generator.template)
    aids = generator.aids
    made: list[Set] = []
    for name, parts in every.items():
        extension, tuples = generator.known[name], parts[seat]
        for probe in generator.probes:
            if probe == "reverse" and extension.relation.symmetric and not generator.paper_faithful:
                continue
            stream = _stream(generator, seed, name, split, probe)
            maker: negatives.Literal | negatives.Sound
            if generator.paper_faithful:
                maker = negatives.Literal(tuples, extension, stream)
            else:
                foreign = _foreign(generator, extension.relation, every, seat)
                maker = negatives.Sound(tuples, extension, stream, aids, foreign)
            found = list(
                sets(extension.relation, probe, settings, tuples, maker.draw(probe), template,
                     generator.choices - 1)
            )
            if not found[0].queries:
                raise Infeasible(
                    f"relation {name!r} has no {generator.choices - 1} sound negative(s) for the "
                    f"probe {probe!r} among {len(tuples)} tuples; leave it or the probe out"
                )
            made += found
    product = Product(made, _questions(generator, seed, len(splits), seat))
    if not product.rows:
        raise Infeasible(
            "these relations and probes make no row: all of them hold both ways, and only reverse "
            "negatives are asked for; ask for another probe"
        )
    return product


def _questions(generator: Analogy, seed: int, splits: int, seat: int) -> list[Relation]:
    asked = [one.relation for one in generator.known.values() if one.relation.options]
    _stream(generator, seed, "questions").shuffle(asked)
    return asked[seat::splits] if generator.setting != "supervised" else []


def _foreign(
    generator: Analogy, relation: Relation, every: dict[str, list[list[Pair]]], seat: int
) -> list[Pair]:
    """Tuples of other relations between words of the same types."""
    if "cross" not in generator.probes:
        return []
    return [
        pair
        for name, parts in every.items()
        for other in [generator.known[name].relation]
        if other.kind != relation.kind and other.types and other.types == relation.types
        for pair in parts[seat]
    ]
