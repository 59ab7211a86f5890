"""Text of others, made fit to be shown. Law: what a model or a tool wrote is text, and steers no terminal."""

import unicodedata

# Scripts and emoji are joined with these two; every other format character only hides or turns text.
_JOINERS = "\u200c\u200d"


def clean(text: str) -> str:
    """The text without what a terminal would obey; characters that turn or hide text are shown as `·`."""
    return text if text.isascii() and text.isprintable() else "".join(map(_clean, text))


def _clean(character: str) -> str:
    if character in "\n\t" or character in _JOINERS:
        return character
    kind = unicodedata.category(character)
    if kind == "Cc":
        return ""
    if kind in ("Cf", "Zl", "Zp"):
        return "·"
    return "\N{REPLACEMENT CHARACTER}" if kind == "Cs" else character


def one_line(text: str, most: int) -> str:
    """The text on one line, cut to `most` characters."""
    # Only as much as can be seen: a text may be very long.
    line = " ".join(clean(text[: most * 8]).split())
    return line if len(line) <= most and len(text) <= most * 8 else f"{line[: most - 1].rstrip()}…"


def block(text: str, *, lines: int, width: int) -> list[str]:
    """The text as at most `lines` lines of at most `width` characters; the last one says how much is left out."""
    every = text.rstrip("\n").split("\n")
    shown = [line if len(line) <= width else f"{line[: width - 1]}…" for line in map(clean, every[:lines])]
    if len(every) > lines:
        shown.append(f"… {count(len(every) - lines, 'more line')}")
    return shown


def count(number: int, noun: str) -> str:
    """How many of what: `1 line`, `1,200 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def lines_in(text: str) -> str:
    """How many lines a text has, as words."""
    return count(text.count("\n") + (not text.endswith("\n") and text != ""), "line")


def size(number: int) -> str:
    """A number of bytes as megabytes, or less where it is small."""
    if number < 1_000_000:
        return f"{number / 1000:,.0f} KB" if number >= 1000 else count(number, "byte")
    return f"{number / 1e6:,.0f} MB" if number < 1e9 else f"{number / 1e9:,.1f} GB"
