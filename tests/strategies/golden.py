"""Golden cases of strategies: what is asked of a model, what it answers, what is made of it, as files a person can read.

A file of `cases/` is a head of lines with `# `, which say what it shows, then cases:

    == what it shows
    strategy: constrained               a name in assembly.STRATEGIES
    tools: calculate, file_read         names in tools.json; a line that is missing: none
    --- conversation
    user: What is 17 * 23?              a message; its other lines stand two spaces in
    call: c1 calculate {"expression": "17 * 23"}      belongs to the assistant message before it, or to one of its own
    result: c1 391                      what came of it; `failed: c1 …` where it failed
    --- asked                           a request: its purpose and settings, its messages, what holds the answer
    --- said                            the answer, to the letter; `said, cut off` where it has no end
    --- tokens                          its tokens, a line of JSON each: the text, the likeliest texts with log probabilities
    --- reply                           what the strategy makes of it: calls, reasoning, rejected blocks, content
    ---                                 the end of the case

`python -m tests.strategies.golden` writes down what is asked and replied now. Read the difference before you keep it.
"""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opposable.assembly import STRATEGIES
from opposable.contracts import Strategy
from opposable.messages import Completion, Delta, Message, Request, Sampling, Token, ToolCall, ToolResult, ToolSpec
from opposable.wire import Reasoning, Rejected, Reply, Text

HERE = Path(__file__).parent
TOOLS = {tool["name"]: ToolSpec(**tool) for tool in json.loads((HERE / "tools.json").read_text("utf-8"))}
PIECE = 5
"""Characters of a delta."""


@dataclass
class Case:
    """A turn of a strategy."""

    file: str
    title: str
    keys: dict[str, str] = field(default_factory=dict)
    parts: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.file}: {self.title}"

    @property
    def strategy(self) -> Strategy:
        return STRATEGIES[self.keys["strategy"]](Sampling())

    @property
    def tools(self) -> list[ToolSpec]:
        return [TOOLS[name.strip()] for name in self.keys.get("tools", "").split(",") if name.strip()]

    @property
    def conversation(self) -> list[Message]:
        return conversation(self.parts[0][1])

    def answers(self) -> list[Completion]:
        found: list[Completion] = []
        for head, text in self.parts:
            if head.startswith("said"):
                found.append(Completion(text, finish_reason="stop" if head == "said" else "length"))
            elif head == "tokens":
                last = found[-1]
                found[-1] = Completion(last.text, finish_reason=last.finish_reason, tokens=tokens(text))
        return found


def read(path: Path) -> list[Case]:
    """The cases of a file. Errors: ValueError, where something in it is not understood."""
    cases: list[Case] = []
    part: str | None = None
    lines: list[str] = []
    for line in path.read_text("utf-8").split("\n"):
        if part is not None and line != "---" and not line.startswith("--- "):
            lines.append(line)
        elif line == "---" or line.startswith("--- "):
            if part is not None:
                cases[-1].parts.append((part, "\n".join(lines)))
            part, lines = line[4:] or None, []
            if part not in {None, "conversation", "asked", "said", "said, cut off", "tokens", "reply"}:
                raise ValueError(f"{path.name}: not a part: {line!r}")
        elif line.startswith("== "):
            cases.append(Case(path.stem, line[3:]))
        elif cases and line.strip():
            key, colon, value = line.partition(": ")
            if not colon or key not in {"strategy", "tools"}:
                raise ValueError(f"{path.name}: not a key: {line!r}")
            cases[-1].keys[key] = value
        elif line.strip() and not line.startswith("# "):
            raise ValueError(f"{path.name}: not understood: {line!r}")
    if part is not None:
        raise ValueError(f"{path.name}: the last case has no end")
    return cases


def conversation(text: str) -> list[Message]:
    """Messages, read."""
    found: list[Message] = []
    for line in text.replace("\n  ", "\0").split("\n"):
        role, _, said = line.replace("\0", "\n").partition(": ")
        if role in ("system", "user", "assistant"):
            found.append(Message(role, said))  # type: ignore[arg-type]
        elif role == "reasoning":
            found[-1] = Message("assistant", found[-1].text, said)
        elif role == "call":
            key, name, arguments = said.split(" ", 2)
            call = ToolCall(key, name, json.loads(arguments))
            last = found.pop() if found[-1].role == "assistant" else Message("assistant")
            found.append(Message("assistant", last.text, last.reasoning, (*last.calls, call)))
        elif role in ("result", "failed"):
            key, _, said = said.partition(" ")
            name = next(call.name for message in found for call in message.calls if call.id == key)
            found.append(Message("tool", said, result=ToolResult(key, name, said, role == "failed")))
        else:
            raise ValueError(f"not a message: {line!r}")
    return found


def tokens(text: str) -> tuple[Token, ...]:
    """Tokens, read."""
    found = []
    for said, likely in map(json.loads, text.split("\n")):
        found.append(Token(said, likely.get(said, -20.0), tuple(likely.items())))
    return tuple(found)


def played(case: Case) -> tuple[list[Request], Reply, str]:
    """The turn, with the answers of the case: what was asked, what was replied, what was shown."""
    asked: list[Request] = []
    shown: list[str] = []
    turn = case.strategy.turn(case.conversation, case.tools)
    answers = iter(case.answers())
    try:
        said = next(turn)
        while True:
            if isinstance(said, Request):
                asked.append(said)
                answer = next(answers)
                if said.shown:
                    pieces = [answer.text[start : start + PIECE] for start in range(0, len(answer.text), PIECE)]
                    shown += [_shown(turn.send(Delta(piece))) for piece in pieces]
                said = turn.send(answer)
            else:
                shown.append(_shown(said))
                said = next(turn)
    except StopIteration as end:
        assert next(answers, None) is None, "an answer was not asked for"
        return asked, end.value, "".join(shown)


def _shown(said: Any) -> str:
    assert isinstance(said, tuple)
    return "".join(
        event.raw
        for event in said
        if isinstance(event, Text | Reasoning) or (isinstance(event, Rejected) and event.part != "nothing")
    )


def asked_as_text(request: Request) -> str:
    """A request, as the files have it."""
    sampling = request.sampling
    how = [request.purpose, *(["shown"] if request.shown else [])]
    how += [
        f"{name} {value}" for name in ("temperature", "max_tokens") if (value := getattr(sampling, name)) is not None
    ]
    how += [f"alternatives {request.alternatives}"] if request.alternatives else []
    how += [f"stops at {stop}" for stop in sampling.stop]
    lines = [", ".join(how)]
    for message in request.messages:
        assert (message.calls, message.result, message.reasoning) == ((), None, None), "a prompt is plain text"
        lines.append(_indented(message.role, message.text))
    if request.constraint is not None:
        lines.append(_indented("grammar", request.constraint.gbnf or ""))
        if request.constraint.schema is not None:
            lines.append(_indented("schema", json.dumps(request.constraint.schema, ensure_ascii=False)))
    return "\n".join(lines)


def reply_as_text(reply: Reply) -> str:
    """A reply, as the files have it."""
    lines = [f"call: {call.name} {json.dumps(call.arguments, ensure_ascii=False)}" for call in reply.tool_calls]
    lines += [f"rejected: {block.cause}" for block in reply.rejected]
    if reply.reasoning is not None:
        lines.append(_indented("reasoning", reply.reasoning))
    if reply.content is not None:
        lines.append(_indented("content", reply.content))
    return "\n".join(lines)


def _indented(head: str, text: str) -> str:
    indented = f"{head}: {text}".replace("\n", "\n  ")
    return "\n".join(line.rstrip() for line in indented.split("\n"))


def files() -> list[Path]:
    """The files of cases."""
    return sorted((HERE / "cases").glob("*.txt"))


def rewritten(path: Path) -> str:
    """The file with what is asked and replied now."""
    text = path.read_text("utf-8")
    out = [text[: text.index("== ")].rstrip("\n")]
    for case in read(path):
        requests, reply, _ = played(case)
        asked = iter(requests)
        lines = ["", f"== {case.title}", *(f"{key}: {value}" for key, value in case.keys.items())]
        for head, part in case.parts:
            if head.startswith("said"):
                lines += ["--- asked", asked_as_text(next(asked))]
            if head not in ("asked", "reply"):
                lines += [f"--- {head}", part]
        out += [*lines, "--- reply", reply_as_text(reply), "---"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    for path in files():
        path.write_text(rewritten(path), "utf-8")
        sys.stdout.write(f"{path}\n")
