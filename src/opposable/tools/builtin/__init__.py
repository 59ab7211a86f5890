"""The tools that come with the house: plain typed functions, described so that a very small model can use them."""

from pathlib import Path

from opposable.tools.builtin.calculator import calculate
from opposable.tools.builtin.clock import current_time
from opposable.tools.builtin.files import file_tools
from opposable.tools.toolbox import Tool, tool

__all__ = ["builtin_tools", "calculate", "current_time", "file_tools"]


def builtin_tools(workspace: Path) -> dict[str, Tool]:
    """The tools by name, in the order in which they are offered; those for files are bound to `workspace`."""
    tools = (tool(calculate, repeatable=True), tool(current_time, repeatable=True), *file_tools(workspace))
    return {made.spec.name: made for made in tools}
