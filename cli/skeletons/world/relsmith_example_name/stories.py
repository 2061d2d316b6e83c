"""Scenes, names and questions of the stories."""

from relsmith import Stream
from relsmith.worlds import NamePool, Scene, StorySpec

from .judge import judge
from .semantics import relation

EVENTS = (
    "auction ballet banquet bazaar concert debate drill exam fair feast festival film fitting "
    "hearing interview lecture lesson match meeting opera parade party picnic play quiz race "
    "raffle reading recital rehearsal sale sermon show sitting speech supper tour trial tryout "
    "walk wedding workshop"
)


def day(stream: Stream, size: int, predicates: tuple[str, ...]) -> Scene:
    """Sample a day; half of the events are at the same hour, so that all answers occur."""
    half = size // 2
    hours = [half] * half + [stream.below(size) for _ in range(size - half)]
    stream.shuffle(hours)
    return Scene.from_relation(lambda x, y: relation(hours[x], hours[y]), size, predicates)


STORIES = StorySpec(
    scene=day,
    max_facts=lambda size: size // 2 - 2,  # limited by the events at the same hour
    names=NamePool(tuple(EVENTS.split())),
    judge=judge,
    question='Which words fill the gap: "The {y} begins ... the {x}"?',
    yes_no="Does the {y} begin {word} the {x}?",
    plain=("The {y} begins {word} the {x}.", "The {y} is {word} the {x}."),
    legend="(a, r, b) says: the b begins r the a.",
)
