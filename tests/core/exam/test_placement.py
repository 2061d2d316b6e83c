"""Placement: estimates, the order of questions, and models behind a command that fail."""

import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from relsmith.dataset.suite import Suite
from relsmith.errors import CheckFailed, InvalidInput, InvalidOption, RelsmithError
from relsmith.exam.placement import Placement, Share, estimate
from relsmith.exam.placement import _misled as misled
from relsmith.generators.clutrr import Clutrr
from relsmith.seed import Stream
from relsmith.testing.profile import scaled

from .conftest import read_lines

SUITE = {
    "name": "place",
    "datasets": {
        "short": {"generator": "comparatives", "options": {"people": "3..4"}, "rows": 30},
        "stories": {"generator": "clutrr", "options": {"k": "2..3", "style": "plain"}, "rows": 40},
    },
}


def placement(folder: Path, suite: dict[str, object] = SUITE) -> Placement:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_bytes", lambda size: b"\1" * size)
        return Placement(Suite.model_validate(suite), folder)


def command(folder: Path, lines: str) -> str:
    """Write a program that is a model; `rows` are its questions."""
    head = "import json, os, sys\nrows = [json.loads(line) for line in sys.stdin]\n"
    head += (
        "def say(id, answer):\n    print(json.dumps({'id': id, 'answer': answer}), flush=True)\n"
    )
    (folder / "model.py").write_text(head + lines)
    return f'"{sys.executable}" "{folder / "model.py"}"'


def drawn(
    stream: Stream, chances: dict[tuple[str, ...], float], asked: int, *, evenly: bool
) -> list[tuple[tuple[str, ...], bool]]:
    names = [*chances]
    rows = [names[n % len(names)] if evenly else stream.choice(names) for n in range(asked)]
    return [(name, stream.random() < chances[name]) for name in rows]


def test_intervals_have_the_share_as_often_as_they_say() -> None:
    """Also of candidates that are nearly always right, or right in one stratum only."""
    stream, seen, widths = Stream("coverage"), Counter[bool](), Counter[bool]()
    for ability in (0.03, 0.3, 0.5, 0.8, 0.97):
        for slope in (0.0, 0.12, 0.25):
            chances = {
                (str(n),): min(1.0, max(0.0, ability + slope * (n - 3.5) / 3.5)) for n in range(8)
            }
            weights = dict.fromkeys(chances, 1 / 8)
            truth = sum(chances.values()) / 8
            for _ in range(scaled(400, least=40)):
                for evenly in (True, False):
                    found = estimate(weights, drawn(stream, chances, 60, evenly=evenly))
                    widths[evenly] += found.high - found.low
                    seen[found.low <= truth <= found.high] += 1
    assert seen[True] / seen.total() > 0.935
    assert widths[True] < widths[False] * 1.001


def test_strata_count_by_their_share_of_the_rows() -> None:
    weights = {("a",): 0.9, ("b",): 0.1}
    answers = [(("a",), True)] * 10 + [(("b",), False)] * 10
    found = estimate(weights, answers)
    assert found.share == pytest.approx(0.9)
    assert found.low < 0.9 < found.high
    # A stratum with few answers counts with its neighbour.
    assert estimate(weights, answers[:13]).share == pytest.approx(10 / 13)
    assert estimate(weights, []) == Share(0, 0.5, 0.0, 1.0)
    assert estimate(weights, [(("a",), True)] * 4 + [(("b",), True)] * 40).high == 1


def test_each_beginning_has_all_strata_in_proportion(tmp_path: Path) -> None:
    made = placement(tmp_path / "ann")
    order = [each.stratum for each in made.questions.values()]
    assert len(order) == 70 and len(made.weights) > 4
    for size in (10, 25, 50):
        counts = Counter(order[:size])
        for stratum, weight in made.weights.items():
            assert abs(counts[stratum] - weight * size) < 2, (size, counts, made.weights)
    again = placement(tmp_path / "ann")
    assert [*again.questions] == [*made.questions]
    ids = {each.row.id for each in made.questions.values()}
    assert not any(id in str(each.shown()) for each in made.questions.values() for id in ids)


def test_end_facts_mislead_where_they_suggest_another_answer() -> None:
    rows = Clutrr.configure({"k": "2..3", "style": "plain"})[:600]
    found = misled(rows)
    assert 0.2 < sum(found) / len(found) < 0.95
    assert misled([]) == [] and misled(rows[:1]) == [False]


def test_no_question_is_asked_twice(tmp_path: Path) -> None:
    made, asked = placement(tmp_path / "ann"), tmp_path / "asked"
    model = command(
        tmp_path,
        f"with open({str(asked)!r}, 'a') as file:\n"
        "    for row in rows:\n"
        "        print(row['id'], file=file)\n"
        "        say(row['id'], None if row['id'] < '4' else 'nobody')\n",
    )
    for _ in range(3):
        made.ask(model, 20)
    made = placement(tmp_path / "ann")
    made.ask(model, 20)
    seen = asked.read_text().split()
    assert len(seen) == len(set(seen)) == 70 == len(made.answers)
    assert made.estimate().questions == 70 and not made.batch(5)


def test_skipped_questions_are_asked_again(tmp_path: Path) -> None:
    made = placement(tmp_path / "ann")
    first, *rest = made.batch(10)
    for each in rest:
        made.save(each.id, each.row.target)
    assert made.estimate().questions == 0
    assert made.batch(2)[0] == first
    made.save(first.id, "nobody")
    assert made.estimate().questions == 10
    with pytest.raises(InvalidInput, match="has no question 'x'"):
        made.save("x", "aunt")


def test_a_command_that_dies_loses_no_answer(tmp_path: Path) -> None:
    made = placement(tmp_path / "ann")
    dying = command(
        tmp_path,
        "for row in rows[:7]:\n    say(row['id'], 'nobody')\n"
        "print('{\"id\": ', end='', flush=True)\nos.kill(os.getpid(), 9)\n",
    )
    with pytest.raises(CheckFailed, match="left 13 of 20 questions unanswered; other answers are"):
        made.ask(dying, 20)
    kept = dict(made.answers)
    assert len(kept) == 7
    answers = tmp_path / "ann/answers.jsonl"
    answers.write_bytes(answers.read_bytes() + b'{"id": "00')  # the holder was killed, too
    made = placement(tmp_path / "ann")
    assert made.answers == kept
    made.ask(command(tmp_path, "for row in rows:\n    say(row['id'], 'nobody')\n"), 5)
    assert len(read_lines(answers)) == 12


def test_no_process_of_a_command_outlives_an_error(tmp_path: Path) -> None:
    made, late = placement(tmp_path / "ann"), tmp_path / "late"
    with pytest.raises(InvalidInput, match="is not JSON"):
        made.ask(f"(sleep 1; touch '{late}') & echo nonsense; wait", 5)
    time.sleep(1.5)
    assert not late.exists()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("sys.exit(3)", "ended with exit status 3 and left 5 of 5 questions unanswered"),
        ("", "it ended and left 5 of 5"),
        ("print('Loading...')", "a line of its output is not JSON"),
        ("print('[]')", "there is no id and answer in it"),
        ("say('x', 'y')", "it was not asked 'x'"),
        ("say(rows[0]['id'], 'y'); say(rows[0]['id'], 'z')", "is answered twice"),
    ],
)
def test_commands_that_do_not_answer_are_one_line_errors(
    lines: str, said: str, tmp_path: Path
) -> None:
    made = placement(tmp_path / "ann")
    with pytest.raises(RelsmithError, match=said) as error:
        made.ask(command(tmp_path, lines), 5)
    assert "\n" not in str(error.value)


def test_folders_of_other_placements_are_refused(tmp_path: Path) -> None:
    placement(tmp_path / "ann")
    other = SUITE | {"name": "other"}
    with pytest.raises(InvalidOption, match="is of another suite or of other versions"):
        placement(tmp_path / "ann", other)
    for line, said in (("{", "it is damaged"), ("[]", "no id and answer"), ('{"id": 5}', "no id")):
        (tmp_path / "ann/answers.jsonl").write_text(f"{line}\n")
        with pytest.raises(InvalidInput, match=said):
            placement(tmp_path / "ann")
