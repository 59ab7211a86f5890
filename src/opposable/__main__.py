"""The program `opposable`. Law: what can be answered without loading anything is; no error of ours shows a traceback."""

import sys
from collections.abc import Sequence

from opposable import __version__


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words of the command line say; the exit code (see `opposable.cli.ends`)."""
    given = sys.argv[1:] if words is None else list(words)
    try:
        from opposable.cli.ends import guarded, prepare

        prepare()
        return guarded(lambda: _do(given))
    except KeyboardInterrupt:  # while this was loaded, or at the very end
        sys.stderr.write("interrupted\n")
        return 130


def _do(given: list[str]) -> int:
    if given in (["--version"], ["-V"]):
        sys.stdout.write(f"opposable {__version__}\n")
        return 0
    from opposable.cli.app import do

    return do(given)


if __name__ == "__main__":
    sys.exit(main())
