"""`python -m tests.fuzz.guided`: inputs that are led by what of the parser they reach. Needs atheris; see `make fuzz`.

Law: what holds is held by the same laws; only the choices come from elsewhere. The arguments are libFuzzer's own.
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["opposable.wire"]):
    from tests.fuzz.__main__ import show
    from tests.fuzz.dice import told
    from tests.fuzz.inputs import Input, cuts, made
    from tests.fuzz.laws import broken
    from tests.fuzz.offers import OFFERS
    from tests.fuzz.shrink import smallest
    from tests.fuzz.words import JSON_PIECES, MARKERS, OTHER_PIECES, TAG_PIECES

FINISHES = ("stop", "length", None)
HEAD = 6
"""How many bytes say how a text is read."""


def given(data: bytes) -> Input:
    """The first byte tells: the others are the choices of the generator, or how the text is read, and the text itself."""
    if data[:1] < b"\x40":
        return made(told(data[1:]))
    dice, text = told(data[1 : HEAD + 1]), data[HEAD + 1 :].decode("utf-8", "replace")
    tools, finish, starts = dice.one(OFFERS), dice.one(FINISHES), dice.chance(0.2)
    return Input(tools, text, finish, starts, None, tuple(range(1, len(text))) if data[0] & 1 else cuts(dice, text))


def hold(data: bytes) -> None:
    """Hold the input to the laws. Errors: AssertionError, after it was told."""
    one = given(data)
    fault = broken(one)
    if fault is not None:
        show(smallest(one))
        raise AssertionError(f"law `{fault.law}`: {fault.how}")


def write_dictionary(file: Path) -> None:
    """What the parser knows, as libFuzzer takes it: a text a line, bytes that are no plain signs as \\xNN."""
    texts = dict.fromkeys((*MARKERS, *JSON_PIECES, *TAG_PIECES, *OTHER_PIECES))
    lines = (
        "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in text.encode())
        for text in texts
    )
    file.write_text("".join(f'"{line}"\n' for line in lines), "ascii")


def main() -> None:
    dictionary = Path(sys.argv[1])
    dictionary.parent.mkdir(parents=True, exist_ok=True)
    write_dictionary(dictionary)
    atheris.Setup([sys.argv[0], f"-dict={dictionary}", *sys.argv[2:]], hold)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
