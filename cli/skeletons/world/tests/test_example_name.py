"""Check the rules, the judge, the sentences and the stories.

This takes seconds. `RELSMITH_PROFILE=full pytest` is thorough: run it before a release.
"""

from relsmith.worlds import check_world


def test_world() -> None:
    check_world("example-name")
