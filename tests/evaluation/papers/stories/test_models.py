"""Properties of every model, and computations by hand."""

import math
import shutil
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from relsmith.evaluation.model import MODELS, RunContext
from relsmith.evaluation.papers.stories.encoding import (
    FIRST_ENTITY,
    PADDING,
    PLACEHOLDERS,
    UNKNOWN,
    EncodedStories,
    Sizes,
    StoryBatch,
    StoryVocabulary,
)
from relsmith.evaluation.papers.stories.model import StoryNetwork, StoryObjective, predict
from relsmith.evaluation.papers.stories.models.gat import GAT, MessagePassing
from relsmith.evaluation.papers.stories.models.parts import (
    PackedLSTM,
    WordEmbedding,
    masked_mean,
    masked_softmax,
    mention_means,
)
from relsmith.evaluation.papers.stories.models.relation_network import RelationNetwork
from relsmith.evaluation.papers.stories.task import StoryRow, StoryTask
from relsmith.evaluation.trainer import train
from relsmith.evaluation.training import Training

SMALL = {
    "bilstm-mean": {"hidden": 48, "embedding": 32, "layers": 1},
    "bilstm-attention": {"hidden": 48, "embedding": 32, "layers": 1},
    "rn": {"hidden": 48, "embedding": 32, "layers": 1},
    "mac": {"hidden": 48, "embedding": 32, "layers": 1, "iterations": 2, "within": 0.0},
    "gat": {},
    "edge-transformer": {"width": 48, "rounds": 3},
    "bert": {},
    "bert-facts": {},
    "bert-lstm": {"hidden": 48, "layers": 1},
    "bilstm-edges": {"hidden": 48, "embedding": 32, "layers": 1, "width": 48, "rounds": 3},
    "bert-edges": {"width": 48, "rounds": 3},
}
BASELINES = {
    "bag-of-words": {},
    "query-only": {},
    "story-without-query": {"hidden": 20, "layers": 1},
    "position-only": {},
    "name-only": {},
}
EVERY = SMALL | BASELINES


def network(name: str, encoder: Path, **more: object) -> StoryNetwork:
    options = EVERY[name] | more
    options |= {"encoder": str(encoder)} if name.startswith("bert") else {}
    made = MODELS.get(name).configure(options)
    assert isinstance(made, StoryNetwork)
    return made


def a_batch(data: EncodedStories, rows: Tensor, seed: int = 0) -> StoryBatch:
    return data.batch(rows, data.draw(torch.Generator().manual_seed(seed)))


TESTED_ELSEWHERE = {"story-lm", "bert-rules"}
"""Tested in test_language_model.py and test_rule_reader.py."""


def test_every_network_of_ours_is_tested() -> None:
    ours = {
        name: model
        for name, model in MODELS.load_working().items()
        if MODELS.entries[name].is_builtin and issubclass(model.task, StoryTask)
    }
    networks = {name for name, model in ours.items() if issubclass(model, StoryNetwork)}
    assert networks == set(EVERY) | TESTED_ELSEWHERE
    assert all(
        model.baseline == (name not in {*SMALL, *TESTED_ELSEWHERE}) for name, model in ours.items()
    )


TIERS = {"gat": (), "bert-edges": (pytest.mark.slow, pytest.mark.search)}
"""Marks of models that memorize their rows in two seconds, or only in minutes."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=TIERS.get(name, pytest.mark.slow)) for name in SMALL]
)
def test_overfits_32_rows(
    name: str, chosen: list[StoryRow], sizes: Sizes, encoder: Path, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    few = EncodedStories.of(chosen[::2], StoryVocabulary.of(chosen))
    # Placeholders change in each epoch, so a frozen BERT cannot memorize them.
    more = {"tuned": True} if name in ("bert", "bert-facts", "bert-edges") else {}
    module = network(name, encoder, **more).build(sizes)
    for epochs in range(40, 1201, 40):
        training = Training(epochs=epochs, batch=32, validation=0, patience=1000)
        job = RunContext(training=training, checkpoint=tmp_path / "checkpoint.pt")
        progress = train(StoryObjective(module, few, 1e-3 if more else 5e-3), job)
        if (predict(module, few, training) == few.targets).all():
            return
    pytest.fail(f"the loss went {progress.history[::20]}")


@pytest.mark.parametrize("name", EVERY)
def test_padding_changes_nothing(
    name: str, few: EncodedStories, sizes: Sizes, encoder: Path
) -> None:
    torch.manual_seed(0)
    module = network(name, encoder).build(sizes).eval()
    placeholders = few.draw(torch.Generator().manual_seed(0))
    shortest = few.counts.sum(1).argsort()[:3]
    longest = few.counts.amax(0)
    assert (few.counts[shortest] < longest).all(0)[[0, 2, 3]].all()
    with torch.no_grad():
        together = module(few.batch(torch.arange(len(few)), placeholders))[shortest]
        alone = torch.cat([module(few.batch(row[None], placeholders)) for row in shortest])
    assert torch.allclose(alone, together, atol=1e-4)


@pytest.mark.parametrize("name", EVERY)
def test_values_in_the_padding_are_ignored(
    name: str, few: EncodedStories, sizes: Sizes, encoder: Path
) -> None:
    torch.manual_seed(0)
    module = network(name, encoder).build(sizes).eval()
    batch = a_batch(few, torch.arange(16))
    edges = batch.edges.clone()
    edges[..., 0][~batch.edge_mask] = 1
    edges[..., 2][~batch.edge_mask] = 2
    sentences = batch.sentences.masked_fill(~batch.word_mask, batch.spans.shape[1] - 1)
    with torch.no_grad():
        before = module(batch)
        after = module(replace(batch, edges=edges, sentences=sentences))
    assert torch.equal(before, after)


def test_masked_softmax_by_hand() -> None:
    scores = torch.tensor([[1.0, 2.0, 900.0, -3.0], [5.0, 5.0, 5.0, 5.0]], requires_grad=True)
    mask = torch.tensor([[True, True, False, True], [False, False, False, False]])
    weights = masked_softmax(scores, mask)
    total = math.exp(1) + math.exp(2) + math.exp(-3)
    by_hand = [math.exp(1) / total, math.exp(2) / total, 0.0, math.exp(-3) / total]
    assert weights[0].tolist() == pytest.approx(by_hand)
    assert weights[1].tolist() == [0.0] * 4
    weights[:, :2].sum().backward()
    assert scores.grad is not None and scores.grad.isfinite().all()
    assert (scores.grad[~mask] == 0).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_packed_lstm_equals_torch_packing(seed: int) -> None:
    torch.manual_seed(seed)
    count, longest = (int(torch.randint(1, 9, ())) for _ in range(2))
    lengths = torch.randint(0, longest + 1, (count,))
    lstm, words = PackedLSTM(5, 4, 2), torch.randn(count, longest, 5, requires_grad=True)
    read = lstm(words, lengths)
    packed = pack_padded_sequence(words, lengths.clamp(min=1), True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(lstm.lstm(packed)[0], True, total_length=longest)
    assert torch.allclose(read, expected, atol=1e-6)
    learnt = [words, *lstm.parameters()]
    for ours, theirs in zip(
        torch.autograd.grad(read.square().sum(), learnt),
        torch.autograd.grad(expected.square().sum(), learnt),
        strict=True,
    ):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_masked_mean_by_hand() -> None:
    states = torch.tensor([[[1.0], [3.0], [1000.0]]])
    assert masked_mean(states, torch.tensor([[True, True, False]])).tolist() == [[2.0]]


def test_message_passing_equals_a_loop_over_nodes(few: EncodedStories) -> None:
    torch.manual_seed(1)
    options = GAT(node=7, message=5, edge=3)
    one = MessagePassing(options)
    nodes, edges = torch.randn(2, 4, 7), torch.randn(2, 6, 3)
    start = torch.tensor([[0, 1, 2, 0, 1, 0], [3, 2, 1, 0, 3, 0]])
    stop = torch.tensor([[1, 2, 1, 2, 1, 0], [2, 1, 0, 3, 1, 0]])
    mask = torch.tensor([[True] * 5 + [False], [True] * 5 + [False]])
    expected = torch.zeros_like(nodes)
    for row in range(2):
        for node in range(4):
            taken = torch.zeros(5)
            into = [e for e in range(6) if mask[row, e] and stop[row, e] == node]
            messages = [
                one.message(torch.cat([nodes[row, start[row, e]], edges[row, e]])) for e in into
            ]
            heard = [message + one.receiver(nodes[row, node]) for message in messages]
            powers = [one.score(torch.where(one_ > 0, one_, 0.2 * one_)).exp() for one_ in heard]
            for message, power in zip(messages, powers, strict=True):
                taken = taken + message * power / sum(powers)
            new = nodes[row, node] + one.update(torch.cat([nodes[row, node], taken]))
            expected[row, node] = one.norm(new)
    assert torch.allclose(one(nodes, edges, start, stop, mask), expected, atol=1e-5)


@pytest.mark.parametrize("name", ["gat", "edge-transformer"])
def test_graph_models_see_the_direction_of_facts_and_no_order_of_facts_or_nodes(
    name: str, few: EncodedStories, sizes: Sizes, encoder: Path
) -> None:
    torch.manual_seed(0)
    module = network(name, encoder).build(sizes).eval()
    batch = a_batch(few, torch.arange(8))
    count = batch.nodes.shape[1]
    order = torch.randperm(count)
    place = order.argsort()
    edges = batch.edges.flip(1).clone()
    edges[..., 0], edges[..., 2] = place[edges[..., 0]], place[edges[..., 2]]
    moved = replace(
        batch, nodes=batch.nodes[:, order], edges=edges, query_nodes=place[batch.query_nodes]
    )
    turned = replace(batch, edges=batch.edges.flip(2))
    with torch.no_grad():
        assert torch.allclose(module(batch), module(moved), atol=1e-4)
        assert not torch.allclose(module(batch), module(turned), atol=1e-3)


def test_text_models_read_the_order_of_words(
    few: EncodedStories, sizes: Sizes, encoder: Path
) -> None:
    batch = a_batch(few, torch.arange(8))
    turned = batch.words.clone()
    for row, spans in enumerate(batch.spans.tolist()):
        for start, length in spans:
            sentence = slice(start, start + length)
            turned[row, sentence] = batch.words[row, sentence].flip(0)
    other = replace(batch, words=turned)
    for name in EVERY:
        torch.manual_seed(0)
        module = network(name, encoder).build(sizes).eval()
        with torch.no_grad():
            same = torch.allclose(module(batch), module(other), atol=1e-4)
        blind = {"gat", "edge-transformer", "bag-of-words", "query-only", "name-only"}
        assert same == (name in blind), name


def test_entities_are_fixed_and_words_learn(few: EncodedStories, sizes: Sizes) -> None:
    module = MODELS.get("bag-of-words").configure({}).build(sizes)  # type: ignore[attr-defined]
    words = module.encoder.words[0]
    assert not words.entities.table.requires_grad
    module(a_batch(few, torch.arange(4))).sum().backward()
    assert words.trained.grad.abs().sum() > 0
    words.eval()
    assert torch.equal(words.embed(torch.tensor([FIRST_ENTITY + 3]))[0], words.entities.table[3])
    unknown = words.embed(torch.tensor([UNKNOWN, sizes.words, sizes.words + 7]))
    assert torch.equal(unknown[0], unknown[1]) and torch.equal(unknown[0], unknown[2])
    assert PADDING == 0


def test_unknown_words_are_trained() -> None:
    words = WordEmbedding(PLACEHOLDERS + 50, 4, unknown=0.5)
    numbers = torch.arange(2, PLACEHOLDERS + 50).repeat(20, 1)
    words.embed(numbers).sum().backward()
    assert words.trained.grad is not None
    placeholders = float(words.trained.grad[UNKNOWN, 0])
    assert 0.4 < placeholders / (20 * 48) < 0.6
    people = words.embed(numbers)[:, :PLACEHOLDERS]
    assert torch.equal(people, words.entities.table.expand(20, -1, -1))
    words.eval()
    words.trained.grad = None
    words.embed(numbers).sum().backward()
    assert float(words.trained.grad[UNKNOWN].abs().sum()) == 0


TEXT = [name for name in SMALL if name not in ("gat", "edge-transformer")]


@pytest.mark.parametrize("name", [*TEXT, "bag-of-words"])
def test_text_models_depend_on_the_query(
    name: str, few: EncodedStories, sizes: Sizes, encoder: Path
) -> None:
    torch.manual_seed(0)
    module = network(name, encoder).build(sizes).eval()
    # A bag of words can tell the two apart only by the sentences that name them.
    batch = a_batch(few, (few.counts[:, 1] > 1).nonzero().squeeze(1))
    turned = replace(batch, query=batch.query.flip(1), query_nodes=batch.query_nodes.flip(1))
    with torch.no_grad():
        difference = (module(batch) - module(turned)).abs().amax(1)
    seen = float((difference > 1e-4).float().mean())
    assert seen > (0.5 if name == "bag-of-words" else 0.9)


def test_the_question_is_the_mean_state_at_each_mention() -> None:
    words = torch.tensor([[FIRST_ENTITY + 3, 90, FIRST_ENTITY + 5, FIRST_ENTITY + 3, 0]])
    states = torch.tensor([[[1.0], [2.0], [4.0], [8.0], [16.0]]])
    nothing = torch.zeros(1, 1, dtype=torch.long)
    batch = StoryBatch(words, *[nothing] * 3, torch.tensor([[3, 5]]), *[nothing] * 4)
    assert mention_means(states, batch).tolist() == [[[4.5], [4.0]]]


def test_the_relation_network_reads_each_sentence_alone() -> None:
    options = RelationNetwork(hidden=8, embedding=8, layers=1)
    story = StoryRow(
        [0, "met", 1, ".", 1, "has", "a", "son", ".", 0, "."], ["A", "B"], (0, 1), [], 2, "x"
    )
    other = replace(story, words=[*story.words[:4], *[1, "met", "a", "son", "."], *story.words[9:]])
    vocabulary = StoryVocabulary.of([story, other])
    torch.manual_seed(0)
    reader = options.encoder_class(options, Sizes.of(vocabulary)).eval()
    batch = a_batch(EncodedStories.of([story, other], vocabulary), torch.arange(2))
    people = batch.words[:1].expand(2, -1)
    batch = replace(
        batch, words=torch.where(batch.words < FIRST_ENTITY + PLACEHOLDERS, people, batch.words)
    )
    with torch.no_grad():
        left, right = reader.read(batch)
    assert torch.allclose(left[:4], right[:4]) and torch.allclose(left[9:], right[9:])
    assert not torch.allclose(left[4:9], right[4:9])


def test_the_frozen_encoder_is_not_changed(
    few: EncodedStories, sizes: Sizes, encoder: Path
) -> None:
    module = network("bert", encoder).build(sizes)
    assert not [name for name, _ in module.named_parameters() if "frozen" in name]
    frozen = module.encoder.frozen[0]
    assert not [name for name in module.state_dict() if "frozen" in name]
    before = [weight.clone() for weight in frozen.parameters()]
    train(StoryObjective(module, few, 0.1), RunContext(training=Training(epochs=1, batch=16)))
    for old, new in zip(before, frozen.parameters(), strict=True):
        assert torch.equal(old, new)


def test_a_tuned_encoder_is_trained(few: EncodedStories, sizes: Sizes, encoder: Path) -> None:
    options = {"encoder": str(encoder), "tuned": True}
    module = MODELS.get("bert").configure(options).build(sizes)  # type: ignore[attr-defined]
    before = {name: weight.clone() for name, weight in module.encoder.tuned.named_parameters()}
    train(StoryObjective(module, few, 0.01), RunContext(training=Training(epochs=1, batch=16)))
    # Its head over the whole text is unused.
    for name, weight in module.encoder.tuned.named_parameters():
        assert "pooler" in name or not torch.equal(before[name], weight), name
    assert [name for name in module.state_dict() if "tuned" in name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert", "bert-edges"])
def test_an_encoder_stored_in_half_precision_is_trained_in_float32(
    name: str, few: EncodedStories, sizes: Sizes, encoder: Path, tmp_path: Path
) -> None:
    from transformers import AutoModel

    for folder, dtype in (("half", torch.float16), ("single", torch.float32)):
        shutil.copytree(encoder, tmp_path / folder)
        # Both have the same numbers: those that half precision can represent.
        rounded = AutoModel.from_pretrained(encoder).half().to(dtype)
        rounded.save_pretrained(tmp_path / folder)
    assert AutoModel.from_pretrained(tmp_path / "half").dtype == torch.float16
    losses = []
    for folder in ("half", "single"):
        options = {"encoder": str(tmp_path / folder), "tuned": True, "encoder_rate": 1e-4}
        torch.manual_seed(0)
        module = MODELS.get(name).configure(options).build(sizes)  # type: ignore[attr-defined]
        assert {weight.dtype for weight in module.parameters()} == {torch.float32}
        job = RunContext(training=Training(epochs=2, batch=16))
        losses.append(train(StoryObjective(module, few, 1e-3), job).history)
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    assert losses[0][1] < losses[0][0]


def test_the_encoder_reads_the_pieces_of_its_tokenizer(
    few: EncodedStories, sizes: Sizes, encoder: Path
) -> None:
    """The state of a word is the mean over its pieces, independent of the batch."""
    from transformers import AutoTokenizer

    module = network("bert", encoder).build(sizes).encoder
    batch = a_batch(few, torch.arange(4))
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    states = module.read(batch)
    in_pieces = 0
    for row, length in enumerate(batch.lengths.tolist()):
        words = [sizes.spelling[word] for word in batch.words[row, :length]]
        pieces = [tokenizer.tokenize(word) for word in words]
        in_pieces += sum(len(parts) > 1 for parts in pieces)
        numbers = tokenizer.convert_tokens_to_ids(["[CLS]", *chain(*pieces), "[SEP]"])
        read = module.frozen[0](torch.tensor([numbers])).last_hidden_state[0, 1:-1]
        expected = torch.stack([part.mean(0) for part in read.split([*map(len, pieces)])])
        assert torch.allclose(states[row, :length], expected, atol=1e-4)
    assert in_pieces


def test_people_are_placeholders_to_the_lstm_over_an_encoder(
    few: EncodedStories, sizes: Sizes, encoder: Path
) -> None:
    options: Any = network("bert-lstm", encoder)
    over = options.encoder_class(options, sizes).eval()
    given = []
    over.lstm.register_forward_pre_hook(lambda module, inputs: given.append(inputs[0]))
    batch = a_batch(few, torch.arange(4))
    over.read(batch)
    number = batch.words - FIRST_ENTITY
    person = (number >= 0) & (number < PLACEHOLDERS)
    assert torch.equal(given[0][person], over.entities.table[number[person]])
    assert torch.equal(given[0][~person], over.encoder.read(batch)[~person])
