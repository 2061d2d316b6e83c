"""The clutrr generator: its options with the methods that every generator has."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import BaseModel, model_validator

from ...block import ENGLISH, Block
from ...capabilities import (
    Cells,
    Documentation,
    Drawings,
    Groups,
    HoldOuts,
    LabelledSteps,
    Prompts,
    Reasoning,
    Source,
)
from ...end_facts import Features
from ...errors import InvalidOption, InvalidWorld
from ...example import Example
from ...generator import Generator, Preset
from ...splits import TRAIN
from ...storage.files import digest
from ...view import Step, View
from .metadata import Metadata, end_facts, row_language, stated_facts
from .options import LANGUAGE_SIBLINGS, SHIPPED, StoryOptions
from .output.presets import CELL_LENGTHS, CELL_NOISE, PRESETS

# Modules that make and judge rows are imported where they are used, to keep --help quick.
if TYPE_CHECKING:
    import networkx

    from ...scoring.answers import AnswerKey, Score
    from ...scoring.steps import JudgedSteps


class Clutrr(
    StoryOptions,
    Generator,
    Prompts,
    Reasoning,
    Groups,
    HoldOuts,
    Cells,
    Drawings,
    Documentation,
):
    """Stories in rule worlds (kinship, work, space, time, ordering): what follows from k facts?

    A random family is grown, a relation in it is drawn, and backward chaining resolves it into k
    facts that lead from one person to the other and visit nobody twice. Side facts allow for other
    queries, so that the question must be read. The answer, and no other, holds in every family in
    which the story's facts hold, and no fewer than k facts of the story entail it.
    """

    name: ClassVar[str] = "clutrr"
    version: ClassVar[int] = 4
    rows_per_block: ClassVar[int] = 32
    citation: ClassVar[str] = (
        "Sinha et al., CLUTRR: A Diagnostic Benchmark for Inductive Reasoning from Text, EMNLP 2019"
    )
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    Metadata: ClassVar[type[BaseModel]] = Metadata

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        from .option_checks import check_options

        check_options(self)
        return self

    def rows(self, block: Block) -> Iterator[Example]:
        """Yield the rows of a block; they share a scene, with other names in each row."""
        from .siblings.perturbation import rows_of_block

        return rows_of_block(self, block)

    def replay(self, example: Example) -> list[str]:
        """Check the proof step by step, from the facts to the answer."""
        from .judging.replay import replay

        world = self.in_language_of(example.metadata).story_world
        return replay(example, world, self.rules)

    def problems(self, example: Example) -> list[str]:
        """Judge the answer without rules, the noise by the graph, the text by its sentences."""
        from .judging.judge import judge_row

        return [*judge_row(example, self), *self.replay(example)]

    def check_group(self, examples: list[Example]) -> list[str]:
        """Compare the siblings of a story, or the questions about it, with one another."""
        from .siblings.comparison import question_group_violations, sibling_violations

        if self.siblings:
            return sibling_violations(examples, self)
        return question_group_violations(examples) if self.questions > 1 else []

    @classmethod
    def equivalent_answer(
        cls, options: Mapping[str, object], first: Example, other: Example, answer: str
    ) -> str:
        """Return the answer to a sibling that is equivalent to one to the first of its group."""
        from .siblings.comparison import equivalent_answer

        return equivalent_answer(first, other, answer)

    @classmethod
    def languages(cls, options: Mapping[str, object]) -> list[str]:
        """Return the language of the stories, and those of siblings in other languages."""
        siblings = options.get("siblings")
        others = siblings if isinstance(siblings, list) else ()
        first = str(options.get("language", ENGLISH))
        return [first, *(code for code in others if code in LANGUAGE_SIBLINGS)]

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Return how answers to a row are scored."""
        from .asking.answers import answer_key

        return answer_key(row)

    @classmethod
    def english_key(cls, row: Example) -> "AnswerKey":
        """Return how answers are scored that may be in English, whatever the row's language."""
        from .asking.answers import english_key

        return english_key(row)

    @classmethod
    def preface(cls, row: Example) -> str:
        """Return conventions of the world and possible answers, unless the row has them."""
        from .asking.answers import conventions

        return conventions(row)

    @classmethod
    def judge_steps(cls, row: Example, text: str, score: "Score") -> "JudgedSteps | None":
        """Judge each claim that a text makes about the story; None for those about a derivation."""
        from ...kb.worlds.languages import find_language
        from .reasoning.judging import judge_steps

        is_read = "judged-steps" in find_language(row_language(row)).texts.features
        is_derivation = row.metadata["task"] == "verify-steps"
        return judge_steps(row, text, score) if is_read and not is_derivation else None

    @classmethod
    def labelled_steps(cls, row: Example) -> LabelledSteps | None:
        """Return the steps of a derivation; all but the wrong one are right."""
        from .asking.derivation import labelled_steps

        return labelled_steps(row)

    @classmethod
    def end_facts(cls, row: Example) -> Features:
        """Return features of the facts that mention the two people of the query."""
        return end_facts(row)

    @classmethod
    def graph(cls, example: Example) -> "networkx.MultiDiGraph[str]":
        """Return the people and facts of a story as a graph, noise included."""
        from .output.graph import graph

        return graph(example)

    @classmethod
    def view(cls, example: Example) -> View:
        """Return the facts drawn and marked in the text, and the proof step by step."""
        from .output.view import view

        return view(example)

    @classmethod
    def steps(cls, example: Example) -> list[Step]:
        """Return the steps of the proof in words."""
        from .output.view import steps

        return steps(example)

    @classmethod
    def measures(cls, rows: Iterable[Example], train: Iterable[Example] = ()) -> dict[str, float]:
        """Return the accuracy of guessing without the question, and from the end facts alone."""
        from .output.ceiling import measures

        return measures(rows, train)

    def cells(self) -> Sequence[Mapping[str, object]]:
        """Return lengths of chains with kinds of noise; k stays if train has its own."""
        lengths = [{"k": k} for k in CELL_LENGTHS] if self.train_k is None else [{}]
        return [{**length, "noise": noise} for length in lengths for noise in CELL_NOISE]

    def sources(self) -> list[Source]:
        """Return the file of names, where they are not our own."""
        if self.names == SHIPPED:
            return []
        file = Path(self.names)
        return [Source(name=file.name, version="names", digest=digest(file))]

    def caveats(self) -> list[str]:
        """Return what end facts reveal, and relations that are never an answer or never stated."""
        from .output.ceiling import end_fact_caveats
        from .planning.feasibility import rules_of

        try:
            rules = rules_of(self.world, self.rules)
        except InvalidWorld:  # not for stories; refused when it is chosen
            return []
        every, place = set(range(len(rules.predicates))), f"--world {self.world} --rules"
        return end_fact_caveats(self) + [
            f"{place} {self.rules}: {self._words_for(every - used)} {what}"
            for task, used, what in (
                ("reasoning", rules.head_predicates, "are never an answer"),
                (
                    "memory",
                    rules.body_predicates,
                    "are never stated in the chain, so never the answer to a memory question",
                ),
            )
            if every - used and self.task in (task, "mixed")
        ]

    def notes(self) -> list[str]:
        """Return the relations that stories of some length cannot ask for with these options."""
        from .planning.feasibility import possible_answers, rules_of

        heads = rules_of(self.world, self.rules).head_predicates
        missing = {k: heads - possible_answers(self, k) for k in self.all_lengths}
        return [
            f"no story of {k} facts has the answer {self._words_for(predicates)}"
            for k, predicates in missing.items()
            if predicates
        ]

    def _words_for(self, predicates: Collection[int]) -> str:
        """Return the words for some predicates, each once."""
        words = self.story_world.words
        return ", ".join(dict.fromkeys(word for p in sorted(predicates) for word in words[p]))

    def held_out_values(self, seed: int, splits: tuple[str, ...] = ()) -> dict[str, list[str]]:
        """Return what is held out of the split train, as the manifest lists it."""
        from .planning.feasibility import held_out

        held = held_out(self, self.name, self.version, seed).listed()
        longer = set(self.k) - set(self.lengths(TRAIN))
        return held | ({"k": list(map(str, sorted(longer)))} if longer else {})

    def used_values(self, example: Example) -> dict[str, list[str]]:
        """Return what a row has of the things that can be held out."""
        from ...kb.worlds.stories import DATED_PREFIX
        from ...templates.frame import CLOSING, OPENING
        from .judging.replay import is_undetermined
        from .planning.holdout import format_clause

        metadata, lengths = example.metadata, set(self.lengths(TRAIN))
        # Clauses of two facts are never held out, and undetermined rows have none.
        has_clause = metadata["k"] in lengths - {2} and not is_undetermined(example)
        return {
            # Sentences with times, openings and closings are never held out.
            "templates": [
                template
                for template in metadata["templates"]
                if not re.match(rf"{DATED_PREFIX}|.*-({OPENING}|{CLOSING})-\d", template)
            ],
            "clauses": [format_clause(metadata["clause"])] if has_clause else [],
            "names": list({name for x, _, y in stated_facts(metadata) for name in (x, y)}),
            "k": [str(metadata["k"])] if metadata["k"] not in lengths else [],
        }

    def check_splits(self, splits: tuple[str, ...]) -> None:
        """Refuse to hold something out where there is no other split."""
        from .planning.holdout import check_splits

        held = [f"--hold-out: '{','.join(self.hold_out)}'"] if self.hold_out != ("none",) else []
        held += [f"--train-k: '{self.train_k}'"] if self.train_k else []
        if held and len(splits) < 2:
            raise InvalidOption(
                f"{self.name}: {held[0]} has no effect without a split other than {splits[0]!r}; "
                f"write for example --split train=5000,test=100"
            )
        if held:
            check_splits(splits)
