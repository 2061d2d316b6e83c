"""Explanations: the proof in words, a sentence for each step."""

import re

from ....kb.worlds.languages import find_language
from ....kb.worlds.world import World
from ....seed import Stream
from .plain import plain_frames


def explain_proof(
    world: World,
    facts: list[list[str]],
    proof: list[list[int]],
    conclusions: list[list[str]],
    genders: dict[str, str],
    stream: Stream,
) -> list[str]:
    """Return a sentence for each step of a proof from these facts, which names its rule.

    It also names the convention that the rule relies on, if there is one.
    """
    known = facts + conclusions
    steps = find_language(world.language).texts.steps
    sentences: list[str] = []
    for premises, conclusion in zip(proof, conclusions, strict=True):
        stated = [*[known[number] for number in premises], conclusion]
        rule = _rule(world, stated, genders)
        if stream.random() < 0.5:
            stated[:2] = stated[1::-1]
        sentence = stream.choice(steps)
        for slot, (x, word, y) in zip(("{first}", "{second}", "{then}"), stated, strict=True):
            text = statement(world, x, word, y, inside=not sentence.startswith(slot))
            sentence = sentence.replace(slot, text)
        sentences.append(f"{sentence[:-1]} ({rule})." if rule else sentence)
    return sentences


def statement(world: World, x: str, word: str, y: str, *, inside: bool) -> str:
    """Return a fact in plain words, at the start of a sentence or inside it."""
    _, frame = plain_frames(world, word)[0]
    if inside and not frame.startswith("{"):
        frame = frame[0].lower() + frame[1:]
    return frame.removesuffix(".").replace("{x}", x).replace("{y}", y)


def _rule(world: World, stated: list[list[str]], genders: dict[str, str]) -> str:
    """Return the rule of a step in words: "a wife's brother is a brother-in-law".

    In languages without texts for rules, return the convention that it relies on, perhaps empty.
    """
    first, second, (x, head, _y) = stated
    one, between = _onward(world, first, x, genders)
    other, _ = _onward(world, second, between, genders)
    predicates = [world.meanings[word][0] for word in (one, other, head)]
    convention = world.rule_conventions.get((predicates[0], predicates[1], predicates[2]))
    language = find_language(world.language).texts
    rule = language.rule
    if not rule:
        return convention or ""
    if rule["where"] in world.story_spec.plain[0]:
        a_first, a_then = [f"{language.article(word)} {word}" for word in (one, head)]
        named = rule["nouns"].format(a_first=a_first, second=other, a_then=a_then)
    else:
        facts = (("A", one, "B"), ("B", other, "C"), ("A", head, "C"))
        pattern = rf"\b{language.thing_article}(?=[ABC]\b)"
        texts = [
            re.sub(pattern, "", statement(world, a, word, b, inside=True)) for a, word, b in facts
        ]
        named = rule["sentences"].format(first=texts[0], second=texts[1], then=texts[2])
    return rule["convention"].format(rule=named, convention=convention) if convention else named


def _onward(world: World, fact: list[str], x: str, genders: dict[str, str]) -> tuple[str, str]:
    """Return the word for the other person of a fact seen from x, and that person."""
    a, word, b = fact
    if a == x:
        return word, b
    inverse = world.inverse(world.meanings[word][0])
    return world.predicates[inverse or ""].word(genders.get(a)), a
