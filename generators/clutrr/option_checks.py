"""Checks that options go together. Each yields what is wrong; the first finding is raised."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count

from ...errors import NotFound
from ...kb.worlds.languages import find_language, world_in
from ...kb.worlds.world import World
from ...splits import TRAIN
from ...templates.samples import vocabulary
from .options import LANGUAGE_SIBLINGS, MAX_PEOPLE, SHIPPED, StoryOptions
from .planning.feasibility import max_questions, rules_of
from .planning.holdout import max_clause_length

_MAX_K = 40
"""Families with longer chains are too rare."""
_WORDS_PER_FACT, _MIN_WORDS = 20, 500


def check_options(options: StoryOptions) -> None:
    """Raise ValueError where options are out of range, have no effect, or exclude each other."""
    for check in (
        *(_ranges, _effects, _form, _answers, _questions, _proofs),
        *(_people, _words, _hold_out, _siblings, _question_count, _language),
    ):
        for finding in check(options, options.story_world):
            raise ValueError(finding)


def _ranges(o: StoryOptions, world: World) -> Iterator[str]:
    for name, mix in (("k", o.k), ("train_k", o.train_k)):
        if mix and mix.low < 2:
            yield f"{name}: expected 2 or more, but got '{mix}'"
        if mix and mix.high > _MAX_K:
            yield f"{name}: expected {_MAX_K} at most, but got '{mix}'"
    for name, listed in (("noise", o.noise), ("hold_out", o.hold_out), ("siblings", o.siblings)):
        if "none" in listed and len(listed) > 1:
            yield f"{name}: 'none' cannot be combined with other kinds"
        if len(set(listed)) < len(listed):
            yield f"{name}: each kind may be listed once"
    if o.noise_length.low < 2 or o.noise_length.high > 6:
        yield f"noise_length: expected 2 to 6, but got '{o.noise_length}'"


def _effects(o: StoryOptions, world: World) -> Iterator[str]:
    """Yield options that would have no effect."""
    place, used = f"in the world {o.world},", world.story_spec.scene_options
    no_couples, no_noise = f"{place} without couples", "without noise; add --noise or"
    one_gender = f"{place} where no couple is of one gender"
    for name, has_effect, why in (
        ("gender", world.genders, f"{place} where nobody has one;"),
        ("children", "children" in used, f"{no_couples};"),
        ("marriage", "marriage" in used, f"{no_couples};"),
        ("same_gender", "same_gender" in used, f"{one_gender};"),
        ("noise_paths", o.kinds, no_noise),
        ("noise_length", o.kinds, no_noise),
        ("depth", o.words, "without --words;"),
        ("explain", o.task != "memory", "where nothing is to be proved;"),
        ("explain", not o.verifies, "where the question has the proof in words;"),
        ("choices", o.answer == "relation", f"on {o.answer} questions;"),
    ):
        value = getattr(o, name)
        if not has_effect and value != StoryOptions.model_fields[name].default:
            yield f"{name}: '{value}' has no effect {why} leave it out"


def _form(o: StoryOptions, world: World) -> Iterator[str]:
    wrong_answers = len(world.predicates) - 1
    if o.style == "text" and world.sentences is None:
        yield f"style: {o.world} has no sentences for 'text'; use plain or facts"
    if o.style == "facts" and world.story_spec.dated:
        yield f"style: bare facts have no dates for {o.world}; use text or plain"
    if o.conventions == "full" and world.conventions is None:
        yield f"conventions: the world {o.world} has none; leave it out"
    if o.verifies:
        wrong_answers = 2 * o.all_lengths[0] - 1
    if o.choices.isdigit() and int(o.choices) > wrong_answers:
        yield f"choices: there are {wrong_answers} wrong answers, but got {o.choices}"


def _answers(o: StoryOptions, world: World) -> Iterator[str]:
    for name, usual in (("answer", "relation"), ("unknown_share", 0)):
        if o.rules != world.default and getattr(o, name) != usual:
            needs = f"needs rules that always hold: --rules {world.default}"
            yield f"{name}: {getattr(o, name)!r} {needs}"
    if o.answer == "who" and not world.story_spec.who:
        yield f"answer: the world {o.world} has no question for 'who'"
    if o.answer != "relation" and o.verifies:
        yield f"answer: {o.answer!r} is not for derivations; leave it or --task out"
    if o.answer == "who" and o.task != "reasoning":
        yield "answer: 'who' is for reasoning; leave --task out"
    if o.answer == "who" and world.genders and o.gender == "text":
        yield "answer: 'who' needs everyone's gender: pass --gender given"


def _questions(o: StoryOptions, world: World) -> Iterator[str]:
    """Yield what does not go with several questions about a story."""
    if o.questions > 1:
        for name, value in (("answer", "relation"), ("unknown_share", 0), ("task", "reasoning")):
            if getattr(o, name) != value:
                why = f"since they have different answers, but got {getattr(o, name)!r}"
                yield f"questions: more than one needs --{name} {value}, {why}"
        if "clauses" in o.hold_out:
            why = "of which no story has several; leave out one of the two"
            yield f"questions: more than one cannot be combined with held-out clauses, {why}"
        if not o.side_facts:
            yield "questions: --questions above 1 needs --side-facts 1 or more"


def _proofs(o: StoryOptions, world: World) -> Iterator[str]:
    if o.rules != world.default and (o.explain or o.verifies):
        name = "explain" if o.explain else "task"
        yield f"{name}: needs rules that always hold: --rules {world.default}"
    if o.task != "reasoning" and o.unknown_share:
        yield "unknown_share: is for reasoning; leave --task out"


def _people(o: StoryOptions, world: World) -> Iterator[str]:
    spec, longest = world.story_spec, o.all_lengths[-1]
    for facts, room in (
        (longest + o.max_noise_facts, spec.max_facts),
        (longest, spec.max_chain_facts or spec.max_facts),
    ):
        if facts > room(o.people):
            fewest = next(size for size in count(1) if facts <= room(size))
            yield (
                f"people: stories of up to {facts} facts need at least {fewest}, but got "
                f"{o.people}; ask for {'more people or ' * (fewest <= MAX_PEOPLE)}a smaller k"
                f"{' or less noise' * (facts > longest)}"
            )
    if o.max_core_people > o.name_share * o.name_count:
        held = " and a share of them is held out" if o.name_share < 1 else ""
        yield (
            f"names: a story of up to {o.max_core_people} people needs as many names of a kind, "
            f"but there are {o.name_count}{held}; ask for a smaller k or less noise"
        )
    if o.names != SHIPPED and not o.anonymize:
        words = vocabulary(o.bank()) if o.style == "text" else frozenset[str]()
        words |= spec.dated.words if spec.dated else frozenset()
        for name in [name for kind in o.pool() for name in kind if name.lower() in words]:
            yield f"names: {name!r} is a word of the sentences too; delete it"
    if o.anonymize and o.gender == "names":
        yield "gender: placeholders do not show the gender; use text or given"
    if o.anonymize and world.kinds:
        listed = " and ".join(f"{kind}s" for kind in world.kinds)
        yield f"anonymize: placeholders do not distinguish {listed} of the world {o.world}"


def _words(o: StoryOptions, world: World) -> Iterator[str]:
    """Yield why a long story cannot be filled."""
    if not o.words:
        return
    if not world.story_spec.family_names:
        yield f"words: the world {o.world} has too few names for long stories"
    elif not world.story_spec.bridge:
        yield f"words: the world {o.world} has no bridge to join the families of long stories"
    if "irrelevant" not in o.kinds:
        yield "words: irrelevant noise fills long stories; add --noise irrelevant or all"
    if o.answer == "who":
        yield "answer: 'who' is not for stories with --words, whose filler has further answers"
    longest = o.all_lengths[-1]
    facts = longest + o.max_side_facts + o.max_noise_facts
    fewest = max(_WORDS_PER_FACT * facts, _MIN_WORDS)
    if o.words < fewest:
        what = f"stories of up to {longest} facts and their side facts and noise"
        yield f"words: expected {fewest} or more for {what}, but got {o.words}"
    for name, wanted in (("anonymize", o.anonymize), ("gender", o.gender == "given")):
        if wanted:
            yield f"{name}: stories with --words have too many people for that"
    if o.full_names and "names" in o.hold_out:
        yield "hold_out: stories this long use full names, of which none is held out"


def _hold_out(o: StoryOptions, world: World) -> Iterator[str]:
    trained = o.lengths(TRAIN)
    if "clauses" in o.hold_out:
        longest = max_clause_length(rules_of(o.world, o.rules))
        if trained.high > longest:
            why = f"of clauses longer than {longest} there are too many to list"
            yield f"hold_out: {why}; give a smaller train_k"
    if "clauses" in o.hold_out and set(trained) == {2}:
        yield "hold_out: clauses of two facts are never held out; give a larger k"
    if "names" in o.hold_out and o.anonymize:
        yield "hold_out: an anonymised story has no names to hold out"
    if "templates" in o.hold_out and o.style != "text":
        yield "hold_out: only the style text has templates to hold out"


def _siblings(o: StoryOptions, world: World) -> Iterator[str]:
    """Yield impossible perturbations, and options that would change more."""
    if not o.siblings:
        return
    if o.verifies and o.siblings != ("error",):
        yield f"siblings: those of derivations are 'error', but got '{','.join(o.siblings)}'"
    for name, value in (
        *(("answer", "relation"), ("task", "verify-steps" if o.verifies else "reasoning")),
        *(("questions", 1), ("unknown_share", 0), ("words", 0)),
    ):
        if getattr(o, name) != value:
            option = name.replace("_", "-")
            yield f"siblings: they need --{option} {value}, but got {getattr(o, name)!r}"
    one_way = "--direction forward has facts run one way only; leave it out"
    no_inverse = f"the rules {o.rules!r} do not all hold the other way round; use --rules"
    closed = rules_of(o.world, o.rules).is_inverse_closed
    for perturbation, possible, why in (
        ("words", o.style != "facts", "bare facts have no other words; use --style text"),
        ("noise", o.kinds, "choose a kind with --noise"),
        ("gender", world.genders, f"in the world {o.world} nobody has one"),
        ("inverse", o.direction == "random", one_way),
        ("inverse", closed, f"{no_inverse} {world.default}"),
        ("error", o.verifies, "is for derivations; add --task verify-steps"),
    ):
        if perturbation in o.siblings and not possible:
            yield f"siblings: {perturbation!r}: {why}"
    if o.choices not in ("none", "all"):
        yield f"siblings: they need --choices none or all, but got {o.choices!r}"
    needed, present = 2 * (o.max_core_people + o.max_side_facts), o.name_share * o.name_count
    if {"names", "gender"} & set(o.siblings) and needed > present:
        yield (
            f"siblings: {needed} names of a kind are needed so that siblings share none, but there "
            f"are {int(present)}; ask for a smaller k, less noise or a smaller --side-facts"
        )


def _language(o: StoryOptions, world: World) -> Iterator[str]:
    """Yield siblings in languages that do not fit, and options that a language does not have."""
    if o.is_parallel and not set(o.siblings) <= LANGUAGE_SIBLINGS - {o.language}:
        yield f"siblings: give other languages than {o.language!r} alone, or other changes alone"
    for language in LANGUAGE_SIBLINGS & set(o.siblings):
        with suppress(NotFound):
            world_in(o.world, language)
            continue
        yield f"siblings: the world {o.world!r} is not told in {language!r}"
    task = "memory" if o.task == "memory" else "reasoning"
    for code in dict.fromkeys([o.language, *sorted(LANGUAGE_SIBLINGS & set(o.siblings))]):
        features = find_language(code).texts.features
        for name, value in (("words", 0), ("task", task)):
            if name not in features and getattr(o, name) != value:
                yield f"language: {code!r} needs --{name} {value}, but got {getattr(o, name)!r}"
        if "gender" in o.siblings and "gender-siblings" not in features:
            yield f"language: {code!r} has no siblings of the kind 'gender'; leave it out"


def _question_count(o: StoryOptions, world: World) -> Iterator[str]:
    """Yield where stories cannot have as many questions."""
    for k in o.all_lengths if o.questions > 1 else ():
        most = max_questions(o, k)
        if most < o.questions:
            yield (
                f"questions: in stories of {k} facts and {o.max_side_facts} side facts "
                f"{most or 'no'} question{'s' * (most != 1)} with different answers "
                f"{'was' if most == 1 else 'were'} found, but got {o.questions}; ask for "
                f"{most or 1}, a larger --side-facts, more --people or less noise"
            )
