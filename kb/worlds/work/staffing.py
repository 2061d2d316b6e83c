"""Random organisations, from which stories are sampled."""

from ....errors import InvalidOption
from ....seed import Stream
from .organisation import Organisation, Post, Role

_MIN_PEOPLE = 8


def largest_team(people: int) -> int:
    """Return the size of the largest team.

    A direct manager follows from little but chains of teammates, so this bounds the length of
    chains; above the team are three levels, a deputy and a mentor.
    """
    return max(3, people // 3)


def sample_organisation(stream: Stream, people: int) -> Organisation:
    """Sample an organisation: a large team under a line of managers, and small teams.

    The others become deputies and mentors, join a small team, or are the first of a new one.
    """
    if people < _MIN_PEOPLE:
        raise InvalidOption(
            f"cannot staff an organisation by {people}; ask for {_MIN_PEOPLE} or more"
        )
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
    places = list(range(len(posts)))
    stream.shuffle(places)
    shuffled: list[Post | None] = [None] * len(posts)
    for person, post in enumerate(posts):
        shuffled[places[person]] = Post(places[post.manager], post.role) if post else None
    return tuple(shuffled)
