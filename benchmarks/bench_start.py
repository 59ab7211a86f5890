"""How long it takes to start: whole processes from outside, the median of nine runs; and what the model does then.

Run it alone: `.venv/bin/python benchmarks/bench_start.py`. The model is fetched if it is not here.
"""

import asyncio
import os
import platform
import statistics
import subprocess
import sys
import time

from opposable import assembly, settings
from opposable.messages import Completion, Message, Request, Sampling

RUNS = 9
COMMANDS = {
    "python -c 'pass'": ["-c", "pass"],
    "import opposable": ["-c", "import opposable"],
    "opposable.parse(…)": ["-c", "import opposable; opposable.parse('hello')"],
    "opposable --version": ["-m", "opposable", "--version"],
    "opposable --help": ["-m", "opposable", "--help"],
    "opposable models": ["-m", "opposable", "models"],
}


# As at a user's: modules are compiled once and kept, even where this environment keeps none.
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=COMPILED)
    return time.perf_counter() - start


async def model_speed() -> tuple[float, float]:
    """Seconds from nothing to the first token, and tokens a second after it."""
    client = assembly.client(assembly.stored(assembly.EMBEDDED, settings.load({}, os.environ)))
    start = time.perf_counter()
    first, tokens, end = 0.0, 0, 0.0
    request = Request((Message("user", "Why is the sky blue?"),), sampling=Sampling(temperature=0, max_tokens=128))
    async for piece in client.stream(request):
        first = first or time.perf_counter()
        end = time.perf_counter()
        if isinstance(piece, Completion):
            tokens = piece.usage.completion_tokens
    await client.close()
    return first - start, (tokens - 1) / (end - first)


def main() -> None:
    print(
        f"{time.strftime('%Y-%m-%d')} · {platform.machine()} · {os.cpu_count()} cores · Python {platform.python_version()}"
    )
    for name, arguments in COMMANDS.items():
        seconds(arguments)
        times = [seconds(arguments) for _ in range(RUNS)]
        middle, least, most = (1000 * of(times) for of in (statistics.median, min, max))
        print(f"{name:22} {middle:6.0f} ms   (least {least:.0f}, most {most:.0f})")
    first, speed = asyncio.run(model_speed())
    print(f"{assembly.EMBEDDED}: {first:.2f} s from nothing to the first token, then {speed:.0f} tokens/s")


if __name__ == "__main__":
    main()
