"""Model files: list, pull, remove, and what a name stands for. Law: only `pull` fetches."""

from opposable.store.catalogue import CATALOGUE, Card
from opposable.store.gguf import Gguf, read_gguf
from opposable.store.hub import Progress
from opposable.store.models import Listed, StoredModel, find, listing, remove, resolve
from opposable.store.pull import Agree, nobody, pull
from opposable.store.terms import Terms

__all__ = [
    "CATALOGUE",
    "Agree",
    "Card",
    "Gguf",
    "Listed",
    "Progress",
    "StoredModel",
    "Terms",
    "find",
    "listing",
    "nobody",
    "pull",
    "read_gguf",
    "remove",
    "resolve",
]
