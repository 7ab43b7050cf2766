"""A table of what people say to a voice assistant: the whole of it, and where it breaks off."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from visavis.perceive.completeness import completeness

from .tables import lines

FINISHED = """
Is the museum open?
Is it open
Is it my turn?
Do you have a name
Can you read?
Does it open?
It's 7:30.
Set an alarm for 7:30.
Set an alarm for 7.
Wake me up at 6 30.
My room is 101.
My phone costs 300.
It's over.
It's 1,000.
2020
One, two, three.
The movie starts at nine.
The shop closes at nine.
He drives a truck.
I drink coffee every morning.
I miss you.
My phone broke.
My name's Peter.
I do.
I can't.
It is.
Please don't.
I don't want to.
I guess.
What color is the square
Where is the square?
Tell me.
Did you know that?
Who said that
How do you do that
Don't say that.
You like it, don't you?
I'm fine, thanks, and you?
Because I said so.
A cup of coffee, please.
The first one, please.
The red one.
Because I was tired.
The light is on.
Is the light on
I woke up.
No, no, no, no.
I told him no.
What for?
And then?
It isn't far, is it?
Would you like to?
What happened
What happens after that
What should I make
Where do you live
What's your name
Which one is the best
You are the best.
How much does it cost
Do you know what time it is
Tell me what it does
Do you know who did that?
That's what I mean.
Tell me why
Remind me to call mom.
Set a timer for five minutes
That's all I found.
"""

UNFINISHED = """
Can you open
My phone number is 2020
Turn it to e
My sister and her
My mother always
The boy and his dog in the
I can
I don't want to
I'd like to.
I don't really.
Did you know that
Is it true that
I think that.
Why don't you
Can you please
Would you please
It's on
Can you tell me what
Can you tell me what time
What do you think that
Can you tell me the way to?
It's 020
Can you tell me what the capital
Tell me what you
Do you know where I can
Do you know where I can find
How do I get
How do you say
How many people live in
How long does it
How far is it from
What is your favorite
What's the best
What is the highest
What is the difference
What's 25 plus
What's 25 times
100 divided by
Is there any
Do you have
Do you like
Could I have
Can you recommend a good
Can you find me
Should I buy the red
Remind me to call
Set a timer
Set a timer for five
Give me some
Let me ask you
Call Anna, no
Call Anna, I mean
I was wondering if you could.
I was wondering if you could help.
I'm not sure what.
I want to ask you.
I think it was.
I think we should.
It looks like.
I'm looking for some.
I bought a new.
I can't find
By the way.
In my opinion.
Please
Maybe
I have a question.
"""

WORDS = "a i it you the what how do can is tell me that to by some best know if because please no 5"


@pytest.mark.parametrize("text", lines(FINISHED))
def test_finished(text: str) -> None:
    assert completeness(text).log_odds >= 0.5, completeness(text)


@pytest.mark.parametrize("text", lines(UNFINISHED))
def test_unfinished(text: str) -> None:
    assert completeness(text).log_odds <= 0.4, completeness(text)


@example(words=["please"] * 3, mark="?")
@given(st.lists(st.sampled_from(WORDS.split()), max_size=6), st.sampled_from(["", ".", "?", ","]))
def test_any_words_have_a_bounded_opinion(words: list[str], mark: str) -> None:
    assert -6 <= completeness(" ".join(words) + mark).log_odds <= 3
