"""What a call would do is said before it does it, and nothing is done."""

from pathlib import Path

from opposable.messages import ToolCall
from opposable.tools.builtin.effects import Effect, effect_of


def writing(workspace: Path, path: str, content: str) -> Effect:
    return effect_of(ToolCall("call_1", "file_write", {"path": path, "content": content}), workspace)


def test_a_new_file(tmp_path: Path) -> None:
    assert writing(tmp_path / "files", "a/b.txt", "x") == Effect(f"creates a/b.txt in {tmp_path / 'files'}", None, "x")
    assert not (tmp_path / "files").exists()


def test_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    assert writing(tmp_path, "a.txt", "new") == Effect(f"replaces a.txt in {tmp_path}", "old", "new")
    assert writing(tmp_path, "a.txt", "old").words == f"writes a.txt in {tmp_path} again, as it is"
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\xff\x00")
    assert writing(tmp_path, "a.bin", "x") == Effect(f"replaces a.bin in {tmp_path}", None, "x")


def test_a_path_that_leads_out(tmp_path: Path) -> None:
    assert writing(tmp_path, "../a.txt", "x").words.startswith("will be refused: ")


def test_any_other_tool(tmp_path: Path) -> None:
    assert effect_of(ToolCall("call_1", "f", {}), tmp_path).words == "runs f with these arguments"
