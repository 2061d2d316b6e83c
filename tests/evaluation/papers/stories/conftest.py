"""Encoded stories, and tiny pretrained models."""

from pathlib import Path

import pytest
import torch

from relsmith.evaluation.papers.stories.encoding import EncodedStories, Sizes, StoryVocabulary
from relsmith.evaluation.papers.stories.task import StoryRow, StoryTask
from relsmith.evaluation.task import TaskRows

# More threads than free cores make these tests many times slower.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def rows(clean_stories: Path) -> TaskRows[StoryRow]:
    return StoryTask().read(clean_stories, "train")


@pytest.fixture(scope="session")
def stories(rows: TaskRows[StoryRow]) -> list[StoryRow]:
    return rows.rows


@pytest.fixture(scope="session")
def chosen(stories: list[StoryRow]) -> list[StoryRow]:
    """64 short stories with k = 2 and 3 and different beginnings."""
    told = {tuple(w for w in story.words if isinstance(w, str))[:3]: story for story in stories}
    short = sorted(told.values(), key=lambda story: len(story.words))
    return [story for k in (2, 3) for story in [told for told in short if told.k == k][:32]]


@pytest.fixture(scope="session")
def sizes(chosen: list[StoryRow]) -> Sizes:
    return Sizes.of(StoryVocabulary.of(chosen))


@pytest.fixture(scope="session")
def few(chosen: list[StoryRow]) -> EncodedStories:
    return EncodedStories.of(chosen, StoryVocabulary.of(chosen))


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory, sizes: Sizes) -> Path:
    """A tiny random BERT with a vocabulary of letters and most words."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    letters = "abcdefghijklmnopqrstuvwxyz0123456789'-.,!?"
    common = [word for number, word in enumerate(sizes.spelling[2:]) if number % 10]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces += [*letters, *(f"##{letter}" for letter in letters), *common]
    pieces = list(dict.fromkeys(pieces))
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    BertModel(
        BertConfig(
            vocab_size=len(pieces),
            hidden_size=256,
            num_hidden_layers=1,
            num_attention_heads=4,
            intermediate_size=64,
            initializer_range=0.02,
        )
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def speaker(tmp_path_factory: pytest.TempPathFactory, sizes: Sizes) -> Path:
    """A tiny random Llama, with words of several pieces."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("llama")
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=["<end>"],
        initial_alphabet=sorted(letters),
        show_progress=False,
    )
    pieces.train_from_iterator([f" {word}" for word in sizes.spelling], trainer)
    PreTrainedTokenizerFast(tokenizer_object=pieces, eos_token="<end>").save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=pieces.get_vocab_size(),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        initializer_range=0.1,
        tie_word_embeddings=True,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder
