"""The judge of a story: it solves the story without rules, and checks graph and text."""

from collections.abc import Iterator

from ....block import ENGLISH
from ....errors import RelsmithError
from ....example import Example
from ..options import LANGUAGE_SIBLINGS, StoryOptions
from .answer import check_answer, check_choices, check_difficulty, check_question
from .case import StoryCase
from .derivation import check_derivation
from .graph import check_chain, check_noise, check_side_facts
from .scenes import check_scenes
from .text import (
    check_dates,
    check_explanation,
    check_genders,
    check_length,
    check_names,
    check_segments,
    check_text,
)


def judge_row(example: Example, options: StoryOptions) -> list[str]:
    """Return what is wrong with a row.

    A check may fail on a row in which another finds something; if none does, its error is raised.
    """
    change = example.metadata["perturbation"]
    expected = change if change in LANGUAGE_SIBLINGS else options.language
    if example.metadata["language"] != expected:
        return [f"its language should be {expected!r}"]
    case = StoryCase(example, options)
    if example.metadata["world"] != options.world:
        return [f"its world should be {options.world!r}"]
    if any(word not in case.world.meanings for _, word, _ in case.facts):
        return ["a fact uses a word that is no relation"]
    if not (options.answer == "who" or case.is_open or case.relation in case.world.meanings):
        return [f"{case.relation!r} is no relation"]
    if not case.chain or len(set(case.query)) < 2:
        return ["there is no fact, or the query is about one person"]
    checks = (
        *(check_chain, check_side_facts, check_answer, check_question, check_noise),
        *(check_explanation, check_length, check_text, check_segments, check_dates),
        *(check_genders, check_names, check_difficulty, check_choices, _check_group, check_scenes),
        check_derivation,
    )
    found: list[str] = []
    failed: Exception | None = None
    for check in checks:
        try:
            found += check(case)
        except (LookupError, ValueError, RelsmithError) as error:
            failed = error
    if failed and not found:
        raise failed
    return found


def _check_group(case: StoryCase) -> Iterator[str]:
    """Yield a finding unless the row's number agrees with its group and perturbation."""
    stem, split, number = case.example.id.rsplit("-", 2)
    stem = stem.removesuffix(f"-{case.options.language}")
    first = stem if case.first_language == ENGLISH else f"{stem}-{case.first_language}"
    perturbations = ("", *case.options.siblings)
    place = int(number) % len(perturbations)
    group = f"{first}-{split}-{int(number) - place}" if case.options.siblings else ""
    if (case.metadata["group"], case.metadata["perturbation"]) != (group, perturbations[place]):
        yield f"its group should be {group!r}, and its change {perturbations[place]!r}"
