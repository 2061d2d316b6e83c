"""Explanations: the proof in words, a sentence for each step."""

from ....kb.worlds.world import World
from ....seed import Stream
from .plain import plain_frames

STEPS = (
    "{first} and {second}, so {then}.",
    "{first}, and {second}; therefore {then}.",
    "Since {first} and {second}, {then}.",
    "{then}, because {first} and {second}.",
)
"""Frames for a conclusion from two facts, each stated as in a plain sentence."""


def explain_proof(
    world: World,
    facts: list[list[str]],
    proof: list[list[int]],
    conclusions: list[list[str]],
    stream: Stream,
) -> list[str]:
    """Return a sentence for each step of a proof from these facts.

    It names the convention that the rule of the step relies on, if there is one.
    """
    known = facts + conclusions
    sentences: list[str] = []
    for premises, conclusion in zip(proof, conclusions, strict=True):
        stated = [*[known[number] for number in premises], conclusion]
        convention = _convention(world, *stated)
        if stream.random() < 0.5:
            stated[:2] = stated[1::-1]
        sentence = stream.choice(STEPS)
        for slot, (x, word, y) in zip(("{first}", "{second}", "{then}"), stated, strict=True):
            _, frame = plain_frames(world.story_spec, word)[0]
            if not frame.startswith("{") and not sentence.startswith(slot):
                frame = frame[0].lower() + frame[1:]
            text = frame.removesuffix(".").replace("{x}", x).replace("{y}", y)
            sentence = sentence.replace(slot, text)
        if convention:
            sentence = f"{sentence[:-1]} (here {convention})."
        sentences.append(sentence)
    return sentences


def _convention(
    world: World, first: list[str], second: list[str], conclusion: list[str]
) -> str | None:
    """Return the convention by which the conclusion follows from the two facts."""
    x, word, y = conclusion
    towards_z = _predicate(world, first, first[0] == x)
    towards_y = _predicate(world, second, second[2] == y)
    return world.rule_conventions.get((towards_z, towards_y, world.meanings[word][0]))


def _predicate(world: World, fact: list[str], forward: bool) -> str:
    """Return the predicate of a fact in the direction in which it is used."""
    predicate = world.meanings[fact[1]][0]
    return predicate if forward else world.inverse(predicate) or ""
