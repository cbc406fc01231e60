from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView
from django.views.i18n import set_language

from oncall import health
from oncall.pages import documents, home, jobs
from oncall.pages.accounts import SignInPage

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("state/", home.state, name="home-state"),
    path("upload/", documents.upload_document, name="upload"),
    path("knowledge/documents/<str:document_id>/delete/", documents.delete, name="document-delete"),
    path("jobs/<str:job_id>/cancel/", jobs.cancel, name="job-cancel"),
    path("jobs/<str:job_id>/retry/", jobs.retry, name="job-retry"),
    path("", include("diagnosis.pages.urls")),
    path("", include("oncall.api.urls")),
    path("", include("oncall.signin.urls")),
    path("", include("jobs.api.urls")),
    path("", include("documents.api.urls")),
    path("", include("diagnosis.api.urls")),
    path("health", health.alive, name="health"),
    path("ready", health.ready, name="ready"),
    path("accounts/login/", SignInPage.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("accounts/language/", set_language, name="set_language"),
    # One door: the admin's own sign-in form would pass by the throttle.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/", admin.site.urls),
    path("favicon.ico", RedirectView.as_view(url="/static/icon.svg")),
]

handler400 = "oncall.pages.errors.bad_request"
handler403 = "oncall.pages.errors.forbidden"
handler404 = "oncall.pages.errors.not_found"
handler500 = "oncall.pages.errors.server_error"
