"""The face of the library: an agent in one line. Law: thin; what it does is done by the parts.

agent = Agent(tools=[calculate])
print(agent.run_sync("What is 17 * 23?").answer)
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from opposable import assembly
from opposable.agent.loop import Parts, run
from opposable.contracts import Client, Strategy
from opposable.errors import Paused
from opposable.events import ApprovalAsked, ApprovalGiven, Event, RunEnded, TurnEnded
from opposable.messages import Message, Sampling, ToolCall, Usage
from opposable.runtime.memory import MemoryRuntime
from opposable.settings import Settings, load
from opposable.tools.toolbox import Tool

Approve: TypeAlias = Callable[[ToolCall], bool]
Answer: TypeAlias = ApprovalGiven | bool
AnyTool: TypeAlias = Tool | Callable[..., object] | str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run.

    `conversation` holds everything that was said and done, and can be gone on with. `usage` is what it all cost, with
    the part before a pause. Where `status` is `waiting`, the calls in `waiting` need a person's word: give it with
    `Agent.resume`. `events`: those since the run began, or went on.
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
    the system message. `strategy`: a name or a `Strategy`; None: `constrained` where the client takes grammars, else
    `prompted`. `approve`: asked for each call of a tool that needs approval; where it is None, the run pauses there.
    `workspace`: the folder of the file tools. `turns`: how many questions to the model a run may take.

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
        self._rules = assembly.approver(self._settings)
        self._turns = turns
        self._client: Client | None = None if isinstance(model, str | None) else model

    async def run(self, prompt: str | Sequence[Message]) -> Result:
        """Run until there is an answer, or until a call waits for a person and `approve` is not given.

        `prompt`: what the person says, or a whole conversation that ends with it.
        Errors: ModelError, ClientError, LimitReached, SettingsError (a strategy that does not exist).
        """
        return await self._run(self._begin(prompt), {}, Usage())

    def run_sync(self, prompt: str | Sequence[Message]) -> Result:
        """The same, for programs without an event loop."""
        return asyncio.run(self._alone(prompt))

    async def resume(self, result: Result, answers: Mapping[str, Answer]) -> Result:
        """Go on with a run that waits. `answers`: True, False or an `ApprovalGiven` for the key of each waiting call.

        Errors: as `run`.
        """
        given = {key: _given(key, answer) for key, answer in answers.items()}
        return await self._run(list(result.conversation), given, result.usage)

    def stream(self, prompt: str | Sequence[Message]) -> "Run":
        """Run and watch: an async iterator of events, the last of them `RunEnded`. Errors: as `run`, while iterating."""
        return Run(self, self._begin(prompt))

    async def close(self) -> None:
        """Let go of the model, if this agent loaded it."""
        if self._client is not None and isinstance(self._model, str | None):
            await self._client.close()
            self._client = None

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

    async def _run(self, conversation: list[Message], answers: Mapping[str, ApprovalGiven], spent: Usage) -> Result:
        events: list[Event] = []
        runtime = MemoryRuntime(events.append, answers)
        if self._approve is not None:
            runtime = _Asking(events.append, answers, self._approve)
        try:
            spent += await run(conversation, await self._parts(runtime))
        except Paused:
            spent = sum((event.usage for event in events if isinstance(event, TurnEnded)), spent)
            waiting = tuple(event for event in events[-1:] if isinstance(event, ApprovalAsked))
            return Result("", tuple(conversation), spent, "waiting", waiting, tuple(events))
        return Result(conversation[-1].text, tuple(conversation), spent, events=tuple(events))

    async def _parts(self, runtime: MemoryRuntime) -> Parts:
        client = self._client or await self._load()
        strategy = self._strategy
        if isinstance(strategy, str | None):
            strategy = assembly.strategy(strategy, client, self._sampling)
        return Parts(client, strategy, self._toolbox, self._rules, runtime, self._turns)

    async def _load(self) -> Client:
        name = self._model if isinstance(self._model, str) else None
        model = await asyncio.to_thread(assembly.stored, name, self._settings)
        # Another run of this agent may have been quicker.
        self._client = self._client or assembly.client(model)
        return self._client


class _Asking(MemoryRuntime):
    """The memory runtime with a function in the place of the person."""

    def __init__(self, emit: Callable[[Event], None], answers: Mapping[str, Any], approve: Approve) -> None:
        super().__init__(self._ask, answers)
        self._tell = emit
        self._approve = approve

    def _ask(self, event: Event) -> None:
        self._tell(event)
        if isinstance(event, ApprovalAsked):
            self.answer(event.key, _given(event.key, self._approve(event.call)))


def _given(key: str, answer: Answer) -> ApprovalGiven:
    if isinstance(answer, ApprovalGiven):
        return answer
    return ApprovalGiven(key, "once" if answer else "refuse")


class Run:
    """A run under way: iterate over its events, `answer` what it asks for. Leaving the iteration stops the run."""

    def __init__(self, agent: Agent, conversation: list[Message]) -> None:
        self.conversation = conversation
        self._agent = agent
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._runtime = MemoryRuntime(self._events.put_nowait, attended=True)

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
            with suppress(asyncio.CancelledError):
                await task

    async def _work(self) -> None:
        try:
            usage = await run(self.conversation, await self._agent._parts(self._runtime))
            self._events.put_nowait(RunEnded(self.conversation[-1].text, usage))
        finally:
            self._events.put_nowait(None)
