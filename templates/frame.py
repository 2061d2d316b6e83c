"""Frames: sentences with slots, put together anew for people of other genders."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

from .language import Language
from .tokens import Token
from .wording import Chosen, Genders, Wording, choices, suited, worded


@dataclass(frozen=True, eq=False)
class Frame:
    """A hand-written text that states up to three facts along a path of people.

    `path` holds its slots in the order of the path, `predicates` for each step the
    predicates it can state, `genders` the gender a slot must have. Such a gender is taken to
    show in the words, but for the slots in `unshown`.
    """

    id: str
    theme: str
    text: str
    path: tuple[str, ...]
    predicates: tuple[frozenset[str], ...]
    genders: Mapping[str, str]
    tokens: tuple[Token, ...]
    language: Language
    unshown: frozenset[str] = frozenset()

    @cached_property
    def demands(self) -> Genders:
        """The gender each slot of the path must have; None where any will do."""
        return tuple(self.genders.get(slot) for slot in self.path)

    @cached_property
    def suits(self) -> frozenset[Genders]:
        """Genders of the people along the path for whom nothing in the text could be misread."""
        kinds: Genders = self.language.genders or (None,)
        possible = product(*[(wanted,) if wanted else kinds for wanted in self.demands])
        return suited(self._choices, self.path, possible)

    @cached_property
    def _choices(self) -> list[Chosen]:
        """The tokens with every choice of the options."""
        return choices(self.tokens, self.language)

    @cached_property
    def fussy(self) -> bool:
        """Whether some genders will not do."""
        return len(self.suits) < max(1, len(self.language.genders)) ** len(self.path)

    def fits(self, genders: Genders) -> bool:
        """Whether people of these genders can be put in."""
        suits: frozenset[Genders] = self.suits
        return genders in suits

    def worded(self, genders: Genders) -> list[Wording]:
        """The frame for people of these genders, with every choice of its options.

        There is none where a pronoun could be misread.
        """
        return _worded(self, genders)


@cache
def _worded(frame: Frame, genders: Genders) -> list[Wording]:
    return worded(frame._choices, frame.path, genders, frame.genders, frame.unshown, frame.language)
