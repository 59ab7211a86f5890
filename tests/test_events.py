"""Events as JSON: a type, and the fields as they are."""

import json
import math
from types import MappingProxyType

from opposable.events import CallReady, RunStarted, TextDelta, TurnEnded, as_json
from opposable.messages import ToolCall, Usage

CALL = ToolCall("call_1", "f", MappingProxyType({"x": [1, {"y": None}], "nan": math.nan}))


def test_the_type_is_the_class_in_snake_case() -> None:
    assert as_json(TextDelta("hi")) == {"type": "text_delta", "text": "hi"}
    assert as_json(RunStarted("m", "s", ("note",))) == {
        "type": "run_started",
        "model": "m",
        "strategy": "s",
        "notes": ["note"],
    }


def test_what_is_inside_is_plain() -> None:
    event = as_json(CallReady(CALL))
    assert event["call"] == {"id": "call_1", "name": "f", "arguments": {"x": [1, {"y": None}], "nan": "nan"}}
    json.dumps(event, allow_nan=False)


def test_lists_hold_what_is_plain() -> None:
    event = as_json(TurnEnded("", None, (CALL,), Usage(1, 0, 2, 0.5)))
    assert event["calls"][0]["id"] == "call_1"
    assert event["usage"] == {"prompt_tokens": 1, "cached_tokens": 0, "completion_tokens": 2, "seconds": 0.5}
