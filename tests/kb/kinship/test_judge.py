"""The judge against families that know nothing of it: sampled, enumerated, and by example."""

import random
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.errors import InvalidOption
from relsmith.kb.kinship.chase import Chase
from relsmith.kb.kinship.judge import FEMALE_WORDS, MALE_WORDS, WORDS, Question, judge
from relsmith.kb.verdict import NO_RELATION, Status


@dataclass
class Family:
    male: dict = field(default_factory=dict)
    parents: dict = field(default_factory=dict)
    spouse: dict = field(default_factory=dict)

    def words(self, wide=False):
        """Every true word, {(x, y): words}, by sets of relatives and not by terms."""
        people = list(self.male)
        parents = {x: set(self.parents.get(x, ())) for x in people}
        spouses = {x: {self.spouse[x]} if x in self.spouse else set() for x in people}
        children = {x: {y for y in people if x in parents[y]} for x in people}
        siblings = {
            x: {y for p in parents[x] for y in children[p] if parents[y] == parents[x]} - {x}
            for x in people
        }

        def then(*maps):
            def walk(x):
                reached = {x}
                for step in maps:
                    reached = {z for y in reached for z in step[y]}
                return reached

            return {x: walk(x) for x in people}

        def union(*maps):
            return {x: set().union(*(m[x] for m in maps)) for x in people}

        uncles = then(parents, siblings)
        nephews = then(siblings, children)
        if wide:
            uncles = union(uncles, then(parents, siblings, spouses))
            nephews = union(nephews, then(spouses, siblings, children))
        relatives = [
            children,
            parents,
            spouses,
            siblings,
            then(children, children),
            then(parents, parents),
            then(children, spouses),
            then(spouses, parents),
            union(then(spouses, siblings), then(siblings, spouses)),
            uncles,
            nephews,
        ]
        true = defaultdict(set)
        for male, female, relative in zip(MALE_WORDS, FEMALE_WORDS, relatives, strict=True):
            for x in people:
                for y in relative[x]:
                    true[x, y].add(male if self.male[y] else female)
        return true


def sampled(rng):
    """A random family; kin may marry, but for siblings."""
    family = Family()

    def born(male, parents=None):
        name = f"p{len(family.male)}"
        family.male[name] = male
        if parents:
            family.parents[name] = parents
        return name

    for _ in range(rng.randint(1, 2)):
        born(True), born(False)
    for _ in range(rng.randint(1, 6)):
        free = [p for p in family.male if p not in family.spouse]
        one = rng.choice(free) if free and rng.random() < 0.9 else born(rng.random() < 0.5)
        others = [
            p
            for p in free
            if family.male[p] != family.male[one]
            and (p not in family.parents or family.parents[p] != family.parents.get(one))
        ]
        if others and rng.random() < 0.5:
            other = rng.choice(others)
        else:
            other = born(not family.male[one])
        family.spouse[one], family.spouse[other] = other, one
        couple = (one, other) if family.male[one] else (other, one)
        for _ in range(rng.randint(0, 3)):
            born(rng.random() < 0.5, couple)
    return family


def story(rng, true, most=7):
    """Facts along a walk through the family, some aside, and a query."""
    links = sorted((x, y) for x, y in true)
    if not links:
        return None
    path = [rng.choice(links)[0]]
    for _ in range(rng.randint(1, most)):
        path.append(rng.choice([y for x, y in links if x == path[-1]]))
    pairs = list(zip(path, path[1:], strict=False))
    pairs += rng.choices(links, k=rng.randint(0, 3))
    facts = [(x, rng.choice(sorted(true[x, y])), y) for x, y in pairs]
    names = sorted({name for x, _, y in facts for name in (x, y)})
    query = (path[0], path[-1]) if path[0] != path[-1] else tuple(rng.sample(names, 2))
    return facts, names, query


def test_words_are_the_22_of_the_thesis():
    assert len(set(WORDS)) == 22


@settings(max_examples=500, deadline=None)
@given(st.integers(0, 2**32))
def test_never_contradicts_the_true_nor_entails_the_false(seed):
    rng = random.Random(seed)
    for _ in range(20):
        family, wide = sampled(rng), rng.random() < 0.3
        true = family.words(wide)
        if not (told := story(rng, true)):
            continue
        facts, names, query = told
        genders = {n: "male" if family.male[n] else "female" for n in names}
        if rng.random() < 0.3:
            genders.pop(rng.choice(names))
        question = Question(facts, genders, query, uncles_by_marriage=wide)
        certain, possible = question.certain(), question.possible()
        real = true.get(query, set())
        case = f"{facts=} {genders=} {query=} {wide=} {real=}"
        assert certain <= real, f"a false word is certain: {certain - real} in {case}"
        assert (real or {NO_RELATION}) <= possible, f"a true word is not possible in {case}"
        assert certain <= possible and (certain == set() or NO_RELATION not in possible)
        for word in [*sorted(real)[:1], rng.choice(WORDS)]:
            status = judge(facts, genders, query, word, uncles_by_marriage=wide).status
            assert status is (
                Status.ENTAILED
                if word in certain
                else Status.UNDETERMINED
                if word in possible
                else Status.CONTRADICTED
            ), case


def read(chase: Chase):
    """The family that a chase stands for, with the parents that it leaves out."""
    chase, family = chase.copy(), Family()
    for person in range(len(chase.root)):
        if chase.father[chase.find(person)] >= 0:
            chase.reach(person, "mother")

    def label(person):
        return chase.name[chase.find(person)] or f"#{chase.find(person)}"

    for person, root in enumerate(chase.root):
        if person == root:
            family.male[label(person)] = chase.male[person]
            if chase.father[person] >= 0:
                father, mother = chase.seek(person, "father"), chase.seek(person, "mother")
                family.parents[label(person)] = label(father), label(mother)
            if chase.spouse[person] >= 0:
                family.spouse[label(person)] = label(chase.spouse[person])
    return family


def flaws(family):
    """What is wrong with a family, by the axioms."""
    for one, other in family.spouse.items():
        if family.spouse[other] != one or family.male[one] == family.male[other]:
            yield f"{one} and {other} are not a couple"
        if one in family.parents and family.parents[one] == family.parents.get(other):
            yield f"{one} and {other} are siblings"
    for child, (father, mother) in family.parents.items():
        if family.spouse.get(father) != mother or not family.male[father]:
            yield f"{child} has unmarried parents"
        above, elders = set(), {father, mother}
        while elders - above:
            above |= elders
            elders = {p for elder in elders for p in family.parents.get(elder, ())}
        if child in above:
            yield f"{child} is their own ancestor"


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_every_possible_answer_comes_with_a_family(seed, wide):
    """What the judge calls possible, a family shows: so it never claims too little to be certain."""
    rng = random.Random(seed)
    chain = [f"n{i}" for i in range(rng.randint(3, 6))]
    facts = [(x, rng.choice(WORDS), y) for x, y in zip(chain, chain[1:], strict=False)]
    facts += [(rng.choice(chain[:2]), rng.choice(WORDS), "aside")] * rng.randint(0, 1)
    genders, query = {chain[0]: "male"}, (chain[0], chain[-1])
    question = Question(facts, genders, query, uncles_by_marriage=wide)
    for word in question.possible() - {NO_RELATION}:
        _check(question.family(word), facts, wide, query, lambda held, w=word: w in held)
    if NO_RELATION in question.possible():
        _check(question.family(without=WORDS), facts, wide, query, lambda held: not held)
    for word in set(WORDS) - question.certain():
        if question.possible():
            _check(
                question.family(without=[word]), facts, wide, query, lambda held, w=word: w not in held
            )


def _check(chase, facts, wide, query, expected):
    family = read(chase)
    assert not list(flaws(family))
    true = family.words(wide)
    assert all(word in true[x, y] for x, word, y in facts), facts
    assert expected(true[query]), (facts, true[query])


def families(couples):
    """All families of some couples (elders first), each with a child of either sex, and loners."""
    ancestry = product(*(range(-1, i) for i in range(couples) for _ in "hw"))
    for births in ancestry:
        if any(h == w >= 0 for h, w in zip(births[::2], births[1::2], strict=True)):
            continue
        family = Family()
        for i in range(couples):
            family.male |= {f"h{i}": True, f"w{i}": False}
            family.spouse |= {f"h{i}": f"w{i}", f"w{i}": f"h{i}"}
            # two of each, so that two names may be brothers
            for child, male in (("s", True), ("t", True), ("d", False), ("e", False)):
                family.male[f"{child}{i}"] = male
                family.parents[f"{child}{i}"] = (f"h{i}", f"w{i}")
        for i, birth in enumerate(births):
            if birth >= 0:
                family.parents[f"{'hw'[i % 2]}{i // 2}"] = (f"h{birth}", f"w{birth}")
        yield family


def test_agrees_with_all_small_families():
    """All stories of two facts: what a family of up to four couples shows, the judge must allow."""
    shown = defaultdict(set)
    for family in families(COUPLES):
        true = family.words()
        heirs = defaultdict(list)
        for (x, y), words in true.items():
            heirs[x].append((y, words))
        for x, near in heirs.items():
            for y, first in near:
                for z, second in heirs[y]:
                    if z != x:
                        held = frozenset(true.get((x, z), ()))
                        for word, other in product(first, second):
                            shown[family.male[x], word, other].add(held)
    differing = []
    for male, word, other in product((True, False), WORDS, WORDS):
        facts = [("a", word, "b"), ("b", other, "c")]
        question = Question(facts, {"a": "male" if male else "female"}, ("a", "c"))
        seen = shown.get((male, word, other), set())
        certain = frozenset.intersection(*seen) if seen else frozenset()
        possible = {w for held in seen for w in held or {NO_RELATION}}
        if (question.certain(), question.possible()) != (certain, possible):
            differing.append((male, word, other, question.certain(), certain, question.possible() ^ possible))
    assert not differing, (len(differing), differing[:40])

COUPLES = 4
