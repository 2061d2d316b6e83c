"""Explanations: the proof in words, a sentence for each step."""

from ....kb.worlds.stories import StorySpec
from ....seed import Stream
from .plain import plain_frames

STEPS = (
    "{first}, and {second}, so {then}.",
    "{first}, while {second}: hence {then}.",
    "Since {first} and {second}, {then}.",
    "As {first}, and as {second}, it follows that {then}.",
    "Knowing that {first}, and that {second}, we can say that {then}.",
    "It must be that {then}, because {first} and {second}.",
    "Two things are told or known by now, that {first} and that {second}; with them, {then}.",
    "Put together that {first} and that {second}, and you see that {then}.",
)
"""Frames for a conclusion from two facts, each stated as in a plain sentence."""


def explain_proof(
    stories: StorySpec,
    facts: list[list[str]],
    proof: list[list[int]],
    conclusions: list[list[str]],
    stream: Stream,
) -> list[str]:
    """Return a sentence for each step of a proof from these facts."""
    known = facts + conclusions
    sentences: list[str] = []
    for premises, conclusion in zip(proof, conclusions, strict=True):
        stated = [*[known[number] for number in premises], conclusion]
        if stream.random() < 0.5:
            stated[:2] = stated[1::-1]
        sentence = stream.choice(STEPS)
        for slot, (x, word, y) in zip(("{first}", "{second}", "{then}"), stated, strict=True):
            _, frame = stream.choice(plain_frames(stories, word))
            if not frame.startswith("{") and not sentence.startswith(slot):
                frame = frame[0].lower() + frame[1:]
            text = frame.removesuffix(".").replace("{x}", x).replace("{y}", y)
            sentence = sentence.replace(slot, text)
        sentences.append(sentence)
    return sentences
