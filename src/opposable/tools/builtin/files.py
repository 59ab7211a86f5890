"""Reading and writing text files of the workspace. Law: a model reaches no file outside of that folder."""

import codecs
from pathlib import Path

from opposable.errors import TryAgain
from opposable.tools.builtin.paths import parts_of
from opposable.tools.builtin.workspace import read_file, write_file
from opposable.tools.toolbox import Tool, tool

MOST_BYTES = 1_000_000
"""What may be read or written at once."""

_WIDE = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def file_tools(workspace: Path) -> tuple[Tool, ...]:
    """The tools `file_read` and `file_write`, bound to this folder. It is made when the first file is written."""

    def file_read(path: str) -> str:
        """Read a file of the workspace and show its contents.

        Args:
            path: The file to read, such as notes/result.txt.
        """
        parts = parts_of(path)
        return _text(read_file(workspace, parts, MOST_BYTES), "/".join(parts))

    def file_write(path: str, content: str) -> str:
        """Write or save text in a file of the workspace. Creates the file, or replaces it.

        Args:
            path: The file to write, such as notes/result.txt.
            content: The text to write, such as Hello.
        """
        parts = parts_of(path)
        try:
            data = content.encode("utf-8")
        except UnicodeEncodeError:
            raise TryAgain("The content has half a character (a lone surrogate): write it without.") from None
        if len(data) > MOST_BYTES:
            raise TryAgain(f"The content has {len(data):,} bytes; at most {MOST_BYTES:,} can be written. Write less.")
        replaced = write_file(workspace, parts, data)
        lines = content.count("\n") + (not content.endswith("\n") and content != "")
        said = f"wrote {_count(lines, 'line')} ({_count(len(data), 'byte')}) to {'/'.join(parts)}"
        return said + (", in place of the old file" if replaced else "")

    return tool(file_read, repeatable=True), tool(file_write, approval="ask")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _text(data: bytes, shown: str) -> str:
    if not data:
        return f"({shown} is empty)"
    try:
        if data[:2] in _WIDE:
            return f"({shown} is not UTF-8; read as UTF-16)\n{data.decode(_WIDE[data[:2]])}"
        if b"\0" not in data:
            return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    # Old text has hardly any control characters; pictures, archives and programs have many.
    odd = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in data[:8_000])
    if b"\0" in data or odd > len(data[:8_000]) * 0.02:
        raise TryAgain(f"{shown} is no text file, so it cannot be read. Choose a text file.")
    return f"({shown} is not UTF-8; read as Windows-1252)\n{data.decode('cp1252', 'replace')}"
