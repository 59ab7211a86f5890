"""Settings and names in, ready parts out. Law: the only file that names concrete classes."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from opposable.agent.approval import Rules
from opposable.clients.llamacpp import LlamaCpp
from opposable.contracts import Client, Strategy
from opposable.errors import ModelUnusable, SettingsError, ToolError
from opposable.messages import Sampling, ToolCall
from opposable.settings import Settings
from opposable.store import Agree, Progress, StoredModel, find, nobody, pull, read_gguf
from opposable.strategies.constrained import Constrained
from opposable.strategies.prompted import RENDERINGS, Prompted
from opposable.tools.builtin import builtin_tools
from opposable.tools.builtin.effects import Effect, effect_of
from opposable.tools.toolbox import Tool, Toolbox

EMBEDDED = "store:smollm2-135m"
"""The model where none is named: small enough to be fetched at first use."""

SMALL = 4_000_000_000
"""Models with fewer parameters write calls better under a grammar than by themselves."""

STRATEGIES: dict[str, Callable[[Sampling], Strategy]] = {
    "constrained": Constrained,
    "prompted": partial(Prompted, "plain"),
    **{f"prompted/{name}": partial(Prompted, name) for name in RENDERINGS},
}
"""The strategies by name."""


def stored(
    model: str | None, settings: Settings, *, progress: Progress = nobody, agree: Agree | None = None
) -> StoredModel:
    """The file of a model, fetched if it is not here. None: the default model, else the embedded one.

    Errors: ModelNotFound, ModelNotFetched.
    """
    name = model or settings.default_model or EMBEDDED
    return find(name, settings.cache) or pull(name, settings.cache, progress=progress, agree=agree)


def client(model: StoredModel) -> Client:
    """A client of a model file. Errors: ModelUnusable, where the file is no GGUF."""
    gguf = read_gguf(model.path)
    if model.template is None and gguf.template is None:
        raise ModelUnusable(
            f"{model.name} has no chat template, so it cannot be talked to. Take an instruct version of the model."
        )
    return LlamaCpp(
        model.path,
        model.name,
        context=min(gguf.context or 4096, 8192),
        parameters=gguf.parameters,
        template=model.template,
        stop=model.stop,
    )


def strategy(name: str | None, asked: Client, sampling: Sampling) -> Strategy:
    """A strategy by its name; None: constrained for a small model whose client takes grammars, else prompted.

    A model of which the size is not known counts as small. Errors: SettingsError.
    """
    small = asked.parameters is None or asked.parameters < SMALL
    return known_strategy(name or ("constrained" if small and "gbnf" in asked.constrains else "prompted"))(sampling)


def known_strategy(name: str) -> Callable[[Sampling], Strategy]:
    """What makes the strategy of this name. Errors: SettingsError, naming those there are."""
    if name not in STRATEGIES:
        raise SettingsError(f"there is no strategy {name!r}; there are: {', '.join(STRATEGIES)}")
    return STRATEGIES[name]


def toolbox(tools: Iterable[Tool | Callable[..., object] | str], workspace: Path) -> Toolbox:
    """A toolbox of functions, tools, and names of built-in tools; files are those of `workspace`. Errors: ToolError."""
    builtin = builtin_tools(workspace)
    found: list[Tool | Callable[..., object]] = []
    for given in tools:
        if not isinstance(given, str):
            found.append(given)
        elif given in builtin:
            found.append(builtin[given])
        else:
            raise ToolError(f"there is no tool {given!r}; there are: {', '.join(builtin)}")
    return Toolbox(found)


def builtin_names() -> tuple[str, ...]:
    """The names of the built-in tools, in the order in which they are offered."""
    return tuple(builtin_tools(Path()))


def effect(call: ToolCall, workspace: Path) -> Effect:
    """What a settled call would do, for the person who is asked."""
    return effect_of(call, workspace)


def approver(settings: Settings, *, allow: Iterable[str] = ()) -> Rules:
    """Rules that know what the settings allow for good, and `allow` besides."""
    return Rules((*settings.always_allow, *allow))
