"""Which words point, and which only look as if they did. The pointing word stands in brackets."""

from __future__ import annotations

import pytest

from visavis.perceive.pointing import pointing

POINTS = """
What is [this]?
What is [that]?
what's [that]
What colour is [that] box over there?
Can you read [these] letters for me please?
How many of [these] are red?
Please look [here] and tell me what you see.
Is [this] the one I should take to the museum tomorrow morning?
Which of [those] is bigger?
Is [that] the museum?
Who is [that] man?
What is the box over [there]?
What is in [there]?
Put it [there].
Who is the man [there] on the left?
And what about [that]?
[This] one, what is it called?
[That] looks strange.
[That] is my brother.
[That]'s a nice hat, isn't it?
Do you know [that] building?
I want to buy [this].
Which way is it, [this] way?
How much is [that]?
What does [this] sign mean?
Does [that] look okay to you?
I think that [this] is broken.
Is there a number on [this]?
[这]是什么？
[那]是什么？
[这个]是什么颜色？
请问[那个]红色的是什么？
[这里]写的是什么？
帮我看看[这些]字
[那边]有几个人？
[这张]图上有什么
[這個]是什麼？
[那本]书叫什么名字？
[这]怎么读？
你觉得[这件]衣服好看吗？
那[这个]呢？
那个，[这]是什么？
"""

DOES_NOT = """
What is the capital of France?
I think that you are right.
He said that it was late.
I hope that works.
The book that I read was long.
The man that came yesterday is gone.
There is a cat.
There are two of them.
How many days are there in a year?
Is there anything to eat?
Are you there?
Hello there.
How do I get there?
What will the weather be this week?
What happened this morning?
I was so tired that I slept.
That's right.
That's all.
That's why I came.
No, that is not what I meant.
That was great.
Is that right?
It is not that bad.
Here we go.
Here you are.
I'm here.
these days it is hard
What happened at that time?
this year was warm
那我们走吧。
那就这样吧。
这么多人？
那么你呢？
那时候你在哪里？
这个星期天气怎么样？
这几天冷吗？
那天下雨了吗？
那个，我想问一下时间
去那里怎么走？
这件事你怎么看
我这就去
今天天气怎么样？
那好，再见
"""


@pytest.mark.parametrize("line", POINTS.strip().splitlines())
def test_a_word_that_points_is_found(line: str) -> None:
    start, end = line.index("["), line.index("]") - 1
    assert pointing(line.replace("[", "").replace("]", "")) == (start, end)


@pytest.mark.parametrize("line", DOES_NOT.strip().splitlines())
def test_the_same_words_do_other_work(line: str) -> None:
    assert pointing(line) is None


def test_nothing_points_at_nothing() -> None:
    assert pointing("") is None
    assert pointing("...") is None
