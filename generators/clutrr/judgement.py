"""The judge of a kinship story: solves it without rules, and looks at graph and text."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, pairwise
from typing import Any

from ...example import Example
from ...kb.engine import Engine
from ...kb.kinship import world
from ...kb.kinship.judge import WORDS, judge
from ...kb.rules import RuleTable
from ...kb.verdict import Status
from ...templates.bank import find_bank
from .sentences import FRAMES

Fact = tuple[str, str, str]


def judgement(example: Example, kinds: set[str], offers_all: bool) -> list[str]:
    """What is wrong with the row."""
    known = example.metadata
    main = [_fact(fact) for fact in known["facts"]]
    paths = [[_fact(fact) for fact in path["facts"]] for path in known["noise_facts"]]
    told = [*main, *chain(*paths)]
    if any(word not in WORDS for _, word, _ in told):
        return ["a fact uses a word that is no relation"]
    return [
        *_chain(known, main),
        *_answer(example, told, main),
        *_noise(known, main, paths, kinds),
        *_text(example, told),
        *_genders(known, told),
        *_difficulty(example, main, told),
        *_choices(example, offers_all),
    ]


def _fact(fact: list[str]) -> Fact:
    x, word, y = fact
    return x, word, y


def _chain(known: dict[str, Any], main: list[Fact]) -> Iterator[str]:
    people = [main[0][0], *(y for _, _, y in main)] if main else []
    if len(main) != known["k"]:
        yield f"k is {known['k']}, but there are {len(main)} facts"
    if any(before[2] != after[0] for before, after in pairwise(main)):
        yield "the facts are not one path"
    if len(set(people)) < len(people):
        yield "the path visits somebody twice"
    if people and known["query"] != [people[0], people[-1]]:
        yield "the query does not ask for the ends of the path"


def _answer(example: Example, told: list[Fact], main: list[Fact]) -> Iterator[str]:
    known = example.metadata
    query = (known["query"][0], known["query"][1])
    if query[0] == query[1]:
        return
    for facts, what in ((main, "path"), (told, "story")):
        verdict = judge(facts, known["genders"], query)
        if verdict.status is not Status.ENTAILED or verdict.answers != {example.target}:
            answers = ", ".join(sorted(verdict.answers)) or "nothing"
            yield f"target is {example.target!r}, but the {what} has it {verdict.status}: {answers}"
    distance = _distance(told, *query)
    if distance != known["k"]:
        yield f"the two are {distance} facts apart, not k = {known['k']}"


def _distance(facts: Iterable[Fact], start: str, end: str) -> int | None:
    """How many facts connect two people at least; fewer cannot tell how they are related."""
    beside: dict[str, set[str]] = {}
    for x, _, y in facts:
        beside.setdefault(x, set()).add(y)
        beside.setdefault(y, set()).add(x)
    steps, ahead = {start: 0}, deque([start])
    while ahead:
        person = ahead.popleft()
        for other in beside.get(person, ()):
            if other not in steps:
                steps[other] = steps[person] + 1
                ahead.append(other)
    return steps.get(end)


def _noise(
    known: dict[str, Any], main: list[Fact], paths: list[list[Fact]], kinds: set[str]
) -> Iterator[str]:
    on_path = {name for x, _, y in main for name in (x, y)}
    ends = {main[0][0], main[-1][2]} if main else set()
    elsewhere: Counter[str] = Counter()
    for path in paths:
        elsewhere.update({name for x, _, y in path for name in (x, y)} - on_path)
    if set(known["noise"]) != kinds or {path["type"] for path in known["noise_facts"]} != kinds:
        yield f"noise should be of the kinds {sorted(kinds)}"
    for path, entry in zip(paths, known["noise_facts"], strict=True):
        people = [path[0][0], *(y for _, _, y in path)] if path else []
        if any(before[2] != after[0] for before, after in pairwise(path)):
            yield "a noise path is not one path"
        if len(set(people)) < len(people) or len(people) < 2:
            yield "a noise path visits somebody twice, or nobody"
            continue
        touching = [name in on_path for name in people]
        expected = {
            "supporting": [True, *[False] * (len(people) - 2), True],
            "irrelevant": [True, *[False] * (len(people) - 1)],
            "disconnected": [False] * len(people),
        }[entry["type"]]
        if touching != expected:
            yield f"{entry['type']} noise touches the path where it must not, or not where it must"
        if entry["type"] == "irrelevant" and people[0] not in ends:
            yield "irrelevant noise does not start at an end of the path"
    if any(count > 1 for count in elsewhere.values()):
        yield "noise paths meet"


def _text(example: Example, told: list[Fact]) -> Iterator[str]:
    known = example.metadata
    x, y = known["query"]
    lines = [line["text"] for line in known["sentences"]]
    if example.input != " ".join([*lines, f"How is {y} related to {x}?"]):
        yield "the input is not its sentences and the question"
    stated = Counter(_fact(fact) for line in known["sentences"] for fact in line["facts"])
    if stated != Counter(told):
        yield "the sentences do not state every fact once"
    if len(known["templates"]) != len(lines):
        yield "there is not one template for each sentence"
    names = set(known["genders"])
    for line, template in zip(known["sentences"], known["templates"], strict=False):
        facts = [_fact(fact) for fact in line["facts"]]
        if len(facts) != _stated_by(template):
            yield f"the template {template!r} does not state {len(facts)} fact(s)"
        named = names & set(re.findall(r"\w+", line["text"]))
        if named != {name for x, _, y in facts for name in (x, y)}:
            yield f"{line['text']!r} does not name just those it tells of"
        if template.startswith("plain-"):
            right = [line["text"]] == [_plain(template, *fact) for fact in facts]
        else:
            right = _says(line["text"], facts, known["genders"])
        if not right:
            yield f"{line['text']!r} does not say what it should"


def _plain(template: str, x: str, word: str, y: str) -> str | None:
    text = {f"plain-{at}": frame for at, frame in enumerate(FRAMES)}.get(template)
    article = "an" if word in ("uncle", "aunt") else "a"
    for slot, filler in (("{x}", x), ("{y}", y), ("{word}", word), ("{a}", article)):
        text = text and text.replace(slot, filler)
    return text


_RELATION = re.compile(rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))})\b")
# Other words for a relation or its inverse, where people would not use the noun itself.
_OTHERWISE = {
    "child": r"mum|dad|parents?|child|children|kids|sons|daughters",
    "grand": r"grandma|grandpa|granny|grandchild|grandchildren|grandparents?",
    "sibling": r"siblings?|brothers|sisters",
    "SO": r"marri\w+|marry\w*|wed|weddings?|bride|groom|honeymoon|spouses?",
}


def _says(text: str, facts: list[Fact], genders: dict[str, str]) -> bool:
    """Whether the text has a word for every fact, from either side, and for no other relation."""
    nouns, allowed = set(_RELATION.findall(text.lower())), set()
    for x, word, _ in facts:
        predicate, _ = world().meanings[word]
        inverse = world().inverse(predicate) or predicate
        either = {word, world().predicates[inverse].word(genders.get(x))}
        otherwise = _OTHERWISE.get(predicate) or _OTHERWISE.get(inverse)
        if not either & nouns and not (
            otherwise and re.search(rf"\b({otherwise})\b", text, re.IGNORECASE)
        ):
            return False
        allowed |= either
    return nouns <= allowed


@cache
def _stated_by(template: str) -> int | None:
    """How many facts a template states, if there is one of that name."""
    if template in {f"plain-{at}" for at in range(len(FRAMES))}:
        return 1
    frame = find_bank("kinship").by_id.get(template)
    return None if frame is None else len(frame.predicates)


def _genders(known: dict[str, Any], told: list[Fact]) -> Iterator[str]:
    people = {name for x, _, y in told for name in (x, y)}
    if set(known["genders"]) != people:
        yield "genders are not those of the people of the story"


def _difficulty(example: Example, main: list[Fact], told: list[Fact]) -> Iterator[str]:
    known = example.metadata
    meanings = world().meanings
    clause = [meanings[word][0] for _, word, _ in main]
    if known["clause"] != clause:
        yield f"the clause is {clause}, not {known['clause']}"
    depth: dict[Fact, int] = {}
    for step in known["proof"]:
        premises = [depth.get(_fact(premise), 0) for premise in step["premises"]]
        depth[_fact(step["conclusion"])] = 1 + max(premises, default=0)
    proofs = Engine(RuleTable.of(world(), "sound")).count(clause)
    found = {
        "proof_depth": max(depth.values(), default=0),
        "proofs": proofs.get(meanings.get(example.target, ("", None))[0], 0),
        "off_path_facts": len(told) - len(main),
    }
    if known["difficulty"] != found:
        yield f"the difficulty is {found}, not {known['difficulty']}"


def _choices(example: Example, offers_all: bool) -> Iterator[str]:
    if example.choices != (sorted(WORDS) if offers_all else []):
        yield "the choices are not those asked for"
