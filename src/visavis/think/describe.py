"""A view put into words while nobody waits: what is left of it once its picture is gone.

Takes the command and the language. Gives what the engine is asked, and from its answer a short
text, or none if it broke off. Asks nothing itself.
"""

from __future__ import annotations

from visavis.backends.contract import Sampling
from visavis.flow.events import Message, ViewDescribe

SAMPLING = Sampling(temperature=0.0, max_tokens=32, stop=("\n",))
QUESTION = {"en": "What do you see?", "zh": "你看到了什么？请用一句话回答。"}
ENDS = ".!?。！？"


def asked(event: ViewDescribe, language: str) -> tuple[Message, ...]:
    """The command's messages up to an answer, and the question about the view."""
    question = QUESTION.get(language.partition("-")[0], QUESTION["en"])
    history = event.messages
    while history and history[-1].role != "assistant":
        history = history[:-1]
    return (*history, Message("user", question, (event.view,)))


def told(answer: str, finish: str) -> str:
    """The description in an answer; one that was cut off ends with its last whole sentence."""
    text = " ".join(answer.split())
    if finish == "length":
        end = max(text.rfind(mark) for mark in ENDS)
        text = text[: end + 1] if end > 0 else text
    return text
