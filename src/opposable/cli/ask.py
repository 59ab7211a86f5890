"""Asking for approval: a person at the terminal, or a program that writes lines of JSON. Law: silence is no consent."""

import difflib
import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, Literal, TypeAlias

from opposable import assembly
from opposable.cli.screen import Screen
from opposable.cli.show import WAITS
from opposable.cli.text import arguments, block, clean
from opposable.errors import Paused, SettingsError
from opposable.events import ApprovalAsked, ApprovalGiven

Ask: TypeAlias = Callable[[ApprovalAsked], ApprovalGiven]

_LINES = 12
_WORDS: dict[str, Literal["once", "always", "refuse"]] = {
    "y": "once",
    "yes": "once",
    "n": "refuse",
    "no": "refuse",
    "a": "always",
    "always": "always",
}


def at_terminal(screen: Screen, workspace: Path) -> Ask:
    """Ask the person on this screen. Errors: Paused, where nobody is there."""

    def ask(asked: ApprovalAsked) -> ApprovalGiven:
        call = asked.call
        effect = assembly.effect(call, workspace)
        screen.line("  ", ("waits for you", WAITS), f" · {effect.words}")
        changed = _changed(effect.before, effect.after)
        if effect.before is None and _seen(changed, arguments(call.arguments, screen.width - 2, 0)):
            changed = []
        shown = block("\n".join(changed), lines=_LINES, width=screen.width - 4) if changed else []
        for line in shown:
            screen.line(f"    {line}")
        if not screen.attended:
            raise _unattended(call.name)
        more = changed if shown != [clean(line) for line in changed] else []
        try:
            return _answer(asked, more, screen)
        except EOFError:
            raise _unattended(call.name) from None

    return ask


def _answer(asked: ApprovalAsked, more: list[str], screen: Screen) -> ApprovalGiven:
    """Ask until there is an answer. `more`: lines that can be seen before. Errors: EOFError."""
    view = ", [v]iew all" if more else ""
    while True:
        said = screen.ask(f"  Allow {asked.call.name}? [y]es, [n]o, [a]lways in this run{view}: ").lower()
        verdict = _WORDS.get(said)
        if verdict == "refuse":
            return ApprovalGiven(asked.key, verdict, screen.ask("  Why? (for the model; may be left empty) "))
        if verdict is not None:
            return ApprovalGiven(asked.key, verdict)
        if said in {"v", "view"}:
            for line in more:
                screen.line(f"    {line}")


def by_lines(keys: IO[str]) -> Ask:
    """Read each answer as a line of JSON: `{"key": …, "verdict": "once|always|refuse", "reason": …}`.

    An answer for another key is kept until that is asked for. Errors: Paused at the end of the lines, SettingsError.
    """
    kept: dict[str, ApprovalGiven] = {}

    def ask(asked: ApprovalAsked) -> ApprovalGiven:
        while asked.key not in kept:
            line = keys.readline()
            if not line:
                raise _unattended(asked.call.name)
            if line.strip():
                given = _given(line)
                kept[given.key] = given
        return kept.pop(asked.key)

    return ask


def _given(line: str) -> ApprovalGiven:
    try:
        answer = json.loads(line)
        key, verdict, reason = answer["key"], answer["verdict"], answer.get("reason") or ""
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        key = verdict = reason = None
    if isinstance(key, str) and isinstance(reason, str) and verdict in ("once", "always", "refuse"):
        return ApprovalGiven(key, verdict, reason)
    raise SettingsError(
        f"a line on stdin is no answer: {line[:200].strip()!r}. "
        'Right is {"key": "approve call_1", "verdict": "once"}, or "always", or "refuse" with a "reason"'
    )


def _changed(before: str | None, after: str | None) -> list[str]:
    """What the person looks at: the lines that change, or the whole new text."""
    if after is None:
        return []
    if before is None:
        return [f"+ {line}" for line in after.splitlines()]
    if before == after:
        return []
    every = difflib.unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm="")
    return [f"{line[0]} {line[1:]}" for line in list(every)[2:] if not line.startswith("@@")]


def _seen(changed: list[str], above: list[str]) -> bool:
    """Do the call's arguments, which stand above, show the whole text already?"""
    return len(changed) <= 1 and all(any(clean(line[2:]) in shown for shown in above) for line in changed)


def _unattended(name: str) -> Paused:
    return Paused(
        f"{name} waits for approval, and nobody is here to give it. "
        "Start this in a terminal, or allow all tools with --yes."
    )
