"""Model servers on this machine, for a hint. Law: a look takes a moment, asks nothing, and believes nothing but a port."""

import socket
from collections.abc import Mapping
from types import MappingProxyType

USUAL: Mapping[int, str] = MappingProxyType({11434: "Ollama", 1234: "LM Studio", 8080: "llama-server"})
"""The usual model servers by their ports."""

_SECONDS = 0.05


def listening(usual: Mapping[int, str] = USUAL) -> list[str]:
    """Which of the usual servers seem to run here, with their ports."""
    return [f"{name} (port {port})" for port, name in usual.items() if _answers(port)]


def hint(found: list[str]) -> str | None:
    """What to tell a person who has such servers; None where there is nothing to tell."""
    if not found:
        return None
    return (
        f"{' and '.join(found)} may be running here. This version cannot use model servers yet, a later one will; "
        "until then: a .gguf file by its path, with --model."
    )


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), _SECONDS).close()
    except OSError:
        return False
    return True
