"""The face of the library: an agent in one line. Law: thin; what it does is done by the parts.

agent = Agent(tools=[calculate])
print(agent.run_sync("What is 17 * 23?").answer)
"""

import asyncio
import inspect
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from opposable import assembly
from opposable.agent.loop import Parts, run
from opposable.contracts import Client, Strategy
from opposable.errors import Paused
from opposable.events import ApprovalAsked, ApprovalGiven, Event, RunEnded
from opposable.messages import Message, Sampling, ToolCall, Usage
from opposable.runtime.memory import MemoryRuntime
from opposable.settings import Settings, load
from opposable.tools.toolbox import Tool

Answer: TypeAlias = ApprovalGiven | bool
Approve: TypeAlias = Callable[[ToolCall], Answer | Awaitable[Answer]]
AnyTool: TypeAlias = Tool | Callable[..., object] | str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run; `usage` is what all of it cost, also before it waited.

    `conversation` holds everything that was said and done, and can be gone on with. Where `status` is `waiting`, the
    calls in `waiting` need a person's word: give it with `Agent.resume`.
    """

    answer: str
    conversation: tuple[Message, ...]
    usage: Usage = field(default_factory=Usage)
    status: Literal["done", "waiting"] = "done"
    waiting: tuple[ApprovalAsked, ...] = ()
    events: tuple[Event, ...] = field(default=(), repr=False)


class Agent:
    """A model that calls tools until it has an answer.

    `model`: a name (`store:smollm2-135m`, a path to a GGUF …), a `Client`, or None for the default model, which is
    fetched at first use. `tools`: typed functions with docstrings, `Tool`s, or names of built-in tools. `instructions`:
    the system message. `strategy`: a name or a `Strategy`; None: `constrained` for small models whose client takes
    grammars, else `prompted`. `approve`: asked for each call of a tool that needs approval, sync or async; nothing but
    True, or an `ApprovalGiven` that says so, lets it run. Where it is None, the run pauses there. What is allowed
    `always` holds until the run ends. `workspace`: the folder of the file tools. `turns`: how many questions to the
    model a run may take.

    Errors: ToolError (a tool that cannot be offered, a name that is none), SettingsError.
    """

    def __init__(
        self,
        model: str | Client | None = None,
        *,
        tools: Iterable[AnyTool] = (),
        instructions: str | None = None,
        sampling: Sampling | None = None,
        strategy: str | Strategy | None = None,
        approve: Approve | None = None,
        workspace: str | Path | None = None,
        turns: int = 20,
        settings: Settings | None = None,
    ) -> None:
        self._settings = settings or load({"workspace": workspace}, os.environ)
        if settings and workspace:
            self._settings = replace(settings, workspace=Path(workspace).expanduser().absolute())
        self._toolbox = assembly.toolbox(tools, self._settings.workspace)
        self._model = model
        self._strategy = strategy
        self._sampling = sampling or Sampling()
        self._instructions = instructions
        self._approve = approve
        self._turns = turns
        self._client: Client | None = None if isinstance(model, str | None) else model
        self._loading = threading.Lock()

    async def run(self, prompt: str | Sequence[Message]) -> Result:
        """Run until there is an answer, or until a call waits for a person and `approve` is not given.

        `prompt`: what the person says, or a whole conversation that ends with it.
        Errors: ModelError, ClientError, LimitReached, SettingsError (a strategy that does not exist).
        """
        return await self._run(self._begin(prompt), {}, Usage())

    def run_sync(self, prompt: str | Sequence[Message]) -> Result:
        """The same, for programs without an event loop. Errors: as `run`; RuntimeError, where a loop runs already."""
        if asyncio._get_running_loop() is not None:
            raise RuntimeError("an event loop runs here already: write `await agent.run(…)` in place of run_sync")
        return asyncio.run(self._alone(prompt))

    async def resume(self, result: Result, answers: Mapping[str, Answer]) -> Result:
        """Go on with a run that waits. `answers`: True, False or an `ApprovalGiven` for the key of each waiting call."""
        given = {key: _given(key, answer) for key, answer in answers.items()}
        return await self._run(list(result.conversation), given, result.usage)

    def stream(self, prompt: str | Sequence[Message]) -> "Run":
        """Run and watch: an async iterator of events, the last of them `RunEnded`. Errors: as `run`, while iterating."""
        return Run(self, self._begin(prompt))

    async def close(self) -> None:
        """Let go of the model, if this agent loaded it."""
        if isinstance(self._model, str | None) and (client := self._client) is not None:
            self._client = None
            await client.close()

    async def _alone(self, prompt: str | Sequence[Message]) -> Result:
        try:
            return await self.run(prompt)
        finally:
            await self.close()

    def _begin(self, prompt: str | Sequence[Message]) -> list[Message]:
        said = [Message("user", prompt)] if isinstance(prompt, str) else list(prompt)
        if self._instructions and not (said and said[0].role == "system"):
            said.insert(0, Message("system", self._instructions))
        return said

    async def _run(self, conversation: list[Message], answers: Mapping[str, ApprovalGiven], before: Usage) -> Result:
        events: list[Event] = []
        ended = await self._work(conversation, self._runtime(events.append, answers))
        usage = before + ended.usage
        return Result(ended.answer, tuple(conversation), usage, ended.status, ended.waiting, tuple(events))

    async def _work(self, conversation: list[Message], runtime: MemoryRuntime) -> RunEnded:
        client = await asyncio.to_thread(self._load) if self._client is None else self._client
        strategy = self._strategy
        if isinstance(strategy, str | None):
            strategy = assembly.strategy(strategy, client, self._sampling)
        rules = assembly.approver(self._settings)
        return await run(conversation, Parts(client, strategy, self._toolbox, rules, runtime, self._turns))

    def _load(self) -> Client:
        """The model of this agent, loaded once, however many runs ask for it at the same time."""
        with self._loading:
            if self._client is None:
                name = self._model if isinstance(self._model, str) else None
                self._client = assembly.client(assembly.stored(name, self._settings))
            return self._client

    def _runtime(
        self, emit: Callable[[Event], None], answers: Mapping[str, ApprovalGiven], *, attended: bool = False
    ) -> MemoryRuntime:
        if self._approve is None:
            return MemoryRuntime(emit, answers, attended=attended)
        return _Asking(emit, answers, self._approve)


class _Asking(MemoryRuntime):
    """The memory runtime with a function in the place of the person."""

    def __init__(self, emit: Callable[[Event], None], answers: Mapping[str, Any], approve: Approve) -> None:
        super().__init__(emit, answers)
        self._approve = approve
        self._asked: dict[str, ToolCall] = {}

    def emit(self, event: Event) -> None:
        super().emit(event)
        if isinstance(event, ApprovalAsked):
            self._asked[event.key] = event.call

    async def wait(self, key: str) -> Any:
        try:
            return await super().wait(key)
        except Paused:
            said = self._approve(self._asked.pop(key))
            return _given(key, await said if inspect.isawaitable(said) else said)


def _given(key: str, answer: Answer) -> ApprovalGiven:
    """An answer as what it stands for. Errors: TypeError, for anything that is neither a yes nor a no."""
    if isinstance(answer, ApprovalGiven):
        return answer
    if not isinstance(answer, bool):
        raise TypeError(f"{key} was answered with {answer!r}: answer True, False, or an ApprovalGiven")
    return ApprovalGiven(key, "once" if answer else "refuse")


class Run:
    """A run under way: iterate over its events, `answer` what it asks for. Leaving the iteration stops the run."""

    def __init__(self, agent: Agent, conversation: list[Message]) -> None:
        self.conversation = conversation
        self._agent = agent
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._runtime = agent._runtime(self._events.put_nowait, {}, attended=True)

    def answer(self, key: str, verdict: Answer) -> None:
        """Answer an `ApprovalAsked` by its key: True, False, or an `ApprovalGiven`."""
        self._runtime.answer(key, _given(key, verdict))

    async def __aiter__(self) -> AsyncIterator[Event]:
        task = asyncio.create_task(self._work())
        try:
            while (event := await self._events.get()) is not None:
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _work(self) -> None:
        try:
            await self._agent._work(self.conversation, self._runtime)
        finally:
            self._events.put_nowait(None)
