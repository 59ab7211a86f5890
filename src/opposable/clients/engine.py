"""The engine: llama.cpp loaded into this process, worked by one thread. Law: it takes nothing from its host process.

Not its Ctrl-C: llama.cpp's server sets signal handlers as it starts, which are put back at once. Not its output: its
log is off; what remains are lines on stderr where it cannot read a grammar. Not its exit: it stops within a token.
The server also listens, which this build cannot turn off: so it does on a socket in a folder that only this user can
enter (on Windows, or where that folder's path is too long for a socket, on a random loopback port), and wants a random
key (see docs/decisions/007).
"""

import contextlib
import ctypes
import http.client
import json
import os
import queue
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opposable.errors import ClientRefused, ClientUnavailable, ModelNotFound, ModelUnusable, OpposableError

Chunk = Mapping[str, Any]
"""A chunk of a streamed answer, as in the OpenAI dialect."""

# Stopping waits for the batch under way: small enough to stop soon, large enough to read a long question quickly.
_BATCH = 128
_CACHE_MIB = 512
# Keywords that cannot be held are left out, where else the whole schema would be. The spacing is that of `json.dumps`,
# which models have read most of; free white space is where small models get lost.
_GUIDANCE = {"lenient": True, "whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
# The longest path that a Unix socket may have on every system, with some room.
_SOCKET_PATH = 100


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A request to the engine. `say` is told each chunk, an error if there is one, and None at the end, in a thread."""

    body: dict[str, Any]
    schema: Mapping[str, Any] | None
    say: Callable[[Chunk | OpposableError | None], None]
    stop: threading.Event = field(default_factory=threading.Event)


class Engine:
    """A model in this process. Loads at the first request; requests wait their turn. `threads`: None for free cores."""

    def __init__(self, path: Path, *, context: int, threads: int | None, template: str | None) -> None:
        self.path = path
        self.context: int | None = None
        self._context = context
        self._threads = threads
        self._template = template
        self._key = secrets.token_urlsafe(32)
        self.address = ""
        self._folder: str | None = None
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._open: set[Job] = set()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._loaded: Future[None] = Future()

    def load(self) -> Future[None]:
        """Begin to load, if nobody has; done when the model is there. Errors: ClientUnavailable after `close`."""
        with self._lock:
            if self._closed:
                raise ClientUnavailable("This model was closed. Make a new client to ask it again.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="opposable-llama", daemon=True)
                self._thread.start()
        return self._loaded

    def submit(self, job: Job) -> None:
        """Hand in a job. Errors: ClientUnavailable after `close`; all others are said to the job."""
        # As one with the load: after the end that a `close` in another thread puts behind it, nobody would serve it.
        with self._lock:
            self.load()
            self._open.add(job)
            self._jobs.put(job)

    def close(self) -> None:
        """Stop what runs, let go of the model and wait until both is done."""
        with self._lock:
            self._closed = True
            thread = self._thread
        for job in list(self._open):
            job.stop.set()
        self._jobs.put(None)
        # The collector may close a forgotten client in any thread, this one included.
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def count(self, text: str) -> int:
        """How many tokens the model makes of `text`; blocks, and wants a loaded model. Errors: ClientUnavailable."""
        return len(self._ask("POST", "/tokenize", {"content": text})["tokens"])

    def _work(self) -> None:
        try:
            server, problem = self._start(), None
            self._loaded.set_result(None)
        except OpposableError as error:
            server, problem = None, error
            self._loaded.set_exception(error)
        while (job := self._jobs.get()) is not None:
            if problem is not None:
                job.say(problem)
            elif not job.stop.is_set():
                _serve(server, job)
            job.say(None)
            self._open.discard(job)
        del server
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> Any:
        if not self.path.is_file():
            raise ModelNotFound(f"There is no file {self.path}. Pull the model again, or check its path.")
        try:
            import xllamacpp
        except ImportError as error:
            raise ClientUnavailable(
                "Models in this process are run by xllamacpp, which is not installed: pip install 'opposable[local]'"
            ) from error
        _warm(self.path)
        try:
            with _own_signals():
                server = xllamacpp.Server(self._parameters(xllamacpp))
        except (RuntimeError, ValueError, MemoryError) as error:
            raise ModelUnusable(
                f"llama.cpp cannot load {self.path}: the file is broken, or this build does not know its architecture, "
                f"or a context of {self._context:,} tokens needs more memory than there is. Fetch the file again, make "
                "xllamacpp newer, or set a smaller context."
            ) from error
        self.address = server.listening_address
        self.context = int(self._ask("GET", "/props")["default_generation_settings"]["n_ctx"])
        return server

    def _parameters(self, xllamacpp: Any) -> Any:
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(self.path)
        parameters.n_ctx = self._context
        parameters.n_parallel = 1
        parameters.n_batch = _BATCH
        threads = self._threads or free_cores()
        parameters.cpuparams.n_threads = threads
        parameters.cpuparams_batch.n_threads = threads
        parameters.cache_ram_mib = _CACHE_MIB
        parameters.warmup = False
        parameters.verbosity = -1
        # What a reply means is our parser's to say, so it must come as the model wrote it.
        parameters.reasoning_format = xllamacpp.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
        if self._template is not None:
            parameters.chat_template = self._template
        parameters.api_keys = [self._key]
        parameters.ui = False
        parameters.endpoint_slots = False
        parameters.n_threads_http = 2
        if hasattr(socket, "AF_UNIX") and sys.platform != "win32":
            self._folder = tempfile.mkdtemp(prefix="opposable-")
            address = str(Path(self._folder) / "llama.sock")
            if len(os.fsencode(address)) <= _SOCKET_PATH:
                parameters.hostnames = [address]
        return parameters

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = _connect(self.address)
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise ClientUnavailable(
                f"The engine of {self.path.name} does not answer ({error}). Start again."
            ) from error
        finally:
            connection.close()
        if response.status != 200:
            raise ClientUnavailable(f"The engine of {self.path.name} refused {path} (status {response.status}).")
        return json.loads(data)


def _serve(server: Any, job: Job) -> None:
    def heard(chunk: Chunk) -> bool:
        if not job.stop.is_set():
            job.say(chunk)
        return job.stop.is_set()

    try:
        if job.schema is not None:
            import xllamacpp

            # As a grammar it holds for the new text alone; as a response format it would take a begun answer for JSON.
            job.body["grammar"] = xllamacpp.json_schema_to_grammar({"x-guidance": _GUIDANCE, **job.schema})
        server.handle_chat_completions(job.body, heard)
    except (RuntimeError, ValueError, TypeError) as error:
        job.say(ClientRefused(f"llama.cpp refused the request: {str(error).strip()}. Change what it names."))


def _warm(path: Path) -> None:
    """Read the file through once, for the loading proper holds the interpreter still, and then finds it in memory."""
    with path.open("rb", buffering=0) as file:
        buffer = bytearray(2**22)
        while file.readinto(buffer):
            pass


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Keep Python's handlers of SIGINT and SIGTERM, whatever is set meanwhile; works in any thread."""
    api = ctypes.pythonapi
    api.PyOS_getsig.restype = ctypes.c_void_p
    api.PyOS_getsig.argtypes = [ctypes.c_int]
    api.PyOS_setsig.restype = ctypes.c_void_p
    api.PyOS_setsig.argtypes = [ctypes.c_int, ctypes.c_void_p]
    kept = {number: api.PyOS_getsig(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            api.PyOS_setsig(number, handler)
        if sys.platform == "win32":
            # There the engine's handler cannot be taken out, but one that was set later is asked first.
            ctypes.windll.kernel32.SetConsoleCtrlHandler(_CONSOLE_HANDLER, 1)


if sys.platform == "win32":
    import _thread

    @ctypes.WINFUNCTYPE(ctypes.c_int, ctypes.c_uint)
    def _CONSOLE_HANDLER(event: int) -> int:  # noqa: N802
        if event != 0:
            return 0
        _thread.interrupt_main()
        return 1


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _connect(address: str) -> http.client.HTTPConnection:
    scheme, _, rest = address.partition("://")
    return _SocketConnection(rest) if scheme == "unix" else http.client.HTTPConnection(rest, timeout=60)


def free_cores() -> int:
    """How many cores this process may use and nobody keeps busy; at least 1. More threads than that slow all down."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        load = 0.0
    return max(1, cores - round(load))
