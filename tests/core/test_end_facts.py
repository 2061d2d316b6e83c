"""The guess by what is told of the two people asked about, by hand."""

from relsmith.end_facts import end_fact_pairs, predict_from_end_facts

FACTS = [("Ann", "son", "Bob"), ("Cat", "aunt", "Ann"), ("Dan", "wife", "Cat")]


def test_facts_of_the_two_are_read_from_their_side_and_others_are_not_seen() -> None:
    assert end_fact_pairs(FACTS, ("Ann", "Cat")) == [
        ("son", "wife"),
        ("son", "~aunt"),
        ("~aunt", "wife"),
        ("~aunt", "~aunt"),
    ]
    assert end_fact_pairs(FACTS, ("Bob", "Dan")) == [("~son", "~wife")]


def test_the_answer_that_most_pairs_speak_for_is_guessed() -> None:
    known = [([("a", "b")], "son"), ([("a", "b")], "son"), ([("a", "b"), ("c", "d")], "aunt")]
    assert predict_from_end_facts(known, [[("a", "b")]]) == ["son"]
    # Two thirds of the one pair are for the son; a third of it and all of the other for the aunt.
    assert predict_from_end_facts(known, [[("a", "b"), ("c", "d")]]) == ["aunt"]


def test_ends_never_seen_get_the_most_frequent_answer_and_without_any_there_is_none() -> None:
    known = [([("a", "b")], "aunt"), ([("a", "b")], "son"), ([("a", "c")], "son")]
    assert predict_from_end_facts(known, [[("x", "y")]]) == ["son"]
    assert predict_from_end_facts([], [[("x", "y")]]) == [""]
