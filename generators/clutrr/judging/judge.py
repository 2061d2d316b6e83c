"""The judge of a kinship story: solves it without rules, and looks at graph and text."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from ....example import Example
from ....kb.worlds.fact import Fact
from ....kb.worlds.stories import DATED, Reckoned, Stories
from ....kb.worlds.verdict import Status, Verdict
from ....kb.worlds.world import World, find_world
from ..realizing.explanation import STEPS
from .sentence_parser import Cast, misstated

if TYPE_CHECKING:
    from ..generator import Clutrr


class _Case:
    """A row and what it is to be held against."""

    def __init__(self, example: Example, options: "Clutrr") -> None:
        self.example, self.options, self.row = example, options, example.metadata
        self.world: World = find_world(options.world)
        self.stories = self.world.told
        self.main = [_fact(fact) for fact in self.row["facts"]]
        noise = list(zip(self.row["noise"], self.row["noise_facts"], strict=False))
        self.path_kinds: list[str] = [kind for kind, paths in noise for _ in paths]
        self.paths = [[_fact(fact) for fact in path] for _, paths in noise for path in paths]
        self.beside = [_fact(fact) for fact in self.row["beside_facts"]]
        self.told = [*self.main, *self.beside, *chain(*self.paths)]
        self.people = _people(self.main)
        self.core = {name for x, _, y in (*self.main, *self.beside) for name in (x, y)}
        self.genders: dict[str, str] = dict(self.row["genders"])
        self.query: tuple[str, str] = (self.row["query"][0], self.row["query"][1])
        self.relation: str = self.row["relation"] or example.target
        # Where nobody at all is so related for certain, it is open of whom this is asked, too.
        self.is_open = example.target in ("unknown", "none")
        if options.answer == "possible":
            self.is_open = not self.row["relation"]
        first = options.siblings and self.row["change"] != "noise" and "noise" in options.siblings
        self.kinds = () if first else options.kinds
        self.is_memory = self.row["task"] == "memory"
        self.links: dict[str, set[str]] = {}
        """Whom a fact connects to whom."""
        for x, _, y in self.told:
            self.links.setdefault(x, set()).add(y)
            self.links.setdefault(y, set()).add(x)
        self.lines: list[tuple[str, list[Fact]]] = []
        """The stretches of the story, and the facts that they state."""
        starts: list[int] = self.row["starts"]
        for (start, after), numbers in zip(pairwise(starts), self.row["states"], strict=False):
            stated = [self.told[number] for number in numbers]
            self.lines.append((example.input[start : after - 1], stated))


def judgement(example: Example, options: "Clutrr") -> list[str]:
    """What is wrong with the row."""
    case = _Case(example, options)
    if any(word not in case.world.meanings for _, word, _ in case.told):
        return ["a fact uses a word that is no relation"]
    listed = case.options.answer in ("who", "rank", "possible")
    if not (listed or case.is_open or case.relation in case.world.meanings):
        return [f"{case.relation!r} is no relation"]
    if not case.main or len(set(case.query)) < 2:
        return ["there is no fact, or the query asks of one alone"]
    checks = (
        *(_chain, _beside, _answer, _question, _noise, _explanation, _length),
        *(_text, _lines, _dates, _genders, _called, _difficulty, _choices),
        _group,
    )
    return [finding for check in checks for finding in check(case)]


def _fact(fact: list[str]) -> Fact:
    x, word, y = fact
    return x, word, y


def _chain(case: _Case) -> Iterator[str]:
    main, row, people = case.main, case.row, case.people
    if len(main) != row["k"]:
        yield f"k is {row['k']}, but there are {len(main)} facts"
    if row["k"] not in {*case.options.k, *(case.options.train_k or ())}:
        yield f"k is {row['k']}, which was not asked for"
    if len(people) <= len(main):
        yield "the facts are not one path"
        return
    if case.options.direction == "forward" and people[:-1] != [x for x, _, _ in main]:
        yield "a fact runs against the way from the one asked about to the other"
    if len(set(people)) < len(people):
        yield "the path visits somebody twice"
    asked = list(pairwise(people)) if case.is_memory else [(people[0], people[-1])]
    if case.query not in asked:
        yield "the query does not ask for the ends of the path, or of a fact to be remembered"


def _people(path: list[Fact]) -> list[str]:
    """Those along a path, whichever way each of its facts is told; fewer if it is none."""
    people = [name for name in path[0][::2] if len(path) == 1 or name not in path[1]] or [""]
    people = people[:1]
    for x, _, y in path:
        if people[-1] not in (x, y):
            break
        people.append(y if people[-1] == x else x)
    return people


def _beside(case: _Case) -> Iterator[str]:
    wanted = case.options.beside
    if len(case.beside) > wanted:
        yield f"{len(case.beside)} facts stand beside the chain, but at most {wanted} should"
    reached, left = set(case.people), case.beside.copy()
    while left:
        hanging = [fact for fact in left if len(reached & {fact[0], fact[2]}) == 1]
        if not hanging:
            yield "a fact beside the chain brings nobody new into the story, or too many"
            return
        reached |= {hanging[0][0], hanging[0][2]}
        left.remove(hanging[0])  # not by identity: compiled, a tuple has none
    questions = not (case.is_memory or case.is_open) and case.options.rules == case.world.default
    if case.beside and questions and not _ambiguous(case):
        yield f"whatever the story is asked about {case.row['k']} facts, the answer is the same"


def _ambiguous(case: _Case) -> bool:
    """Whether the story could be asked something as far apart that has another answer."""
    x, y = case.query
    both_ways = case.options.direction == "random"
    inverse = case.world.inverse(case.world.meanings[case.relation][0])
    back = case.world.predicates[inverse].word(case.genders.get(x)) if inverse else case.relation
    if both_ways and back != case.relation:
        return True
    for one in sorted(case.core):
        steps = _steps(case.links, one)
        for other in sorted(case.core):
            pair = one, other
            if pair == case.query or (pair == (y, x) and not both_ways):
                continue
            if steps.get(other) == case.row["k"]:
                verdict = case.stories.judge(case.told, case.genders, pair, None)
                if verdict.status is Status.ENTAILED and verdict.answers != {case.relation}:
                    return True
    return False


def _answer(case: _Case) -> Iterator[str]:
    whole = case.stories.judge(case.told, case.genders, case.query, None)
    if case.options.rules == case.world.default:
        yield from _unlike(case, whole)
        if len(case.told) > len(case.main):
            # Whatever else the chain alone makes certain, the whole story does as well.
            claimed = None if case.is_open else case.relation
            yield from _unlike(
                case, case.stories.judge(case.main, case.genders, case.query, claimed)
            )
    if case.row["verdict"]:
        claimed = None if case.is_open else case.relation
        verdict = case.stories.judge(case.told, case.genders, case.query, claimed)
        said = (case.row["verdict"], case.row["possible"])
        if said != (str(verdict.status), sorted(verdict.answers)):
            yield f"the judge says {verdict.status} of it, not {said[0]}"
    distance = _steps(case.links, case.query[0]).get(case.query[1])
    expected = 1 if case.is_memory else case.row["k"]
    if distance != expected:
        yield f"the two are {distance} facts apart, not {expected}"


def _unlike(case: _Case, verdict: Verdict) -> Iterator[str]:
    answers = ", ".join(sorted(verdict.answers)) or "nothing"
    if case.is_open:
        right = verdict.status is Status.UNDETERMINED and len(verdict.answers) > 1
    else:
        right = verdict.status is Status.ENTAILED and verdict.answers == {case.relation}
    if not right:
        target = case.example.target
        yield f"target is {target!r}, but the facts have it {verdict.status}: {answers}"


def _steps(links: dict[str, set[str]], start: str) -> dict[str, int]:
    """How many facts connect others to somebody at least: fewer tell nothing of the two."""
    steps, ahead = {start: 0}, [start]
    for person in ahead:  # it grows meanwhile
        for neighbour in links.get(person, ()):
            if neighbour not in steps:
                steps[neighbour] = steps[person] + 1
                ahead.append(neighbour)
    return steps


def _question(case: _Case) -> Iterator[str]:
    row, options = case.row, case.options
    expected = {"asked", "relation"} if options.answer != "relation" else set()
    if case.is_open:
        expected -= {"relation"}
    if options.rules != case.world.default or options.unknown_share:
        expected |= {"verdict"}
    if {name for name in ("asked", "relation", "verdict") if row[name]} != expected:
        yield f"of asked, relation and verdict it should have {sorted(expected)} only"
    if row["possible"] and not row["verdict"]:
        yield "answers are possible without a verdict"
    if not _same_story(case.example.id, row["story"], options.questions):
        yield f"the story should go by the id of its first row, but goes by {row['story']!r}"
    if case.options.task != "mixed" and case.is_memory != (case.options.task == "memory"):
        yield f"the task should be {case.options.task}"
    if case.is_open and not options.unknown_share:
        yield f"target is {case.example.target!r}, but no answer should be open"
    answered = _kinds(case).get(options.answer)
    if answered is not None:
        yield from answered(case, row["asked"])


def _kinds(case: _Case) -> dict[str, Callable[[_Case, str], Iterator[str]]]:
    """By what --answer says, what looks at the answer."""
    return {
        "yes-no": _yes_no,
        "who": _everyone,
        "rank": _rank,
        "possible": _possible,
        **dict.fromkeys(case.world.parts, _part),
    }


def _yes_no(case: _Case, asked: str) -> Iterator[str]:
    """Whether the target is what the judge says of the relation asked about."""
    target = case.example.target
    verdict = case.stories.judge(case.told, case.genders, case.query, asked)
    if (target, verdict.status) not in (
        ("yes", Status.ENTAILED),
        ("no", Status.CONTRADICTED),
        ("unknown", Status.UNDETERMINED),
    ):
        yield f"target is {target!r}, but {asked!r} is {verdict.status}"


def _part(case: _Case, asked: str) -> Iterator[str]:
    """Whether the target is what the judge has for the part that is asked for."""
    if asked != case.options.answer or case.stories.part is None:
        yield f"asked is {asked!r}, but {case.options.answer!r} should be asked for"
        return
    verdict = case.stories.judge(case.told, case.genders, case.query, None)
    parts = sorted({case.stories.part(asked, word) for word in verdict.answers})
    if parts != [case.example.target] if not case.is_open else len(parts) < 2:
        yield f"target is {case.example.target!r}, but the {asked} is {' or '.join(parts)}"


def _possible(case: _Case, asked: str) -> Iterator[str]:
    """Whether the target has every word that may hold, and no other."""
    if asked != "possible":
        yield f"asked is {asked!r}, but all that is possible should be asked for"
    if case.stories.left is not None:
        right = case.stories.left(case.told, case.genders, case.query)
    else:
        right = sorted(case.stories.judge(case.told, case.genders, case.query, None).answers)
    if case.example.target != "; ".join(right):
        yield f"target is {case.example.target!r}, but possible is {right}"


def _everyone(case: _Case, asked: str) -> Iterator[str]:
    """Whether the target has everyone of whom a word is entailed, and nobody else."""
    x, target = case.query[0], case.example.target
    if case.stories.everyone is not None:
        right = case.stories.everyone(case.told, case.genders, x, asked)
    else:
        right = []
        for name in sorted(case.links):
            if name != x:
                verdict = case.stories.judge(case.told, case.genders, (x, name), asked)
                right += [name] * (verdict.status is Status.ENTAILED)
    if target != ("; ".join(right) or "none"):
        yield f"target is {target!r}, but {asked!r} is entailed of {right or 'nobody'}"
    if not case.is_open and (asked != case.row["relation"] or case.query[1] not in right):
        yield "the one at the end of the proof is none of those asked for"


def _rank(case: _Case, asked: str) -> Iterator[str]:
    """Whether the target has everyone of the chain who is certain to have a rank."""
    superlatives = set(case.world.superlatives.values())
    if case.stories.ranked is None or asked not in {
        f"{ordinal}{word}" for ordinal in _AHEAD for word in superlatives
    }:
        yield f"asked is {asked!r}, but a rank should be asked for"
        return
    right = case.stories.ranked(case.told, sorted(set(case.people)), asked)
    if case.example.target != ("; ".join(right) or "none"):
        yield f"target is {case.example.target!r}, but the {asked} is {right or 'not certain'}"


_AHEAD = {"": "none", "second ": "exactly one", "third ": "exactly two"}
"""By what stands before a superlative, how many are ahead of whom it is meant."""


def _asks_rank(case: _Case) -> str:
    """The question for a rank among those of the chain."""
    asked: str = case.row["asked"]
    ordinal = asked[: asked.rfind(" ") + 1]
    *others, last = sorted(set(case.people))
    for predicate, superlative in case.world.superlatives.items():
        if f"{ordinal}{superlative}" == asked:
            return case.stories.rank.format(
                people=f"{', '.join(others)} and {last}",
                asked=asked,
                ahead=_AHEAD.get(ordinal),
                more=case.world.predicates[predicate].word().removesuffix(" than"),
            )
    return "no question"


def _same_story(row: str, first: str, questions: int) -> bool:
    """Whether a row belongs to a story of so many questions, by the id of its first row."""
    if questions == 1:
        return first == ""
    (dataset, _, number), (its, _, earlier) = row.rpartition("-"), first.rpartition("-")
    if dataset != its or not (number.isdigit() and earlier.isdigit()):
        return False
    return 0 <= int(number) - int(earlier) < questions


def _group(case: _Case) -> Iterator[str]:
    """That it is of a group, and which, is to be seen by its number."""
    stem, _, number = case.example.id.rpartition("-")
    changes = ("", *case.options.siblings)
    place = int(number) % len(changes)
    group = f"{stem}-{int(number) - place}" if case.options.siblings else ""
    if (case.row["group"], case.row["change"]) != (group, changes[place]):
        yield f"its group should be {group!r}, and what is changed {changes[place]!r}"


def _noise(case: _Case) -> Iterator[str]:
    row, main, kinds = case.row, case.main, set(case.kinds)
    on_path = {name for x, _, y in main for name in (x, y)}
    ends = {case.people[0], case.people[-1]}
    starts = on_path - ends if case.options.noise_at == "interior" else ends
    if case.options.questions > 1:
        # Noise was put beside the chain of one of the questions, and every row has another.
        starts = on_path = case.core
    elsewhere: Counter[str] = Counter()
    told: Counter[str] = Counter()
    family = _families(case)
    for path, kind in zip(case.paths, case.path_kinds, strict=True):
        people = _people(path) if path else []
        told[kind] += 1
        if len(people) <= len(path):
            yield "a noise path is not one path"
            continue
        if len(set(people)) < len(people) or len(people) < 2:
            yield "a noise path visits somebody twice, or nobody"
            continue
        if len(path) not in case.options.noise_length:
            yield f"a noise path has {len(path)} facts"
        if set(people) & (case.core - on_path):
            yield "noise touches a fact beside the chain"
        # What fills a long story touches another family as noise touches the chain.
        fills = case.options.words and told[kind] > case.options.noise_paths
        touched = family.get(people[0]) or family.get(people[-1]) or []
        if kind == "disconnected" or not fills:
            yield from _touching(case, kind, people, on_path, starts)
            elsewhere.update(set(people) - on_path)
        else:
            its_ends = {*touched[:1], *touched[-1:]}
            interior = case.options.noise_at == "interior"
            its_starts = set(touched) - its_ends if interior else its_ends
            yield from _touching(case, kind, people, set(touched), its_starts)
            elsewhere.update(set(people) - set(touched))
    if case.options.words:
        told = Counter({kind: min(count, case.options.noise_paths) for kind, count in told.items()})
    if not len(set(row["noise"])) == len(row["noise"]) == len(
        row["noise_facts"]
    ) or told != dict.fromkeys(kinds, case.options.noise_paths):
        yield f"noise should be of the kinds {sorted(kinds)}, {case.options.noise_paths} of each"
    if any(count > 1 for count in elsewhere.values()):
        yield "noise paths meet"


def _families(case: _Case) -> dict[str, list[str]]:
    """For everyone of a path by itself, all who are on it."""
    alone: dict[str, list[str]] = {}
    for path, kind in zip(case.paths, case.path_kinds, strict=True):
        if kind == "disconnected" and path:
            people = _people(path)
            alone.update(dict.fromkeys(people, people))
    return alone


def _touching(
    case: _Case, kind: str, people: list[str], on_path: set[str], starts: set[str]
) -> Iterator[str]:
    """Whether a noise path touches another path where its kind should."""
    touching = [name in on_path for name in people]
    if kind != "disconnected" and not touching[0]:
        touching.reverse()
    expected = {
        "supporting": [True, *[False] * (len(people) - 2), True],
        "irrelevant": [True, *[False] * (len(people) - 1)],
        "disconnected": [False] * len(people),
    }[kind]
    if touching != expected:
        yield f"{kind} noise touches the path where it must not, or not where it must"
    if kind == "irrelevant" and not starts & {people[0], people[-1]}:
        yield f"irrelevant noise does not start at the {case.options.noise_at} of the path"


def _text(case: _Case) -> Iterator[str]:
    row, (x, y) = case.row, case.query
    lines = [text for text, _ in case.lines]
    question = case.stories.question.format(x=x, y=y)
    if case.options.answer == "yes-no":
        question = case.stories.yes_no.format(x=x, y=y, word=row["asked"])
    elif case.options.answer == "who":
        question = case.stories.who.format(x=x, word=row["asked"])
    elif case.options.answer == "rank":
        question = _asks_rank(case)
    elif case.options.answer == "possible":
        possible = case.stories.judge(case.told, case.genders, case.query, None).answers
        words = case.world.rivals[min(possible)] if possible else []
        question = case.stories.possible.format(x=x, y=y, words="; ".join(words))
    elif case.options.answer in case.world.parts:
        question = case.world.parts[case.options.answer].question.format(x=x, y=y)
    if case.options.unknown_share and case.options.answer not in ("who", "rank", "possible"):
        question += " If the story leaves that open, the answer is unknown."
    opening = [*_preface(case), case.stories.opening] if case.stories.opening else _preface(case)
    opening += [case.stories.legend] if case.options.style == "facts" else []
    whole = " ".join([*lines, question])
    if case.options.gender == "given" and case.world.genders:
        cast = case.example.input.removesuffix(whole).removeprefix(" ".join([*opening, ""]))
        yield from _cast(cast, case.genders)
        whole = cast + whole
    whole = " ".join([*opening, whole])
    if case.example.input != whole:
        yield "the input is not its sentences and the question"
    if row["starts"][-1:] != [len(case.example.input) - len(question)]:
        yield "the last start is not that of the question"
    stated = sorted(number for numbers in row["states"] for number in numbers)
    if stated != list(range(len(case.told))):
        yield "the sentences do not state every fact once"
    if not len(row["templates"]) == len(row["states"]) == len(row["starts"]) - 1:
        yield "there is not one template for each sentence"


def _lines(case: _Case) -> Iterator[str]:
    row, everyone = case.row, Cast(case.links, case.genders)
    bank = case.options.bank() if case.options.style == "text" else None
    for (text, facts), template in zip(case.lines, row["templates"], strict=False):
        if case.stories.reckoned is not None and template.startswith(DATED):
            wrong = _misdated(case.stories.reckoned, template, text, facts)
        elif bank is None:
            wrong = _plainly(case, template, text, facts)
        elif template in bank.by_id:
            wrong = misstated(bank, template, text, facts, everyone)
        else:
            wrong = f"has the template {template!r}, which is unknown"
        if wrong:
            yield f"{text!r} {wrong}"


def _misdated(reckoned: Reckoned, template: str, text: str, facts: list[Fact]) -> str | None:
    """What is wrong with a line that tells of two events by their times."""
    if len(facts) != 1:
        return f"states {len(facts)} facts"
    x, word, y = facts[0]
    said = reckoned(text, x, y)
    if said is None:
        return f"tells no times of {x!r} and {y!r}"
    if said != (template, word):
        return f"says by {said[0]} and times that the {y} {said[1]} the {x}"
    return None


def _dates(case: _Case) -> Iterator[str]:
    """Where some events are told by times, one fact of the chain is."""
    if case.stories.reckoned is None:
        return
    core = len(case.main) + (len(case.beside) if case.options.questions > 1 else 0)
    told = [
        numbers
        for numbers, template in zip(case.row["states"], case.row["templates"], strict=False)
        if template.startswith(DATED)
    ]
    if len(told) != 1 or len(told[0]) != 1 or told[0][0] >= core:
        yield "it is not just one fact of the chain that is told by times"


def _preface(case: _Case) -> list[str]:
    """The world's conventions, and the answers that there are, as the options want them."""
    wanted, said = case.options.conventions, case.world.conventions
    if wanted == "none" or said is None:
        return []
    if case.options.answer in ("who", "rank", "possible"):
        return [getattr(said, wanted)]
    answers = ["yes", "no"] if case.options.answer == "yes-no" else sorted(case.world.meanings)
    if case.options.answer in case.world.parts:
        answers = list(case.world.parts[case.options.answer].answers)
    answers += ["unknown"] * (case.options.unknown_share > 0)
    return [getattr(said, wanted), f"The answer is one of these: {', '.join(answers)}."]


def _plainly(case: _Case, template: str, text: str, facts: list[Fact]) -> str | None:
    """What is wrong with a line that states one fact and nothing else."""
    (fact,) = facts
    bare = f"({', '.join(fact)})" if template == "fact" else None
    plain = case.options.style == "plain"
    expected = _plain(case.stories.plain, template, *fact) if plain else bare
    return None if text == expected else "does not say what it should"


def _cast(text: str, genders: dict[str, str]) -> Iterator[str]:
    said: list[tuple[str, str]] = []
    for part in text.strip().rstrip(".").split("; "):
        match = re.fullmatch(r"(.+) (?:is|are) (female|male)", part)
        if match:
            said += [(match[2], name) for name in re.split(", | and ", match[1])]
    told = [(gender, name) for name, gender in genders.items() if gender != "unstated"]
    if said != sorted(told):
        yield f"{text!r} does not give everyone's gender, name after name"


def _plain(frames: tuple[str, ...], template: str, x: str, word: str, y: str) -> str | None:
    text = {f"plain-{number}": frame for number, frame in enumerate(frames)}.get(template)
    article = "an" if word.startswith(tuple("aeiou")) else "a"
    for slot, filler in (("{x}", x), ("{y}", y), ("{word}", word), ("{a}", article)):
        text = text and text.replace(slot, filler)
    return text


def _length(case: _Case) -> Iterator[str]:
    wanted, depth = case.options.words, case.options.depth
    if not wanted:
        return
    words = 0
    for text, _ in case.lines:
        words += len(text.split())
    if not wanted - _LONGEST_PATH < words <= wanted:
        yield f"the story has {words} words, and not about {wanted}"
    if depth is None:
        return
    core = len(case.main) + len(case.beside)
    needed: list[int] = []
    other: list[int] = []
    for place, numbers in enumerate(case.row["states"]):
        if any(number < core for number in numbers):
            needed.append(place)
        elif numbers:
            other.append(place)
    if any(needed[0] < place < needed[-1] for place in other):
        yield "noise stands amid the facts that are needed"
    before, rest = needed[0], len(case.lines) - (needed[-1] + 1 - needed[0])
    # What states nothing may stand before the first of them.
    if abs(before - depth * rest) > _ASIDES:
        yield f"the facts needed stand after {before} of {rest} others, not at {depth}"


_LONGEST_PATH = 200
_ASIDES = 5


def _explanation(case: _Case) -> Iterator[str]:
    row, known = case.row, case.told.copy()
    if len(row["explanation"]) != (len(row["proof"]) if case.options.explain else 0):
        yield "there is not a sentence for each step of the proof, as asked for, or one unasked for"
        return
    for sentence, numbers, word in zip(
        row["explanation"], row["proof"], row["concluded"], strict=False
    ):
        premises = [known[number] for number in numbers]
        (x, _, y), (a, _, b) = premises
        conclusion = (y if x in (a, b) else x), word, (b if a in (x, y) else a)
        known.append(conclusion)
        if not _says_step(case.stories, sentence, premises, conclusion):
            yield f"{sentence!r} does not say that step of the proof"
        elif case.options.rules == case.world.default:
            verdict = case.stories.judge(premises, case.genders, conclusion[::2], None)
            if verdict.answers != {word} or verdict.status is not Status.ENTAILED:
                yield f"{sentence!r} is not true"


def _says_step(stories: Stories, sentence: str, premises: list[Fact], conclusion: Fact) -> bool:
    """Whether a sentence says that the one follows from the others, in whatever order."""
    first, second, then = [_statements(stories, fact) for fact in (*premises, conclusion)]
    for text in STEPS:
        for one, other in ((first, second), (second, first)):
            if _says(sentence, text, {"first": one, "second": other, "then": then}):
                return True
    return False


def _says(sentence: str, text: str, saying: dict[str, set[str]]) -> bool:
    """Whether a sentence is the text with one of the statements in each of its slots."""
    # Words between the slots may stand in a statement too, so every place is tried.
    places = {0}
    for number, part in enumerate(re.split(r"\{(\w+)\}", text)):
        statements = saying[part] if number % 2 else {part}
        reached: set[int] = set()
        for place in places:
            for statement in statements:
                if sentence.startswith(statement, place):
                    reached.add(place + len(statement))
        places = reached
    return len(sentence) in places


def _statements(stories: Stories, fact: Fact) -> set[str]:
    """All ways to say a fact plainly, at the start of a sentence or within."""
    statements: set[str] = set()
    for number, frame in enumerate(stories.plain):
        text = _plain(stories.plain, f"plain-{number}", *fact)
        if text and (fact[1] not in stories.unique or "{a}" not in frame):
            statements.add(text[:-1])
            if not frame.startswith("{"):
                statements.add(text[0].lower() + text[1:-1])
    return statements


def _genders(case: _Case) -> Iterator[str]:
    people = sorted({name for x, _, y in case.told for name in (x, y)})
    if sorted(name for name, _ in case.row["genders"]) != (people if case.world.genders else []):
        yield "genders are not those of the people of the story"
    bare = case.options.style != "text" and case.options.gender == "text"
    if bare and case.world.genders and case.query[1] not in {y for _, _, y in case.told}:
        yield f"nothing tells the gender of {case.query[1]!r}"
    if not set(case.genders.values()) <= set(case.world.genders):
        yield "a gender is none of the world's"
    elif "unstated" in case.world.genders:
        # A word that tells no gender is true of everyone, but it is not that for a woman.
        for _, word, y in case.told:
            name = case.world.meanings[word][0]
            if y in case.genders and case.world.predicates[name].word(case.genders[y]) != word:
                yield f"{word!r} is not the word for {y!r}, whose gender is {case.genders[y]}"


def _called(case: _Case) -> Iterator[str]:
    """Of several kinds of things, each is called as things of its kind are."""
    pool = dict(zip(case.world.kinds, case.options.pool(), strict=False))
    for x, word, y in case.told:
        between = case.world.predicates[case.world.meanings[word][0]].between
        for name, kind in zip((x, y), between or (), strict=False):
            if name not in pool[kind]:
                yield f"{name!r} is no name for this kind: {kind}"


def _difficulty(case: _Case) -> Iterator[str]:
    row, meanings = case.row, case.world.meanings
    clause = []
    for person, (x, word, _) in zip(case.people, case.main, strict=False):
        name = meanings[word][0]
        clause.append(name if person == x else case.world.inverse(name) or "")
    if row["clause"] != clause:
        yield f"the clause is {clause}, not {row['clause']}"
    depth: dict[int, int] = {}
    for number, premises in enumerate(row["proof"], len(case.told)):
        depth[number] = 1 + max((depth.get(n, 0) for n in premises), default=0)
    proofs = 1
    if not case.is_open and not case.is_memory:
        ways = _proofs(case.world, case.options.rules, tuple(clause))
        proofs = ways.get(meanings[case.relation][0], 0)
    for name, expected in (("proof_depth", max(depth.values(), default=0)), ("proofs", proofs)):
        if row[name] != expected:
            yield f"{name} is {expected}, not {row[name]}"


@cache
def _heads(world: World, ruleset: str) -> dict[tuple[str, str], list[str]]:
    """What rules conclude, by their premises."""
    heads: dict[tuple[str, str], list[str]] = {}
    for rule in world.ruleset(ruleset).rules:
        heads.setdefault(rule.body, []).append(rule.head)
    return heads


@lru_cache(maxsize=2**12)
def _proofs(world: World, ruleset: str, clause: tuple[str, ...]) -> dict[str, int]:
    """In how many ways rules put a clause together, by what they make of it."""
    heads = _heads(world, ruleset)
    spans = {(n, n + 1): {name: 1} for n, name in enumerate(clause)}
    for length in range(2, len(clause) + 1):
        for start in range(len(clause) - length + 1):
            span = spans[start, start + length] = {}
            for cut in range(start + 1, start + length):
                after = spans[cut, start + length]
                for first, m in spans[start, cut].items():
                    for second, n in after.items():
                        for head in heads.get((first, second), ()):
                            span[head] = span.get(head, 0) + m * n
    return spans[0, len(clause)]


def _choices(case: _Case) -> Iterator[str]:
    choices, wanted = case.example.choices, case.options.choices
    every = sorted(case.world.meanings) + ["unknown"] * (case.options.unknown_share > 0)
    if wanted == "none":
        right = choices == []
    elif case.options.answer == "yes-no":
        right = choices == ["yes", "no"]
    elif wanted == "all":
        right = choices == every
    else:
        right = len(set(choices)) == len(choices) == int(wanted) + 1 and set(choices) <= set(every)
    if not right or (choices and case.example.target not in choices):
        yield "the choices are not those asked for"
