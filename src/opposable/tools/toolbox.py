"""Tools by name, and how they are run. Law: whatever happens in a tool, the model gets a text that says what to do.

Only `Stop`, a cancellation, and what is no `Exception` (such as KeyboardInterrupt) come out of a run.
"""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias, overload

from opposable.errors import Stop, ToolError, TryAgain
from opposable.messages import Approval, ToolCall, ToolResult, ToolSpec
from opposable.tools.arguments import check_spec, settle
from opposable.tools.schema import Build, described

Function: TypeAlias = Callable[..., Any]

_LONGEST_MESSAGE = 1_000


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
        made.build(arguments)  # what only the function's own types can tell is told now, before anyone is asked
        return replace(call, arguments=arguments)

    async def run(self, call: ToolCall) -> ToolResult:
        """Run a settled call; the result is text. A failed result says what went wrong and what to try.

        Sync functions run in a thread. One that overruns its time cannot be ended: it is left behind.
        Errors: Stop, where the tool raised it.
        """
        made = self._tools.get(call.name)
        if made is None:
            return ToolResult(call.id, call.name, self._no_such(call.name), failed=True)
        seconds = self._timeout if made.timeout is None else made.timeout
        try:
            async with asyncio.timeout(seconds) as scope:
                text = as_text(await _outcome(made, call.arguments), self._limit)
        except Stop:
            raise
        except TryAgain as error:
            text = str(error) or f"{call.name} wants another way. Check the arguments."
        except Exception as error:
            if isinstance(error, TimeoutError) and scope.expired():
                text = (
                    f"{call.name} was not done after {seconds:g} seconds and was given up. Ask for less, or go without."
                )
            else:
                text = f"{call.name} failed: {_message(error)}. Check the arguments, or try another way."
        else:
            return ToolResult(call.id, call.name, text)
        return ToolResult(call.id, call.name, _cut(_sound(text), self._limit), failed=True)

    def _no_such(self, name: str) -> str:
        near = get_close_matches(name[:64], self._tools, n=1)
        hint = f" Is {near[0]} meant?" if near else ""
        return f"There is no tool {name[:64]!r}.{hint} The tools are: {', '.join(self._tools) or 'none'}."


def as_text(value: Any, limit: int) -> str:
    """What a tool gave, as text for a model: a str as it is, None as "done", all else as JSON; cut at `limit`."""
    if value is None:
        return "done"
    if not isinstance(value, str):
        import pydantic_core  # the first structured value pays for it, not every start

        value = pydantic_core.to_json(value, fallback=str, inf_nan_mode="strings").decode()
    return _cut(_sound(value), limit)


async def _outcome(made: Tool, arguments: Mapping[str, Any]) -> Any:
    values = made.build(arguments)
    if inspect.iscoroutinefunction(made.function):
        return await made.function(**values)
    given = await _in_thread(lambda: made.function(**values))
    return await given if inspect.isawaitable(given) else given


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


def _message(error: Exception) -> str:
    """What an exception says, on one line. The path in an OSError is ours and not the model's to know."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    try:
        said = " ".join(str(error).split())
    except Exception:  # a broken __str__ of somebody's exception
        said = ""
    if len(said) > _LONGEST_MESSAGE:
        said = said[:_LONGEST_MESSAGE] + " …"
    return f"{type(error).__name__}: {said}".removesuffix(": ").removesuffix(".")


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
