"""Shapes that say the name before the JSON, which is the arguments alone. Law: a row says where both stand."""

from itertools import product

from opposable.wire.bodies.json import Arguments, NamedObjects, Object
from opposable.wire.shapes.shape import Section, Shape
from opposable.wire.steps import Close, Id, Mark, Maybe, Must, Name, NameBefore, NamedId, Space


def _deepseek(*words: str) -> tuple[str, ...]:
    """A marker of DeepSeek's in the ways in which it is spelled."""
    return tuple(
        bar[0] + joint.join(words) + bar[1]
        for joint, bar in product(("▁", "_", "\\_", " "), (("<｜", "｜>"), ("<|", "|>")))
    )


_DEEPSEEK = Section(_deepseek("tool", "calls", "begin"), _deepseek("tool", "calls", "end"))
_CALL = Mark(_deepseek("tool", "call", "begin"))
_STEP = ("<steptml:",)
"""Step-3 writes tags behind the same markers."""
_SEPARATOR = _deepseek("tool", "sep")
_CALL_END = Close(_deepseek("tool", "call", "end"))


def _plamo(part: str) -> str:
    return f"<|plamo:{part}:plamo|>"


NAMED: tuple[Shape, ...] = (
    Shape(
        "mistral-args",
        "Mistral from tokenizer v11 on: Small 3.2, Devstral, Magistral, Ministral 3",
        (
            Mark(("[TOOL_CALLS]",)),
            Space(),
            Name(),
            Id(("[CALL_ID]",)),
            Space(),
            Maybe(("[ARGS]",)),
            Space(),
            Arguments(),
        ),
        access="read-write",
        between="",
    ),
    Shape(
        "function-tag",
        "Functionary 3.1, Llama 3.1 with custom tools",
        (Mark(("<function=",)), Name(until=(">",)), Space(), Arguments(), Close(("</function>",))),
        access="read-write",
    ),
    Shape(
        "functionary",
        "Functionary 3.2",
        (Mark((">>>",)), Name(), Space("\n"), Object()),
        place="line",
        access="read-write",
    ),
    Shape(
        "deepseek-v3",
        "DeepSeek V3 and R1 and what was distilled from it, Cogito",
        (
            _CALL,
            Space(),
            Must(("function",)),
            Must(_SEPARATOR),
            Name(),
            Space("\n"),
            Arguments(fence="```json", others=_STEP),
            _CALL_END,
        ),
        section=_DEEPSEEK,
        access="read-write",
    ),
    Shape(
        "deepseek-v31",
        "DeepSeek V3.1",
        (_CALL, Space(), NameBefore(_SEPARATOR), Space(), Object(others=_STEP), _CALL_END),
        section=_DEEPSEEK,
        access="read-write",
        between="",
    ),
    Shape(
        "kimi",
        "Kimi K2",
        (
            Mark(("<|tool_call_begin|>",)),
            Space(),
            NamedId(("<|tool_call_argument_begin|>",)),
            Space(),
            Arguments(openers=("functions.{name}:",)),
            Close(("<|tool_call_end|>",)),
        ),
        section=Section(
            ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
            ("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
        ),
        access="read-write",
        between="",
    ),
    Shape(
        "plamo",
        "PLaMo 3",
        (
            Mark((_plamo("begin_tool_request"),)),
            Space(),
            Must((_plamo("begin_tool_name"),)),
            Name(),
            Must((_plamo("end_tool_name"),)),
            Space(),
            Maybe((_plamo("begin_tool_arguments"),)),
            Maybe(("<|plamo:constrain|>json",)),
            Maybe(("<|plamo:msg|>",)),
            Space(),
            Arguments(),
            Space(),
            Maybe((_plamo("end_tool_arguments"),)),
            Space(),
            Close((_plamo("end_tool_request"), _plamo("end_tool_arguments"))),
        ),
        section=Section((_plamo("begin_tool_requests"),), (_plamo("end_tool_requests"),)),
        access="read-write",
        between="",
    ),
    Shape(
        "tool-fence",
        "prompted models",
        (Mark(("```tool:",)), Name(), Space("\n"), Object(), Space("\n"), Close(("```",))),
        place="line",
    ),
    Shape(
        "name-json",
        "models that lost their markers, and prompted ones",
        (Mark(("{name}", "- {name}", "* {name}")), NamedObjects()),
        place="end",
        access="read-write",
    ),
)
