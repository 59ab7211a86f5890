import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.store.parts import gguf

from opposable.clients.engine import Engine, free_cores
from opposable.clients.llamacpp import LlamaCpp
from opposable.errors import ClientUnavailable
from opposable.messages import Constraint, Message, Request, Sampling
from opposable.store import StoredModel

SRC = Path(__file__).parents[2] / "src"

START = """
import asyncio, sys
from pathlib import Path
from opposable.clients.llamacpp import LlamaCpp
from opposable.messages import Constraint, Message, Request, Sampling
client = LlamaCpp(Path(sys.argv[1]), "m", context=1024, threads=1)
def request(most, **changes):
    return Request((Message("user", "Tell me a story."),), sampling=Sampling(max_tokens=most), **changes)
"""


def start(model: Path, script: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-c", START + script, str(model)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


@pytest.mark.model
def test_the_process_ends_cleanly_and_says_nothing(small_model: StoredModel) -> None:
    script = """
async def main():
    async for piece in client.stream(request(3)):
        pass
    print(piece.finish_reason)
asyncio.run(main())
"""
    process = start(small_model.path, script)
    assert process.communicate(timeout=60) == ("length\n", "")
    assert process.returncode == 0


@pytest.mark.model
def test_the_process_ends_cleanly_in_the_middle_of_an_answer(small_model: StoredModel) -> None:
    script = """
async def main():
    async for piece in client.stream(request(900, constraint=Constraint(gbnf='root ::= "a " root'))):
        print(flush=True)
        sys.exit(7)
asyncio.run(main())
"""
    process = start(small_model.path, script)
    assert process.communicate(timeout=60) == ("\n", "")
    assert process.returncode == 7


@pytest.mark.model
def test_what_cannot_be_read_is_not_said_on_stdout(small_model: StoredModel) -> None:
    script = """
async def main():
    async for piece in client.stream(request(3, constraint=Constraint(gbnf="root ::= nothing"))):
        pass
try:
    asyncio.run(main())
except Exception as error:
    print(type(error).__name__)
"""
    process = start(small_model.path, script)
    assert process.communicate(timeout=60)[0] == "ClientRefused\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.model
def test_interrupts_are_pythons(small_model: StoredModel) -> None:
    script = """
async def main():
    async for piece in client.stream(request(900, constraint=Constraint(gbnf='root ::= "a " root'))):
        print("on", flush=True)
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = start(small_model.path, script)
    assert process.stdout
    assert process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGINT)
    said, problems = process.communicate(timeout=30)
    assert said.endswith("interrupted\n")
    assert (process.returncode, problems) == (0, "")


def test_a_python_without_the_engine(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    python = bare / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf())
    script = (
        START + "async def main():\n    async for _ in client.stream(request(3)):\n        pass\nasyncio.run(main())"
    )
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run(
        [python, "-c", script, path], env=environment, capture_output=True, text=True, check=False, timeout=30
    )
    assert done.stderr.splitlines()[-1].startswith("opposable.errors.ClientUnavailable")
    assert "pip install 'opposable[local]'" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets in Python there")
@pytest.mark.model
def test_nobody_else_can_knock(small_model: StoredModel) -> None:
    engine = Engine(small_model.path, context=256, threads=1, template=None)
    engine.load().result(60)
    scheme, _, path = engine.address.partition("://")
    assert scheme == "unix"
    assert Path(path).parent.stat().st_mode & 0o077 == 0
    engine.close()
    assert not Path(path).parent.exists()


class Broken(Mapping[str, Any]):
    """A schema that cannot be read, in a way that nobody expects."""

    def __getitem__(self, key: str) -> Any:
        raise MemoryError

    def __iter__(self) -> Iterator[str]:
        return iter(["type"])

    def __len__(self) -> int:
        return 1


async def asked(client: LlamaCpp, **changes: Any) -> str:
    said = Request((Message("user", "Hi"),), sampling=Sampling(max_tokens=2), **changes)
    return "".join([getattr(piece, "text", "") async for piece in client.stream(said)])


@pytest.mark.model
def test_what_nobody_expects_is_told_and_the_next_question_is_served(small_model: StoredModel) -> None:
    async def main() -> None:
        client = LlamaCpp(small_model.path, "m", context=256, threads=1)
        with pytest.raises(ClientUnavailable, match="MemoryError"):
            await asked(client, constraint=Constraint(schema=Broken()))
        assert await asked(client)
        await client.close()

    asyncio.run(asyncio.wait_for(main(), 60))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.model
def test_a_close_at_once_after_a_load_never_hangs(small_model: StoredModel) -> None:
    for _ in range(100):
        engine = Engine(small_model.path, context=256, threads=1, template=None)
        engine.load().result(60)
        engine.close()


@pytest.mark.skipif(sys.platform != "linux", reason="a file that is there and cannot be read")
def test_a_load_that_fails_is_told_to_everyone() -> None:
    pytest.importorskip("xllamacpp")

    async def main() -> None:
        client = LlamaCpp(Path("/proc/self/mem"), "m", context=256, threads=1)
        for _ in range(2):
            with pytest.raises(ClientUnavailable, match="OSError"):
                await asked(client)
        with pytest.raises(ClientUnavailable, match="OSError"):
            await client.count_tokens("x")
        await client.close()

    asyncio.run(asyncio.wait_for(main(), 30))


@pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets in Python there")
@pytest.mark.model
def test_no_folder_for_the_socket(small_model: StoredModel) -> None:
    script = """
import tempfile
tempfile.tempdir = "/nowhere"
async def main():
    async for piece in client.stream(request(3)):
        pass
try:
    asyncio.run(main())
except Exception as error:
    print(type(error).__name__, "/nowhere" in str(error))
"""
    assert start(small_model.path, script).communicate(timeout=60) == ("ClientUnavailable True\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="has no fork")
@pytest.mark.model
def test_a_forked_process_is_told_and_ends(small_model: StoredModel) -> None:
    script = """
import os, warnings
warnings.simplefilter("ignore")
async def main(most):
    async for piece in client.stream(request(most)):
        pass
async def count():
    await client.count_tokens("x")
asyncio.run(main(2))
child = os.fork()
if child:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    asyncio.run(main(2))
    asyncio.run(client.close())
else:
    for ask in (main(2), count()):
        try:
            asyncio.run(ask)
        except Exception as error:
            print(type(error).__name__, flush=True)
    asyncio.run(client.close())
    sys.exit(5)
"""
    process = start(small_model.path, script)
    said, problems = process.communicate(timeout=60)
    assert (said, problems, process.returncode) == ("ClientUnavailable\nClientUnavailable\n5\n", "", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets in Python there")
@pytest.mark.model
def test_what_a_killed_process_left_is_swept(small_model: StoredModel, tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="oppo-"))  # shorter than tmp_path, as sockets must be
    script = f"""
import os, signal, tempfile
tempfile.tempdir = {str(folder)!r}
async def main(kill):
    async for piece in client.stream(request(2)):
        pass
    if kill:
        os.kill(os.getpid(), signal.SIGKILL)
"""
    try:
        killed = start(small_model.path, f"{script}asyncio.run(main(True))")
        killed.communicate(timeout=60)
        assert killed.returncode == -signal.SIGKILL
        (left,) = folder.iterdir()
        assert (left / "llama.sock").exists()
        old = time.time() - 60
        os.utime(left / ".held", (old, old))
        assert start(small_model.path, f"{script}asyncio.run(main(False))").communicate(timeout=60) == ("", "")
        assert not list(folder.iterdir())
    finally:
        shutil.rmtree(folder)


def test_free_cores() -> None:
    assert 1 <= free_cores() <= (os.cpu_count() or 1)
