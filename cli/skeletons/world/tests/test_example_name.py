"""The rules hold, the sentences are sound, stories keep the promises, and faults are found.

These tests take seconds. `RELSMITH_PROFILE=full pytest` is thorough: run it before a release.
"""

import pytest

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.judging.planted_faults import check_fault, faults_of
from relsmith.judge import findings
from relsmith.kb.worlds.lint import lint
from relsmith.kb.worlds.world import find_world
from relsmith.templates.bank import find_bank
from relsmith.templates.lint import lint as lint_bank
from relsmith.testing import check_generator

WORLD = "example-name"


def test_no_rule_says_what_is_false() -> None:
    for rules in find_world(WORLD).rulesets:
        assert not [finding for finding in lint(find_world(WORLD), rules) if finding.wrong]


def test_the_sentences_are_sound() -> None:
    assert not lint_bank(find_bank(WORLD))


def test_the_judge_accepts_every_row() -> None:
    stories = Clutrr.configure({"world": WORLD})
    for row in stories[:30]:
        assert findings(stories, row) == []


@pytest.mark.parametrize(
    "options", [{"noise": "all"}, {"answer": "yes-no"}, {"unknown_share": 0.2}]
)
def test_stories_keep_the_promises(options: dict[str, object]) -> None:
    # A world of three answers has few questions to choose from: with the usual three facts beside
    # the chain, its stories take ten times as long to find.
    check_generator(Clutrr, options=options | {"world": WORLD, "beside": 2})


@pytest.mark.parametrize("fault", faults_of(WORLD))
def test_the_judge_finds_what_is_wrong(fault: str) -> None:
    check_fault(WORLD, fault)
