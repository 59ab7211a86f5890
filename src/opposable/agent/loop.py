"""The whole agent. Law: it touches the world only through its parts, and what it knows is the conversation alone.

Each round first settles the calls that have no result yet, so that a run that stopped anywhere goes on from its
conversation; then it asks the model, until the model calls no more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opposable.agent.turn import Asked, take_turn
from opposable.contracts import Approver, Client, Runtime, Strategy, Toolbox
from opposable.errors import LimitReached, Paused, Stop, TryAgain
from opposable.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallReady,
    CallStarted,
    ReasoningDelta,
    RunEnded,
    RunStarted,
    TextDelta,
    TurnEnded,
)  # fmt: skip
from opposable.messages import Message, ToolCall, ToolResult, ToolSpec, Usage
from opposable.wire import Event as WireEvent
from opposable.wire import Reasoning, Rejected, Reply, Text

_UNKNOWN, _UNREAD = _COMPLAINTS = ("That tool does not exist.", "That call could not be read.")
"""How a complaint begins. One is made; what the model then says is its answer."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run is made of. `turns`: how many questions to the model it may take."""

    client: Client
    strategy: Strategy
    toolbox: Toolbox
    approver: Approver
    runtime: Runtime
    turns: int = 20


async def run(conversation: list[Message], parts: Parts) -> RunEnded:
    """Go on with a conversation until the model answers without a call; what was said and done is added to it.

    The run ends waiting where a person is needed and none is there. Errors: ClientError, LimitReached.
    """
    ended = await rounds(conversation, parts)
    parts.runtime.emit(ended)
    return ended


async def rounds(conversation: list[Message], parts: Parts) -> RunEnded:
    """Settle what was called and ask the model, in turn. Errors: as `run`."""
    runtime, specs = parts.runtime, parts.toolbox.specs
    runtime.emit(RunStarted(parts.client.model, parts.strategy.name, parts.strategy.notes(specs)))
    usage = Usage()
    for turn in range(parts.turns):
        try:
            for call in unsettled(conversation):
                result = await settle(call, parts)
                if isinstance(result, ApprovalAsked):
                    return RunEnded("", usage, "waiting", (result,))
                conversation.append(Message("tool", result.text, result=result))
        except Stop as stop:
            # No call stays open: whoever goes on with the conversation must not start it again.
            results = [
                ToolResult(call.id, call.name, f"The run ended here: {stop}") for call in unsettled(conversation)
            ]
            conversation.extend(Message("tool", result.text, result=result) for result in results)
            conversation.append(Message("assistant", str(stop)))
            return RunEnded(str(stop), usage)
        asked = await runtime.step(f"turn {turn}", lambda: ask(conversation, parts), repeatable=True)
        usage += asked.usage
        message = message_of(asked.reply, conversation)
        runtime.emit(TurnEnded(message.text or None, message.reasoning, message.calls, asked.usage, asked.cut))
        conversation.append(message)
        if not message.calls:
            complaint = complaint_about(asked.reply, specs)
            if complaint is None or any(said.text.startswith(_COMPLAINTS) for said in conversation[-2:-1]):
                return RunEnded(message.text, usage)
            conversation.append(complaint)
    raise LimitReached(
        f"the model asked for tools {parts.turns} times without coming to an answer; "
        "give it more turns, a simpler request, or a larger model"
    )


async def ask(conversation: list[Message], parts: Parts) -> Asked:
    """One question to the model, shown as it is answered."""

    def show(event: WireEvent) -> None:
        where = event.part if isinstance(event, Rejected) else None
        if isinstance(event, Text) or where == "content":
            parts.runtime.emit(TextDelta(event.raw))
        elif isinstance(event, Reasoning) or where == "reasoning":
            parts.runtime.emit(ReasoningDelta(event.raw))

    return await take_turn(parts.client, parts.strategy, conversation, parts.toolbox.specs, show)


async def settle(call: ToolCall, parts: Parts) -> ToolResult | ApprovalAsked:
    """Check a call, ask for approval where it is needed, run it; what it waits for, where nobody answers. Errors: Stop."""
    runtime = parts.runtime
    settled = await checked(call, parts)
    if isinstance(settled, ApprovalAsked):
        return settled
    began = runtime.now()
    try:
        result = await started(settled, parts) if isinstance(settled, ToolCall) else settled
    except Stop as stop:
        runtime.emit(CallEnded(ToolResult(call.id, call.name, str(stop)), runtime.now() - began))
        raise
    runtime.emit(CallEnded(result, runtime.now() - began))
    return result


async def started(call: ToolCall, parts: Parts) -> ToolResult:
    """Run a settled call that may run. Errors: Stop."""
    parts.runtime.emit(CallStarted(call))
    repeatable = spec_of(call.name, parts).repeatable
    return await parts.runtime.step(f"call {call.id}", lambda: parts.toolbox.run(call), repeatable=repeatable)


async def checked(call: ToolCall, parts: Parts) -> ToolCall | ToolResult | ApprovalAsked:
    """The settled call, if it may run; else the result that says why not, or what it waits for."""
    runtime = parts.runtime
    try:
        settled = parts.toolbox.settle(call)
    except TryAgain as error:
        return ToolResult(call.id, call.name, str(error), failed=True)
    runtime.emit(CallReady(settled))
    rule = parts.approver.rule(settled, spec_of(settled.name, parts))
    if rule == "deny":
        return ToolResult(call.id, call.name, f"{call.name} may not be used here. Go on without it.", failed=True)
    if rule == "ask":
        asked = ApprovalAsked(f"approve {call.id}", settled)
        runtime.emit(asked)
        try:
            answer: ApprovalGiven = await runtime.wait(asked.key)
        except Paused:
            return asked
        runtime.emit(answer)
        parts.approver.remember(settled, answer)
        if answer.verdict not in ("once", "always"):
            reason = answer.reason or "no reason was given"
            return ToolResult(call.id, call.name, f"The person refused this call: {reason}.", failed=True)
    return settled


def spec_of(name: str, parts: Parts) -> ToolSpec:
    """The tool of this name."""
    return next(spec for spec in parts.toolbox.specs if spec.name == name)


def unsettled(conversation: list[Message]) -> Iterator[ToolCall]:
    """The calls of the conversation that have no result, in their order."""
    settled = {message.result.call_id for message in conversation if message.result is not None}
    for message in list(conversation):
        for call in message.calls:
            if call.id not in settled:
                yield call


def message_of(reply: Reply, conversation: list[Message]) -> Message:
    """A reply as a message, each of its calls with an id of its own."""
    taken = {call.id for message in conversation for call in message.calls}
    calls: list[ToolCall] = []
    for call in reply.tool_calls:
        number = len(taken) + 1
        name = call.id if call.id and call.id not in taken else f"call_{number}"
        while name in taken:
            number += 1
            name = f"call_{number}"
        taken.add(name)
        calls.append(ToolCall(name, call.name, call.arguments))
    return Message("assistant", reply.content or "", reply.reasoning, tuple(calls))


def complaint_about(reply: Reply, specs: Sequence[ToolSpec]) -> Message | None:
    """What to tell a model that tried to call and was not understood; None where it did not try."""
    if not specs:
        return None
    causes = {block.cause for block in reply.rejected}
    names = ", ".join(spec.name for spec in specs)
    if "unknown_tool" in causes:
        return Message("user", f"{_UNKNOWN} There are: {names}. Call one of these, or answer in plain text.")
    if causes & {"malformed", "truncated"}:
        return Message("user", f"{_UNREAD} Write it once more, as one JSON object, or answer in plain text.")
    return None
