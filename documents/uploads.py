"""Taking in a file: checked, then document, bytes, index task and job in one transaction, or nothing at all."""

import hashlib
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from documents.chunking_options import Chunking
from documents.conflicts import DocumentConflict, NameTaken, SameContent
from documents.errors import EMPTY_FILE, TOO_LARGE, BadDocument
from documents.extraction import check_readable
from documents.models import Document, DocumentContent, IndexTask, KnowledgeBase
from documents.transitions import RESOURCE, create_task, replace_content
from jobs.enqueue import enqueue
from jobs.models import Job

KIND = "document_index"

MAX_NAME_CHARACTERS = 255


class BadFileName(ValueError):
    """The file name cannot be kept; the text says why."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """``task`` and ``job`` are None when indexing was not asked for."""

    document: Document
    task: IndexTask | None
    job: Job | None


def upload(
    base: KnowledgeBase,
    *,
    file_name: str,
    data: bytes,
    overwrite: bool = False,
    chunking: Chunking | None = None,
    index: bool = True,
    now: datetime | None = None,
) -> Uploaded:
    """Store a file in ``base``, and have it indexed. Its identity is (base, file name).

    Raises ``BadFileName``; ``BadDocument`` (``empty_file``, ``too_large``, ``unsupported_type``, ``garbled``);
    ``SameContent`` when the base holds these bytes, under whatever name; ``NameTaken`` when the name holds others and
    ``overwrite`` is not set; ``KnowledgeBase.DoesNotExist`` when the base went meanwhile. Then nothing was stored.
    """
    name = checked_name(file_name)
    values = _values(data, name, chunking or Chunking())
    try:
        with transaction.atomic():
            document = _stored(base, name, values, data, overwrite=overwrite, now=now or timezone.now())
            task, job = start_indexing(document.pk, owner_id=base.owner_user_id, now=now) if index else (None, None)
            document.refresh_from_db()
    except IntegrityError:
        # Two uploads at once: the constraint let one through. Or the base was deleted under this one.
        _refuse_duplicates(base, name, values["content_hash"], overwrite=overwrite)
        if not KnowledgeBase.objects.filter(pk=base.pk).exists():
            raise KnowledgeBase.DoesNotExist from None
        raise
    return Uploaded(document, task, job)


def start_indexing(
    document_id: str, *, owner_id: int, retry_of: str | None = None, now: datetime | None = None
) -> tuple[IndexTask, Job]:
    """A task for the document's present content, and its job. Raises as ``transitions.create_task``."""
    with transaction.atomic():
        task = create_task(document_id, retry_of=retry_of, now=now)
        job = enqueue(KIND, owner=owner_id, resource=(RESOURCE, task.pk), payload={"taskId": task.pk}, now=now)
        task.refresh_from_db()
    return task, job


def checked_name(file_name: str) -> str:
    """The last part of a path as it is kept: composed (NFC), without control characters. Raises ``BadFileName``."""
    name = unicodedata.normalize("NFC", PurePath(file_name.replace("\\", "/")).name).strip()
    if not name or name in (".", ".."):
        raise BadFileName("The file needs a name.")
    if len(name) > MAX_NAME_CHARACTERS:
        raise BadFileName(f"A file name has at most {MAX_NAME_CHARACTERS} characters.")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        raise BadFileName("A file name must not contain control characters.")
    return name


def _values(data: bytes, name: str, chunking: Chunking) -> dict[str, object]:
    """The columns that the bytes decide. Raises ``BadDocument``."""
    if not data:
        raise BadDocument(EMPTY_FILE, "The file is empty.")
    if len(data) > settings.MAX_UPLOAD_BYTES:
        raise BadDocument(TOO_LARGE, "The file is larger than 50 MB.")
    return {
        "media_type": check_readable(data, file_name=name),
        "content_hash": hashlib.sha256(data).hexdigest(),
        "size_bytes": len(data),
        "chunking": chunking.as_json(),
    }


def _stored(
    base: KnowledgeBase, name: str, values: dict[str, object], data: bytes, *, overwrite: bool, now: datetime
) -> Document:
    _refuse_duplicates(base, name, values["content_hash"], overwrite=overwrite)
    document = Document.objects.filter(knowledge_base=base, file_name=name).first()
    if document is None:
        title = PurePath(name).stem
        document = Document.objects.create(
            knowledge_base=base, file_name=name, title=title, created_at=now, updated_at=now, **values
        )
    else:
        try:
            replace_content(document, now=now, **values)
        except Document.DoesNotExist:
            raise DocumentConflict(f'"{name}" was changed or deleted at the same moment. Try again.') from None
    DocumentContent.objects.update_or_create(document=document, defaults={"data": data})
    return document


def _refuse_duplicates(base: KnowledgeBase, name: str, content_hash: object, *, overwrite: bool) -> None:
    in_base = Document.objects.filter(knowledge_base=base)
    same = in_base.filter(content_hash=content_hash).values_list("pk", "file_name").first()
    if same:
        raise SameContent(*same)
    named = in_base.filter(file_name=name).values_list("pk", "file_name").first()
    if named and not overwrite:
        raise NameTaken(*named)
