import os
import subprocess
import sys
import time
from pathlib import Path

from opposable.held import held_folder, sweep

SRC = Path(__file__).parents[1] / "src"


def aged(folder: Path) -> None:
    old = time.time() - 60
    os.utime(folder / ".held", (old, old))


def test_a_folder_goes_at_the_end(tmp_path: Path) -> None:
    with held_folder(tmp_path, "x-") as folder:
        (folder / "file").write_text("x")
        assert folder.parent == tmp_path
    assert not folder.exists()


def test_only_what_nobody_holds_is_swept(tmp_path: Path) -> None:
    other = tmp_path / "x-of-a-person"
    other.mkdir()
    killed = "import os, sys; from pathlib import Path; from opposable.held import held_folder\n"
    killed += "with held_folder(Path(sys.argv[1]), 'x-'): os._exit(0)"
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    subprocess.run([sys.executable, "-c", killed, tmp_path], env=environment, check=True)
    (left,) = set(tmp_path.iterdir()) - {other}
    sweep(tmp_path, "x-")
    assert left.exists()  # it could be one that is just being made
    with held_folder(tmp_path, "x-") as mine:
        aged(mine)
        aged(left)
        sweep(tmp_path, "x-")
        assert set(tmp_path.iterdir()) == {other, mine}
