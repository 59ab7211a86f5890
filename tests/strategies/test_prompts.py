"""What holds for the prompts of all strategies: no family of models is named, roles alternate, the system comes first."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.golden import TOOLS, files, played, read

from opposable.assembly import STRATEGIES
from opposable.messages import Completion, Message, Request, Sampling, ToolCall, ToolResult
from opposable.strategies.prompted import RENDERINGS, transcript

FAMILIES = (
    *(
        "alpaca",
        "baichuan",
        "bloom",
        "chatgpt",
        "claude",
        "codestral",
        "cohere",
        "deepseek",
        "devstral",
        "ernie",
        "exaone",
    ),
    *(
        "falcon",
        "functionary",
        "gemini",
        "gemma",
        "glm",
        "gpt",
        "granite",
        "grok",
        "hermes",
        "internlm",
        "jamba",
        "kimi",
    ),
    *(
        "llama",
        "ministral",
        "minimax",
        "mistral",
        "mixtral",
        "nemotron",
        "olmo",
        "openai",
        "orca",
        "phi",
        "qwen",
        "qwq",
    ),
    *("smollm", "starcoder", "tinyllama", "vicuna", "xlam", "yi", "zephyr"),
)
FAMILY = re.compile(rf"\b(?:{'|'.join(FAMILIES)})\b", re.IGNORECASE)
FAMILY_PART = re.compile(rf"{'|'.join(name for name in FAMILIES if len(name) > 4)}", re.IGNORECASE)
PROMPTS = [
    message.text
    for path in files()
    for case in read(path)
    for request in played(case)[0]
    for message in request.messages
]


def test_no_prompt_names_a_family() -> None:
    assert len(PROMPTS) > 100
    assert not [prompt for prompt in PROMPTS if FAMILY.search(prompt) or FAMILY_PART.search(prompt)]


def test_a_name_would_be_found() -> None:
    assert all(FAMILY.search(f"You are {name.title()}-2, made by us.") for name in FAMILIES)
    assert FAMILY_PART.search("You are SmolLM2.")


# Any conversation

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """As a loop makes them: calls come before their results; some results are missing, some people speak twice."""
    found = [Message("system", draw(TEXTS))] if draw(st.booleans()) else []
    for turn in range(draw(st.integers(1, 4))):
        found.append(Message("user", draw(TEXTS)))
        calls = [
            ToolCall(f"{turn}-{place}", "calculate", {"expression": draw(TEXTS)})
            for place in range(draw(st.integers(0, 3)))
        ]
        answered: bool = draw(st.booleans())
        if calls or answered:
            found.append(Message("assistant", draw(TEXTS), draw(st.none() | TEXTS), tuple(calls)))
        for call in calls[: draw(st.integers(0, 3))]:
            result = ToolResult(call.id, call.name, draw(TEXTS), draw(st.booleans()))
            found.append(Message("tool", result.text, result=result))
    return found


def alternate(messages: tuple[Message, ...]) -> bool:
    roles = [message.role for message in messages]
    return roles.count("system") == (roles[:1] == ["system"]) and all(a != b for a, b in pairwise(roles))


@given(conversation=conversations(), rendering=st.sampled_from(sorted(RENDERINGS)), offered=st.booleans())
def test_a_transcript_alternates(conversation: list[Message], rendering: str, offered: bool) -> None:
    tools = list(TOOLS.values())[: 2 if offered else 0]
    messages = transcript(conversation, tools, RENDERINGS[rendering])
    assert alternate(messages)
    assert not any(message.calls or message.result or message.reasoning for message in messages)
    assert {message.role for message in messages} <= {"system", "user", "assistant"}
    if conversation[0].role == "system":
        assert messages[0].text.startswith(conversation[0].text)
    said = "\n".join(message.text for message in messages)
    assert all(message.text in said for message in conversation if message.role == "user")
    assert said.count("\n</tool_response>") == sum(message.result is not None for message in conversation)


@given(conversation=conversations(), strategy=st.sampled_from(sorted(STRATEGIES)), offered=st.booleans(), said=TEXTS)
def test_every_request_alternates(conversation: list[Message], strategy: str, offered: bool, said: str) -> None:
    tools = list(TOOLS.values())[: 2 if offered else 0]
    turn = STRATEGIES[strategy](Sampling()).turn(conversation, tools)
    try:
        asked = next(turn)
        while True:
            if isinstance(asked, Request):
                assert alternate(asked.messages)
                asked = turn.send(Completion(said if asked.purpose == "answer" else " use"))
            else:
                asked = next(turn)
    except StopIteration:
        pass


def test_several_system_messages_are_one() -> None:
    said = [Message("system", "A"), Message("system", "B"), Message("user", "hi")]
    messages = transcript(said, [TOOLS["ring_bell"]], RENDERINGS["plain"])
    assert [message.role for message in messages] == ["system", "user"]
    assert messages[0].text.startswith("A\n\nYou can use")
    assert messages[0].text.endswith("\nB")


def test_own_sampling_is_kept_and_nothing_is_to_be_noted() -> None:
    sampling = Sampling(temperature=0.5, stop=("END",))
    for name in ("prompted/plain", "prompted/hermes"):
        strategy = STRATEGIES[name](sampling)
        asked = next(strategy.turn([Message("user", "hi")], [TOOLS["ring_bell"]]))
        assert isinstance(asked, Request)
        assert (asked.sampling.temperature, asked.sampling.stop) == (0.5, ("END", "<tool_response>"))
        assert (strategy.name, strategy.notes([TOOLS["ring_bell"]])) == (name, ())
