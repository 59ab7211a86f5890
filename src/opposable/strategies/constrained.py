"""Calls under a grammar made from the offered tools: what comes out is a call to one of them, or an answer.

Three small questions instead of one large: use a tool or answer (decide), which tool (choose), with which arguments
(fill). Law: the model's own probabilities and the evidence in the request are weighed together, in one measure; a model
that is sure overrules the evidence, evidence overrules a model that is not.
"""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from opposable.contracts import Show, Turn
from opposable.messages import Completion, Constraint, Delta, Message, Purpose, Request, Sampling, ToolCall, ToolSpec
from opposable.strategies.asking import Asking, ask
from opposable.strategies.evidence import Part, offers, parts, scores, spoken_of
from opposable.wire import Call, Event, Reasoning, Reply, Text
from opposable.wire.grammar import arguments, choice

_USE, _ANSWER = "use", "answer"
_SURE = 12.0
"""The log odds of a model that was asked without its probabilities being known: its word counts."""
_WEIGHT = 0.5
_THRESHOLD = 2.5
_DONE = -3.0
"""Evidence for one more call when every part of the request has had one."""
_MOST_CHOICES = 8
_LONGEST_CALL = 512
_LONGEST_ANSWER = 400
_ALTERNATIVES = 50
_UNLIKELY = -12.0

_TOOLS = "You are a helpful assistant with these tools:\n{tools}"
_FILL = """\
You turn a request into a tool call. The tool:
{tool}
Take the values from the request, word for word."""
_ANSWERING = "You are a helpful assistant."
_PARAGRAPH = 'root ::= ":"? [ \\n]* line ("\\n" line)*\nline ::= [^\\n\\x00-\\x1f]+'


@dataclass(frozen=True, slots=True)
class _Task:
    """What is asked, and what has been done about it: the calls and results since the person's last message."""

    request: str
    done: tuple[tuple[ToolCall, str, bool], ...]

    @property
    def failed(self) -> bool:
        """Did the last call fail?"""
        return bool(self.done) and self.done[-1][2]

    @property
    def known(self) -> str:
        """What the calls gave, a line each."""
        return "\n".join(f"I used {call.name} and got: {text}" for call, text, _ in self.done)


class Constrained:
    """The strategy. For models that know more than they can write, and clients that can constrain."""

    name = "constrained"

    def __init__(self, sampling: Sampling | None = None) -> None:
        self._sampling = sampling or Sampling()
        self._exact = replace(self._sampling, temperature=0.0)

    def notes(self, tools: Sequence[ToolSpec]) -> tuple[str, ...]:
        return tuple(f"{tool.name}.{note}" for tool in tools for note in arguments(tool.parameters)[1])

    def turn(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Turn:
        task = _task(conversation)
        if tools:
            part, evidence = _next_part(task, tools)
            if (yield from self._decide(task, part, evidence, tools)):
                tool = yield from self._choose(task, part, tools)
                call = yield from self._fill(task, part, tool)
                if call is not None:
                    return Reply(None, None, (call,), ())
        return (yield from self._answer(conversation, task))

    def _decide(self, task: _Task, part: Part, evidence: float, tools: Sequence[ToolSpec]) -> Asking:
        """Use a tool, or answer? True: a tool."""
        answer = yield from self._pick(_about(task, part, tools), "I will ", (_USE, _ANSWER), "decide")
        odds = answer[_USE] - answer[_ANSWER]
        return evidence + _WEIGHT * odds - _THRESHOLD > 0

    def _choose(self, task: _Task, part: Part, tools: Sequence[ToolSpec]) -> Asking:
        """Which tool?"""
        order = sorted(range(len(tools)), key=lambda place: -part.scores[place])[:_MOST_CHOICES]
        if len(order) == 1:
            return tools[order[0]]
        names = tuple(tools[place].name for place in order)
        likely = yield from self._pick(_about(task, part, tools), "I will use the tool ", names, "choose")
        return tools[max(order, key=lambda place: part.scores[place] + likely[tools[place].name])]

    def _fill(self, task: _Task, part: Part, tool: ToolSpec) -> Asking:
        """The arguments: a call, or None where the model did not come to their end."""
        schema = spoken_of(part.text, tool)
        spec = json.dumps(
            {"name": tool.name, "description": tool.description, "parameters": schema}, ensure_ascii=False
        )
        texts = [part.text, *(text for _, text, _ in task.done)]
        gbnf, _ = arguments(schema, offers(texts, tool))
        request = f"{task.known}\n{part.text}" if task.known else part.text
        begun = f'<tool_call>\n{{"name": {json.dumps(tool.name)}, "arguments": '
        answer: Completion = yield from ask(
            Request(
                (Message("system", _FILL.format(tool=spec)), Message("user", request), Message("assistant", begun)),
                purpose="fill",
                sampling=replace(self._exact, max_tokens=_LONGEST_CALL),
                constraint=Constraint(gbnf, schema),
            )
        )
        try:
            values = json.loads(answer.text)
        except ValueError:
            return None
        if not isinstance(values, dict):
            return None
        return Call(tool.name, values, None, self.name, (), answer.text)

    def _pick(self, messages: tuple[Message, ...], begun: str, texts: tuple[str, ...], purpose: Purpose) -> Asking:
        """The log probability of each of these texts as what the model goes on with after `begun`."""
        common = _common_beginning(texts)
        rests = {text: text[len(common) :] for text in texts}
        answer: Completion = yield from ask(
            Request(
                (*messages, Message("assistant", begun + common)),
                purpose=purpose,
                sampling=replace(self._exact, max_tokens=32),
                constraint=Constraint(choice(rests.values()), {"enum": list(rests.values())}),
                alternatives=_ALTERNATIVES,
            )
        )
        return {text: _likelihood(rest, answer) for text, rest in rests.items()}

    def _answer(
        self, conversation: Sequence[Message], task: _Task
    ) -> Generator[Request | Show, Delta | Completion, Reply]:
        """The answer in words: from what the calls gave, where there were any."""
        if not task.done:
            messages = tuple(message for message in conversation if not message.calls and message.result is None)
            request = Request(messages, shown=True, sampling=self._sampling)
        else:
            system = tuple(message for message in conversation[:1] if message.role == "system")
            messages = (
                *(system or (Message("system", _ANSWERING),)),
                Message("user", task.request),
                Message("assistant", f"{task.known}\nSo the answer is"),
            )
            limit = self._sampling.max_tokens or _LONGEST_ANSWER
            request = Request(
                messages,
                shown=True,
                sampling=replace(self._exact, max_tokens=limit),
                constraint=Constraint(_PARAGRAPH),
            )
        text, reasoning = "", ""
        said = yield request
        while isinstance(said, Delta):
            shown: list[Event] = [Reasoning(said.reasoning)] if said.reasoning else []
            piece = said.text if text else said.text.lstrip(" :\n")
            text += piece
            reasoning += said.reasoning
            said = yield (*shown, *([Text(piece)] if piece else []))
        text = text or said.text.lstrip(" :\n") or (task.done[-1][1] if task.done else "")
        return Reply(text.strip() or None, reasoning or said.reasoning or None, (), ())


def _task(conversation: Sequence[Message]) -> _Task:
    asked = max((place for place, message in enumerate(conversation) if message.role == "user"), default=-1)
    request = conversation[asked].text if asked >= 0 else ""
    calls = {call.id: call for message in conversation[asked + 1 :] for call in message.calls}
    done = [
        (calls[message.result.call_id], message.result.text, message.result.failed)
        for message in conversation[asked + 1 :]
        if message.result is not None and message.result.call_id in calls
    ]
    return _Task(request, tuple(done))


def _next_part(task: _Task, tools: Sequence[ToolSpec]) -> tuple[Part, float]:
    """The part of the request that is to be seen to now, and the evidence that it wants a tool."""
    plan = parts(task.request, tools)
    place = len(task.done)
    if task.failed and sum(failed for _, _, failed in task.done) < 2:
        place -= 1
    if place < len(plan):
        return plan[place], plan[place].scores[plan[place].best]
    return Part(task.request, scores(task.request, tools)), _DONE


def _about(task: _Task, part: Part, tools: Sequence[ToolSpec]) -> tuple[Message, ...]:
    lines = "\n".join(f"- {tool.name}: {tool.description}" for tool in tools)
    request = f"{task.known}\n{part.text}" if task.known else part.text
    return Message("system", _TOOLS.format(tools=lines)), Message("user", request)


def _common_beginning(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length] if length < len(first) else ""


def _likelihood(text: str, answer: Completion) -> float:
    """How likely the model would have written `text`, from what it wrote and the likeliest tokens at each place."""
    if not answer.tokens:
        return 0.0 if answer.text.strip().strip('"') == text else -_SURE
    total, rest = 0.0, text
    for token in answer.tokens:
        if token.text and rest.startswith(token.text):
            total += token.logprob
            rest = rest[len(token.text) :]
            if not rest:
                break
        else:
            fitting = [logprob for other, logprob in token.alternatives if other and _begins(rest, other)]
            return total + max(fitting, default=_UNLIKELY)
    return total


def _begins(text: str, token: str) -> bool:
    return text.startswith(token) or token.startswith(text)
