import json
import os
import stat
import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opposable.errors import SettingsError
from opposable.settings import Secret, Settings, _with_default_model, config_file, load, save_default_model


def written(folder: Path, text: str) -> dict[str, str]:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return {"OPPOSABLE_CONFIG": str(folder)}


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    settings = load({}, {"OPPOSABLE_CONFIG": str(tmp_path)})
    assert settings.default_model is None
    assert settings.workspace == settings.data / "workspace"
    assert settings.cache.is_absolute()
    assert settings.data.is_absolute()
    assert settings.keys == {}
    assert settings.file == tmp_path / "config.toml"


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    environ = written(
        tmp_path, 'default_model = "file"\nworkspace = "here"\ncache = "/c"\nalways_allow = ["file_write"]'
    )
    environ |= {"OPPOSABLE_MODEL": "environ", "OPPOSABLE_DATA": str(tmp_path / "d"), "OPPOSABLE_CACHE": ""}
    settings = load({"default_model": "flag", "cache": None}, environ)
    assert settings.default_model == "flag"
    assert load({}, environ).default_model == "environ"
    assert settings.workspace == tmp_path / "here"
    assert settings.cache == Path("/c").absolute()
    assert settings.data == tmp_path / "d"
    assert settings.always_allow == ("file_write",)


def test_the_default_workspace_follows_the_data_folder(tmp_path: Path) -> None:
    environ = {"OPPOSABLE_CONFIG": str(tmp_path), "OPPOSABLE_DATA": str(tmp_path / "d")}
    assert load({}, environ).workspace == tmp_path / "d" / "workspace"


def test_the_home_folder_and_relative_flags(tmp_path: Path) -> None:
    settings = load({"workspace": "~/w", "data": Path("d")}, {"OPPOSABLE_CONFIG": str(tmp_path)})
    assert settings.workspace == Path.home() / "w"
    assert settings.data == Path.cwd() / "d"


def test_keys_come_from_all_places(tmp_path: Path) -> None:
    environ = written(tmp_path, '[keys]\nopenai = "a"\nMistral = "b"\nanthropic = "x"')
    environ |= {"OPENAI_API_KEY": "c", "OPPOSABLE_KEY_ANTHROPIC": "d", "ANTHROPIC_API_KEY": "e", "OPPOSABLE_KEY_": "z"}
    keys = {name: key.reveal() for name, key in load({"keys": {"groq": "f"}}, environ).keys.items()}
    assert keys == {"openai": "c", "mistral": "b", "anthropic": "d", "groq": "f"}


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    settings = load({}, {"OPPOSABLE_CONFIG": str(tmp_path), "OPENAI_API_KEY": "sk-hidden"})
    secret = settings.keys["openai"]
    shown = f"{settings} {settings!r} {secret} {secret!r} {secret:} {dict(settings.keys)} {[secret]}"
    assert "hidden" not in shown
    assert "***" in shown
    assert secret == Secret("sk-hidden")
    assert hash(secret) == hash(Secret("sk-hidden"))
    assert secret != "sk-hidden"
    plain = Settings(None, Path(), Path(), Path(), keys={"openai": secret})
    assert "hidden" not in str(asdict(plain))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('defualt_model = "x"', "'defualt_model'"),
        ("default_model = 5", "default_model is a number"),
        ('default_model = "  "', "default_model is an empty text"),
        ("workspace = true", "workspace is a boolean"),
        ('workspace = "a\\u0000b"', "workspace is a text; right is a path"),
        ('always_allow = "file_write"', "list of names"),
        ("always_allow = [1]", "list of names"),
        ('keys = "sk-hidden"', "keys is a text; right is a table"),
        ("[keys]\nopenai = 5", "keys.openai is a number"),
        ('[keys]\nopenai = ""', "keys.openai is an empty text"),
        ("cache = 2020-01-01", "of type date"),
        ('default_model = "x', "not valid TOML"),
        ('sk-hidden "x"', "not valid TOML"),
        ("x = " + "[" * 5000, "not valid TOML"),
        ("x = " + "9" * 5000, "not valid TOML"),
    ],
)
def test_a_wrong_file_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    environ = written(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load({}, environ)
    assert said in str(caught.value)
    assert str(tmp_path / "config.toml") in str(caught.value)
    assert "hidden" not in str(caught.value)
    with pytest.raises(SettingsError):
        save_default_model("m", environ)
    assert (tmp_path / "config.toml").read_text(encoding="utf-8") == text


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load({}, {"OPPOSABLE_CONFIG": str(tmp_path)})


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(SettingsError, match=r"config\.toml cannot be read"):
        load({}, {"OPPOSABLE_CONFIG": str(tmp_path)})


def test_unknown_flags_and_wrong_variables_are_named(tmp_path: Path) -> None:
    environ = {"OPPOSABLE_CONFIG": str(tmp_path)}
    with pytest.raises(SettingsError, match=r"flags: there is no setting 'model'.*default_model"):
        load({"model": "x"}, environ)
    with pytest.raises(SettingsError, match="OPPOSABLE_WORKSPACE is an empty text"):
        load({}, environ | {"OPPOSABLE_WORKSPACE": " "})


def test_the_config_folder_is_the_users_own_unless_moved(tmp_path: Path) -> None:
    assert config_file({}).name == "config.toml"
    assert "opposable" in str(config_file({}))
    assert config_file({"OPPOSABLE_CONFIG": str(tmp_path)}) == tmp_path / "config.toml"


def test_saving_makes_the_file(tmp_path: Path) -> None:
    environ = {"OPPOSABLE_CONFIG": str(tmp_path / "deep" / "er")}
    file = save_default_model("smollm2", environ)
    assert file == tmp_path / "deep" / "er" / "config.toml"
    assert load({}, environ).default_model == "smollm2"
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# mine\n[keys]\nopenai = 'k' # c\n", "default_model = \"new\"\n# mine\n[keys]\nopenai = 'k' # c\n"),
        ('cache = "c"\ndefault_model="old" # why\n', 'cache = "c"\ndefault_model="new" # why\n'),
        ("'default_model' = 'old'\r\ncache = 'c'\r\n", "'default_model' = \"new\"\r\ncache = 'c'\r\n"),
        ("cache = 'c'\r\n", "default_model = \"new\"\r\ncache = 'c'\r\n"),
        (
            'cache = """\ndefault_model = "no"\n"""\ndefault_model = "old"',
            'cache = """\ndefault_model = "no"\n"""\ndefault_model = "new"',
        ),
        (
            '[keys]\ndefault_model = "a-key-of-an-odd-provider"\n',
            'default_model = "new"\n[keys]\ndefault_model = "a-key-of-an-odd-provider"\n',
        ),
    ],
)
def test_saving_keeps_all_else(tmp_path: Path, before: str, after: str) -> None:
    environ = {"OPPOSABLE_CONFIG": str(tmp_path)}
    (tmp_path / "config.toml").write_bytes(before.encode())
    save_default_model("new", environ)
    assert (tmp_path / "config.toml").read_bytes().decode() == after


def test_a_value_over_several_lines_is_left_to_the_person(tmp_path: Path) -> None:
    environ = written(tmp_path, 'default_model = """\nold"""\n')
    with pytest.raises(SettingsError, match='default_model = "new"'):
        save_default_model("new", environ)


@pytest.mark.parametrize("model", ["", "  ", "a\nb", "a\x7fb", "\ud800"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, model: str) -> None:
    with pytest.raises(SettingsError, match="no name of a model"):
        save_default_model(model, {"OPPOSABLE_CONFIG": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "opposable.toml"
    real.parent.mkdir()
    real.write_text("# mine\n", encoding="utf-8")
    try:
        (tmp_path / "config.toml").symlink_to(real)
    except OSError:
        pytest.skip("no symbolic links here")
    save_default_model("new", {"OPPOSABLE_CONFIG": str(tmp_path)})
    assert (tmp_path / "config.toml").is_symlink()
    assert real.read_text(encoding="utf-8") == 'default_model = "new"\n# mine\n'


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SettingsError):
        save_default_model("new", {"OPPOSABLE_CONFIG": str(tmp_path / "file")})


names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)
comments = st.text(st.characters(codec="utf-8", exclude_categories=["C"]))


@given(old=names, new=names, comment=comments)
def test_what_is_saved_is_read_back_and_nothing_else_changes(old: str, new: str, comment: str) -> None:
    before = {"default_model": old, "cache": "c"}
    text = f'# {comment}\ndefault_model = {json.dumps(old, ensure_ascii=False)} # {comment}\ncache = "c"\n'
    after = _with_default_model(text, before, new, Path("config.toml"))
    assert tomllib.loads(after) == before | {"default_model": new}
    assert after.count(f"# {comment}") == text.count(f"# {comment}") or comment in new + old
