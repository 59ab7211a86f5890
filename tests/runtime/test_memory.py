"""The runtime that keeps nothing: steps are done as they come, answers found or waited for."""

import asyncio
from typing import Any

import pytest

from opposable.contracts import Runtime
from opposable.errors import Paused
from opposable.events import Event, TextDelta
from opposable.runtime.memory import MemoryRuntime


def runtime(answers: dict[str, Any] | None = None, *, attended: bool = False) -> MemoryRuntime:
    return MemoryRuntime(lambda event: None, answers, attended=attended)


async def value(given: Any, log: list[Any]) -> Any:
    log.append(given)
    return given


def test_it_is_a_runtime_that_tells_what_happens() -> None:
    events: list[Event] = []
    one: Runtime = MemoryRuntime(events.append)
    one.emit(TextDelta("a"))
    one.emit(TextDelta("b"))
    assert events == [TextDelta("a"), TextDelta("b")]
    assert one.now() <= one.now()


def test_a_step_is_done_once_each_time_it_is_asked_for() -> None:
    log: list[Any] = []

    async def go() -> list[Any]:
        one = runtime()
        return [await one.step("s", lambda: value(1, log), repeatable=flag) for flag in (True, False)]

    assert asyncio.run(go()) == [1, 1]
    assert log == [1, 1]


def test_an_answer_that_is_known_is_given_once() -> None:
    async def go() -> None:
        one = runtime({"k": 1})
        assert await one.wait("k") == 1
        with pytest.raises(Paused, match="k"):
            await one.wait("k")
        one.answer("k", 2)
        assert await one.wait("k") == 2

    asyncio.run(go())


def test_where_somebody_watches_the_answer_is_waited_for() -> None:
    async def go() -> None:
        one = runtime(attended=True)
        waiting = asyncio.create_task(one.wait("k"))
        await asyncio.sleep(0)
        assert not waiting.done()
        one.answer("other", 5)
        one.answer("k", 1)
        one.answer("k", 2)  # too late: it was answered
        assert await waiting == 1
        assert await one.wait("other") == 5
        again = asyncio.create_task(one.wait("k"))
        await asyncio.sleep(0)
        assert not again.done()
        one.answer("k", 3)
        assert await again == 3

    asyncio.run(go())


def test_who_stops_waiting_leaves_nothing_behind() -> None:
    async def go() -> None:
        one = runtime(attended=True)
        waiting = asyncio.create_task(one.wait("k"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        one.answer("k", 1)
        assert await one.wait("k") == 1

    asyncio.run(go())


def test_several_things_at_once_in_their_order() -> None:
    async def go() -> None:
        one = runtime()
        first = asyncio.Event()

        async def slow() -> str:
            await first.wait()
            return "slow"

        async def quick() -> str:
            first.set()
            return "quick"

        assert await one.spawn("s", [slow, quick]) == ["slow", "quick"]
        assert await one.spawn("s", []) == []

    asyncio.run(go())


def test_where_one_fails_the_others_do_not_go_on_alone() -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("endless")

    async def broken() -> None:
        await asyncio.sleep(0)
        raise KeyError("broken")

    async def go() -> None:
        with pytest.raises(KeyError, match="broken"):
            await runtime().spawn("s", [endless, broken, endless])
        assert ended == ["endless"] * 2
        task = asyncio.create_task(runtime().spawn("s", [endless]))
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == ["endless"] * 3

    asyncio.run(go())
