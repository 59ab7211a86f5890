"""Calls under a grammar made from the offered tools: what comes out is a call to one of them, or an answer.

Three small questions instead of one large: use a tool or answer (decide), which tool (choose), with which arguments
(fill). Law: the model's own probabilities and the evidence in the request are weighed together, in one measure; a model
that is sure overrules the evidence, evidence overrules a model that is not.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any

from opposable.contracts import Turn
from opposable.messages import (
    Completion,
    Constraint,
    Message,
    Purpose,
    Request,
    Sampling,
    Token,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from opposable.strategies.asking import Asking, ask, joined, read
from opposable.strategies.evidence import Part, as_quoted, held, offers, parts, scores, spoken_of
from opposable.wire import Call, Reply
from opposable.wire.calls import read as read_json
from opposable.wire.grammar import arguments, choice

# How a small model goes on says more than what it answers when asked: "For this I use …", "For this I know …".
_DECIDE, _USE, _KNOW = "For this I", " use", " know"
_CHOOSE = "The right tool in the list:\n-"
_SURE = 20.0
"""What a choice weighs that a model made without telling its probabilities: its word counts."""
_WEIGHT = 0.5
_THRESHOLD = 2.5
_DONE = -3.0
"""Evidence for one more call when every part of the request has had one."""
_MOST_CHOICES = 8
_SHORT_CALL, _LONGEST_CALL = 48, 512
_LONGEST_ANSWER = 120
_ALTERNATIVES = 200
_LONGEST_RESULT = 3_000
_UNLIKELY = -12.0

_TOOLS = "Tools:\n{tools}"
_FILL = """\
You turn a request into a tool call. The tool:
{tool}
Take the values from the request, word for word."""
_ANSWERING = "You are a helpful assistant."
_SENTENCE = 'root ::= " " [^ \\x00-\\x1f] [^\\x00-\\x1f]{0,600}'


@dataclass(frozen=True, slots=True)
class _Task:
    """What is asked, and what has been done about it: the calls and results since the person's last message."""

    request: str
    done: tuple[tuple[ToolCall, ToolResult], ...]

    @property
    def place(self) -> int:
        """How many parts of the request were seen to: a call that fails is tried once more."""
        place = tries = 0
        for _, result in self.done:
            tries += 1
            if not result.failed or tries > 1:
                place, tries = place + 1, 0
        return place

    def failed_at(self, call: Call) -> bool:
        """Was this very call made, and did it fail, or was it refused? It would again."""
        failed = [made for made, result in self.done if result.failed]
        return any((made.name, made.arguments) == (call.name, call.arguments) for made in failed)

    @property
    def known(self) -> str:
        """What the calls gave, a line each; of long results the beginning, since the context of small models is small."""
        return "\n".join(f"{call.name} gave this result: {shorten(result.text)}" for call, result in self.done)

    def after_what_is_known(self, text: str) -> str:
        """A text to ask about, after what the calls gave."""
        return f"{self.known}\n{text}" if self.done else text


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
                if call is not None and not task.failed_at(call):
                    return Reply(None, None, (call,), ())
        return (yield from self._answer(conversation, task))

    def _decide(self, task: _Task, part: Part, evidence: float, tools: Sequence[ToolSpec]) -> Asking:
        """Use a tool, or answer? True: a tool."""
        likely = yield from self._pick(_about(task, part, tools), _DECIDE, (_USE, _KNOW), "decide")
        return evidence + _WEIGHT * (likely[_USE] - likely[_KNOW]) - _THRESHOLD > 0

    def _choose(self, task: _Task, part: Part, tools: Sequence[ToolSpec]) -> Asking:
        """Which tool?"""
        order = sorted(range(len(tools)), key=lambda place: -part.scores[place])[:_MOST_CHOICES]
        if len(order) == 1:
            return tools[order[0]]
        names = [f" {tools[place].name}" for place in order]
        likely = yield from self._pick(_about(task, part, tools), _CHOOSE, names, "choose")
        weights = {place: part.scores[place] + _WEIGHT * likely[name] for place, name in zip(order, names, strict=True)}
        return tools[max(weights, key=weights.__getitem__)]

    def _fill(self, task: _Task, part: Part, tool: ToolSpec) -> Asking:
        """The arguments: a call, or None where the model did not come to their end."""
        schema = spoken_of(part.text, tool)
        narrow = held(schema, part.text)
        # What a failed call gave are words of ours, and no values.
        texts = [part.text, task.request, *(result.text for _, result in task.done if not result.failed)]
        spec = json.dumps(
            {"name": tool.name, "description": tool.description, "parameters": schema}, ensure_ascii=False
        )
        request = task.after_what_is_known(part.text)
        begun = f'<tool_call>\n{{"name": {json.dumps(tool.name)}, "arguments": '
        messages = Message("system", _FILL.format(tool=spec)), Message("user", request), Message("assistant", begun)
        # A small model that finds no end is asked again for values that stand in the request, word for word.
        for limit, words in ((_SHORT_CALL + len(request), ""), (_LONGEST_CALL, part.text)):
            gbnf, _ = arguments(narrow, offers(texts, tool), words)
            answer: Completion = yield from ask(
                Request(
                    messages,
                    purpose="fill",
                    sampling=replace(self._exact, max_tokens=min(limit, _LONGEST_CALL)),
                    constraint=Constraint(gbnf, narrow),
                )
            )
            values = _object(answer.text)
            if values is not None:
                values = {name: as_quoted(value, part.text) for name, value in values.items()}
                return Call(tool.name, values, None, self.name, (), answer.text)
        return None

    def _pick(self, messages: tuple[Message, ...], begun: str, texts: Sequence[str], purpose: Purpose) -> Asking:
        """How likely each of these texts is as what the model goes on with after `begun`: log probabilities."""
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
        return likelihoods(rests, answer)

    def _answer(self, conversation: Sequence[Message], task: _Task) -> Turn:
        """The answer in words: from what the calls gave, where there were any."""
        if not task.done:
            messages = tuple(message for message in conversation if not message.calls and message.result is None)
            reply = yield from read(Request(joined(messages), shown=True, sampling=self._sampling), ())
            return replace(reply, rejected=())  # whatever it looks like: here a call was not asked for
        system = tuple(message for message in conversation[:1] if message.role == "system")
        answer: Completion = yield from ask(
            Request(
                (
                    *(system or (Message("system", _ANSWERING),)),
                    Message("user", task.request),
                    Message("assistant", f"{task.known}\n\nIn one sentence, the answer is:"),
                ),
                sampling=replace(self._exact, max_tokens=self._sampling.max_tokens or _LONGEST_ANSWER),
                constraint=Constraint(_SENTENCE),
            )
        )
        said = _unquoted(answer.text)
        _, result = task.done[-1]
        grounded = answer.finish_reason == "stop" and not result.failed and bool(_words(said) & _words(result.text))
        return Reply(said if grounded else result.text, answer.reasoning, (), ())


def _task(conversation: Sequence[Message]) -> _Task:
    asked = max((place for place, message in enumerate(conversation) if message.role == "user"), default=-1)
    request = conversation[asked].text if asked >= 0 else ""
    calls = {call.id: call for message in conversation[asked + 1 :] for call in message.calls}
    done = [
        (calls[message.result.call_id], message.result)
        for message in conversation[asked + 1 :]
        if message.result is not None and message.result.call_id in calls
    ]
    return _Task(request, tuple(done))


def _next_part(task: _Task, tools: Sequence[ToolSpec]) -> tuple[Part, float]:
    """The part of the request that is to be seen to now, and the evidence that it wants a tool."""
    plan = parts(task.request, tools)
    if task.place < len(plan):
        part = plan[task.place]
        return part, part.scores[part.best]
    return Part(task.request, scores(task.request, tools)), _DONE


def _about(task: _Task, part: Part, tools: Sequence[ToolSpec]) -> tuple[Message, ...]:
    lines = "\n".join(f"- {tool.name}: {tool.description}" for tool in tools)
    return Message("system", _TOOLS.format(tools=lines)), Message("user", task.after_what_is_known(part.text))


def _common_beginning(texts: Sequence[str]) -> str:
    """What all begin with, but for white space at its end, which belongs to the token that follows."""
    first, last = min(texts), max(texts)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length].rstrip()


def likelihoods(texts: Mapping[str, str], answer: Completion) -> dict[str, float]:
    """For each key, how likely its text was as the answer, up to where it parts from all others: a log probability.

    What was written and the likeliest tokens at each place are known; tokens that fit are added up. A token that goes
    on after the end of a text ends it, unless a longer text goes on so. Where no probabilities are known, what was
    written is as good as certain.
    """
    if not answer.tokens:
        written = answer.text.strip().strip('"').strip()
        return {key: 0.0 if text.strip() == written else -_SURE for key, text in texts.items()}
    found: dict[str, float] = {}
    alive, before = dict(texts), 0.0
    for token in answer.tokens:
        here = {key: before + _fitting(text, alive.values(), token) for key, text in alive.items()}
        alive = {key: text[len(token.text) :] for key, text in alive.items() if text.startswith(token.text)}
        found |= {key: value for key, value in here.items() if key not in alive or len(alive) == 1}
        if len(alive) <= 1:
            return found
        before += token.logprob
    return found | {key: before + (_UNLIKELY if text else 0.0) for key, text in alive.items()}


def _fitting(text: str, texts: Iterable[str], token: Token) -> float:
    longer = [other for other in texts if len(other) > len(text)]

    def fits(said: str) -> bool:
        beyond = said.startswith(text) and not any(_agree(said, other) for other in longer)
        return text.startswith(said) or beyond

    fitting = sum(exp(logprob) for said, logprob in token.alternatives if said and fits(said))
    return log(fitting) if fitting else _UNLIKELY


def _agree(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _object(text: str) -> dict[str, Any] | None:
    try:
        values, _ = read_json(text, ended=False)
    except ValueError:
        return None
    return values[0] if len(values) == 1 and isinstance(values[0], dict) else None


def shorten(text: str) -> str:
    """A text whole, or as much of its beginning as a small model can take in."""
    return text if len(text) <= _LONGEST_RESULT else f"{text[:_LONGEST_RESULT]} […]"


def _words(text: str) -> set[str]:
    return {
        word for word in re.findall(r"\w+", text.casefold()) if len(word) > 2 or word.isdigit() or not word.isascii()
    }


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1] else text
