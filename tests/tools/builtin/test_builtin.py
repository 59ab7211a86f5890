import asyncio
from pathlib import Path

from opposable.messages import ToolCall
from opposable.tools.builtin import builtin_tools
from opposable.tools.toolbox import Toolbox


def test_the_tools_in_their_order(tmp_path: Path) -> None:
    tools = builtin_tools(tmp_path)
    assert list(tools) == ["calculate", "current_time", "file_read", "file_write"]
    for name, made in tools.items():
        assert made.spec.name == name
        assert len(made.spec.description) < 120
        for parameter in made.spec.parameters["properties"].values():
            assert "such as" in parameter["description"]


def test_they_run_in_a_toolbox(tmp_path: Path) -> None:
    box = Toolbox(builtin_tools(tmp_path).values())

    async def run() -> list[str]:
        calls = [
            ToolCall("1", "calculate", {"expression": "17 * 23"}),
            ToolCall("2", "calculate", {"expression": 5}),
            ToolCall("3", "file_write", {"path": "notes/x.txt", "content": "hi"}),
            ToolCall("4", "file_read", {"path": "notes/x.txt"}),
            ToolCall("5", "file_read", {"path": "../x"}),
        ]
        return [(await box.run(box.settle(call))).text for call in calls]

    texts = asyncio.run(run())
    assert texts[:4] == ["391", "5", "wrote 1 line (2 bytes) to notes/x.txt", "hi"]
    assert ".. leads out of the workspace" in texts[4]
