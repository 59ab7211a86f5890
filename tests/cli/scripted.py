"""A program that runs the command line's conversation with a scripted model: python -m tests.cli.scripted PLAN.json.

The plan: `answers` of the model, `face` (screen or json), `always` (tools that run without asking), `workspace`, and
`pause`: seconds before each piece of an answer.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

from opposable.cli.ends import guarded
from opposable.cli.run import in_json, on_screen, tell_in_json
from opposable.cli.screen import Screen
from opposable.clients.scripted import Scripted
from opposable.face import Agent
from opposable.messages import Completion, Delta, Request
from opposable.settings import load


class Slow(Scripted):
    """A scripted client that takes its time."""

    def __init__(self, answers: list[str], pause: float) -> None:
        super().__init__(answers, size=8)
        self._pause = pause

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        async for piece in super().stream(request):
            await asyncio.sleep(self._pause)
            yield piece


def doze(seconds: float) -> str:
    """Sleep.

    Args:
        seconds: How long.
    """
    time.sleep(seconds)
    return "slept"


def main(plan: dict[str, Any]) -> int:
    screen = Screen()
    settings = replace(load({"workspace": plan["workspace"]}, {}), always_allow=tuple(plan.get("always", ())))
    tools = ("calculate", "file_read", "file_write", doze)
    client = Slow(plan["answers"], plan.get("pause", 0))
    json_lines = plan.get("face") == "json"

    def work() -> int:
        agent = Agent(client, tools=tools, strategy="prompted/hermes", settings=settings)
        if json_lines:
            in_json(agent, client, "Please.", screen)
        else:
            on_screen(agent, client, "Please.", screen, settings.workspace)
        return 0

    return guarded(work, tell_in_json) if json_lines else guarded(work)


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text("utf-8"))))
