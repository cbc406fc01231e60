"""One diagnosis: how it stands, what it has found so far, its report; cancel and retry."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from diagnosis.models import Diagnosis, Report
from diagnosis.pages.facts import facts_of
from diagnosis.pages.proofs import evidence_of, proof_of
from diagnosis.pages.scope import owned_or_404, owners_seen_by
from diagnosis.pages.standing import standing_of
from diagnosis.pages.timeline import line_of
from diagnosis.reports.html import report_as_fragment
from diagnosis.states import CANCELLED, DIAGNOSIS_ACTIVE, FAILED
from diagnosis.transitions import ActiveDiagnosis, retry_diagnosis
from jobs import events
from jobs.models import Job
from jobs.resources import NotRetryable
from jobs.transitions import request_cancel


@login_required
@require_safe
def diagnosis_page(request: HttpRequest, diagnosis_id: str) -> HttpResponse:
    """The whole page with all that happened so far; the stream goes on after the last event that it shows."""
    diagnosis = diagnosis_seen_by(request, diagnosis_id)
    log = _log(diagnosis)  # First: what is read after it may be newer, never older.
    proofs = [proof_of(row) for row in evidence_of(diagnosis)]
    context = {**_outcome(request, diagnosis), **log, "proofs": proofs}
    return render(request, "diagnosis/diagnosis.html", context)


@login_required
@require_safe
def outcome(request: HttpRequest, diagnosis_id: str) -> HttpResponse:
    """The part above the log: what the page fetches when the stream says that the job is over."""
    return render(request, "diagnosis/outcome.html", _outcome(request, diagnosis_seen_by(request, diagnosis_id)))


@login_required
@require_POST
def cancel(request: HttpRequest, diagnosis_id: str) -> HttpResponse:
    diagnosis = diagnosis_seen_by(request, diagnosis_id, steer=True)
    try:
        request_cancel(diagnosis.job_id)
    except Job.DoesNotExist:
        messages.info(request, _("There is nothing to cancel: the job is gone."))
    return redirect("pages:diagnosis", diagnosis.pk)


@login_required
@require_POST
def retry(request: HttpRequest, diagnosis_id: str) -> HttpResponse:
    """Go to the new diagnosis, to the one that stands in its way, or back with the reason why there is none."""
    diagnosis = diagnosis_seen_by(request, diagnosis_id, steer=True)
    try:
        again, _job = retry_diagnosis(diagnosis.pk)
    except ActiveDiagnosis as active:
        messages.info(request, _("This incident is being diagnosed already: here it is."))
        return redirect("pages:diagnosis", active.diagnosis_id)
    except NotRetryable as refused:
        successor = Diagnosis.objects.filter(retry_of_diagnosis_id=diagnosis.pk).first()
        messages.error(request, str(refused))
        return redirect("pages:diagnosis", (successor or diagnosis).pk)
    return redirect("pages:diagnosis", again.pk)


def diagnosis_seen_by(request: HttpRequest, diagnosis_id: str, *, steer: bool = False) -> Diagnosis:
    rows = Diagnosis.objects.select_related("incident", "alert", "owner_user")
    return owned_or_404(request, rows, diagnosis_id, steer=steer)


def _outcome(request: HttpRequest, diagnosis: Diagnosis) -> dict[str, Any]:
    owners = owners_seen_by(request)
    report = Report.objects.filter(diagnosis=diagnosis).first()
    standing = standing_of(diagnosis, Job.objects.filter(pk=diagnosis.job_id).first())
    related = Diagnosis.objects.filter(owner_user_id__in=owners)
    successor = related.filter(retry_of_diagnosis_id=diagnosis.pk).first()
    may_steer = diagnosis.owner_user_id in owners_seen_by(request, steer=True)
    may_cancel = may_steer and standing.active and not standing.stopping
    may_retry = may_steer and diagnosis.status in (FAILED, CANCELLED) and successor is None
    return {
        "diagnosis": diagnosis,
        "standing": standing,
        "may_cancel": may_cancel,
        "may_retry": may_retry,
        "actions": may_cancel or may_retry or standing.active,
        "successor": successor,
        "source": related.filter(pk=diagnosis.retry_of_diagnosis_id).first(),
        "facts": facts_of(diagnosis) if report is None else None,
        "report": report_as_fragment(report.body) if report is not None else None,
    }


def _log(diagnosis: Diagnosis) -> dict[str, Any]:
    """The lines so far, and the number after which the stream goes on; no stream where nothing more will come."""
    said = list(events.read(diagnosis.job_id))
    return {
        "lines": [line for event in said if (line := line_of(event)) is not None],
        "after": said[-1].sequence if said else 0,
        "live": diagnosis.status in DIAGNOSIS_ACTIVE,
    }
