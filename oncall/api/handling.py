"""From an exception in an API view to an answer in the error shape (``oncall.api.errors``)."""

import math
from typing import Any

from drf_standardized_errors.formatter import ExceptionFormatter
from drf_standardized_errors.handler import ExceptionHandler
from drf_standardized_errors.types import Error, ErrorType
from rest_framework import exceptions

from oncall.api.errors import CODES, DETAILS, CsrfFailed, Forbidden, as_api_error, error_type


class ErrorHandler(ExceptionHandler):
    """Turns every exception of an API view into an answer."""

    def convert_known_exceptions(self, exc: Exception) -> Exception:
        known = super().convert_known_exceptions(exc)
        if isinstance(known, exceptions.PermissionDenied) and not isinstance(known, (Forbidden, CsrfFailed)):
            return Forbidden()
        return as_api_error(known) or known

    def get_headers(self, exc: exceptions.APIException) -> dict[str, str]:
        headers: dict[str, str] = super().get_headers(exc)
        if wait := getattr(exc, "wait", None):
            headers["Retry-After"] = str(math.ceil(wait))
        return headers


class ErrorFormatter(ExceptionFormatter):
    """Puts our codes in; texts of errors that may carry foreign words are replaced by fixed ones."""

    def get_error_type(self) -> ErrorType:
        return error_type(self.exc.status_code)

    def get_errors(self) -> list[Error]:
        code = CODES.get(self.exc.status_code, CODES[500])
        if isinstance(self.exc, exceptions.NotFound) or self.exc.status_code == 500:
            return [Error(code, DETAILS[self.exc.status_code], None)]
        return [Error(code, _whole(error.detail), error.attr) for error in super().get_errors()]


def _whole(detail: Any) -> str:
    """A detail may repeat what was sent, and half a character (a lone surrogate) cannot be sent back."""
    return str(detail).encode("utf-8", "replace").decode()


def exception_handler(exc: Exception, context: Any) -> Any:
    """``EXCEPTION_HANDLER`` of Django REST Framework."""
    return ErrorHandler(exc, context).run()
