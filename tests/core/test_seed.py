import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.seed import Permutation, Stream, hash_key
from relsmith.testing.profile import scaled

GOLDEN_DRAWS = [759, 579, 876, 686, 193]
GOLDEN_SHUFFLE = "aghedcfb"
GOLDEN_SAMPLE = [19, 66, 87, 3]
GOLDEN_CHOICE = "y"
GOLDEN_CARDS = [778, 106, 485, 83, 420, 965]

PARTS = st.lists(st.one_of(st.text(max_size=4), st.integers(-9, 9)), max_size=4)


def draws(*parts: str | int) -> list[float]:
    stream = Stream(*parts)
    return [stream.random() for _ in range(4)]


@settings(max_examples=scaled(200))
@given(PARTS, PARTS)
def test_different_parts_never_give_the_same_stream(left, right):
    assert (hash_key(*left) == hash_key(*right)) == (left == right)
    assert (draws(*left) == draws(*right)) == (left == right)


def test_parts_are_not_concatenated():
    keys = [
        hash_key("a", "bc"),
        hash_key("ab", "c"),
        hash_key("abc"),
        hash_key("a", 1),
        hash_key("a", "1"),
        hash_key("a1"),
    ]
    assert len(set(keys)) == len(keys)


def test_stream_is_pinned():
    stream = Stream("golden", 1)
    letters = list("abcdefgh")
    drawn = [stream.below(1000) for _ in range(5)]
    stream.shuffle(letters)
    assert drawn == GOLDEN_DRAWS
    assert "".join(letters) == GOLDEN_SHUFFLE
    assert stream.sample(range(100), 4) == GOLDEN_SAMPLE
    assert stream.choice("xyz") == GOLDEN_CHOICE


def test_permutation_is_pinned():
    deal = Permutation(1000, "golden", 1)
    assert [deal[n] for n in range(6)] == GOLDEN_CARDS


@settings(max_examples=scaled(150))
@given(st.integers(1, 700), PARTS)
def test_permutation_is_a_bijection(size, parts):
    deal = Permutation(size, *parts)
    assert sorted(deal[n] for n in range(size)) == list(range(size))


@settings(max_examples=scaled(100))
@given(st.integers(10**3, 10**40), PARTS)
def test_values_of_a_large_permutation_are_distinct_and_in_range(size, parts):
    deal = Permutation(size, *parts)
    cards = [deal[n] for n in range(200)]
    assert len(set(cards)) == 200
    assert all(0 <= card < size for card in cards)


@pytest.mark.parametrize("size", [2**20, 2**60, 2**128, 2**140, 3**100])
def test_values_of_a_permutation_cover_the_range(size):
    deal = Permutation(size, "spread")
    sixteenths = {deal[n] * 16 // size for n in range(300)}
    assert sixteenths == set(range(16))


def test_permutations_of_all_keys_give_all_orders():
    orders = {tuple(Permutation(4, key)[n] for n in range(4)) for key in range(1000)}
    assert orders == set(itertools.permutations(range(4)))


@pytest.mark.parametrize("n", [-1, 10, 11])
def test_an_index_out_of_range_is_an_index_error(n):
    with pytest.raises(IndexError, match=f"index {n} of a permutation of 10"):
        Permutation(10, "k")[n]


def test_an_empty_permutation_is_refused():
    with pytest.raises(ValueError, match="size=0"):
        Permutation(0, "k")


@given(st.integers(1, 2**70), st.integers())
def test_below_stays_below(n, seed):
    stream = Stream(seed)
    assert all(0 <= stream.below(n) < n for _ in range(20))


def test_below_reaches_every_number():
    stream = Stream("reach")
    assert {stream.below(7) for _ in range(300)} == set(range(7))


@pytest.mark.parametrize("n", [2**40, 2**53, 2**54, 2**60, 3**50])
def test_below_draws_odd_and_even_numbers_however_large(n):
    stream = Stream("parity")
    assert {stream.below(n) % 2 for _ in range(100)} == {0, 1}


@pytest.mark.parametrize("n", [0, -1])
def test_below_zero_is_refused(n):
    with pytest.raises(ValueError, match=str(n)):
        Stream("none").below(n)


@given(st.lists(st.integers()), st.integers())
def test_shuffle_keeps_the_items(items, seed):
    shuffled = list(items)
    Stream(seed).shuffle(shuffled)
    assert sorted(shuffled) == sorted(items)


def test_shuffle_gives_every_order():
    stream, orders = Stream("orders"), set()
    for _ in range(500):
        items = [0, 1, 2, 3]
        stream.shuffle(items)
        orders.add(tuple(items))
    assert orders == set(itertools.permutations(range(4)))


@given(st.data(), st.lists(st.integers(), unique=True, max_size=12), st.integers())
def test_sample_draws_distinct_items_and_keeps_the_list(data, items, seed):
    n = data.draw(st.integers(0, len(items)))
    before = list(items)
    drawn = Stream(seed).sample(items, n)
    assert len(drawn) == len(set(drawn)) == n
    assert set(drawn) <= set(items)
    assert items == before


def test_sample_gives_every_pair_in_either_order():
    stream = Stream("pairs")
    assert {tuple(stream.sample("abc", 2)) for _ in range(200)} == set(
        itertools.permutations("abc", 2)
    )


@pytest.mark.parametrize("n", [4, -1])
def test_sample_of_an_impossible_number_is_refused(n):
    with pytest.raises(ValueError, match=f"cannot draw {n} of 3"):
        Stream("few").sample("abc", n)


def test_choice_reaches_every_item():
    stream = Stream("choice")
    assert {stream.choice("abcd") for _ in range(200)} == set("abcd")
