"""Where chunks, vectors and tokens are kept and searched. ``current_store`` is the only way in."""

from documents.stores.protocol import ChunkStore, NewChunk
from documents.stores.tables import TableStore

__all__ = ["ChunkStore", "NewChunk", "current_store"]

_DEFAULT = TableStore()


def current_store() -> ChunkStore:
    return _DEFAULT
