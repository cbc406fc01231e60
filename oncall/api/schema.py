"""The OpenAPI 3.1 schema: readable operation ids, and on each operation every error it can answer with."""

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.permissions import AllowAny

from oncall.api.errors import CODES, DETAILS


class ErrorItemSerializer(serializers.Serializer):
    code = serializers.ChoiceField(choices=list(CODES.values()))
    detail = serializers.CharField(help_text="A sentence for people.")
    attr = serializers.CharField(allow_null=True, help_text="The field, filter or parameter, when it is one's fault.")


class ErrorSerializer(serializers.Serializer):
    """Every answer of 400 and above has this shape."""

    type = serializers.ChoiceField(choices=["validation_error", "client_error", "server_error"])
    errors = ErrorItemSerializer(many=True)  # type: ignore[assignment]


def errors(*statuses: int) -> dict[int, OpenApiResponse]:
    """For ``extend_schema(responses={200: …, **errors(409)})``: the errors that only this operation can give."""
    return {status: OpenApiResponse(ErrorSerializer, description=_description(status)) for status in statuses}


class OperationSchema(AutoSchema):
    """``DEFAULT_SCHEMA_CLASS``. An operation id is the path's words and the verb: ``background_jobs_cancel``."""

    def get_operation_id(self) -> str:
        path, _, verb = self.path.partition(":")
        # ``…/events:stream`` names what it reads; ``…/{id}:cancel`` names what it does.
        words = [word.replace("-", "_") for word in path.split("/") if word and "{" not in word]
        words += [re.sub(r"\W+", "_", verb)] if verb else [self._action_word()]
        return "_".join(words)

    def get_summary(self) -> str:
        """One line for lists of operations: the first sentence of the description, up to its first colon."""
        text = " ".join(self.get_description().split())
        return re.split(r"(?<=[\w`)])[.:;](?:\s|$)", text, maxsplit=1)[0].replace("``", "")

    def get_tags(self) -> list[str]:
        return [next((word for word in re.split(r"[/:]", self.path) if word), "api")]

    def _action_word(self) -> str:
        if self.method == "GET":
            return "read" if "{" in self.path.rsplit("/", 1)[-1] or not self._is_list_view() else "list"
        return {"POST": "create", "PUT": "replace", "PATCH": "update", "DELETE": "delete"}[self.method]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction=direction)
        for status in self._common_errors():
            if str(status) not in bodies:
                bodies[str(status)] = self._get_response_for_code(errors(status)[status], str(status))
        return dict(sorted(bodies.items()))

    def _common_errors(self) -> list[int]:
        """What any operation of this kind can answer with; 404 and 405 belong to no operation."""
        found = [406, 500, 503]
        if not any(isinstance(permission, AllowAny) for permission in self.view.get_permissions()):
            found += [401, 403]
        if self.method in ("POST", "PUT", "PATCH") and self.get_request_serializer():
            found += [400, 413, 415]
        elif self.method == "GET" and (self._is_list_view() or hasattr(self.view, "extra_parameters")):
            found += [400]
        return found


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "oncall.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token of /auth/login or /auth/tokens."}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "oncall.tokens.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "The session of the pages."}


def _description(status: int) -> str:
    return f"`{CODES[status]}`: {DETAILS[status]}"
