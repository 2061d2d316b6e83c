"""Checks of a story's graph: the chain, the side facts and the noise."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from ....kb.worlds.verdict import Status
from .case import StoryCase, people_along


def check_chain(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the chain and the query."""
    chain, k, people = case.chain, case.metadata["k"], case.people
    if len(chain) != k:
        yield f"k is {k}, but there are {len(chain)} facts"
    if k not in {*case.options.k, *(case.options.train_k or ())}:
        yield f"k is {k}, which was not asked for"
    if len(people) <= len(chain):
        yield "the facts are not one path"
        return
    if case.options.direction == "forward" and people[:-1] != [x for x, _, _ in chain]:
        yield "a fact of the chain does not run forward"
    if len(set(people)) < len(people):
        yield "the path visits somebody twice"
    pairs = list(pairwise(people)) if case.is_memory else [(people[0], people[-1])]
    if case.query not in pairs:
        yield "the query is not about the ends of the path, or of a stated fact in a memory row"


def check_side_facts(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the side facts."""
    limit = case.options.side_facts
    if len(case.side_facts) > limit:
        yield f"there are {len(case.side_facts)} side facts, but at most {limit} are allowed"
    reached, left = set(case.people), case.side_facts.copy()
    while left:
        attached = [fact for fact in left if len(reached & {fact[0], fact[2]}) == 1]
        if not attached:
            yield "a side fact does not introduce exactly one person"
            return
        reached |= {attached[0][0], attached[0][2]}
        left.remove(attached[0])  # not by identity: compiled, a tuple has none
    is_reasoning = not (case.is_memory or case.is_open) and case.options.rules == case.world.default
    if case.side_facts and is_reasoning and not _has_other_query(case):
        yield f"all queries about {case.metadata['k']} facts have the same answer"


def _has_other_query(case: StoryCase) -> bool:
    """Return whether another pair at the same distance has another answer, or may have none."""
    x, y = case.query
    both_ways = case.options.direction == "random"
    inverse = case.world.inverse(case.world.meanings[case.relation][0])
    back = case.world.predicates[inverse].word(case.genders.get(x)) if inverse else case.relation
    if both_ways and back != case.relation:
        return True
    for one in sorted(case.core):
        distances = case.distances(one)
        for other in sorted(case.core):
            pair = one, other
            if pair == case.query or (pair == (y, x) and not both_ways):
                continue
            if distances.get(other) == case.metadata["k"]:
                verdict = case.judge(pair, None)
                differs = verdict.answers != {case.relation}
                if differs if verdict.status is Status.ENTAILED else case.options.unknown_share:
                    return True
    return False


def check_noise(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the noise."""
    metadata, kinds = case.metadata, set(case.noise_kinds)
    on_path = {name for x, _, y in case.chain for name in (x, y)}
    starts = {case.people[0], case.people[-1]}
    if case.options.questions > 1:
        # Noise attaches to the chain of one of the questions, and every row has another.
        starts = on_path = case.core
    new_people: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    limit = case.options.noise_paths
    filler: list[tuple[str, list[str]]] = []
    joined: set[str] = set()
    for path, kind in zip(case.paths, case.path_kinds, strict=True):
        people = people_along(path) if path else []
        is_filler = case.options.words and kind != "disconnected" and counts[kind] == limit
        counts[kind] += not is_filler
        if len(people) <= len(path):
            yield "a noise path is not one path"
            continue
        if len(set(people)) < len(people) or len(people) < 2:
            yield "a noise path visits somebody twice, or nobody"
            continue
        if len(path) not in case.options.noise_length:
            yield f"a noise path has {len(path)} facts"
        if is_filler:
            filler.append((kind, people))
            continue
        if set(people) & (case.core - on_path):
            yield "noise touches a side fact"
        yield from _check_attachment(case, kind, people, on_path, starts)
        new_people.update(set(people) - on_path)
        if kind != "disconnected":
            joined |= set(people) - case.core
    yield from _check_filler(filler, joined, {*case.core, *new_people} - joined)
    listed, paths = metadata["noise"], metadata["noise_facts"]
    is_complete = counts == dict.fromkeys(kinds, limit)
    if not (is_complete and len(set(listed)) == len(listed) == len(paths)):
        yield f"noise should be of the kinds {sorted(kinds)}, {limit} of each"
    if any(count > 1 for count in new_people.values()):
        yield "noise paths meet"


def _check_filler(
    filler: list[tuple[str, list[str]]], joined: set[str], others: set[str]
) -> Iterator[str]:
    """Yield where filler does not join noise in one place, or is about other people.

    An irrelevant path starts at somebody of earlier noise, and a supporting path connects two
    people whom the same path of filler introduced. So none is on a path between other people.
    """
    family = {name: ~number for number, name in enumerate(joined)}
    """By person, the number of the path that introduced them; negative if that is no filler."""
    waiting = list(enumerate(filler))
    while waiting:
        later = []
        for number, (kind, people) in waiting:
            ends = {family[name] for name in (people[0], people[-1]) if name in family}
            touched = sum(name in family for name in people)
            if others.intersection(people):
                yield "filler touches the chain, a side fact or disconnected noise"
            elif (touched, len(ends)) == ((1, 1) if kind == "irrelevant" else (2, 1)):
                family |= {name: number for name in people if name not in family}
            elif touched > 1:
                yield f"{kind} filler touches noise where it must not"
            else:
                later.append((number, (kind, people)))
        if len(later) == len(waiting):
            yield "filler is not connected with the noise of the story"
            return
        waiting = later


def _check_attachment(
    case: StoryCase, kind: str, people: list[str], touched: set[str], allowed: set[str]
) -> Iterator[str]:
    """Yield where a noise path does not touch another path as its kind should."""
    touching = [name in touched for name in people]
    if kind != "disconnected" and not touching[0]:
        touching.reverse()
    expected = {
        "supporting": [True, *[False] * (len(people) - 2), True],
        "irrelevant": [True, *[False] * (len(people) - 1)],
        "disconnected": [False] * len(people),
    }[kind]
    if touching != expected:
        yield f"{kind} noise touches the path where it must not, or not where it must"
    if kind == "irrelevant" and not allowed & {people[0], people[-1]}:
        yield "irrelevant noise does not start at an end of the path"
