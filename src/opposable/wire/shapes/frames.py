"""What stands around calls: frames of reasoning and content, tokens that end a turn, made-up results. Law: fixed texts only."""

from dataclasses import dataclass
from typing import Literal

from opposable.wire.channels import GLUED


@dataclass(frozen=True, slots=True)
class Frame:
    """A part of a reply between markers, which are taken off.

    `closers` end it, those of `line` at the beginning of a line. `last` end it too, where the reply ends or one of `stops`
    follows. `stops` end it and belong to what follows. `holds`: what else counts in it: blocks, blocks that count in
    such frames only, or nothing.
    """

    part: Literal["reasoning", "content"]
    closers: tuple[str, ...]
    line: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    holds: Literal["blocks", "framed", "nothing"] = "blocks"

    @property
    def ends(self) -> tuple[str, ...]:
        """All that may end it."""
        return (*self.closers, *self.line, *self.last, *self.stops)


REASONING: dict[str, tuple[str, ...]] = {
    "<think>": ("</think>",),
    "<thinking>": ("</thinking>",),
    "<thought>": ("</thought>",),
    "<reasoning>": ("</reasoning>",),
    "<seed:think>": ("</seed:think>",),
    "<mm:think>": ("</mm:think>",),
    "[THINK]": ("[/THINK]",),
    "◁think▷": ("◁/think▷",),
    "<|START_THINKING|>": ("<|END_THINKING|>",),
    "<|inner_prefix|>": ("<|inner_suffix|>",),
    "<|channel>": ("<channel|>",),
    "<|open|>think<|sep|>": ("<|close|>think<|sep|>",),
    "<|plamo:begin_think:plamo|>": ("<|plamo:end_think:plamo|>",),
    "<|content_thinking|>": ("<|end_message|>", "<|content_model_end_sampling|>"),
}
"""Openers of reasoning, which count at the beginning of a line, and their closers."""

_ENDS_A_MESSAGE = ("<|end_message|>", "<|content_model_end_sampling|>", "<|end|>")
FINAL = "[BEGIN FINAL RESPONSE]"

REASONING_CLOSERS: tuple[str, ...] = tuple(
    closer for closers in REASONING.values() for closer in closers if closer not in _ENDS_A_MESSAGE
)
"""Closers that say, where nothing had opened the reasoning, that all before them was reasoning."""

LINE_CLOSERS: tuple[str, ...] = (FINAL,)
"""The same, at the beginning of a line only."""

BEGUN = Frame("reasoning", (*REASONING_CLOSERS, *_ENDS_A_MESSAGE), line=LINE_CLOSERS)
"""Reasoning that the template opened, with a marker that is not in the reply."""

LABELS: dict[str, str] = {"<|channel>": "thought"}
"""A word between an opener of reasoning and its text, which belongs to the opener."""

NOISE: tuple[str, ...] = (
    "\ufeff",
    "<bos>",
    "<|CHATBOT_TOKEN|>",
    "<eos>",
    "<|begin_of_text|>",
    "<｜begin▁of▁sentence｜>",
)
"""Tokens that say nothing at the beginning of a reply."""

ANSWER = "assistantfinal"

PHRASES: dict[str, tuple[str, ...]] = {
    "Here is my thought process:": ("Here is my response:", "Here's my response:"),
    "Here's my thought process:": ("Here is my response:", "Here's my response:"),
    "Here are my reasoning steps:": (FINAL,),
    "thought\n": ("<channel|>",),
    "analysis": (ANSWER, GLUED),
}
"""Words that open reasoning at the beginning of a reply if one of theirs ends it; without that they are text."""

CONTENT: dict[str, tuple[str, ...]] = {
    "<|START_RESPONSE|>": ("<|END_RESPONSE|>",),
    "<|START_TEXT|>": ("<|END_TEXT|>",),
    "<|open|>response<|sep|>": ("<|close|>response<|sep|>",),
    "<|content_text|>": ("<|end_message|>",),
    "<|content_tool_error|>": ("<|end_message|>",),
    "<|content_invoke_tool_text|>": ("<|end_message|>",),
    FINAL: ("[END FINAL RESPONSE]",),
}
"""Openers of content, which count at the beginning of a line, and their closers."""

AUTHOR = "<|message_model|>"
"""What begins a message whose kind is told by the marker after a name."""

AFTER_REASONING: dict[str, tuple[str, ...]] = {"<response>": ("</response>",)}
"""Openers of content that count right after reasoning only."""

_MESSAGE = ("<|end|>", "<|return|>")
_ADDRESSED = ("<|eom|>", "<|eot|>")
MESSAGES: dict[str, Frame] = {
    "reasoning": Frame("reasoning", _MESSAGE, last=("<|call|>",), stops=("<|start|>",)),
    "content": Frame("content", _MESSAGE, last=("<|call|>",), stops=("<|start|>",), holds="nothing"),
}
"""Messages of Harmony, by what they are."""
PLAIN = Frame("content", (*_MESSAGE, *_ADDRESSED), last=("<|call|>",), stops=("<|start|>",), holds="nothing")
"""A message whose header says nothing."""
ADDRESSED: dict[str, Frame] = {
    "reasoning": Frame("reasoning", _ADDRESSED, holds="nothing"),
    "content": Frame("content", _ADDRESSED, holds="nothing"),
    "frame": Frame("content", _ADDRESSED, holds="framed"),
}
"""Messages with an address and no channel, by what they are."""

BEGIN_TOKENS: tuple[str, ...] = ("<bos>", "<eos>", "<s>", "<|begin_of_text|>", "<｜begin▁of▁sentence｜>")
"""Tokens that begin a text, and one that ends it: between a marker and what it marks they mean nothing."""

END_TOKENS: tuple[str, ...] = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|call|>", "<|return|>", "<|endoftext|>", "<|end_of_text|>",
    "<|end_of_turn|>", "<end_of_turn>", "</s>", "<eos>", "<|eos|>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>",
    "<turn|>", "<|eom|>", "<|eot|>", "<|close|>message<|sep|>", "<|end_of_msg|>", "<|content_model_end_sampling|>",
    "<|END_RESPONSE|>", "<|END_TEXT|>", "<|close|>response<|sep|>", "<|end_message|>", "[END FINAL RESPONSE]",
    "<|message_sep|>", "[EOS]", "[e~[", "<|role_end|>", "<seed:eos>", "<|assistant_end|>", "[|endofturn|]", "<|EOT|>",
)  # fmt: skip
"""Tokens that end a turn. At the end of a reply they are no content."""

HANDOVERS: tuple[str, ...] = ("<|observation|>", "<|user|>", "<|im_system|>", "<|im_user|>")
"""Tokens that open the turn of another, and so end this one: at the end of a reply, or right after a part of it."""

TURN_OPENERS: tuple[str, ...] = (
    *HANDOVERS,
    "<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|start_of_role|>", "<|start_of_turn|>", "[INST]",
    "<｜User｜>", "<|START_OF_TURN_TOKEN|>", "<|turn>", "<|message_user|>", "<|message_tool|>",
)  # fmt: skip
"""Tokens that open another turn: after the end of one, the model only goes on by itself."""

RESULT_TOKENS: tuple[str, ...] = ("<|tool_response>", "<start_function_response>")
"""Tokens at which a model stops for a result: at the end of a reply they are no content."""

FAKE_RESULTS: tuple[str, ...] = (
    "<tool_response>", "<tool_result>", "<function_results>", "[TOOL_RESULTS]", "Observation:",
    "<｜tool▁outputs▁begin｜>", "```tool_output", "<|tool_response_start|>", *RESULT_TOKENS,
)  # fmt: skip
"""What begins a result that a model made up, at the beginning of a line or right after a call."""
