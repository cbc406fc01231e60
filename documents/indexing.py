"""The pipeline of a ``document_index`` job: read → extract → chunk → embed in batches → write the version → flip.

Everything is written under the job's fence, into a version that nobody sees before the flip.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from django.utils import timezone

from documents import large_files, vector_cache
from documents.alert_names import alert_names
from documents.chunking import Chunk, chunk
from documents.chunking_options import read_chunking
from documents.embedding import Embedder, current_embedder
from documents.errors import NO_TEXT, BadDocument
from documents.extraction import Extracted, extract
from documents.measure import token_count
from documents.models import Document, DocumentContent, IndexTask, IndexVersion
from documents.states import Stage
from documents.stores import NewChunk, current_store
from documents.transitions import flip, note_work
from jobs.handlers import JobCancelled, JobContext

# Bounds memory, and how long a cancel waits: about a quarter of a second of work.
BATCH_TOKENS = 6_000
BATCH_CHUNKS = 32
_TITLE_CHARACTERS = 255


@dataclass(frozen=True, slots=True)
class Work:
    """What one attempt is about."""

    context: JobContext
    task: IndexTask
    document: Document
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk with its text; ``headings``: the document's title and the heading path, ``alerts``: what it is for."""

    chunk: Chunk
    text: str
    headings: tuple[str, ...]
    alerts: tuple[str, ...]

    @property
    def embedded_text(self) -> str:
        return f"{' > '.join(self.headings)}\n{self.text}"


def index_document(context: JobContext) -> dict[str, Any]:
    """Do the task that the job names. Raises ``JobCancelled`` (gone or overtaken), ``DocumentError``, ``Snooze``."""
    task, document = _task_of(context)
    with large_files.one_at_a_time(document.size_bytes):
        return _index(Work(context, task, document, current_embedder()))


def _index(work: Work) -> dict[str, Any]:
    found, pieces = _prepared(work)
    _write_batches(work, pieces)
    work.context.append_event(Stage.FLIP, {"indexVersion": work.task.index_version})
    work.context.finish(lambda: flip(work.task, **found))
    return {"documentId": work.document.pk, "indexVersion": work.task.index_version, "chunks": len(pieces)}


def _prepared(work: Work) -> tuple[dict[str, Any], list[Piece]]:
    """What was found about the document, and its pieces; the bytes, the text and the blocks are let go of here.

    A single character beyond the basic plane makes Python hold the whole text in four bytes a character.
    """
    extracted = _extract(work, _read(work))
    chunks = _chunk(work, extracted)
    _open_version(work, extracted, total=len(chunks))
    title = (extracted.title or PurePath(work.document.file_name).stem)[:_TITLE_CHARACTERS]
    alerts = tuple(alert_names(extracted.metadata))
    pieces = [
        Piece(found, extracted.text[found.start : found.end], _headings(title, found), alerts) for found in chunks
    ]
    return {"title": title, "metadata": extracted.metadata}, pieces


def _task_of(context: JobContext) -> tuple[IndexTask, Document]:
    task = IndexTask.objects.select_related("document").filter(pk=context.job.resource_id).first()
    if task is None or task.job_id != context.job.id:
        raise JobCancelled("The index task is gone, or another job does it.")
    return task, task.document


def _read(work: Work) -> bytes:
    """The bytes that the task is for. What is left of earlier attempts is swept on the way."""
    work.context.append_event(Stage.READ, {"bytes": work.document.size_bytes})
    content = DocumentContent.objects.filter(document=work.document).first()
    data = bytes(content.data) if content is not None else b""
    if hashlib.sha256(data).hexdigest() != work.task.content_hash:
        raise _overtaken()
    with work.context.fenced():
        serving = _locked(work).active_version
        current_store().remove([work.document.pk], keep_version=serving)
        work.document.versions.exclude(version=serving or 0).delete()
        vector_cache.sweep(now=timezone.now())
        note_work(work.task.pk, stage=Stage.EXTRACT, chunks_done=0, chunks_total=0)
    return data


def _extract(work: Work, data: bytes) -> Extracted:
    extracted = extract(data, file_name=work.document.file_name)
    work.context.append_event(Stage.EXTRACT, {"characters": len(extracted.text), "encoding": extracted.encoding})
    work.context.raise_if_cancelled()
    return extracted


def _chunk(work: Work, extracted: Extracted) -> list[Chunk]:
    chunks: list[Chunk] = []
    for found in chunk(extracted, read_chunking(work.document.chunking)):
        work.context.raise_if_cancelled()
        chunks.append(found)
    work.context.append_event(Stage.CHUNK, {"chunks": len(chunks)})
    if not chunks:
        raise BadDocument(NO_TEXT, "The file has no text to search for.")
    return chunks


def _open_version(work: Work, extracted: Extracted, *, total: int) -> None:
    work.context.append_event(Stage.EMBED, {"chunks": total, "embedder": work.embedder.name})
    with work.context.fenced():
        document = _locked(work)
        IndexVersion.objects.create(
            document=document,
            version=work.task.index_version,
            content_version=work.task.content_version,
            embedder=work.embedder.fingerprint,
            encoding=extracted.encoding,
            text=extracted.text,
        )
        note_work(work.task.pk, stage=Stage.EMBED, chunks_total=total)


def _write_batches(work: Work, pieces: Sequence[Piece]) -> None:
    done = 0
    for batch in _batches(pieces):
        work.context.raise_if_cancelled()
        embedded = vector_cache.embed_with_cache(work.embedder, [piece.embedded_text for piece in batch])
        rows = [_new(piece, vector) for piece, vector in zip(batch, embedded.vectors, strict=True)]
        done += len(batch)
        with work.context.fenced():
            current_store().write(_locked(work), version=work.task.index_version, chunks=rows)
            vector_cache.remember(work.embedder, embedded, now=timezone.now())
            note_work(work.task.pk, chunks_done=done)
            work.context.progress(done / len(pieces), f"{done} of {len(pieces)} chunks")


def _batches(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    batch: list[Piece] = []
    tokens = 0
    for piece in pieces:
        size = token_count(piece.text)
        if batch and (len(batch) == BATCH_CHUNKS or tokens + size > BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(piece)
        tokens += size
    if batch:
        yield batch


def _locked(work: Work) -> Document:
    """The document's row, locked, if it still holds the bytes that this attempt reads; else ``JobCancelled``."""
    same = Document.objects.filter(pk=work.document.pk, content_version=work.task.content_version)
    document = same.select_for_update().first()
    if document is None:
        raise _overtaken()
    return document


def _overtaken() -> JobCancelled:
    return JobCancelled("The document was deleted or replaced while it was being indexed.")


def _headings(title: str, found: Chunk) -> tuple[str, ...]:
    """The heading path with the document's title in front, said once."""
    first = found.heading_path[0] if found.heading_path else ""
    return found.heading_path if first.casefold() == title.casefold() else (title, *found.heading_path)


def _new(piece: Piece, vector: Any) -> NewChunk:
    return NewChunk(
        ordinal=piece.chunk.ordinal,
        heading_path=piece.chunk.heading_path,
        headings=" ".join((*piece.headings, *piece.alerts)),
        line_start=piece.chunk.line_start,
        line_end=piece.chunk.line_end,
        start=piece.chunk.start,
        end=piece.chunk.end,
        text=piece.text,
        vector=vector,
    )
