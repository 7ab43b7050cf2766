"""Station think, node `think.tools`: runs the tools that replies call. In the lane `tools`.

Takes tool.run. Gives tool.finished. Invariants: a call whose reply was over before it began never
starts; each one begun is answered by exactly one tool.finished, at the latest after the time
limit, whatever the tool does. One that runs is left to finish when its reply is interrupted: its
work is done, so what it brought is told. Does not know who called.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from visavis.flow.deadline import Deadline
from visavis.flow.errors import InputError, VisavisError
from visavis.flow.events import Event, ToolFinished, ToolRun
from visavis.flow.text import whole_characters
from visavis.think.calls import BROKEN

LIMIT_S = 30.0
MOST_CHARS = 4_000
"""Of a result; about a thousand tokens, half of what a small model reads at all."""
MOST_ERROR_CHARS = 300
CUT = " … (cut)"
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
SESSION_OVER = sys.maxsize - 1
"""All replies are over: `Bus.cancel_all`."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a reply may call.

    `name` and `description` tell the engine when; `parameters` is the JSON schema of the object
    that `run` is given. Only that required ones are there is checked before. `run` returns what
    the engine is to read, at most 4,000 characters; what it raises is told to the engine as the
    reason why there is nothing. It runs on a thread of its own, one call at a time. Raises
    `InputError` for a name that engines do not take, and for a schema that is not JSON.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            remedy = "use up to 64 letters, digits, _ and -"
            raise InputError(f"tool {self.name!r}", "is no name for a tool", remedy)
        try:
            json.dumps(dict(self.parameters))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"tool {self.name!r}", f"its parameters are no JSON: {error}"
            ) from None


class ToolRunner:
    """Runs `tools`, each call for at most `limit_s`. Raises `InputError` for a name used twice."""

    name = "think.tools"

    def __init__(self, tools: Sequence[Tool], *, limit_s: float = LIMIT_S) -> None:
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) < len(tools):
            names = ", ".join(tool.name for tool in tools)
            raise InputError(f"tools {names}", "two have the same name", "rename one")
        self._deadline = Deadline(limit_s)
        self._over = -1  # replies up to this epoch

    def on(self, event: Event) -> Iterable[Event]:
        if isinstance(event, ToolRun) and event.epoch > self._over:
            return (self._finished(event),)
        return ()

    def cancel(self, epoch: int) -> None:
        """Replies up to `epoch` are over."""
        self._over = max(self._over, epoch)
        if epoch >= SESSION_OVER:
            self._deadline.close()

    def _finished(self, event: ToolRun) -> ToolFinished:
        result = error = ""
        try:
            result = _bounded(self._run(event), MOST_CHARS) or "done"
        except Exception as failure:  # noqa: BLE001 - the tool is not ours
            error = _bounded(_reason(failure), MOST_ERROR_CHARS)
        return ToolFinished(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=event.epoch,
            call=event.call,
            name=event.name,
            result=result,
            error=error,
        )

    def _run(self, event: ToolRun) -> str:
        tool = self._tools.get(event.name)
        if tool is None:
            raise _Refused(self._unknown(event.name))
        arguments = _arguments(tool, event.arguments)
        return str(self._deadline.call(lambda: tool.run(arguments)))

    def _unknown(self, name: str) -> str:
        if name == BROKEN:
            return "it was not a JSON object with a name and arguments"
        return f"there is no such tool, only {', '.join(self._tools)}"


class _Refused(VisavisError):
    """A call that no tool was run for."""


def _arguments(tool: Tool, text: str) -> Mapping[str, Any]:
    try:
        arguments = json.loads(text or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise _Refused("its arguments are not a JSON object")
    missing = [name for name in tool.parameters.get("required", ()) if name not in arguments]
    if missing:
        raise _Refused(f"{', '.join(missing)} must be given")
    return arguments


def _reason(failure: Exception) -> str:
    try:
        said = str(failure)
    except Exception:  # noqa: BLE001 - the tool's own
        said = "it does not say why"
    return said if isinstance(failure, VisavisError) else f"{type(failure).__name__}: {said}"


def _bounded(text: str, most: int) -> str:
    text = whole_characters(text).strip()
    return text if len(text) <= most else text[: most - len(CUT)] + CUT
