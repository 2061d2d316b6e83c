"""Results of judging the reasoning before an answer: each claim, and the whole."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from ..example import NONE

if TYPE_CHECKING:
    from .answers import Score

VERDICTS: Final = ("stated", "entailed", "contradicted", "undetermined", "unknown")
"""Verdicts on a claim; unknown: about somebody who is not in the story."""
WRONG_RULE: Final = "wrong rule"
CAUSES: Final = ("misread a fact", WRONG_RULE, "wrong person", "direction turned round")
SOUND, UNSOUND, NO_STEPS = "right by sound steps", "right by unsound steps", "right without steps"
WRONG_STEP, WRONG_LAST = "wrong at step", "wrong last step"
WRONG_NO_STEPS, UNREADABLE = "wrong without steps", "unreadable"
OPEN_ANSWERS: Final = ("unknown", NONE)
"""Answers that are right by what the story leaves open, so that no claims lead to them."""
MISREADINGS: Final = tuple(f"{WRONG_STEP}: {cause}" for cause in CAUSES if cause != WRONG_RULE)
MISREASONINGS: Final = (f"{WRONG_STEP}: {WRONG_RULE}", WRONG_LAST)
CLASSES: Final = (
    *(SOUND, UNSOUND, NO_STEPS, *MISREADINGS, *MISREASONINGS, WRONG_NO_STEPS, UNREADABLE),
)
"""Classes of chains of thought."""


@dataclass(frozen=True)
class StepClaim:
    """A claim of a text: y is the `relation` of x, in text[start:end]."""

    x: str
    relation: str
    y: str
    start: int
    end: int
    verdict: str
    """One of VERDICTS."""
    facts: tuple[int, ...] = ()
    """If it holds: numbers of facts that entail it together, none of which can be left out."""
    cause: str = ""
    """If it does not hold: the kind of mistake, one of CAUSES."""

    @property
    def holds(self) -> bool:
        """Whether the story states or entails the claim."""
        return self.verdict in VERDICTS[:2]


@dataclass(frozen=True)
class JudgedSteps:
    """The claims of a chain of thought with their verdicts, and whether the answer follows."""

    score: "Score"
    """The score of the final answer, the same as without steps."""
    claims: tuple[StepClaim, ...] = ()
    """In the order of the text, without those that the text takes back."""
    follows: bool = False
    """Whether the final answer follows from the claims that hold, itself not counted."""
    concluded: int | None = None
    """Place in `claims` of the first claim that says the same as the final answer."""
    derivation: tuple[int, ...] = ()
    """If it follows: places in `claims` of the claims that lead to it, conclusion included."""
    least: int = 1
    """Facts of the story that give the right answer, as few as possible."""

    @property
    def first_wrong(self) -> int | None:
        """Number of the first claim that does not hold, from 1; None if all hold."""
        return next((n for n, claim in enumerate(self.claims, 1) if not claim.holds), None)

    @property
    def kind(self) -> str:
        """The class, one of CLASSES."""
        wrong = self.first_wrong
        if self.score.answer is None:
            return UNREADABLE
        if self.score.value:
            if wrong is not None:
                return UNSOUND
            return SOUND if self.follows else NO_STEPS
        if not self.claims:
            return WRONG_NO_STEPS
        if wrong is None or wrong - 1 == self.concluded:
            return WRONG_LAST
        return f"{WRONG_STEP}: {self.claims[wrong - 1].cause}"

    @property
    def economy(self) -> float:
        """Share of the claims that lead to the answer; 0 unless it is right by sound steps.

        A derivation from more facts than are needed counts less, in proportion.
        """
        if self.kind != SOUND or not self.derivation:
            return 0.0
        facts = {number for place in self.derivation for number in self.claims[place].facts}
        return len(self.derivation) / len(self.claims) * min(1.0, self.least / len(facts))

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "class": self.kind,
            "first_wrong": self.first_wrong,
            "follows": self.follows,
            "claims": [asdict(claim) for claim in self.claims],
        }
