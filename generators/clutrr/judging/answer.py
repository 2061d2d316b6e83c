"""Checks of a row's answer: the target, the verdict, the choices and the difficulty."""

from collections.abc import Iterator
from functools import cache, lru_cache

from ....kb.worlds.verdict import Status, Verdict
from ....kb.worlds.world import World
from .case import StoryCase


def check_answer(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the target, the verdict and the distance of the query."""
    claimed = None if case.is_open else case.relation
    if case.options.rules == case.world.default:
        yield from _check_target(case, case.judge(case.query, None))
        if len(case.facts) > len(case.chain):
            # Whatever else the chain entails, the whole story entails as well.
            verdict = case.world.judge(case.chain, case.genders, case.query, claimed)
            yield from _check_target(case, verdict)
    if case.metadata["verdict"] and not case.options.verifies:
        verdict = case.judge(case.query, claimed)
        stored = (case.metadata["verdict"], case.metadata["possible"])
        if stored != (str(verdict.status), sorted(verdict.answers)):
            yield f"the judge's verdict is {verdict.status}, not {stored[0]}"
    distance = case.distances(case.query[0]).get(case.query[1])
    expected = 1 if case.is_memory else case.metadata["k"]
    if distance != expected:
        yield f"the two are {distance} facts apart, not {expected}"


def _check_target(case: StoryCase, verdict: Verdict) -> Iterator[str]:
    answers = ", ".join(sorted(verdict.answers)) or "nothing"
    if case.is_open:
        right = verdict.status is Status.UNDETERMINED and len(verdict.answers) > 1
    else:
        right = verdict.status is Status.ENTAILED and verdict.answers == {case.relation}
    if not right:
        target = case.target
        yield f"target is {target!r}, but the facts have it {verdict.status}: {answers}"


def check_question(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the metadata about the question, and with its answer."""
    metadata, options = case.metadata, case.options
    expected = {"asked", "relation"} if options.answer != "relation" else set()
    if case.is_open:
        expected -= {"relation"}
    if options.rules != case.world.default or options.unknown_share:
        expected |= {"verdict"}
    if options.verifies:
        expected = {"relation", "verdict"} if case.target != "none" else {"relation"}
    if {name for name in ("asked", "relation", "verdict") if metadata[name]} != expected:
        yield f"of asked, relation and verdict only {sorted(expected)} should be set"
    if metadata["possible"] and not metadata["verdict"]:
        yield "there are possible answers without a verdict"
    if not _is_story_id(metadata["story"], case.example.id, options.questions):
        yield f"story should be the id of the story's first row, but is {metadata['story']!r}"
    tasks = ("reasoning", "memory") if options.task == "mixed" else (options.task,)
    if metadata["task"] not in tasks:
        yield f"the task should be {options.task}"
    if case.is_open and not options.unknown_share:
        yield f"target is {case.target!r}, but no answer should be open"
    if options.answer == "yes-no":
        yield from _check_yes_no(case, metadata["asked"])
    elif options.answer == "who":
        yield from _check_who(case, metadata["asked"])


def _check_yes_no(case: StoryCase, asked: str) -> Iterator[str]:
    target, verdict = case.target, case.judge(case.query, asked)
    if (target, verdict.status) not in (
        ("yes", Status.ENTAILED),
        ("no", Status.CONTRADICTED),
        ("unknown", Status.UNDETERMINED),
    ):
        yield f"target is {target!r}, but {asked!r} is {verdict.status}"


def _check_who(case: StoryCase, asked: str) -> Iterator[str]:
    x, target = case.query[0], case.target
    others = sorted(case.neighbors.keys() - {x})
    right = [o for o in others if case.judge((x, o), asked).status is Status.ENTAILED]
    if target != ("; ".join(right) or "none"):
        yield f"target is {target!r}, but {asked!r} is entailed of {right or 'nobody'}"
    if not case.is_open and (asked != case.metadata["relation"] or case.query[1] not in right):
        yield "the person at the end of the chain is not among the answers"


def _is_story_id(first: str, row: str, questions: int) -> bool:
    """Return whether `first` is the id of the first row of a story that `row` is about."""
    if questions == 1:
        return first == ""
    (dataset, _, number), (other, _, earlier) = row.rpartition("-"), first.rpartition("-")
    if dataset != other or not (number.isdigit() and earlier.isdigit()):
        return False
    return 0 <= int(number) - int(earlier) < questions


def check_difficulty(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the clause and the measures of difficulty."""
    metadata, meanings = case.metadata, case.world.meanings
    clause = []
    for person, (x, word, _) in zip(case.people, case.chain, strict=False):
        name = meanings[word][0]
        clause.append(name if person == x else case.world.inverse(name) or "")
    if metadata["clause"] != clause:
        yield f"the clause is {clause}, not {metadata['clause']}"
    depth: dict[int, int] = {}
    for number, premises in enumerate(metadata["proof"], len(case.facts)):
        depth[number] = 1 + max((depth.get(n, 0) for n in premises), default=0)
    proofs = 1
    if not case.is_open and not case.is_memory:
        counts = _count_proofs(case.world, case.options.rules, tuple(clause))
        proofs = counts.get(meanings[case.relation][0], 0)
    for name, expected in (("proof_depth", max(depth.values(), default=0)), ("proofs", proofs)):
        if metadata[name] != expected:
            yield f"{name} is {expected}, not {metadata[name]}"


@cache
def _heads(world: World, ruleset: str) -> dict[tuple[str, str], list[str]]:
    heads: dict[tuple[str, str], list[str]] = {}
    for rule in world.ruleset(ruleset).rules:
        heads.setdefault(rule.body, []).append(rule.head)
    return heads


@lru_cache(maxsize=2**12)
def _count_proofs(world: World, ruleset: str, clause: tuple[str, ...]) -> dict[str, int]:
    """Return the number of proofs of each predicate that rules derive from a clause."""
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


def check_choices(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the choices."""
    choices, wanted = case.example.choices, case.options.choices
    own = case.world.answer_words
    unknown, polar = own.get("unknown", "unknown"), [own.get(word, word) for word in ("yes", "no")]
    every = sorted(case.world.meanings) + [unknown] * (case.options.unknown_share > 0)
    if case.options.verifies:
        every = [*map(str, range(1, 2 * len(case.chain))), "none"]
    if wanted == "none":
        right = choices == []
    elif case.options.answer == "yes-no":
        right = choices == polar
    elif wanted == "all":
        right = choices == every
    else:
        right = len(set(choices)) == len(choices) == int(wanted) + 1 and set(choices) <= set(every)
    if not right or (choices and case.example.target not in choices):
        yield "the choices are not those asked for"
