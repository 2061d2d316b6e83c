"""Frames: sentences with slots, put together anew for people of other genders."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from .language import Language
from .tokens import Pronoun, Token, flat
from .wording import Genders, Wording, worded


@dataclass(frozen=True, eq=False)
class Frame:
    """A hand-written text that states one to three facts along a path of people.

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
    def frail(self) -> bool:
        """Whether a pronoun has no way round, so that some people could be mistaken in it."""
        return any(
            isinstance(token, Pronoun) and self.language.pronouns[token.case].instead is None
            for token in flat(self.tokens)
        )

    @cached_property
    def fussy(self) -> bool:
        """Whether some genders may not do."""
        return any(self.demands) or self.frail

    def fits(self, genders: Genders) -> bool:
        """Whether people of these genders can be put in."""
        pairs = zip(self.demands, genders, strict=True)
        agree = all(wanted in (None, gender) for wanted, gender in pairs)
        return agree and (not self.frail or bool(self.worded(genders)))

    def worded(self, genders: Genders) -> list[Wording]:
        """The frame for people of these genders, with every choice of its options.

        There is none where a pronoun could be misread.
        """
        return _worded(self, genders)


@cache
def _worded(frame: Frame, genders: Genders) -> list[Wording]:
    return worded(frame.tokens, frame.path, genders, frame.genders, frame.unshown, frame.language)
