"""Sentences for stories in people's own words, tried on other people."""

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
from ....templates.bank import LONGEST, find_bank
from ..task import Answer, Answered, Choice, Item, Outcome, Passage, Sheet, Task, Writing

_TEXT, _ANSWER = "text", "answer"
_WRITE, _JUDGE = "write", "judge"
_OPEN = "the text does not say"
_MOST = 600
_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_OPENS = re.compile(r"""(?:^|[.!?:]['")]*\s+)['"(]*$""")
_POSSESSIVE = re.compile(r"'s?$")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_ENDINGS = ("ly", "ing")
_TITLES = frozenset("I I'm I'd I'll I've Mr Mrs Ms Dr".split())

Fact = tuple[str, str, str]


class ParaphraseTask(Task):
    """Facts told in one's own words, and tried on another. Into gen clutrr --paraphrases."""

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
        """Each single fact that stories need, and the chain of every row that is short enough."""
        listed = [row for _, row in rows if row.metadata["genders"]]
        world = find_world("kinship")
        choices = sorted(world.meanings)
        people: dict[str, list[str]] = {}
        for row in listed:
            for name, gender in row.metadata["genders"]:
                people.setdefault(gender, []).append(name)
        people = {gender: sorted(set(names)) for gender, names in people.items()}
        if all(len(people.get(gender, ())) > 1 for gender in world.genders):
            yield from self._singles(world, people, choices)
        for row in listed:
            if row.metadata["k"] <= LONGEST and row.metadata["task"] == "reasoning":
                facts = [tuple(fact) for fact in forward_chain(row.metadata, world)]
                query = tuple(row.metadata["query"])
                ends = facts[0][0], facts[-1][2]
                if query == ends and row.target in choices:
                    genders = dict(row.metadata["genders"])
                    yield self._item(row.id, facts, genders, row.target, choices)

    def _singles(
        self, world: World, people: Mapping[str, Sequence[str]], choices: list[str]
    ) -> Iterator[Item]:
        opposite = find_bank("kinship").head.opposite
        for name, predicate in world.predicates.items():
            for kinds in product(world.genders, repeat=2):
                if name in opposite and kinds[0] == kinds[1]:
                    continue
                relation = predicate.word(kinds[1])
                stream = Stream("paraphrase", relation, *kinds)
                x = stream.choice(people[kinds[0]])
                y = stream.choice([other for other in people[kinds[1]] if other != x])
                fact = (x, relation, y)
                genders = {x: kinds[0], y: kinds[1]}
                yield self._item(f"{relation}-of-{kinds[0]}", [fact], genders, relation, choices)

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
        """Facts to be told, or a text with a question."""
        shown = item.shown
        if item.stage == _JUDGE:
            x, y = shown["query"]
            options = tuple((choice, choice) for choice in [*shown["choices"], _OPEN])
            field = Choice(_ANSWER, f"{y} is {x}'s ...", options)
            heading = f"How is {y} related to {x}?"
            return Sheet(heading, (field,), (Passage(shown["text"], "What somebody wrote"),))
        words = tuple(shown["names"])
        writing = Writing(_TEXT, "In your own words", lines=5, most=_MOST, words=words)
        facts = tuple((x, relation, y) for x, relation, y in shown["facts"])
        return Sheet("Tell this in your own words", (writing,), facts=facts)

    def complaints(self, item: Item, answer: Answer) -> dict[str, str]:
        """Everybody is named, and nobody else is."""
        if item.stage == _JUDGE:
            return {}
        said = name_faults(answer[_TEXT], item.shown["names"])
        return {_TEXT: " ".join(said)} if said else {}

    def outcome(self, item: Item, answer: Answer) -> Outcome:
        """A text is judged by another; one that was not understood is asked for again."""
        if item.stage == _JUDGE:
            assert item.expected is not None
            return Outcome(again=answer[_ANSWER] != item.expected[_ANSWER])
        names, hidden = item.shown["names"], item.hidden
        text = _plain(answer[_TEXT])
        shown = {"text": text, "query": [names[0], names[-1]], "choices": hidden["choices"]}
        expected = {_ANSWER: hidden["answer"]}
        return Outcome((Item(item.key, shown, {}, expected, _JUDGE, people=1),))

    def votes(self, item: Item, answer: Answer) -> Iterator[tuple[str, str]]:
        """Judgements only: no two texts are alike."""
        if item.stage == _JUDGE:
            yield item.key, answer[_ANSWER]

    def files(self, answered: Sequence[Answered]) -> dict[str, bytes]:
        """The texts that others understood, as a sentence bank in CLUTRR's format."""
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
    """Say which names are missing from a text, and which are too many."""
    text = _plain(text)
    missing = [name for name in names if not _place(name).search(text)]
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
    """What reads as a name: a first name that we know, or with a capital and no word that we know.

    Whoever opens a sentence with a word that is new to us is asked for another: a name that went
    unnoticed would be told in every story.
    """
    names, words = _known()
    for found in _WORD.finditer(text):
        name = _POSSESSIVE.sub("", found[0])
        opens = _OPENS.search(text[: found.start()])
        adverb = opens and name.endswith(_ENDINGS)
        if name in names or (
            name[:1].isupper() and name not in _TITLES and not adverb and name.lower() not in words
        ):
            yield name


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    """First names, and words that are known not to be names, in small letters."""
    stories = find_world("kinship").stories
    assert stories is not None
    words = find_bank("kinship").vocabulary | english.words("stop")
    return frozenset(chain.from_iterable(stories.names)), words


def _plain(text: str) -> str:
    """A text on one line, with the quotes that the bank has."""
    return " ".join(text.translate(_QUOTES).split())


def _place(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")


def _frame(text: str, names: Sequence[str], genders: Sequence[str]) -> str:
    """The text with a slot in place of each name."""
    slots = {
        name: f"ENT_{n}_{gender}"
        for n, (name, gender) in enumerate(zip(names, genders, strict=True))
    }
    longest = sorted(slots, key=len, reverse=True)
    every = re.compile("|".join(_place(name).pattern for name in longest))
    return every.sub(lambda found: slots[found[0]], _plain(text))


def _json(bank: Mapping[str, Any]) -> bytes:
    return (json.dumps(bank, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
