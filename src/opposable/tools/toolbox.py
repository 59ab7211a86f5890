"""Tools by name, and how they are run. Law: whatever happens in a tool, the model gets a text that says what to do.

Only `Stop`, KeyboardInterrupt and a cancellation from outside come out of a run. All that is the tool's own (its
function, the text of what it gives or raises) is done in its thread and in its time, and never by the event loop; an
async function alone is awaited there.
"""

import asyncio
import contextvars
import dataclasses
import inspect
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias, overload

from opposable.errors import Stop, ToolError, TryAgain
from opposable.messages import Approval, ToolCall, ToolResult, ToolSpec
from opposable.tools.arguments import check_spec, copied, settle
from opposable.tools.schema import Build, described

Function: TypeAlias = Callable[..., Any]

_LONGEST_MESSAGE = 1_000
_LARGEST = 32_000_000  # bytes of what a tool gives, before it becomes text
_GRACE = 0.2  # seconds in which an async tool may tidy up after it was given up


@dataclass(frozen=True, slots=True)
class Tool:
    """What a model sees of a tool, and the function behind it, sync or async, called with the arguments by name.

    `build` makes settled arguments into what the function takes. `timeout` in seconds; None: as the toolbox has it.
    A tool can still be called as the function it was.
    """

    spec: ToolSpec
    function: Function
    build: Build = dict
    timeout: float | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself, as it was."""
        return self.function(*args, **kwargs)


@overload
def tool(
    fn: None = None,
    /,
    *,
    approval: Approval = "auto",
    repeatable: bool = False,
    name: str | None = None,
    timeout: float | None = None,
) -> Callable[[Function], Tool]: ...
@overload
def tool(
    fn: Function,
    /,
    *,
    approval: Approval = "auto",
    repeatable: bool = False,
    name: str | None = None,
    timeout: float | None = None,
) -> Tool: ...
def tool(
    fn: Function | None = None,
    /,
    *,
    approval: Approval = "auto",
    repeatable: bool = False,
    name: str | None = None,
    timeout: float | None = None,
) -> Tool | Callable[[Function], Tool]:
    """A tool from a typed function with a docstring. Used as `@tool`, as `@tool(approval="ask")` or as `tool(fn)`.

    `approval`, `repeatable`: as in ToolSpec. `timeout` in seconds. Errors: ToolError, saying what the function lacks.
    """
    if fn is None:
        return lambda later: tool(later, approval=approval, repeatable=repeatable, name=name, timeout=timeout)
    spec, build = described(fn, name=name, approval=approval, repeatable=repeatable)
    check_spec(spec)
    return Tool(spec, fn, build, timeout)


class Toolbox:
    """Tools by name. `timeout` in seconds for a tool that names none; `limit` in characters for what a tool gives.

    Errors: ToolError, where a name is used twice, cannot be used, or a schema is invalid.
    """

    def __init__(self, tools: Iterable[Tool | Function] = (), *, timeout: float = 60.0, limit: int = 16_000) -> None:
        self._tools: dict[str, Tool] = {}
        self._timeout = timeout
        self._limit = limit
        self._running: set[asyncio.Task[Any]] = set()  # a loop itself keeps none of its tasks alive
        for given in tools:
            made = given if isinstance(given, Tool) else tool(given)
            check_spec(made.spec)
            if made.spec.name in self._tools:
                raise ToolError(f"two tools are named {made.spec.name}: give one another name, tool(fn, name=…)")
            self._tools[made.spec.name] = made

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools, in the order in which they were given."""
        return tuple(made.spec for made in self._tools.values())

    def settle(self, call: ToolCall) -> ToolCall:
        """The call with its arguments made fit for the tool's schema. Errors: TryAgain, with words for the model."""
        made = self._tools.get(call.name)
        if made is None:
            raise TryAgain(self._no_such(call.name))
        arguments = settle(made.spec, call.arguments)
        made.build(copied(arguments))  # what only the function's own types can tell is told now, before anyone is asked
        return replace(call, arguments=arguments)

    async def run(self, call: ToolCall) -> ToolResult:
        """Run a settled call; the result is text. A failed result says what went wrong and what to try.

        Sync functions run in a thread. A tool that overruns its time cannot be ended, if it does not want to: it is left
        behind. Errors: Stop, where the tool raised it.
        """
        made = self._tools.get(call.name)
        if made is None:
            return ToolResult(call.id, call.name, self._no_such(call.name), failed=True)
        seconds = self._timeout if made.timeout is None else made.timeout
        # A task of its own: one that swallows its cancellation is not waited for.
        task = asyncio.create_task(_attempt(made, call, self._limit))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            done, _ = await asyncio.wait({task}, timeout=seconds)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=_GRACE)
        if not done:
            text = f"{call.name} was not done after {seconds:g} seconds and was given up. Ask for less, or go without."
        elif task.cancelled():
            text = _told(call.name, asyncio.CancelledError())
        elif isinstance(outcome := task.result(), ToolResult):
            return outcome
        else:
            raise outcome
        return ToolResult(call.id, call.name, _cut(text, self._limit), failed=True)

    def _no_such(self, name: str) -> str:
        near = get_close_matches(name[:64], self._tools, n=1)
        hint = f" Is {near[0]} meant?" if near else ""
        return f"There is no tool {name[:64]!r}.{hint} The tools are: {', '.join(self._tools) or 'none'}."


def as_text(value: Any, limit: int) -> str:
    """What a tool gave, as text for a model: a str as it is, None as "done", all else as JSON; cut at `limit`.

    Errors: TypeError, where there is an iterator in it, which may have no end; ValueError, where it is too large.
    """
    if value is None:
        return "done"
    if not isinstance(value, str):
        import pydantic_core  # the first structured value pays for it, not every start

        _check_size(value)
        value = pydantic_core.to_json(value, fallback=str, inf_nan_mode="strings").decode()
    return _cut(_sound(value), limit)


def _check_size(value: Any) -> None:
    """A member that is there twice counts twice, since its text will be there twice: so all is bounded, circles too."""
    left = _LARGEST
    waiting = [value]
    while waiting:
        value = waiting.pop()
        left -= sys.getsizeof(value)
        if left < 0:
            raise ValueError("what it gives is too large, or has no end")
        if isinstance(value, Iterator | AsyncIterator):
            raise TypeError(f"the tool gives a value of type {type(value).__name__} where it should give a list")
        if isinstance(value, dict):
            waiting += value
            waiting += value.values()
        elif isinstance(value, list | tuple | set | frozenset | deque):
            waiting += value
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            waiting += (getattr(value, field.name, None) for field in dataclasses.fields(value))
        elif hasattr(type(value), "__pydantic_serializer__"):
            waiting += vars(value).values()
            waiting += (getattr(value, "__pydantic_extra__", None) or {}).values()


async def _attempt(made: Tool, call: ToolCall, limit: int) -> ToolResult | BaseException:
    """The result, or what has to come out of the run: raised in a task, some of it would end the loop."""
    try:
        return ToolResult(call.id, call.name, await _outcome(made, call, limit))
    except asyncio.CancelledError:
        raise
    except (Stop, KeyboardInterrupt) as error:
        return error
    except BaseException as error:
        said = error
    try:
        text = await _in_thread(lambda: _cut(_sound(_told(call.name, said)), limit))
    except KeyboardInterrupt as error:
        return error
    return ToolResult(call.id, call.name, text, failed=True)


async def _outcome(made: Tool, call: ToolCall, limit: int) -> str:
    arguments = copied(call.arguments)  # what was approved and recorded stays what it was, whatever the tool does

    def begin() -> str | Awaitable[Any]:
        given = made.function(**made.build(arguments))
        return given if inspect.isawaitable(given) else as_text(given, limit)

    if inspect.iscoroutinefunction(made.function):
        values = await _in_thread(lambda: made.build(arguments))
        waiting: str | Awaitable[Any] = made.function(**values)
    else:
        waiting = await _in_thread(begin)
    if isinstance(waiting, str):
        return waiting
    given = await waiting
    text: str = await _in_thread(lambda: as_text(given, limit))
    return text


async def _in_thread(fn: Callable[[], Any]) -> Any:
    """As asyncio.to_thread, but in a daemon thread: a tool that hangs must not keep the program from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle_future(outcome: tuple[Any, BaseException | None]) -> None:
        if not done.done():
            done.set_result(outcome)

    def work() -> None:
        try:
            outcome: tuple[Any, BaseException | None] = (context.run(fn), None)
        except BaseException as error:  # carried to the task that waits
            outcome = (None, error)
        try:
            loop.call_soon_threadsafe(settle_future, outcome)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    threading.Thread(target=work, name="opposable-tool", daemon=True).start()
    value, error = await done
    if error is not None:
        raise error
    return value


def _told(name: str, error: BaseException) -> str:
    """What an exception says, on one line. The path in an OSError is ours and not the model's to know."""
    if isinstance(error, TryAgain):
        return _said_by(error) or f"{name} wants another way. Check the arguments."
    plain = _said_by(error.strerror or "") if isinstance(error, OSError) else ""
    line = " ".join((plain or _said_by(error)).split())
    if len(line) > _LONGEST_MESSAGE:
        line = line[:_LONGEST_MESSAGE] + " …"
    if not plain:
        line = f"{type(error).__name__}: {line}".removesuffix(": ")
    return f"{name} failed: {line.removesuffix('.')}. Check the arguments, or try another way."


def _said_by(error: object) -> str:
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a broken __str__ of somebody's exception
        return ""


def _sound(text: str) -> str:
    """Lone halves of a pair cannot be sent on as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(text)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut: {len(text) - limit} more characters]"
