"""Check the rules, the sentences, the stories, and that the judge finds planted faults.

These tests take seconds. `RELSMITH_PROFILE=full pytest` is thorough: run it before a release.
"""

import pytest

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.judging.planted_faults import check_fault, faults_of
from relsmith.kb.worlds.lint import lint
from relsmith.kb.worlds.world import find_world
from relsmith.templates.bank import find_bank
from relsmith.templates.lint import lint as lint_bank
from relsmith.testing import check_generator
from relsmith.validation import findings

WORLD = "example-name"


def test_no_rule_is_false() -> None:
    for rules in find_world(WORLD).rulesets:
        assert not [finding for finding in lint(find_world(WORLD), rules) if finding.is_error]


def test_sentences_have_no_findings() -> None:
    assert not lint_bank(find_bank(WORLD))


def test_the_judge_accepts_every_row() -> None:
    stories = Clutrr.configure({"world": WORLD})
    for row in stories[:30]:
        assert findings(stories, row) == []


@pytest.mark.parametrize(
    "options", [{"noise": "all"}, {"answer": "yes-no"}, {"unknown_share": 0.2}]
)
def test_conformance_of_stories(options: dict[str, object]) -> None:
    # With three answers there are few queries: the default of three side facts would make the
    # sampling of stories ten times as slow.
    check_generator(Clutrr, options=options | {"world": WORLD, "beside": 2})


@pytest.mark.parametrize("fault", faults_of(WORLD))
def test_the_judge_finds_planted_faults(fault: str) -> None:
    check_fault(WORLD, fault)
