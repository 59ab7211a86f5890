"""Shapes whose calls are tags with values of text. Law: a row says what the tags are called, never what model wrote them."""

from opposable.wire.bodies.json import Calls
from opposable.wire.bodies.tags import Tags
from opposable.wire.shapes.shape import Section, Shape
from opposable.wire.steps import Close, Mark, Maybe, Must, Name, Space
from opposable.wire.tags.forms import Form, Layout

_CDATA = ("<![CDATA[",)
_FUNCTION = Form(calls=("function",), parameters=("parameter",), outer=("tool_call",))

_PAIRS = Form(keys=("arg_key",), values=("arg_value",), between=("tool_sep",), outer=("tool_call", "tool_calls"))
_LONGCAT = Form(keys=("longcat_arg_key",), values=("longcat_arg_value",), outer=("longcat_tool_call",))
_HORIZON = Form(
    keys=("ifm|arg_key",), values=("ifm|arg_value",), types=("ifm|arg_type",), outer=("ifm|tool_call", "ifm|tool_calls")
)
_INVOKE_OUTER = ("function_calls", "tool_calls", "tool_call", "minimax:tool_call", "dots_function_call")
_INVOKE = Form(calls=("invoke",), parameters=("parameter", "param"), outer=_INVOKE_OUTER)
_ATEM = Form(calls=("atem:invoke",), parameters=("atem:parameter",), outer=("atem:function_calls",), mark="json")
_DSML = Form(
    brackets=(("<｜DSML｜", "</｜DSML｜", ">"), ("<|DSML|", "</|DSML|", ">")),
    calls=("invoke",),
    parameters=("parameter",),
    outer=("function_calls", "tool_calls", "toolcalls", "tool", "calls"),
)
_NS = "]<]minimax[>["
_M3 = Form(brackets=((f"{_NS}<", f"{_NS}</", ">"),), calls=("invoke",), outer=("tool_call",), items=("item",))
_MINICPM = Form(
    calls=("function", "functionname"),
    parameters=("param", "paramname", "parameter"),
    outer=("tool_call",),
    cdata=_CDATA,
)
_K3 = Form(
    brackets=(("<|open|>", "<|close|>", "<|sep|>"),),
    calls=("call",),
    parameters=("argument",),
    outer=("tools", "message"),
)
_TOOLIFY = Form(whole=("args_json",), between=("args",), outer=("function_call", "function_calls"), cdata=_CDATA)
_CLINE = Form(cdata=_CDATA)

_QWEN = Layout(("<function={name}>\n", "</function>"), ("<parameter={key}>", "</parameter>\n"), "lines")
_SEED = Layout(("<function={name}>\n", "</function>"), ("<parameter={key}>", "</parameter>\n"))
_GLM = Layout(("{name}", ""), ("\n<arg_key>{key}</arg_key>\n<arg_value>", "</arg_value>"))
_MINIMAX = Layout(('<invoke name="{name}">\n', "</invoke>"), ('<parameter name="{key}">', "</parameter>\n"))
_DEEPSEEK = Layout(
    ('<｜DSML｜invoke name="{name}">\n', "</｜DSML｜invoke>"),
    ('<｜DSML｜parameter name="{key}" string="{string}">', "</｜DSML｜parameter>\n"),
)
_OPENBMB = Layout(('<function name="{name}">', "</function>"), ('<param name="{key}">', "</param>"))
_KIMI = Layout(
    ('<|open|>call tool="{name}" index="{index}"<|sep|>', "<|close|>call<|sep|>"),
    ('<|open|>argument key="{key}" type="{type}"<|sep|>', "<|close|>argument<|sep|>"),
)


def _spelled(*texts: str) -> tuple[str, ...]:
    """Markers of DSML in its two spellings."""
    return tuple(text.replace("DSML", bars) for bars in ("｜DSML｜", "|DSML|") for text in texts)


XML: tuple[Shape, ...] = (
    Shape(
        "qwen-xml",
        "Qwen3-Coder, Qwen 3.5, Step 3.5, Nemotron 3, MiMo v2",
        (
            Mark(("<tool_call>",)),
            Space("\n"),
            Tags(_FUNCTION, "many", ("<function=",), _QWEN),
            Space("\n"),
            Close(("</tool_call>",)),
        ),
        access="read-write",
    ),
    Shape(
        "seed",
        "Seed-OSS",
        (
            Mark(("<seed:tool_call>",)),
            Space("\n"),
            Tags(_FUNCTION, "many", layout=_SEED),
            Space("\n"),
            Close(("</seed:tool_call>", "</tool_call>")),
        ),
        access="read-write",
    ),
    Shape(
        "glm",
        "GLM 4.5 to 5, Ling 3, Laguna, Spark 2.5",
        (Mark(("<tool_call>",)), Space(), Tags(_PAIRS, layout=_GLM), Space("\n"), Close(("</tool_call>",))),
        section=Section(("<tool_calls>",), ("</tool_calls>",), written=("", "")),
        access="read-write",
    ),
    Shape(
        "longcat-pairs",
        "LongCat-Flash, in pairs",
        (Mark(("<longcat_tool_call>",)), Space(), Tags(_LONGCAT), Space("\n"), Close(("</longcat_tool_call>",))),
    ),
    Shape(
        "k2-horizon",
        "K2 Horizon",
        (Mark(("<ifm|tool_call>",)), Space(), Tags(_HORIZON), Space(), Close(("</ifm|tool_call>",))),
        section=Section(("<ifm|tool_calls>",), ("</ifm|tool_calls>",)),
    ),
    Shape(
        "dots",
        "dots and K2 Horizon, where they write JSON",
        (
            Mark(("<dots_function_call>", "<ifm|tool_call>")),
            Space(),
            Calls(),
            Space(),
            Close(("</dots_function_call>", "</ifm|tool_call>")),
        ),
    ),
    Shape(
        "step",
        "Step-3",
        (
            Mark(("<｜tool_call_begin｜>",)),
            Maybe(("function",)),
            Maybe(("<｜tool_sep｜>",)),
            Space(),
            Tags(_INVOKE, "one", ("<steptml:invoke ",)),
            Space(),
            Close(("<｜tool_call_end｜>",)),
        ),
        section=Section(("<｜tool_calls_begin｜>",), ("<｜tool_calls_end｜>",)),
    ),
    Shape(
        "invoke",
        "Claude's way and its kin: MiniMax M2, dots, prompted models",
        (Tags(_INVOKE, "one", ("<invoke ",), _MINIMAX), Close(("",))),
        section=Section(
            ("<function_calls>", "<minimax:tool_call>", "<dots_function_call>"),
            ("</function_calls>", "</minimax:tool_call>", "</dots_function_call>"),
            written=("<minimax:tool_call>\n", "\n</minimax:tool_call>"),
        ),
        access="read-write",
    ),
    Shape(
        "atem",
        "Muse, Glimmer",
        (Tags(_ATEM, "one", ("<atem:invoke ",)), Close(("",))),
        place="frame",
        section=Section(("<atem:function_calls>",), ("</atem:function_calls>",)),
    ),
    Shape(
        "dsml",
        "DeepSeek V3.2 and V4",
        (Tags(_DSML, "one", _spelled("<DSMLinvoke ", "<DSML invoke "), _DEEPSEEK), Close(("",))),
        section=Section(
            _spelled("<DSMLfunction_calls>", "<DSMLtool_calls>", "<DSMLtoolcalls>", "<DSMLtool>", "<DSML calls>"),
            _spelled("</DSMLfunction_calls>", "</DSMLtool_calls>", "</DSMLtoolcalls>", "</DSMLtool>", "</DSML calls>"),
            written=("<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>"),
        ),
        access="read-write",
    ),
    Shape(
        "minimax-m3",
        "MiniMax M3",
        (Tags(_M3, "one", (f"{_NS}<invoke ",)), Close(("",))),
        section=Section((f"{_NS}<tool_call>",), (f"{_NS}</tool_call>",)),
    ),
    Shape(
        "minicpm",
        "MiniCPM 5; models that write a function tag with a name",
        (Tags(_MINICPM, "one", ("<function name=", "<functionname=", "<functionĠname="), _OPENBMB), Close(("",))),
        access="read-write",
    ),
    Shape(
        "kimi-k3",
        "Kimi K3",
        (Tags(_K3, "one", ("<|open|>call ",), _KIMI), Close(("",))),
        section=Section(("<|open|>tools<|sep|>",), ("<|close|>tools<|sep|>",)),
        access="read-write",
        between="",
    ),
    Shape(
        "toolify",
        "models prompted by Toolify",
        (
            Mark(("<function_call>",)),
            Space("\n"),
            Must(("<tool>",)),
            Name(until=("</tool>",)),
            Space("\n"),
            Tags(_TOOLIFY),
            Space("\n"),
            Close(("</function_call>",)),
        ),
        section=Section(("<function_calls>",), ("</function_calls>",)),
    ),
    Shape(
        "cline",
        "models prompted as Cline and Roo Code do",
        (Mark(("<{name}>",)), Space("\n"), Tags(_CLINE), Space("\n"), Close(("</{name}>",))),
    ),
)
