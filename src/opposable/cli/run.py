"""The command `run`: one prompt, its calls, its answer. Law: in `--json` only events go to stdout, one a line."""

import json as notation
import os
import sys
from pathlib import Path

from opposable import assembly
from opposable.agent.approval import EVERYTHING
from opposable.cli.app import STDIN
from opposable.cli.ask import at_terminal, by_lines
from opposable.cli.ends import DONE, guarded, name_of, text_of
from opposable.cli.fetch import have, hint, listening
from opposable.cli.screen import Screen
from opposable.cli.show import Show
from opposable.cli.talk import talk
from opposable.contracts import Client
from opposable.errors import SettingsError
from opposable.events import Event, as_json
from opposable.face import Agent
from opposable.messages import Sampling
from opposable.settings import Settings, load
from opposable.store import find


def run(
    prompt: str,
    /,
    *,
    model: str | None = None,
    tools: str | None = None,
    yes: bool = False,
    strategy: str | None = None,
    system: str | None = None,
    temperature: float | None = None,
    seed: int | None = None,
    max_tokens: int | None = None,
    workspace: Path | None = None,
    json: bool = False,
) -> int:
    """Let a model answer a prompt, calling tools where it needs them.

    Without --model the default model is used (opposable use), else a small one that is fetched at first use. Before a
    tool changes anything you are asked.

    Parameters
    ----------
    prompt
        What to ask; - reads it from stdin.
    model
        store:NAME, hf:OWNER/REPO:FILE.gguf, or the path of a .gguf file.
    tools
        Built-in tools by name, with commas between; none for none. Default: all.
    yes
        Allow every call without asking. It agrees to no licence.
    strategy
        How calls are got out of the model: constrained (the default), prompted/plain, prompted/hermes.
    system
        Instructions that come before the prompt.
    temperature
        0 takes the likeliest token each time.
    seed
        The same seed gives the same answer again.
    max_tokens
        The most tokens of one answer.
    workspace
        The folder of the tools that read and write files.
    json
        Print events, one line of JSON each; read approvals from stdin likewise.
    """

    def work() -> int:
        screen = Screen()
        settings = load({"workspace": workspace, "always_allow": [EVERYTHING] if yes else None}, os.environ)
        asked, named = _prompt(prompt, screen), _tools(tools, strategy, settings)
        client = ready(model, settings, screen)
        sampling = Sampling(temperature=temperature, seed=seed, max_tokens=max_tokens)
        agent = Agent(client, tools=named, instructions=system, sampling=sampling, strategy=strategy, settings=settings)
        if json:
            in_json(agent, client, asked, screen)
        else:
            on_screen(agent, client, asked, screen, settings.workspace)
        return DONE

    return guarded(work, tell_in_json) if json else work()


def ready(model: str | None, settings: Settings, screen: Screen) -> Client:
    """A client of the model that is wished for, which is fetched if it is not here. Errors: ModelError."""
    name = model or settings.default_model
    if name is None:
        name = assembly.EMBEDDED
        if find(name, settings.cache) is None and (said := hint(listening())):
            screen.note(said)
    return assembly.client(have(name, settings.cache, screen))


def on_screen(agent: Agent, client: Client, prompt: str, screen: Screen, workspace: Path) -> None:
    """Run it before the eyes of a person. `workspace`: where the agent's files are. Errors: as `talk`."""
    show = Show(screen)
    try:
        talk(agent, client, prompt, show.event, at_terminal(screen, workspace))
    finally:
        screen.quiet()


def in_json(agent: Agent, client: Client, prompt: str, screen: Screen) -> None:
    """Run it for a program. Errors: as `talk`."""
    talk(agent, client, prompt, print_json, by_lines(screen.keys))


def print_json(event: Event) -> None:
    """An event on a line of its own, in ASCII, so that it fits through everything and steers no terminal."""
    _print(as_json(event))


def tell_in_json(error: BaseException) -> None:
    """An error as the last line."""
    _print({"type": "error", "error": name_of(error), "message": text_of(error)})


def _print(line: dict[str, object]) -> None:
    sys.stdout.write(notation.dumps(line) + "\n")
    sys.stdout.flush()


def _prompt(given: str, screen: Screen) -> str:
    text = screen.keys.read().strip("\n") if given == STDIN else given
    if not text.strip():
        raise SettingsError("the prompt is empty: say what is to be done")
    return text


def _tools(given: str | None, strategy: str | None, settings: Settings) -> tuple[str, ...]:
    """The names of the tools. What is wrong with them or the strategy is found out before a model is fetched.

    Errors: ToolError, SettingsError.
    """
    if strategy is not None:
        assembly.known_strategy(strategy)
    if given is None:
        return assembly.builtin_names()
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if names == ("none",):
        return ()
    assembly.toolbox(names, settings.workspace)
    return names
