import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.store.parts import gguf

from opposable.clients.engine import Engine, free_cores
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


def test_free_cores() -> None:
    assert 1 <= free_cores() <= (os.cpu_count() or 1)
