"""Settings and names in, ready parts out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.store.parts import gguf

from opposable import assembly
from opposable.clients.llamacpp import LlamaCpp
from opposable.clients.scripted import Scripted
from opposable.errors import ModelNotFound, ModelUnusable, SettingsError, ToolError
from opposable.messages import Sampling, ToolCall, ToolSpec
from opposable.settings import Settings, load
from opposable.store import StoredModel, find


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load(
        {}, {"OPPOSABLE_CONFIG": str(tmp_path), "OPPOSABLE_CACHE": str(tmp_path), "OPPOSABLE_DATA": str(tmp_path)}
    )


@pytest.mark.parametrize(
    ("name", "constrains", "made"),
    [
        (None, {"gbnf", "json_schema"}, "constrained"),
        (None, {"gbnf"}, "constrained"),
        (None, {"json_schema"}, "prompted/plain"),
        (None, set(), "prompted/plain"),
        ("prompted", {"gbnf"}, "prompted/plain"),
        ("prompted/hermes", {"gbnf"}, "prompted/hermes"),
        ("prompted/plain", set(), "prompted/plain"),
        ("constrained", {"gbnf"}, "constrained"),
    ],
)
def test_a_strategy_by_its_name_or_what_the_client_can(name: str | None, constrains: Any, made: str) -> None:
    assert assembly.strategy(name, Scripted([], constrains=frozenset(constrains)), Sampling()).name == made


def test_a_large_model_writes_its_calls_itself() -> None:
    made = {
        size: assembly.strategy(None, Scripted([], parameters=size), Sampling()).name
        for size in (135 * 10**6, 7 * 10**9)
    }
    assert made == {135 * 10**6: "constrained", 7 * 10**9: "prompted/plain"}


def test_a_strategy_that_is_not_there() -> None:
    with pytest.raises(
        SettingsError, match="there is no strategy 'magic'; there are: constrained, prompted, prompted/plain"
    ):
        assembly.strategy("magic", Scripted([]), Sampling())


def test_tools_by_name_and_as_functions(tmp_path: Path) -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    box = assembly.toolbox(["file_read", add, "calculate"], tmp_path)
    assert [spec.name for spec in box.specs] == ["file_read", "add", "calculate"]
    assert assembly.builtin_names() == ("calculate", "current_time", "file_read", "file_write")
    with pytest.raises(ToolError, match="there is no tool 'add'; there are: calculate"):
        assembly.toolbox(["add"], tmp_path)


def test_files_are_those_of_the_workspace(tmp_path: Path) -> None:
    call = ToolCall("1", "file_write", {"path": "a.txt", "content": "new"})
    (tmp_path / "a.txt").write_text("old", "utf-8")
    effect = assembly.effect(call, tmp_path)
    assert (effect.before, effect.after) == ("old", "new")


def test_what_the_settings_allow_is_not_asked(settings: Settings) -> None:
    rules = assembly.approver(replace(settings, always_allow=("write",)), allow=["read"])
    asked = [rules.rule(ToolCall("1", name, {}), ToolSpec(name, approval="ask")) for name in ("write", "read", "other")]
    assert asked == ["auto", "auto", "ask"]


def test_a_model_that_is_not_there(settings: Settings) -> None:
    with pytest.raises(ModelNotFound):
        assembly.stored("no/such.gguf", settings)
    with pytest.raises(ModelNotFound):
        assembly.stored(None, replace(settings, default_model="no/such.gguf"))


def stored(path: Path, **how: Any) -> StoredModel:
    found = find(str(path), path.parent)
    assert found is not None
    return replace(found, **how)


def test_a_model_without_a_chat_template_cannot_be_talked_to(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf({"general.architecture": "llama"}))
    with pytest.raises(ModelUnusable, match="has no chat template"):
        assembly.client(stored(path))
    assert isinstance(assembly.client(stored(path, template="{{ messages }}")), LlamaCpp)


@pytest.mark.parametrize(("length", "context"), [(2048, 2048), (131072, 8192), (None, 4096)])
def test_the_context_is_the_models_own_up_to_a_limit(tmp_path: Path, length: int | None, context: int) -> None:
    path = tmp_path / "m.gguf"
    named = {"llama.context_length": length} if length else {"general.architecture": "nameless"}
    path.write_bytes(gguf({"tokenizer.chat_template": "{{ messages }}", **named}))
    client = assembly.client(stored(path))
    assert (client.context, client.model) == (context, stored(path).name)
