"""Any causal language model of transformers, as it is or fine-tuned on the pairs.

It reads the abstract and the text up to a blank. A word's chance is the product over its pieces,
where at each piece only those count that go on to some known word; so the chances of all known
words add up to 1.

References: Radford et al., Improving language understanding by generative pre-training, 2018.
"""

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import torch
from pydantic import BaseModel, Field
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from typing_extensions import override

from .....errors import InvalidOption
from .... import pretrained
from ....model import RunContext
from ....result import TrainingSummary
from ..encoding import FIRST_WORD, Batch, Encoded, Vocabulary
from ..model import ClozeModel, Network
from ..prediction import Prediction, Predictor

_CHUNK = 128


class _Pretrained(BaseModel):
    """Options of a model that comes with weights."""

    packages: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    reads: ClassVar[tuple[str, ...]] = ("path",)

    path: str = Field(description="folder or name of a causal language model of transformers")
    least: int = Field(1, ge=1, description="words that are rarer in training are unknown")
    floor: float = Field(
        1e-3, ge=0, lt=1, description="beginnings of words less likely are not looked into"
    )


class CausalLM(_Pretrained, ClozeModel):
    """A pretrained causal language model, as it is."""

    name: ClassVar = "causal-lm"
    random: ClassVar = False

    @staticmethod
    def surprisal(where: str) -> "Surprisal":
        """What `gen cloze --lm` measures by."""
        return Surprisal(where)

    @override
    def learn(
        self, train: Encoded, vocabulary: Vocabulary, job: RunContext
    ) -> tuple[Predictor, TrainingSummary]:
        module = Words(self.path, self.floor, vocabulary)
        return module.to(job.device).eval(), TrainingSummary()


class Surprisal:
    """How surprising stretches of a text are to a causal language model."""

    def __init__(self, where: str) -> None:
        self.tokenizer, model = pretrained.load(where, "AutoModelForCausalLM")
        self.model = model.eval().requires_grad_(False)

    def __call__(self, before: str, text: str, spans: Sequence[tuple[int, int]]) -> list[float]:
        """The bits of each span of the text, after what comes before and all of the text so far."""
        pieces = self.tokenizer(before + text, return_offsets_mapping=True, return_tensors="pt")
        ids, places = pieces["input_ids"][0].tolist(), pieces["offset_mapping"][0].tolist()
        logs = self.model(pieces["input_ids"]).logits[0].log_softmax(-1)
        bits = []
        for start, end in spans:
            first, last = start + len(before), end + len(before)
            inside = [n for n, (a, b) in enumerate(places) if a < last and b > first and n]
            nats = -sum(float(logs[n - 1, ids[n]]) for n in inside)
            bits.append(round(nats / math.log(2), 2))
        return bits


class TunedCausalLM(_Pretrained, Network):
    """A pretrained causal language model, fine-tuned."""

    name: ClassVar = "causal-lm-tuned"

    learning_rate: float = Field(5e-5, gt=0, description="of Adam")
    most: int = Field(3, ge=1, description="most epochs of fine-tuning")

    def epochs(self, stage: str, most: int) -> int:
        """A few are enough."""
        return min(self.most, most)

    @override
    def build(self, train: Encoded, vocabulary: Vocabulary) -> nn.Module:
        return Words(self.path, self.floor, vocabulary)


@dataclass
class _Node:
    """Some pieces, the words that they spell, and how to go on."""

    pieces: tuple[int, ...] = ()
    words: list[int] = field(default_factory=list)
    next: dict[int, "_Node"] = field(default_factory=dict)

    def add(self, pieces: Sequence[int], word: int) -> None:
        """Put a word where its pieces lead."""
        node = self
        for piece in pieces:
            node = node.next.setdefault(piece, _Node((*node.pieces, piece)))
        node.words.append(word)

    def below(self) -> list[int]:
        """All words that begin so."""
        return [*self.words, *(word for node in self.next.values() for word in node.below())]

    @cached_property
    def shares(self) -> tuple[Tensor, Tensor, Tensor]:
        """Words by one piece more: each, that piece's place, and the log of how many share it."""
        below = [child.below() for child in self.next.values()]
        words = [word for some in below for word in some]
        places = [place for place, some in enumerate(below) for _ in some]
        shares = [math.log(len(some)) for some in below for _ in some]
        return torch.tensor(words), torch.tensor(places), torch.tensor(shares)


class _Begun(NamedTuple):
    """The beginning of words, after which texts it is looked into, and how likely it is there."""

    node: _Node
    rows: list[int]
    mass: Tensor


class Words(nn.Module):
    """A language model over pieces that says how likely words are."""

    def __init__(self, path: str, floor: float, vocabulary: Vocabulary) -> None:
        super().__init__()
        tokenizer, self.model = pretrained.load(path, "AutoModelForCausalLM")
        self.floor = floor
        unknown = tokenizer.unk_token_id
        unknown = 0 if unknown is None else unknown
        spelled = [f" {word}" for word in vocabulary.spelling()[FIRST_WORD:]]
        tokenised = tokenizer(spelled, add_special_tokens=False)["input_ids"] if spelled else []
        self.pieces: list[list[int]] = [[], [unknown], [_between(tokenizer)]]
        self.pieces += [list(pieces) or [unknown] for pieces in tokenised]
        self.root = _Node()
        for word in range(FIRST_WORD, len(self.pieces)):
            self.root.add(self.pieces[word], word)
        known = dict.fromkeys(piece for pieces in self.pieces[FIRST_WORD:] for piece in pieces)
        self.columns = {piece: column for column, piece in enumerate(known)}
        self.most = int(getattr(self.model.config, "max_position_embeddings", 1 << 20))

    def loss(self, batch: Batch, stage: str) -> Tensor:
        """The nats of all pieces of the concrete texts."""
        texts = [self._text(batch, row) for row in range(len(batch.source))]
        ids, mask = self._padded([pieces for pieces, _ in texts])
        scores = self.model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
        starts = torch.tensor([places[1] for _, places in texts], device=ids.device)
        asked = mask[:, 1:].bool() & (
            torch.arange(1, ids.shape[1], device=ids.device) >= starts.unsqueeze(1)
        )
        return functional.cross_entropy(scores[asked], ids[:, 1:][asked], reduction="sum")

    def predict(self, batch: Batch, places: Tensor, starts: Tensor) -> Prediction:
        """Words after the pieces of all that stands before."""
        texts = [self._text(batch, row) for row in range(len(batch.source))]
        before = [
            tuple(pieces[: ends[place]])
            for (pieces, ends), asked in zip(texts, places.tolist(), strict=True)
            for place in asked
        ]
        # Beyond the last blank of a row, the same place is asked for again and again.
        number = {text: place for place, text in enumerate(dict.fromkeys(before))}
        chunks = [list(number)[start : start + _CHUNK] for start in range(0, len(number), _CHUNK)]
        logs = torch.cat([self._chances(chunk) for chunk in chunks])
        return Prediction(logs[[number[text] for text in before]].view(*places.shape, -1))

    def _chances(self, texts: Sequence[Sequence[int]]) -> Tensor:
        """[texts, words]: the logarithm of each word's chance; beginnings of one length at once."""
        ids, mask = self._padded(texts)
        read = self.model(input_ids=ids, attention_mask=mask, use_cache=True)
        rows = torch.arange(len(ids), device=ids.device)
        out = torch.full((len(ids), len(self.pieces)), -torch.inf, device=ids.device)
        root = _Begun(self.root, rows.tolist(), torch.zeros(len(ids), device=ids.device))
        begun = list(self._share(root, self._logs(read.logits[rows, mask.sum(1) - 1]), out))
        while begun:
            told = self._after(read.past_key_values, mask, begun)
            both = zip(begun, torch.split(told, [len(each.rows) for each in begun]), strict=True)
            begun = [longer for each, logs in both for longer in self._share(each, logs, out)]
        return out

    def _after(self, cache: Any, mask: Tensor, begun: "list[_Begun]") -> Tensor:
        """What comes after beginnings, all of one length, of words after what has been read."""
        rows = [row for each in begun for row in each.rows]
        pieces = [each.node.pieces for each in begun for _ in each.rows]
        told = []
        for start in range(0, len(rows), _CHUNK):
            chosen = torch.tensor(rows[start : start + _CHUNK], device=mask.device)
            ids = torch.tensor(pieces[start : start + _CHUNK], device=mask.device)
            seen, held = mask[chosen], copy.deepcopy(cache)
            held.batch_select_indices(chosen)
            scores = self.model(
                input_ids=ids,
                attention_mask=torch.cat([seen, torch.ones_like(ids)], 1),
                position_ids=seen.sum(1, keepdim=True) + torch.arange(ids.shape[1]).to(ids.device),
                past_key_values=held,
            ).logits
            told.append(self._logs(scores[:, -1]))
        return torch.cat(told)

    def _logs(self, scores: Tensor) -> Tensor:
        """[texts, columns]: the logarithm of the chance of each piece that words have."""
        return scores.float().log_softmax(-1)[:, list(self.columns)]

    def _share(self, begun: "_Begun", told: Tensor, out: Tensor) -> Iterator["_Begun"]:
        """Share the mass of a beginning among its words; then longer ones to look into."""
        node, rows = begun.node, torch.tensor(begun.rows, device=out.device)
        pieces = told[:, [self.columns[piece] for piece in node.next]]
        if node.words:
            rest = torch.log1p(-pieces.exp().sum(1).clamp(max=1 - 1e-6))
            each = (begun.mass + rest - math.log(len(node.words))).unsqueeze(1)
            out[rows.unsqueeze(1), torch.tensor(node.words, device=out.device)] = each
        else:
            pieces = pieces.log_softmax(1)
        masses = begun.mass.unsqueeze(1) + pieces
        words, places, shares = (part.to(out.device) for part in node.shares)
        out[rows.unsqueeze(1), words] = masses[:, places] - shares
        children = list(node.next.values())
        inner = [place for place, child in enumerate(children) if child.next]
        likely = (masses[:, inner] > _log(self.floor)).T.cpu()
        for place, deep in zip(inner, likely, strict=True):
            if deep.any():
                chosen = deep.nonzero().squeeze(1)
                numbers = [begun.rows[number] for number in chosen.tolist()]
                yield _Begun(children[place], numbers, masses[chosen.to(out.device), place])

    def _text(self, batch: Batch, row: int) -> tuple[list[int], list[int]]:
        """The pieces of both texts, and how many stand before each place of the target."""
        source = batch.source[row, : int(batch.source_lengths[row])].tolist()
        target = batch.target[row, : int(batch.target_lengths[row]) + 1].tolist()
        pieces = [piece for word in source for piece in self.pieces[word]]
        places = []
        for word in target:
            places.append(len(pieces))
            pieces += self.pieces[word]
        places.append(len(pieces))
        if len(pieces) > self.most:
            raise InvalidOption(
                f"longest: {len(pieces)} pieces are more than the {self.most} that the model "
                f"reads; cut texts shorter"
            )
        return pieces, places

    def _padded(self, texts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        device = next(self.model.parameters()).device
        lengths = torch.tensor([len(text) for text in texts], device=device)
        ids = pad_sequence([torch.tensor(text) for text in texts], batch_first=True).to(device)
        mask = torch.arange(ids.shape[1], device=device) < lengths.unsqueeze(1)
        return ids, mask.long()


def _log(chance: float) -> float:
    return math.log(chance) if chance else -math.inf


def _between(tokenizer: Any) -> int:
    """The piece between the two texts."""
    for piece in (tokenizer.eos_token_id, tokenizer.bos_token_id, tokenizer.sep_token_id):
        if piece is not None:
            return int(piece)
    return int(tokenizer("\n", add_special_tokens=False)["input_ids"][0])
