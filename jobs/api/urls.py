from django.urls import path

from jobs.api.stream_view import JobEventStreamView
from jobs.api.views import CancelJobView, JobAttemptsView, JobEventsView, JobsView, JobView, RetryJobView

_JOB = "background-jobs/<str:job_id>"

# A verb stands before the plain id, which would take it for a part of itself.
urlpatterns = [
    path("background-jobs", JobsView.as_view(), name="background-jobs"),
    path(f"{_JOB}:cancel", CancelJobView.as_view(), name="background-job-cancel"),
    path(f"{_JOB}:retry", RetryJobView.as_view(), name="background-job-retry"),
    path(f"{_JOB}/events", JobEventsView.as_view(), name="background-job-events"),
    path(f"{_JOB}/events:stream", JobEventStreamView.as_view(), name="background-job-event-stream"),
    path(f"{_JOB}/attempts", JobAttemptsView.as_view(), name="background-job-attempts"),
    path(_JOB, JobView.as_view(), name="background-job"),
]
