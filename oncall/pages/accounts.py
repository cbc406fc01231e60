"""The sign-in page: Django's own view, with our one way to sign in."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from oncall.signin.attempt import TooManyAttempts, sign_in


class SignInForm(AuthenticationForm):
    """A user name and a password; ``wait`` is set when there were too many attempts."""

    error_messages = {**AuthenticationForm.error_messages, "invalid_login": "The user name or the password is wrong."}
    wait: int | None = None
    request: HttpRequest

    def clean(self) -> dict[str, Any]:
        username, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if username is None or not password:
            return self.cleaned_data
        try:
            user = sign_in(self.request, username=username, password=password)
        except TooManyAttempts as error:
            self.wait = error.wait
            raise ValidationError(error.text, code="throttled") from None
        if user is None:
            raise self.get_invalid_login_error()
        self.user_cache = user
        return self.cleaned_data


class SignInPage(LoginView):
    authentication_form = SignInForm
    template_name = "registration/login.html"

    def form_invalid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        response = super().form_invalid(form)
        if form.wait is not None:
            response.status_code = 429
            response["Retry-After"] = str(form.wait)
        return response
