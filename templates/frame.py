"""Frames: sentences with slots, realized for people of given genders."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Final, Literal

from .language import Language
from .realization import (
    Genders,
    Realization,
    Variant,
    option_variants,
    realize_variants,
    unambiguous_genders,
)
from .tokens import Noun, Token, flatten

ScenePart = Literal["", "opening", "closing"]
OPENING: Final = "opening"
CLOSING: Final = "closing"


@dataclass(frozen=True, eq=False)
class Frame:
    """A hand-written text that states up to three facts along a path of people.

    `path` holds its slots in the order of the path, `predicates` the predicates that each step can
    state, `genders` the required gender of slots. The text is assumed to reveal a required gender,
    except for the slots in `unrevealed`.
    """

    id: str
    theme: str
    text: str
    path: tuple[str, ...]
    predicates: tuple[frozenset[str], ...]
    genders: Mapping[str, str]
    tokens: tuple[Token, ...]
    language: Language
    unrevealed: frozenset[str] = frozenset()
    scene: str = ""
    """The scene of the frame; empty if it fits every scene."""
    part: ScenePart = ""
    """Whether the frame opens or closes a story."""

    @cached_property
    def required_genders(self) -> Genders:
        """The gender that each slot of the path must have; None if any."""
        return tuple(self.genders.get(slot) for slot in self.path)

    @cached_property
    def fitting_genders(self) -> frozenset[Genders]:
        """The genders along the path for which no pronoun is ambiguous."""
        all_genders: Genders = self.language.genders or (None,)
        possible = product(*[(g,) if g else all_genders for g in self.required_genders])
        return unambiguous_genders(self._variants, self.path, possible)

    @cached_property
    def repeated_relations(self) -> int:
        """Bitmask of the places on the path whose two neighbours have a noun of the same kind.

        There the same relation to two people would be said twice ("her aunt Eve and her aunt Joy").
        """
        nouns = {(t.holder, t.slot) for t in flatten(self.tokens) if isinstance(t, Noun)}
        places = 0
        for n in range(1, len(self.path) - 1):
            before, middle, after = self.path[n - 1 : n + 2]
            if {(middle, before), (middle, after)} <= nouns or (
                {(before, middle), (after, middle)} <= nouns
            ):
                places |= 1 << n
        return places

    @cached_property
    def _variants(self) -> list[Variant]:
        return option_variants(self.tokens, self.language)

    def fits(self, genders: Genders) -> bool:
        """Return whether the slots can be filled with people of these genders."""
        fitting: frozenset[Genders] = self.fitting_genders
        return genders in fitting

    def realizations(self, genders: Genders) -> list[Realization]:
        """Return one realization per choice of optional parts; none if a pronoun is ambiguous."""
        return _realizations(self, genders)


@cache
def _realizations(frame: Frame, genders: Genders) -> list[Realization]:
    return realize_variants(
        frame._variants, frame.path, genders, frame.genders, frame.unrevealed, frame.language
    )
