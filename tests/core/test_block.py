from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Block
from relsmith.block import ROWS_PER_BLOCK, row_id
from relsmith.testing.profile import scaled

BLOCK = Block("tiny", 1, 7, ("train", "test"), "train", 2)


def test_numbers_of_all_blocks_are_all_numbers():
    numbers = chain.from_iterable(replace(BLOCK, index=index).numbers for index in range(4))
    assert list(numbers) == list(range(4 * ROWS_PER_BLOCK))


def test_ids_are_pinned():
    assert BLOCK.id(513) == BLOCK.ids[1] == "tiny-v1-s7-train-513"
    assert len(BLOCK.ids) == ROWS_PER_BLOCK
    assert row_id("tiny", 1, -7, "test", 0) == "tiny-v1-s-7-test-0"
    parallel = replace(BLOCK, languages=("en", "de"))
    assert parallel.ids[:2] == ["tiny-v1-s7-train-512", "tiny-v1-s7-de-train-513"]
    assert parallel.stream("a").random() == BLOCK.stream("a").random()


@pytest.mark.parametrize(
    "other",
    [
        replace(BLOCK, generator="other"),
        replace(BLOCK, version=2),
        replace(BLOCK, seed=8),
        replace(BLOCK, split="test"),
        replace(BLOCK, index=3),
    ],
)
def test_every_part_of_a_block_changes_its_streams(other):
    assert BLOCK.stream("a").random() != other.stream("a").random()
    assert BLOCK.stream("a").random() != BLOCK.stream("b").random()


def test_seed_parts_do_not_cancel_out():
    blocks = [
        replace(BLOCK, version=version, seed=seed, index=index)
        for version in (1, 2, 3)
        for seed in (1, 2, 3)
        for index in (1, 2, 3)
    ]
    assert len({block.stream("a").random() for block in blocks}) == len(blocks)
    assert len({block.permutation(10**12, "a")[0] for block in blocks}) == 9


def test_streams_do_not_depend_on_the_other_splits():
    alone = replace(BLOCK, splits=("train",))
    assert BLOCK.stream("a").random() == alone.stream("a").random()


def test_blocks_of_a_split_share_one_permutation():
    assert BLOCK.permutation(999, "a")[5] == replace(BLOCK, index=3).permutation(999, "a")[5]


@settings(max_examples=scaled(100))
@given(st.integers(1, 6), st.integers(6, 300), st.integers())
def test_shares_of_blocks_are_disjoint_and_cover_everything(seats, size, seed):
    splits = tuple(f"s{seat}" for seat in range(seats))
    cards = [
        Block("tiny", 1, seed, splits, split, 0).permutation(size, "cards")[n]
        for split in splits
        for n in range(size // seats)
    ]
    assert len(set(cards)) == len(cards) == size - size % seats
    assert set(cards) <= set(range(size))


def test_every_content_has_one_owner_and_splits_own_alike() -> None:
    splits = ("train", "validation", "test")
    blocks = [Block("g", 1, 0, splits, split, 0) for split in splits]
    owners = [[block.owns(str(n)) for block in blocks] for n in range(3000)]
    assert all(sum(row) == 1 for row in owners)
    assert all(900 < sum(column) < 1100 for column in zip(*owners, strict=True))


def test_a_single_split_owns_all_and_seeds_own_differently() -> None:
    assert all(Block("g", 1, 0, ("train",), "train", 0).owns(str(n)) for n in range(50))
    one, other = (Block("g", 1, seed, ("a", "b"), "a", 0) for seed in (0, 1))
    assert [one.owns(str(n)) for n in range(50)] != [other.owns(str(n)) for n in range(50)]
