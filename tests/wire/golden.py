"""Golden cases: replies of models and what they mean, as files a person can read. Law: nothing unknown is passed over.

A file of `cases/` is a head, then cases. Head: lines with `# ` say what the file shows; `tools:` and `shape:` are what
its cases take where they say nothing else. A case:

    == what it shows
    holds: C4, R-blocks-doubled         the clauses and rulings it holds
    tools: ring_bell, list_ovens        names in tools.json
    finish: length                      `stop` where it is not said; `none` is no reason at all
    begins: in reasoning                the template opened the reasoning
    content: the reply                  in place of a part `content`
    --- reply                           to the letter, up to the line break before the next part
    --- reply as JSON                   or as a JSON string, where a character cannot be seen
    --- content, --- reasoning          none where the part is missing; `as JSON` too
    --- calls                           a line each: NAME {arguments}; below it `  shape:`, `  id:`, `  mends:`
    --- rejected                        a cause a line, in order
    ---                                 the end of the case
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CASES = HERE / "cases"
TOOLS: dict[str, dict[str, Any]] = {tool["name"]: tool for tool in json.loads((HERE / "tools.json").read_text("utf-8"))}

HEAD_KEYS = frozenset(("tools", "shape"))
KEYS = frozenset(("holds", "tools", "finish", "begins", "content", "shape"))
PARTS = frozenset(("reply", "content", "reasoning", "calls", "rejected"))
CALL_KEYS = frozenset(("shape", "id", "mends"))


class Unreadable(ValueError):
    """This is no file of cases."""


@dataclass
class Wanted:
    """A call that a case expects."""

    name: str
    arguments: dict[str, Any]
    shape: str
    id: str | None = None
    mends: tuple[str, ...] = ()


@dataclass
class Case:
    """One reply, and what it means."""

    file: str
    title: str
    keys: dict[str, str] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    calls: list[Wanted] = field(default_factory=list)
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}: {self.title}"

    @property
    def reply(self) -> str:
        return self.parts["reply"]

    @property
    def holds(self) -> list[str]:
        return names(self.keys["holds"])

    @property
    def tools(self) -> list[dict[str, Any]]:
        return [TOOLS[name] for name in names(self.keys["tools"])]

    @property
    def finish(self) -> str | None:
        reason = self.keys.get("finish", "stop")
        return None if reason == "none" else reason

    @property
    def starts_in_reasoning(self) -> bool:
        return "begins" in self.keys

    @property
    def content(self) -> str | None:
        return self.reply if "content" in self.keys else self.parts.get("content")

    @property
    def reasoning(self) -> str | None:
        return self.parts.get("reasoning")

    @property
    def rejected(self) -> list[str]:
        return self.parts.get("rejected", "").split()


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def read(text: str, file: str) -> list[Case]:
    """The cases of a file. Errors: Unreadable."""
    head: dict[str, str] = {}
    cases: list[Case] = []
    part: str | None = None
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if part is not None:
                if line != "---" and not line.startswith("--- "):
                    lines.append(line)
                    continue
                _put(cases[-1], part, "\n".join(lines))
                lines = []
                part = line[4:] or None
                if part is None:
                    _check(cases[-1], head)
            elif line.startswith("== "):
                cases.append(Case(file, line[3:], line=number))
            elif line.startswith("--- ") and cases:
                part = line[4:]
            elif line.strip() and not (line.startswith("# ") and not cases):
                key, colon, value = line.partition(": ")
                known, found = (KEYS, cases[-1].keys) if cases else (HEAD_KEYS, head)
                if not colon or key not in known or key in found:
                    raise Unreadable(f"not a key, or not here, or twice: {line!r}")
                found[key] = value
        except (Unreadable, ValueError, KeyError) as error:
            raise Unreadable(f"{file}:{number}: {error}") from error
    if part is not None or (cases and not cases[-1].parts):
        raise Unreadable(f"{file}: the last case has no end")
    return cases


def _put(case: Case, part: str, text: str) -> None:
    name, _, how = part.partition(" ")
    if name not in PARTS or how not in ("", "as JSON") or name in case.parts:
        raise Unreadable(f"not a part, or twice: {part!r}")
    case.parts[name] = json.loads(text) if how else text


def _check(case: Case, head: dict[str, str]) -> None:
    for key in HEAD_KEYS & head.keys():
        case.keys.setdefault(key, head[key])
    missing = [name for name in ("holds", "tools", "reply") if name not in {*case.keys, *case.parts}]
    if missing:
        raise Unreadable(f"no {' and no '.join(missing)} in the case {case.title!r}, which begins at line {case.line}")
    if case.keys.get("content", "the reply") != "the reply" or {"content"} <= case.keys.keys() & case.parts.keys():
        raise Unreadable("`content:` is `the reply`, or a part")
    if case.keys.get("begins", "in reasoning") != "in reasoning":
        raise Unreadable("a reply begins `in reasoning` or says nothing")
    for name in names(case.keys["tools"]):
        if name not in TOOLS:
            raise Unreadable(f"no tool {name!r} in tests/wire/tools.json")
    for line in case.parts.get("calls", "").split("\n") if "calls" in case.parts else []:
        _call_line(case, line)


def _call_line(case: Case, line: str) -> None:
    if not line.startswith("  "):
        name, _, written = line.partition(" ")
        case.calls.append(Wanted(name, json.loads(written), case.keys.get("shape", case.file)))
        return
    key, _, value = line.strip().partition(": ")
    if key not in CALL_KEYS:
        raise Unreadable(f"not a word of a call: {line!r}")
    setattr(case.calls[-1], key, tuple(names(value)) if key == "mends" else value)


def all_cases() -> list[Case]:
    return [case for path in sorted(CASES.glob("*.txt")) for case in read(path.read_bytes().decode("utf-8"), path.stem)]


def rulings() -> dict[str, str]:
    """The clauses and rulings by their names, those to come included."""
    lines = (HERE / "rulings.txt").read_text("utf-8").splitlines()
    found = (line.partition(" ") for line in lines if line and line != "not yet" and not line.startswith("#"))
    return {name: sentence for name, _, sentence in found}
