import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.parts import gguf, pair, text

from opposable.errors import ModelUnusable
from opposable.store import StoredModel, read_gguf


def read(folder: Path, data: bytes) -> object:
    path = folder / "x.gguf"
    path.write_bytes(data)
    return read_gguf(path)


def test_it_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(
        gguf({"general.name": "Tiny", "tokenizer.ggml.tokens": ["a", "b"] * 50, "tokenizer.chat_template": "{{ x }}"})
    )
    head = read_gguf(path)
    assert (head.architecture, head.context, head.template, head.name) == ("llama", 2048, "{{ x }}", "Tiny")
    assert head.parameters == 160
    assert head.version == 3


def test_what_is_not_said_is_none(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf(version=2))
    head = read_gguf(path)
    assert (head.template, head.name, head.licence, head.version) == (None, None, None, 2)


def test_every_cut_is_refused(tmp_path: Path) -> None:
    whole = gguf({"general.name": "Tiny", "a.list": ["x", "y"]})
    for end in range(len(whole)):
        with pytest.raises(ModelUnusable, match="not a usable GGUF"):
            read(tmp_path, whole[:end])


HEAD = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
HUGE = struct.pack("<Q", 2**63)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"<html>404</html>", "does not begin"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**62, 1), "tensors"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**62), "facts"),
        (b"GGUF" + struct.pack("<I", 99), "version is 99"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version is"),
        (HEAD + HUGE + b"x" * 100, "ends too early"),
        (HEAD + text("k") + struct.pack("<I", 8) + HUGE, "ends too early"),
        (HEAD + text("k") + struct.pack("<II", 9, 8) + HUGE, "items"),
        (HEAD + text("k") + struct.pack("<IIQ", 9, 9, 1), "unknown kind"),
        (HEAD + text("k") + struct.pack("<I", 77), "unknown kind"),
        (HEAD + pair("general.name", "no architecture"), "which architecture"),
        (HEAD + pair("general.architecture", 7), "which architecture"),
    ],
)
def test_a_hostile_file_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    with pytest.raises(ModelUnusable, match=says):
        read(tmp_path, data)


def test_a_text_that_is_too_long_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf({"tokenizer.chat_template": "x" * (2**20 + 1), "general.name": "still read"}))
    assert (read_gguf(path).template, read_gguf(path).name) == (None, "still read")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="cannot be read"):
        read_gguf(tmp_path / "none.gguf")


@given(st.binary(max_size=200), st.integers(0, 150))
def test_no_bytes_do_harm(tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int) -> None:
    whole = bytearray(gguf({"general.name": "Tiny", "a.list": ["x", "y"]}))
    whole[at : at + len(noise)] = noise
    with contextlib.suppress(ModelUnusable):
        read(tmp_path_factory.getbasetemp(), bytes(whole))


@pytest.mark.model
def test_a_real_one(small_model: StoredModel) -> None:
    head = read_gguf(small_model.path)
    assert (head.architecture, head.context, head.parameters) == ("llama", 8192, 134_515_008)
    assert head.template is not None
    assert "<|im_start|>" in head.template
