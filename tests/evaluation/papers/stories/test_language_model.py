"""The fine-tuned language model: inputs, scores and training."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.stories.encoding import EncodedStories, Sizes, StoryVocabulary
from relsmith.evaluation.papers.stories.model import StoryObjective, fixed_placeholders, predict
from relsmith.evaluation.papers.stories.models.language_model import StoryLanguageModel
from relsmith.evaluation.papers.stories.task import StoryRow
from relsmith.evaluation.trainer import train
from relsmith.evaluation.training import Training

pytestmark = pytest.mark.slow


@torch.no_grad()
def test_it_reads_story_and_question_and_scores_answers(
    few: EncodedStories, sizes: Sizes, speaker: Path
) -> None:
    """Compared with the language model itself, story by story, from the text."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    module = StoryLanguageModel(path=str(speaker)).build(sizes).eval()
    tokenizer = AutoTokenizer.from_pretrained(speaker)
    model = AutoModelForCausalLM.from_pretrained(speaker)
    batch = few.batch(torch.arange(6), fixed_placeholders(few))
    scores = module(batch)
    assert len(set(batch.lengths.tolist())) > 1
    for row, length in enumerate(batch.lengths.tolist()):
        first, second = (f"entity{person}" for person in batch.query[row].tolist())
        words = [sizes.spelling[word] for word in batch.words[row, :length].tolist()]
        text = " ".join(["", *words, "how is", second, "related to", first, "?"])
        logits = model(torch.tensor([tokenizer(text).input_ids])).logits[0, -1]
        for answer, score in zip(sizes.answers, scores[row].tolist(), strict=True):
            pieces = tokenizer(f" {answer}").input_ids
            assert score == pytest.approx(float(logits[pieces].mean()), abs=1e-3)


def test_padding_changes_nothing(few: EncodedStories, sizes: Sizes, speaker: Path) -> None:
    module = StoryLanguageModel(path=str(speaker)).build(sizes).eval()
    placeholders = fixed_placeholders(few)
    with torch.no_grad():
        together = module(few.batch(torch.arange(len(few)), placeholders))
        alone = torch.cat(
            [module(few.batch(torch.tensor([row]), placeholders)) for row in range(8)]
        )
    assert torch.allclose(alone, together[:8], atol=1e-4)


def test_it_depends_on_the_query(few: EncodedStories, sizes: Sizes, speaker: Path) -> None:
    module = StoryLanguageModel(path=str(speaker)).build(sizes).eval()
    batch = few.batch(torch.arange(len(few)), fixed_placeholders(few))
    turned = replace(batch, query=batch.query.flip(1), query_nodes=batch.query_nodes.flip(1))
    with torch.no_grad():
        assert ((module(batch) - module(turned)).abs().amax(1) > 1e-4).all()


def test_it_overfits_a_few_rows(chosen: list[StoryRow], sizes: Sizes, speaker: Path) -> None:
    torch.manual_seed(0)
    few = EncodedStories.of(chosen[::2], StoryVocabulary.of(chosen))
    module = StoryLanguageModel(path=str(speaker)).build(sizes)
    training = Training(epochs=120, batch=32, validation=0, patience=1000)
    progress = train(StoryObjective(module, few, 3e-3), RunContext(training=training))
    right = (predict(module, few, training) == few.targets).float().mean()
    assert right == 1, progress.history[::20]


def test_its_files_are_in_the_result(speaker: Path) -> None:
    assert StoryLanguageModel(path=str(speaker)).files() == {"path": speaker}
    assert StoryLanguageModel(path="gpt2").files() == {}


def test_stories_that_are_too_long_are_refused(
    few: EncodedStories, sizes: Sizes, speaker: Path
) -> None:
    module = StoryLanguageModel(path=str(speaker)).build(sizes)
    module.longest = 10
    with pytest.raises(InvalidOption, match=r"a story has \d+ word pieces, but the model reads 10"):
        module(few.batch(torch.arange(3), fixed_placeholders(few)))
