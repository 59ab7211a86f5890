"""A run as a person sees it, event by event. Law: the same words in the same order, on a terminal and in a pipe."""

import time

from opposable.cli.screen import Screen
from opposable.cli.text import PREVIEW, arguments, block, clean, count, one_line, sentence
from opposable.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallReady,
    CallStarted,
    Event,
    ReasoningDelta,
    RunEnded,
    RunStarted,
    TextDelta,
    TurnEnded,
)  # fmt: skip
from opposable.messages import ToolCall, Usage

# Colour is for states alone.
DONE, WAITS, BAD, QUIET = "green", "yellow", "red", "dim"

_RESULT_LINES = 8


class Show:
    """Shows the events of a run on a screen; the person's waiting begins now."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._began = time.monotonic()
        self._model = ""
        self._shown = ""
        self._reasoning = ""
        self._calls: dict[str, ToolCall] = {}
        self._ready: set[str] = set()
        self._refused = False
        self._unfolded = False

    def event(self, event: Event) -> None:
        """Show what happened."""
        match event:
            case RunStarted():
                self._start(event)
            case TextDelta():
                self._shown += event.text
                self._screen.flow(event.text)
            case ReasoningDelta():
                self._reason(event.text)
            case TurnEnded():
                self._turn(event)
            case CallReady():
                self._ready.add(event.call.id)
                self._call(event.call)
            case ApprovalAsked():
                # Whoever asks shows the text itself.
                self._arguments(event.call, 0)
            case ApprovalGiven():
                self._refused = event.verdict == "refuse"
            case CallStarted():
                self._arguments(event.call)
                self._screen.wait(f"{event.call.name} is running")
            case CallEnded():
                self._result(event)
            case RunEnded():
                self._end(event)

    def _start(self, event: RunStarted) -> None:
        self._model = event.model
        self._screen.line((f"{event.model} · {event.strategy}", QUIET))
        for note in event.notes:
            self._screen.line((f"note: {note}", QUIET))
        self._screen.wait(f"waiting for {self._model}")

    def _reason(self, text: str) -> None:
        self._reasoning += text
        if self._screen.live:
            self._screen.flow(text, QUIET)

    def _turn(self, event: TurnEnded) -> None:
        screen = self._screen
        screen.end()
        # Nobody follows reasoning through a pipe: one line says that there was some.
        if event.reasoning and not (screen.live and self._reasoning.strip()):
            folded = one_line(event.reasoning, 72)
            screen.line((f"(reasoning, {count(len(event.reasoning), 'character')}) {folded}", QUIET))
        # Some strategies show nothing as it comes.
        if event.text and not self._shown.strip():
            self._shown = event.text
            screen.flow(event.text)
            screen.end()
        if event.cut:
            screen.line((f"cut off after {count(event.usage.completion_tokens, 'token')}", BAD))
        self._reasoning = ""
        self._calls = {call.id: call for call in event.calls}

    def _call(self, call: ToolCall) -> None:
        self._shown = ""
        self._unfolded = False
        self._screen.line(f"› {sentence(call)}")

    def _arguments(self, call: ToolCall, preview: int = PREVIEW) -> None:
        if not self._unfolded:
            self._unfolded = True
            for line in arguments(call.arguments, self._screen.width - 2, preview):
                self._screen.line((f"  {line}", QUIET))

    def _result(self, event: CallEnded) -> None:
        result = event.result
        if result.call_id not in self._ready:
            # What could not be settled is shown as the model wrote it.
            call = self._calls.get(result.call_id, ToolCall(result.call_id, result.name, {}))
            self._call(call)
            self._arguments(call)
        lines = block(result.text, lines=_RESULT_LINES, width=self._screen.width - 2)
        state, style = ("done", DONE) if not result.failed else ("failed", BAD)
        if result.failed and self._refused:
            state, style = "refused", BAD
        took = f" in {seconds(event.seconds)}" if event.seconds >= 0.05 and not self._refused else ""
        self._refused = False
        head: list[str | tuple[str, str]] = ["  ", (state, style), took]
        if len(lines) == 1:
            self._screen.line(*head, f" · {lines[0]}" if lines[0] else "")
        else:
            self._screen.line(*head)
            for line in lines:
                self._screen.line(f"  {line}")
        self._screen.wait(f"waiting for {self._model}")

    def _end(self, event: RunEnded) -> None:
        screen = self._screen
        screen.quiet()
        if event.answer.strip() and clean(event.answer).strip() != clean(self._shown).strip():
            screen.flow(event.answer)
            screen.end()
        screen.line((f"{seconds(time.monotonic() - self._began)} · {tokens(event.usage)}", QUIET))


def seconds(number: float) -> str:
    """A time as a person says it."""
    return f"{number:.1f} s" if number < 60 else f"{number // 60:.0f} min {number % 60:.0f} s"


def tokens(usage: Usage) -> str:
    """What an answer cost."""
    return f"{usage.prompt_tokens:,} tokens read, {usage.completion_tokens:,} written"
