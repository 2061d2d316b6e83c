"""Checks of a row's text: its segments, the question, the genders, names and explanation."""

import re
from collections.abc import Iterator

from ....kb.worlds.fact import Fact
from ....kb.worlds.languages import find_language
from ....kb.worlds.stories import DATED_PREFIX, DatedSentences
from ....kb.worlds.verdict import Status
from .case import StoryCase
from .scenes import named_readings
from .sentence_parser import StoryCast, check_sentence

_MAX_WORDS_PER_PATH = 200
_MAX_ASIDES = 5
_MIN_CONNECTED_SHARE = 0.6


def check_text(case: StoryCase) -> Iterator[str]:
    """Yield where the input is not the opening, the segments and the question."""
    metadata = case.metadata
    segments = [text for text, _ in case.segments]
    question = _question(case)
    opening = _preface(case)
    opening += [case.stories.legend] if case.options.style == "facts" else []
    whole = " ".join([*segments, question])
    if case.options.gender == "given" and case.world.genders:
        cast = case.example.input.removesuffix(whole).removeprefix(" ".join([*opening, ""]))
        yield from check_cast(cast, case.genders, case.options.language)
        whole = cast + whole
    whole = " ".join([*opening, whole])
    if case.example.input != whole:
        yield "the input is not its sentences and the question"
    if metadata["starts"][-1:] != [len(case.example.input) - len(question)]:
        yield "the last start is not that of the question"
    stated = sorted(number for numbers in metadata["states"] for number in numbers)
    if stated != list(range(len(case.facts))):
        yield "the sentences do not state every fact once"
    if not len(metadata["templates"]) == len(metadata["states"]) == len(metadata["starts"]) - 1:
        yield "there is not one template for each sentence"


def _question(case: StoryCase) -> str:
    """Return the question that the options and the metadata require.

    That of a derivation is checked with its steps.
    """
    if case.options.verifies:
        return case.example.input[case.metadata["starts"][-1] :]
    (x, y), answer, asked = case.query, case.options.answer, case.metadata["asked"]
    stories = case.stories
    texts = {"relation": stories.question, "yes-no": stories.yes_no, "who": stories.who}
    question = _in_gender(case, texts[answer], asked).format(x=x, y=y, word=asked)
    if case.options.unknown_share and answer != "who":
        question += " " + find_language(case.options.language).texts.unknown_hint
    return question


def _in_gender(case: StoryCase, text: str, word: str) -> str:
    """Return a text with those words that agree with the gender of a relation word."""
    is_male = word in case.world.meanings and case.world.meanings[word][1] == "male"
    for found in re.findall(r"\{word:[^{}]*\}", text):
        male, female = found.removeprefix("{word:").removesuffix("}").split("|")
        text = text.replace(found, male if is_male else female)
    return text


def _preface(case: StoryCase) -> list[str]:
    """Return the conventions and the possible answers, as the options want them."""
    wanted, answer = case.options.conventions, case.options.answer
    conventions = case.world.conventions
    if wanted == "none" or conventions is None:
        return []
    texts = [conventions.brief, conventions.full] if wanted == "full" else [conventions.brief]
    texts = [text for text in texts if text]
    if answer == "who" or wanted == "brief" or case.options.verifies:
        return texts
    answers = ["yes", "no"] if answer == "yes-no" else sorted(case.world.meanings)
    answers += ["unknown"] * (case.options.unknown_share > 0)
    answers = [case.world.answer_words.get(answer, answer) for answer in answers]
    listed = find_language(case.options.language).texts.possible_answers
    return [*texts, listed.replace("{answers}", ", ".join(answers))]


def check_cast(text: str, genders: dict[str, str], language: str) -> Iterator[str]:
    """Yield a finding unless a text lists these genders, as far as they are stated."""
    listed: list[tuple[str, str]] = []
    texts = find_language(language).texts
    for part in text.strip().rstrip(".").split("; "):
        for gender, sentences in texts.genders.items():
            for sentence in (sentences.one, sentences.many):
                before, _, after = sentence.partition("{names}")
                names = part.removeprefix(before).removesuffix(after)
                if part == before + names + after:
                    for conjunction in texts.conjunctions:
                        names = names.replace(conjunction.word, ", ")
                    *others, last = names.split(", ")
                    if bool(others) == (sentence == sentences.many):
                        listed += [(gender, name) for name in (*others, last)]
    expected = [(gender, name) for name, gender in genders.items() if gender != "unstated"]
    if listed != sorted(expected):
        yield f"{text!r} does not list everyone's gender in the order of names"


def check_segments(case: StoryCase) -> Iterator[str]:
    """Yield the segments that do not say what they should."""
    cast = StoryCast(case.neighbors, case.genders)
    bank = case.options.bank() if case.options.style == "text" else None
    before: tuple[str, list[Fact]] = "", []
    for (text, facts), template in zip(case.segments, case.metadata["templates"], strict=False):
        if case.stories.dated is not None and template.startswith(DATED_PREFIX):
            wrong = _dated_error(case.stories.dated, template, text, facts)
        elif bank is None:
            wrong = _plain_error(case, template, text, facts)
        elif template in bank.by_id:
            wrong = check_sentence(bank, template, text, facts, cast)
            if wrong and before[1]:
                readings = [
                    reading
                    for reading in named_readings(case, bank, text, before, facts)
                    if check_sentence(bank, template, reading, facts, cast) is None
                ]
                wrong = None if len(readings) == 1 else wrong
        else:
            wrong = f"has the template {template!r}, which is unknown"
        if wrong:
            yield f"{text!r} {wrong}"
        before = text, facts


def _dated_error(dated: DatedSentences, template: str, text: str, facts: list[Fact]) -> str | None:
    """Return what is wrong with a sentence that relates two events by their times."""
    if len(facts) != 1:
        return f"states {len(facts)} facts"
    x, word, y = facts[0]
    parsed = dated.parse(text, x, y)
    if parsed is None:
        return f"has no times of {x!r} and {y!r}"
    if parsed != (template, word):
        return f"says by {parsed[0]} and times that the {y} {parsed[1]} the {x}"
    return None


def _plain_error(case: StoryCase, template: str, text: str, facts: list[Fact]) -> str | None:
    """Return what is wrong with a plain sentence or a bare fact."""
    if len(facts) != 1:
        return f"states {len(facts)} facts"
    (fact,) = facts
    expected = {"fact": f"({', '.join(fact)})"}
    if case.options.style == "plain":
        frames = enumerate(case.stories.plain)
        expected = {f"plain-{n}": _plain_sentence(case, frame, fact) for n, frame in frames}
    return None if text == expected.get(template) else "does not say what it should"


def _plain_sentence(case: StoryCase, frame: str, fact: Fact) -> str:
    (x, word, y), text = fact, _in_gender(case, frame, fact[1])
    for slot, value in (("{x}", x), ("{y}", y), ("{word}", word), ("{a}", _article(case, word))):
        text = text.replace(slot, value)
    return text


def _article(case: StoryCase, word: str) -> str:
    """Return the indefinite article of a relation word by the texts of the language."""
    articles = find_language(case.options.language).texts.articles
    return next((rule.word for rule in articles if re.match(rule.before, word)), "")


def check_dates(case: StoryCase) -> Iterator[str]:
    """Yield a finding unless, in a world with dates, exactly one chain fact is stated by times."""
    if case.stories.dated is None:
        return
    core = len(case.chain) + (len(case.side_facts) if case.options.questions > 1 else 0)
    segments = zip(case.metadata["states"], case.metadata["templates"], strict=False)
    dated = [numbers for numbers, template in segments if template.startswith(DATED_PREFIX)]
    if len(dated) != 1 or len(dated[0]) != 1 or dated[0][0] >= core:
        yield "not exactly one fact of the chain is stated by times"


def check_length(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the length and the depth of a long story."""
    limit, depth = case.options.words, case.options.depth
    if not limit:
        return
    words = connected = 0
    component = case.distances(case.query[0])
    for text, facts in case.segments:
        length = len(text.split())
        words += length
        connected += length if any(x in component for x, _, _ in facts) else 0
    if connected < _MIN_CONNECTED_SHARE * words:
        what = "words are about people connected with the question"
        yield f"only {connected} of {words} {what}, less than {_MIN_CONNECTED_SHARE:.0%}"
    if not limit - _MAX_WORDS_PER_PATH < words <= limit:
        yield f"the story has {words} words, and not about {limit}"
    if depth is None:
        return
    core = len(case.chain) + len(case.side_facts)
    needed: list[int] = []
    other: list[int] = []
    for place, numbers in enumerate(case.metadata["states"]):
        if any(number < core for number in numbers):
            needed.append(place)
        elif numbers:
            other.append(place)
    if any(needed[0] < place < needed[-1] for place in other):
        yield "noise is among the facts that are needed"
    before, rest = needed[0], len(case.segments) - (needed[-1] + 1 - needed[0])
    # Asides may come before the first of them.
    if abs(before - depth * rest) > _MAX_ASIDES:
        yield f"the facts needed come after {before} of {rest} others, not at {depth}"


def check_explanation(case: StoryCase) -> Iterator[str]:
    """Yield the sentences that do not explain their step of the proof, or are false."""
    metadata, known = case.metadata, case.facts.copy()
    if len(metadata["explanation"]) != (len(metadata["proof"]) if case.options.explain else 0):
        yield "the explanation does not have a sentence for each step of the proof"
        return
    steps = zip(metadata["explanation"], metadata["proof"], metadata["concluded"], strict=False)
    for sentence, numbers, word in steps:
        premises = [known[number] for number in numbers]
        (x, _, y), (a, _, b) = premises
        conclusion = (y if x in (a, b) else x), word, (b if a in (x, y) else a)
        known.append(conclusion)
        rule = _rule_in_words(case, premises, conclusion)
        step = sentence.removesuffix(f" ({rule}).") + "." if rule else sentence
        if len(step) > len(sentence):
            yield f"{sentence!r} does not name its rule and the convention of it"
        elif not _explains(case, step, premises, conclusion):
            yield f"{sentence!r} does not say that step of the proof"
        elif case.options.rules == case.world.default:
            verdict = case.world.judge(premises, case.genders, conclusion[::2], None)
            if verdict.answers != {word} or verdict.status is not Status.ENTAILED:
                yield f"{sentence!r} is not true"


def _rule_in_words(case: StoryCase, premises: list[Fact], conclusion: Fact) -> str:
    """Return the rule of a step by its words, with the convention that the world file names."""
    world, (x, head, y) = case.world, conclusion
    words: list[str] = []
    for (a, word, b), end in zip(premises, (x, y), strict=True):
        # The first premise leads away from x, the second to y.
        if (a == x and end == x) or (b == y and end == y):
            words.append(word)
        else:
            inverse = world.inverse(world.meanings[word][0])
            words.append(world.predicates[inverse].word(case.genders.get(a)) if inverse else "")
    path = [world.meanings[word][0] if word else "" for word in words]
    texts = find_language(case.options.language).texts
    convention = ""
    for rule in world.ruleset().rules:
        if rule.convention and [*rule.body, rule.head] == [*path, world.meanings[head][0]]:
            assert world.conventions
            convention = world.conventions.named[rule.convention]
    if not texts.rule:
        return convention
    if texts.rule["where"] in case.stories.plain[0]:
        named = texts.rule["nouns"].replace("{second}", words[1])
        for slot, word in (("{a_first}", words[0]), ("{a_then}", head)):
            named = named.replace(slot, f"{_article(case, word)} {word}")
    else:
        named = texts.rule["sentences"]
        steps = (("A", words[0], "B"), ("B", words[1], "C"), ("A", head, "C"))
        for slot, step in zip(("{first}", "{second}", "{then}"), steps, strict=True):
            text = min(statements(case, step), key=str.swapcase)
            for letter in "ABC":
                text = re.sub(rf"\b{texts.thing_article}{letter}\b", letter, text)
            named = named.replace(slot, text)
    if not convention:
        return named
    return texts.rule["convention"].replace("{rule}", named).replace("{convention}", convention)


def _explains(case: StoryCase, sentence: str, premises: list[Fact], conclusion: Fact) -> bool:
    """Return whether a sentence derives the conclusion from the premises, in any order."""
    first, second, then = [statements(case, fact) for fact in (*premises, conclusion)]
    for frame in find_language(case.options.language).texts.steps:
        for one, other in ((first, second), (second, first)):
            if _matches(sentence, frame, {"first": one, "second": other, "then": then}):
                return True
    return False


def _matches(sentence: str, frame: str, statements: dict[str, set[str]]) -> bool:
    """Return whether a sentence is the frame with one of the statements in each of its slots."""
    # Words between the slots may be in a statement too, so every place is tried.
    places = {0}
    for number, part in enumerate(re.split(r"\{(\w+)\}", frame)):
        texts = statements[part] if number % 2 else {part}
        reached: set[int] = set()
        for place in places:
            for text in texts:
                if sentence.startswith(text, place):
                    reached.add(place + len(text))
        places = reached
    return len(sentence) in places


def statements(case: StoryCase, fact: Fact) -> set[str]:
    """Return the plain statement of a fact, at the start of a sentence and within."""
    frame = case.stories.plain[0]
    text = _plain_sentence(case, frame, fact)
    begins = text[0] if _in_gender(case, frame, fact[1]).startswith("{") else text[0].lower()
    return {text[:-1], begins + text[1:-1]}


def check_genders(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the genders, and with relation words that show them."""
    people = sorted(case.neighbors)
    listed = sorted(name for name, _ in case.metadata["genders"])
    if listed != (people if case.world.genders else []):
        yield "genders are not those of the people of the story"
    must_show = case.options.style != "text" and case.options.gender == "text"
    if must_show and case.world.genders and case.query[1] not in {y for _, _, y in case.facts}:
        yield f"nothing shows the gender of {case.query[1]!r}"
    if not set(case.genders.values()) <= set(case.world.genders):
        yield "a gender is none of the world's"
    elif "unstated" in case.world.genders:
        # A word without gender is true of everyone, but it is not the word for a woman.
        for _, word, y in case.facts:
            name = case.world.meanings[word][0]
            if y in case.genders and case.world.predicates[name].word(case.genders[y]) != word:
                yield f"{word!r} is not the word for {y!r}, whose gender is {case.genders[y]}"


def check_names(case: StoryCase) -> Iterator[str]:
    """Yield names that things of their kind do not have."""
    pool = dict(zip(case.world.kinds, case.options.pool(), strict=False))
    for x, word, y in case.facts:
        between = case.world.predicates[case.world.meanings[word][0]].between
        for name, kind in zip((x, y), between or (), strict=False):
            if name not in pool[kind]:
                yield f"{name!r} is no name for this kind: {kind}"
