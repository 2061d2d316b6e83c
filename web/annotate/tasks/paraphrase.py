"""Paraphrases of facts by people, checked by other people."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, product
from typing import Any, ClassVar

from ....example import Example
from ....generators.clutrr.output.graph import forward_chain
from ....kb.lexicon import english
from ....kb.worlds.world import World, find_world
from ....seed import Stream
from ....templates.bank import MAX_FACTS, find_bank
from ..task import (
    AnnotationTask,
    Answer,
    AnsweredItem,
    Choice,
    FreeText,
    Item,
    Outcome,
    Passage,
    Sheet,
)

_TEXT, _ANSWER = "text", "answer"
_WRITE, _JUDGE = "write", "judge"
_UNDETERMINED = "the text does not say"
_MAX_CHARACTERS = 600
_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_SENTENCE_START = re.compile(r"""(?:^|[.!?:]['")]*\s+)['"(]*$""")
_POSSESSIVE = re.compile(r"'s?$")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_ENDINGS = ("ly", "ing")
_TITLES = frozenset("I I'm I'd I'll I've Mr Mrs Ms Dr".split())

Fact = tuple[str, str, str]


class ParaphraseTask(AnnotationTask):
    """Facts paraphrased by people and checked by others. Into gen clutrr --paraphrases."""

    name: ClassVar[str] = "paraphrase"
    title: ClassVar[str] = "Families, in your own words"
    people: ClassVar[int] = 1
    generators: ClassVar[tuple[str, ...]] = ("clutrr",)
    stages: ClassVar[Mapping[str, str]] = {_WRITE: "texts", _JUDGE: "judgements"}
    instructions: ClassVar[tuple[str, ...]] = (
        "Some facts about a family are drawn and listed. Tell them in one to three sentences of "
        "your own, as if in a story: something happens, and a reader learns who is whose what.",
        "Name everybody who is named there, and nobody else. Tell all of the facts and no other "
        "relation, age or death. Do not copy the wording of the facts.",
        "At other times you are shown a text that another wrote. Answer the question from that "
        "text alone.",
    )

    def items(self, rows: Iterable[tuple[str, Example]]) -> Iterator[Item]:
        """Yield every single fact that stories need, and the short chains of rows."""
        listed = [row for _, row in rows if row.metadata["genders"]]
        world = find_world("kinship")
        choices = sorted(world.meanings)
        people: dict[str, list[str]] = {}
        for row in listed:
            for name, gender in row.metadata["genders"]:
                people.setdefault(gender, []).append(name)
        people = {gender: sorted(set(names)) for gender, names in people.items()}
        if all(len(people.get(gender, ())) > 1 for gender in world.genders):
            yield from self._single_facts(world, people, choices)
        for row in listed:
            if row.metadata["k"] <= MAX_FACTS and row.metadata["task"] == "reasoning":
                facts = [tuple(fact) for fact in forward_chain(row.metadata, world)]
                query = tuple(row.metadata["query"])
                ends = facts[0][0], facts[-1][2]
                if query == ends and row.target in choices:
                    genders = dict(row.metadata["genders"])
                    yield self._item(row.id, facts, genders, row.target, choices)

    def _single_facts(
        self, world: World, people: Mapping[str, Sequence[str]], choices: list[str]
    ) -> Iterator[Item]:
        opposite = find_bank("kinship").header.opposite
        for name, predicate in world.predicates.items():
            for x_gender, y_gender in product(world.genders, repeat=2):
                if name in opposite and x_gender == y_gender:
                    continue
                relation = predicate.word(y_gender)
                stream = Stream("paraphrase", relation, x_gender, y_gender)
                x = stream.choice(people[x_gender])
                y = stream.choice([other for other in people[y_gender] if other != x])
                genders = {x: x_gender, y: y_gender}
                facts = [(x, relation, y)]
                yield self._item(f"{relation}-of-{x_gender}", facts, genders, relation, choices)

    def _item(
        self,
        name: str,
        facts: Sequence[tuple[str, ...]],
        genders: Mapping[str, str],
        answer: str,
        choices: list[str],
    ) -> Item:
        names = [facts[0][0], *(fact[2] for fact in facts)]
        hidden = {
            "genders": [genders[person] for person in names],
            "relations": [fact[1] for fact in facts],
            "answer": answer,
            "choices": choices,
        }
        shown = {"facts": [list(fact) for fact in facts], "names": names}
        return Item(name, shown, hidden, stage=_WRITE)

    def sheet(self, item: Item) -> Sheet:
        """Return facts to paraphrase, or a text with a question."""
        shown = item.shown
        if item.stage == _JUDGE:
            x, y = shown["query"]
            options = tuple((choice, choice) for choice in [*shown["choices"], _UNDETERMINED])
            field = Choice(_ANSWER, f"{y} is {x}'s ...", options)
            heading = f"How is {y} related to {x}?"
            return Sheet(heading, (field,), (Passage(shown["text"], "What somebody wrote"),))
        words = tuple(shown["names"])
        writing = FreeText(_TEXT, "In your own words", lines=5, most=_MAX_CHARACTERS, words=words)
        facts = tuple((x, relation, y) for x, relation, y in shown["facts"])
        return Sheet("Tell this in your own words", (writing,), facts=facts)

    def errors(self, item: Item, answer: Answer) -> dict[str, str]:
        """Check that the text names all given people and nobody else."""
        if item.stage == _JUDGE:
            return {}
        said = name_faults(answer[_TEXT], item.shown["names"])
        return {_TEXT: " ".join(said)} if said else {}

    def outcome(self, item: Item, answer: Answer) -> Outcome:
        """Have a text judged by somebody else; request another if it was not understood."""
        if item.stage == _JUDGE:
            assert item.expected is not None
            return Outcome(retry=answer[_ANSWER] != item.expected[_ANSWER])
        names, hidden = item.shown["names"], item.hidden
        text = _plain(answer[_TEXT])
        shown = {"text": text, "query": [names[0], names[-1]], "choices": hidden["choices"]}
        expected = {_ANSWER: hidden["answer"]}
        return Outcome((Item(item.key, shown, {}, expected, _JUDGE, people=1),))

    def votes(self, item: Item, answer: Answer) -> Iterator[tuple[str, str]]:
        """Yield judgements only, because texts differ."""
        if item.stage == _JUDGE:
            yield item.key, answer[_ANSWER]

    def files(self, answered: Sequence[AnsweredItem]) -> dict[str, bytes]:
        """Return the texts that were understood, as a sentence bank in CLUTRR's format."""
        understood = {
            each.source
            for each in answered
            if each.item.stage == _JUDGE and each.answer == each.item.expected
        }
        doubted = {
            each.source
            for each in answered
            if each.item.stage == _JUDGE and each.answer != each.item.expected
        }
        bank: dict[str, dict[str, list[str]]] = {}
        for each in answered:
            if each.item.stage == _WRITE and each.id in understood - doubted:
                hidden = each.item.hidden
                relations, genders = "-".join(hidden["relations"]), "-".join(hidden["genders"])
                sentences = bank.setdefault(relations, {}).setdefault(genders, [])
                frame = _frame(each.answer[_TEXT], each.item.shown["names"], hidden["genders"])
                if frame not in sentences:
                    sentences.append(frame)
        return {"paraphrases.json": _json(bank)}


def name_faults(text: str, names: Sequence[str]) -> list[str]:
    """Return messages about missing and additional names in a text."""
    text = _plain(text)
    missing = [name for name in names if not _name_pattern(name).search(text)]
    theirs = {part for name in names for part in name.split()}
    others = [name for name in _names_in(text) if name not in theirs]
    said = []
    if missing:
        said.append(f"Not named yet: {', '.join(missing)}.")
    if others:
        listed = ", ".join(dict.fromkeys(others))
        said.append(f"No other name may be there: {listed}. If that is none, use another word.")
    return said


def _names_in(text: str) -> Iterator[str]:
    """Yield known first names, and capitalized words outside the vocabulary.

    An unknown word at the start of a sentence counts as a name, because an undetected name would
    occur in every story.
    """
    names, words = _known_words()
    for found in _WORD.finditer(text):
        name = _POSSESSIVE.sub("", found[0])
        opens = _SENTENCE_START.search(text[: found.start()])
        adverb = opens and name.endswith(_ENDINGS)
        if name in names or (
            name[:1].isupper() and name not in _TITLES and not adverb and name.lower() not in words
        ):
            yield name


@cache
def _known_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return known first names, and lower-case words that are not names."""
    stories = find_world("kinship").stories
    assert stories is not None
    words = find_bank("kinship").vocabulary | english.words("stop")
    return frozenset(chain.from_iterable(stories.names)), words


def _plain(text: str) -> str:
    """Return a text on one line with straight quotes."""
    return " ".join(text.translate(_QUOTES).split())


def _name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")


def _frame(text: str, names: Sequence[str], genders: Sequence[str]) -> str:
    """Return the text with slots for names."""
    slots = {
        name: f"ENT_{n}_{gender}"
        for n, (name, gender) in enumerate(zip(names, genders, strict=True))
    }
    longest = sorted(slots, key=len, reverse=True)
    every = re.compile("|".join(_name_pattern(name).pattern for name in longest))
    return every.sub(lambda found: slots[found[0]], _plain(text))


def _json(bank: Mapping[str, Any]) -> bytes:
    return (json.dumps(bank, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
