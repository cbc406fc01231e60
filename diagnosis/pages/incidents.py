"""The incidents that are going on, and one of them: facts above opinions, and what one can do about it."""

from collections.abc import Callable, Collection
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from diagnosis.incidents import REPEAT_INTERVAL, EmptyNote, acknowledge, add_note
from diagnosis.intake import last_webhook
from diagnosis.models import Diagnosis, Incident
from diagnosis.pages.incident import context_of
from diagnosis.pages.rows import incident_rows
from diagnosis.pages.scope import owned_or_404, owners_seen_by, user_of
from diagnosis.rules import diagnose_incident, refresh_incident
from diagnosis.transitions import ActiveDiagnosis
from jobs.models import Job
from oncall.models import User

MOST_PAGES = 1_000
# Alertmanager repeats every alert after its repeat interval, the Watchdog, too.
WATCHDOG_SILENT = 2 * REPEAT_INTERVAL


@login_required
@require_safe
def incident_list(request: HttpRequest) -> HttpResponse:
    owners = owners_seen_by(request)
    page = _page_number(request.GET.get("page", ""))
    rows, more = incident_rows(owners, page=page)
    context = {
        "rows": rows,
        "page": page,
        "older": page + 1 if more and page < MOST_PAGES else None,
        "newer": page - 1 if page > 1 else None,
        **_intake(owners),
        "webhook_url": f"{settings.ONCALL_BASE_URL}/aiops/alerts/alertmanager",
    }
    return render(request, "diagnosis/incidents.html", context)


@login_required
@require_safe
def incident_page(request: HttpRequest, incident_id: str) -> HttpResponse:
    return _incident_page(request, _incident(request, incident_id))


@login_required
@require_POST
def acknowledge_incident(request: HttpRequest, incident_id: str) -> HttpResponse:
    incident = _incident(request, incident_id, steer=True)
    acknowledge(incident.pk, user_id=user_of(request).pk)
    return redirect("pages:incident", incident.pk)


@login_required
@require_POST
def note_incident(request: HttpRequest, incident_id: str) -> HttpResponse:
    """Add a note; one that cannot be kept comes back in its field, with what is wrong with it."""
    incident = _incident(request, incident_id, steer=True)
    text = request.POST.get("text", "").replace("\0", "")
    try:
        add_note(incident.pk, author_id=user_of(request).pk, text=text)
    except EmptyNote as refused:
        return _incident_page(request, incident, status=400, note=text, problem=str(refused))
    return redirect("pages:incident", incident.pk)


@login_required
@require_POST
def diagnose(request: HttpRequest, incident_id: str) -> HttpResponse:
    return _begin(request, _incident(request, incident_id, steer=True), diagnose_incident)


@login_required
@require_POST
def refresh(request: HttpRequest, incident_id: str) -> HttpResponse:
    return _begin(request, _incident(request, incident_id, steer=True), refresh_incident)


def _begin(
    request: HttpRequest, incident: Incident, begin: Callable[[Incident], tuple[Diagnosis, Job]]
) -> HttpResponse:
    """Go to the new diagnosis, or to the one that is under way already."""
    try:
        diagnosis, _job = begin(incident)
    except ActiveDiagnosis as active:
        messages.info(request, _("This incident is being diagnosed already: here it is."))
        return redirect("pages:diagnosis", active.diagnosis_id)
    return redirect("pages:diagnosis", diagnosis.pk)


def _incident(request: HttpRequest, incident_id: str, *, steer: bool = False) -> Incident:
    rows = Incident.objects.select_related("acknowledged_by", "owner_user", "recurrence_of")
    return owned_or_404(request, rows, incident_id, steer=steer)


def _incident_page(request: HttpRequest, incident: Incident, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {**context_of(incident, owners=owners_seen_by(request)), **more}
    context["may_steer"] = incident.owner_user_id in owners_seen_by(request, steer=True)
    return render(request, "diagnosis/incident.html", context, status=status)


def _intake(owners: Collection[int]) -> dict[str, Any]:
    """When the newest webhook of any of these owners came, and whose Watchdog came once and has fallen silent since."""
    intakes = last_webhook(owners)
    limit = timezone.now() - WATCHDOG_SILENT
    silent = {
        pk: intake.heartbeat_at for pk, intake in intakes.items() if intake.heartbeat_at and intake.heartbeat_at < limit
    }
    names = User.objects.in_bulk(silent)
    return {
        "last_webhook_at": max((one.webhook_at for one in intakes.values() if one.webhook_at), default=None),
        "silent": [(names[pk], since) for pk, since in sorted(silent.items())],
    }


def _page_number(text: str) -> int:
    return min(MOST_PAGES, max(1, int(text))) if text.isascii() and text.isdigit() and len(text) <= 6 else 1
