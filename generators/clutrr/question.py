"""What is asked about a story: how two people are related, or whether they are so related."""

from typing import TYPE_CHECKING, Any, Final

from ...kb.rules import Rules
from ...seed import Stream
from .setting import Setting

if TYPE_CHECKING:
    from .generator import Clutrr

UNKNOWN: Final = "unknown"
YES_NO = ("yes", "no")


Question = tuple[str, list[str], str]
"""The question, the answers to choose from, and the right one."""


class Asking:
    """Asks as the options say, and puts what a row must say of it into its metadata."""

    def __init__(self, options: "Clutrr", setting: Setting, rules: Rules, stream: Stream) -> None:
        self.options, self.setting, self.rules, self.stream = options, setting, rules, stream
        self.words = sorted({word for words in setting.words for word in words})
        self.by_gender = [list(words) for words in setting.words]
        self.text, self.yes_no = setting.question, options.answer == "yes-no"
        self.tasks, self.judged = options.task != "reasoning", options.rules != "sound"
        if options.answer == UNKNOWN:
            self.words.append(UNKNOWN)
            self.text += " If the story leaves that open, the answer is unknown."
            self.judged = True

    def question(self, row: dict[str, Any], predicate: int, male: bool) -> Question:
        """Ask how the second of the query is to the first; below 0, there is no answer."""
        query: list[str] = row["query"]
        target = UNKNOWN if predicate < 0 else self.by_gender[predicate][male]
        text = self.text.replace("{x}", query[0]).replace("{y}", query[1])
        if self.tasks:
            row["task"] = "reasoning" if row["proof"] else "memory"
        if self.judged:
            self._judged(row, target)
        if self.yes_no and predicate >= 0:
            target, text = self._yes_no(row, predicate, male, target)
        return text, self._choices(target, male), target

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
