"""Documents for tests, taken in and indexed the real way."""

from collections.abc import Callable, Sequence
from typing import Any

from documents.bases import default_base
from documents.embedding import current_embedder
from documents.embedding.protocol import Vectors
from documents.models import Document, KnowledgeBase
from documents.uploads import Uploaded, upload
from jobs.testing import run_until_idle
from oncall.models import User

RUNBOOK = """# Redis connections exhausted

## Meaning

Used connections are above ninety five percent of maxclients.

## Mitigation

Run `CLIENT LIST` and stop the client that leaks connections.
"""


def add(base: KnowledgeBase, name: str = "redis.md", text: str = RUNBOOK, **options: Any) -> Uploaded:
    return upload(base, file_name=name, data=text.encode(), **options)


def indexed(owner: User, name: str = "redis.md", text: str = RUNBOOK, **options: Any) -> Document:
    """A document in the default base of ``owner`` whose index serves."""
    document = add(default_base(owner.pk), name, text, **options).document
    run_until_idle()
    document.refresh_from_db()
    assert document.status == "indexed", document.error_message
    return document


def long_text(sections: int = 100) -> str:
    """Text of some batches: every section is a chunk of its own."""
    return "\n\n".join(f"## Section {n}\n\nStep {n}: look at host{n} and restart unit{n}." for n in range(sections))


class WatchedEmbedder:
    """The real embedder, which calls ``before`` ahead of each batch and counts the texts it embeds."""

    def __init__(self, before: Callable[[int], None] = lambda batch: None) -> None:
        real = current_embedder()
        self.name, self.fingerprint, self.dims, self._real = real.name, real.fingerprint, real.dims, real
        self.before = before
        self.batches = 0
        self.texts = 0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.batches += 1
        self.before(self.batches)
        self.texts += len(texts)
        return self._real.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        return self._real.embed_query(text)
