"""The first page: what is known, what is being indexed, what the search finds. It calls what the API calls."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from documents.bases import default_base
from documents.conflicts import DocumentConflict
from documents.errors import DocumentError
from documents.models import Document, KnowledgeBase
from documents.scope import scope_for
from documents.search import BadQuery, Hit, search
from documents.uploads import BadFileName, upload
from jobs.models import Job
from jobs.states import ACTIVE
from oncall.models import User
from oncall.owners import visible_owner_ids

DOCUMENTS_SHOWN = 50
JOBS_SHOWN = 10
HITS_SHOWN = 5


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The whole page; with ``?q=`` the answer of a search on top."""
    owners = visible_owner_ids(_user(request))
    query = request.GET.get("q", "").replace("\0", "")
    hits, problem = _found(owners, query)
    context = {
        **_state(owners),
        "query": query,
        "hits": hits,
        "problem": problem,
        "bases": _bases_to_upload_to(_user(request)),
    }
    return render(request, "home/home.html", context)


@login_required
@require_safe
def state(request: HttpRequest) -> HttpResponse:
    """The part that changes while jobs run; the page asks for it again as long as there is something to watch."""
    return render(request, "home/state.html", _state(visible_owner_ids(_user(request))))


@login_required
@require_POST
def upload_document(request: HttpRequest) -> HttpResponse:
    """Take a file in and come back to the page, which then shows its job or says what was wrong."""
    base = get_object_or_404(_bases_to_upload_to(_user(request)), pk=request.POST.get("base", ""))
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        messages.error(request, "Choose a file first.")
        return redirect("home")
    try:
        upload(base, file_name=file.name or "", data=file.read(), overwrite="overwrite" in request.POST)
    except DocumentError as refused:
        messages.error(request, refused.sentence)
    except (DocumentConflict, BadFileName) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"{file.name} is being indexed.")
    return redirect("home")


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # Behind login_required.
    return request.user


def _found(owners: Any, query: str) -> tuple[Sequence[Hit] | None, str]:
    """Hits and an empty text, or None and what is wrong with the query; None and nothing when none was asked."""
    if not query.strip():
        return None, ""
    try:
        return search(scope_for(owners), query, limit=HITS_SHOWN, one_per_document=True), ""
    except BadQuery as bad:
        return None, bad.sentence


def _bases_to_upload_to(user: User) -> Any:
    default_base(user.pk)
    return KnowledgeBase.objects.filter(owner_user_id__in=visible_owner_ids(user, steer=True)).order_by("name", "pk")


def _state(owners: Any) -> dict[str, Any]:
    newest = Document.objects.filter(knowledge_base__owner_user_id__in=owners).order_by("-created_at", "-pk")
    documents = list(newest.select_related("knowledge_base")[: DOCUMENTS_SHOWN + 1])
    jobs = list(Job.objects.owned_by(owners)[:JOBS_SHOWN])
    return {
        "documents": documents[:DOCUMENTS_SHOWN],
        "more_documents": len(documents) > DOCUMENTS_SHOWN,
        "jobs": jobs,
        "watching": Job.objects.owned_by(owners).filter(status__in=sorted(ACTIVE)).exists(),
    }
