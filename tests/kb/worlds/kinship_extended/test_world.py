"""Rules, judge and scenes of extended families, against independently enumerated families.

`ReferenceFamily` shares nothing with the world: it defines each relation by sets.
"""

from collections import defaultdict
from functools import cache
from itertools import combinations, permutations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.kb.worlds.kinship import world as kinship
from relsmith.kb.worlds.kinship_extended import world
from relsmith.kb.worlds.kinship_extended.judge import _KIND, WORDS, _FamilySearch, judge
from relsmith.kb.worlds.kinship_extended.semantics import EXTENDED
from relsmith.kb.worlds.lint import lint
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.scene import members
from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.kb.worlds.verdict import NO_RELATION, Status
from relsmith.testing.profile import scaled

WORLD = world()
PREDICATES = tuple(WORLD.predicates)
BODIES = list(product(PREDICATES, repeat=2))
WORD = {name: entry.word("male") for name, entry in WORLD.predicates.items()}
GODS = ("godchild", "inv-godchild")


class ReferenceFamily:
    """Parents, spouses and former spouses of each person.

    Unlisted parents are unknown people, all of them different.
    """

    def __init__(self, parents, wed=(), ex=(), god=()):
        self.parents = [frozenset(some) for some in parents]
        self.size = len(self.parents)
        self.wed = {tuple(two) for a, b in wed for two in ((a, b), (b, a))}
        self.ex = {tuple(two) for a, b in ex for two in ((a, b), (b, a))}
        self.god = set(god)

    def elders(self, person, steps):
        """Return the ancestors by number of steps."""
        found = {person}
        for _ in range(steps):
            found = {parent for one in found for parent in self.parents[one]}
        return found

    def kin(self, person):
        found, ahead = {person}, [person]
        while ahead:
            for parent in self.parents[ahead.pop()]:
                if parent not in found:
                    found.add(parent)
                    ahead.append(parent)
        return found

    def is_right(self):
        """Return whether the axioms hold."""
        people = range(self.size)
        if any(len(some) > 2 for some in self.parents):
            return False
        if any(p in self.kin(parent) for p in people for parent in self.parents[p]):
            return False
        if len({a for a, _ in self.wed}) < len(self.wed) or self.wed & self.ex:
            return False
        couples = self.wed | self.ex | {tuple(sorted(two)) for two in self.parents if len(two) == 2}
        return all(a != b and not self.kin(a) & self.kin(b) for a, b in couples)

    def relations(self):
        """Return all (x, y) by relation."""
        people = range(self.size)
        held = defaultdict(set)
        held["SO"], held["ex-SO"] = self.wed, self.ex
        held["inv-godchild"] = self.god
        held["godchild"] = {(y, x) for x, y in self.god}
        spouse = dict(self.wed)
        shared = {
            (x, y): len(self.parents[x] & self.parents[y]) for x in people for y in people if x != y
        }
        above = [[self.elders(person, steps) for steps in range(5)] for person in people]
        for x, y in permutations(people, 2):
            for steps, name in ((1, "child"), (2, "grand"), (3, "great-grand")):
                if y in above[x][steps]:
                    held["inv-" + name].add((x, y))
                    held[name].add((y, x))
            if shared[x, y]:
                held["sibling" if shared[x, y] == 2 else "half-sibling"].add((x, y))
            if y not in self.parents[x] and any((y, p) in self.wed for p in self.parents[x]):
                held["inv-step-child"].add((x, y))
                held["step-child"].add((y, x))
            step = any((p, q) in self.wed for p in self.parents[x] for q in self.parents[y])
            if step and not shared[x, y]:
                held["step-sibling"].add((x, y))
            if x in spouse and y in self.parents[spouse[x]]:
                held["inv-in-law"].add((x, y))
                held["in-law"].add((y, x))
            if x in spouse and shared.get((spouse[x], y)):
                held["sibling-in-law"] |= {(x, y), (y, x)}
            for up, down in product(range(1, 6), repeat=2):
                ones, others = above[x][up - 1], above[y][down - 1]
                if (up, down) in COLLATERAL and any(
                    shared.get((one, other)) for one in ones for other in others
                ):
                    held[COLLATERAL[up, down]].add((x, y))
        return held


COLLATERAL = {
    (1, 2): "un",
    (2, 1): "inv-un",
    (1, 3): "great-un",
    (3, 1): "inv-great-un",
    (2, 2): "cousin",
    (2, 3): "cousin-once-removed",
    (3, 2): "cousin-once-removed",
    (2, 4): "cousin-twice-removed",
    (4, 2): "cousin-twice-removed",
    (3, 3): "second-cousin",
    (3, 4): "second-cousin-once-removed",
    (4, 3): "second-cousin-once-removed",
    (3, 5): "second-cousin-twice-removed",
    (5, 3): "second-cousin-twice-removed",
}
"""Steps of x and y below two siblings' parents, and the relation of y to x."""


def matchings(people):
    """Yield all sets of couples."""
    if not people:
        yield ()
        return
    first, *rest = people
    yield from matchings(rest)
    for number, other in enumerate(rest):
        for more in matchings(rest[:number] + rest[number + 1 :]):
            yield ((first, other), *more)


def all_families(size):
    """Yield all families of this size, elders first; up to four people, with a divorce too."""
    choices = [
        [some for few in range(3) for some in combinations(range(person), few)]
        for person in range(size)
    ]
    divorces = [(), *combinations(range(size), 2)] if size <= 4 else [()]
    for parents in product(*choices):
        if not ReferenceFamily(parents).is_right():
            continue
        for wed, divorce in product(matchings(list(range(size))), divorces):
            family = ReferenceFamily(parents, wed, [divorce] if divorce else [])
            if family.is_right():
                yield family


def observed(families):
    """Return, by body, the heads that hold wherever it holds."""
    survive = {}
    for family in families:
        held = family.relations()
        between = defaultdict(set)
        for name, pairs in held.items():
            for x, y in pairs:
                between[x, y].add(name)
        for (x, z), firsts in between.items():
            for y in range(family.size):
                if y in (x, z):
                    continue
                heads = between.get((x, y), set())
                for body in product(firsts, between.get((z, y), ())):
                    survive[body] = survive.get(body, set(PREDICATES)) & heads
    return survive


@cache
def found():
    return {body: entailed(EXTENDED, body) for body in BODIES}


def check_against_all(size):
    """Compare with the verdicts in all families of that size."""
    survive = observed(family for few in range(3, size + 1) for family in all_families(few))
    assert len(survive) > 150
    for body, heads in survive.items():
        assert EXTENDED.situations(body), body
        assert found()[body] <= heads, (body, found()[body] - heads)
        for head in heads - found()[body]:
            against = counterexample(EXTENDED, body, head)
            room = min(size, 4) if "ex-SO" in body else size
            assert against.size > room, (body, head, against)


@pytest.mark.slow
def test_no_family_of_five_contradicts_a_verdict():
    check_against_all(5)


@pytest.mark.slow
@pytest.mark.search
def test_no_family_of_six_contradicts_a_verdict():
    check_against_all(6)


@pytest.mark.slow
def test_the_file_has_exactly_the_rules_that_the_program_finds():
    written = {(*rule.body, rule.head) for rule in WORLD.ruleset().rules}
    assert written == {(*body, head) for body, heads in found().items() for head in heads}
    assert len(written) == 77
    assert not [finding for finding in lint(WORLD) if finding.is_error]
    assert RuleIndex.from_world(WORLD).is_inverse_closed
    assert not RuleIndex.from_world(WORLD).ambiguous


def test_13_of_kinships_30_rules_fall():
    extended = {(*rule.body, rule.head) for rule in WORLD.ruleset().rules}
    before = {(*rule.body, rule.head) for rule in kinship().ruleset().rules}
    assert len(before - extended) == 13
    assert len(before & extended) == 17
    for first, second, head in before - extended:
        assert counterexample(EXTENDED, (first, second), head)
    sources = {(*rule.body, rule.head): rule.source for rule in WORLD.ruleset().rules}
    assert {rule for rule, source in sources.items() if source == "kinship"} == before & extended


@st.composite
def families(draw, most=14):
    """Draw people one by one, with parents and spouses among those allowed."""
    size = draw(st.integers(3, most))
    parents, wed, ex = [], [], []
    for person in range(size):
        before = list(range(person))
        few = draw(st.integers(0, 2))
        some = draw(st.permutations(before))[:few]
        parents.append(some if ReferenceFamily([*parents, some]).is_right() else some[:1])
        if before:
            other = draw(st.sampled_from(before))
            kind = draw(st.sampled_from(["wed", "wed", "ex", "none"]))
            trial = ReferenceFamily(
                parents,
                [*wed, (person, other)] if kind == "wed" else wed,
                [*ex, (person, other)] if kind == "ex" else ex,
            )
            if kind != "none" and trial.is_right():
                (wed if kind == "wed" else ex).append((person, other))
    family = ReferenceFamily(parents, wed, ex)
    assert family.is_right()
    return family


@settings(max_examples=scaled(150))
@given(families())
def test_the_rules_hold_in_random_families(family):
    held = family.relations()
    onward = defaultdict(set)
    for name, pairs in held.items():
        for x, y in pairs:
            onward[name, x].add(y)
    for rule in WORLD.ruleset().rules:
        for x, z in held[rule.body[0]]:
            for y in onward[rule.body[1], z] - {x}:
                assert (x, y) in held[rule.head], (str(rule), family.parents, family.wed)


@pytest.mark.slow
def test_judge_and_semantics_agree_on_all_stories_of_two_facts():
    for body in BODIES:
        facts = [("X", WORD[body[0]], "Z"), ("Z", WORD[body[1]], "Y")]
        search = _FamilySearch(facts, ("X", "Y"))
        assert search.entailed() == {WORD[head] for head in found()[body]}, body
        assert (search.model is not None) == bool(EXTENDED.situations(body)), body


@settings(max_examples=scaled(150))
@given(families(9), st.data())
def test_true_facts_are_possible_and_entailed_ones_are_true(family, data):
    held = family.relations()
    true = sorted((x, name, y) for name, pairs in held.items() for x, y in pairs)
    assume(len(true) > 3)
    told = data.draw(st.lists(st.sampled_from(true), min_size=2, max_size=6, unique=True))
    people = sorted({name for x, _, y in told for name in (x, y)})
    assume(len(people) > 2)
    x, y = data.draw(st.permutations(people))[:2]
    facts = [(f"P{a}", WORD[name], f"P{b}") for a, name, b in told]
    verdict = judge(facts, dict.fromkeys([f"P{y}"], "male"), (f"P{x}", f"P{y}"))
    holds = {WORD[name] for name in PREDICATES if (x, y) in held[name]}
    assert verdict.status is not Status.IMPOSSIBLE
    if verdict.status is Status.ENTAILED:
        assert verdict.answers <= holds
    else:
        assert (holds or {NO_RELATION}) <= verdict.answers


def listed(model, people):
    """Return a family of the judge as a ReferenceFamily."""
    number = {model.find(person): n for n, person in enumerate(people)}
    for person in range(len(model.root)):
        number.setdefault(model.find(person), len(number))
    parents = [()] * len(number)
    wed = set()
    for person, place in number.items():
        parents[place] = [number[parent] for parent in model.parents_of(person)]
        if model.spouse(person) >= 0:
            wed.add((place, number[model.spouse(person)]))
    # A sibling group of which no parent or just one is known still has others.
    sibling_groups = defaultdict(list)
    for person, place in number.items():
        sibling_groups[model.group_of(person)].append(place)
    for places in sibling_groups.values():
        while len(places) > 1 and len(parents[places[0]]) < 2:
            for place in places:
                parents[place] = [*parents[place], len(parents)]
            parents.append(())
    ex = {(number[model.find(a)], number[model.find(b)]) for a, b in model.ex_spouses}
    return ReferenceFamily(parents, {tuple(sorted(two)) for two in wed}, ex)


@settings(max_examples=scaled(150))
@given(families(9), st.data())
def test_every_family_that_the_judge_finds_is_valid(family, data):
    """Check the judge's families: with each possible relation, and without each unless entailed."""
    held = family.relations()
    true = sorted((x, name, y) for name, pairs in held.items() for x, y in pairs)
    assume(len(true) > 3)
    told = data.draw(st.lists(st.sampled_from(true), min_size=2, max_size=5, unique=True))
    people = list(dict.fromkeys(name for x, _, y in told for name in (x, y)))
    assume(len(people) > 2)
    facts = [(f"P{a}", WORD[name], f"P{b}") for a, name, b in told]
    search = _FamilySearch(facts, (f"P{people[0]}", f"P{people[1]}"))
    place = {person: n for n, person in enumerate(people)}
    for name in data.draw(st.lists(st.sampled_from(PREDICATES), min_size=4, max_size=4)):
        if name in GODS:
            continue
        for without in (False, True):
            kind = WORD[name]
            model = search.family(without=[kind]) if without else search.family(kind)
            if model is None:
                continue
            shown = listed(model, range(len(people)))
            assert shown.is_right()
            holds = shown.relations()
            assert ((0, 1) in holds[name]) is not without, (name, told)
            for x, fact, y in told:
                assert (place[x], place[y]) in holds[fact], (fact, told, name)


# Of each kind of error that an answer, a fact or a gender can have.
PLANTED = """\
my child's brother is not my brother: son | brother | brother | contradicted
my wife's son need not be mine: wife | son | son | undetermined
my father's son may be a half-brother: father | son | brother | undetermined
my uncle's father may be no kin: uncle | father | grandfather | undetermined
my father's wife may be a stepmother: father | wife | mother | undetermined
my son's mother need not be my wife: son | mother | wife | undetermined
my half-brother's mother: half-brother | mother | mother | undetermined
my cousin's cousin: first cousin | first cousin | first cousin | undetermined
a word of the wrong gender: father | brother | aunt | contradicted
godparents lead nowhere: godfather | son | godfather | undetermined
nor does who was married: ex-wife | daughter | daughter | undetermined
my stepson's father need not be my husband: stepson | father | husband | undetermined
a removal too few: first cousin | grandson | first cousin once removed | undetermined
a degree too few: great-uncle | grandson | first cousin | undetermined
a generation too few: grandson | son | grandson | contradicted
"""


@pytest.mark.parametrize("case", PLANTED.splitlines())
def test_the_judge_rejects_plausible_errors(case):
    first, second, claimed, status = case.partition(": ")[2].split(" | ")
    verdict = judge([("X", first, "Z"), ("Z", second, "Y")], {}, ("X", "Y"), claimed)
    assert verdict.status == status
    assert status != Status.UNDETERMINED or len(verdict.answers) > 1


IMPOSSIBLE = """\
their own ancestor: A son B, B grandson A
three parents: A father B, A mother C, A mother D
two spouses: A wife B, A wife C
married and divorced: A wife B, A ex-wife B
married kin: A wife B, A first_cousin B
divorced kin: A ex-wife B, A niece B
parents who are kin: A father B, A mother C, B aunt C
half and full: A sister B, A half-sister B
a stepmother who is the mother: A mother B, A stepmother B
step with a parent in common: A stepsister B, A half-sister B
two genders: A wife B, C brother B
of oneself: A brother A, A sister B
far from the query: A son B, X wife Y, X sister Y
"""
# Kinship forbids these.
POSSIBLE = """\
two mothers: A mother B, A mother C
two husbands of each other: A husband B, B husband A
an uncle of one's half-sister: A half-sister B, B uncle C
a wife after an ex-wife: A wife B, A ex-wife C
two brothers with two sisters: A brother B, A wife C, B wife D, C sister D
"""


@pytest.mark.parametrize("case", [*IMPOSSIBLE.splitlines(), *POSSIBLE.splitlines()])
def test_the_judge_finds_contradictions(case):
    stated = [fact.split() for fact in case.partition(": ")[2].split(", ")]
    facts = [(x, word.replace("_", " "), y) for x, word, y in stated]
    verdict = judge(facts, {}, ("A", "B"))
    assert (verdict.status is Status.IMPOSSIBLE) == (case in IMPOSSIBLE)


def test_an_unstated_gender_leaves_two_words():
    facts = [("A", "father", "B"), ("B", "first cousin", "C"), ("D", "mother", "A")]
    verdict = judge(facts, {}, ("B", "D"))
    assert verdict.status is Status.UNDETERMINED
    assert {"grandson", "granddaughter"} <= verdict.answers
    assert NO_RELATION not in verdict.answers
    verdict = judge(facts, {}, ("A", "C"))
    assert verdict.answers == {"first cousin once removed"}
    assert verdict.status is Status.ENTAILED


def test_words_are_those_of_the_world_and_unknown_genders_are_refused():
    assert set(WORDS) == set(WORLD.meanings)
    assert {WORD[name] for name in PREDICATES} == set(_KIND.values())
    with pytest.raises(InvalidOption, match="gender of 'A' is 'x'"):
        judge([("A", "son", "B")], {"A": "x"}, ("A", "B"))


@pytest.mark.parametrize("people", [36, 60, 120])
def test_scenes_are_families_with_one_relation_between_two_at_most(people):
    for number in range(scaled(6)):
        scene = WORLD.scene(
            Stream("scenes", number), people, children=4, marriage=0.85, same_gender=0.1
        )
        place = {name: n for n, name in enumerate(PREDICATES)}
        size = len(scene.gender)
        assert people <= size <= people + 3
        rows = scene.related
        parents = [members(row[place["inv-child"]]) for row in rows]
        wed, ex, god = (
            {(x, y) for x, row in enumerate(rows) for y in members(row[place[name]])}
            for name in ("SO", "ex-SO", "inv-godchild")
        )
        family = ReferenceFamily(parents, {tuple(sorted(two)) for two in wed}, ex, god)
        assert family.is_right()
        held = family.relations()
        pairs = scene.pairs()
        for name in PREDICATES:
            assert set(pairs[place[name]]) == held[name], name
        assert sum(map(len, held.values())) == len(set().union(*held.values()))
        assert all(held[name] for name in PREDICATES if people >= 60)


def test_some_couples_are_of_one_gender_and_some_parents_not_married():
    scene = WORLD.scene(Stream("couples"), 300, children=4, marriage=0.85, same_gender=0.1)
    place = {name: n for n, name in enumerate(PREDICATES)}
    couples = {tuple(sorted(two)) for two in scene.pairs()[place["SO"]]}
    same = sum(scene.gender[a] == scene.gender[b] for a, b in couples)
    assert 0 < same < len(couples) / 3
    parents = {tuple(members(row[place["inv-child"]])) for row in scene.related} - {()}
    assert 0 < len(parents & couples) < len(parents)
