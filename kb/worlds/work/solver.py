"""Solver of the work world, by which rows are made: a word is possible if some organisation has it.

Each word says that two people have a common manager, some levels up; a distant manager is any
number of levels up, which is decided level by level. The code shares nothing with the judge's.
"""

from collections.abc import Iterable, Iterator

from ..fact import Fact, distances
from ..verdict import NO_RELATION, Verdict
from ..world import find_world
from .organisation import WALKS, Post, Role, relation


def solve(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Return the verdict on a claim, by an organisation for each possible word."""
    facts, (x, y) = list(facts), query
    connected = {**distances(facts, x), **distances(facts, y)}
    meanings = find_world("work").meanings
    staff = Staff()
    if not all(staff.add(a, meanings[w][0], b) for a, w, b in facts if a in connected):
        return Verdict.from_possible(frozenset())
    possible = set()
    for word, (predicate, _) in meanings.items():
        trial = staff.copy()
        if trial.add(x, predicate, y) and any(True for _ in trial.organisations()):
            possible.add(word)
    if any(complete.relation(x, y) is None for complete in staff.organisations()):
        possible.add(NO_RELATION)
    return Verdict.from_possible(frozenset(possible), claimed)


_Pair = tuple[str, str]


class Staff:
    """An organisation as far as facts determine it; people without a name have numbers."""

    def __init__(self) -> None:
        self.same: dict[str, str] = {}
        """Another person with whom somebody is identical."""
        self.posts: dict[str, tuple[str, Role]] = {}
        self.above: list[tuple[str, str]] = []
        """Somebody and a person any number of levels above."""
        self.unnamed = 0

    def copy(self) -> "Staff":
        """Return an independent copy."""
        staff = Staff()
        staff.same, staff.posts = self.same.copy(), self.posts.copy()
        staff.above, staff.unnamed = self.above.copy(), self.unnamed
        return staff

    def find(self, person: str) -> str:
        """Return the representative of all who are identical with a person."""
        while person in self.same:
            person = self.same[person]
        return person

    def add(self, x: str, predicate: str, y: str) -> bool:
        """Add a fact; False if that is impossible."""
        walk = WALKS[predicate]
        is_distant = "distant" in predicate
        up = [role for way, role in walk if way == "up"]
        down = [role for way, role in reversed(walk) if way == "down"]
        one = self.climb(x, up[is_distant:])
        other = self.climb(y, down[is_distant:])
        if not one or not other:
            return False
        if is_distant:
            self.above.append((one, other) if up else (other, one))
            return True
        return self.identify(one, other)

    def climb(self, person: str, roles: list[Role]) -> str:
        """Return the manager above posts of these roles, "" if these are impossible."""
        for role in roles:
            person = self.find(person)
            if person not in self.posts:
                self.unnamed += 1
                self.posts[person] = f"\n{self.unnamed}", role  # nobody's name
            person, its = self.posts[person]
            if its != role:
                return ""
        return person

    def identify(self, one: str, other: str) -> bool:
        """Identify two people and so their managers; False if impossible."""
        one, other = self.find(one), self.find(other)
        if one == other:
            return True
        if one[0] == "\n":
            one, other = other, one
        if other[0] != "\n":
            return False
        self.same[other] = one
        if other not in self.posts:
            return True
        manager, role = self.posts.pop(other)
        own, its = self.posts.setdefault(one, (manager, role))
        return its == role and self.identify(own, manager)

    def is_possible(self) -> bool:
        """Return whether nobody is above themselves, and no deputy or mentor leads anybody."""
        upward: dict[str, set[str]] = {}
        links = [(low, manager) for low, (manager, _) in self.posts.items()]
        for low, high in links + self.above:
            upward.setdefault(self.find(low), set()).add(self.find(high))
        leaders = set[str]().union(*upward.values())
        if any(self.posts.get(leader, ("", "team"))[1] != "team" for leader in leaders):
            return False
        while upward:
            tops = [low for low, highs in upward.items() if not highs & upward.keys()]
            if not tops:
                return False
            for top in tops:
                del upward[top]
        return True

    def organisations(self) -> Iterator["Staff"]:
        """Yield this organisation, with each person above others at a known place or on top."""
        if not self.is_possible():
            return
        pairs = list(dict.fromkeys((self.find(low), self.find(high)) for low, high in self.above))
        nearest: dict[str, str] = {}
        for low, high in pairs:
            trials: list[tuple[_Pair, tuple[_Pair, ...]]] = []
            if low in self.posts:
                # This person is the manager, or is above the manager.
                manager = self.find(self.posts[low][0])
                trials = [((low, high), ())] * (manager == high or manager[0] == "\n")
                trials += [((low, high), ((manager, high),))] * (manager != high)
            elif nearest.setdefault(low, high) != high:
                # Of two people above, one is above the other.
                other = nearest[low]
                trials = [((low, high), ((other, high),)), ((low, other), ((high, other),))]
            for dropped, added in trials:
                trial = self.copy()
                trial.above = [pair for pair in pairs if pair != dropped] + [*added]
                if added or trial.identify(manager, high):
                    yield from trial.organisations()
            if trials:
                return
        self.above = pairs
        yield self

    def relation(self, x: str, y: str) -> str | None:
        """Return the predicate from one person to another, where all places are known."""
        posts = self.posts.copy()
        for low, high in self.above:
            posts[low] = f"{low}\n", "team"  # somebody between the two
            posts[f"{low}\n"] = high, "team"
        people = dict.fromkeys([x, y, *posts, *(self.find(boss) for boss, _ in posts.values())])
        number = {person: n for n, person in enumerate(people)}
        by_number = [
            Post(number[self.find(posts[one][0])], posts[one][1]) if one in posts else None
            for one in people
        ]
        return relation(tuple(by_number), number[x], number[y])
