"""Which tool does the embedded model use first, or none: the requests of `requests.tsv`, by each strategy.

Run it alone: `python benchmarks/bench_requests.py`. The strategy was made while looking at these requests: they show that
it works as it should, not how it does on others.
"""

import asyncio
import os
import platform
import tempfile
import time
from pathlib import Path

from opposable import assembly, settings
from opposable.contracts import Client
from opposable.face import Agent
from opposable.messages import Sampling

FILES = {
    "notes.txt": "remember the keys",
    "todo.md": "buy milk",
    "report.txt": "Sales rose.",
    "config/settings.ini": "v=3",
}
STRATEGIES = ("constrained", "prompted/plain", "prompted/hermes")


async def first_tool(client: Client, strategy: str, request: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_text(text)
        agent = Agent(
            client,
            tools=assembly.builtin_names(),
            strategy=strategy,
            sampling=Sampling(temperature=0, seed=1, max_tokens=100),
            approve=lambda _: True,
            workspace=folder,
            turns=6,
        )
        try:
            result = await agent.run(request)
        except Exception as error:
            return type(error).__name__
    return next((call.name for message in result.conversation for call in message.calls), "none")


async def main() -> None:
    client = assembly.client(assembly.stored(assembly.EMBEDDED, settings.load({}, os.environ)))
    lines = (Path(__file__).parent / "requests.tsv").read_text("utf-8").splitlines()
    requests = [line.split("\t") for line in lines]
    print(f"{time.strftime('%Y-%m-%d')} · {platform.machine()} · {os.cpu_count()} cores · {client.model}")
    for strategy in STRATEGIES:
        start, right = time.perf_counter(), 0
        for wanted, request in requests:
            found = await first_tool(client, strategy, request)
            right += found == wanted
            if found != wanted and strategy == "constrained":
                print(f"  {request}  → {found}, not {wanted}")
        seconds = (time.perf_counter() - start) / len(requests)
        print(f"{strategy:16} {right} of {len(requests)} right, {seconds:.1f} s a request", flush=True)
    await client.close()


if __name__ == "__main__":
    asyncio.run(main())
