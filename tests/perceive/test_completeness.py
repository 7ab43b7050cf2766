"""A table: what is finished, what is not, what may be either."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.perceive.completeness import completeness, is_hesitation, quotation_is_open

from .tables import lines

FINISHED = """
What is a healthy weight?
How long is the wait?
What time does the museum open
What time does the museum open?
What is the capital of France?
What is the capital of France
How many legs does a spider have
How old are you?
Where are you from
What are you looking at
What is it made of
Who am I talking to
What do you want
What is it like
What should I do
How are you
What's the weather like today
What's that?
Who wrote Hamlet
So, um, what is that thing over there?
Okay, how far is the moon
When does it open
Why?
Is it going to rain tomorrow
Can you tell me a joke
Do you know where the station is
Could you repeat that?
Tell me about the history of Rome.
Tell me what you see
Please turn off the light.
Turn it on.
Read me the first line.
I would like a cup of tea, please.
I went to the store and bought some milk.
I think so.
I think that's a good idea.
My name is Anna and I live in Berlin.
Yes.
No.
Stop
Wait.
Never mind.
Yes, I do.
Uh-huh.
That's what it is.
My number is 415 555 0123
Call 911.
How do you know?
I will let you know.
Call 112
Tell me the number of it.
I am waiting for it.
four one five five five five zero one two three
If it rains tomorrow, what should I wear?
If I have ten apples and eat two, how many are left?
She said "come in" and left.
I like that.
My sister and her husband are coming to visit us.
The dog slept on the sofa.
I am not going to go.
I know.
We won the game.
The room is 73.
The code is 7391 4420 88.
What about tomorrow?
The book that I bought is about Rome.
Can you help me?
Could you explain that?
What are you thinking about?
What are you looking at?
Are you coming or not?
The answer is no.
And then she said no.
I do not know whether it is open or not.
Can you see?
Do you hear it?
What is seven times eight?
What is 25 plus 17?
现在几点？
现在几点
法国的首都是哪里？
法国的首都是哪里
博物馆什么时候开门
你叫什么名字？
你是谁
你好吗
今天天气怎么样
为什么天是蓝色的？
你能看到什么
这是什么？
你看到了吗
请帮我关灯。
给我讲个笑话
告诉我这是什么颜色
我不知道。
我住在北京。
我吃过饭了
我要这个
我不想
是的。
对
不对
等一下。
停
如果明天下雨，我就不去了。
因为下雨，所以我没去。
我的电话是一三八一二三四五六七八
現在幾點？
你吃飯了嗎
他说“我不去”。
"""

UNFINISHED = """
I want to go to Rome no
How many days are in?
What color is, no wait.
I want the blue one, or rather
We are looking.
I am trying
I'm just wondering.
I think it was on Monday or not.
Can you watch?
Could you tell
What time does
How many people have
Which bus do
I would like to know
I would like to know.
I want to order.
The code is 73.
My pin is seven
What is the best way to f-
What is the biggest...
What is the best way to f *?
What is the best weight?
Do you know the easiest wait?
I was thinking about.
Could you please explain?
I would like the
I would like the.
I'd like to
I want to
I want
And
I went to the store and
I went to the store and.
I think that
I think
Because
Because I was
Because I was...
So, um
So, um...
What is
What is the
What is the capital of
What is the capital of?
What time does the
Can you
Can you tell me
Can you tell me about the
Could you
Do you
If it rains tomorrow
If it rains tomorrow.
When I was young
When I was young.
Tell me about
Tell me
The problem is
My favourite colour is
I'm
It's
Let's
My number is four one five
My number is 415
Call 020.
Call zero.
How do I, you know?
So, you know
Please dial 0207946
The order is number 12.
How many people?
I need a recipe for it.
The book is about the history of it.
415
415.
415 555
four one five
It's four one five, five five five
The code is 4 7 1
My name is spelled J O H
J-O-H-N
She said "come in and
He said “I don't
I have a brother and a sister, but
the best thing is, uh
Well, I
and then they
He told me that if
Do you know if
I was wondering whether
A cup of tea with
I live in a house with the
And so
How about
我想
我想要
我想，
然后
然后，
我想去北京然后
因为
因为下雨
因为昨天下雨。
如果明天下雨
如果明天下雨。
我觉得
我喜欢苹果和
我去过北京，但是
请问
请问，
请帮我
你能不能
告诉我
我的
我的名字是
我叫
这个
那个
呃
我想要一个
他说“我不
我的电话是一三八
我的号码是138
一三八一二三四
我住在
今天天气很
《红楼
我覺得
因為
"""

EITHER = """
The book that I bought.
My sister and her husband.
The big house on the hill.
Paris
Hello.
Thank you.
Thank you very much!
Okay.
Okay, thanks.
Good morning.
I see.
Right then.
Two coffees
I
What time
Come in
苹果
你好
谢谢。
謝謝你
好的
知道了
红色的
"""


@pytest.mark.parametrize("text", lines(FINISHED))
def test_finished(text: str) -> None:
    assert completeness(text).log_odds >= 0.5, completeness(text)


@pytest.mark.parametrize("text", lines(UNFINISHED))
def test_unfinished(text: str) -> None:
    assert completeness(text).log_odds <= -1, completeness(text)


@pytest.mark.parametrize("text", lines(EITHER))
def test_either(text: str) -> None:
    found = completeness(text).log_odds
    assert -3 < found < 1.5, completeness(text)


def test_no_words_are_no_opinion() -> None:
    assert completeness("  ").log_odds == 0
    assert completeness("?!").log_odds == 0


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ('She said "come', True),
        ('She said "come".', False),
        ("他说“我", True),
        ("他说“我去”", False),
        ("the book (I mean", True),
        ("it's Anna's", False),
    ],
)
def test_open_quotations(text: str, is_open: bool) -> None:
    assert quotation_is_open(text) is is_open


@pytest.mark.parametrize(
    ("text", "hesitates"),
    [
        ("Um.", True),
        ("Um, uh...", True),
        ("呃", True),
        ("Um, what", False),
        ("嗯", False),
        ("", False),
    ],
)
def test_hesitation(text: str, hesitates: bool) -> None:
    assert is_hesitation(text) is hesitates


@given(st.text(alphabet=st.sampled_from(list("ab I?.,…-“”\"'我的吗，三38 ")), max_size=40))
def test_any_text_has_a_bounded_opinion(text: str) -> None:
    found = completeness(text)
    assert -6 <= found.log_odds <= 3
    assert found.reason
