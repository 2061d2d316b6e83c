"""Cloze rows: restorable, new, on the whitelist, unbiased; and the official blanks."""

import copy
import pickle
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relsmith import Dataset, Example, verify, write
from relsmith.errors import Infeasible, InvalidInput, InvalidOption
from relsmith.generators.cloze import Cloze
from relsmith.generators.cloze.corpus import built_in_pairs
from relsmith.kb.lexicon.english import bases
from relsmith.kb.lexicon.wordnet import nltk_reader
from relsmith.testing import check_generator, check_golden, check_judge
from relsmith.testing.profile import scaled
from relsmith.validation import findings

KIDSCOOK = Path(__file__).parents[3].parent / "shared" / "data" / "kidscook"
needs_kidscook = pytest.mark.skipif(not KIDSCOOK.exists(), reason="KidsCook is not here")

GOLDEN = "1e4187e7601eda8bcae1f5a6026e51c0ea192820b0af14d35bc1757bb5622c63"
GOLDEN_KIDSCOOK = "a166f79d86f61aaa5891de679ba122b84d768dddbd3d98a20306d51feaf2016b"
GOLDEN_CHOICE = "7dcb9dff9cc0dd4e934176e5bd99f845b52c21687724df392b55388f9a542b5c"


def test_conformance() -> None:
    check_generator(Cloze, golden=GOLDEN, unjudged={"difficulty"})


def test_conformance_with_the_profile_of_the_paper() -> None:
    check_generator(Cloze, golden=GOLDEN_KIDSCOOK, options={"profile": "kidscook"})


def test_multiple_choice_is_judged_and_stays_as_it_is() -> None:
    generator = Cloze.configure(CHOICE)
    check_judge(generator, unjudged={"difficulty"})
    check_golden(generator, GOLDEN_CHOICE)


CHOICE = {"form": "choice", "difficulty": "false", "most": "2"}


def all_rows(**options: object):
    generator = Cloze.configure(options)
    return generator, list(generator.examples(generator.capacity(("train",), 0)["train"]))


@pytest.mark.slow
@needs_kidscook
@pytest.mark.parametrize(
    ("split", "exceptions"),
    [
        (
            "train",
            ["00655", "02536", "04322", "05843", "07773", "07933"],
        ),
        ("valid", ["00408"]),
    ],
)
def test_the_official_blanks(split: str, exceptions: list[str]) -> None:
    path = KIDSCOOK / f"{split}.jsonl"
    official = {}
    place = 0
    for line in path.read_bytes().splitlines(keepends=True):
        official[place] = orjson.loads(line)
        place += len(line)
    _, rows = all_rows(
        input=str(path), whitelist=str(KIDSCOOK / "approved.txt"), profile="kidscook"
    )
    assert [official[row.metadata["source"]]["id"] for row in rows] == [
        row["id"] for row in official.values() if row["kept"]
    ]
    others = [
        official[row.metadata["source"]]["id"]
        for row in rows
        if [tuple(blank) for blank in official[row.metadata["source"]]["blanks"]]
        != [
            (*blank, answer)
            for blank, answer in zip(row.metadata["blanks"], row.metadata["answers"], strict=True)
        ]
    ]
    assert others == [f"{split}-{number}" for number in exceptions]


@needs_kidscook
def test_alphabetical_order_does_not_matter_by_default(jsonl, plain) -> None:
    """Check that the official order never blanks "a" in a full row; ours treats letters alike."""
    words = [f"{letter}{letter}x" for letter in "abcdefghij"]
    rows = [{"abstract": [f"do{n}"], "concrete": words} for n in range(400)]
    path, whitelist = jsonl(*rows), plain(*words)
    for profile, fair in (("default", True), ("kidscook", False)):
        _, made = all_rows(
            input=path,
            whitelist=whitelist,
            profile=profile,
            cap=1.0,
            difficulty=False,
            phrases="words",
        )
        counts = Counter(answer for row in made for answer in row.metadata["answers"])
        assert counts.total() == 2000
        if fair:
            assert all(140 < counts[word] < 260 for word in words), counts
        else:
            assert [counts[word] for word in words] == [0] * 5 + [400] * 5


def test_no_answer_is_in_the_abstract_or_elsewhere_in_the_text() -> None:
    for form in ("all", "one"):
        _, rows = all_rows(form=form, difficulty=False)
        for row in rows:
            known = row.metadata
            shown = row.input.replace("____", " ")
            there = set().union(*(bases(word.strip(".,;:()!?|")) for word in shown.split()))
            for answer in known["answers"]:
                for word in answer.lower().split():
                    assert not bases(word) & there, (answer, row.input)
            assert known["leak"] == 0


def test_a_form_of_a_word_in_the_abstract_is_not_new(jsonl, plain) -> None:
    path = jsonl({"abstract": "Cut it.", "concrete": "Use a cutting board."})
    whitelist = plain("cutting", "board")
    _, (row,) = all_rows(input=path, whitelist=whitelist)
    assert row.target == "board"
    _, (row,) = all_rows(input=path, whitelist=whitelist, novelty="surface", phrases="runs")
    assert row.target == "cutting board"


def test_repeated_words_are_not_blanked_by_default(jsonl, plain) -> None:
    path = jsonl(
        {"abstract": "Mix it.", "concrete": "Take a Pan, a bowl, and pans; wipe the pan handle."}
    )
    _, (row,) = all_rows(input=path, whitelist=plain("pan", "bowl"))
    assert row.target == "bowl"
    _, (row,) = all_rows(input=path, whitelist=plain("pan", "bowl"), visible=True)
    assert row.target == "Pan | bowl | pan"
    assert row.metadata["leak"] == 0
    _, (row,) = all_rows(input=path, whitelist=plain("pan", "bowl", "pans"))
    assert row.target == "Pan | bowl | pans | pan"


def test_one_answer_does_not_recur_beyond_the_cap() -> None:
    for form in ("all", "one"):
        generator, rows = all_rows(cap=0.02, form=form, difficulty=False)
        pairs: dict[str, set[int]] = {}
        for row in rows:
            for answer in row.metadata["answers"]:
                pairs.setdefault(answer.lower(), set()).add(row.metadata["source"])
        most = max(map(len, pairs.values()))
        assert 5 < most <= 1 + 0.02 * generator._index.pairs
        _, uncapped = all_rows(cap=1.0, form=form, difficulty=False)
        counts = Counter(a.lower() for row in uncapped for a in row.metadata["answers"])
        assert max(counts.values()) > 2 * most


def test_phrases_are_collocations_runs_or_words(jsonl, plain) -> None:
    path = jsonl({"abstract": "Mix.", "concrete": "Use a wire whisk till hot."})
    whitelist = plain("wire", "whisk", "till", "hot", "wire whisk")
    targets = {
        phrases: all_rows(input=path, whitelist=whitelist, phrases=phrases)[1][0].target
        for phrases in ("npmi", "runs", "words")
    }
    assert targets == {
        "npmi": "wire whisk | till | hot",
        "runs": "wire whisk till hot",
        "words": "wire | whisk | till | hot",
    }


def test_alternatives_come_from_marks_only(jsonl, plain) -> None:
    path = jsonl(
        {"abstract": "Mix it.", "concrete": "Stir with a spoon until smooth."},
        {"abstract": "Mix it.", "concrete": "Stir with a wire whisk until smooth."},
    )
    _, rows = all_rows(input=path, whitelist=plain("spoon", "whisk"), order="file")
    assert [row.metadata["alternatives"] for row in rows] == [[[]], [[]]]
    marked = [re.findall(r"\[(.*?)[]~]", concrete) for _, concrete in built_in_pairs()]
    accepted = 0
    for phrases in ("npmi", "words", "runs"):
        generator, rows = all_rows(phrases=phrases, difficulty=False)
        for row in rows:
            known = row.metadata
            for answer, others in zip(known["answers"], known["alternatives"], strict=True):
                if others:
                    assert "|".join([answer, *others]) in marked[known["source"]]
                    accepted += 1
        if phrases == "npmi":
            assert accepted > 300
            spoilt = copy.deepcopy(rows[0])
            spoilt.metadata["alternatives"][0] = ["ladle"]
            assert any("alternatives are" in finding for finding in findings(generator, spoilt))


def test_our_pairs_use_their_marks_without_a_whitelist(plain) -> None:
    generator, rows = all_rows(difficulty=False)
    for row in rows:
        marks = re.findall(r"\[(.*?)[]|~]", built_in_pairs()[row.metadata["source"]][1])
        assert set(row.metadata["answers"]) <= set(marks)
    spoilt = copy.deepcopy(rows[0])
    spoilt.metadata["blanks"][0] = [0, 1, spoilt.metadata["concrete"].split()[0]]
    assert findings(generator, spoilt)
    _, listed = all_rows(whitelist=plain("helmet"), difficulty=False)
    assert {row.target.lower() for row in listed} == {"helmet"}
    assert all(row.metadata["alternatives"] == [[]] for row in listed)


def test_forms(jsonl, plain) -> None:
    path = jsonl({"abstract": "Mix it.", "concrete": "In a bowl, use a wire whisk."})
    whitelist = plain("bowl", "wire", "whisk", "wire whisk")

    def texts(**options: object) -> list[str]:
        _, rows = all_rows(input=path, whitelist=whitelist, order="file", **options)
        return sorted(row.input.split("\n", 1)[1] for row in rows)

    question = "Which words are missing? Give them in order, separated by |."
    assert texts() == [f"Concrete: In a (1) ____, use a (2) ____ ____.\n{question}"]
    assert texts(lengths=False) == [f"Concrete: In a (1) ____, use a (2) ____.\n{question}"]
    assert texts(form="one") == [
        "Concrete: In a ____, use a wire whisk.\nWhich words are missing?",
        "Concrete: In a bowl, use a ____ ____.\nWhich words are missing?",
    ]
    assert texts(form="bank")[0].endswith(
        "Give them in order, separated by |, from these: bowl, wire whisk."
    )


def test_choices_are_alike_in_form_and_unrelated() -> None:
    generator = Cloze.configure(CHOICE)
    rows = list(generator.examples(200))
    for row in rows:
        assert len(row.choices) == 4 and row.target in row.choices
        assert findings(generator, row) == []
    places = Counter(row.choices.index(row.target) for row in rows)
    assert min(places[at] for at in range(4)) > 25


def test_acceptable_words_are_never_wrong_choices() -> None:
    generator, rows = all_rows(**{**CHOICE, "most": 5})
    accepting = [row for row in rows if row.metadata["alternatives"][0]]
    assert len(accepting) > 50
    for row in accepting:
        assert not set(row.choices) & set(row.metadata["alternatives"][0])
    spoilt = copy.deepcopy(accepting[0])
    wrong = next(choice for choice in spoilt.choices if choice != spoilt.target)
    alternative = spoilt.metadata["alternatives"][0][0]
    spoilt.choices[spoilt.choices.index(wrong)] = alternative
    complaint = f"choice {alternative!r} is an accepted alternative"
    assert complaint in findings(generator, spoilt)


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ("Kettle", "differs from the answer in its first letter's case"),
        ("kettles", "differs from the answer in form"),
        ("tea kettle", "differs from the answer in form"),
        ("gently", "differs from the answer in form"),
        ("k", "differs from the answer in part of speech"),
        ("beautiful", "differs from the answer in part of speech"),
        ("orchard", "does not fit the article before it"),
        ("pan", "occurs in the text"),
        ("turner", "is an accepted alternative"),
    ],
)
def test_choices_that_fall_by_form_or_might_be_right_are_noticed(choice: str, problem: str) -> None:
    generator = Cloze.configure({**CHOICE, "most": "5"})
    rows = generator.examples(generator.capacity(("train",), 0)["train"])
    row = next(row for row in rows if "Fry an egg" in row.input and row.target == "spatula")
    wrong = next(one for one in row.choices if one != row.target)
    row.choices[row.choices.index(wrong)] = choice
    assert f"choice {choice!r} {problem}" in findings(generator, row)


def test_a_wider_word_among_the_choices_is_noticed() -> None:
    generator, rows = all_rows(**{**CHOICE, "most": 5})
    noticed = 0
    for row in rows[:200]:
        for wider in {
            low for sense in nltk_reader().synsets(row.target) for low in sense.hypernyms()
        }:
            spoilt = copy.deepcopy(row)
            wrong = next(choice for choice in row.choices if choice != row.target)
            spoilt.choices[spoilt.choices.index(wrong)] = wider.lemma_names()[0]
            noticed += any("right above or below" in one for one in findings(generator, spoilt))
    assert noticed > 100


def test_units_are_those_of_the_built_in_corpus(jsonl, plain) -> None:
    _, rows = all_rows(units="metric", difficulty=False)
    assert any("centimeters" in row.input for row in rows)
    with pytest.raises(InvalidOption, match="units: only for the built-in corpus"):
        Cloze.configure({"input": jsonl({}), "whitelist": plain("a"), "units": "metric"})


def test_a_synonym_among_the_choices_is_noticed() -> None:
    net = nltk_reader()
    generator, rows = all_rows(**{**CHOICE, "most": 5})
    words = sorted(generator._whitelist.novel)
    noticed = 0
    senses = {word: set(net.synsets(word)) for word in words}
    for row in rows[:100]:
        for word in words:
            if word != row.target and senses.get(row.target, set()) & senses[word]:
                assert word not in row.choices
                spoilt = copy.deepcopy(row)
                wrong = next(choice for choice in row.choices if choice != row.target)
                spoilt.choices[spoilt.choices.index(wrong)] = word
                complaint = f"choice {word!r} is a synonym of the answer"
                noticed += any(one.startswith(complaint) for one in findings(generator, spoilt))
    assert noticed > 10


@pytest.mark.parametrize("select", ["longest", "surprisal", "random"])
def test_policies_differ_only_at_the_cap(select: str) -> None:
    _, rows = all_rows(select=select, most=2, difficulty=False)
    _, others = all_rows(select="random", most=2, difficulty=False, order="shuffled")
    differ = [a.target != b.target for a, b in zip(rows, others, strict=True)]
    assert any(differ) == (select != "random")


def test_surprising_words_come_first_by_surprisal() -> None:
    def mean(select: str) -> float:
        _, rows = all_rows(select=select, most=2, phrases="words")
        bits = [bit for row in rows for bit in row.metadata["difficulty"]["alone"]]
        return sum(bits) / len(bits)

    assert mean("surprisal") > mean("random") + 1


def test_parts_of_speech_by_any_pipeline(jsonl, plain, tmp_path: Path) -> None:
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for word, tag in (("pour", "VERB"), ("pot", "NOUN"), ("slowly", "ADV"), ("hot", "ADJ")):
        ruler.add([[{"LOWER": word}]], {"POS": tag})
    nlp.to_disk(tmp_path / "tagger")
    path = jsonl({"abstract": "Do it.", "concrete": "Slowly pour hot tea in a pot."})
    answers = [
        all_rows(
            input=path,
            whitelist=plain("pour", "pot", "slowly", "hot"),
            select="pos",
            most=most,
            tagger=str(tmp_path / "tagger"),
        )[1][0].target
        for most in (1, 2, 3)
    ]
    assert answers == ["pot", "pour | pot", "pour | hot | pot"]
    with pytest.raises(InvalidOption, match="spaCy has no pipeline 'nowhere'"):
        all_rows(input=path, whitelist=plain("pour", "pot"), select="pos", most=1, tagger="nowhere")


def test_parts_of_speech_by_the_bundled_pipeline(jsonl, plain) -> None:
    path = jsonl({"abstract": "Do it.", "concrete": "Slowly pour hot tea in a pot."})
    words = plain("pour", "pot", "slowly", "hot")
    _, (row,) = all_rows(input=path, whitelist=words, select="pos", most=2)
    assert row.target == "pour | pot"


@pytest.mark.slow
@pytest.mark.torch
def test_a_causal_model_can_measure_instead(jsonl, plain, tmp_path: Path) -> None:
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["[UNK]", "Mix", "it", ".", "Use", "a", "wire", "whisk"]
    inner = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, "[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="[UNK]")
    config = transformers.GPT2Config(
        vocab_size=len(words), n_positions=32, n_embd=8, n_layer=1, n_head=1
    )
    folder = str(tmp_path / "model")
    tokenizer.save_pretrained(folder)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    path = jsonl({"abstract": "Mix it.", "concrete": "Use a wire whisk."})
    generator, (row,) = all_rows(input=path, whitelist=plain("wire", "whisk"), lm=folder)
    difficulty = row.metadata["difficulty"]
    assert all(1 < bits < 8 for bits in difficulty["alone"] + difficulty["with_abstract"])
    assert [source.name for source in generator.sources()] == ["pairs.jsonl", "whitelist", "model"]
    assert findings(generator, row) == []
    row.metadata["difficulty"]["with_abstract"] = None
    assert findings(generator, row) == [
        "difficulty.with_abstract is present or missing against --lm"
    ]


def test_a_model_is_not_trained_on_what_it_measures(jsonl, plain) -> None:
    """Check that a sentence of the corpus is as surprising as if it were not in it."""
    odd = {"abstract": "Odd one.", "concrete": "zebra flies past moons"}
    rows = [{"abstract": f"Do {n}.", "concrete": "pour tea past noon"} for n in range(40)]
    whitelist = plain("flies", "tea")
    _, made = all_rows(input=jsonl(*rows, odd), whitelist=whitelist, cap=1.0)
    bits = {row.target: row.metadata["difficulty"]["alone"][0] for row in made}
    assert bits["flies"] > 4 > bits["tea"]


def test_splits_share_no_abstract() -> None:
    generator = Cloze.configure({"form": "one", "difficulty": False})
    splits = ("train", "valid", "test")
    rows = generator.capacity(splits, 0)
    seen = {
        split: {
            row.metadata["abstract"]
            for row in generator.examples(rows[split], split=split, splits=splits)
        }
        for split in splits
    }
    assert not seen["train"] & seen["test"] | seen["train"] & seen["valid"]
    assert sum(map(len, seen.values())) > 200


def test_bad_lines_are_reported_and_strict_stops(gen, tmp_path: Path) -> None:
    good = b'{"abstract": "Mix it.", "concrete": "Use a bowl."}\n'
    (tmp_path / "pairs.jsonl").write_bytes(good + b"{oops\n" + good)
    (tmp_path / "words.txt").write_text("bowl\n")
    words = (
        "cloze",
        "--input",
        "pairs.jsonl",
        "--whitelist",
        "words.txt",
        "--out",
        "made",
        "--cap",
        "1",
    )
    run = gen(*words)
    assert run.returncode == 0, run.stderr
    assert "note: pairs.jsonl: 2 rows of 2 pairs" in run.stdout
    assert "note: 1 bad line passed over: pairs.jsonl:2: is not JSON" in run.stdout
    assert "made: train 2 rows" in run.stdout
    run = gen(*words, "--strict", "--force")
    assert run.returncode == 2
    assert run.stderr.splitlines() == [
        "gen: pairs.jsonl:2: is not JSON (character 2); fix it or leave --strict out"
    ]


def test_mistakes_in_one_line(jsonl, plain) -> None:
    path = jsonl({"abstract": "Mix it.", "concrete": "Use a bowl."})
    for options, message in [
        ({"input": path}, "gen cloze-whitelist"),
        ({"input": "nowhere.jsonl", "whitelist": plain("bowl")}, "there is no file"),
        ({"fields": "a,b"}, "only for an --input"),
        ({"input": path, "whitelist": plain("bowl"), "fields": "a"}, "expected two names"),
        ({"profile": "other"}, "profile"),
    ]:
        with pytest.raises(InvalidOption, match=message):
            Cloze.configure(options)
    nothing = Cloze.configure({"input": path, "whitelist": plain("spoon")})
    with pytest.raises(InvalidInput, match="none of its 1 pairs has a word to blank"):
        nothing.capacity(("train",), 0)
    rows = len(built_in_pairs())
    with pytest.raises(Infeasible, match=f"makes {rows} rows"):
        list(Cloze().examples(rows + 1))


def test_another_file_under_the_same_name_is_noticed(jsonl, plain, tmp_path: Path) -> None:
    path = jsonl({"abstract": "Mix it.", "concrete": "Use a bowl."})
    generator = Cloze.configure({"input": path, "whitelist": plain("bowl", "pot")})
    write(generator, tmp_path / "out", {"train": 1})
    assert list(verify(tmp_path / "out", trust=True)) == []
    jsonl({"abstract": "Mix it.", "concrete": "Use a pot."})
    assert any("sources differ" in finding for finding in verify(tmp_path / "out", trust=True))


def test_the_core_install_is_enough(tmp_path: Path) -> None:
    code = f"""
import sys
for name in ("spacy", "nltk", "numpy", "pandas", "transformers", "torch"):
    sys.modules[name] = None
from relsmith.cli.main import main
sys.argv = ["gen", "cloze", "--rows", "200", "--workers", "1", "--out", {str(tmp_path / "made")!r}]
main()
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert len(list(Dataset(tmp_path / "made").rows())) == 200


def test_without_wordnet_multiple_choice_says_what_to_install(gen, tmp_path: Path) -> None:
    run = gen("cloze", "--form", "choice", RELSMITH_WORDNET=str(tmp_path))
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1 and "no WordNet" in run.stderr


TOKENS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" _"), min_size=0, max_size=4
)
WORDS = st.sampled_from(["pan", "Pan", "pans", "lid", "lidded", "hot", "é", "e\u0301", "ß", "SS"])
SOURCES = st.one_of(
    st.lists(st.one_of(WORDS, TOKENS), min_size=1, max_size=12),
    st.builds(
        "".join,
        st.lists(
            st.one_of(WORDS, TOKENS, st.sampled_from([" ", "  ", "\n", "\t", "-", "'", "(1) "])),
            max_size=20,
        ),
    ),
)


@settings(max_examples=scaled(300), suppress_health_check=list(HealthCheck))
@given(
    pairs=st.lists(st.tuples(SOURCES, SOURCES), min_size=1, max_size=6),
    whitelist=st.lists(st.one_of(WORDS, TOKENS.filter(str.strip)), min_size=1, max_size=6),
    links=st.booleans(),
    options=st.fixed_dictionaries(
        {
            "novelty": st.sampled_from(["lemma", "surface"]),
            "phrases": st.sampled_from(["npmi", "runs", "words"]),
            "select": st.sampled_from(["random", "longest", "surprisal"]),
            "most": st.integers(1, 4),
            "visible": st.booleans(),
            "cap": st.sampled_from([0.3, 1.0]),
            "form": st.sampled_from(["all", "one", "bank"]),
            "lengths": st.booleans(),
            "order": st.sampled_from(["file", "shuffled"]),
        }
    ),
    seed=st.integers(0, 3),
)
def test_any_text_can_be_restored(tmp_path_factory, pairs, whitelist, links, options, seed) -> None:
    folder = tmp_path_factory.mktemp("any")
    lines = [orjson.dumps({"abstract": a, "concrete": c}) for a, c in pairs]
    (folder / "pairs.jsonl").write_bytes(b"\n".join(lines))
    listed = [*whitelist, *([f"{a} {b}" for a in whitelist for b in whitelist] * links)]
    (folder / "words.txt").write_bytes("\n".join(listed).encode())
    generator = Cloze.configure(
        {
            "input": str(folder / "pairs.jsonl"),
            "whitelist": str(folder / "words.txt"),
            **options,
        }
    )
    try:
        capacity = generator.capacity(("train",), 0)["train"]
    except InvalidInput:
        return
    for row in generator.examples(capacity, seed=seed):
        assert findings(generator, row) == []
        restored, at = [], 0
        for (start, end), answer in zip(
            row.metadata["spans"], row.metadata["answers"], strict=True
        ):
            restored += [row.metadata["concrete"][at:start], answer]
            at = end
        assert "".join([*restored, row.metadata["concrete"][at:]]) == row.metadata["concrete"]
        assert row.metadata["concrete"] in {
            text if isinstance(text, str) else " ".join(text) for _, text in pairs
        }


@pytest.mark.parametrize("options", [{}, {"profile": "kidscook"}, {"form": "one"}])
def test_read_files_are_passed_to_other_processes(options: dict[str, object]) -> None:
    generator = Cloze.configure(options)
    rows = list(generator.examples(20))
    again = pickle.loads(pickle.dumps(generator))
    assert list(again.examples(20)) == rows
    assert again.__dict__["_index"].pairs == generator._index.pairs


@pytest.mark.parametrize(
    ("spans", "answers", "flaw"),
    [
        ([[0, 3], [4, 7]], ["cut", "the"], None),
        ([[4, 7], [0, 3]], ["the", "cut"], "'cut' is not at characters 0 to 3"),
        ([[0, 7], [4, 7]], ["cut the", "the"], "'the' is not at characters 4 to 7"),
        ([[0, 3]], ["the"], "'the' is not at characters 0 to 3"),
        ([[3, 3]], [""], "'' is not at characters 3 to 3"),
        ([[0, 3]], [], "1 spans for 0 answers"),
        ([], [], "nothing is blanked"),
    ],
)
def test_a_broken_certificate_is_found(
    spans: list[list[int]], answers: list[str], flaw: str | None
) -> None:
    metadata = {"concrete": "cut the bread", "spans": spans, "answers": answers}
    row = Example("id", "input", [], "target", metadata)
    assert Cloze().replay(row) == ([flaw] if flaw else [])
