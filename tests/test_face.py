"""The face: what an agent is given, and what a run came to."""

import asyncio
from pathlib import Path

import pytest

from opposable.clients.scripted import Scripted
from opposable.face import Agent
from opposable.messages import Completion, Usage
from opposable.settings import load

WRITE = '<tool_call>{"name": "file_write", "arguments": {"path": "a.txt", "content": "x"}}</tool_call>'


@pytest.mark.parametrize("with_settings", [False, True])
def test_a_workspace_may_be_in_the_home_folder(
    with_settings: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    client = Scripted([WRITE, "Done."])
    settings = load({}, {}) if with_settings else None
    agent = Agent(client, tools=["file_write"], approve=lambda _: True, workspace="~/files", strategy="prompted",
                  settings=settings)  # fmt: skip
    agent.run_sync("Write.")
    assert (tmp_path / "files" / "a.txt").read_text() == "x"


def test_a_run_that_paused_costs_what_both_parts_cost(tmp_path: Path) -> None:
    async def run() -> None:
        client = Scripted([Completion(WRITE, usage=Usage(10, 0, 5)), Completion("Done.", usage=Usage(20, 0, 2))])
        agent = Agent(client, tools=["file_write"], workspace=tmp_path, strategy="prompted")
        paused = await agent.run("Write.")
        assert (paused.status, paused.usage) == ("waiting", Usage(10, 0, 5))
        done = await agent.resume(paused, {paused.waiting[0].key: True})
        assert (done.status, done.answer, done.usage) == ("done", "Done.", Usage(30, 0, 7))

    asyncio.run(run())
