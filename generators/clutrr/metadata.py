"""The metadata of a clutrr row."""

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ...end_facts import Features, end_fact_features
from ...example import Example
from ...registry import LANGUAGES, WORLDS

if TYPE_CHECKING:
    from ...kb.worlds.world import World

UNKNOWN: Final = "unknown"
"""The answer where the story leaves it open."""
GENDERS: Final = ["female", "male", "unstated"]
"""Genders by their numbers in a scene."""


def _check_world(name: str) -> str:
    if name not in WORLDS.entries:
        raise ValueError(f"no world is called {name!r}")
    return name


def _check_language(code: str) -> str:
    if code not in LANGUAGES.entries:
        raise ValueError(f"no language is called {code!r}")
    return code


Word = Annotated[str, Field(min_length=1)]
Fact = Annotated[list[Word], Field(min_length=3, max_length=3)]
Pair = Annotated[list[Word], Field(min_length=2, max_length=2)]
Step = Annotated[list[int], Field(min_length=2, max_length=2)]


class Metadata(BaseModel):
    """Metadata of a row.

    Facts are numbered from 0: those of the chain, side facts, noise path after path, and the
    conclusions of the proof, step after step. They have the direction in which they are stated; a
    proof may use them in either direction.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    world: Annotated[str, AfterValidator(_check_world)] = Field(
        description="the world of the story"
    )
    language: Annotated[str, AfterValidator(_check_language)] = Field(
        description="the language of the story: en, de, es"
    )
    k: int = Field(
        description="facts between the two people of the query; no fewer give the answer"
    )
    noise: list[Literal["supporting", "irrelevant", "disconnected"]] = Field(
        description="kinds of noise: paths with both ends on the chain, with one, or with none"
    )
    clause: list[str] = Field(description="the predicates along the chain from x of the query to y")
    facts: list[Fact] = Field(
        description="the k facts in chain order, as stated: [x, r, y] says that y is the r of x"
    )
    side_facts: list[Fact] = Field(
        description="side facts: true facts outside the chain and the noise"
    )
    noise_facts: list[list[list[Fact]]] = Field(
        description="for each kind of noise, the facts of each path"
    )
    genders: list[Pair] = Field(description="[name, gender] of everyone: male, female or unstated")
    query: Pair = Field(description="[x, y]: how is y related to x?")
    proof: list[Step] = Field(
        description="steps from the facts to the answer, the certificate: the numbers of two facts "
        "that share a person, from which the relation of the other two people follows"
    )
    concluded: list[str] = Field(description="the relation that each step concludes")
    explanation: list[str] = Field(
        description="with --explain: the proof in words, a sentence for each step"
    )
    starts: list[int] = Field(
        description="offsets in the input of each segment of the story, and last of the question"
    )
    states: list[list[int]] = Field(description="the numbers of the facts that each segment states")
    templates: list[str] = Field(description="the frame of each segment")
    scenes: list[str] = Field(description="the scene of each paragraph of a text, if it has scenes")
    proof_depth: int = Field(description="steps on the longest path from a fact to the answer")
    proofs: int = Field(description="number of proofs of the answer from the chain")
    task: Literal["reasoning", "memory", "verify-steps"] = Field(
        description="asks for what follows, for a stated fact, or for the first wrong step"
    )
    asked: str = Field(description="in a yes-no or who question the relation")
    relation: str = Field(
        description="if the question does not ask for a relation: the one that holds"
    )
    verdict: str = Field(
        description="if rules may fail or answers be open: the verdict of the judge; of a wrong "
        "step: the kind of error"
    )
    possible: list[str] = Field(
        description="with the verdict: the entailed answers, or all possible ones"
    )
    story: str = Field(description="if a story has several questions: the id of its first row")
    group: str = Field(description="if a story has siblings: the id of the first of them")
    perturbation: str = Field(
        description="what was changed: words, names, order, noise, inverse, gender, error, or the "
        "language"
    )

    @model_validator(mode="after")
    def _check_relations(self) -> Self:
        from ...kb.worlds.languages import world_in

        world = world_in(self.world, self.language)
        words = world.meanings
        for field, (x, word, y) in self._facts_by_field():
            if word not in words:
                raise ValueError(f"{field}: {word!r} is no relation of the world {self.world}")
            for person in (x, y):
                if not person or not person.isprintable():
                    raise ValueError(f"{field}: {person!r} is no name")
        for name in self.clause:
            if name not in world.predicates:
                raise ValueError(f"clause: {name!r} is no predicate of the world {self.world}")
        for word in filter(None, (self.relation, self.asked, *self.concluded)):
            if word not in words:
                raise ValueError(
                    f"relation, asked or concluded: {word!r} is no relation of {self.world}"
                )
        return self

    @model_validator(mode="after")
    def _check_people(self) -> Self:
        from ...kb.worlds.world import find_world

        genders = find_world(self.world).genders
        people = {name: field for field, (x, _, y) in self._facts_by_field() for name in (x, y)}
        for name in self.query:
            if name not in people:
                raise ValueError(f"query: no fact mentions {name!r}")
        listed = {name for name, _ in self.genders}
        for name, field in people.items() if genders else ():
            if name not in listed:
                raise ValueError(f"genders: expected everyone, but {name!r} of {field} is missing")
        wrong = next((gender for _, gender in self.genders if gender not in genders), None)
        if wrong is not None:
            raise ValueError(
                f"genders: expected {' or '.join(genders) or 'none'}, but got {wrong!r}"
            )
        return self

    def _facts_by_field(self) -> Iterator[tuple[str, Fact]]:
        noise = [fact for paths in self.noise_facts for path in paths for fact in path]
        named = ("facts", self.facts), ("side_facts", self.side_facts), ("noise_facts", noise)
        return ((field, fact) for field, facts in named for fact in facts)

    @model_validator(mode="after")
    def _check_numbers(self) -> Self:
        for name, other, expected in (
            ("facts", "k", self.k),
            ("clause", "k", self.k),
            ("noise_facts", "noise", len(self.noise)),
            ("concluded", "proof", len(self.proof)),
            ("states", "starts, less the question", len(self.starts) - 1),
            ("templates", "states", len(self.states)),
        ):
            if len(getattr(self, name)) != expected:
                raise ValueError(f"{name}: expected {expected} items, to match {other}")
        facts = len(self.facts) + len(self.side_facts)
        facts += sum(len(path) for paths in self.noise_facts for path in paths)
        for name, numbers, end in (
            ("states", chain(*self.states), facts),
            *(("proof", step, facts + number) for number, step in enumerate(self.proof)),
        ):
            wrong = next((number for number in numbers if not 0 <= number < end), None)
            if wrong is not None:
                raise ValueError(
                    f"{name}: expected numbers below {end}, the facts that facts, side_facts, "
                    f"noise_facts and proof have there, but got {wrong}"
                )
        return self


def row_language(row: Example) -> str:
    """Return the code of the language of a row; rows of before languages are in English."""
    return _check_language(row.metadata.get("language", "en"))


def world_of(row: Example) -> "World":
    """Return the world of a row's story, in the row's language."""
    from ...kb.worlds.languages import world_in

    return world_in(_check_world(row.metadata["world"]), row_language(row))


def canonical_target(row: Example) -> str:
    """Return the target; yes, no, unknown and none are in English in all languages."""
    from ...kb.worlds.languages import find_language

    answers = find_language(row_language(row)).texts.answers
    return next((english for english, own in answers.items() if own == row.target), row.target)


def story_segments(row: Example) -> list[str]:
    """Return the text of a story by segments, one or more sentences from one frame each."""
    return [row.input[start : after - 1] for start, after in pairwise(row.metadata["starts"])]


def stated_facts(metadata: dict[str, Any]) -> list[list[str]]:
    """Return all facts that a story states, in the order of their numbers."""
    paths = [metadata["facts"], metadata["side_facts"], *chain(*metadata["noise_facts"])]
    return [fact for path in paths for fact in path]


def end_facts(row: Example) -> Features:
    """Return features of the facts that mention the two people of the query."""
    facts = [(x, word, y) for x, word, y in stated_facts(row.metadata)]
    return end_fact_features(facts, row.metadata["query"], dict(row.metadata["genders"]))


def conclusions(metadata: dict[str, Any]) -> list[list[str]]:
    """Return the conclusions of the proof; their numbers follow those of the stated facts."""
    known = stated_facts(metadata)
    first = len(known)
    for (before, after), word in zip(metadata["proof"], metadata["concluded"], strict=True):
        known.append(
            [_unshared(known[before], known[after]), word, _unshared(known[after], known[before])]
        )
    return known[first:]


def _unshared(fact: list[str], shared: list[str]) -> str:
    x, _, y = fact
    return y if x in shared[::2] else x
