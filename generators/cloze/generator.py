"""The generator: pairs, whitelist, selection and form put together."""

from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, model_validator

from ...block import Block
from ...errors import Infeasible, InvalidInput
from ...example import Example
from ...generator import Generator, Source
from ...options import Listed
from ...seed import Deal, Stream
from . import selection
from .blanks import Blanker, Phrases, Unit, phrases_of
from .corpus import Corpus, Group, Pair, open_corpus
from .distractors import Distractors
from .forms import BETWEEN, Form, question, shown
from .index import Index, build_index
from .judgement import judgement
from .metadata import Metadata
from .novelty import Novelty
from .selection import Select
from .surprisal import CausalModel, Counts, Model, fold, model_digest
from .whitelist import Whitelist, read_whitelist

_SAMPLE = 4000
"""So many pairs, evenly over the corpus, are counted for surprisal."""

PROFILES: dict[str, dict[str, object]] = {
    "default": {},
    "kidscook": {
        "novelty": "surface",
        "phrases": "runs",
        "select": "longest",
        "visible": True,
        "cap": 1.0,
        "order": "file",
        "difficulty": False,
    },
}


class Cloze(Generator):
    """Cloze tests: which words does a concrete text add to its abstract?

    Pairs of a short instruction and its detailed version are read from a file, or from a corpus
    of our own. Words of the detailed version that are on the whitelist and not in the short one
    are blanked. No answer stands elsewhere in the text, none is asked for time and again, and
    where a row has more candidates than blanks, the choice does not depend on the alphabet;
    `--profile kidscook` blanks exactly as the KidsCook corpus did.
    """

    name: ClassVar[str] = "cloze"
    version: ClassVar[int] = 1
    citation: ClassVar[str] = (
        "Bisk et al., Benchmarking Hierarchical Script Knowledge, NAACL 2019"
    )
    Metadata: ClassVar[type[BaseModel]] = Metadata
    exhaustive: ClassVar[bool] = True

    input: str | None = Field(
        None, description="file of pairs, .jsonl, .csv or .tsv; our own corpus where none is given"
    )
    fields: Listed[str] = Field(
        (), description="names of the two fields; abstract,concrete or headline,text are found"
    )
    group: str | None = Field(
        None, description="field that neighbouring pairs of one abstract share; else the abstract"
    )
    strict: bool = Field(False, description="stop at the first bad line")
    profile: Literal["default", "kidscook"] = Field(
        "default", description="kidscook sets the options below as the paper's corpus has them"
    )
    whitelist: str | None = Field(
        None, description="words that may be blanked: from gen cloze-whitelist, or a plain list"
    )
    novelty: Novelty = Field(
        "lemma", description="not in the abstract by base form, spaCy's look-up, or as it stands"
    )
    phrases: Phrases = Field(
        "npmi", description="blank collocations, runs of candidates, or single words"
    )
    select: Select = Field("random", description="which candidates, where there are too many")
    most: int = Field(5, ge=1, le=64, description="most different answers in a row")
    visible: bool = Field(False, description="allow answers that stand elsewhere in the text")
    cap: float = Field(
        0.05, gt=0, le=1, description="one answer in at most this share of the corpus's pairs"
    )
    form: Form = Field(
        "all", description="all blanks, one a row, all with a word bank, or multiple choice"
    )
    distractors: int = Field(3, ge=1, le=9, description="wrong choices in multiple choice")
    lengths: bool = Field(True, description="show how many words a blank has")
    order: Literal["shuffled", "file"] = Field("shuffled", description="order of the rows")
    difficulty: bool = Field(True, description="measure how surprising the answers are")
    lm: str | None = Field(
        None, description="causal language model (folder or name) to measure surprisal by"
    )
    tagger: str = Field("en_core_web_sm", description="spaCy pipeline for --select pos")

    @model_validator(mode="before")
    @classmethod
    def _with_profile(cls, values: Any) -> Any:
        profile = values.get("profile", "default") if isinstance(values, dict) else None
        return {**PROFILES.get(str(profile), {}), **values} if profile else values

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.fields and len(self.fields) != 2:
            raise ValueError(
                f"fields: expected two names, such as headline,text, but got {self.fields}"
            )
        for option in ("fields", "group"):
            if getattr(self, option) and not self.input:
                raise ValueError(f"{option}: only for an --input, and there is none")
        if self.input and not self.whitelist:
            raise ValueError(
                f"whitelist: --input needs one; make it from your training pairs: "
                f"gen cloze-whitelist {self.input} --out whitelist.tsv"
            )
        for option in ("input", "whitelist"):
            path = getattr(self, option)
            if path and not Path(path).is_file():
                raise ValueError(f"{option}: there is no file {path!r}")
        return self

    @cached_property
    def _corpus(self) -> Corpus:
        return open_corpus(self.input, self.fields, self.group)

    @cached_property
    def _whitelist(self) -> Whitelist:
        return read_whitelist(self.whitelist)

    @cached_property
    def _blanker(self) -> Blanker:
        return Blanker(self._whitelist, self.novelty, self.phrases, self.visible)

    @cached_property
    def _distractors(self) -> Distractors:
        return Distractors(self._whitelist)

    @cached_property
    def _index(self) -> Index:
        index = build_index(
            self._corpus,
            self._blanker,
            most=self.most,
            cap=self.cap,
            single=self.form in ("one", "choice"),
            strict=self.strict,
            fits=self._has_distractors if self.form == "choice" else None,
        )
        if not len(index):
            first = f"; {index.bad.first[0]}" if index.bad.first else ""
            raise InvalidInput(
                f"{self._corpus.name}: none of its {index.pairs} pairs has a word to blank{first}"
            )
        return index

    def _has_distractors(self, pair: Pair, cluster: list[Unit]) -> bool:
        found = self._distractors.of(pair, cluster[0].phrase)
        return len(list(islice(found, self.distractors))) == self.distractors

    @cached_property
    def _group_starts(self) -> "array[int]":
        """Where groups start; only the judge asks."""
        return array("Q", (group.place for group in self._corpus.groups()))

    @cached_property
    def _shares(self) -> dict[int, list[Any]]:
        return {}

    def _share(self, splits: int) -> list[Sequence[int]]:
        """The rows of the index that belong to each of so many splits."""
        if splits == 1:
            return [range(len(self._index))]
        if splits not in self._shares:
            self._shares[splits] = self._index.shares(splits)
        return self._shares[splits]

    @cached_property
    def _counts(self) -> tuple[Counts, Counts]:
        """What each half of the corpus says about the other."""
        reader, index = _Reader(self._corpus), self._index
        halves: tuple[list[Pair], list[Pair]] = ([], [])
        last = None
        for row in range(0, len(index), -(-len(index) // _SAMPLE)):
            spot = index[row]
            if (spot.place, spot.member) != last:
                last = (spot.place, spot.member)
                halves[1 - fold(spot.place)].append(reader.group(spot.place).members[spot.member][1])
        return Counts(halves[0]), Counts(halves[1])

    def _model(self, place: int) -> Model:
        return CausalModel(self.lm) if self.lm else self._counts[fold(place)]

    def capacity(self, splits: int) -> int:
        """As many rows as the split with the fewest has."""
        return min(map(len, self._share(splits)))

    def sources(self) -> list[Source]:
        """The corpus, the whitelist, and what else had a say in the rows."""
        found = [Source(name="whitelist", version="1", digest=self._whitelist.digest)]
        if self.input:
            found.append(Source(name=self._corpus.name, version="1", digest=self._corpus.digest))
        if self.lm:
            name = Path(self.lm).name
            found.append(Source(name=name, version="1", digest=model_digest(self.lm)))
        if self.form == "choice":
            found.append(self._distractors.source())
        return found

    def remarks(self) -> list[str]:
        """What became of the pairs, and which lines were passed over."""
        index = self._index
        return [
            f"{self._corpus.name}: {index.kept} of {index.pairs} pairs have a word to blank, "
            f"{len(index)} rows in all",
            *index.bad.remarks(),
        ]

    def rows(self, block: Block) -> Iterator[Example]:
        """Every row of the block, from the pair it is dealt."""
        share = self._share(len(block.splits))[block.splits.index(block.split)]
        deal: Sequence[int] | Deal = range(len(share))
        if self.order == "shuffled":
            deal = Deal(len(share), self.name, self.version, block.seed, "order", block.split)
        reader = _Reader(self._corpus)
        for n, name in zip(block.numbers, block.ids, strict=True):
            if n >= len(share):
                raise Infeasible(f"{self._corpus.name} makes {len(share)} rows, and no row {n}")
            yield self._row(name, reader, share[deal[n]], block.seed)

    def _row(self, name: str, reader: "_Reader", row: int, seed: int) -> Example:
        index = self._index
        spot = index[row]
        group = reader.group(spot.place)
        source, pair = group.members[spot.member]
        units = self._chosen(pair, spot.place, spot.item, index.mask(row), seed)
        concrete = pair.concrete
        text, tokens, form = concrete.text, concrete.tokens, self.form
        blanks, spans, answers, counts, sizes = [], [], [], [], []
        counted = self._whitelist.novel
        for start, end, phrase in units:
            first, last = concrete.span(start, end)
            answer = text[first:last]
            blanks.append([start, end, answer])
            spans.append([first, last])
            answers.append(answer)
            counts.append([counted.get(word, 0) for word in phrase.split(" ")])
            sizes.append(end - start)
        alternatives = reader.alternatives(self._blanker, spot.member, units)
        difficulty = None
        if self.difficulty:
            bits = self._model(spot.place).bits(pair, units)
            difficulty = {
                "alone": [one.alone for one in bits],
                "with_abstract": [one.with_abstract for one in bits],
            }
        choices: list[str] = []
        if form == "choice":
            choices = self._choices(pair, units[0], answers[0], alternatives[0], seed, source)
        cloze = shown(text, spans, sizes, form, self.lengths)
        return Example(
            name,
            f"Short: {pair.abstract.text}\nIn detail: {cloze}\n{question(form, answers)}",
            choices,
            BETWEEN.join(answers),
            {
                "source": source,
                "group": spot.place,
                "abstract": pair.abstract.text,
                "concrete": text,
                "tokens": "given" if concrete.given else "words",
                "blanks": blanks,
                "spans": spans,
                "answers": answers,
                "alternatives": alternatives,
                "counts": counts,
                "leak": _leak(tokens, units),
                "difficulty": difficulty,
            },
        )

    def _chosen(self, pair: Pair, place: int, item: int, mask: int, seed: int) -> list[Unit]:
        units = self._blanker.units(pair)
        allowed = units if mask == -1 else [u for at, u in enumerate(units) if mask >> at & 1]
        single = self.form in ("one", "choice")
        if not single and len(phrases_of(allowed)) <= self.most:
            return allowed
        wanted = set(allowed)
        clusters = [
            cluster
            for cluster in self._blanker.clusters(pair, units)
            if cluster[0] in wanted
        ]
        clusters = self._ordered(clusters, pair, place, seed)
        if single:
            return [clusters[: self.most][item][0]]
        return selection.first(clusters, self.most)

    def _ordered(
        self, clusters: selection.Clusters, pair: Pair, place: int, seed: int
    ) -> selection.Clusters:
        if self.select == "longest":
            return selection.longest(clusters)
        score: selection.Score | None = None
        if self.select == "pmi":
            counts = self._counts[fold(place)]
            score = lambda pair, units: [counts.pmi(pair, unit) for unit in units]  # noqa: E731
        elif self.select == "surprisal":
            model = self._model(place)
            score = lambda pair, units: [bits.alone for bits in model.bits(pair, units)]  # noqa: E731
        elif self.select == "pos":
            score = selection.by_part_of_speech(self.tagger)
        return selection.ordered(clusters, score, pair, seed, place)

    def _choices(
        self, pair: Pair, unit: Unit, answer: str, alternatives: list[str], seed: int, source: int
    ) -> list[str]:
        stream = Stream(self.name, self.version, seed, "choices", source, unit.start)
        pool = list(self._distractors.of(pair, unit.phrase))
        apart = [word for word in pool if word not in alternatives]
        pool = apart if len(apart) >= self.distractors else pool
        if answer[:1].isupper():
            pool = [word[:1].upper() + word[1:] for word in pool]
        choices = [answer, *stream.sample(pool, self.distractors)]
        stream.shuffle(choices)
        return choices

    def replay(self, example: Example) -> list[str]:
        """The spans are those of the answers, one after another."""
        known = example.metadata
        text, last = known["concrete"], 0
        for (start, end), answer in zip(known["spans"], known["answers"], strict=True):
            if start < last or text[start:end] != answer or not answer:
                return [f"{answer!r} does not stand at characters {start} to {end}"]
            last = end
        return [] if last else ["nothing is blanked"]

    def problems(self, example: Example) -> list[str]:
        """Read the row back, restore the text, and look every answer up."""
        return [*self.replay(example), *judgement(self, example)]


def _leak(tokens: list[str], units: list[Unit]) -> float:
    """The share of units all of whose words are shown outside the blanks."""
    at, outside = 0, set[str]()
    for unit in units:
        outside.update(tokens[at : unit.start])
        at = unit.end
    outside.update(tokens[at:])
    leaks = sum(outside.issuperset(tokens[unit.start : unit.end]) for unit in units)
    return round(leaks / len(units), 3)


class _Reader:
    """Groups by their place; in order, the file is read straight on."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._groups: Iterator[Group] = iter(())
        self._last = Group(-1, [])
        self._contexts: list[dict[tuple[str, str], set[str]]] = []

    def group(self, place: int) -> Group:
        """The group that starts at the place."""
        if self._last.place == place:
            return self._last
        self._contexts = []
        if self._last.place < place:
            for self._last in islice(self._groups, _NEAR):
                if self._last.place == place:
                    return self._last
        self._groups = self._corpus.groups(place)
        self._last = next(self._groups, Group(-1, []))
        if self._last.place != place:
            raise InvalidInput(f"{self._corpus.name} was changed while it was read")
        return self._last

    def alternatives(self, blanker: Blanker, member: int, units: list[Unit]) -> list[list[str]]:
        """What other members of the group have between the same two neighbours."""
        members = self._last.members
        if len(members) == 1:
            return [[] for _ in units]
        if not self._contexts:
            self._contexts = [_contexts(blanker, pair) for _, pair in members]
        concrete = members[member][1].concrete
        found = []
        for unit in units:
            neighbours = _neighbours(concrete.lower, unit)
            others = set().union(*(context.get(neighbours, ()) for context in self._contexts))
            answer = " ".join(concrete.lower[unit.start : unit.end])
            found.append(sorted(others - {answer}))
        return found


_NEAR = 8


def _contexts(blanker: Blanker, pair: Pair) -> dict[tuple[str, str], set[str]]:
    tokens = pair.concrete.lower
    found: dict[tuple[str, str], set[str]] = {}
    for unit in blanker.units(pair):
        phrase = " ".join(tokens[unit.start : unit.end])
        found.setdefault(_neighbours(tokens, unit), set()).add(phrase)
    return found


def _neighbours(tokens: list[str], unit: Unit) -> tuple[str, str]:
    before = tokens[unit.start - 1] if unit.start else ""
    return before, tokens[unit.end] if unit.end < len(tokens) else ""
