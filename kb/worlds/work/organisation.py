"""What the words of the work world mean: an organisation, and who is whose manager in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Literal, NamedTuple

from ..semantics import Situation, chain_names

Role = Literal["team", "deputy", "mentor"]


class Post(NamedTuple):
    """Somebody's place: on a manager's team, as that manager's deputy, or mentor of the team."""

    manager: int
    role: Role


Organisation = tuple[Post | None, ...]
"""For each person a post, or none for whoever is at the top.

Nobody is above themselves, and nobody has a post under a deputy or a mentor.
"""

# (x, r, y), "y is the r of x", where both have posts under one manager, by x's role and y's.
_BESIDE: dict[tuple[Role, Role], str] = {
    ("team", "team"): "teammate",
    ("team", "deputy"): "stand-in-manager",
    ("deputy", "team"): "stand-in-report",
    ("team", "mentor"): "mentor",
    ("mentor", "team"): "mentee",
}
_UP = ("manager", "skip-manager", "distant-manager")
_DOWN = ("report", "skip-report", "distant-report")


def relation(posts: Organisation, x: int, y: int) -> str | None:
    """The one predicate that holds from x to y, if any does."""
    for names, start, end in ((_UP, x, y), (_DOWN, y, x)):
        line = managers(posts, start)
        if end in line:
            return names[min(line.index(end), 2)]
    mine, theirs = posts[x], posts[y]
    if mine and theirs and mine.manager == theirs.manager:
        return _BESIDE.get((mine.role, theirs.role))
    if mine == Post(y, "deputy"):
        return "principal"
    return "deputy" if theirs == Post(x, "deputy") else None


def managers(posts: Organisation, person: int) -> list[int]:
    """Everybody above somebody on a team, the direct manager first."""
    line: list[int] = []
    post = posts[person]
    while post and post.role == "team":
        line.append(post.manager)
        post = posts[post.manager]
    return line


_Move = tuple[Literal["up", "down"], Role]
# How to get from x to each y: up to the manager of x's post, down to somebody with such a post.
_WALKS: dict[str, tuple[_Move, ...]] = {
    "manager": (("up", "team"),),
    "report": (("down", "team"),),
    "skip-manager": (("up", "team"),) * 2,
    "skip-report": (("down", "team"),) * 2,
    "distant-manager": (("up", "team"),) * 3,
    "distant-report": (("down", "team"),) * 3,
    "teammate": (("up", "team"), ("down", "team")),
    "deputy": (("down", "deputy"),),
    "principal": (("up", "deputy"),),
    "stand-in-manager": (("up", "team"), ("down", "deputy")),
    "stand-in-report": (("up", "deputy"), ("down", "team")),
    "mentor": (("up", "team"), ("down", "mentor")),
    "mentee": (("up", "mentor"), ("down", "team")),
}


@dataclass(frozen=True, eq=False)
class OrganisationSemantics:
    """Predicates judged in organisations that are built along a chain.

    Why its situations suffice: take any organisation in which a chain holds, and keep only the
    people and posts that the walks along the chain go over. The chain still holds, and no relation
    has become true, since each needs posts. What is left is built here, as each step tries
    everybody who is there already and somebody new; but for distant managers, who may be any
    number of levels up. Their way is cut where people of the chain stand on it and where the other
    walks join or leave it, two cuts for each of these at most. A piece of more than three levels
    can be shortened to three: whatever it is a part of is distant before and after.
    """

    @property
    def predicates(self) -> frozenset[str]:
        """All that a walk leads to."""
        return frozenset(_WALKS)

    @cache  # noqa: B019 - one instance, lives forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """All organisations that the chain needs, with nobody in them whom it does not."""
        names = chain_names(len(chain), closed=closed)
        return tuple(
            Situation(
                relations=_between(posts, people[0], people[-1]),
                back=_between(posts, people[-1], people[0]),
                size=len(posts),
                facts=_described(posts, dict(zip(people, names, strict=True))),
            )
            for posts, people in _built((None,), (0,), chain, 3 * (2 * len(chain) - 1), closed)
        )


def _between(posts: Organisation, x: int, y: int) -> frozenset[str]:
    name = relation(posts, x, y) if x != y else None
    return frozenset([name] if name else [])


def _built(
    posts: Organisation, people: tuple[int, ...], chain: tuple[str, ...], far: int, closed: bool
) -> Iterator[tuple[Organisation, tuple[int, ...]]]:
    """Organisations with the people along a chain, the first of whom are given."""
    if not chain:
        yield posts, people
        return
    walk = _WALKS[chain[0]]
    for longer in range(far - 2 if "distant" in chain[0] else 1):
        for there, person in _walked(posts, people[-1], walk + walk[:1] * longer):
            returning = closed and len(chain) == 1
            if (person == people[0]) if returning else (person not in people):
                yield from _built(there, (*people, person), chain[1:], far, closed)


def _walked(
    posts: Organisation, person: int, walk: tuple[_Move, ...]
) -> Iterator[tuple[Organisation, int]]:
    if not walk:
        yield posts, person
        return
    (way, role), *rest = walk
    for there, reached in (_up if way == "up" else _down)(posts, person, role):
        yield from _walked(there, reached, tuple(rest))


def _up(posts: Organisation, person: int, role: Role) -> Iterator[tuple[Organisation, int]]:
    """To the manager of a post of that role, which the person has or can be given."""
    post = posts[person]
    if post:
        if post.role == role:
            yield posts, post.manager
        return
    for manager in range(len(posts) + 1):
        there = posts if manager < len(posts) else (*posts, None)
        if _free(there, person, manager, role):
            yield _given(there, person, Post(manager, role)), manager


def _down(posts: Organisation, manager: int, role: Role) -> Iterator[tuple[Organisation, int]]:
    """To anybody who has a post of that role under the manager, or can be given it."""
    for person in range(len(posts) + 1):
        there = posts if person < len(posts) else (*posts, None)
        if there[person] == Post(manager, role):
            yield there, person
        elif there[person] is None and _free(there, person, manager, role):
            yield _given(there, person, Post(manager, role)), person


def _free(posts: Organisation, person: int, manager: int, role: Role) -> bool:
    """Whether somebody without a post can have this one."""
    own = posts[manager]
    if person == manager or (own and own.role != "team") or person in managers(posts, manager):
        return False
    leads = any(post and post.manager == person for post in posts)
    return role == "team" or not leads


def _given(posts: Organisation, person: int, post: Post) -> Organisation:
    return (*posts[:person], post, *posts[person + 1 :])


_SAID: dict[Role, str] = {
    "team": "{} is on the team of {}",
    "deputy": "{} is a deputy of {}",
    "mentor": "{} mentors the team of {}",
}


def _described(posts: Organisation, named: dict[int, str]) -> tuple[str, ...]:
    unnamed = (f"P{n}" for n in count(1))
    names = [named.get(person) or next(unnamed) for person in range(len(posts))]
    return tuple(
        _SAID[post.role].format(names[person], names[post.manager])
        for person, post in enumerate(posts)
        if post
    )


ORGANISATION = OrganisationSemantics()
