"""The terms that come with some weights, as text to be read before these are fetched. Law: nothing is left out."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

_UNSEEN = frozenset({"script", "style", "head", "template", "noscript", "svg"})
_BLOCKS = frozenset({"p", "div", "br", "li", "ul", "ol", "h1", "h2", "h3", "h4", "tr", "table", "section", "article"})


@dataclass(frozen=True, slots=True)
class Terms:
    """What a person agrees to: the model's name, the terms' title, and their whole `text`."""

    model: str
    title: str
    text: str


class _Text(HTMLParser):
    """The visible text of a page; where the page marks its article, that alone."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.article: list[str] = []
        self._unseen = 0
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        if tag == "div" and (self._depth or "article-body" in (dict(attrs).get("class") or "")):
            self._depth += 1
        if tag in _BLOCKS:
            self._put("\n- " if tag == "li" else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        if tag in _BLOCKS:
            self._put("\n")
        if tag == "div" and self._depth:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._put(re.sub(r"\s+", " ", data))

    def _put(self, text: str) -> None:
        self.pieces.append(text)
        if self._depth:
            self.article.append(text)


def page_text(html: str) -> str:
    """The text of a page of HTML: its article where it marks one, else all that is seen."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    text = "".join(parser.article or parser.pieces)
    lines = [line.strip() for line in text.splitlines()]
    joined = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    return re.sub(r"^-\n+", "- ", joined, flags=re.MULTILINE).strip()


def read_terms(model: str, title: str, papers: list[Path]) -> Terms:
    """Terms from the files that came with a model, in order, HTML as plain text."""
    texts = []
    for paper in papers:
        raw = paper.read_text(encoding="utf-8", errors="replace")
        texts.append(page_text(raw) if paper.suffix == ".html" else raw.strip())
    return Terms(model, title, "\n\n".join(texts))
