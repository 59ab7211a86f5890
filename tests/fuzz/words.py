"""Every text that means something to the parser, and pieces of calls. Law: what the table knows is taken from the table."""

from opposable.wire.channels import BEGUN, CONSTRAIN, HEADS, MESSAGE
from opposable.wire.shapes import SHAPES
from opposable.wire.shapes.frames import (
    AFTER_REASONING,
    AUTHOR,
    BEGIN_TOKENS,
    CONTENT,
    END_TOKENS,
    FAKE_RESULTS,
    PHRASES,
    REASONING,
    REASONING_CLOSERS,
    TURN_OPENERS,
)
from opposable.wire.steps import NAME, Id, Maybe, Must, Name, NameBefore

MARKERS: tuple[str, ...] = tuple(filter(None, dict.fromkeys((
    *(text.replace(NAME, "ring_bell") for shape in SHAPES for text in (*shape.openers, *shape.closers)),
    *(text for shape in SHAPES for step in shape.steps if isinstance(step, Maybe | Must | Id) for text in step.texts),
    *(text for shape in SHAPES for step in shape.steps if isinstance(step, Name | NameBefore) for text in step.until),
    *(text for shape in SHAPES if shape.section for text in (*shape.section.openers, *shape.section.closers)),
    *REASONING, *REASONING_CLOSERS, *END_TOKENS, *TURN_OPENERS, *FAKE_RESULTS, *CONTENT, *PHRASES, *HEADS, *BEGUN,
    *(closer for closers in (*CONTENT.values(), *PHRASES.values()) for closer in closers), "assistant", MESSAGE, CONSTRAIN,
    *AFTER_REASONING, *BEGIN_TOKENS, "<|channel|>final<|message|>", "<|start|>assistant to=ring_bell<|message|>", AUTHOR,
    "<|channel|>commentary to=functions.ring_bell json<|message|>", "<|channel|>analysis<|message|>",
))))  # fmt: skip
JSON_PIECES = (
    '{"name": "ring_bell", "arguments": {"times": 1}}', '{"name": "fly_kite", "arguments": {}}', '{"name": "list_ovens"}',
    '[{"name": "ring_bell", "args": {"hard": true}}]', '{"weight": 3}', "{'name': 'ring_bell', 'arguments': {}}",
    '"name"', '"arguments": {', "ring_bell", "ring_bell>", "ring_bell{}", "list_ovens[ARGS]{}", "1.5", "true", "None",
)  # fmt: skip
OTHER_PIECES = (
    "[ring_bell(times=1)]", "ring_bell(times=1)", "list_ovens()", "weigh_crate(crate='a', unit=None)", "print(", "[x",
    "call:list_ovens{}", 'call:weigh_crate{crate:<|"|>a<|"|>}', '<|"|>', "<escape>", "call:", "Action: list_ovens\n",
    'Action: weigh_crate\nAction Input: {"crate": "x"}', "TOOL_NAME: list_ovens\n", "BEGIN_ARG: times\n", "END_ARG\n",
    '{tool => "list_ovens", args => {}}', "=> ", "--crate ", "tool_code\n", "python\n", "tool\n", "(", ")", "=", '"""', "'''",
)  # fmt: skip
TAG_PIECES = (
    "<function=ring_bell>", "<parameter=times>", "</parameter>", "</function>", "<arg_key>times</arg_key>", "<arg_value>",
    "</arg_value>", '<invoke name="ring_bell">', '<parameter name="times">', "</invoke>", "<param>", "<![CDATA[", "]]>",
    "]<]minimax[>[<times>", "]<]minimax[>[</times>", "]<]minimax[>[</invoke>", "<times>", "</times>", "\\n", "2",
)  # fmt: skip
SIGNS = (
    *"{}[]\"'`:,;\\<>|/#*-“”. \t\n\r\u00a0\ufeff\ud83d\0",
    *("```json\n", "\n\n", "</", "//", "/*"),
)
PIECES = (*JSON_PIECES, *TAG_PIECES, *OTHER_PIECES, *SIGNS)
"""What stands between markers."""
