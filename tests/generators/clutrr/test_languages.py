"""Stories in German and Spanish: judged, parallel to English, and scored in their language."""

import json
import re
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from itertools import pairwise
from pathlib import Path
from shutil import copytree
from types import ModuleType
from typing import Any

import pytest

import relsmith
from relsmith import Dataset, verify, write
from relsmith.errors import InvalidOption, RelsmithError
from relsmith.example import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import stated_facts, world_of
from relsmith.generators.clutrr.output.view import view
from relsmith.kb.worlds.languages import world_in
from relsmith.prompting.prompt import Prompter
from relsmith.prompting.rl import Curriculum
from relsmith.registry import LANGUAGES as LANGUAGES_OF_PLUGINS
from relsmith.registry import PluginEntry
from relsmith.templates.bank import find_bank
from relsmith.templates.lint import lint
from relsmith.testing.profile import scaled, thinned
from relsmith.web.view.rows import DatasetRows

ROOT = Path(__file__).parents[3]
LANGUAGES = ("de", "es")
WORLDS = ("kinship", "ordering")
OPTIONS: list[dict[str, object]] = [
    {"k": "2..6", "noise": "all", "explain": True},
    {"k": "2..3", "unknown_share": 0.4, "choices": "3", "conventions": "full"},
    {"k": "2..3", "answer": "yes-no", "unknown_share": 0.3},
    {"k": "2..3", "answer": "who", "unknown_share": 0.3},
    {"k": "3", "style": "plain", "explain": True},
    {"k": "3", "style": "facts", "task": "memory"},
    {"k": "2..4", "siblings": "words,names,order,inverse"},
    {"k": "2..3", "anonymize": True, "questions": 2},
]


def made(options: dict[str, object], rows: int) -> tuple[Clutrr, list[Example]]:
    if options.get("answer") == "who" and options.get("world", "kinship") == "kinship":
        options = options | {"gender": "given"}
    generator = Clutrr.configure(options)
    return generator, list(generator.examples(rows))


@pytest.mark.parametrize("options", thinned(OPTIONS, least=4), ids=str)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_judge_finds_no_fault(language: str, world: str, options: dict[str, object]) -> None:
    generator, rows = made(options | {"language": language, "world": world}, scaled(100, least=10))
    assert [(row.id, found) for row in rows if (found := generator.problems(row))] == []
    assert {row.metadata["language"] for row in rows} == {language}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_rows_are_the_same_in_english(language: str, world: str) -> None:
    """Check people, facts and their order, question, proof and answer of each row."""
    options: dict[str, object] = {"world": world, "k": "2..5", "noise": "all", "choices": "all"}
    count = scaled(200, least=30)
    _, english = made(options, count)
    _, rows = made(options | {"language": language}, count)
    for first, other in zip(english, rows, strict=True):
        assert first.id.replace("-s0-", f"-s0-{language}-") == other.id
        assert meaning(first) == meaning(other)
        assert first.metadata["language"] == "en"


def meaning(row: Example) -> dict[str, Any]:
    """Return what a row says, with the predicate and gender instead of each relation word."""
    meanings, known = world_of(row).meanings, row.metadata
    told = {
        name: known[name]
        for name in ("query", "genders", "proof", "clause", "k", "noise", "proofs", "proof_depth")
    }
    facts = known["facts"] + known["side_facts"]
    facts += [fact for paths in known["noise_facts"] for path in paths for fact in path]
    told["facts"] = [(x, meanings[word], y) for x, word, y in facts]
    told["concluded"] = [meanings[word] for word in known["concluded"]]
    told["target"] = meanings[row.target]
    told["choices"] = sorted(meanings[word] for word in row.choices)
    return told


def test_groups_are_parallel() -> None:
    generator, rows = made({"siblings": "de,es", "k": "2..4", "noise": "supporting"}, 3 * 20)
    groups = [rows[start : start + 3] for start in range(0, 60, 3)]
    for group in groups:
        assert generator.check_group(group) == []
        assert [row.metadata["language"] for row in group] == ["en", "de", "es"]
        english, german, spanish = group
        assert {row.metadata["group"] for row in group} == {english.id}
        assert german.id.rpartition("-")[0] == "clutrr-v4-s0-de-train"
        answer = Clutrr.equivalent_answer({}, english, german, english.target)
        assert (answer, relsmith.score(german, answer).value) == (german.target, 1)
    # What is not parallel is found.
    english, german, spanish = groups[0]
    for wrong in (
        replace(german, target=next(w for w in world_of(german).meanings if w != german.target)),
        replace(german, metadata=german.metadata | {"states": german.metadata["states"][::-1]}),
        spanish,
    ):
        assert generator.check_group([english, wrong, spanish]), wrong
    for row in (replace(german, metadata=german.metadata | {"group": german.id}), groups[1][1]):
        shown = replace(row, id=german.id)
        assert any("its group should be" in found for found in generator.problems(shown))


@pytest.mark.parametrize(
    "options", [{"language": "de"}, {"siblings": "de,es"}, {"language": "es", "siblings": "en"}]
)
def test_ids_name_the_language(tmp_path: Path, options: dict[str, object]) -> None:
    """Datasets with such ids are verified, and pages and curricula find rows by them."""
    write(Clutrr.configure(options), tmp_path, {"train": 6, "test": 6}, force=True)
    assert [*verify(tmp_path)] == []
    found, dataset = DatasetRows(tmp_path), Dataset(tmp_path)
    for row in (row for split in ("train", "test") for row in dataset.rows(split)):
        language = row.metadata["language"]
        assert (f"-{language}-" in row.id) == (language != "en")
        place = found.find(row.id)
        assert place is not None
        assert next(iter(found.rows([place]))) == row
        assert found.find(row.id.replace("-s0-", "-s0-fr-")) is None
    file = next(tmp_path.glob("test-*.jsonl"))
    first, *lost, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + last)
    missing = f"{Example.parse(lost[0]).id!r} and 3 more are missing before this line"
    assert any(missing in finding for finding in verify(tmp_path))
    curriculum = Curriculum("clutrr", cells=({"language": "de"}, {"language": "en"}))
    for row in (next(curriculum) for _ in range(4)):
        curriculum.update(1, row.id)
        assert curriculum.cells[curriculum.cell_of(row)]["language"] == row.metadata["language"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_sentence_is_found(language: str) -> None:
    """Exchange a relation word, a determiner or a name of one sentence: the judge notices."""
    generator, rows = made({"language": language, "k": "2..3"}, scaled(100, least=20))
    bank = find_bank("kinship", language)
    nouns = set(bank.world.meanings) | {
        form for forms in bank.header.forms.values() for form in forms.values()
    }
    determiners = {
        word
        for determiner in bank.header.determiners.values()
        for words in (determiner.words, *determiner.holder.values())
        for word in words.values()
    }
    changed, unnoticed = 0, []
    for row in rows:
        starts = row.metadata["starts"]
        for (start, after), numbers in zip(pairwise(starts), row.metadata["states"], strict=True):
            sentence = row.input[start:after]
            facts = [stated_facts(row.metadata)[number] for number in numbers]
            # Two brothers may be exchanged.
            names = [
                name
                for x, word, y in facts
                if not bank.world.predicates[bank.world.meanings[word][0]].symmetric
                for name in (x, y)
            ]
            for wrong in forged(sentence, nouns, determiners, names):
                text = row.input[:start] + wrong + row.input[after:]
                shift = len(wrong) - len(sentence)
                moved = [n if n <= start else n + shift for n in starts]
                metadata = row.metadata | {"starts": moved}
                other = Example(row.id, text, row.choices, row.target, metadata)
                changed += 1
                if not generator.problems(other):
                    unnoticed.append((sentence, wrong))
    assert changed > 100
    assert unnoticed == []


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_a_wrong_capital_is_found(language: str) -> None:
    """Write one word of a sentence, except a name, with another capital: the judge notices."""
    generator, rows = made({"language": language, "k": "2..3"}, 10)
    for row in rows:
        start, end = row.metadata["starts"][1:3]
        names = "|".join(re.escape(name) for name, _ in row.metadata["genders"])
        words = re.compile(rf"(?<=[^\W\d_] )(?!{names})[^\W\d_]+")
        for word in words.finditer(row.input, start, end):
            place = word.start()
            text = row.input[:place] + row.input[place].swapcase() + row.input[place + 1 :]
            found = generator.problems(replace(row, input=text))
            assert any("writes" in finding for finding in found), word[0]


def forged(sentence: str, nouns: set[str], determiners: set[str], names: list[str]) -> list[str]:
    """Return the sentence with another relation noun, with another determiner, and renamed."""
    wrong = []
    for match in re.finditer(r"[^\W\d_]+", sentence):
        before, word, after = sentence[: match.start()], match[0], sentence[match.end() :]
        if word in nouns:
            wrong += [before + other + after for other in sorted(nouns - {word})[:3]]
            article = before.rstrip().rpartition(" ")[2]
            if article in determiners:
                stem = before.rstrip().removesuffix(article)
                other = min(determiners - {article})
                wrong.append(f"{stem}{other} {word}{after}")
    if len(names) > 1:
        wrong.append(
            sentence.replace(names[0], "@").replace(names[1], names[0]).replace("@", names[1])
        )
    return wrong


RIGHT = {
    "de": """Großvater
Opa
der Großvater
**Großvater**
„Großvater“
GROSSVATER
ihr Großvater
Peter ist der Großvater von Saskia.
Peter ist Saskias Großvater
Er ist ihr Opa.
Antwort: Großvater
\\boxed{Großvater}
Die Antwort lautet: der Großvater
Die Antwort ist Großvater.
Peter ist der Großvater.
Großvater. Er ist der Großvater von Saskia.
'Großvater'
{"antwort": "Großvater"}
Saskia ist die Schwester von Olaf. Olaf ist Peters Enkel.|Antwort: Großvater
1. Olaf ist der Bruder. (gesagt)|2. Also passt es.||**Antwort:** der Großvater""",
    "es": """abuelo
el abuelo
«abuelo»
su abuelito
Peter es el abuelo de Saskia.
Es el abuelo de Saskia
El abuelo de Saskia es Peter
Respuesta: abuelo
La respuesta es «abuelo».
Por lo tanto, Peter es el abuelo de Saskia.
Saskia es hermana de Olaf.|Respuesta: abuelo
\\boxed{abuelo}""",
}
WRONG = {
    "de": """Onkel
Enkel
Großmutter
Urgroßvater
Schwiegervater
ein Mann
kein Großvater
vielleicht der Großvater
Großvater oder Onkel
Tante. Großvater.
Ist er der Großvater?
Peter ist nicht der Großvater von Saskia
Saskia ist der Großvater von Peter
Olaf ist der Großvater von Saskia
Peter ist der Großvater von Olaf
Wäre er der Großvater, so hieße er anders
Falsche Antwort: Großvater
Antwort: Großvater. Nein, Onkel.
Die Antwort ist nicht: Großvater
Die Antwort ist nicht Großvater.
Onkel bzw. Großvater
evtl. Großvater
Peter ist vermutl. der Großvater von Saskia
Er ist nicht ... Großvater.
Onkel oder|Großvater
Nicht|Großvater
Nicht|Antwort: Großvater
Was er sicher nicht ist:|Antwort: Großvater
Welche Antwort ist falsch?|Antwort: Großvater
Welche Antwort ist falsch? Großvater
Olaf ist alt. Er ist ihr Großvater.
Nicht richtig: Antwort: Großvater
Falsch wäre, Antwort: Großvater
Antwort: Onkel.|Antwort: Großvater
Antwort: Großvater oder Onkel
Peter ist der Großvater von Saskia. Das ist falsch.
Die Antwort ist nicht \\boxed{Großvater}
Vielleicht \\boxed{Großvater}
{"falsch": "Großvater"}""",
    "es": """tío
no
abuela
bisabuelo
tío abuelo
quizás el abuelo
¿el abuelo?
abuelo o tío
tía. abuelo.
Peter no es el abuelo de Saskia
Saskia es el abuelo de Peter
Peter es el abuelo de Olaf
Respuesta falsa: abuelo
No es p. ej. abuelo
tío o... abuelo
No es... su abuelo.
No es ninguna de estas:|abuelo
tío, es decir, Respuesta: abuelo
Olaf es viejo. Es su abuelo.
La respuesta no es \\boxed{abuelo}
¿El abuelo
¿abuelo""",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_are_read_in_the_language(language: str) -> None:
    row = Clutrr.configure({"language": language})[0]
    assert row.metadata["query"] == ["Saskia", "Peter"]
    for texts, expected in ((RIGHT[language], 1), (WRONG[language], 0)):
        for line in texts.split("\n"):
            text = line.replace("|", "\n")
            assert relsmith.score(row, text).value == expected, text


@pytest.mark.parametrize(
    ("options", "scored"),
    [
        (
            {"language": "de", "answer": "yes-no"},
            {
                "ja": "ja",
                "Nein.": "nein",
                "Das stimmt nicht": "nein",
                "Ja. Nein.": None,
                "jein": None,
            },
        ),
        (
            {"language": "es", "answer": "yes-no", "unknown_share": 0.3},
            {"Sí.": "sí", "no": "no", "no se sabe": "desconocido", "no, es su tía": None},
        ),
        (
            {"language": "de", "answer": "who", "gender": "given", "unknown_share": 0.3},
            {
                "niemand": "niemand",
                "Guillermo; Dagmar": "Dagmar; Guillermo",
                "Dagmar und": None,
                "nicht Dagmar": None,
                "Olaf bzw. Dagmar": None,
                "Dagmar?": None,
            },
        ),
        (
            {"language": "es", "answer": "who", "gender": "given", "style": "plain"},
            {"Dagmar y Guillermo": "Dagmar; Guillermo", "Nadie.": "nadie", "Zoe": None},
        ),
    ],
)
def test_other_questions_are_scored(
    options: dict[str, object], scored: dict[str, str | None]
) -> None:
    row = next(row for row in Clutrr.configure(options) if "Dagmar" in row.input)
    row = replace(row, metadata=row.metadata | {"query": ["Saskia", "Peter"]})
    for text, answer in scored.items():
        score = relsmith.score(row, text)
        assert score.answer == answer, text
        assert score.value == (answer == row.target), text


def test_a_claim_answers_a_yes_no_question() -> None:
    rows = Clutrr.configure({"language": "de", "answer": "yes-no"})
    for row in rows[:20]:
        (x, y), word = row.metadata["query"], row.metadata["asked"]
        article = "der" if world_of(row).meanings[word][1] == "male" else "die"
        for text in (
            f"{y} ist {article} {word} von {x}.",
            f"Ja, {y} ist {article} {word} von {x}.",
        ):
            assert relsmith.score(row, text).answer == "ja"
        for text in (
            f"{y} ist nicht {article} {word} von {x}. Das stimmt.",
            f"Nein, {y} ist {article} {word} von {x}.",
            "Die Antwort ist nein? Richtig.",
        ):
            assert relsmith.score(row, text).answer is None, text


def test_names_with_a_sibilant() -> None:
    rows = Clutrr.configure({"language": "de"})
    row = next(row for row in rows if row.metadata["query"][0] == "Elias")
    y, word = row.metadata["query"][1], row.target
    assert relsmith.score(row, f"{y} ist Elias\u2019 {word}").value == 1
    assert relsmith.score(row, f"{y} ist Eliass {word}").value == 0


def test_lists_of_names_in_spanish() -> None:
    rows = Clutrr.configure({"language": "es", "gender": "given"})
    texts = [row.input for row in rows[:60]]
    assert any(" e Igor son hombres" in text for text in texts)
    assert not any(" y Igor" in text or " e Amir" in text for text in texts)


@pytest.mark.parametrize("sign", [",", ":", " -", "...", " …", ";"])
def test_no_and_a_claim_are_not_its_negation(sign: str) -> None:
    rows = Clutrr.configure({"language": "es", "world": "ordering"})
    row = next(row for row in rows if row.target.startswith("no "))
    (x, y), claim = row.metadata["query"], row.target.removeprefix("no ")
    for text in (claim, f"{claim} {x}"):
        assert relsmith.score(row, f"no {text}").value == 1
        assert relsmith.score(row, f"No{sign} {text}").value == 0
    assert relsmith.score(row, f"{y} no {claim} {x}.").value == 1
    assert relsmith.score(row, f"{y}, no, {claim} {x}.").value == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_target_and_choice_scores(language: str) -> None:
    for options in OPTIONS[:4]:
        _, rows = made(options | {"language": language}, 10)
        for row in rows:
            assert relsmith.score(row, row.target).value == 1
            for choice in row.choices:
                assert relsmith.score(row, choice).value == (choice == row.target)


@pytest.mark.parametrize("options", OPTIONS[:4], ids=str)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_english_answers_are_an_option(
    language: str, world: str, options: dict[str, object]
) -> None:
    _, rows = made(options | {"world": world, "language": language}, 20)
    _, english = made(options | {"world": world}, 20)
    wrong = {row.target for row in english}
    for row, other in zip(rows, english, strict=True):
        texts = (other.target, f"The answer is {other.target}.", f"Answer: {other.target}")
        for text in (*texts, row.target):
            assert relsmith.score(row, text, english=True).value == 1, text
        if "answer" not in options:
            assert relsmith.score(row, other.target).value == 0
        for text in wrong - {other.target}:
            assert relsmith.score(row, text, english=True).value == 0, text
        for text in (f"not {other.target}", f"{other.target}?", f"no, {other.target}"):
            assert relsmith.score(row, text, english=True).value == 0, text


def test_english_sentences_answer() -> None:
    row = Clutrr.configure({"language": "es"})[0]
    english = Clutrr.configure({})[0]
    x, y = row.metadata["query"]
    for text, value in {
        f"{y} is {x}'s {english.target}.": 1,
        f"{x} is {y}'s {english.target}.": 0,
        f"{y} is not {x}'s {english.target}.": 0,
        f"{y} is {x}'s cousin.": 0,
        f"{english.target}. {row.target}": 1,
        f"cousin. {row.target}": 0,
    }.items():
        assert relsmith.score(row, text, english=True).value == value, text


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_english_word_has_another_meaning(language: str, world: str) -> None:
    english, own = world_in(world), world_in(world, language)
    meant = (
        {word: word for word in own.meanings} | own.aliases | {word: word for word in own.others}
    )
    for word in (*english.meanings, *english.aliases, *english.others):
        assert word not in meant, word


def test_prompts_are_in_the_language() -> None:
    row = Clutrr.configure({"language": "es"})[0]
    prompt = Prompter()(row).text
    assert prompt.startswith("Lee el texto.")
    assert prompt.endswith("\nRespuesta:")
    assert "La respuesta es una de estas: abuela, abuelo" in prompt
    row = Clutrr.configure({"language": "de", "choices": "3"})[0]
    assert "Antwort: <Buchstabe>" in Prompter("cot", letters=True, shots=0)(row).text
    right = "ABCD"[row.choices.index(row.target)]
    assert relsmith.score(row, f"Das folgt.\nAntwort: {right}").value == 1


def test_a_proof_is_shown_in_the_language() -> None:
    shown = {
        "de": "; also gilt: Peter ist der Gro\u00dfvater",
        "es": "por lo tanto, Peter es el abuelo",
    }
    for language, conclusion in shown.items():
        (step,) = view(Clutrr.configure({"language": language})[0]).steps
        assert conclusion in step.words
        assert step.words.startswith("Saskia ")


def test_steps_are_not_judged() -> None:
    row = Clutrr.configure({"language": "de"})[0]
    with pytest.raises(RelsmithError, match="English story"):
        relsmith.steps(row, "Peter ist der Großvater von Saskia")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "fr"}, "no 'fr'; there are: de, en, es"),
        ({"language": "de", "world": "space"}, "'space' is not told in Deutsch"),
        ({"language": "es", "task": "verify-steps"}, "language: 'es' needs --task reasoning"),
        ({"language": "es", "words": 900, "noise": "all"}, "language: 'es' needs --words 0"),
        ({"language": "de", "siblings": "gender"}, "no siblings of the kind 'gender'"),
        ({"siblings": "de,words"}, "other languages than 'en' alone, or other changes alone"),
        ({"siblings": "en"}, "other languages than 'en' alone"),
        ({"siblings": "de", "world": "work"}, "the world 'work' is not told in 'de'"),
    ],
)
def test_what_does_not_go_together(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOption, match=re.escape(message)):
        Clutrr.configure(options)


@pytest.fixture
def copy_of_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the code of a language of a plugin, whose folder has the texts of English."""
    world, folder = world_in("kinship"), tmp_path / "english"
    copytree(ROOT / "templates" / "en", folder)
    assert world.conventions
    texts = {name: getattr(world.story_spec, name) for name in ("question", "yes_no", "legend")}
    texts |= {"who": world.story_spec.who, "plain": [*world.story_spec.plain], "format": 1}
    texts |= {"conventions": world.conventions.model_dump(), "others": [*world.others]}
    texts["words"] = {name: predicate.words for name, predicate in world.predicates.items()}
    (folder / "kinship" / "world.yaml").write_text(json.dumps(texts))
    module = ModuleType("copy_of_english")
    vars(module)["folder"] = lambda: folder
    monkeypatch.setitem(sys.modules, "copy_of_english", module)
    point = EntryPoint("xx", "copy_of_english:folder", LANGUAGES_OF_PLUGINS.group)
    entry = PluginEntry("xx", point, (), LANGUAGES_OF_PLUGINS.check)
    monkeypatch.setitem(LANGUAGES_OF_PLUGINS.entries, "xx", entry)
    return "xx"


def test_a_plugin_can_be_english(copy_of_english: str) -> None:
    """Nothing but its folder tells English stories from those of a language of a plugin."""
    options: dict[str, object] = {"k": "2..6", "noise": "all", "explain": True}
    options |= {"conventions": "full", "unknown_share": 0.2}
    _, english = made(options, 30)
    generator, rows = made(options | {"language": copy_of_english}, 30)
    for row, other in zip(english, rows, strict=True):
        metadata = other.metadata | {"language": "en"}
        assert replace(other, id=other.id.replace("-xx-", "-"), metadata=metadata) == row
        assert generator.problems(other) == []
    assert any(re.search(r"\b(She|His|Her) ", row.input) for row in rows)
    rule = re.compile(r"\(an? [\w-]+'s [\w-]+ is an? [\w-]+")
    assert all(rule.search(step) for row in rows for step in row.metadata["explanation"])
    assert [str(found) for found in lint(find_bank("kinship", copy_of_english))] == []


def test_words_map_one_to_one() -> None:
    for language in LANGUAGES:
        for world in WORLDS:
            english, own = world_in(world), world_in(world, language)
            assert sorted(own.meanings.values(), key=str) == sorted(
                english.meanings.values(), key=str
            )
