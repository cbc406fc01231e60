"""The first page: what is known, what is being indexed, what the search finds. It calls what the API calls."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from documents.bases import ensure_default_bases
from documents.fit import nothing_fits
from documents.scope import scope_for
from documents.search import BadQuery, Hit, search
from oncall.owners import visible_owner_ids
from oncall.pages.documents import bases_to_upload_to
from oncall.pages.rows import state_for
from oncall.pages.scope import user_of

HITS_SHOWN = 5


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The whole page; with ``?q=`` the answer of a search on top."""
    user = user_of(request)
    owners = visible_owner_ids(user)
    ensure_default_bases(owners)
    query = request.GET.get("q", "").replace("\0", "")
    hits, problem = _found(owners, query)
    context = {
        **state_for(user),
        "query": query,
        "hits": hits,
        "weak": nothing_fits(query, hits or []),
        "problem": problem,
        "bases": bases_to_upload_to(user),
    }
    return render(request, "home/home.html", context)


@login_required
@require_safe
def state(request: HttpRequest) -> HttpResponse:
    """The part that changes while jobs run; the page asks for it again as long as there is something to watch."""
    return render(request, "home/state.html", state_for(user_of(request)))


def _found(owners: Any, query: str) -> tuple[Sequence[Hit] | None, str]:
    """Hits and an empty text, or None and what is wrong with the query; None and nothing when none was asked."""
    if not query.strip():
        return None, ""
    try:
        return search(scope_for(owners), query, limit=HITS_SHOWN, one_per_document=True), ""
    except BadQuery as bad:
        return None, bad.sentence
