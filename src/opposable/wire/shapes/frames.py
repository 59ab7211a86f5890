"""What stands around calls: frames of reasoning, tokens that end a turn, made-up results. Law: fixed texts, nothing else."""

REASONING: dict[str, str] = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "<mm:think>": "</mm:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
}
"""Openers of reasoning, which count at the beginning of a line, and their closers."""

REASONING_CLOSERS = tuple(REASONING.values())

BEGIN_TOKENS: tuple[str, ...] = ("<bos>", "<eos>", "<s>", "<|begin_of_text|>", "<｜begin▁of▁sentence｜>")
"""Tokens that begin a text, and one that ends it: between a marker and what it marks they mean nothing."""

END_TOKENS: tuple[str, ...] = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|call|>", "<|return|>", "<|endoftext|>", "<|end_of_text|>",
    "<|end_of_turn|>", "<end_of_turn>", "</s>", "<eos>", "<|eos|>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>",
    "<|eot|>", "<|message_sep|>",
)  # fmt: skip
"""Tokens that end a turn. At the end of a reply they are no content."""

TURN_OPENERS: tuple[str, ...] = (
    "<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|start_of_role|>", "<|start_of_turn|>", "[INST]",
    "<｜User｜>", "<|START_OF_TURN_TOKEN|>",
)  # fmt: skip
"""Tokens that open another turn: after the end of one, the model only goes on by itself."""

FAKE_RESULTS: tuple[str, ...] = (
    "<tool_response>", "<tool_result>", "<function_results>", "[TOOL_RESULTS]", "Observation:",
    "<｜tool▁outputs▁begin｜>",
)  # fmt: skip
"""What begins a result that a model made up, at the beginning of a line or right after a call."""
