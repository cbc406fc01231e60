"""Documents from the first page: taken in and deleted, by those who may do so in the API too."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from documents.bases import ensure_default_bases
from documents.conflicts import DocumentConflict
from documents.errors import DocumentError
from documents.models import Document, KnowledgeBase
from documents.transitions import delete_document
from documents.uploads import BadFileName, upload
from oncall.models import User
from oncall.owners import visible_owner_ids
from oncall.pages.scope import steerable_or_404, user_of


def bases_to_upload_to(user: User) -> Any:
    """The bases that ``user`` may add to, those of one name beside each other; each owner has at least its default."""
    owners = visible_owner_ids(user, steer=True)
    ensure_default_bases(owners)
    return KnowledgeBase.objects.filter(owner_user_id__in=owners).select_related("owner_user").order_by("name", "pk")


@login_required
@require_POST
def upload_document(request: HttpRequest) -> HttpResponse:
    """Take a file in and come back to the page, which then shows its job or says what was wrong."""
    base = get_object_or_404(bases_to_upload_to(user_of(request)), pk=request.POST.get("base", "").replace("\0", ""))
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        messages.error(request, _("Choose a file first."))
        return redirect("home")
    try:
        upload(base, file_name=file.name or "", data=file.read(), overwrite="overwrite" in request.POST)
    except (DocumentError, DocumentConflict) as refused:
        messages.error(request, refused.sentence)
    except BadFileName as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("%(file)s is being indexed.") % {"file": file.name})
    return redirect("home")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, document_id: str) -> HttpResponse:
    """Ask first, then remove the document and its index."""
    documents = Document.objects.select_related("knowledge_base__owner_user")
    owner_field = "knowledge_base__owner_user_id"
    document = steerable_or_404(request, documents, document_id, owner_field=owner_field)
    if request.method != "POST":
        return render(request, "home/delete.html", {"document": document})
    delete_document(document.pk)
    messages.success(request, _("%(file)s is deleted.") % {"file": document.file_name})
    return redirect("home")
