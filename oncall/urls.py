from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from oncall import health
from oncall.pages.accounts import SignInPage

_accounts = [
    path("login/", SignInPage.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("oncall.api.urls")),
    path("", include("oncall.signin.urls")),
    path("health", health.alive, name="health"),
    path("ready", health.ready, name="ready"),
    path("accounts/", include(_accounts)),
    # Under this name the browsable API finds its sign-in and sign-out links.
    path("accounts/", include((_accounts, "rest_framework"), namespace="rest_framework")),
    # One door: the admin's own sign-in form would pass by the throttle.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/", admin.site.urls),
]

handler400 = "oncall.pages.errors.bad_request"
handler403 = "oncall.pages.errors.forbidden"
handler404 = "oncall.pages.errors.not_found"
handler500 = "oncall.pages.errors.server_error"
