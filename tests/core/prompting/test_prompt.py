"""Prompts: exact wording, source of few-shot examples, no leakage."""

import json
from pathlib import Path

import pytest

from relsmith import Dataset, Example, Generator, make, score, write
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.prompting.prompt import (
    Prompter,
    dataset_prompter,
    prompt_wording,
    prompts,
    with_choices,
)
from relsmith.scoring.scorer import answer_key, generator_class


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("prompt") / "stories"
    options = {"k": "2..3", "siblings": "words,names", "explain": True}
    write(Clutrr.configure(options), out, {"train": 60, "test": 12})
    return out


def test_a_prompt_has_the_row_and_its_conventions(folder: Path) -> None:
    for made in prompts(Dataset(folder), "test"):
        assert made.row.input in made.text
        assert made.text.endswith("\nAnswer:")
        assert made.text.count("siblings share both parents") == 1
        assert made.text.count("The answer is one of these: aunt, ") == 1
        assert made.messages == [{"role": "user", "content": made.text}]
        assert "A. " not in made.text


def test_conventions_of_a_row_are_not_repeated() -> None:
    for conventions in ("brief", "full"):
        row = make("clutrr", conventions=conventions)[0]
        text = Prompter()(row).text
        assert text.count("The answer is one of these:") == 1
        assert text.count("In these families") == 1


def test_few_shot_examples_come_from_other_groups_of_train(folder: Path) -> None:
    data = Dataset(folder)
    train = {row.id: row for row in data.rows("train")}
    for made in prompts(data, "test", style="few-shot", shots=4):
        assert len(made.examples) == 4
        answers = [row.target for row in made.examples]
        assert len(set(answers)) == 4, "each answer is shown before one is shown twice"
        for example in made.examples:
            assert train[example.id] == example
            assert f"{example.input}\nAnswer: {example.target}\n" in made.text
        assert made.text.count("Answer: ") == 4
    # For rows of train, neither the row nor a sibling of it is an example.
    groups = set()
    for made in prompts(data, "train", style="few-shot"):
        assert made.row.metadata["group"] not in {row.metadata["group"] for row in made.examples}
        assert made.row.id not in {row.id for row in made.examples}
        groups.add(tuple(row.metadata["group"] for row in made.examples))
    assert len(groups) > 1, "the first rows must do without themselves"


def test_few_shot_examples_leave_out_group_0_too() -> None:
    """Check the group whose number is 0."""
    rows = sorted(make("cloze", form="one")[:], key=lambda row: row.metadata["group"])
    ours = [row for row in rows if row.metadata["group"] == 0]
    assert len(ours) > 1
    prompter = Prompter("few-shot", shots=2, train=rows[:40])
    for row in ours:
        assert 0 not in {example.metadata["group"] for example in prompter(row).examples}


def test_cot_prompts_request_and_show_steps(folder: Path) -> None:
    data = Dataset(folder)
    (made, *_) = prompts(data, "test", style="cot")
    assert "step by step" in made.text
    assert not made.text.endswith("Answer:")
    (made, *_) = prompts(data, "test", style="cot", shots=1)
    (example,) = made.examples
    steps = " ".join(example.metadata["explanation"])
    assert f"{example.input}\n{steps}\nAnswer: {example.target}\n" in made.text


def test_letters_are_listed_only_on_request(folder: Path) -> None:
    for made in prompts(Dataset(folder), "test", style="few-shot", shots=1, letters=True):
        assert made.text.count("\nA. aunt\nB. brother\n") == 2
        assert "The answer is one of these" not in made.text
        (example,) = made.examples
        place = example.choices.index(example.target)
        assert f"\nAnswer: {chr(ord('A') + place)}\n" in made.text
        letter = chr(ord("A") + made.row.choices.index(made.row.target))
        assert score(made.row, letter).value == 1
    for row in make("analogy", setting="unsupervised", form="question")[:4]:
        assert Prompter(letters=True)(row).text.count("\nA. ") == 1, "the row lists them itself"
    with pytest.raises(InvalidOption, match="has no choices to list; leave letters out"):
        with_choices(make("clutrr", answer="who", gender="given")[0])


def test_more_than_26_choices_have_no_letters() -> None:
    row = make("clutrr", world="space", choices="all")[0]
    assert not answer_key(row).letters
    with pytest.raises(InvalidOption, match="has 80 choices, and there are 26 letters"):
        Prompter(letters=True)(row)


def test_letters_are_requested_alone_or_after_steps() -> None:
    row = make("clutrr", choices="4")[0]
    alone = "Reply with the letter of the right choice and nothing else."
    assert alone in Prompter(letters=True)(row).text
    assert alone not in Prompter("cot", letters=True)(row).text


def test_choices_missing_from_the_row_are_listed() -> None:
    row = make("clutrr", choices="4")[0]
    assert f"Choices: {', '.join(row.choices)}." in Prompter()(row).text
    row = make("comparatives")[0]
    assert "Choices" not in Prompter()(row).text


@pytest.mark.parametrize(
    ("style", "shots", "said"),
    [
        ("few", None, "style: expected one of zero-shot, few-shot, cot, but got 'few'"),
        ("zero-shot", 2, "shots: zero-shot has no examples; ask for few-shot or cot"),
        ("few-shot", 0, "shots: few-shot needs 1 or more; ask for zero-shot"),
    ],
)
def test_inconsistent_options_are_refused(style: str, shots: int | None, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        Prompter(style, shots=shots)  # type: ignore[arg-type]


def test_too_few_examples_are_reported(tmp_path: Path) -> None:
    write(make("comparatives"), tmp_path / "small", {"train": 2, "test": 1})
    with pytest.raises(InvalidOption, match=r"expected 3 rows of train .* there are 2; ask for"):
        list(prompts(Dataset(tmp_path / "small"), "test", style="few-shot"))
    with pytest.raises(InvalidOption, match="with an explanation"):
        list(prompts(Dataset(tmp_path / "small"), "test", style="cot", shots=1))
    write(make("comparatives"), tmp_path / "alone", {"test": 5})
    with pytest.raises(InvalidOption, match="examples come from the split train"):
        dataset_prompter(Dataset(tmp_path / "alone"), "few-shot")


def test_every_question_type_of_ours_has_its_wording(
    kind_of_question: tuple[str, Generator],
) -> None:
    name, generator = kind_of_question
    row = generator[0]
    default = prompt_wording(Example("x", "", [], "", {}))
    assert (prompt_wording(row) == default) == (name == "default")
    assert generator_class(row).name == generator.name


def test_requested_answer_line_is_scored(kind_of_question: tuple[str, Generator]) -> None:
    for row in kind_of_question[1][:4]:
        instruction = Prompter("cot")(row).text.partition("\n")[0]
        assert "End with a line 'Answer: <" in instruction
        assert score(row, instruction).value == 0, "an echo of the instruction is no answer"
        right = answer_key(row).right
        for line in (f"Answer: {right}", f"Answer: <{right}>", f"'Answer: {right}'"):
            assert score(row, f"{instruction}\nStep by step, then.\n{line}").value == 1, line
            assert score(row, f"{line}\nBut wait, that is wrong.\nAnswer: <zz>").value == 0


def test_gen_prompt_shows_what_a_model_sees(gen, folder: Path) -> None:
    run = gen("prompt", folder, "-n", 2, "--json", "--style", "few-shot", "--shots", 2)
    assert run.returncode == 0, run.stderr
    records = [json.loads(line) for line in run.stdout.splitlines()]
    made = list(prompts(Dataset(folder), "test", style="few-shot", shots=2))[:2]
    assert [record["prompt"] for record in records] == [prompt.text for prompt in made]
    assert [record["right"] for record in records] == [prompt.row.target for prompt in made]
    run = gen("prompt", folder, "-n", 1)
    assert made[0].row.input in run.stdout
    assert run.stdout.startswith(f"--- {made[0].row.id}, right: {made[0].row.target}\n")
    run = gen("prompt", folder, "--shots", 2)
    assert run.returncode == 2
    assert run.stderr.startswith("gen: --shots: zero-shot prompts have no examples; add --style")
