"""What is asked about a story: how two people are related, or whether they are so related."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ...seed import Stream
from .chain import Rules
from .setting import Setting

if TYPE_CHECKING:
    from .generator import Clutrr

UNKNOWN = "unknown"
YES_NO = ("yes", "no")


class Question(NamedTuple):
    """The question, the answers to choose from, and the right one."""

    text: str
    choices: list[str]
    target: str


class Asking:
    """Asks as the options say, and puts what a row must say of it into its metadata."""

    def __init__(self, options: "Clutrr", setting: Setting, rules: Rules, stream: Stream) -> None:
        self.options, self.setting, self.rules, self.stream = options, setting, rules, stream
        self.words = sorted({word for words in setting.words for word in words})
        if options.answer == UNKNOWN:
            self.words.append(UNKNOWN)

    def question(self, row: dict[str, Any], predicate: int | None, male: bool) -> Question:
        """Ask how the second of the query is to the first; no predicate, no answer."""
        x, y = row["query"]
        target = UNKNOWN if predicate is None else self.setting.words[predicate][male]
        text = self.setting.question.format(x=x, y=y)
        if self.options.answer == UNKNOWN:
            text += " If the story leaves that open, the answer is unknown."
        if self.options.task != "reasoning":
            row["task"] = "reasoning" if row["proof"] else "memory"
        if self.options.rules != "sound" or self.options.answer == UNKNOWN:
            self._judged(row, target)
        if self.options.answer == "yes-no" and predicate is not None:
            target, text = self._yes_no(row, predicate, male, target)
        return Question(text, self._choices(target, male), target)

    def _judged(self, row: dict[str, Any], target: str) -> None:
        facts = [tuple(fact) for fact in row["facts"]]
        facts += [tuple(fact) for path in row["noise_facts"] for fact in path["facts"]]
        x, y = row["query"]
        claimed = None if target == UNKNOWN else target
        verdict = self.setting.judge(facts, row["genders"], (x, y), claimed)
        row["verdict"] = str(verdict.status)
        row["possible"] = sorted(verdict.answers)

    def _yes_no(
        self, row: dict[str, Any], predicate: int, male: bool, word: str
    ) -> tuple[str, str]:
        row["relation"] = asked = word
        target = "yes"
        if self.stream.random() < 0.5:
            target = "no"
            among = self.rules.concluded if row["proof"] else self.rules.premised
            asked = self.setting.words[self._denied(predicate, among)][male]
        row["asked"] = asked
        x, y = row["query"]
        return target, self.setting.yes_no.format(x=x, y=y, word=asked)

    def _denied(self, predicate: int, among: frozenset[int]) -> int:
        """One of these predicates that cannot hold where this one does."""
        ticket = self.stream.random()
        shares = self.setting.denials(among)[predicate]
        for other, share in enumerate(shares):
            if share and ticket < share:
                return other
            ticket -= share
        return max(range(len(shares)), key=shares.__getitem__)

    def _choices(self, target: str, male: bool) -> list[str]:
        wanted = self.options.choices
        if wanted == "none":
            return []
        if self.options.answer == "yes-no":
            return list(YES_NO)
        if wanted == "all":
            return self.words
        others = [words[male] for words in self.setting.words if words[male] != target]
        if self.options.answer == UNKNOWN and target != UNKNOWN:
            others.append(UNKNOWN)
        chosen = [target, *self.stream.sample(others, int(wanted))]
        self.stream.shuffle(chosen)
        return chosen
