"""Questions are read from tables; invalid lines are named."""

from pathlib import Path

import pytest

from relsmith.errors import InvalidInput, InvalidOption, NotFound
from relsmith.generators.relinf.generator import Relinf, _retrieved
from relsmith.generators.relinf.question import Question, parse_questions, read_questions
from relsmith.generators.relinf.sentences import reversed_question


def test_a_table() -> None:
    text = (
        "type\trelation\targument\n"
        "# a comment\n"
        "which drug\ttreats\theadaches?\n"
        "\n"
        "Country#2\tborders\tEthiopia\n"
        "WHO\tinvented\tthe  telephone\n"
        "where\tis the birthplace of\tMozart\n"
        "when\tfollows\tspring\n"
    )
    assert parse_questions(text, "q.tsv").questions == (
        Question(1, "drug", "treats", "headaches"),
        Question(2, "country", "borders", "Ethiopia", 2),
        Question(3, "person", "invented", "the telephone", 1, "who"),
        Question(4, "location", "is the birthplace of", "Mozart", 1, "where"),
        Question(5, "time", "follows", "spring", 1, "when"),
    )


def test_labels_alternatives_and_answers() -> None:
    text = "thing = artifact#1\tcuts\twood / paper\tsaws / ~is cut with\n"
    assert parse_questions(text, "q.tsv").questions == (
        Question(1, "thing", "cuts", "wood", 1, "which", "artifact", ("saws", "~is cut with")),
        Question(2, "thing", "cuts", "paper", 1, "which", "artifact", ("saws", "~is cut with")),
    )
    (question,) = parse_questions("food#2 ! beverage\tcontains\tmilk\n", "q.tsv").questions
    assert (question.type, question.sense, question.excluded_types) == (
        "food",
        2,
        (("beverage", 1),),
    )
    (question,) = parse_questions("food!beverage!herb#2\tcontains\tmilk\n", "q.tsv").questions
    assert question.excluded_types == (("beverage", 1), ("herb", 2))
    (question,) = parse_questions("drug\ttreats\tpain\teases\n", "q.tsv").questions
    assert (question.answered_by, question.unsure) == (("eases",), ())


def test_unsure_relations() -> None:
    text = "food\tcontains\tmilk\tis made from\tis served with / ~is poured on\n"
    (question,) = parse_questions(text, "q.tsv").questions
    assert question.answered_by == ("is made from",)
    assert question.unsure == ("is served with", "~is poured on")


def test_reversed_questions() -> None:
    question = Question(1, "food", "is included in", "chocolate")
    triple = ("chocolate", "is made from", "the cocoa bean")
    assert reversed_question(question, triple, 2) == "Chocolate is made from which food?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("drug\ttreats\n", r"q\.tsv:1: expected TYPE, REL and ARG"),
        ("drug\ttreats\theadaches\teases\tstops\tmore\n", "q.tsv:1"),
        ("drug\ttreats\tpain\teases / stops\tstops\n", "q.tsv:1: 'stops' both answers"),
        ("drug\ttreats\tpain / fever / pain\n", "q.tsv:1: 'pain' .* question 1"),
        ("=drug\ttreats\tpain\n", "q.tsv:1"),
        ("ok\tis\tfine\ndrug\t \theadaches\n", "q.tsv:2"),
        ("drug\ttre\x00ats\theadaches\n", "q.tsv:1"),
        ("drug#0\ttreats\theadaches\n", "such as drug or country#2, but got 'drug#0'"),
        ("drug\ttreats\tpain\nDrug\ttreats\tpain\n", "q.tsv:2: .* question 1"),
        ("# nothing\n", "has no questions"),
        ("x" * 10_000_000, "q.tsv:1"),
    ],
)
def test_invalid_questions_are_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidOption, match=said) as error:
        parse_questions(text, "q.tsv")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_files(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"cannot read .*q\.tsv"):
        read_questions(str(tmp_path / "q.tsv"))
    (tmp_path / "q.tsv").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=r"q\.tsv:1: is not UTF-8"):
        read_questions(str(tmp_path / "q.tsv"))


def test_our_questions_are_many_with_several_candidates_each() -> None:
    found = read_questions().questions
    assert len(found) >= 200
    sizes = [len(rows) for rows in _retrieved(Relinf())]
    assert min(sizes) >= 1
    assert sum(size >= 3 for size in sizes) >= 0.9 * len(found)
    assert sum(sizes) >= 2000


def test_an_unknown_type_is_named_with_its_question(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    path.write_text("unicorn\tlives in\tAfrica\nasdf\tlives in\tAfrica\n")
    with pytest.raises(InvalidOption, match=r"q\.tsv: question 2: .* no noun 'asdf'; '\w+'"):
        next(Relinf(questions=str(path)).examples(1))
