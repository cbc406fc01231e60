"""Cancel and retry from the first page: the transitions that the API calls, and a sentence on what became of it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from jobs.enqueue import ActiveJobExists, UnknownKind, retry_by_hand
from jobs.models import Job
from jobs.resources import HookFailed, NotRetryable
from jobs.states import CANCELLED, RUNNING
from jobs.transitions import request_cancel
from oncall.pages.scope import steerable_or_404


@login_required
@require_POST
def cancel(request: HttpRequest, job_id: str) -> HttpResponse:
    """Stop a job. Asked twice, it answers the same."""
    job = steerable_or_404(request, Job.objects.defer("payload"), job_id)
    try:
        status = request_cancel(job.pk).status
    except (Job.DoesNotExist, HookFailed):
        messages.error(request, _("The job could not be cancelled. Try again in a moment."))
    else:
        messages.info(request, _cancelled(status))
    return redirect("home")


@login_required
@require_POST
def retry(request: HttpRequest, job_id: str) -> HttpResponse:
    """Do the work again as a new job. Asked twice, there is one new job."""
    job = steerable_or_404(request, Job.objects.defer("payload"), job_id)
    try:
        retry_by_hand(job.pk)
    except (NotRetryable, ActiveJobExists, UnknownKind, HookFailed, Job.DoesNotExist) as refusal:
        messages.warning(request, _not_retried(refusal))
    else:
        messages.success(request, _("The work is queued again, as a new job."))
    return redirect("home")


def _cancelled(status: str) -> str:
    if status == CANCELLED:
        return _("The job is cancelled.")
    if status == RUNNING:
        return _("The job was asked to stop; it does so at its next safe point.")
    return _("The job had finished already.")


def _not_retried(refusal: Exception) -> str:
    """The reason in words for people, who know jobs by what they work for and not by an id."""
    if isinstance(refusal, ActiveJobExists):
        return _("Another job does this work already.")
    if isinstance(refusal, NotRetryable) and refusal.successor_id:
        return _("The job was retried already.")
    if isinstance(refusal, NotRetryable):
        return _("Only a failed or cancelled job can be retried, and only for the content it was made for.")
    return _("The job could not be retried. Its worker's log says why.")
