"""The few protocols that hold the house together. Read this file first.

A `Client` asks a model. A `Strategy` knows how to get a call out of a model, and asks through the client. A `Toolbox`
runs tools. An `Approver` says what may run. A `Runtime` decides how a run survives. The agent's loop is written
against these, and `assembly.py` is the one place that names who fulfils them.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from opposable.events import ApprovalGiven, Event
from opposable.messages import Approval, Completion, Delta, Message, Request, ToolCall, ToolResult, ToolSpec
from opposable.wire import Event as WireEvent
from opposable.wire import Reply

T = TypeVar("T")
Constrains = Literal["json_schema", "gbnf"]


@runtime_checkable
class Client(Protocol):
    """Asks one model. One file under `clients/` for each server dialect."""

    @property
    def model(self) -> str:
        """The name of the model, as a person would write it."""
        ...

    @property
    def context(self) -> int:
        """How many tokens question and answer may have together."""
        ...

    @property
    def parameters(self) -> int | None:
        """How many parameters the model has; None where that is not known."""
        ...

    @property
    def constrains(self) -> frozenset[Constrains]:
        """In which ways this client can force the form of an answer."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[Delta | Completion, None]:
        """Ask: the pieces as they come, at last one `Completion`. Closing the iterator stops the model.

        Errors: ClientRefused, ClientUnavailable; ModelError, where the client loads the model itself.
        """
        ...

    async def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of `text`."""
        ...

    async def close(self) -> None:
        """Let go of the model. Safe to call twice."""
        ...


Show: TypeAlias = tuple[WireEvent, ...]
"""What a strategy lets a person see of the delta it was sent, often nothing."""

Turn: TypeAlias = Generator[Request | Show, Delta | Completion, Reply]
"""One turn of a strategy.

It yields a `Request` and is sent the answer: for a request that may be `shown` first each `Delta`, each answered by what
of it to show, then the `Completion`; for any other the `Completion` alone. After that it may show what it held back, and
ask again; at last it returns the reply.
"""


class Strategy(Protocol):
    """A way to get calls out of a model. Pure: it never touches a client, so a turn is a list of requests and answers."""

    @property
    def name(self) -> str:
        """What the strategy is called: `prompted/hermes`, `constrained` …"""
        ...

    def turn(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Turn:
        """Begin one turn: what does the model say to this conversation, offered these tools?"""
        ...

    def notes(self, tools: Sequence[ToolSpec]) -> tuple[str, ...]:
        """What a person should know about how these tools are offered, such as a schema that had to be simplified."""
        ...


class Toolbox(Protocol):
    """Holds tools by name and runs them."""

    @property
    def specs(self) -> Sequence[ToolSpec]:
        """The tools, in the order in which they are offered."""
        ...

    def settle(self, call: ToolCall) -> ToolCall:
        """The call with its arguments made fit for the tool's schema (types, defaults).

        Errors: TryAgain, with what is wrong and what would be right, for the model.
        """
        ...

    async def run(self, call: ToolCall) -> ToolResult:
        """Run a settled call. Whatever goes wrong in the tool becomes a failed result; only `Stop` comes out."""
        ...


class Approver(Protocol):
    """Says what may run. Its word is a value, so that a run can wait for a person without blocking a process."""

    def rule(self, call: ToolCall, spec: ToolSpec) -> Approval:
        """What holds for this settled call: run it, ask, or refuse it."""
        ...

    def remember(self, call: ToolCall, answer: ApprovalGiven) -> None:
        """Take note of a person's answer: `always` holds for later calls of the same tool."""
        ...


class Runtime(Protocol):
    """How a run survives. Everything the loop does to the world goes through these five verbs."""

    async def step(self, name: str, fn: Callable[[], Awaitable[T]], *, repeatable: bool) -> T:
        """Do `fn` once; after a crash its kept value is given back. `repeatable`: it may be started again if unsure."""
        ...

    async def wait(self, key: str) -> Any:
        """The value that someone outside gives under `key`, however late. Errors: Paused, where nobody can give it."""
        ...

    def emit(self, event: Event) -> None:
        """Tell whoever watches. No step: a delta may be lost."""
        ...

    def now(self) -> float:
        """Seconds since the epoch, the same again after a crash."""
        ...

    async def spawn(self, name: str, fns: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
        """Do several things at once; their values in the same order."""
        ...
