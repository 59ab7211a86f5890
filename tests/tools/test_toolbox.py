import asyncio
import contextvars
import dataclasses
import datetime as dt
import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from opposable import contracts
from opposable.errors import Paused, Stop, ToolError, TryAgain
from opposable.messages import ToolCall, ToolResult, ToolSpec
from opposable.tools.toolbox import Tool, Toolbox, as_text, tool

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def run(box: Toolbox, name: str, **arguments: Any) -> ToolResult:
    async def settled() -> ToolResult:
        return await box.run(box.settle(ToolCall("c1", name, arguments)))

    return asyncio.run(settled())


def raising(error: BaseException, kind: str = "sync") -> Tool:
    def fail() -> None:
        """Fail."""
        raise error

    async def fail_too() -> None:
        """Fail."""
        raise error

    return tool(fail if kind == "sync" else fail_too, name="fail")


def test_it_fulfils_the_contract() -> None:
    box: contracts.Toolbox = Toolbox([add])
    assert [spec.name for spec in box.specs] == ["add"]


def test_a_plain_function_is_a_tool() -> None:
    result = run(Toolbox([add]), "add", a="2")
    assert result == ToolResult("c1", "add", "3")


def test_the_decorator_in_its_three_forms() -> None:
    @tool
    def one(a: int) -> int:
        """One."""
        return a

    @tool(approval="ask", repeatable=True, name="second", timeout=5)
    def two(a: int) -> int:
        """Two."""
        return a

    assert one(3) == 3
    assert two.spec == ToolSpec("second", "Two.", two.spec.parameters, "ask", True)
    assert two.timeout == 5
    assert tool(add, name="plus").spec.name == "plus"
    assert [spec.name for spec in Toolbox([one, two, add]).specs] == ["one", "second", "add"]


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([add, add], "two tools are named add"),
        ([Tool(ToolSpec("a b"), print)], "cannot be the name"),
        ([Tool(ToolSpec("a", "d", {"type": "objekt"}), print)], "no schema of an object"),
        ([lambda: 1], "cannot be offered|no description"),
    ],
)
def test_what_cannot_be_offered_is_refused(tools: list[Any], said: str) -> None:
    with pytest.raises(ToolError, match=said):
        Toolbox(tools)


def test_a_name_that_cannot_be_used_is_refused_by_the_decorator() -> None:
    with pytest.raises(ToolError, match="cannot be the name"):
        tool(add, name="a b")


def test_settling_says_what_is_wrong() -> None:
    box = Toolbox([add])
    with pytest.raises(TryAgain, match="`a` is missing"):
        box.settle(ToolCall("c", "add", {}))
    with pytest.raises(TryAgain, match=r"There is no tool 'adding'\. Is add meant\? The tools are: add\."):
        box.settle(ToolCall("c", "adding", {}))
    with pytest.raises(TryAgain, match="The tools are: none"):
        Toolbox().settle(ToolCall("c", "x", {}))


def test_a_tool_that_is_not_there_is_a_failed_result() -> None:
    result = asyncio.run(Toolbox([add]).run(ToolCall("c", "nope" * 100, {})))
    assert result.failed
    assert "The tools are: add" in result.text
    assert len(result.text) < 200


class Point(BaseModel):
    x: int


def test_models_are_built_and_early_problems_told() -> None:
    def norm(p: Point, when: dt.date | None = None) -> int:
        """Give x."""
        assert isinstance(p, Point)
        return p.x

    box = Toolbox([norm])
    assert run(box, "norm", p={"x": 3}).text == "3"
    assert run(box, "norm", p='{"x": "4"}').text == "4"
    with pytest.raises(TryAgain, match="valid date"):
        box.settle(ToolCall("c", "norm", {"p": {"x": 1}, "when": "2026-99-01"}))


def test_async_functions_and_functions_that_give_something_to_await() -> None:
    async def wait(a: int) -> int:
        """Wait."""
        await asyncio.sleep(0)
        return a

    def later(a: int) -> Any:
        """Give what is to be awaited."""
        return wait(a)

    box = Toolbox([wait, later, tool(partial(wait, a=7), name="seven")])
    assert run(box, "wait", a=1).text == "1"
    assert run(box, "later", a=2).text == "2"
    assert run(box, "seven").text == "7"


def test_sync_functions_run_beside_the_loop_and_see_its_context() -> None:
    def who() -> str:
        """Say who, and where."""
        return f"{WHO.get()} {threading.current_thread() is threading.main_thread()}"

    async def settled() -> str:
        WHO.set("me")
        return (await Toolbox([who]).run(ToolCall("c", "who", {}))).text

    assert asyncio.run(settled()) == "me False"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_tool_that_takes_too_long_is_given_up(kind: str) -> None:
    release = threading.Event()

    def slow() -> None:
        """Sleep."""
        release.wait(20)

    async def slow_too() -> None:
        """Sleep."""
        await asyncio.sleep(20)

    start = time.perf_counter()
    result = run(Toolbox([slow, slow_too], timeout=0.05), "slow" if kind == "sync" else "slow_too")
    release.set()
    assert time.perf_counter() - start < 5
    assert result.failed
    assert "was not done after 0.05 seconds" in result.text


class Slow:
    def __init__(self) -> None:
        self.release = threading.Event()

    def __str__(self) -> str:
        self.release.wait(20)
        return "slow"


class SlowError(Exception):
    def __str__(self) -> str:
        time.sleep(1)
        return "slow"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_the_text_of_what_a_tool_gives_or_raises_is_made_in_its_time(kind: str) -> None:
    slow = Slow()

    def gives() -> Any:
        """Give what has no text for long."""
        return slow

    async def gives_too() -> Any:
        """Give what has no text for long."""
        return slow

    box = Toolbox([gives if kind == "sync" else gives_too, raising(SlowError(), kind)], timeout=0.05)
    start = time.perf_counter()
    assert "was not done after 0.05 seconds" in run(box, box.specs[0].name).text
    slow.release.set()
    assert "was not done after 0.05 seconds" in run(box, "fail").text
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("ends", [True, False])
def test_an_async_tool_that_swallows_its_cancellation_is_left_behind(ends: bool) -> None:
    async def stubborn() -> str:
        """Do not stop."""
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            if not ends:
                await asyncio.sleep(20)
        return "well"

    start = time.perf_counter()
    result = run(Toolbox([stubborn], timeout=0.05), "stubborn")
    assert time.perf_counter() - start < 5
    assert result.failed
    assert "was not done after 0.05 seconds" in result.text


def test_an_async_tool_that_was_given_up_may_tidy_up() -> None:
    tidied = []

    async def slow() -> None:
        """Sleep."""
        try:
            await asyncio.sleep(20)
        finally:
            await asyncio.sleep(0.01)
            tidied.append(True)

    assert run(Toolbox([slow], timeout=0.01), "slow").failed
    assert tidied


def endless() -> Iterator[int]:
    while True:
        yield 1


async def endless_too() -> AsyncIterator[int]:
    while True:
        yield 1


def doubled(times: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(times):
        value = [value, value]
    return value


@dataclasses.dataclass
class Held:
    member: Any


class HeldToo(BaseModel):
    member: Any


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (endless, "TypeError: the tool gives a value of type generator where it should give a list"),
        (endless_too, "TypeError: the tool gives a value of type async_generator where it should give a list"),
        (itertools.count, "a value of type count"),
        (lambda: {"a": [endless()]}, "a value of type generator"),
        (lambda: Held((endless(),)), "a value of type generator"),
        (lambda: HeldToo(member=endless()), "a value of type generator"),
        (lambda: doubled(60), "too large, or has no end"),
        (lambda: ["x" * 1_000_000] * 1_000, "too large, or has no end"),
    ],
)
def test_what_may_have_no_end_is_a_failed_result(make: Callable[[], Any], said: str) -> None:
    def much() -> Any:
        """Give much."""
        return make()

    result = run(Toolbox([much], timeout=20), "much")
    assert result.failed
    assert said in result.text
    assert "was not done" not in result.text


def test_a_tool_has_a_timeout_of_its_own() -> None:
    @tool(timeout=20)
    def slow() -> str:
        """Sleep."""
        time.sleep(0.1)
        return "slept"

    assert run(Toolbox([slow], timeout=0.01), "slow").text == "slept"


def test_a_hanging_tool_does_not_keep_the_program() -> None:
    program = """
import asyncio, time
from opposable.messages import ToolCall
from opposable.tools.toolbox import Toolbox
def hang() -> None:
    "Hang."
    time.sleep(60)
print(asyncio.run(Toolbox([hang], timeout=0.05).run(ToolCall("c", "hang", {}))).failed)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.strip() == "True"
    assert done.stderr == ""


class BrokenError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class Leaving(Exception):
    def __str__(self) -> str:
        sys.exit(3)


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            ValueError("bad  value\nhere."),
            "fail failed: ValueError: bad value here. Check the arguments, or try another way.",
        ),
        (KeyError(), "fail failed: KeyError. Check the arguments, or try another way."),
        (
            FileNotFoundError(2, "No such file or directory", "/home/me/secret"),
            "fail failed: No such file or directory. ",
        ),
        (TimeoutError("of its own"), "fail failed: TimeoutError: of its own. "),
        (StopIteration(), "fail failed: "),
        (BrokenError(), "fail failed: BrokenError. "),
        (Paused("x"), "fail failed: Paused: x. "),
        (TryAgain("use b\ninstead"), "use b\ninstead"),
        (ValueError("v" * 5000), "fail failed: ValueError: vvv"),
        (OSError(5, "a line\n" * 2000), "fail failed: a line a line "),
        (OSError(5, Leaving()), "fail failed: OSError. "),
        (SystemExit(3), "fail failed: SystemExit: 3. "),
        (Leaving(), "fail failed: Leaving. "),
        (GeneratorExit(), "fail failed: GeneratorExit. "),
        (asyncio.CancelledError(), "fail failed: CancelledError. "),
    ],
)
def test_errors_become_text(error: BaseException, text: str, kind: str) -> None:
    result = run(Toolbox([raising(error, kind)]), "fail")
    assert result.failed
    assert "\n" not in result.text.removeprefix("use b\n")
    assert result.text.startswith(text)
    assert "Traceback" not in result.text
    assert "/home" not in result.text
    assert len(result.text) < 1200


@pytest.mark.parametrize("error", [Stop("the end"), KeyboardInterrupt()])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_what_ends_a_run_comes_out(error: BaseException, kind: str) -> None:
    async def settled() -> BaseException | None:
        try:
            await Toolbox([raising(error, kind)]).run(ToolCall("c", "fail", {}))
        except BaseException as raised:
            return raised
        return None

    assert asyncio.run(settled()) is error


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_cancellation_comes_out(kind: str) -> None:
    started = threading.Event()
    release = threading.Event()

    def slow() -> None:
        """Sleep."""
        started.set()
        release.wait(20)

    async def slow_too() -> None:
        """Sleep."""
        started.set()
        await asyncio.sleep(20)

    async def settled() -> bool:
        name = "slow" if kind == "sync" else "slow_too"
        task = asyncio.create_task(Toolbox([slow, slow_too]).run(ToolCall("c", name, {})))
        await asyncio.to_thread(started.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelled()

    assert asyncio.run(settled())
    release.set()


def test_tools_run_at_the_same_time() -> None:
    barrier = threading.Barrier(3, timeout=10)

    def meet() -> str:
        """Wait for the others."""
        barrier.wait()
        return "met"

    async def settled() -> list[str]:
        box = Toolbox([meet])
        results = await asyncio.gather(*(box.run(ToolCall(str(i), "meet", {})) for i in range(3)))
        return [result.text for result in results]

    assert asyncio.run(settled()) == ["met"] * 3


@dataclasses.dataclass
class Row:
    a: int
    when: dt.date


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as\nit is ", "as\nit is "),
        ("", ""),
        (None, "done"),
        (5, "5"),
        (True, "true"),
        (float("inf"), '"Infinity"'),
        ({"é": [1, None]}, '{"é":[1,null]}'),
        (Point(x=1), '{"x":1}'),
        ([Row(1, dt.date(2026, 11, 5))], '[{"a":1,"when":"2026-11-05"}]'),
        (("a", 1), '["a",1]'),
        (object, "\"<class 'object'>\""),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
    ],
)
def test_what_a_tool_gives_is_text(value: Any, text: str) -> None:
    assert as_text(value, 1000) == text


def test_what_has_no_text_is_a_failed_result() -> None:
    def circle() -> Any:
        """Give a circle."""
        ring: list[Any] = []
        ring.append(ring)
        return ring

    result = run(Toolbox([circle]), "circle")
    assert result.failed
    assert "circle failed: " in result.text


@pytest.mark.parametrize("fails", [False, True])
def test_long_output_is_cut_and_says_so(fails: bool) -> None:
    def much() -> str:
        """Say much."""
        if fails:
            raise TryAgain("x" * 30)
        return "x" * 30

    result = run(Toolbox([much], limit=10), "much")
    assert result.text == "xxxxxxxxxx\n[cut: 20 more characters]"
    assert result.failed is fails


@pytest.mark.parametrize("kind", ["own", "foreign"])
def test_what_a_tool_does_to_its_arguments_is_not_seen_elsewhere(kind: str) -> None:
    def change(d: dict[str, Any]) -> str:
        """Change what was given."""
        d["k"].append(d.pop("j", 0))
        return json.dumps(d)

    made = tool(change) if kind == "own" else Tool(ToolSpec("change"), change)
    said = ToolCall("c", "change", {"d": {"k": [1], "j": 2}})
    settled = Toolbox([made]).settle(said)
    for call in (settled, settled, said):
        assert asyncio.run(Toolbox([made]).run(call)).text == '{"k": [1, 2]}'
    assert said.arguments == settled.arguments == {"d": {"k": [1], "j": 2}}
    assert settled.arguments["d"]["k"] is not said.arguments["d"]["k"]


def test_a_foreign_tool_needs_no_python_types() -> None:
    def function(**arguments: Any) -> str:
        return json.dumps(arguments)

    foreign = Tool(ToolSpec("remote", "", {"type": "object", "properties": {"from": {"type": "integer"}}}), function)
    assert run(Toolbox([foreign]), "remote", **{"from": "5"}).text == '{"from": 5}'


@given(st.text(), st.integers(1, 50))
def test_text_is_whole_or_cut(value: str, limit: int) -> None:
    text = as_text(value, limit)
    assert text == value if len(value) <= limit else text.startswith(value[:limit] + "\n[cut: ")


def test_callables_are_typed() -> None:
    made: Callable[..., Any] = tool(add)
    assert made(1, b=2) == 3
