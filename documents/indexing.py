"""The pipeline of a ``document_index`` job: read → extract → chunk → embed in batches → write the version → flip.

Everything is written under the job's fence, into a version that nobody sees before the flip.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from django.utils import timezone

from documents import vector_cache
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


def index_document(context: JobContext) -> dict[str, Any]:
    """Do the task that the job names. Raises ``JobCancelled`` when it is gone or overtaken, ``DocumentError``."""
    work = Work(context, *_task_of(context), current_embedder())
    data = _read(work)
    extracted = _extract(work, data)
    chunks = _chunk(work, extracted)
    _open_version(work, extracted, total=len(chunks))
    _write_batches(work, extracted, chunks)
    context.append_event(Stage.FLIP, {"indexVersion": work.task.index_version})
    title = _title(extracted, work.document)
    context.finish(lambda: flip(work.task, title=title, metadata=extracted.metadata))
    return {"documentId": work.document.pk, "indexVersion": work.task.index_version, "chunks": len(chunks)}


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
    chunks = chunk(extracted, read_chunking(work.document.chunking))
    work.context.append_event(Stage.CHUNK, {"chunks": len(chunks)})
    if not chunks:
        raise BadDocument(NO_TEXT, "The file has no text to search for.")
    work.context.raise_if_cancelled()
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


def _write_batches(work: Work, extracted: Extracted, chunks: Sequence[Chunk]) -> None:
    done = 0
    for batch in _batches(extracted.text, chunks):
        work.context.raise_if_cancelled()
        embedded = vector_cache.embed_with_cache(work.embedder, [_embedded_text(work, extracted, c) for c in batch])
        rows = [_new(work, extracted, c, vector) for c, vector in zip(batch, embedded.vectors, strict=True)]
        done += len(batch)
        with work.context.fenced():
            current_store().write(_locked(work), version=work.task.index_version, chunks=rows)
            vector_cache.remember(work.embedder, embedded, now=timezone.now())
            note_work(work.task.pk, chunks_done=done)
            work.context.progress(done / len(chunks), f"{done} of {len(chunks)} chunks")


def _batches(text: str, chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    batch: list[Chunk] = []
    tokens = 0
    for found in chunks:
        size = token_count(text[found.start : found.end])
        if batch and (len(batch) == BATCH_CHUNKS or tokens + size > BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(found)
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


def _title(extracted: Extracted, document: Document) -> str:
    return (extracted.title or PurePath(document.file_name).stem)[:_TITLE_CHARACTERS]


def _headings(work: Work, extracted: Extracted, found: Chunk) -> tuple[str, ...]:
    """The heading path with the document's title in front, said once."""
    title = _title(extracted, work.document)
    first = found.heading_path[0] if found.heading_path else ""
    return found.heading_path if first.casefold() == title.casefold() else (title, *found.heading_path)


def _embedded_text(work: Work, extracted: Extracted, found: Chunk) -> str:
    path = " > ".join(_headings(work, extracted, found))
    return f"{path}\n{extracted.text[found.start : found.end]}"


def _new(work: Work, extracted: Extracted, found: Chunk, vector: Any) -> NewChunk:
    return NewChunk(
        ordinal=found.ordinal,
        heading_path=found.heading_path,
        headings=" ".join(_headings(work, extracted, found)),
        line_start=found.line_start,
        line_end=found.line_end,
        start=found.start,
        end=found.end,
        text=extracted.text[found.start : found.end],
        vector=vector,
    )
