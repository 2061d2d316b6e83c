"""Random organisations, from which stories are drawn."""

from ....errors import InvalidOption
from ....seed import Stream
from .organisation import Organisation, Post, Role

_FEWEST = 8


def largest_team(people: int) -> int:
    """How many people of an organisation are on its largest team.

    A manager of one's own follows from little but teammates, one after the other, so this is what
    the facts between two people come to at most, and there are three levels above the team, a
    deputy and a mentor.
    """
    return max(3, people // 3)


def staff(stream: Stream, people: int) -> Organisation:
    """An organisation of so many people: a large team under a line of managers, and small ones.

    The others become deputies and mentors, join a small team, or are the first of a new one.
    """
    if people < _FEWEST:
        raise InvalidOption(f"cannot staff an organisation by {people}; ask for {_FEWEST} or more")
    posts: list[Post | None] = [None, Post(0, "team"), Post(1, "team")]
    posts += [Post(2, "team")] * largest_team(people) + [Post(2, "deputy"), Post(2, "mentor")]
    small, leaders = [0, 1], [0, 1, 2]
    while len(posts) < people:
        ticket = stream.below(4)
        if ticket < 2:
            role: Role = "deputy" if ticket else "mentor"
            posts.append(Post(stream.choice(leaders), role))
        elif ticket == 2:
            posts.append(Post(stream.choice(small), "team"))
        else:
            leader = stream.choice(
                [p for p, post in enumerate(posts) if post and post.role == "team"]
            )
            if leader not in leaders:
                leaders.append(leader)
                small.append(leader)
            posts.append(Post(leader, "team"))
    return _shuffled(posts[:people], stream)


def _shuffled(posts: list[Post | None], stream: Stream) -> Organisation:
    """The same organisation with its people in another order."""
    places = list(range(len(posts)))
    stream.shuffle(places)
    shuffled: list[Post | None] = [None] * len(posts)
    for person, post in enumerate(posts):
        shuffled[places[person]] = Post(places[post.manager], post.role) if post else None
    return tuple(shuffled)
