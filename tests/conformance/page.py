"""docs/conformance.md: how this parser does on CanIToolCall's fixtures and on other engines' tests, and why it differs.

The reasons stand in `reasons.txt`, kept by hand, a line each: the fixture's id, the clause or ruling that decides
otherwise (or `not yet`), and a sentence. `python -m tests.conformance.page` writes the page; of the reasons it takes out
what passes now, and puts at the end, as `not yet`, what fails and has none.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import canitoolcall
from canitoolcall.results import Status
from tests.conformance import peers
from tests.conformance.harness import Judged, all_judged, failing
from tests.markdown import code, escaped, page, table
from tests.wire.golden import rulings

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "conformance.md"
REASONS = HERE / "reasons.txt"
NOT_YET = "not yet"


class Score(NamedTuple):
    """How many fixtures somebody read, and how many of them pass, or pass softly."""

    name: str
    fixtures: int
    passed: int
    softly: int

    @property
    def failed(self) -> int:
        return self.fixtures - self.passed - self.softly

    @property
    def cells(self) -> list[str]:
        return [self.name, *map(str, (self.fixtures, self.passed, self.softly, self.failed))]


ENGINES = (
    Score("vLLM 0.30.0", 469, 268, 86),
    Score("SGLang 0.5.20", 448, 189, 62),
    Score("llama.cpp a25c9865", 438, 278, 46),
    Score("Ollama 7af39318", 261, 224, 10),
)
"""What the package's README says of engines, for its snapshot of 2026-09-25."""


class Reason(NamedTuple):
    """Why a fixture fails. `clause`: the one of our contract that decides otherwise, or `not yet`."""

    clause: str
    sentence: str


UNKNOWN = Reason(NOT_YET, "Not yet looked at.")


def read(text: str) -> dict[str, Reason]:
    """The reasons of a file, by fixture. Errors: ValueError, where a line is none or its fixture stands there twice."""
    found: dict[str, Reason] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fixture, *rest = (part.strip() for part in line.split("|", 2))
        if len(rest) != 2 or not all((fixture, *rest)) or fixture in found:
            raise ValueError(f"line {number}: not `fixture | clause | sentence`, or twice: {line!r}")
        found[fixture] = Reason(*rest)
    return found


def kept(text: str, failing_ids: Sequence[str]) -> str:
    """The file of reasons without what passes now; what fails and has no reason stands at the end."""
    told = read(text)
    lines = [line for line in text.splitlines() if line.startswith("#") or not line or _id(line) in failing_ids]
    lines += [f"{fixture} | {UNKNOWN.clause} | {UNKNOWN.sentence}" for fixture in failing_ids if fixture not in told]
    return "\n".join(lines) + "\n"


def _id(line: str) -> str:
    return line.split("|", 1)[0].strip()


def score(name: str, results: Sequence[Judged]) -> Score:
    """How these results add up."""
    count = Counter(result.status for result in results)
    return Score(name, len(results), count[Status.PASS], count[Status.SOFT_PASS])


def written(results: Sequence[Judged], reasons: Mapping[str, Reason]) -> str:
    """The page."""
    cases, kinds = peers.read(peers.PEERS.read_text("utf-8"))
    ours = score("**Opposable, told nothing**", results)
    return page(
        "# Conformance",
        "<!-- Made by `make docs`. Not edited by hand. -->",
        "What this parser makes of replies that others have collected, and where it decides otherwise, by which clause of its "
        "contract.",
        "## CanIToolCall",
        f"CanIToolCall (the package `canitoolcall` {canitoolcall.__version__}) is a collection of "
        f"{ours.fixtures} replies of models, with the tools that were offered and what a parser should make of them. Its own "
        "checks judge (`canitoolcall.checks`, normalisation soft-v1: a soft pass differs in outer white space only). "
        "`make check-all` runs them all; `tests/conformance/harness.py` is how.",
        "This parser is told no family and no model: only the tools, the text, whether it was cut off, and whether the prompt "
        "ended in an open marker of reasoning. Every text is read whole, in one delta, character by character and in seeded "
        "random pieces, and a fixture counts by the worst of these. The package's own way of cutting, between tokens, needs "
        "the tokenizers of all models, so here a text may be cut anywhere, also within a marker.",
        f"**{ours.passed + ours.softly} of {ours.fixtures} are read as the collection wants them: {ours.passed} pass, "
        f"{ours.softly} pass softly, {ours.failed} fail.** {_streaming(results)}",
        "### By family",
        _families(results),
        "### Beside four engines",
        "The engines' numbers are those that the package's README publishes (snapshot 2026-09-25). They are told the family, "
        "are judged on the fixtures of the families that they have a parser for, and their text is cut between tokens only. "
        "They follow policies of their own, as this parser does, so this ranks nobody.",
        _engines((ours, *ENGINES)),
        "### What fails, and why",
        "Decided by: the clause or ruling of this parser's contract that decides otherwise than the fixture. The clauses are "
        "listed at the end.",
        *_failures(failing(results), reasons),
        *peers.section(cases, kinds),
        "## What is not measured",
        "How often a model writes a sound call, and whether the call is a wise one: that is the model's affair, not the "
        "parser's. Replies nobody recorded: the collections are of families that were popular when they were made, and of "
        "what had gone wrong with them. How an engine's tokenizer cuts a stream: here a text is cut anywhere. Speed is "
        "measured by `make bench`, that time is linear by the tests.",
        "## Do it again",
        "`make setup`, then `.venv/bin/python -m tests.conformance.page`: it reads all fixtures anew and writes this page. "
        "`.venv/bin/python -m tests.conformance.harness WORD` shows each failing fixture whose name contains the word, with "
        "what the package's checks say, and `opposable parse --explain` shows of any reply how it was read. `make check-all` "
        "fails where a fixture passes no longer, differs when it is streamed, or has no reason here. What other engines "
        "recorded can be compared only where these files are; the kinds and their cases are in `tests/conformance/peers.txt`.",
        _clauses([*(reason.clause for reason in reasons.values()), *(kind.clause for kind in kinds)]),
    )


def _streaming(results: Iterable[Judged]) -> str:
    unlike = [result.id for result in results if result.unlike]
    return f"Streamed unlike whole: {', '.join(map(code, unlike)) or 'none'}."


def _by_family(results: Iterable[Judged]) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for result in results:
        found.setdefault(result.fixture.family, []).append(result)
    return found


def _families(results: Iterable[Judged]) -> str:
    rows = [score(family, of).cells for family, of in _by_family(results).items()]
    return table(("family", "fixtures", "pass", "soft pass", "fail"), rows)


def _engines(scores: Iterable[Score]) -> str:
    rows = [[*of.cells, f"{100 * (of.passed + of.softly) / of.fixtures:.0f} %"] for of in scores]
    return table(("parser", "fixtures", "pass", "soft pass", "fail", "pass or soft pass"), rows)


def _failures(results: Iterable[Judged], reasons: Mapping[str, Reason]) -> list[str]:
    parts: list[str] = []
    for family, of in _by_family(results).items():
        told = {result.id.partition("/")[2]: reasons.get(result.id, UNKNOWN) for result in of}
        rows = [(code(name), why.clause, escaped(why.sentence)) for name, why in told.items() if why != UNKNOWN]
        rest = [code(name) for name, why in told.items() if why == UNKNOWN]
        parts += [
            f"#### {family}",
            table(("fixture", "decided by", "why"), rows) if rows else "",
            f"Not yet: {', '.join(rest)}." if rest else "",
        ]
    return parts or ["Nothing."]


def _clauses(used: Sequence[str]) -> str:
    rows = [f"- {clause}: {escaped(says)}" for clause, says in rulings().items() if clause in used]
    return "\n".join(["## The clauses", "", *rows]) if rows else ""


def main() -> None:
    results = all_judged()
    reasons = kept(REASONS.read_text("utf-8"), [result.id for result in failing(results)])
    REASONS.write_text(reasons, "utf-8", newline="\n")
    PAGE.write_text(written(results, read(reasons)), "utf-8", newline="\n")
    sys.stdout.write(f"{PAGE}\n")


if __name__ == "__main__":
    main()
