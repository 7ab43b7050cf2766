"""The node of the tools: each call begun is answered once, in time, whatever the tool does."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from visavis.flow.errors import InputError, VisavisError
from visavis.flow.events import ToolFinished, ToolRun
from visavis.flow.loop import Loop
from visavis.think.calls import BROKEN
from visavis.think.tools import CUT, MOST_CHARS, MOST_ERROR_CHARS, Tool, ToolRunner

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def tool(run: Callable[[Mapping[str, Any]], Any], name: str = "weather") -> Tool:
    return Tool(name, "Tells the weather.", CITY, run)


def command(name: str = "weather", arguments: str = '{"city": "Rome"}', **fields: int) -> ToolRun:
    return ToolRun(
        **{"t_ns": 7, "trace": 3, "epoch": 1, "call": 2, **fields}, name=name, arguments=arguments
    )


def finished(runner: ToolRunner, event: ToolRun) -> ToolFinished:
    (given,) = runner.on(event)
    assert isinstance(given, ToolFinished)
    return given


def error(run: Callable[[Mapping[str, Any]], Any], event: ToolRun | None = None) -> str:
    given = finished(ToolRunner([tool(run)]), event or command())
    assert given.result == ""
    return given.error


@pytest.fixture
def stuck() -> Iterator[threading.Event]:
    """What a hanging tool waits for; it ends with the test."""
    event = threading.Event()
    yield event
    event.set()


def test_a_call_gives_what_the_tool_says() -> None:
    given = finished(ToolRunner([tool(lambda a: f"rain in {a['city']}")]), command())
    assert (given.result, given.error, given.name) == ("rain in Rome", "", "weather")
    assert (given.t_ns, given.trace, given.epoch, given.call) == (7, 3, 1, 2)


def test_a_tool_that_says_nothing_has_done_its_work() -> None:
    assert finished(ToolRunner([tool(lambda a: " ")]), command()).result == "done"


def test_a_long_result_is_cut_with_a_mark() -> None:
    result = finished(ToolRunner([tool(lambda a: "x" * 99_999)]), command()).result
    assert len(result) == MOST_CHARS
    assert result.endswith(CUT)


def test_what_a_tool_raises_is_told() -> None:
    def fails(arguments: Mapping[str, Any]) -> str:
        raise ConnectionError("no network")

    def refuses(arguments: Mapping[str, Any]) -> str:
        raise VisavisError("no such city " * 100)

    assert error(fails) == "ConnectionError: no network"
    assert error(refuses).startswith("no such city no such")
    assert len(error(refuses)) == MOST_ERROR_CHARS


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (command("wether"), "there is no such tool, only weather"),
        (command(BROKEN, "{"), "it was not a JSON object with a name and arguments"),
        (command(arguments="{"), "its arguments are not a JSON object"),
        (command(arguments="[1]"), "its arguments are not a JSON object"),
        (command(arguments="[" * 9_999), "its arguments are not a JSON object"),
        (command(arguments='{"town": "Rome"}'), "city must be given"),
        (command(arguments=""), "city must be given"),
    ],
)
def test_a_call_that_cannot_be_made_says_why_and_runs_nothing(event: ToolRun, said: str) -> None:
    ran: list[object] = []
    assert error(ran.append, event) == said
    assert ran == []


def test_a_tool_that_hangs_is_left_behind_in_time(stuck: threading.Event) -> None:
    def hang(arguments: Mapping[str, Any]) -> str:
        stuck.wait()
        return ""

    tools = [tool(hang, "slow"), tool(lambda a: "rain")]
    runner = ToolRunner(tools, limit_s=0.05)
    assert finished(runner, command("slow")).error == "no answer within 0.05 s"
    assert finished(runner, command()).result == "rain"


def test_a_call_of_a_reply_that_is_over_never_starts() -> None:
    ran: list[object] = []
    runner = ToolRunner([tool(ran.append)])
    runner.cancel(4)
    runner.cancel(2)
    assert list(runner.on(command(epoch=4))) == []
    assert ran == []
    assert len(list(runner.on(command(epoch=5)))) == 1


def test_one_that_runs_is_left_to_finish_when_its_reply_is_over() -> None:
    runner: ToolRunner

    def interrupted(arguments: Mapping[str, Any]) -> str:
        runner.cancel(1)
        return "rain"

    runner = ToolRunner([tool(interrupted)])
    assert finished(runner, command(epoch=1)).result == "rain"


def test_closing_the_session_does_not_wait_for_a_tool(stuck: threading.Event) -> None:
    loop, begun = Loop(), threading.Event()

    def hang(arguments: Mapping[str, Any]) -> str:
        begun.set()
        stuck.wait()
        return ""

    loop.add(ToolRunner([tool(hang)]), ["tool.run"], "tools")
    loop.publish(command())
    assert begun.wait(5)
    before = time.monotonic()
    loop.close()
    assert time.monotonic() - before < 4  # a lane that is stuck is waited for longer


@pytest.mark.parametrize("name", ["", "two words", "weather!", "x" * 65, "天气"])
def test_a_name_that_engines_do_not_take_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="name"):
        tool(lambda a: "", name)


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="same name"):
        ToolRunner([tool(lambda a: ""), tool(lambda a: "")])


def test_a_schema_that_is_no_json_is_refused() -> None:
    with pytest.raises(InputError, match="JSON"):
        Tool("weather", "", {"city": object()}, lambda a: "")


def test_arguments_reach_the_tool_as_they_were_written() -> None:
    got: list[Mapping[str, Any]] = []
    text = json.dumps({"city": "Zürich", "days": [1, 2], "deep": {"er": None}})
    finished(ToolRunner([tool(got.append)]), command(arguments=text))
    assert got == [json.loads(text)]


class Speechless(Exception):
    """It cannot even say what is wrong."""

    def __str__(self) -> str:
        raise ValueError


def test_an_error_that_cannot_be_told_is_one_all_the_same() -> None:
    def fails(_: Mapping[str, Any]) -> str:
        raise Speechless

    assert error(fails) == "Speechless: it does not say why"


def test_half_characters_do_not_reach_the_history() -> None:
    assert finished(ToolRunner([tool(lambda a: "sun\ud83d")]), command()).result == "sun"
