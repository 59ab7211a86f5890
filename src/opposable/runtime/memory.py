"""The runtime that keeps nothing: a run lives as long as its process. Law: every step is done once, when it is asked for."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from opposable.errors import Paused
from opposable.events import Event

T = TypeVar("T")


class MemoryRuntime:
    """Runs steps as they come.

    `emit` is called with every event. `answers` are known already, by the key they are waited for. `attended`: someone
    watches and may `answer` later; where nobody does, waiting for an unknown answer raises Paused.
    """

    def __init__(
        self, emit: Callable[[Event], None], answers: Mapping[str, Any] | None = None, *, attended: bool = False
    ) -> None:
        self._emit = emit
        self._answers = dict(answers or {})
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._attended = attended

    async def step(self, name: str, fn: Callable[[], Awaitable[T]], *, repeatable: bool) -> T:
        return await fn()

    async def wait(self, key: str) -> Any:
        if key in self._answers:
            return self._answers.pop(key)
        if not self._attended:
            raise Paused(key)
        future = self._waiting.setdefault(key, asyncio.get_running_loop().create_future())
        try:
            return await future
        finally:
            self._waiting.pop(key, None)

    def answer(self, key: str, value: Any) -> None:
        """Give what is, or will be, waited for under `key`."""
        future = self._waiting.get(key)
        if future is None:
            self._answers[key] = value
        elif not future.done():
            future.set_result(value)

    def emit(self, event: Event) -> None:
        self._emit(event)

    def now(self) -> float:
        return time.time()

    async def spawn(self, name: str, fns: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
        tasks = [asyncio.ensure_future(fn()) for fn in fns]
        try:
            return list(await asyncio.gather(*tasks))
        finally:  # where one failed, the others do not go on alone
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
