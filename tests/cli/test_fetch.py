"""Getting a model here: what is said before and meanwhile, and who agrees to terms."""

import io
import time
from pathlib import Path

import pytest

from opposable.cli.fetch import have, hint, listening
from opposable.cli.screen import Screen
from opposable.errors import ModelNotFetched
from opposable.store import Agree, Progress, StoredModel, Terms

GEMMA = "store:gemma3-270m-base"


class Keys(io.StringIO):
    """What a person types; a person is there."""

    def isatty(self) -> bool:
        return True


class Fetch:
    """A pull that asks for agreement to terms, tells progress, and brings nothing."""

    def __init__(self, *, seconds: float = 0.0) -> None:
        self.agreed = False
        self.seconds = seconds

    def __call__(self, name: str, cache: Path, *, progress: Progress, agree: Agree) -> StoredModel:
        self.agreed = agree(Terms(name, "Some Terms", "Be good.\n\x1b[2J"))
        for done in (0, 10_000_000, 98_000_000):
            time.sleep(self.seconds)
            progress(done, 98_000_000)
        return StoredModel(name, cache / "x.gguf", 1, "")


def test_it_says_what_how_much_and_where_to(tmp_path: Path) -> None:
    aside = io.StringIO()
    have("store:smollm2-135m", tmp_path, Screen(io.StringIO(), aside, Keys("y\n")), fetch=Fetch())
    assert aside.getvalue() == (
        f"store:smollm2-135m is not here yet. Fetching 93 MB to {tmp_path} (licence: Apache-2.0).\n"
        "Do you agree to them? [y/N] "
    )


def test_a_person_reads_the_terms_and_agrees(tmp_path: Path) -> None:
    out, fetch = io.StringIO(), Fetch()
    have(GEMMA, tmp_path, Screen(out, io.StringIO(), Keys("y\n")), fetch=fetch)
    assert fetch.agreed
    assert "Be good.\n[2J\n" in out.getvalue()


@pytest.mark.parametrize("typed", ["\n", "n\n", ""])
def test_anything_but_yes_is_no(typed: str, tmp_path: Path) -> None:
    fetch = Fetch()
    have(GEMMA, tmp_path, Screen(io.StringIO(), io.StringIO(), Keys(typed)), fetch=fetch)
    assert not fetch.agreed


def test_where_nobody_is_there_nobody_agrees(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFetched, match=f"opposable models pull {GEMMA}"):
        have(GEMMA, tmp_path, Screen(io.StringIO(), io.StringIO(), io.StringIO("y\n")), fetch=Fetch())


def test_one_can_agree_beforehand_to_the_terms_of_one_model(tmp_path: Path) -> None:
    fetch = Fetch()
    have(GEMMA, tmp_path, Screen(io.StringIO(), io.StringIO(), io.StringIO()), agreed=GEMMA, fetch=fetch)
    assert fetch.agreed


@pytest.mark.slow
def test_progress_is_a_line_now_and_then(tmp_path: Path) -> None:
    aside = io.StringIO()
    have(GEMMA, tmp_path, Screen(io.StringIO(), aside, io.StringIO()), agreed=GEMMA, fetch=Fetch(seconds=1.6))
    assert [line.split(" · ")[0] for line in aside.getvalue().splitlines()[1:]] == ["  10 MB of 98 MB"]


def test_servers_are_found_by_their_ports() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        began = time.monotonic()
        found = listening({port: "Ollama", 1: "nobody"})
        assert time.monotonic() - began < 1
    assert found == [f"Ollama (port {port})"]
    said = hint(found)
    assert said is not None
    assert "cannot use model servers yet" in said
    assert hint([]) is None
