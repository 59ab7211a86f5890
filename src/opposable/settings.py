"""What a person has set: a file, over it the environment, over it the flags. Law: a secret is never printed.

The file is `config.toml` in the user's config folder (`OPPOSABLE_CONFIG` names another folder):

    default_model = "store:smollm2-135m"    # OPPOSABLE_MODEL
    workspace = "~/opposable"               # OPPOSABLE_WORKSPACE   files that tools may read and write
    cache = "~/.cache/opposable"            # OPPOSABLE_CACHE       models and what can be fetched again
    data = "~/.local/share/opposable"       # OPPOSABLE_DATA        what cannot be fetched again
    always_allow = ["file_write"]           #                       tools that run without asking
    [keys]
    openai = "…"                            # OPPOSABLE_KEY_OPENAI, or OPENAI_API_KEY
"""

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import platformdirs

from opposable.errors import SettingsError

_ENVIRONMENT = {
    "default_model": "OPPOSABLE_MODEL",
    "workspace": "OPPOSABLE_WORKSPACE",
    "cache": "OPPOSABLE_CACHE",
    "data": "OPPOSABLE_DATA",
}
_KEY_PREFIX = "OPPOSABLE_KEY_"
_KNOWN_KEYS = {"ANTHROPIC_API_KEY": "anthropic", "OPENAI_API_KEY": "openai"}


class Secret:
    """A secret text. Shown as `***` everywhere; `reveal()` gives it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The secret itself. Never log what this gives."""
        return self._text

    def __repr__(self) -> str:
        return "Secret('***')"

    def __str__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for this process. All paths are absolute; none of the folders need exist yet.

    `default_model`: the model where none is named. `workspace`: the folder for the files of tools. `cache`: what can be
    fetched again. `data`: what cannot. `keys`: secrets by provider (lower case). `always_allow`: names of tools that
    run without asking. `file`: where the file is, or would be.
    """

    default_model: str | None
    workspace: Path
    cache: Path
    data: Path
    keys: Mapping[str, Secret] = field(default_factory=lambda: MappingProxyType({}))
    always_allow: tuple[str, ...] = ()
    file: Path | None = None


def config_file(environ: Mapping[str, str]) -> Path:
    """Where the settings file is, or would be: in the folder `OPPOSABLE_CONFIG`, else the user's config folder."""
    moved = environ.get("OPPOSABLE_CONFIG", "")
    if moved:
        return _path(moved, "OPPOSABLE_CONFIG", Path.cwd()) / "config.toml"
    return platformdirs.user_config_path("opposable", appauthor=False) / "config.toml"


def load(flags: Mapping[str, Any], environ: Mapping[str, str]) -> Settings:
    """The settings of the file, overlaid by `environ`, overlaid by `flags`.

    `flags` are named as in the file; None means not given, as does an empty variable. Relative paths count from the
    file's folder in the file, else from the current folder; `~` is the home folder. Nothing but the file is read.
    Errors: SettingsError, naming the place, the key and what would be right.
    """
    file = config_file(environ)
    given = _checked(_read(file)[1], str(file), file.parent)
    given = _merged(given, _checked(_from_environment(environ), "the environment", Path.cwd()))
    given = _merged(given, _checked({k: v for k, v in flags.items() if v is not None}, "flags", Path.cwd()))
    data = given.get("data") or platformdirs.user_data_path("opposable", appauthor=False)
    return Settings(
        default_model=given.get("default_model"),
        workspace=given.get("workspace") or data / "workspace",
        cache=given.get("cache") or platformdirs.user_cache_path("opposable", appauthor=False),
        data=data,
        keys=MappingProxyType(given.get("keys", {})),
        always_allow=given.get("always_allow", ()),
        file=file,
    )


def save_default_model(model: str, environ: Mapping[str, str]) -> Path:
    """Write `default_model` into the settings file and give its path. All else in the file stays, comments too.

    The file is replaced in one go and has mode 0600 where the system has modes. Errors: SettingsError; the file is
    then as it was.
    """
    if not model.strip() or not model.isprintable():
        raise SettingsError(f"{model!r} is no name of a model: give one such as store:smollm2-135m")
    file = config_file(environ)
    text, before = _read(file)
    _checked(before, str(file), file.parent)
    _replace(file, _with_default_model(text, before, model, file))
    return file


def _read(file: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = file.read_bytes().decode("utf-8")
        return text, tomllib.loads(text)
    except FileNotFoundError:
        return "", {}
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        # Not chained: newer versions keep the whole file in the error, secrets and all.
        raise SettingsError(f"{file} is not valid TOML: {error}. Mend that place, or move the file away") from None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {key: environ[name] for key, name in _ENVIRONMENT.items() if environ.get(name)}
    keys = {provider: environ[name] for name, provider in _KNOWN_KEYS.items() if environ.get(name)}
    for name, secret in environ.items():
        if name.startswith(_KEY_PREFIX) and len(name) > len(_KEY_PREFIX) and secret:
            keys[name.removeprefix(_KEY_PREFIX)] = secret
    return given | {"keys": keys}


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    return under | over | {"keys": under.get("keys", {}) | over.get("keys", {})}


def _checked(given: Mapping[str, Any], place: str, base: Path) -> dict[str, Any]:
    """The values in the types of Settings. The values themselves stay out of errors: one may be a secret."""
    unknown = [key for key in given if key not in _READERS]
    if unknown:
        raise SettingsError(f"{place}: there is no setting {unknown[0]!r}. The settings are: {', '.join(_READERS)}")
    # An environment variable is named as the person wrote it.
    where = _ENVIRONMENT if place == "the environment" else {}
    return {key: _READERS[key](value, where.get(key, f"{place}: {key}"), base) for key, value in given.items()}


def _text(value: Any, where: str, _base: Path) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise SettingsError(f'{where} is {_kind(value)}; right is a text, such as "store:smollm2-135m"')


def _path(value: Any, where: str, base: Path) -> Path:
    if isinstance(value, Path):
        value = str(value)
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise SettingsError(f'{where} is {_kind(value)}; right is a path to a folder, such as "~/opposable"')
    try:
        return Path(os.path.normpath(base.absolute() / Path(value).expanduser()))
    except RuntimeError as error:
        raise SettingsError(f"{where}: the home folder of ~ is not known. Write the whole path") from error


def _keys(value: Any, where: str, _base: Path) -> dict[str, Secret]:
    if not isinstance(value, Mapping):
        raise SettingsError(f'{where} is {_kind(value)}; right is a table of texts, such as [keys] openai = "…"')
    wrong = [name for name, secret in value.items() if not isinstance(secret, str | Secret) or not secret]
    if wrong:
        raise SettingsError(f'{where}.{wrong[0]} is {_kind(value[wrong[0]])}; right is the key as a text, in "…"')
    return {name.lower(): secret if isinstance(secret, Secret) else Secret(secret) for name, secret in value.items()}


def _names(value: Any, where: str, _base: Path) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(isinstance(name, str) and name for name in value):
        return tuple(value)
    raise SettingsError(f'{where} is {_kind(value)}; right is a list of names of tools, such as ["file_write"]')


_READERS: dict[str, Callable[[Any, str, Path], Any]] = {
    "default_model": _text,
    "workspace": _path,
    "cache": _path,
    "data": _path,
    "keys": _keys,
    "always_allow": _names,
}


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "a text" if value.strip() else "an empty text"
    names = {bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(value), f"of type {type(value).__name__}")


_OLD_LINE = re.compile(
    r"""(?m)^(?P<key>[ \t]*(?:default_model|"default_model"|'default_model')[ \t]*=[ \t]*)"""
    r"""(?P<value>"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')"""
)


def _with_default_model(text: str, before: dict[str, Any], model: str, file: Path) -> str:
    """The text with the one line changed or added.

    Every candidate is parsed and compared: a line of a table or inside a longer text only looks like the one sought.
    """
    line_end = "\r\n" if "\r\n" in text else "\n"
    value = json.dumps(model, ensure_ascii=False)
    candidates = [text[: m.start("value")] + value + text[m.end("value") :] for m in _OLD_LINE.finditer(text)]
    candidates.append(f"default_model = {value}{line_end}{text}")
    wanted = before | {"default_model": model}
    for candidate in candidates:
        try:
            if tomllib.loads(candidate) == wanted:
                return candidate
        except ValueError:
            continue
    raise SettingsError(
        f"{file}: the line of default_model cannot be changed safely. Write there: default_model = {value}"
    )


def _replace(file: Path, text: str) -> None:
    try:
        target = file.resolve()  # a settings file that is a link into a folder of dotfiles stays one
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = target.with_name(f".config-{os.urandom(8).hex()}.toml")
        # The mode comes along with the name. Windows knows no modes, and there the user's folder is private.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(text.encode("utf-8"))
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SettingsError(f"{file} cannot be written: {error.strerror}") from error
