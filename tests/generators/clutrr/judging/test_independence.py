"""Generator and judge share no code: calls of both are traced, and a wrong solver is noticed."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import _lru_cache_wrapper
from pathlib import Path
from types import FrameType

import pytest
from stories import clutrr

import relsmith.kb
from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.verdict import Status, Verdict
from relsmith.kb.worlds.world import find_world
from relsmith.registry import WORLDS
from relsmith.testing.profile import profile, thinned
from relsmith.validation import findings

OURS = [name for name, entry in WORLDS.entries.items() if entry.point.value.startswith("relsmith.")]
ROWS = 6
KB = Path(relsmith.kb.__file__).parent
FOLDERS = (KB / "worlds", KB.parent / "generators" / "clutrr")

SHARED = {
    "world.py": "data: predicates, words and texts; `judge` and `solve` call what a world lists",
    "verdict.py": "data class of a verdict",
    "stories.py": "data class of a world's specification",
    "scene.py": "data class",
    "options.py": "options of the generator",
    "generator.py": "methods that the engine calls",
    "metadata.py": "data: names and order of the fields of a row",
    "judging/replay.py": "checks the proof by rules, when a row is made and when it is verified",
    "time/dated_parser.py": "parses dated sentences",
}
"""Files, by the end of their path, whose functions both may call, with the reason."""


CASES = [(name, answer) for name in OURS for answer in ("relation", "yes-no", "who")]
each_case = pytest.mark.parametrize(
    ("world", "answer"), CASES if profile() != "quick" else CASES[::7]
)


def generator_of(world: str, answer: str) -> Clutrr:
    given = {"gender": "given"} if find_world(world).genders else {}
    if answer == "verify-steps":
        return clutrr("k=2..4", world=world, task=answer, side_facts=4, **given)
    unknown = 0 if answer == "who" else 0.5
    options = {"answer": answer, "unknown_share": unknown, "side_facts": 4, **given}
    return clutrr("k=2..4", world=world, **options)


def called(function: Callable[[], object]) -> set[tuple[str, str]]:
    """Return the functions of worlds and stories that a call runs, as (file, name)."""
    # A cached value would hide the function that returned it before.
    for item in gc.get_objects():
        # isinstance would read attributes of lazy modules of torch, which warn.
        if type(item) is _lru_cache_wrapper and _is_of_solver_or_judge(item):
            item.cache_clear()
    seen = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            code = frame.f_code
            seen.add((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return {
        (file, name)
        for file, name in seen
        if name != "<module>" and any(Path(file).is_relative_to(folder) for folder in FOLDERS)
    }


def _is_of_solver_or_judge(function: object) -> bool:
    module = getattr(function, "__module__", None) or ""
    return module.startswith("relsmith.") and module.endswith(
        (".solver", ".couples", ".judge", ".answer", ".graph", ".text", ".case")
    )


def is_compiled() -> bool:
    return Path(sys.modules["relsmith.seed"].__file__).suffix != ".py"


@pytest.mark.slow
def test_no_function_is_shared_in_any_world() -> None:
    """Trace all cases in a process with plain sources if the package is compiled."""
    if not is_compiled():
        pytest.skip("the tests below do it")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "call_no_function"]
    done = subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.parametrize(
    ("world", "answer"),
    [*(CASES if profile() != "quick" else CASES[::7])]
    + [(name, "verify-steps") for name in thinned(OURS, 2)],
)
def test_maker_and_judge_call_no_function_of_each_other(world: str, answer: str) -> None:
    if is_compiled():
        pytest.skip("compiled functions cannot be traced")
    generator = generator_of(world, answer)
    rows = []
    next(generator.examples(1, seed=1))  # loads the world, which takes long when traced
    made = called(lambda: rows.extend(generator.examples(ROWS)))
    judged = called(lambda: [generator.problems(row) for row in rows])
    assert any(file.endswith("judging/answer.py") for file, _ in judged)
    shared = {
        f"{file}: {name}"
        for file, name in made & judged
        if not file.endswith(tuple(f"/{end}" for end in SHARED))
    }
    assert shared == set()


@each_case
def test_a_wrong_solver_of_the_generator_is_noticed(
    world: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = find_world(world).story_spec

    def solve(*arguments: object) -> Verdict:
        """Return a false verdict on claims of who questions and on undetermined queries."""
        verdict, claimed = right.solver(*arguments), arguments[-1]
        if answer == "who" or (claimed and verdict.status is Status.UNDETERMINED):
            return Verdict(Status.ENTAILED, frozenset([claimed]))
        dropped = sorted(verdict.answers)[2:][-1:]
        return replace(verdict, answers=verdict.answers.difference(dropped))

    monkeypatch.setattr(find_world(world), "stories", replace(right, solver=solve))
    generator = generator_of(world, answer)
    rows = list(generator.examples(2 * ROWS))
    monkeypatch.undo()
    assert any(findings(generator, row) for row in rows)
