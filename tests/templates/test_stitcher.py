"""Random paths are realized: every fact once, everyone named, nothing ambiguous."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption, NotFound
from relsmith.kb.worlds.world import parse_world
from relsmith.templates.bank import find_bank, parse_bank
from relsmith.templates.stitcher import Stitcher, StoryWords, held_out
from relsmith.testing.profile import scaled

KINSHIP = find_bank("kinship")
STITCHER = Stitcher(KINSHIP)
SPATIAL = Stitcher(find_bank("spatial"))
NAMES = {
    "male": "Abel Bruno Cedric Dario Edgar Felix Gareth Hugo Ivor Jasper Klaus Lars".split(),
    "female": "Ada Beatrix Clara Daphne Elena Freya Greta Hilda Ingrid Joan Kira Lena".split(),
    None: "anvil bucket candle drum easel flask globe hammer ink jar kite lamp".split(),
}
PRONOUNS = {
    "male": re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE),
    "female": re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE),
}

seeds = st.integers(0, 10**9)


def path_of(stream, length, world=KINSHIP.world):
    """Return people and a random path among them; spouses differ in gender."""
    path = [stream.choice(world.genders or (None,))]
    for _ in range(length):
        predicate = stream.choice(sorted(world.predicates))
        gender = stream.choice(world.genders or (None,))
        if predicate == "SO":
            gender = "male" if path[-1] == "female" else "female"
        path += [predicate, gender]
    names = {gender: stream.sample(some, len(some)) for gender, some in NAMES.items()}
    return [names[gender].pop() for gender in path[::2]], tuple(path)


def mentioned(text, genders=("male", "female")):
    """Return every name in a text with its position."""
    every = "|".join(name for gender in genders for name in NAMES[gender])
    return [(match.start(), match[0]) for match in re.finditer(rf"\b(?:{every})\b", text)]


@settings(max_examples=scaled(300))
@given(st.integers(1, 10), seeds)
def test_any_path_is_realized(length, seed):
    stream = Stream(seed)
    people, path = path_of(stream, length)
    words = StoryWords(set(), set(), stream.choice(["", *STITCHER.scenes]))
    lines = STITCHER.realize_path(people, path, stream, words)
    assert [n for line in lines for n in range(line.first, line.last + 1)] == list(range(length))
    assert {STITCHER.bank.by_id[line.template].scene for line in lines} <= {"", words.scene}
    for line in lines:
        some = people[line.first : line.last + 2]
        named = {name for _, name in mentioned(line.text)}
        if line.last < line.first:
            assert len(named) <= 1 and named <= set(people), line.text
        else:
            assert named == set(some), line.text
        assert len(KINSHIP.by_id[line.template].predicates) == line.last - line.first + 1
        for sentence in KINSHIP.language.sentences(line.text):
            assert max(Counter(name for _, name in mentioned(sentence)).values(), default=0) < 2
        assert not re.search(r"[{}\[\]|@%]|  | [,.;:!?]|[.!?] [a-z]", line.text)
        assert re.match(r'"?[A-Z]', line.text), line.text
        assert re.search(r'[.!?]"?$', line.text), line.text


@settings(max_examples=scaled(150))
@given(st.integers(1, 10), seeds)
def test_articles_fit_their_words(length, seed):
    stream = Stream(seed)
    text = " ".join(line.text for line in STITCHER.realize_path(*path_of(stream, length), stream))
    assert not re.search(r"\b[Aa] (?!uni|ukulele|one\b|use|euro)[aeiou]", text), text
    assert not re.search(r"\b[Aa]n (?!hour|heir|honest)[^aeiou]", text), text


@settings(max_examples=scaled(300))
@given(st.integers(1, 6), seeds)
def test_no_pronoun_has_two_antecedents(length, seed):
    stream = Stream(seed)
    for line in STITCHER.realize_path(*path_of(stream, length), stream):
        for gender, pattern in PRONOUNS.items():
            for pronoun in pattern.finditer(line.text):
                before = {
                    name
                    for start, name in mentioned(line.text)
                    if start < pronoun.start() and name in NAMES[gender]
                }
                if not before:  # somebody who is named later, but was mentioned
                    nouns = [p.words[gender] for p in KINSHIP.world.predicates.values()]
                    spoken_of = re.findall(r"[\w-]+", line.text[: pronoun.start()])
                    before = set(nouns) & set(spoken_of)
                assert len(before) == 1, f"{pronoun[0]!r} in {line.text!r}"


def told(stitcher, *passage):
    return [(line.text, line.template) for line in stitcher.realize_path(*passage)]


def test_text_depends_on_the_stream_only():
    people, path = path_of(Stream("path"), 8)
    first = told(STITCHER, people, path, Stream("x"))
    # A stitcher that has realized other paths realizes this one in the same way.
    fresh = Stitcher(KINSHIP)
    fresh.realize_path(people[:4], path[:7], Stream("y"))
    assert told(fresh, people, path, Stream("x")) == first
    assert told(STITCHER, people, path, Stream("z")) != first


def coverings(stitcher, draws):
    """Return the frequencies of part lengths for a path of five facts."""
    people, path = path_of(Stream("path"), 5)
    stream, counts = Stream("many"), Counter()
    for _ in range(draws):
        lines = stitcher.realize_path(people, path, stream)
        lengths = [line.last - line.first + 1 for line in lines]
        counts[tuple(length for length in lengths if length)] += 1
    return counts


def test_coverings_are_uniform():
    counts = coverings(STITCHER, 6500)
    # 5 = 1+1+1+1+1 = 2+1+1+1 ... in 13 ways.
    assert len(counts) == 13
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 40


def test_splits_are_uniform_if_some_parts_have_no_frame():
    ones = [frame.id for frame in KINSHIP.frames if len(frame.predicates) != 2]
    counts = coverings(Stitcher(KINSHIP, only=ones), 4000)
    # 5 = 1+1+1+1+1 = 3+1+1 = 1+3+1 = 1+1+3.
    assert len(counts) == 4
    assert all(count > 500 for count in counts.values())


def test_frames_for_the_same_facts_are_drawn_about_as_often_as_each_other():
    """Check for all genders that no frame is drawn over four times as often as another."""
    stream, drawn = Stream("skew"), Counter()
    predicates = sorted(KINSHIP.world.predicates)
    for _ in range(40000):
        predicate = stream.choice(predicates)
        one, other = stream.choice(KINSHIP.world.genders), stream.choice(KINSHIP.world.genders)
        if predicate == "SO":
            other = "male" if one == "female" else "female"
        for line in STITCHER.realize_path(["Ada", "Abel"], (one, predicate, other), stream):
            drawn[line.template] += line.last >= line.first
    anything = frozenset(predicates)
    counts = [drawn[f.id] for f in KINSHIP.frames if f.predicates == (anything,) and not f.scene]
    assert len(counts) > 40
    assert max(counts) < 4 * min(counts)


def test_a_specific_frame_is_drawn_more_often_than_a_general_one():
    drawn = Stitcher(find_bank("kinship")).frame_choices(
        ("female", "inv-grand", "male", "grand", "male")
    )
    assert drawn.count("shared-15") == 4 * drawn.count("pairs-96") > 0


def test_asides_openings_and_closings_are_of_the_scene():
    stream, drawn, count = Stream("asides"), Counter(), 600
    for n in range(count):
        scene = STITCHER.scenes[n % len(STITCHER.scenes)]
        words = StoryWords(set(), set(), scene)
        lines = [STITCHER.scene_line(part, stream, words) for part in ("opening", "closing")]
        lines.append(STITCHER.aside("Ada", "female", stream, words))
        for line in filter(None, lines):
            frame = KINSHIP.by_id[line.template]
            assert frame.scene == scene and not frame.predicates and line.last < line.first
            drawn[frame.part] += 1
    assert drawn["opening"] == drawn["closing"] == count
    assert 0.08 < drawn[""] / count < 0.16


def test_most_frames_are_of_the_scene():
    stream, scene, counts = Stream("scene"), STITCHER.scenes[0], Counter()
    for _ in range(200):
        words = StoryWords(set(), set(), scene)
        for line in STITCHER.realize_path(*path_of(stream, 4), stream, words):
            counts[KINSHIP.by_id[line.template].scene] += 1
    assert set(counts) == {"", scene}
    assert counts[scene] > 0.7 * counts.total()


def test_held_out_frames_are_never_used():
    out = held_out(KINSHIP, 0.2, "seed", 1)
    frames = [frame for frame in KINSHIP.frames if not frame.part]
    assert 0.17 < len(out) / len(frames) < 0.23
    for scene in STITCHER.scenes:
        here = [frame.id for frame in frames if frame.scene == scene]
        assert 0.1 < len(out.intersection(here)) / len(here) < 0.3
    assert out == held_out(KINSHIP, 0.2, "seed", 1)
    assert out != held_out(KINSHIP, 0.2, "seed", 2)
    train, test = Stitcher(KINSHIP, hold_out=out), Stitcher(KINSHIP, only=out)
    stream = Stream("held out")
    for _ in range(100):
        passage = path_of(stream, 6)
        assert not out & {template for _, template in told(train, *passage, stream)}
        assert out.issuperset(template for _, template in told(test, *passage, stream))


@given(st.integers(1, 10), seeds)
def test_hidden_genders_are_revealed(length, seed):
    """Check that words reveal the gender even with neutral names."""
    stream = Stream(seed)
    people, path = path_of(stream, length)
    hidden = {people[0], people[-1]}
    lines = STITCHER.realize_path(people, path, stream, StoryWords(hidden, set()))
    assert not hidden
    for person, gender in ((people[0], path[0]), (people[-1], path[-1])):
        texts = " ".join(line.text for line in lines if person in line.text)
        nouns = [predicate.words[gender] for predicate in KINSHIP.world.predicates.values()]
        frames = [KINSHIP.by_id[line.template] for line in lines if person in line.text]
        assert (
            PRONOUNS[gender].search(texts)
            or any(re.search(rf"(?<![-\w]){noun}s?(?![-\w])", texts) for noun in nouns)
            or any(frame.genders for frame in frames)
            or any(":" in frame.text for frame in frames)
        ), texts


def test_mistakes_are_named():
    with pytest.raises(NotFound, match="no gender 'man' in this world"):
        STITCHER.realize_path(["Ada", "Abel"], ("female", "child", "man"), Stream(0))
    with pytest.raises(NotFound, match="no predicate 'chid'"):
        STITCHER.realize_path(["Ada", "Abel"], ("female", "chid", "male"), Stream(0))
    with pytest.raises(NotFound, match="has no frame 'nonsense'"):
        Stitcher(KINSHIP, hold_out=["nonsense"])
    with pytest.raises(InvalidOption, match="share"):
        held_out(KINSHIP, 1.5)


def test_the_stitcher_works_in_a_spatial_world():
    stream = Stream("grid")
    for length in range(1, 9):
        things, path = path_of(stream, length, SPATIAL.bank.world)
        lines = SPATIAL.realize_path(things, path, stream)
        assert lines[-1].last == length - 1
        assert {name for line in lines for _, name in mentioned(line.text, [None])} == set(things)


def test_a_plugin_world_has_its_own_language():
    lane = parse_world(
        "{format: 1, name: lane, summary: x, semantics: grid, default: plain, predicates: "
        "{left: {inverse: right, words: links von}, right: {inverse: left, words: rechts von}}, "
        "rulesets: {plain: {summary: x, rules: [{head: left, body: [left, left], source: x}]}}}",
        "lane.yaml",
    )
    texts = {
        "bank.yaml": "{format: 1, world: lane, language: de, summary: x}",
        "lists.yaml": "{format: 1, lists: {wo: [im Regal, am Tisch]}}",
        "dinge.yaml": "{format: 1, theme: dinge, groups: [{states: [a left b], frames: "
        "{dinge-1: '{b} ist {a>b} {a}, {wo}.'}}]}",
    }
    stitcher = Stitcher(parse_bank(texts, lane))
    lines = stitcher.realize_path(["A", "B", "C"], (None, "right", None, "right", None), Stream(0))
    assert [re.sub(", (im Regal|am Tisch)", "", line.text) for line in lines] == [
        "A ist links von B.",
        "B ist links von C.",
    ]
