"""From text to vectors. ``embed`` is the only way in: it checks what an embedder returns."""

from documents.embedding.checked import embed, embed_one
from documents.embedding.protocol import Embedder
from documents.embedding.use import UseEmbedder

__all__ = ["Embedder", "current_embedder", "embed", "embed_one"]

_DEFAULT = UseEmbedder()


def current_embedder() -> Embedder:
    """The embedder of this installation; its weights are loaded at the first use in a process."""
    return _DEFAULT
