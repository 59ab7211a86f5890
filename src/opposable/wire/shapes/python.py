"""Shapes whose body is Python, or Gemma's writing. Law: a row says where the calls stand, never what model wrote them."""

from opposable.wire.bodies.gemma import GemmaCalls
from opposable.wire.bodies.json import Calls
from opposable.wire.bodies.python import BarePython, Keywords, PythonCalls, PythonLines, PythonList
from opposable.wire.shapes.shape import Shape
from opposable.wire.steps import NAME, Close, Mark, Maybe, Must, Space

TAGGED_PYTHON: tuple[Shape, ...] = (
    Shape(
        "lfm",
        "LFM2 and LFM2.5; JSON too",
        (
            Mark(("<|tool_call_start|>",)),
            Space(),
            PythonList(json=Calls()),
            Space(),
            Close(("<|tool_call_end|>",)),
        ),
        access="read-write",
    ),
    Shape(
        "olmo",
        "OLMo 3",
        (
            Mark(("<function_calls>",)),
            Space(),
            PythonLines(json=Calls()),
            Space(),
            Close(("</function_calls>",)),
        ),
        access="read-write",
    ),
    Shape(
        "python-start",
        "Llama 4; Llama 3 with built-in tools",
        (
            Mark(("<|python_start|>", "<|python_tag|>")),
            Space(),
            PythonCalls(),
            Space(),
            Close(("", "<|python_end|>")),
        ),
    ),
    Shape(
        "function-gemma",
        "FunctionGemma",
        (Mark(("<start_function_call>",)), Space(), GemmaCalls("<escape>"), Space(), Close(("<end_function_call>",))),
        access="read-write",
        between="",
    ),
    Shape(
        "gemma",
        "Gemma 4",
        (Mark(("<|tool_call>",)), Space(), GemmaCalls(), Space(), Close(("<tool_call|>",))),
        access="read-write",
        between="",
    ),
)
"""Those whose markers say that calls come."""

BARE_PYTHON: tuple[Shape, ...] = (
    Shape(
        "tool-code",
        "Gemma 2 and 3, Granite, prompted",
        (Mark(("```",)), Must(("tool_code",)), Space("\n"), PythonCalls(), Space("\n"), Close(("```",))),
        place="line",
    ),
    Shape(
        "python-fence",
        "models prompted to write code",
        (Mark(("```",)), Must(("python", "py")), Space("\n"), PythonCalls(), Space("\n"), Close(("```",))),
        place="whole",
    ),
    Shape(
        "calling-tool",
        "prompted models",
        (Mark(("[Calling tool:",)), Space(" "), PythonCalls(), Maybe(("]",))),
        place="line",
    ),
    Shape(
        "gemma-bare",
        "Gemma 4 and FunctionGemma without their tokens",
        (Mark(("call:",)), GemmaCalls()),
        place="end",
    ),
    Shape(
        "call-expression",
        "small models",
        (Mark((f"{NAME}(",)), Keywords()),
        place="whole",
    ),
    Shape(
        "pythonic",
        "Llama 3.2 and 4, ToolACE, Gemma 3 prompted; with one object of JSON in each call too",
        (BarePython(),),
        place="end",
        access="read-write",
    ),
)
"""Those that are told by their place."""
