"""Knowledge bases, documents, the tasks that index them, and the index itself.

A chunk belongs to a version of its document's index; only the chunks of ``Document.active_version`` are live. The
full-text table beside ``Chunk`` is made in a migration and known to ``documents.stores`` alone.
"""

from functools import partial

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from documents.states import DOCUMENT_STATUSES, PENDING, TASK_ACTIVE, TASK_STATUSES
from oncall.api.ids import new_id

_TASK_ACTIVE = Q(status__in=sorted(TASK_ACTIVE))


class KnowledgeBase(models.Model):
    """A set of documents that are searched together. Each owner has one default base, made when first asked for."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "kb"), editable=False)
    owner_user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    name = models.CharField(max_length=200)
    description = models.CharField(max_length=2_000, blank=True, default="")
    is_default = models.BooleanField(default=False)
    # Raised in the transaction that flips or removes an index: what a process keeps of this base is then stale.
    index_sequence = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["owner_user", "name"], name="kb_name_once_per_owner"),
            models.UniqueConstraint(fields=["owner_user"], condition=Q(is_default=True), name="kb_one_default"),
        ]
        indexes = [models.Index("owner_user", F("created_at").desc(), F("id").desc(), name="kb_by_owner")]

    def __str__(self) -> str:
        return self.name

    @property
    def label(self) -> str:
        """``Runbooks · Payments team``: bases of several owners have the same name, ``Default`` above all."""
        return f"{self.name} · {self.owner_user}"


class Document(models.Model):
    """A file in a base. ``content_version`` counts its bytes, ``last_version`` the index versions handed out."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "doc"), editable=False)
    knowledge_base = models.ForeignKey(KnowledgeBase, models.CASCADE, related_name="documents", db_index=False)
    file_name = models.CharField(max_length=255)
    content_hash = models.CharField(max_length=64)
    content_version = models.PositiveIntegerField(default=1)
    size_bytes = models.PositiveBigIntegerField()
    media_type = models.CharField(max_length=100)
    title = models.CharField(max_length=255, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)
    chunking = models.JSONField(default=dict, blank=True)
    status = models.CharField(max_length=10, choices=[(s, s) for s in DOCUMENT_STATUSES], default=PENDING)
    active_version = models.PositiveIntegerField(null=True, blank=True)
    last_version = models.PositiveIntegerField(default=0)
    error_code = models.CharField(max_length=50, blank=True, default="")
    error_message = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    indexed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["knowledge_base", "file_name"], name="document_name_once"),
            models.UniqueConstraint(fields=["knowledge_base", "content_hash"], name="document_content_once"),
            models.CheckConstraint(name="document_status_known", condition=Q(status__in=DOCUMENT_STATUSES)),
            models.CheckConstraint(
                name="document_version_handed_out",
                condition=Q(active_version__isnull=True) | Q(active_version__lte=F("last_version")),
            ),
        ]
        indexes = [
            models.Index("knowledge_base", F("created_at").desc(), F("id").desc(), name="document_by_base"),
            models.Index(F("created_at").desc(), F("id").desc(), name="document_newest"),
        ]

    def __str__(self) -> str:
        return self.file_name


class DocumentContent(models.Model):
    """The bytes as they were uploaded. In the database: they commit with their row, and every worker can read them."""

    document = models.OneToOneField(Document, models.CASCADE, primary_key=True, related_name="content")
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"content of {self.document_id}"


class IndexTask(models.Model):
    """The wish to have one content of a document indexed; the job ``job_id`` does it."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "task"), editable=False)
    document = models.ForeignKey(Document, models.CASCADE, related_name="index_tasks", db_index=False)
    status = models.CharField(max_length=10, choices=[(s, s) for s in TASK_STATUSES], default=PENDING)
    index_version = models.PositiveIntegerField()
    content_version = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64)
    # The newest job of this task. Not a foreign key: jobs are pruned, the task's history stays.
    job_id = models.CharField(max_length=40, blank=True, default="")
    retry_of_task_id = models.CharField(max_length=40, null=True, blank=True)  # noqa: DJ001  (null: the first of a line)
    stage = models.CharField(max_length=10, blank=True, default="")
    chunks_total = models.PositiveIntegerField(default=0)
    chunks_done = models.PositiveIntegerField(default=0)
    error_code = models.CharField(max_length=50, blank=True, default="")
    error_message = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["document"], condition=_TASK_ACTIVE, name="task_one_active_per_document"),
            models.UniqueConstraint(fields=["document", "index_version"], name="task_version_once"),
            models.UniqueConstraint(fields=["retry_of_task_id"], name="task_one_successor"),
            models.CheckConstraint(name="task_status_known", condition=Q(status__in=TASK_STATUSES)),
            models.CheckConstraint(
                name="task_terminal_is_complete",
                condition=(_TASK_ACTIVE & Q(completed_at__isnull=True))
                | (~Q(status__in=sorted(TASK_ACTIVE)) & Q(completed_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index("document", F("created_at").desc(), F("id").desc(), name="task_by_document"),
            models.Index(F("created_at").desc(), F("id").desc(), name="task_newest"),
            models.Index(fields=["job_id"], name="task_by_job"),
        ]

    def __str__(self) -> str:
        return f"index task {self.id}"


class IndexVersion(models.Model):
    """What the chunks of one version are slices of, and which embedder made their vectors."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="versions", db_index=False)
    version = models.PositiveIntegerField()
    content_version = models.PositiveIntegerField()
    embedder = models.CharField(max_length=200)
    encoding = models.CharField(max_length=30)
    text = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "version"], name="version_once")]

    def __str__(self) -> str:
        return f"version {self.version} of {self.document_id}"


class Chunk(models.Model):
    """``text`` is characters ``start`` to ``end`` of the version's text; ``vector`` is float16, little-endian."""

    # Chunks go before their document, through the store, which also clears the full-text table.
    document = models.ForeignKey(Document, models.PROTECT, related_name="chunks", db_index=False)
    version = models.PositiveIntegerField()
    ordinal = models.PositiveIntegerField()
    heading_path = models.JSONField(default=list)
    page = models.PositiveIntegerField(null=True, blank=True)
    line_start = models.PositiveIntegerField()
    line_end = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    vector = models.BinaryField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["document", "version", "ordinal"], name="chunk_once"),
            models.CheckConstraint(name="chunk_is_a_slice", condition=Q(end__gt=F("start"))),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def public_id(self) -> str:
        """Made from (document, version, ordinal), so that a second run of the same version makes the same ids."""
        return f"{self.document_id}.{self.version}.{self.ordinal}"


class VectorCache(models.Model):
    """A vector by embedder and hash of the embedded text: a second attempt embeds only what is missing."""

    embedder = models.CharField(max_length=200)
    content_hash = models.CharField(max_length=64)
    vector = models.BinaryField()
    used_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["embedder", "content_hash"], name="vector_once")]
        indexes = [models.Index(fields=["used_at"], name="vector_by_use")]

    def __str__(self) -> str:
        return self.content_hash
