"""What must hold for every model, and what each computes, by hand."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from relsmith.evaluation.model import MODELS
from relsmith.evaluation.stories.encoding import FIRST_ENTITY, PADDING, Batch, Encoded, Sizes
from relsmith.evaluation.stories.harness import fit, predict
from relsmith.evaluation.stories.model import Network
from relsmith.evaluation.stories.models.gat import GAT, Round
from relsmith.evaluation.stories.models.parts import attend, mean
from relsmith.evaluation.stories.models.transformer import positions
from relsmith.evaluation.training import Training

SMALL = {
    "bilstm-mean": {"hidden": 48, "embedding": 32, "layers": 1},
    "bilstm-attention": {"hidden": 48, "embedding": 32, "layers": 1},
    "rn": {"hidden": 48, "embedding": 32, "layers": 1},
    "mac": {"hidden": 48, "embedding": 32, "layers": 1, "iterations": 2, "dropout": 0.0},
    "rmc": {"embedding": 32, "head_size": 16, "heads": 2, "key_size": 16, "attention_layers": 1},
    "transformer": {"embedding": 32, "layers": 1, "width": 64, "inner": 128, "dropout": 0.0},
    "gat": {},
    "edge-transformer": {"width": 48, "rounds": 3},
    "bert": {},
    "bert-lstm": {"hidden": 48, "embedding": 32, "layers": 1},
}
YARDSTICKS = {
    "bag-of-words": {},
    "query-only": {},
    "story-without-query": {"hidden": 20, "layers": 1},
    "position-only": {},
    "name-only": {},
}
EVERY = SMALL | YARDSTICKS


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory, sizes: Sizes) -> Path:
    """A tiny BERT that knows nothing, and a vocabulary of letters and most words."""
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


def network(name: str, encoder: Path) -> Network:
    options = EVERY[name] | ({"encoder": str(encoder)} if name.startswith("bert") else {})
    made = MODELS.get(name).configure(options)
    assert isinstance(made, Network)
    return made


def a_batch(data: Encoded, rows: Tensor, seed: int = 0) -> Batch:
    return data.batch(rows, data.draw(torch.Generator().manual_seed(seed)))


def test_every_network_of_ours_is_tested() -> None:
    ours = {
        name: entry
        for name, entry in MODELS.entries.items()
        if "relsmith 0" in entry.distribution and entry.load().reads == "stories"
    }
    assert {name for name, entry in ours.items() if issubclass(entry.load(), Network)} == set(EVERY)
    for name, entry in ours.items():
        assert entry.load().yardstick == (name not in SMALL)


QUICK = ("transformer", "gat")
"""Those that learn by heart in seconds; the others do in the slow tier."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SMALL]
)
def test_overfits_64_rows(
    name: str, few: Encoded, sizes: Sizes, encoder: Path, tmp_path: Path
) -> None:
    one = network(name, encoder)
    for epochs in range(40, 401, 40):
        training = Training(
            epochs=epochs, batch=32, learning_rate=5e-3, validation=0, patience=1000
        )
        fitted = fit(one, sizes, few, training, checkpoint=tmp_path / "checkpoint.pt")
        if (predict(fitted.module, few) == few.targets).all():
            return
    pytest.fail(f"the loss went {fitted.history[::20]}")


@pytest.mark.parametrize("name", EVERY)
def test_padding_changes_nothing(name: str, few: Encoded, sizes: Sizes, encoder: Path) -> None:
    torch.manual_seed(0)
    module = network(name, encoder).build(sizes).eval()
    drawn = few.draw(torch.Generator().manual_seed(0))
    shortest = few.counts.sum(1).argsort()[:3]
    longest = few.counts.amax(0)
    assert (few.counts[shortest] < longest).all(0)[[0, 2, 3]].all()
    with torch.no_grad():
        together = module(few.batch(torch.arange(len(few)), drawn))[shortest]
        alone = torch.cat([module(few.batch(row[None], drawn)) for row in shortest])
    assert torch.allclose(alone, together, atol=1e-4)


@pytest.mark.parametrize("name", EVERY)
def test_nothing_that_stands_in_the_padding_is_seen(
    name: str, few: Encoded, sizes: Sizes, encoder: Path
) -> None:
    torch.manual_seed(0)
    module = network(name, encoder).build(sizes).eval()
    batch = a_batch(few, torch.arange(16))
    edges = batch.edges.clone()
    edges[..., 0][~batch.edge_mask] = 1
    edges[..., 2][~batch.edge_mask] = 2
    sentences = batch.sentences.masked_fill(~batch.word_mask, 3)
    with torch.no_grad():
        before = module(batch)
        after = module(replace(batch, edges=edges, sentences=sentences))
    assert torch.equal(before, after)


def test_attention_is_a_softmax_over_what_is_there() -> None:
    scores = torch.tensor([[1.0, 2.0, 900.0, -3.0], [5.0, 5.0, 5.0, 5.0]], requires_grad=True)
    mask = torch.tensor([[True, True, False, True], [False, False, False, False]])
    weights = attend(scores, mask)
    total = math.exp(1) + math.exp(2) + math.exp(-3)
    by_hand = [math.exp(1) / total, math.exp(2) / total, 0.0, math.exp(-3) / total]
    assert weights[0].tolist() == pytest.approx(by_hand)
    assert weights[1].tolist() == [0.0] * 4
    weights[:, :2].sum().backward()
    assert scores.grad is not None and scores.grad.isfinite().all()
    assert (scores.grad[~mask] == 0).all()


def test_the_mean_is_over_what_is_there() -> None:
    states = torch.tensor([[[1.0], [3.0], [1000.0]]])
    assert mean(states, torch.tensor([[True, True, False]])).tolist() == [[2.0]]


def test_a_round_of_the_gat_is_what_a_loop_over_nodes_computes(few: Encoded) -> None:
    torch.manual_seed(1)
    options = GAT(node=7, message=5, edge=3)
    one = Round(options)
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
def test_graph_models_do_not_depend_on_the_order_of_facts_or_nodes(
    name: str, few: Encoded, sizes: Sizes, encoder: Path
) -> None:
    torch.manual_seed(0)
    module = network(name, encoder).build(sizes).eval()
    batch = a_batch(few, torch.arange(8))
    count = batch.nodes.shape[1]
    order = torch.randperm(count)
    place = order.argsort()
    edges = batch.edges.flip(1).clone()
    edges[..., 0], edges[..., 2] = place[edges[..., 0]], place[edges[..., 2]]
    moved = replace(batch, nodes=batch.nodes[:, order], edges=edges, asked=place[batch.asked])
    with torch.no_grad():
        assert torch.allclose(module(batch), module(moved), atol=1e-4)


@pytest.mark.parametrize("name", ["gat", "edge-transformer"])
def test_graph_models_tell_forwards_from_backwards(
    name: str, few: Encoded, sizes: Sizes, encoder: Path
) -> None:
    torch.manual_seed(0)
    module = network(name, encoder).build(sizes).eval()
    batch = a_batch(few, torch.arange(8))
    turned = replace(batch, edges=batch.edges.flip(2))
    with torch.no_grad():
        assert not torch.allclose(module(batch), module(turned), atol=1e-3)


def test_text_models_read_the_order_of_words(few: Encoded, sizes: Sizes, encoder: Path) -> None:
    batch = a_batch(few, torch.arange(8))
    turned = batch.words.clone()
    for row, length in enumerate(batch.lengths.tolist()):
        turned[row, :length] = batch.words[row, :length].flip(0)
    other = replace(batch, words=turned)
    for name in EVERY:
        torch.manual_seed(0)
        module = network(name, encoder).build(sizes).eval()
        with torch.no_grad():
            same = torch.allclose(module(batch), module(other), atol=1e-4)
        blind = {"gat", "edge-transformer", "bag-of-words", "query-only", "name-only"}
        assert same == (name in blind), name


def test_entities_are_fixed_and_words_learn(few: Encoded, sizes: Sizes) -> None:
    module = MODELS.get("bag-of-words").configure({}).build(sizes)  # type: ignore[attr-defined]
    fixed = module.words.entities.table
    assert not fixed.requires_grad
    module(a_batch(few, torch.arange(4))).sum().backward()
    assert module.words.trained.grad.abs().sum() > 0
    assert torch.equal(module.words(torch.tensor([FIRST_ENTITY + 3]))[0], fixed[3])
    unknown = module.words(torch.tensor([1, sizes.words, sizes.words + 7]))
    assert torch.equal(unknown[0], unknown[1]) and torch.equal(unknown[0], unknown[2])
    assert PADDING == 0


def test_positions_are_all_different() -> None:
    table = positions(300, 32, torch.device("cpu"))
    assert torch.cdist(table, table).add(torch.eye(300) * 9).min() > 0.05


def test_the_frozen_encoder_stays_as_it_is(few: Encoded, sizes: Sizes, encoder: Path) -> None:
    module = network("bert", encoder).build(sizes)
    assert not [name for name, _ in module.named_parameters() if "frozen" in name]
    before = [weight.clone() for weight in module.frozen[0].parameters()]
    training = Training(epochs=1, batch=16, validation=0)
    fit(network("bert", encoder), sizes, few, training)
    for old, new in zip(before, module.frozen[0].parameters(), strict=True):
        assert torch.equal(old, new)


def test_the_encoder_gets_what_its_tokenizer_says(
    few: Encoded, sizes: Sizes, encoder: Path
) -> None:
    from transformers import AutoTokenizer

    module = network("bert", encoder).build(sizes)
    batch = a_batch(few, torch.arange(4))
    numbers, mask = module._spelled(batch)
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    for row in range(4):
        words = [sizes.spelling[word] for word in batch.words[row, : batch.lengths[row]]]
        pieces = [piece for word in words for piece in tokenizer.tokenize(word)]
        expected = tokenizer.convert_tokens_to_ids(["[CLS]", *pieces, "[SEP]"])
        assert numbers[row][mask[row]].tolist() == expected
