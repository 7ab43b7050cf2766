"""What the engine is given to read: system text, history, the newest words of the user.

Takes the messages of a command as they were said. Gives the same as a model's chat template wants
them: one system text first, then the user and the assistant in turn, none of them empty. Nothing
that was said is lost or reordered; pictures stand before the words of their turn. Does not know how
long it may be (context.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from visavis.flow.events import Message
from visavis.think.tools import Tool


@dataclass(frozen=True, slots=True)
class Opening:
    """What stands before the history: the system text, and exchanges that show the manner."""

    system: str
    examples: tuple[tuple[str, str], ...] = ()

    def messages(self) -> tuple[Message, ...]:
        shown = [
            message
            for asked, answered in self.examples
            for message in (Message("user", asked), Message("assistant", answered))
        ]
        return (*((Message("system", self.system),) if self.system else ()), *shown)


DEFAULT = {
    "en": Opening(
        "You are a voice assistant. Your answers are spoken aloud, so keep them short and simple:"
        " one or two plain sentences, no lists.",
        (
            ("What is the capital of Italy?", "The capital of Italy is Rome."),
            ("How many months are in a year?", "There are twelve months in a year."),
        ),
    ),
    "zh": Opening(
        "你是一个语音助手。你的回答会被读出来，所以要简短：用一两句口语化的话，不要列表。",
        (
            ("意大利的首都是哪里？", "意大利的首都是罗马。"),
            ("一年有几个月？", "一年有十二个月。"),
        ),
    ),
}
"""By language. The two examples are for small models: of 50 simple questions asked twice, SmolLM2
135M answered 78 % rightly with them and 56 % without, in 8 words instead of 9 (p90 15, not 36).
Other pairs, one, three or four of them, and six other system texts did worse."""


TOOLS = {
    "en": """You have these tools:
<tools>
{tools}
</tools>
If the answer needs one, write its call like this and stop:
<tool_call>
{{"name": <its name>, "arguments": <a JSON object of its parameters>}}
</tool_call>
You are then told, in brackets, what it says; answer with that. Answer all else without tools.""",
    "zh": """你有这些工具：
<tools>
{tools}
</tools>
如果回答需要工具，就这样调用，然后停下：
<tool_call>
{{"name": <工具名>, "arguments": <参数的 JSON 对象>}}
</tool_call>
随后括号里会告诉你结果，据此回答。其他问题直接回答，不用工具。""",
}
"""By language, behind the system text. The tags are those that most small models were taught."""


def opening(system: str = "", language: str = "en", tools: Sequence[Tool] = ()) -> Opening:
    """The user's own system text, or the default of the language (English for those without).

    `tools` are listed behind it.
    """
    language = language.partition("-")[0]
    found = Opening(system.strip()) if system.strip() else DEFAULT.get(language, DEFAULT["en"])
    if not tools:
        return found
    listed = "\n".join(_listed(tool) for tool in tools)
    text = TOOLS.get(language, TOOLS["en"]).format(tools=listed)
    return Opening(f"{found.system}\n\n{text}", found.examples)


def answerable(messages: Sequence[Message]) -> Sequence[Message]:
    """What is to be answered comes last.

    A tool may answer while the words before its call still sound; they enter the history after
    what it brought, which is news to the reply that goes on all the same.
    """
    ours = len(messages)
    while ours and messages[ours - 1].role == "assistant":
        ours -= 1
    news = ours
    while news and messages[news - 1].role == "system":
        news -= 1
    return (*messages[:news], *messages[ours:], *messages[news:ours])


def arrange(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation as strict turns, beginning with the user.

    Neighbours of one role become one turn. A system message (a remark on the situation, or what a
    tool brought) goes with the words of the user after it, or where there are none, before it; and
    what we said before the user ever spoke goes with the first.
    """
    turns: list[Message] = []
    for message in _remarks_joined(messages):
        if turns and turns[-1].role == message.role:
            turns[-1] = _joined(turns[-1], message)
        else:
            turns.append(message)
    if turns and turns[0].role == "assistant":
        # Templates want the user first. An empty turn is none, so the greeting is reported.
        turns[0:2] = [_reported(turns[0], turns[1:2])]
    return tuple(turns)


def _remarks_joined(messages: Iterable[Message]) -> Iterable[Message]:
    remarks = Message("user", "")
    for message in map(_cleaned, messages):
        if not message.content and not message.views:
            continue
        if message.role == "system":
            bracketed = f"({message.content})" if message.content else ""
            remarks = _joined(remarks, replace(message, content=bracketed))
        elif message.role == "user":
            yield _joined(remarks, message)
            remarks = Message("user", "")
        else:
            if remarks.content:
                yield remarks
                remarks = Message("user", "")
            yield message
    if remarks.content:
        yield remarks


def _joined(first: Message, second: Message) -> Message:
    content = "\n".join(filter(None, (first.content, second.content)))
    return Message(first.role, content, first.views + second.views)


def _listed(tool: Tool) -> str:
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    shown = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return json.dumps(shown, ensure_ascii=False)


def _reported(said: Message, then: Sequence[Message]) -> Message:
    reported = Message("user", f"(You said: {said.content})")
    return _joined(reported, then[0]) if then else reported


def _cleaned(message: Message) -> Message:
    """Without half characters, which no engine takes."""
    text = message.content.encode("utf-8", "ignore").decode("utf-8").strip()
    return replace(message, content=text)
