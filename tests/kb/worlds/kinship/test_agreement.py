"""The rules and the judge, which share no code, agree."""

from itertools import pairwise, product

from relsmith.kb.worlds.kinship import world
from relsmith.kb.worlds.kinship.judge import judge
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.verdict import Status

WORLD = world()
SOUND = RuleIndex.from_world(WORLD, "sound")
THESIS = RuleIndex.from_world(WORLD, "thesis")
PREDICATES = sorted(WORLD.predicates)


def story(chain, males):
    """Return the chain as facts in words, with the genders of its people."""
    people = [f"P{n}" for n in range(len(chain) + 1)]
    genders = {name: "male" if male else "female" for name, male in zip(people, males, strict=True)}
    facts = [
        (x, WORLD.predicates[name].word(genders[y]), y)
        for (x, y), name in zip(pairwise(people), chain, strict=True)
    ]
    return facts, genders, (people[0], people[-1])


def test_rules_are_what_two_facts_entail_whatever_the_genders() -> None:
    """Compare for all genders: a word that holds for some genders only is no conclusion."""
    for first in PREDICATES:
        for second in PREDICATES:
            certain = []
            for males in product((True, False), repeat=3):
                verdict = judge(*story([first, second], males))
                if verdict.status is not Status.IMPOSSIBLE:
                    entailed = verdict.answers if verdict.status is Status.ENTAILED else ()
                    certain.append({WORLD.meanings[word][0] for word in entailed})
            derived = SOUND.derive([first, second])
            assert derived == (set.intersection(*certain) if certain else set()), (first, second)


def test_the_judge_rejects_conclusions_of_unsound_thesis_rules() -> None:
    facts, genders, query = story(["child", "inv-un"], [False, True, False])
    assert THESIS.derive(["child", "inv-un"]) == {"sibling"}
    assert judge(facts, genders, query, "sister").status is Status.UNDETERMINED
