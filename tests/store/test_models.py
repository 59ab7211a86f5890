from pathlib import Path

import pytest
from tests.store.parts import card, gguf

from opposable.errors import ModelNotFound
from opposable.store import CATALOGUE, find, listing, remove, resolve

DATA = gguf()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("store:nope", "store:smollm2-135m"),
        ("smollm2-135m", "Did you mean store:smollm2-135m"),
        ("llama3", "hf:OWNER/REPO:FILE"),
        ("hf:anna/tiny", "Write it like"),
        ("hf:../tiny:x.gguf", "Write it like"),
        ("hf:anna/tiny:../../x.gguf", "Write it like"),
        ("hf:anna/tiny:/x.gguf", "Write it like"),
        ("hf:anna/tiny:x.bin", "Write it like"),
        ("nowhere/x.gguf", "no file"),
        ("store:smollm2-135m", "models pull store:smollm2-135m"),
        ("hf:anna/tiny:q/x.gguf", "models pull hf:anna/tiny:q/x.gguf"),
    ],
)
def test_a_name_without_a_model_says_what_there_is(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(ModelNotFound, match=says):
        resolve(name, tmp_path)


def test_a_path_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "mine.GGUF"
    path.write_bytes(DATA)
    model = resolve(str(path), tmp_path / "cache")
    assert (model.path, model.size, model.template) == (path, len(DATA), None)


def test_find_never_raises_for_what_could_be_here(tmp_path: Path) -> None:
    assert find("store:smollm2-135m", tmp_path) is None
    assert find("hf:anna/tiny:x.gguf", tmp_path) is None
    assert find("x.gguf", tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_a_file_of_the_wrong_size_is_no_model(tmp_path: Path) -> None:
    tiny = card(tmp_path, DATA)
    path = tmp_path / "models" / "tiny" / "tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(DATA[:-1])
    assert find("store:tiny", tmp_path, catalogue={"tiny": tiny}) is None
    path.write_bytes(DATA)
    assert find("store:tiny", tmp_path, catalogue={"tiny": tiny}) is not None


def test_list_and_remove(tmp_path: Path) -> None:
    catalogue = {"tiny": card(tmp_path, DATA)}
    mine = tmp_path / "models" / "tiny" / "tiny.gguf"
    hub = tmp_path / "models" / "hf" / "anna" / "tiny"
    for path in (mine, hub / "q" / "a.gguf", hub / "b.gguf", hub / ".cache" / "half.gguf"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(DATA)
    lines = listing(tmp_path, catalogue=catalogue)
    assert [(line.name, line.size, line.stored is not None) for line in lines] == [
        ("store:tiny", len(DATA), True),
        ("hf:anna/tiny:b.gguf", len(DATA), True),
        ("hf:anna/tiny:q/a.gguf", len(DATA), True),
    ]
    assert remove("store:tiny", tmp_path, catalogue=catalogue) == len(DATA)
    assert not mine.parent.exists()
    remove("hf:anna/tiny:q/a.gguf", tmp_path)
    assert not (hub / "q").exists()
    assert resolve("hf:anna/tiny:b.gguf", tmp_path).path == hub / "b.gguf"
    with pytest.raises(ModelNotFound, match="nothing to remove"):
        remove("store:tiny", tmp_path, catalogue=catalogue)
    with pytest.raises(ModelNotFound, match="a file of yours"):
        remove(str(hub / "b.gguf"), tmp_path)


def test_the_catalogue_is_sound() -> None:
    for name, row in CATALOGUE.items():
        assert name == row.name
        assert len(row.sha256) == 64
        assert row.size > 0
        assert all(part.size > 0 for part in row.parts)


def test_our_template_comes_with_the_base_model(tmp_path: Path) -> None:
    row = CATALOGUE["gemma3-270m-base"]
    path = tmp_path / "models" / row.name / row.file
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(row.size)
    model = resolve("store:gemma3-270m-base", tmp_path)
    assert model.template is not None
    assert "Assistant:" in model.template
    assert "\nUser:" in model.stop
