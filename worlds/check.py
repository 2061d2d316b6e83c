"""The test that every world must pass, ours and those of plugins."""

from collections.abc import Iterator
from contextlib import suppress

from ..errors import InvalidOption
from ..kb.worlds.fact import Fact
from ..kb.worlds.lint import semantic_findings
from ..kb.worlds.rules import RuleIndex
from ..kb.worlds.scene import Scene
from ..kb.worlds.verdict import Status
from ..kb.worlds.world import UNSTATED, World, find_world
from ..seed import Stream
from ..testing.profile import scaled, thinned

_GENDERS = ("female", "male", UNSTATED)
_SCENE_SIZE = 40
_SCENE_OPTIONS = {"children": 4, "marriage": 0.9, "same_gender": 0.1}


def check_world(name: str, *, stories: bool = True) -> None:
    """Assert that a registered world keeps the promises of docs/worlds.md.

    Rules hold in all situations. The judge refuses bad input, agrees with the rules on chains,
    with scenes on what is true, and with the solver. Names are distinct and are no words of
    sentences, and sentences say what they should. With `stories`, rows pass the conformance suite,
    and the judge finds planted faults in them.
    """
    world = find_world(name)
    rules = tuple(thinned(world.ruleset().rules, least=250))
    found = semantic_findings(world, rules, world.semantics)
    wrong = [str(finding) for finding in found if finding.is_error]
    assert not wrong, "\n".join(wrong)
    if world.stories is None:
        return
    _check_input(world)
    _check_single_facts(world)
    _check_chains(world)
    _check_scenes(world)
    _check_names(world)
    if stories:
        _check_stories(world)


def _agree(what: str, expected: object, found: object) -> None:
    assert found == expected, f"{what}: expected {expected}, but got {found}"


def _check_input(world: World) -> None:
    """Check that the judge refuses unknown words, and queries of one name."""
    word, unknown = next(iter(world.meanings)), "no-such-word"
    genders = dict.fromkeys("ab", world.meanings[word][1] or "male")
    for facts, query, claimed in (
        ([("a", unknown, "b")], ("a", "b"), None),
        ([("a", word, "b")], ("a", "b"), unknown),
        ([("a", word, "b")], ("a", "a"), None),
    ):
        with suppress(InvalidOption):
            world.judge(facts, genders, query, claimed)
            raise AssertionError(
                f"the judge accepts the facts {facts}, the query {query} and the claim {claimed}; "
                f"call check_input in it"
            )


def _genders(world: World, *names: str) -> Iterator[dict[str, str]]:
    """Yield all assignments of the world's genders to names; one empty if it has none."""
    if not names or not world.genders:
        yield {}
        return
    for known in _genders(world, *names[1:]):
        for gender in world.genders:
            yield {names[0]: gender} | known


def _check_single_facts(world: World) -> None:
    """Check that each word entails itself, its inverse, and nothing else."""
    for predicate, entry in world.predicates.items():
        possible = 0
        for genders in _genders(world, "a", "b"):
            word = entry.word(genders.get("b"))
            back = world.predicates[world.inverse(predicate) or ""].word(genders.get("a"))
            facts = [("a", word, "b")]
            there, turned = (
                world.judge(facts, genders, query) for query in (("a", "b"), ("b", "a"))
            )
            if there.status is not Status.IMPOSSIBLE:
                possible += 1
                _agree(f"from a to b by {facts}", {word}, set(there.answers))
                _agree(f"from b to a by {facts}", {back}, set(turned.answers))
        assert possible, f"the judge takes every fact with {predicate!r} for impossible"


def _check_chains(world: World) -> None:
    """Check that the judge entails what the rules derive from chains."""
    rules = RuleIndex.from_world(world)
    stream = Stream("check chains", world.name)
    derived = 0
    for _ in range(scaled(600, least=60)):
        clause = [stream.choice(rules.predicates)]
        for _ in range(1 + stream.below(4)):
            # Chains of any predicates seldom compose to anything.
            second = rules.by_first[rules.number[clause[-1]]] or [(0, 0)]
            clause.append(rules.predicates[stream.choice(second)[0]])
        heads = rules.derive(clause)
        names = [str(n) for n in range(len(clause) + 1)]
        genders = {name: stream.choice(world.genders) for name in names} if world.genders else {}
        facts = [
            (names[n], world.predicates[name].word(genders.get(names[n + 1])), names[n + 1])
            for n, name in enumerate(clause)
        ]
        for head in heads:
            word = world.predicates[head].word(genders.get(names[-1]))
            status = world.judge(facts, genders, (names[0], names[-1]), word).status
            derived += status is Status.ENTAILED
            assert status in (Status.ENTAILED, Status.IMPOSSIBLE), (
                f"rules derive {word!r} from {facts}, but the judge has it {status}"
            )
    assert derived, "no chain that was tried composes to anything"


def _check_scenes(world: World) -> None:
    """Check that scenes agree with the rules, and the judge with scenes."""
    numbers = {predicate: number for number, predicate in enumerate(world.predicates)}
    inverses = [numbers[world.inverse(predicate) or ""] for predicate in world.predicates]
    composed = RuleIndex.from_world(world).composed
    for seed in range(scaled(20)):
        first, scene = (
            world.scene(Stream("check", seed), _SCENE_SIZE, **_SCENE_OPTIONS) for _ in range(2)
        )
        _agree("the same scene from the same stream", first.between, scene.between)
        people = range(len(scene.gender))
        for x in people:
            for z, there in enumerate(scene.between[x]):
                if there < 0:
                    continue
                _agree("the inverse in a scene", inverses[there], scene.between[z][x])
                for y in people:
                    head = composed[there][scene.between[z][y]] if scene.between[z][y] >= 0 else -1
                    if head >= 0 and y != x:
                        _agree("what rules derive in a scene", head, scene.between[x][y])
        stream = Stream("check facts", world.name, seed)
        for _ in range(scaled(12, least=5)):
            _check_facts(world, scene, stream)


def _check_facts(world: World, scene: Scene, stream: Stream) -> None:
    """Check judge and solver on some true facts of a scene."""
    words = [list(entry) for entry in world.words]
    people = [stream.below(len(scene.gender))]
    facts: list[Fact] = []
    true: dict[tuple[str, str], str] = {}
    for _ in range(1 + stream.below(4)):
        x = stream.choice(people)
        related = [y for y, predicate in enumerate(scene.between[x]) if predicate >= 0]
        if related:
            y = stream.choice(related)
            facts.append((str(x), words[scene.between[x][y]][scene.gender[y]], str(y)))
            people.append(y)
    stated = {name for x, _, y in facts for name in (x, y)}
    # Somebody whom no fact mentions, so that some queries are undetermined.
    people = list(dict.fromkeys([*people, stream.below(len(scene.gender))]))
    for x in people:
        for y in people:
            if x != y and scene.between[x][y] >= 0:
                true[str(x), str(y)] = words[scene.between[x][y]][scene.gender[y]]
    genders = {str(x): _GENDERS[scene.gender[x]] for x in people} if world.genders else {}
    for query, word in true.items():
        verdict = world.judge(facts, genders, query)
        claimed = world.judge(facts, genders, query, word)
        assert verdict.status in (Status.ENTAILED, Status.UNDETERMINED), (query, facts, verdict)
        assert claimed.status in (Status.ENTAILED, Status.UNDETERMINED), (query, facts, claimed)
        assert word in verdict.answers or world.overlapping, (query, facts, word, verdict)
        if stated.issuperset(query):
            for claim, right in ((None, verdict), (word, claimed)):
                solved = world.solve(facts, genders, query, claim)
                _agree(f"the solver's verdict on {claim!r} of {query} by {facts}", right, solved)


def _check_names(world: World) -> None:
    """Check that names are distinct, and none is a word that a story says otherwise."""
    from ..templates.bank import find_bank
    from ..templates.language import words_of
    from ..templates.lint import lint as lint_bank
    from ..templates.samples import vocabulary

    spec = world.story_spec
    texts = [spec.question, spec.yes_no, spec.who, spec.legend, *spec.plain, *world.meanings]
    texts += [world.conventions.brief] if world.conventions else []
    said = {word for text in texts for word in words_of(text)}
    said |= spec.dated.words if spec.dated else frozenset()
    if world.sentences is not None:
        bank = find_bank(world.name)
        said |= vocabulary(bank) | bank.vocabulary
        found = lint_bank(bank)
        assert not found, "\n".join(map(str, found))
    names = [name for pool in spec.names for name in pool]
    assert len(set(names)) == len(names), "some names are listed twice"
    # People called Rose or Will are known by the capital letter.
    known = set(names) if world.genders else {name.lower() for name in names}
    assert not said & known, f"names that are words of sentences: {sorted(said & known)}"


def _check_stories(world: World) -> None:
    """Check rows of several kinds, and that the judge finds planted faults."""
    from ..generators.clutrr import Clutrr
    from ..testing import check_generator
    from .planted_faults import check_fault, faults_of

    style = {"style": "plain"} if world.sentences is None else {}
    for options in ({"noise": "all"}, {"answer": "yes-no"}, {"unknown_share": 0.2}):
        # In worlds with few answers there are few queries: stories with the default number of
        # side facts would take ten times as long to sample.
        check_generator(Clutrr, options={"world": world.name, "side_facts": 2, **style, **options})
    for fault in faults_of(world.name):
        check_fault(world.name, fault)
