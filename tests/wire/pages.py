"""docs/shapes.md and docs/contests.md: the table of shapes and its cases, for people. Law: nothing is said here by hand.

`python -m tests.wire.pages` writes them.
"""

import inspect
import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from tests.markdown import code, codes, escaped, fenced, page, table
from tests.wire.golden import CASES, Case, Wanted, all_cases, rulings

from opposable.wire.bodies.tags import Tags
from opposable.wire.mend import MENDS
from opposable.wire.shapes import SHAPES
from opposable.wire.shapes.frames import CONTENT, END_TOKENS, FAKE_RESULTS, REASONING, TURN_OPENERS
from opposable.wire.shapes.shape import Section, Shape
from opposable.wire.steps import Header, Id, Maybe, Must, Name, NameBefore, Step

DOCS = Path(__file__).parents[2] / "docs"
MADE = "<!-- Made by `make docs`. Not edited by hand. -->"
PLACES = {
    "anywhere": "anywhere outside reasoning",
    "frame": "in a message to a tool",
    "line": "at the beginning of a line",
    "end": "at the end of the reply, from the beginning of a line on",
    "whole": "as the whole reply",
}
ACCESS = {"read": "only read", "read-write": "read and written"}


def shapes_page(shapes: Sequence[Shape], cases: Iterable[Case], heads: Mapping[str, str]) -> str:
    """The page of all shapes. `heads`: what each file of cases says of itself."""
    by_file: dict[str, list[Case]] = {}
    for case in cases:
        by_file.setdefault(case.file, []).append(case)
    return page(
        "# The shapes in which models write calls",
        MADE,
        f"The parser knows {len(shapes)} shapes. It is never told which one to expect: it looks for all of them at once, and "
        "where two begin alike, in the order of this page. Each is a row of the table in `src/opposable/wire/shapes/` and a "
        "file of cases in `tests/wire/cases/`; texts that two shapes could claim are [a page of their own](contests.md).",
        "## How to read this page",
        table(("what is said", "what it means"), _legend()),
        "## All of them",
        table(
            ("shape", "who writes it", "begins with", "access", "cases"),
            [
                (
                    f"[{shape.name}](#{shape.name})",
                    escaped(shape.families),
                    codes(shape.openers),
                    ACCESS[shape.access],
                    str(len(by_file.get(shape.name, ()))),
                )
                for shape in shapes
            ],
        ),
        *(_shape(shape, by_file.get(shape.name, []), heads.get(shape.name, "")) for shape in shapes),
        _frames(),
        _steps(shapes),
        _mends(),
    )


def _legend() -> list[tuple[str, str]]:
    return [
        (
            "who writes it",
            "Families of models that were taught the shape or fall into it. For people: nothing looks at it.",
        ),
        (
            "access",
            "All shapes are read wherever they are met. *Read and written*: prompts and histories can be written in it.",
        ),
        ("stands", "Where in a reply it counts."),
        (
            "begins with, ends with",
            "Markers as they are taught, then how they drift. `{name}` is the name of any offered tool.",
        ),
        ("inside", "Markers that are looked for between these two."),
        (
            "tags inside",
            "What the tags of calls, of parameters, or of keys and values beside each other are called. In a shape that "
            "names no parameters, a parameter's tag is called like the parameter.",
        ),
        ("section", "Markers around several blocks, each of which is judged by itself."),
        (
            "steps",
            "What a block is made of, in order. The steps are explained at the end, and so are the mends of values.",
        ),
        ("mends shown", "The repairs that calls in its file of cases needed. Others may happen as well."),
        ("cases", "How many replies its file holds. The example is the first of them that makes a call in this shape."),
    ]


def _shape(shape: Shape, cases: Sequence[Case], head: str) -> str:
    mends = sorted({mend for case in cases for call in case.calls if call.shape == shape.name for mend in call.mends})
    facts = [
        ("Who writes it", escaped(shape.families)),
        ("Access", ACCESS[shape.access]),
        ("Stands", PLACES.get(shape.place, shape.place)),
        ("Begins with", codes(shape.openers)),
        ("Inside", codes(inside(shape))),
        ("Tags inside", codes(tags_inside(shape))),
        ("Ends with", codes(shape.closers)),
        ("Section", _section(shape.section)),
        ("Steps", " · ".join(type(step).__name__ for step in shape.steps)),
        ("Mends shown", codes(mends)),
        ("Cases", f"{len(cases)} in `tests/wire/cases/{shape.name}.txt`"),
    ]
    example = next((case for case in cases if any(call.shape == shape.name for call in case.calls)), None)
    return page(
        f"## {shape.name}",
        escaped(head),
        "\n".join(f"- {name}: {fact}" for name, fact in facts if fact),
        *(_example(example) if example is not None else ()),
    ).rstrip("\n")


def inside(shape: Shape) -> list[str]:
    """The markers that are looked for between a block's opener and its closer."""
    texts = [text for step in shape.inner for text in looked_for(step)]
    return [text for text in texts if text.strip() and text not in shape.openers + shape.closers]


def looked_for(step: Step) -> tuple[str, ...]:
    """The texts of a step that a reply is searched for."""
    match step:
        case Maybe() | Must() | Id():
            return step.texts
        case Name() | NameBefore():
            return step.until
        case Header():
            return (step.marker,)
    return ()


def tags_inside(shape: Shape) -> list[str]:
    """What the tags in a block are called."""
    forms = [step.form for step in shape.inner if isinstance(step, Tags)]
    return [
        name
        for form in forms
        for names in (form.calls, form.parameters, form.whole, form.keys, form.values, form.types)
        for name in names
    ]


def _section(section: Section | None) -> str:
    return f"{codes(section.openers)} … {codes(section.closers)}" if section is not None else ""


def _example(case: Case) -> list[str]:
    return [f"For example, {escaped(case.title)}:", fenced(case.reply), "This makes", fenced(calls_of(case))]


def calls_of(case: Case) -> str:
    """The calls of a case, as its file writes them."""
    return case.parts.get("calls", "")


def texts_of(value: Any) -> list[str]:
    """All texts that a part of a row holds, however deep."""
    if isinstance(value, str):
        return [value]
    if is_dataclass(value):
        value = [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, Mapping):
        value = [*value.items()]
    if isinstance(value, list | tuple):
        return [text for item in value for text in texts_of(item)]
    return []


def _frames() -> str:
    reasoning = [(code(opener), codes(texts_of(closers))) for opener, closers in REASONING.items()]
    return page(
        "## What stands around calls",
        "Reasoning begins with one of these at the beginning of a line, and ends with what stands beside it. A call in it is "
        "none. Where the prompt has opened it, the closer alone is enough.",
        table(("begins with", "ends with"), reasoning),
        "What is said may stand between markers too, which are taken off. Bare JSON between them is no call.",
        table(("begins with", "ends with"), [(code(opener), codes(closers)) for opener, closers in CONTENT.items()]),
        f"These tokens end a turn, and are no content at the end of a reply: {codes(END_TOKENS)}.",
        f"These open another turn. After a token that ends one, nothing that follows counts: {codes(TURN_OPENERS)}.",
        "These begin a result that the model made up, at the beginning of a line or right after a call. No call after one "
        f"counts: {codes(FAKE_RESULTS)}.",
    ).rstrip("\n")


def _steps(shapes: Iterable[Shape]) -> str:
    kinds = {type(step).__name__: type(step) for shape in shapes for step in shape.steps}
    rows = [(kind.__name__, escaped(_says(kind))) for kind in sorted(kinds.values(), key=_defined)]
    return page("## The steps", table(("step", "what it is"), rows)).rstrip("\n")


def _defined(kind: type) -> tuple[bool, str, int]:
    """Where a kind of step is defined: what is said of some is "the same" as of the one before."""
    module = kind.__module__
    return module != Step.__module__, module, [*vars(sys.modules[module])].index(kind.__name__)


def _mends() -> str:
    rows = [(code(name), escaped(says)) for name, says in MENDS.items()]
    return page("## The mends of values", table(("mend", "what was found"), rows)).rstrip("\n")


def _says(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())


def contests_page(cases: Sequence[Case], clauses: Mapping[str, str]) -> str:
    """The page of texts that two shapes could claim."""
    offered = {tool["name"]: tool for case in cases for tool in case.tools}
    return page(
        "# Texts that two shapes could claim",
        MADE,
        f"{len(cases)} replies which two [shapes](shapes.md) could read, or a shape and plain text, and what each of them "
        "means. They are the cases of `tests/wire/cases/contests.txt`. Below a call stands its shape, and what was mended.",
        *_tools(offered),
        *(_contest(case, clauses, offered) for case in cases),
    )


def _tools(offered: Mapping[str, dict[str, Any]]) -> list[str]:
    rows = [(code(name), _parameters(tool["parameters"])) for name, tool in offered.items()]
    return ["These tools are offered, where a reply does not name fewer:", table(("tool", "parameters"), rows)]


def _parameters(schema: Mapping[str, Any] | None) -> str:
    if schema is None:
        return "not said"
    kinds = schema["properties"].items()
    said = [f"{code(key)} ({kind.get('type', 'anything')}{_must(key, schema)})" for key, kind in kinds]
    return ", ".join(said) or "none"


def _must(key: str, schema: Mapping[str, Any]) -> str:
    return ", required" if key in schema.get("required", ()) else ""


def _contest(case: Case, clauses: Mapping[str, str], offered: Collection[str]) -> str:
    names = [tool["name"] for tool in case.tools]
    told = [
        ("Content:", case.content if case.content != case.reply else None),
        ("Reasoning:", case.reasoning),
        ("Calls:", "\n".join(map(_shaped, case.calls)) or None),
        ("Rejected:", "\n".join(case.rejected) or None),
    ]
    parts = [part for name, text in told if text is not None for part in (name, fenced(text))]
    return page(
        f"## {escaped(case.title[:1].upper() + case.title[1:])}",
        f"Offered: {codes(names)}." if len(names) < len(offered) else "",
        _circumstances(case),
        fenced(case.reply),
        "" if case.content != case.reply else "All of it is content.",
        *parts,
        "Decided by:",
        "\n".join(f"- {name}: {escaped(clauses[name])}" for name in case.holds),
    ).rstrip("\n")


def _shaped(call: Wanted) -> str:
    """A call as a file of cases writes it, its shape always said."""
    notes = (("shape", call.shape), ("id", call.id), ("mends", ", ".join(call.mends)))
    said = [f"  {name}: {text}" for name, text in notes if text]
    return "\n".join((f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}", *said))


def _circumstances(case: Case) -> str:
    said = [f"cut off (finish reason {case.finish})"] if case.finish != "stop" else []
    said += ["the prompt opened the reasoning"] if case.starts_in_reasoning else []
    return f"Where {' and '.join(said)}:" if said else ""


def head_of(text: str) -> str:
    """What a file of cases says of itself."""
    return " ".join(line[2:] for line in text.partition("\n== ")[0].splitlines() if line.startswith("# "))


def pages() -> dict[Path, str]:
    """The files, as they are to be."""
    cases = all_cases()
    heads = {path.stem: head_of(path.read_bytes().decode("utf-8")) for path in sorted(CASES.glob("*.txt"))}
    contests = [case for case in cases if case.file == "contests"]
    return {
        DOCS / "shapes.md": shapes_page(SHAPES, cases, heads),
        DOCS / "contests.md": contests_page(contests, rulings()),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8", newline="\n")
        sys.stdout.write(f"{path}\n")
