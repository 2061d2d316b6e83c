"""Siblings: a story told again with one thing changed, and all else as it was."""

import re
from typing import TYPE_CHECKING, Any, get_args

from ....errors import CheckFailed, Infeasible
from ....example import Example
from ....kb.worlds.scene import mirrored
from ....kb.worlds.stories import DATED
from ....seed import Stream
from ..planning.planner import Inquiry, Plot
from ..realizing.names import Deck
from ..realizing.plain import barely, plainly
from ..values import Change

if TYPE_CHECKING:
    from ..rows import Rows

CHANGES: tuple[Change, ...] = get_args(Change)

_TRIES = 50


class Siblings:
    """Makes the groups of a block: each story, and then the same with this or that changed."""

    def __init__(self, rows: "Rows") -> None:
        self.rows, self.teller = rows, rows.teller
        self.options, self.block = rows.options, rows.block
        self.changes: tuple[Change, ...] = rows.options.siblings
        self.deck = Deck(self.teller.pool, self.block.stream("sibling-names"))
        self.words, self.order = (
            self.block.stream(f"sibling-{purpose}") for purpose in ("words", "order")
        )

    def group(self, number: int) -> list[Example]:
        """The rows about a story, of those that begin in the block."""
        told, x, y = self.rows.story(number)
        shown = {told.names[y]} | ({told.names[x]} if "inverse" in self.changes else set())
        self._ready(told, shown if self.teller.shows_gender else set(), number)
        story = self._quiet(told) if "noise" in self.changes else told
        first = (self.rows.plots.begun.start + number) * (1 + len(self.changes))
        examples = [self.rows.row(first, story, x, y, 0)]
        for change in self.changes:
            question = 0
            if change == "words":
                other = self._other_words(story, shown)
            elif change == "names":
                other = self._other_names(story)
            elif change == "order":
                other = self._other_order(story)
            elif change == "noise":
                other = told
            elif change == "inverse":
                other, question = self._turned(story), 1
            else:
                other = self._other_gender(story, shown, number)
            examples.append(self.rows.row(first + len(examples), other, x, y, question))
        for place, example in enumerate(examples):
            example.metadata["group"] = examples[0].id
            example.metadata["change"] = "" if place == 0 else self.changes[place - 1]
        return examples

    def _ready(self, story: Any, hidden: set[str], number: int) -> None:
        """See that the story has an order, and words that can be said of the other gender."""
        lines = _lines(story)
        if "gender" in self.changes:
            # What is said beside the facts is said of this gender.
            lines = [line for line in lines if line[1]]
        core = _core(story, lines)
        if "order" in self.changes and len(core) < 2:
            single = [("", [n], "") for n in range(story.plot.core)]
            noise = [line for line in lines if line not in core]
            lines = self._retold(story, single, hidden, set()) + noise
        if "gender" in self.changes and self.teller.stitcher:
            again = self._again(story, lines, hidden.copy(), number)
            for _ in range(_TRIES):
                if again is not None:
                    break
                lines = self._retold(story, lines, hidden, set())
                again = self._again(story, lines, hidden.copy(), number)
            if again is None:
                raise CheckFailed("no sentences show the genders that the answers need")
            lines = again
        self._put(story, lines)

    def _put(self, story: Any, lines: list["_Line"]) -> None:
        """Make these the story's sentences."""
        opening = self.teller.opening(story.genders)
        story.texts = opening + [text for text, _, _ in lines]
        story.states = [numbers for _, numbers, _ in lines]
        story.templates = [template for _, _, template in lines]
        start = len(opening) + sum(map(len, opening))
        story.starts = [start]
        for text, _, _ in lines:
            start += len(text) + 1
            story.starts.append(start)

    def _retold(
        self, story: Any, lines: list["_Line"], hidden: set[str], told: set[str]
    ) -> list["_Line"]:
        """The same stretches of facts in other words, which show these genders."""
        rows = self.rows
        for _ in range(_TRIES):
            left, used, new = hidden.copy(), told.copy(), list[_Line]()
            for _, numbers, template in lines:
                if not numbers:
                    continue  # it states nothing
                if template.startswith(DATED):
                    said, name = self.teller.dated(story, numbers[0], self.words)
                    new.append((said, numbers, name))
                    continue
                people = _people(story.plot, numbers)
                names = [story.names[person] for person in people]
                if self.teller.stitcher:
                    path = _path(rows, story, people, numbers)
                    some = self.teller.stitcher.along(names, path, self.words, 0, left, used)
                else:
                    facts = [story.told[n] for n in numbers]
                    left.clear()
                    bare = rows.options.style == "facts"
                    some = barely(facts, 0) if bare else plainly(rows.stories, facts, 0, self.words)
                new += [
                    (line.text, numbers[line.first : line.last + 1], line.template) for line in some
                ]
            if "gender" in self.changes:
                new = [line for line in new if line[1]]
            if not left or not self.teller.must_show:
                return new
        raise CheckFailed(f"no sentences show the gender of {min(left)!r}")

    def _again(
        self, story: Any, lines: list["_Line"], hidden: set[str], number: int
    ) -> list["_Line"] | None:
        """The same templates, filled in by chances of their own; None where a gender is hidden."""
        assert self.teller.stitcher
        new: list[_Line] = []
        for place, (_, numbers, template) in enumerate(lines):
            people = _people(story.plot, numbers)
            names = [story.names[person] for person in people]
            whose = (self.block.generator, self.block.version, self.block.seed, self.block.split)
            stream = Stream(*whose, self.block.index, "fill", number, place)
            path = _path(self.rows, story, people, numbers)
            line = self.teller.stitcher.again(template, names, path, stream, hidden)
            if line is None:
                some = self.teller.stitcher.along(names, path, self.words, 0, hidden, set())
                new += [
                    (each.text, numbers[each.first : each.last + 1], each.template) for each in some
                ]
            else:
                new.append((line.text, numbers, template))
        return None if hidden and self.teller.must_show else [line for line in new if line[1]]

    def _copy(self, story: Any, **changed: Any) -> Any:
        plot, gender = changed.get("plot", story.plot), changed.get("gender", story.gender)
        other = type(story)(plot, gender, changed.get("names", story.names))
        for name in ("told", "genders", "texts", "starts", "states", "templates"):
            setattr(other, name, changed.get(name, getattr(story, name)))
        return other

    def _quiet(self, story: Any) -> Any:
        quiet = _quiet(story)
        self._put(quiet, _core(story, _lines(story)))
        return quiet

    def _other_words(self, story: Any, shown: set[str]) -> Any:
        hidden = shown if self.teller.shows_gender else set()
        before = {text for text, numbers, _ in _lines(story) if numbers}
        best: list[_Line] = []
        for _ in range(_TRIES):
            best = self._retold(story, _lines(story), hidden, set(story.templates))
            if not before & {text for text, _, _ in best}:
                break
        if before == {text for text, numbers, _ in best if numbers}:
            raise Infeasible("there are no other words for a story; use another --style")
        other = self._copy(story)
        self._put(other, best)
        return other

    def _names(self, gender: list[int], core: int, taken: list[str]) -> list[str]:
        """Names for all that nobody had before, and that this split may use."""
        gender = [0] * len(gender) if self.teller.anonymous else gender
        for _ in range(_TRIES * 2 * self.teller.splits):
            names = self.deck.draw(gender, taken)
            if self.block.owns(" ".join(sorted(names[:core]))):
                return names
        raise Infeasible("names: too few for siblings with other names; give more names")

    def _other_names(self, story: Any) -> Any:
        names = self._names(story.gender, story.plot.core + 1, story.names)
        new = dict(zip(story.names, names, strict=True))
        other = self._copy(
            story,
            names=names,
            told=[[new[x], word, new[y]] for x, word, y in story.told],
            genders=[[new[name], gender] for name, gender in story.genders],
        )
        self._put(other, [(_renamed(text, new), ns, t) for text, ns, t in _lines(story)])
        return other

    def _other_order(self, story: Any) -> Any:
        lines = _lines(story)
        shuffled = lines.copy()
        while shuffled == lines:
            self.order.shuffle(shuffled)
        other = self._copy(story)
        self._put(other, shuffled)
        return other

    def _turned(self, story: Any) -> Any:
        """The same story, to be asked the other way round."""
        plot, rules = story.plot, self.rows.rules
        first: Inquiry = plot.inquiries[0]
        inverse, k, told = rules.inverse, plot.k, len(plot.facts)

        def turned(number: int) -> int:
            return k - 1 - number if number < k else number

        clause = tuple(inverse[rules.number[name]] for name in reversed(first.clause))
        answer = inverse[first.predicate]
        second = Inquiry(
            first.people[::-1],
            [*range(k - 1, -1, -1), *range(k, told)],
            answer,
            [rules.predicates[predicate] for predicate in clause],
            [
                (turned(after), turned(before), y, inverse[head], x)
                for before, after, x, head, y in first.steps
            ],
            first.depth,
            rules.proofs(clause).get(answer, 0),
        )
        both = [first, second]
        return self._copy(story, plot=Plot(plot.gender, plot.facts, k, plot.core, plot.noise, both))

    def _other_gender(self, story: Any, shown: set[str], number: int) -> Any:
        rows, plot = self.rows, story.plot
        gender = mirrored(story.gender)
        names = self._names(gender, plot.core + 1, story.names)
        new = dict(zip(story.names, names, strict=True))
        gender_of = dict(zip(names, gender, strict=True))
        number_of, meanings = rows.rules.number, rows.asking.world.meanings
        told = [
            [new[x], rows.words[number_of[meanings[word][0]]][gender_of[new[y]]], new[y]]
            for x, word, y in story.told
        ]
        other = self._copy(
            story,
            gender=gender,
            names=names,
            told=told,
            genders=self.teller.genders_of(names, gender),
        )
        lines = _lines(story)
        if self.teller.stitcher:
            hidden = {new[name] for name in shown} if self.teller.shows_gender else set()
            retold = self._again(other, lines, hidden.copy(), number)
            if retold is None:
                retold = self._retold(other, lines, hidden, set())
        elif self.options.style == "facts":
            retold = [(f"({', '.join(told[n[0]])})", n, template) for _, n, template in lines]
        else:
            retold = [(_plain(rows, template, told[n[0]]), n, template) for _, n, template in lines]
        self._put(other, retold)
        return other


_Line = tuple[str, list[int], str]
"""A text, the numbers of the facts it states, and its template."""


def _lines(story: Any) -> list[_Line]:
    texts = story.texts[len(story.texts) - len(story.states) :]
    return list(zip(texts, story.states, story.templates, strict=True))


def _core(story: Any, lines: list[_Line]) -> list[_Line]:
    """Those lines that say nothing of the noise, nor of anybody who is in it alone."""
    strangers = story.names[story.plot.core + 1 :]
    return [
        line
        for line in lines
        if all(number < story.plot.core for number in line[1])
        and not any(_names(line[0], name) for name in strangers)
    ]


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w@-]){re.escape(name)}(?![\w-])", text) is not None


def _plain(rows: "Rows", template: str, fact: list[str]) -> str:
    """A fact by one of the plain sentences."""
    x, word, y = fact
    text = rows.stories.plain[int(template.removeprefix("plain-"))]
    article = "an" if word[0] in "aeiou" else "a"
    return text.format(x=x, y=y, word=word, a=article)


def _people(plot: Plot, numbers: list[int]) -> list[int]:
    """Those along some facts, in their order."""
    (x, _, y), *rest = [plot.facts[n] for n in numbers]
    people = [y, x] if rest and x in (rest[0][0], rest[0][2]) else [x, y]
    for a, _, b in rest:
        people.append(b if a == people[-1] else a)
    return people


def _path(
    rows: "Rows", story: Any, people: list[int], numbers: list[int]
) -> tuple[str | None, ...]:
    """Genders and predicates in turn, as the stitcher wants them."""
    rules, path = rows.rules, [rows.teller.genders[story.gender[people[0]]]]
    for n, number in enumerate(numbers):
        x, predicate, _ = story.plot.facts[number]
        predicate = predicate if x == people[n] else rules.inverse[predicate]
        path += [rules.predicates[predicate], rows.teller.genders[story.gender[people[n + 1]]]]
    return tuple(path)


def _renamed(text: str, names: dict[str, str]) -> str:
    """The text with other names in the places of these."""
    longest = sorted(names, key=len, reverse=True)
    pattern = rf"(?<![\w@-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])"
    return re.sub(pattern, lambda match: names[match[0]], text)


def _quiet(story: Any) -> Any:
    """The story without its noise, of which nothing is said yet."""
    plot: Plot = story.plot
    core, less = plot.core, len(plot.facts) - plot.core
    first = plot.inquiries[0]

    def number(n: int) -> int:
        return n if n < plot.k else n - less

    inquiry = Inquiry(
        first.people,
        list(range(core)),
        first.predicate,
        first.clause,
        [(number(one), number(two), a, b, c) for one, two, a, b, c in first.steps],
        first.depth,
        first.proofs,
    )
    people = core + 1
    quiet = type(story)(
        Plot(plot.gender[:people], plot.facts[:core], plot.k, core, [], [inquiry]),
        story.gender[:people],
        story.names[:people],
    )
    quiet.told, quiet.genders = story.told[:core], story.genders[:people]
    return quiet
