"""A world: custom predicates and rules, checked against their semantics.

`python examples/own_world.py`

docs/worlds.md describes the file, and how a world gets stories.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from relsmith.kb.worlds.lint import lint
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.world import World, load_world

LANE = """
format: 1
name: lane
summary: Things in a row.
semantics: spatial
default: plain
predicates:
  left: {inverse: right, words: to the left of}
  right: {inverse: left, words: to the right of}
rulesets:
  plain:
    summary: Both directions are transitive.
    rules:
      - {head: left, body: [left, left], source: made up}
      - {head: right, body: [right, right], source: made up}
  hasty:
    summary: One rule too many.
    rules:
      - {head: left, body: [left, right], source: made up}
"""


def lane() -> World:
    """Load the world, as a plugin would from a file next to its module."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "lane.yaml")
        path.write_text(LANE, "utf-8")
        return load_world(path)


world = lane()
lane_rules = RuleIndex.from_world(world, "plain")
print("left of what is left of what is left:", *lane_rules.derive(["left", "left", "left"]))
for rules in ("plain", "hasty"):
    findings = [str(finding) for finding in lint(world, rules)]
    print(f"\n{rules}:", *(findings or ["nothing to find"]), sep="\n  ")
