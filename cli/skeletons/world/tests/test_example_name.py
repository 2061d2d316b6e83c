"""The rules hold, the sentences are sound, and stories keep relsmith's promises."""

import pytest

from relsmith.generators.clutrr import Clutrr
from relsmith.kb.lint import lint
from relsmith.kb.world import find_world
from relsmith.templates.bank import find_bank
from relsmith.templates.lint import lint as lint_bank
from relsmith.testing import check_generator

WORLD = "example-name"


def test_no_rule_says_what_is_false() -> None:
    for rules in find_world(WORLD).rulesets:
        assert not [finding for finding in lint(find_world(WORLD), rules) if finding.wrong]


def test_the_sentences_are_sound() -> None:
    assert not lint_bank(find_bank(WORLD))


@pytest.mark.parametrize(
    "options", [{"noise": "all"}, {"answer": "yes-no"}, {"unknown_share": 0.2}]
)
def test_stories_keep_the_promises(options: dict[str, object]) -> None:
    check_generator(Clutrr, options=options | {"world": WORLD})
