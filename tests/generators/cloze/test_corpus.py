"""Reading pairs: every kind of file, every kind of bad line, from any place on."""

import pickle
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.errors import InvalidInput, InvalidOption
from relsmith.generators.cloze.corpus import BadLines, BuiltInCorpus, built_in_pairs, open_corpus
from relsmith.generators.cloze.tokens import Text
from relsmith.kb.lexicon.english import bases


def texts(corpus, place: int = 0) -> list[tuple[str, str]]:
    return [(pair.abstract.text, pair.concrete.text) for pair in corpus.pairs(place)]


def test_the_built_in_corpus_is_large_and_its_texts_differ() -> None:
    pairs = texts(BuiltInCorpus())
    page = (Path(__file__).parents[3] / "docs" / "cloze.md").read_text()
    abstracts = {abstract for abstract, _ in pairs}
    assert f"{len(pairs):,} concrete texts of {len(abstracts)} abstracts" in page
    assert len({concrete for _, concrete in pairs}) == len(pairs)
    for abstract, concrete in pairs:
        assert abstract == abstract.strip() and abstract.endswith(".")
        assert concrete == concrete.strip() and concrete.endswith((".", "!", "?"))
        assert "  " not in concrete and not re.search(r"____|[\[\]|]", abstract + concrete)
        assert 12 <= len(concrete.split()) <= 60, concrete
        assert len(abstract.split()) < len(concrete.split())
    groups = list(BuiltInCorpus().groups())
    assert all(2 <= len(group) <= 4 for group in groups)
    assert len({group[0].key for group in groups}) == len(groups), "no abstract comes twice"


def test_no_two_of_our_texts_are_nearly_the_same() -> None:
    """No two share more than a fifth of their runs of three words."""
    runs = []
    for _, concrete in texts(BuiltInCorpus()):
        words = re.findall(r"[a-z'-]+", concrete.lower())
        runs.append({tuple(words[n : n + 3]) for n in range(len(words) - 2)})
    having: dict[tuple[str, ...], list[int]] = {}
    for number, some in enumerate(runs):
        for run in some:
            having.setdefault(run, []).append(number)
    shared = Counter(pair for numbers in having.values() for pair in combinations(numbers, 2))
    for (one, other), together in shared.items():
        assert together / len(runs[one] | runs[other]) < 0.2, (one, other)


def test_our_marks_can_all_be_blanked() -> None:
    """Each is whole words, new, nowhere else to be seen, and so is whatever would do as well."""
    for pair in BuiltInCorpus().pairs():
        shown = set().union(*map(bases, pair.abstract.lower))
        for place, word in enumerate(pair.concrete.lower):
            if place not in pair.marks:
                shown |= bases(word)
        text = built_in_pairs()[pair.place][1]
        assert len(set(re.findall(r"\[(.*?)\]", text))) >= 2, text
        for start, end, alternatives, wrong in pair.marks.values():
            assert len(set(wrong)) == len(wrong) and (not wrong or len(wrong) >= 3), text
            answer = pair.concrete.lower[start:end]
            assert f"[{' '.join(pair.concrete.tokens[start:end])}" in text, text
            assert not shown & set().union(*map(bases, answer)), (answer, text)
            for alternative in alternatives:
                words = alternative.split(" ")
                assert len(words) == end - start and words != answer, (alternative, text)
                if pair.concrete.lower[start - 1] in ("a", "an"):
                    assert (words[0][0] in "aeiou") == (answer[0][0] in "aeiou"), (words, text)
                own = set().union(*map(bases, answer))
                assert not (set().union(*map(bases, words)) - own) & shown, (alternative, text)


def test_our_marks_list_every_synonym() -> None:
    """A mark with a word of a set lists the others of it, unless shown elsewhere or excepted.

    `synonyms.txt` has a set a line; below it, after dashes, where its words are no synonyms.
    """
    exceptions: dict[tuple[str, ...], list[str]] = {}
    for line in (Path(__file__).parent / "synonyms.txt").read_text().splitlines():
        if line.startswith("- "):
            exceptions[list(exceptions)[-1]].append(line[2:])
        else:
            exceptions[tuple(line.split())] = []
    unused = {place for places in exceptions.values() for place in places}
    missing = []
    for abstract, marks in built_in_pairs():
        marked = re.sub(r"~[^]]*", "", marks)
        text = re.sub(r"\|[^]]*", "", marked)
        shown = re.findall(r"[a-z'-]+", f"{abstract} {text}".lower())
        words = set().union(*map(bases, shown))
        both = re.finditer(r"\[(.*?)]", marked), re.finditer(r"\[(.*?)]", text)
        for mark, plain in zip(*both, strict=True):
            listed = mark[1].lower().split("|")
            article = re.search(r"\ban? $", text[: plain.start()], re.IGNORECASE)
            for synonyms, places in exceptions.items():
                if listed[0] not in synonyms:
                    continue
                here = [place for place in places if _covers(text, place, plain.start())]
                unused.difference_update(here)
                for word in () if here else set(synonyms) - set(listed):
                    starts = {word[0] in "aeiou", listed[0][0] in "aeiou"}
                    if not bases(word) & words and not (article and len(starts) == 2):
                        missing.append((word, marked))
    assert not missing and not unused


def test_metric_units() -> None:
    """Check that both editions have the same pairs, and only one the units of the other."""
    ours, metric = built_in_pairs(), built_in_pairs("metric")
    changed = [(one[1], other[1]) for one, other in zip(ours, metric, strict=True) if one != other]
    assert len(changed) > 40
    customary = r"\b(inch|inches|miles?|ounces|quart|pounds?|Fahrenheit)\b"
    assert not [text for _, text in changed if re.search(customary, re.sub(r"~[^]]*", "", text))]
    assert not any("{" in text or "}" in text for pair in (*ours, *metric) for text in pair)
    assert BuiltInCorpus("metric").digest != BuiltInCorpus().digest


def _covers(text: str, part: str, place: int) -> bool:
    """Whether the part is somewhere in the text so that the place is in it."""
    return any(at.start() <= place < at.end() for at in re.finditer(re.escape(part), text))


def test_text_and_token_lists(jsonl) -> None:
    path = jsonl(
        {"abstract": "Boil it.", "concrete": "Use a pot."},
        {"abstract": ["boil", "it"], "concrete": ["use", "a", "pot"]},
    )
    corpus = open_corpus(path)
    assert texts(corpus) == [("Boil it.", "Use a pot."), ("boil it", "use a pot")]
    first, second = corpus.pairs()
    assert first.concrete.tokens == ["Use", "a", "pot", "."] and not first.concrete.given
    assert second.concrete.tokens == ["use", "a", "pot"] and second.concrete.given


def test_other_names(jsonl) -> None:
    path = jsonl({"headline": "Boil it.", "title": "How to", "text": "Use a pot."})
    assert texts(open_corpus(path)) == [("Boil it.", "Use a pot.")]
    path = jsonl({"goal": "Boil it.", "steps": "Use a pot."})
    assert texts(open_corpus(path, ("goal", "steps"))) == [("Boil it.", "Use a pot.")]


def test_a_byte_order_mark_is_no_part_of_json(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"abstract": "a", "concrete": "b"}\n')
    assert texts(open_corpus(str(path))) == [("a", "b")]


GOOD = {"abstract": "Boil it.", "concrete": "Use a pot."}
BAD = [
    (b"{nonsense", "is not JSON (character 2)"),
    (b"", "is empty"),
    (b"[1, 2]", "is no object with texts or lists of tokens"),
    (b'{"abstract": "x"}', "has no field 'concrete'"),
    (b'{"abstract": "x", "concrete": ""}', "concrete is empty"),
    (b'{"abstract": "x", "concrete": "  "}', "concrete is empty"),
    (b'{"abstract": [], "concrete": "y"}', "abstract is empty"),
    (b'{"abstract": null, "concrete": "y"}', "abstract is empty"),
    (b'{"abstract": 3, "concrete": "y"}', "abstract is neither a text nor a list of tokens"),
    (b'{"abstract": "x", "concrete": [1]}', "is no object with texts or lists of tokens"),
    (b'{"abstract": "x", "concrete": ["a b"]}', "concrete has a token with a space in it"),
    (b'{"abstract": "x", "concrete": "\xff"}', "is not UTF-8"),
    (b'{"abstract": "x", "concrete": "a ____ b"}', "concrete holds a blank (____) of its own"),
    (b'{"abstract":"x","concrete":["a b"]}', "concrete has a token with a space in it"),
    (b'{"abstract":"x","concrete":["a\\u0020b"]}', "concrete has a token with a space in it"),
    (b'{"abstract":["____"],"concrete":"y"}', "abstract holds a blank (____) of its own"),
    (b'{"abstract":"x","concrete":"__\\u005f_"}', "concrete holds a blank (____) of its own"),
    (b'{"abstract":"x","concrete":[1]}', "is no object with texts or lists of tokens"),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_bad_lines_are_counted_and_named(jsonl, line: bytes, reason: str) -> None:
    path = jsonl(GOOD, line, GOOD)
    bad = BadLines("pairs.jsonl", strict=False)
    assert len(list(open_corpus(path).pairs(bad=bad))) == 2
    assert bad.count == 1
    assert bad.remarks() == [f"1 bad line passed over: pairs.jsonl:2: {reason}"]
    with pytest.raises(InvalidInput, match=r"pairs\.jsonl:2: ") as error:
        list(open_corpus(path).pairs(bad=BadLines("pairs.jsonl", strict=True)))
    assert reason in str(error.value)


def test_only_the_first_few_are_named(jsonl) -> None:
    path = jsonl(*[b"x"] * 9, GOOD)
    bad = BadLines("pairs.jsonl", strict=False)
    list(open_corpus(path).pairs(bad=bad))
    (remark,) = bad.remarks()
    assert remark.startswith("9 bad lines passed over: ") and remark.endswith("; and 4 more")


def test_kinds_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "pairs.xml").write_text("")
    with pytest.raises(InvalidOption, match=r"pairs.xml' is of no kind"):
        open_corpus(str(tmp_path / "pairs.xml"))
    with pytest.raises(InvalidOption, match="there is no file"):
        open_corpus("nowhere.jsonl")


def test_neighbours_of_one_key_are_a_group(jsonl) -> None:
    rows = [{**GOOD, "abstract": name, "video": video} for name, video in ("a1", "b1", "b2", "a2")]
    by_abstract = [len(group) for group in open_corpus(jsonl(*rows)).groups()]
    assert by_abstract == [1, 2, 1]
    by_video = [len(group) for group in open_corpus(jsonl(*rows), group="video").groups()]
    assert by_video == [2, 2]


def test_groups_can_be_read_from_their_places(jsonl) -> None:
    rows = [{**GOOD, "abstract": str(at // 3)} for at in range(20)]
    for corpus in (open_corpus(jsonl(*rows)), BuiltInCorpus()):
        groups = list(corpus.groups())
        for group in groups:
            again, *_ = corpus.groups(group[0].place)
            assert [pair.place for pair in again] == [pair.place for pair in group]


def test_a_single_pair_can_be_read_from_its_place(jsonl) -> None:
    rows = [{**GOOD, "concrete": str(at)} for at in range(5)]
    for corpus in (open_corpus(jsonl(b"", *rows)), BuiltInCorpus()):
        with corpus.open() as file:
            for pair in list(corpus.pairs()):
                again = corpus.pair(pair.place, file)
                assert (again.place, again.concrete.text) == (pair.place, pair.concrete.text)
            assert corpus.pair(1 << 20, file) is None


def test_a_corpus_goes_to_other_processes(jsonl) -> None:
    path = jsonl({"goal": "a", "steps": "b", "id": 1}, {"goal": "c", "steps": "d", "id": 1})
    for corpus in (open_corpus(path, ("goal", "steps"), "id"), BuiltInCorpus()):
        again = pickle.loads(pickle.dumps(corpus))
        assert texts(again) == texts(corpus)
        assert [len(group) for group in again.groups()] == [len(one) for one in corpus.groups()]


@given(st.text(max_size=60))
def test_tokens_stand_where_they_are_said_to(text: str) -> None:
    found = Text(text)
    for at, token in enumerate(found.tokens):
        start, end = found.span(at, at + 1)
        assert text[start:end] == token and token.strip() == token
    assert "".join(found.tokens) == "".join(text.split())
    assert len(found.lower) == len(found.tokens)


@given(st.lists(st.text(max_size=8).filter(lambda token: " " not in token), min_size=1))
def test_given_tokens_stand_a_space_apart(tokens: list[str]) -> None:
    found = Text(" ".join(tokens), tokens)
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            assert found.text[slice(*found.span(start, end))] == " ".join(tokens[start:end])
    assert len(found.lower) == len(tokens)


def test_lines_that_are_no_objects_and_lines_without_end_are_passed_over(tmp_path) -> None:
    good = b'{"abstract": "a b", "concrete": "c d"}\n'
    bad = [b"[1, 2]\n", b'"x"\n', b"1\n", b"[" * 5000 + b"\n", b"x" * (1 << 25) + b"\n", b"\xff\n"]
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b"".join(line + good for line in bad))
    corpus = open_corpus(str(path), ("abstract", "concrete"))
    noted = BadLines("pairs.jsonl", False)
    pairs = list(corpus.pairs(bad=noted))
    assert len(pairs) == noted.count == len(bad)
    with corpus.open() as file:
        assert all(corpus.pair(pair.place, file) for pair in pairs)
    assert "16,777,216 characters" in noted.first[4]
