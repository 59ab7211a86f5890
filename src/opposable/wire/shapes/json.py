"""Shapes whose body is JSON. Law: a row says where the JSON stands, never what model wrote it."""

from opposable.wire.bodies import BRACKETS, Arguments, BareCalls, CallList, Calls
from opposable.wire.shapes.shape import Section, Shape
from opposable.wire.steps import Close, Id, Label, Mark, Maybe, Name, NamedId, Space

TAG_CLOSERS = ("</tool_call>", "</function_call>", "</tools>", "</tool_calls>")

JSON: tuple[Shape, ...] = (
    Shape(
        "hermes",
        "Hermes, Qwen 2.5 and 3, QwQ, SmolLM3, Granite 3 and 4, Jamba and most prompted models",
        (
            Mark(("<tool_call>", "<function_call>", "<tools>", "<tool_calls>")),
            Space("\n"),
            Calls(),
            Space("\n"),
            Close(TAG_CLOSERS),
        ),
        access="read-write",
    ),
    Shape(
        "mistral-list",
        "Mistral up to tokenizer v10: 7B v0.3, Nemo, Small 2409",
        (Mark(("[TOOL_CALLS]",)), Space(" "), CallList(), Close(("", "[/TOOL_CALLS]"))),
        access="read-write",
    ),
    Shape(
        "mistral-args",
        "Mistral from tokenizer v11 on: Small 3.2, Devstral, Magistral, Ministral 3",
        (Mark(("[TOOL_CALLS]",)), Space(), Name(), Id(("[CALL_ID]",)), Maybe(("[ARGS]",)), Space(), Arguments()),
    ),
    Shape(
        "function-tag",
        "Functionary 3.1, Llama 3.1 with custom tools",
        (Mark(("<function=",)), Name(until=(">",)), Space(), Arguments(), Close(("</function>",))),
        access="read-write",
    ),
    Shape(
        "kimi",
        "Kimi K2",
        (
            Mark(("<|tool_call_begin|>",)),
            Space(),
            NamedId(("<|tool_call_argument_begin|>",)),
            Space(),
            Arguments(),
            Space(),
            Close(("<|tool_call_end|>",)),
        ),
        section=Section(
            ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
            ("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
        ),
    ),
    Shape(
        "fenced",
        "xLAM and many small or prompted models",
        (Mark(("```",)), Label("json"), Space("\n"), BareCalls(), Space("\n"), Close(("```",))),
        place="line",
        access="read-write",
    ),
    Shape(
        "bare",
        "Llama 3.1 to 3.3, models forced to JSON, small models",
        (BareCalls(openers=BRACKETS),),
        place="end",
        access="read-write",
    ),
)
