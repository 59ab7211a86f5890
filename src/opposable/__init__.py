"""Opposable: tools for models that were never taught to use them.

    import opposable

    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    print(opposable.Agent(tools=[add]).run_sync("What is 2 + 3?").answer)

Importing this does nothing; each name is loaded when it is first used. `parse`, `StreamParser`, `collect`, `render` and
`call_grammar` load the parser alone, which needs nothing but the standard library; a function as tool loads the maker of
schemas besides. The events of a `StreamParser` are in `opposable.wire`.
"""

__version__ = "0.1.0"

_WHERE = {
    "Agent": "face",
    "ApprovalAsked": "events",
    "ApprovalGiven": "events",
    "CannotCarry": "errors",
    "Event": "events",
    "Message": "messages",
    "OpposableError": "errors",
    "Reply": "wire",
    "Result": "face",
    "Sampling": "messages",
    "Scripted": "clients.scripted",
    "Stop": "errors",
    "StreamParser": "reading",
    "Tool": "tools.toolbox",
    "ToolCall": "messages",
    "ToolSpec": "messages",
    "TryAgain": "errors",
    "call_grammar": "reading",
    "collect": "wire",
    "parse": "reading",
    "render": "reading",
    "tool": "tools.toolbox",
}

__all__ = [
    "Agent",
    "ApprovalAsked",
    "ApprovalGiven",
    "CannotCarry",
    "Event",
    "Message",
    "OpposableError",
    "Reply",
    "Result",
    "Sampling",
    "Scripted",
    "Stop",
    "StreamParser",
    "Tool",
    "ToolCall",
    "ToolSpec",
    "TryAgain",
    "call_grammar",
    "collect",
    "parse",
    "render",
    "tool",
]


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'opposable' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"opposable.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
