"""Wordings that name the first wrong step of a derivation, and wordings that do not."""

from functools import cache

import pytest

from relsmith import Example, make, score
from relsmith.scoring.scorer import answer_key

STEP_3 = r"""
3
3.
#3
"3"
**3**
three
number 3
Step 3
step 3.
Step three
step number 3
step #3
the third step
Third step
the 3rd step
the third
\boxed{3}
$\boxed{\text{Step 3}}$
<answer>3</answer>
<answer>step 3</answer>
#### 3
{"answer": "3"}
{"answer": 3}
{"step": 3}
{"first_wrong_step": "3"}
{"reason": "Peter is her brother", "answer": "3"}
<think>Step 1 is wrong. No, it holds.</think> 3
Answer: 3
Final answer: step 3
**Answer:** 3
Answer: the third step
Answer: 3 (Ann is not the niece of Bob)
Answer: Step 3: So Ann is Bob's niece.
The answer is 3.
My answer is step 3.
I think the answer is 3.
The answer is \boxed{3}.
So the answer is $\boxed{3}$.
Step 3 does not follow, so the answer is 3.
The story says that Peter is her brother, so the answer is step 3.
The first wrong step is 3.
The first wrong step is step 3.
The wrong step is number 3.
The only incorrect step is step 3.
The earliest wrong step is the third one.
First wrong step: 3
The first wrong step is \boxed{3}.
The first step that does not follow is step 3.
The first step that does not follow from the story is 3.
Therefore, the first wrong step is step 3.
So the first incorrect step is 3, because Peter is not her son.
The first invalid step is step 3 (Peter is a brother of Saskia).
Step 3 is wrong.
Step 3 is the first wrong step.
Step 3 is the first incorrect step, since Ann is not the aunt of Bob.
Step 3 is the first step that does not follow from the story.
Step 3 is the only wrong one.
Step 3 is not correct.
Step 3 is not supported.
Step 3 does not follow.
Step 3 doesn't follow from the story.
Step 3 does not follow from steps 1 and 2.
Step 3 does not hold.
Step 3 contradicts the story.
Step 3 contains the first error.
Step three is incorrect because the story says brother.
Step 3 is wrong because step 2 says brother.
The third step is wrong.
The 3rd step does not follow from the story.
The first error is in step 3.
The mistake is in step 3.
The first mistake occurs in the third step.
There is an error in step 3.
I think that step 3 is wrong.
I conclude that step 3 is the first wrong step.
So step 3 is wrong.
Hence step 3 is false.
Conclusion: step 3 is wrong.
Step 1 is right. Step 2 is right. Step 3 is wrong.
Step 1: correct. Step 2: correct. Step 3: wrong.
Steps 1 and 2 are right, step 3 is wrong.
Steps 1 and 2 follow, but step 3 does not follow.
Step 1 and step 2 are right; step 3 is false.
Step 3 is wrong, all other steps are right.
Step 3 is wrong. The story says that Peter is her brother.
I checked the story again. Step 3 is wrong.
Step 3 is wrong. I checked the story twice.
The story says that Ann is an aunt, so step 3 is wrong.
3, because Peter is Saskia's brother
3 because the story says brother
It's step 3.
The correct answer is 3.
Answer: `3`
Answer = 3
### Final Answer: 3
The first error occurs at step 3.
Step 3 is the first error.
Step 3 is wrong: Peter is Saskia's brother.
Step 3 is wrong - Peter is Saskia's brother, not her son.
Step 3 is incorrect. According to the story, Peter is her brother.
Step 3 is not supported by the story.
Step 3 isn't right.
Step 1 holds, step 2 holds, step 3 does not hold.
The final answer is: $\boxed{3}$
The number of the first wrong step is 3.
My answer: 3
Answer: <answer>3</answer>
**Answer:** **\boxed{3}**
**Final Answer:** $\boxed{3}$
The answer is: <answer>3</answer>
Answer: \boxed{\text{Step 3}}
Answer: <3>
Answer: The third step
Answer: Step 3 does not follow
Thus, the answer is: **3**
The answer must be step 3, because Peter is her brother.
After checking all steps, the answer is \boxed{3}.
After checking every step, I find that the first wrong step is \boxed{3}.
Since Peter is not her son, the answer is 3.
I choose step 3.
"""

NONE = r"""
none
None.
**None**
"none"
none of them
None of the steps
None of these steps.
No step
\boxed{none}
$\boxed{\text{none}}$
<answer>none</answer>
{"answer": "none"}
#### none
Answer: none
The answer is none.
No step is wrong.
No steps are wrong.
None of the steps is wrong.
None of them are incorrect.
Nothing is wrong.
There is no wrong step.
There are no incorrect steps.
There are no errors.
No mistakes.
All steps are right.
All the steps are correct.
All of the steps follow from the story.
All five steps are valid.
Every step follows from the story.
Each step is correct.
Each of the steps follows.
All steps are right, so none.
All steps follow, so the answer is none.
None, all steps follow.
The first wrong step is none.
none - all steps follow from the story
Answer: none (every step follows)
None of them is wrong.
So there is no error.
Therefore, all steps are correct.
"""

OTHERS = r"""
The mistake is before step 3
The mistake is after step 3
The mistake is not in step 3
The mistake is right before step 3.
The mistake comes in the step after step 3.
The error is in a step before 3
The first error is in step 3 or 4.
The first error is not in step 3.
The last error is in step 3.
The second error is in step 3.
The error is in step 3.5.
Every step except step 3 is wrong
All steps except step 3 are wrong.
Each step but step 3 is wrong.
Everything but step 3 is wrong.
Only step 3 is right.
Step 3 is the only right step.
Step 3 is the first right step.
Step 3 is the last wrong step.
Step 3 is the second wrong step.
Step 3 is not the first wrong step
Step 3 is not the only wrong step.
Step 3 is not wrong.
Step 3 isn't wrong.
Step 3 is never wrong.
Step 3 is hardly wrong.
Step 3 is anything but wrong.
Step 3 is far from wrong.
Step 3 is right.
Step 3 is right or wrong.
Step 3 is wrong or right.
Step 3 is free of errors.
Step 3 has no error.
Step 3 contains no mistake.
Step 3 does follow.
Step 3 does not fail to follow.
Step 3 does not contradict the story.
Step 3 is not unsupported.
Step 3 follows from the story.
Step 3 comes after the wrong step.
Step 3 comes before the first wrong step.
Step 3 uses a wrong step.
Step 3 repeats the error of an earlier step.
Step 3 is wrong only because step 2 is wrong.
Step 3 is wrong because an earlier one is.
Step 3 is wrong, too.
Step 3 is also wrong.
Step 3 is wrong as well.
Step 3 is as wrong as step 2.
Step 3 is wrong if Ann is a man.
Step 3 is wrong unless Ann is a man.
Step 3 is wrong, or is it
Step 3 is wrong?
Step 3 is wrong, isn't it?
Step 3 is wrong, says Ann.
Step 3 is wrong, they say.
Step 3 is wrong, some would say.
Step 3 is wrong. Just kidding.
Step 3 is wrong. Not.
Step 3 is wrong. No, it is right.
Step 3 is wrong. That is what Ann believes.
Step 3 is wrong. Or so they say.
Step 3 is wrong. So is step 2.
Step 3 is wrong. Step 2 is wrong.
Step 3 is wrong. Step 3 is right.
Step 3 is wrong, step 3 is right.
Step 3 is wrong and step 4 is wrong.
Step 3 would be wrong if Ann were a man
Step 3 would be wrong.
Step 3 could be wrong.
Step 3 may be wrong.
Step 3 might not follow.
Step 3 seems wrong.
Step 3 looks wrong to me.
Step 3 is probably wrong.
Step 3 is perhaps wrong.
Step 3 was wrong in the former text.
Step 3 will be wrong.
Step 3 should be wrong.
Step 3 is called wrong by Ann.
Step 3 is easy to get wrong.
Step 3 is wrong to doubt.
Step 3 and 4 are wrong
Steps 3 and 4 are wrong.
Steps 3 to 5 are wrong.
Steps 3-5
Steps up to 3 are wrong
Steps before 3 are wrong.
Steps after step 3 are wrong.
Step 2 and step 3 are wrong.
Step 2 or step 3 is wrong.
Step 3 or 4
Step 3 or step 4
Step 3/4
Step 3, step 4
Between step 2 and step 3
Either step 3 or none
Neither step 3 nor step 4
Not step 3
not 3
Anything but step 3
All but step 3
Before step 3
After step 3
after step 3 comes the error
Up to step 3
Until step 3 all is right.
Everything until step 3 is wrong.
One step before step 3
The step after step 3
The step before the third step
Two steps after step 3
Three steps
3 steps
3 steps are wrong
3 wrong steps
There are 3 wrong steps.
Three of the steps are wrong.
Three mistakes
3 is wrong
3 is right
3 is not the answer
3 is the number of steps that follow
3rd of the right ones
The third right step
Third from the end
3.5
3.0
3,5
-3
- -3
+3
3+
~3
> 3
>= 3
< 3
3?
3 or 4
3 and 4
3-4
3/5
3%
2 + 1
33
30
03
1/3
3x
x3
step-3
step 3a
step 3.1
Answer: -3
Answer: 3.5
Answer: 3 or 4
Answer: not 3
Answer: anything but 3
Answer: 3?
Answer: after 3
Answer: 3 of them
Answer: 3 steps
Answer: 3. No, that is wrong.
Answer: 3. Just kidding.
Answer: 3, no it is 4
Answer: 2, 3 and 4 are wrong
Answer: the step before step 3
The answer is not 3.
The answer is not \boxed{3}.
The answer isn't 3.
The answer is never 3.
The answer could be 3.
The answer would be 3 if Ann were a man.
If Ann were a man, the answer would be 3.
If Ann is a man, the answer is 3.
Unless Ann is a man, the answer is 3.
The wrong answer is 3.
A wrong answer is 3.
None of the answers is 3.
Nobody says that the answer is 3.
Ann says that the answer is 3.
I doubt that the answer is 3.
I do not think the answer is 3.
It is false that the answer is 3.
My first answer was 3.
The answer was 3 before.
The answer is 3?
Is the answer 3?
\boxed{-3}
\boxed{3.5}
\boxed{3} is not the answer.
\boxed{3} or \boxed{4}
\boxed{3 or 4}
It is not \boxed{3}.
Anything but \boxed{3}.
<answer>not 3</answer>
<answer>-3</answer>
It is not <answer>3</answer>.
{"answer": -3}
{"answer": 3.5}
{"answer": "not 3"}
{"last_right_step": 3}
{"right_steps": "3"}
{"wrong_steps": 3}
{"correct": "3"}
It is not {"answer": "3"}
<think>3</think>
Calling step 3 wrong is a mistake
It is false that step 3 is wrong
It is not true that step 3 is wrong.
It is wrong that step 3 is wrong.
It is wrong to call step 3 wrong.
It is a mistake to call step 3 wrong.
I doubt that step 3 is wrong.
I do not think that step 3 is wrong.
I am not sure that step 3 is wrong.
I wonder whether step 3 is wrong.
I thought that step 3 is wrong.
I guess step 3 is wrong.
Ann thinks that step 3 is wrong.
Some say that step 3 is wrong.
Nobody thinks that step 3 is wrong.
Whoever says that step 3 is wrong is wrong.
Suppose step 3 is wrong.
If step 3 is wrong, step 5 is wrong.
Suppose the following. Step 3 is wrong.
Here is what I do not believe. Step 3 is wrong.
The next sentence is false. Step 3 is wrong.
Is step 3 wrong?
Is step 3 wrong? It is not.
Why is step 3 wrong?
Check whether step 3 is wrong.
Maybe step 3
Perhaps 3
Probably step 3
It could be step 3.
No wrong step comes before step 3.
The first right step is step 3.
The last wrong step is step 3.
The second wrong step is step 3.
The wrong step is not step 3.
The wrong step is before step 3.
The wrong step is step 3 or step 4.
The first wrong step is not 3.
The first wrong step is after 3.
The first wrong step is 3 or 4.
The first wrong step is probably 3.
The first wrong step would be 3.
The first wrong step might be step 3.
The first wrong step is never step 3.
The first wrong step is 3 steps from the end.
The first wrong step is 3 places after step 1.
The first wrong step is step 3 minus 1.
The first wrong step is 3, but not really.
The first wrong step is one of 3 and 4.
The first step that follows is step 3.
The first step that does not follow is not step 3.
Step 3: right
Step 3: So Ann is Bob's niece.
Step 1: wrong. Step 2: right. Step 3: wrong.
none, they are all wrong
none, all are wrong
none. Step 2 is wrong.
None of the steps follows.
None of the steps is right.
None of them are correct.
None of these steps hold.
None but step 3
None except the last
None or step 3
None is right
None of the first two steps
None, if Ann is a man
None, because no step follows.
None, because the steps do not follow.
None, maybe
None?
Not none
not one
No one knows
No step follows.
No step is right.
No step but the third is wrong.
No step except the last is wrong.
No step before step 3 is wrong.
No wrong step but the last.
No wrong step is without a wrong conclusion.
No errors in steps 1 to 4.
No errors before step 3.
No idea
Nothing is right.
Nothing follows.
Nothing is wrong with step 3.
Nothing but errors.
All steps follow apart from the last
All steps follow except the last.
All steps but one are right.
All steps but the third follow.
All steps up to step 3 follow.
All steps are wrong.
All steps are not right.
All steps are right or wrong.
All steps are right, except for one.
All steps are right. No, the last is wrong.
All steps are right if Ann is a woman.
All the right steps
All of the first four steps follow.
Almost all steps are right.
Nearly every step follows.
Not all steps follow.
Not every step is right.
I doubt that all steps are right
I do not think that all steps are right.
It is false that all steps are right.
Ann says that all steps are right.
Are all steps right?
Every step is wrong.
Every step but the last follows.
Every other step is right.
Every second step is right.
Each of the first two steps follows.
Hardly any step is wrong.
There is no right step.
There is no step that follows.
There are no errors except in step 3.
There is no doubt that a step is wrong.
It is not none.
The answer is not none.
The answer: none; step 3 is wrong
I cannot tell.
Step 3 is wrong, but I could be mistaken.
Step 3 is the first wrong step, apart from step 2.
Step 3 is the only wrong step in Ann's list of right ones.
The first wrong step is the one before step 3.
The first wrong step is step 3 according to Ann.
So far step 3.
So step 3 is right.
No: step 3 is wrong.
None: step 3 is wrong
none - but 3
none (except step 3)
none (of the right ones)
none because I gave up
None of them is right, so none
Every step follows from the story. Except the third.
Every step follows from the story. The third does not.
Every step follows from the story. Well, nearly.
All steps are right. One is not.
All steps are right, step 3 is wrong.
Steps 1 and 2 are wrong, step 3 is right.
Step 1 is wrong, step 3 is wrong.
Step 3 is wrong. As is step 1.
Step 3 is wrong because step 1 contradicts the story.
Step 3 is wrong because it rests on step 2, where the error lies.
Step 3 is wrong because the trouble begins in step 2.
Step 3 is wrong, because I flipped a coin.
Step 3 (joke)
Step 3 (not really the case)
Step 3 (my second choice is none)
Step 3, maybe
Step 3 - or thereabouts
Step 3; step 4
Step 3; no, step 4
3; 4
3, 4
3 4
3 out of 5
3 of 5
3 of the 5 steps follow
3rd of five
the third of the good ones
third time lucky
The third person is wrong.
The third name is wrong.
The third rule
the third best answer
the third step of the other proof
first wrong step: not 3
first wrong step: 3?
first wrong step: before 3
first wrong step: >3
first wrong step: step 3 or none
wrong step: 3 of 5
The answer is: the step after 3
The answer is three steps.
The answer is that step 3 is right.
The answer is that step 3 is not wrong.
The answer is that there is no step 3.
Answer: step 3 is right
Answer: all but 3
Answer: 3 is not it
Answer: 3 (not)
Answer: 3 (this is a lie)
Answer: 3 (if Ann is a man)
Answer: 3, unless Ann is a man
Answer: 3, I guess
Answer: 3 - 1
Answer: 3 - 1 = 2
Answer: 1 + 2 = 3
Answer: 6/2 = 3
Answer: 3 = 3
Answer: 2 < x < 4
Answer: x > 3
Answer: step > 3
Answer: minus 3
Answer: minus three
Answer: negative 3
Answer: 3e5
Answer: 3,000
Answer: 3 000
Answer: III
Answer: 0x3
Answer: 3a
Answer: -none
Answer: none or 3
Answer: none, 3
Answer: none but 3
Answer: none of your business
Answer: none of the above
Answer: nonesuch
Answer: no step but 3
Answer: no step follows
Answer: step none
The correct answer is not 3
The correct answer is anything except 3
The opposite of the answer is 3
The number of steps is 3, which is the answer.
Your answer is 3
His answer: 3
Ann's answer: 3
Not my answer: 3
An incorrect answer: 3
Don't answer: 3
Do not say that the answer is 3
Never say the answer is 3.
It can't be that the answer is 3
Without step 2 the answer is 3
Who says the answer is 3
\boxed{3}?
\boxed{3} is wrong.
\boxed{3} steps are right.
\boxed{ -3 }
\boxed{\frac{3}{1}}
\boxed{3}\boxed{4}
Not \boxed{\text{none}}.
There are \boxed{3} right steps.
Of the \boxed{3} facts, one is wrong.
<answer>3 or none</answer>
<answer>3</answer> is what I would not say.
Nobody: <answer>3</answer>
{"answer": "step 3 or 4"}
{"not_answer": 3}
{"first_right_step": 3}
{"number_of_wrong_steps": 3}
{"answer": [3, 4]}
{"answer": ["3", "4"]}
{"answer": null}
{"answer": false}
{"answer": true}
{"answer": 3e0}
{"Step 3": "right"}
{"3": "right"}
{"3": "wrong", "4": "wrong"}
[3]
Step 3 ✓
Step 3: not wrong
Step 3: wrong?
Step 3: wrong or right
Step 3 = wrong or right
Step 3 (wrong?)
Step 3 (wrong) is right.
Step 3 (right) is wrong.
"Step 3 is wrong" is wrong.
"Step 3 is wrong" is false.
"Step 3 is wrong" would be a lie.
Step 3 is wrong - said nobody.
Step 3 is wrong: this is false.
Step 3 is wrong: that claim would be rash.
Step 3 is wrong: Ann says so.
Step 3 is wrong: a claim that fools make.
Step 3 is wrong as far as Ann knows.
Step 3 is wrong since Tuesday.
Step 3 is wrong as a matter of taste.
Step 3 is the step where nothing is wrong.
Step 3 is not one that does not follow.
Step 3 does not follow only if Ann is a man.
Step 3 doesn't follow from the story alone but from the rules.
Step 3 contradicts the story only at first sight.
Step 3 contains the correction of the first error.
Step 3 makes the error of step 2 plain.
Step 3 has an error free text.
Step 3 has the fewest errors.
The error in step 3 is none.
The mistake in step 3 is small.
The only right step is step 3.
The first step is right.
The first error is after step 3.
The first error in the steps after step 3.
the error is in step 3 of the other proof
There is an error in step 3 or 4.
There is no error in step 3.
There is no wrong step before step 3.
There is no wrong step 3.
No error is in step 3.
No step 3.
no step 3 is wrong
Nothing is wrong except step 3.
Nothing is false, so what
Nothing is wrong here, or everything is.
I think not.
I believe in step 3.
I find step 3 hard.
I have 3 answers.
we get 3 steps
It is 3 o'clock.
It is step 3 that holds.
It is step 3 that is right.
It is not step 3 that is wrong.
It's 3 or 4.
It is three steps long.
it was 3
"""
"""Wordings that name neither step 3 nor `none` as the only answer; scored against both."""


@cache
def derivation(target: str) -> Example:
    rows = make("clutrr", task="verify-steps", k="3", style="plain")
    return next(row for row in rows.split() if row.target == target)


def lines(table: str) -> list[str]:
    return table.strip().splitlines()


@pytest.mark.parametrize(("target", "table"), [("3", STEP_3), ("none", NONE)])
def test_wordings_that_name_the_answer(target: str, table: str) -> None:
    said = {text: answer_key(derivation(target)).score(text).answer for text in lines(table)}
    assert {text: answer for text, answer in said.items() if answer != target} == {}


def test_wordings_that_do_not_name_the_answer() -> None:
    rows = [derivation("3"), derivation("none")]
    texts = [*lines(OTHERS), "Answer: \u22123", "Answer: \u20133", "Step 3 \u2713"]
    assert [text for text in texts if any(score(row, text).value for row in rows)] == []
    assert len(lines(OTHERS)) >= 300
    assert len(lines(STEP_3) + lines(NONE)) >= 100


@pytest.mark.parametrize(
    "frame", ["Answer: {}", "<answer>{}</answer>", "\\boxed{{{}}}", "So {}", "I think that {}"]
)
def test_wordings_in_frames(frame: str) -> None:
    """A frame never makes an answer of a wording that has none."""
    rows = [derivation("3"), derivation("none")]
    texts = [frame.format(text) for text in lines(OTHERS) if "{" not in text and ": " not in text]
    wrong = [text for text in texts if any(score(row, text).value for row in rows)]
    assert wrong == []
