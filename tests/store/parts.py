"""Real parts for the tests of the store: tiny GGUF files, wheels of them, and two servers on loopback."""

import hashlib
import struct
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opposable.store.catalogue import Card, Papers, Part


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, value: object) -> bytes:
    head = text(key)
    if isinstance(value, str):
        return head + struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        return head + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(item) for item in value)
    return head + struct.pack("<II", 4, value)


def gguf(pairs: dict[str, object] | None = None, *, weights: bytes = b"", version: int = 3) -> bytes:
    facts = {"general.architecture": "llama", "llama.context_length": 2048, **(pairs or {})}
    tensor = text("token_embd.weight") + struct.pack("<IQQIQ", 2, 16, 10, 0, 0)
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(facts))
    return head + b"".join(pair(key, value) for key, value in facts.items()) + tensor + weights


def wheel(folder: Path, package: str, members: dict[str, bytes], version: str = "1.0") -> Path:
    stem = f"{package.replace('-', '_')}-{version}"
    path = folder / f"{stem}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
    about = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        archive.writestr(f"{stem}.dist-info/METADATA", metadata)
        archive.writestr(f"{stem}.dist-info/WHEEL", about)
        archive.writestr(f"{stem}.dist-info/RECORD", "")
    return path


def card(folder: Path, content: bytes, *, parts: int = 1, terms: str | None = None, **changes: Any) -> Card:
    """A card named `tiny`, with its wheels in `folder`."""
    step = -(-len(content) // parts)
    pieces = [content[start : start + step] for start in range(0, len(content), step)]
    made = []
    for number, piece in enumerate(pieces):
        path = wheel(folder, f"tiny-part{number}", {f"tiny/part{number}": piece})
        made.append(Part(f"tiny-part{number}", "1.0", f"tiny/part{number}", path.stat().st_size))
    papers = None
    if terms is not None:
        wheel(folder, "tiny-papers", {"tiny/TERMS.html": terms.encode(), "tiny/NOTICE.md": b"Notice\n"})
        papers = Papers("tiny-papers", "1.0", ("tiny/TERMS.html", "tiny/NOTICE.md"), "Tiny Terms")
    facts: dict[str, Any] = {
        "name": "tiny",
        "about": "a tiny one",
        "licence": "MIT",
        "file": "tiny.gguf",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "parts": tuple(made),
        "papers": papers,
    }
    return Card(**{**facts, **changes})


class Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(handler: type[Quiet]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def slow_index(folder: Path, *, pieces: int = 20, pause: float = 0.1) -> type[Quiet]:
    """A package index (PEP 503) that gives each wheel of `folder` slowly."""

    class Index(Quiet):
        def do_GET(self) -> None:
            name = self.path.strip("/").split("/")[-1]
            if name.endswith(".whl"):
                data = (folder / name).read_bytes()
                self._begin("application/octet-stream", len(data))
                step = -(-len(data) // pieces)
                for start in range(0, len(data), step):
                    self.wfile.write(data[start : start + step])
                    self.wfile.flush()
                    time.sleep(pause)
            else:
                found = [path.name for path in folder.glob(f"{name.replace('-', '_')}-*.whl")]
                page = "".join(f'<a href="/files/{file}">{file}</a>' for file in found).encode()
                self._begin("text/html", len(page))
                self.wfile.write(page)

        def _begin(self, kind: str, size: int) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(size))
            self.end_headers()

    return Index


def hub(files: dict[str, bytes], *, asked: list[tuple[str, str, str | None]], etag: str | None = None) -> type[Quiet]:
    """The hub's resolve protocol for the repository `anna/tiny`: a redirect to the bytes, ranges, its error codes.

    `asked` takes the method, path and range of each request.
    """
    commit = "1" * 40

    class Hub(Quiet):
        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            asked.append((self.command, self.path, self.headers.get("Range")))
            if self.path.startswith("/cdn/"):
                self._bytes(files[self.path.removeprefix("/cdn/")])
                return
            owner_repo, _, rest = self.path.lstrip("/").partition("/resolve/")
            file = rest.partition("/")[2]
            if owner_repo == "anna/gated":
                self._end(403, {"X-Error-Code": "GatedRepo"})
            elif owner_repo != "anna/tiny":
                self._end(404, {"X-Error-Code": "RepoNotFound"})
            elif file not in files:
                self._end(404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
            else:
                # The bytes are on another host, as with the real one: only then do clients look at this answer's headers.
                host = self.headers["Host"].replace("127.0.0.1", "localhost")
                self._end(
                    302,
                    {
                        "X-Repo-Commit": commit,
                        "X-Linked-Size": str(len(files[file])),
                        "X-Linked-Etag": f'"{etag or hashlib.sha256(files[file]).hexdigest()}"',
                        "Location": f"http://{host}/cdn/{file}",
                    },
                )

        def _bytes(self, data: bytes) -> None:
            wanted = self.headers.get("Range")
            start = int(wanted.removeprefix("bytes=").split("-")[0]) if wanted else 0
            headers = {"Content-Length": str(len(data) - start)}
            if wanted:
                headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
            self.send_response(206 if wanted else 200)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data[start:])

        def _end(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

    return Hub
