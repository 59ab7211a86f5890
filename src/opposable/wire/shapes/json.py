"""Shapes whose body is JSON that says names and arguments. Law: a row says where it stands, never what model wrote it."""

from opposable.wire.bodies.json import BRACKETS, BareCalls, CallList, Calls, KeyedCalls
from opposable.wire.shapes.shape import Section, Shape
from opposable.wire.steps import Close, Header, Label, Mark, Maybe, Must, Space

TAG_CLOSERS = ("</tool_call>", "</function_call>", "</tools>", "</tool_calls>")
INVOKE = "<|content_invoke_tool_json|>"
ROLE = "function call<|role_sep|>"

TAGS: tuple[Shape, ...] = (
    Shape(
        "hermes",
        "Hermes, Qwen 2.5 and 3, QwQ, SmolLM3, Granite 4, Ernie 4.5 and most prompted models",
        (Mark(("<tool_call>", "<tools>")), Space("\n"), Calls(), Space("\n"), Close(TAG_CLOSERS)),
        access="read-write",
    ),
    Shape(
        "function-call",
        "Granite 20B, and prompted models that close the tag",
        (
            Mark(("<function_call>",)),
            Space(" "),
            Calls(),
            Close(("", "</function_call>", "</tool_call>", "</tools>", "</tool_calls>")),
        ),
    ),
    Shape(
        "tool-calls",
        "Jamba, Hunyuan A13B, Apriel 1.5 and 1.6",
        (
            Mark(("<tool_calls>",)),
            Space(),
            CallList(),
            Close(("</tool_calls>", "</tool_call>", "</function_call>", "</tools>")),
        ),
        section=Section(("<tool_calls>",), ("</tool_calls>",)),
    ),
    Shape(
        "nemotron",
        "Nemotron Nano 2",
        (Mark(("<TOOLCALL>",)), Space(), CallList(), Close(("</TOOLCALL>",))),
        access="read-write",
    ),
    Shape(
        "longcat",
        "LongCat Flash",
        (Mark(("<longcat_tool_call>",)), Space(), Calls(), Close(("</longcat_tool_call>",))),
        access="read-write",
    ),
    Shape(
        "tool-tag",
        "prompted models",
        (Mark(("<tool>",)), Space(), Calls(), Close(("</tool>",))),
    ),
    Shape(
        "response-tools",
        "prompted models",
        (
            Mark(("<response>",)),
            Space(),
            Must(("<tools>",)),
            Space(),
            Calls(),
            Space(),
            Maybe(("</tools>",)),
            Space(),
            Close(("</response>", "</tools>")),
        ),
    ),
    Shape(
        "json-tag",
        "prompted models",
        (Mark(("<json>",)), Space(), BareCalls(), Close(("</json>",))),
    ),
)

MARKERS: tuple[Shape, ...] = (
    Shape(
        "mistral-list",
        "Mistral up to tokenizer v10: 7B v0.3, Nemo, Small 2409",
        (Mark(("[TOOL_CALLS]",)), Space(" "), CallList(), Close(("", "[/TOOL_CALLS]"))),
        access="read-write",
    ),
    Shape(
        "granite",
        "Granite 3, Phi 4 mini",
        (Mark(("<|tool_call|>",)), Space(), CallList(), Close(("", "<|/tool_call|>"))),
        access="read-write",
    ),
    Shape(
        "phi",
        "Phi where its template says so",
        (Mark(("<|tool_calls|>",)), Space(), CallList(), Close(("", "<|/tool_calls|>"))),
    ),
    Shape(
        "python-tag",
        "Llama 3.1 to 3.3, Llama 4",
        (Mark(("<|python_tag|>", "<|python_start|>")), Space(), BareCalls(), Close(("", "<|python_end|>"))),
    ),
    Shape(
        "functools",
        "Phi 4 mini, Firefunction 2",
        (Mark(("functools",)), BareCalls()),
    ),
    Shape(
        "internlm",
        "InternLM 2 and 2.5",
        (
            Mark(("<|action_start|>",)),
            Space(),
            Maybe(("<|plugin|>",)),
            Space("\n"),
            Calls(),
            Close(("<|action_end|>",)),
        ),
    ),
    Shape(
        "cohere",
        "Command R7B, Command A",
        (Mark(("<|START_ACTION|>",)), Space(), CallList(), Close(("<|END_ACTION|>",))),
    ),
    Shape(
        "gigachat",
        "GigaChat 3 and 3.1",
        (
            Mark(("<|function_call|>", f"<|message_sep|>\n\n{ROLE}", f"<|message_sep|>\n{ROLE}", ROLE)),
            Space(),
            Calls(),
        ),
        access="read-write",
    ),
    Shape(
        "apertus",
        "Apertus",
        (Mark(("<|tools_prefix|>",)), Space(), KeyedCalls(), Close(("<|tools_suffix|>",))),
        access="read-write",
    ),
    Shape(
        "inkling",
        "Inkling",
        (
            Mark(("<|message_model|>",)),
            Header(INVOKE),
            Space(),
            Calls(openers=(INVOKE, "{name}" + INVOKE)),
            Close(("<|end_message|>",)),
        ),
        access="read-write",
        between="",
    ),
    Shape(
        "lm-studio",
        "models that were taught no calls, in LM Studio",
        (Mark(("[TOOL_REQUEST]",)), Space(), Calls(), Close(("[END_TOOL_REQUEST]", "[/TOOL_REQUEST]"))),
    ),
    Shape(
        "command-r-plus",
        "Command R+",
        (
            Mark(("Action:",)),
            Space("\n"),
            Maybe(("```json", "```JSON", "```")),
            Space("\n"),
            BareCalls(),
            Space("\n"),
            Close(("```",)),
        ),
        place="line",
    ),
)

UNMARKED: tuple[Shape, ...] = (
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

JSON: tuple[Shape, ...] = (*TAGS, *MARKERS, *UNMARKED)
