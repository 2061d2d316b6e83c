"""Semantics of the work world: organisations of managers, teams, deputies and mentors."""

from collections.abc import Iterator
from functools import cache, partial
from itertools import count
from typing import Literal, NamedTuple

from ..semantics import Situation, chain_names, walk_chain

Role = Literal["team", "deputy", "mentor"]


class Post(NamedTuple):
    """A post: on a manager's team, as that manager's deputy, or as mentor of the team."""

    manager: int
    role: Role


Organisation = tuple[Post | None, ...]
"""Post by person, None at the top.

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
    """Return the predicate from x to y, if any."""
    if x == y:
        return None
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
    """Return everybody above a person on a team, the direct manager first."""
    line: list[int] = []
    post = posts[person]
    while post and post.role == "team":
        line.append(post.manager)
        post = posts[post.manager]
    return line


_Move = tuple[Literal["up", "down"], Role]
# Moves from x to y: up to the manager of x's post, down to a person with such a post.
WALKS: dict[str, tuple[_Move, ...]] = {
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


class OrganisationSemantics:
    """Predicates, interpreted in organisations that are built along a chain.

    Why its situations suffice is in docs/work.md.
    """

    predicates = frozenset(WALKS)

    @cache  # noqa: B019 - one instance, lives forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """Return all minimal organisations in which the chain holds."""
        names = chain_names(len(chain), closed=closed)
        start: Organisation = (None,)
        step = partial(_related, 3 * (2 * len(chain) - 1))
        return tuple(
            Situation.between(
                partial(relation, posts),
                people,
                len(posts),
                _describe(posts, dict(zip(people, names, strict=True))),
            )
            for posts, people in walk_chain(start, (0,), chain, closed, step)
        )


def _related(
    far: int, posts: Organisation, person: int, predicate: str
) -> Iterator[tuple[Organisation, int]]:
    """Yield organisations in which the predicate holds for two people, up to a number of levels."""
    walk = WALKS[predicate]
    for longer in range(far - 2 if "distant" in predicate else 1):
        yield from _walk(posts, person, walk + walk[:1] * longer)


def _walk(
    posts: Organisation, person: int, walk: tuple[_Move, ...]
) -> Iterator[tuple[Organisation, int]]:
    if not walk:
        yield posts, person
        return
    (way, role), *rest = walk
    for there, reached in (_move_up if way == "up" else _move_down)(posts, person, role):
        yield from _walk(there, reached, tuple(rest))


def _move_up(posts: Organisation, person: int, role: Role) -> Iterator[tuple[Organisation, int]]:
    """Move to the manager of a post of that role, which the person has or can be given."""
    post = posts[person]
    if post:
        if post.role == role:
            yield posts, post.manager
        return
    for manager in range(len(posts) + 1):
        there = posts if manager < len(posts) else (*posts, None)
        if _is_free(there, person, manager, role):
            yield _with_post(there, person, Post(manager, role)), manager


def _move_down(posts: Organisation, manager: int, role: Role) -> Iterator[tuple[Organisation, int]]:
    """Move to anybody who has a post of that role under the manager, or can be given it."""
    for person in range(len(posts) + 1):
        there = posts if person < len(posts) else (*posts, None)
        if there[person] == Post(manager, role):
            yield there, person
        elif there[person] is None and _is_free(there, person, manager, role):
            yield _with_post(there, person, Post(manager, role)), person


def _is_free(posts: Organisation, person: int, manager: int, role: Role) -> bool:
    """Return whether a person without a post can have this one."""
    own = posts[manager]
    if person == manager or (own and own.role != "team") or person in managers(posts, manager):
        return False
    leads = any(post and post.manager == person for post in posts)
    return role == "team" or not leads


def _with_post(posts: Organisation, person: int, post: Post) -> Organisation:
    return (*posts[:person], post, *posts[person + 1 :])


_SENTENCES: dict[Role, str] = {
    "team": "{} is on the team of {}",
    "deputy": "{} is a deputy of {}",
    "mentor": "{} mentors the team of {}",
}


def _describe(posts: Organisation, named: dict[int, str]) -> tuple[str, ...]:
    unnamed = (f"P{n}" for n in count(1))
    names = [named.get(person) or next(unnamed) for person in range(len(posts))]
    return tuple(
        _SENTENCES[post.role].format(names[person], names[post.manager])
        for person, post in enumerate(posts)
        if post
    )


ORGANISATION = OrganisationSemantics()
