"""The calls under ``/auth``: sign in and out, who am I, and one's tokens."""

from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from oncall.api.errors import RateLimited
from oncall.api.owned import find_row
from oncall.api.schema import errors
from oncall.models import Token, User
from oncall.signin.attempt import TooManyAttempts, sign_in
from oncall.signin.serializers import (
    CreatedTokenSerializer,
    CredentialsSerializer,
    LoginSerializer,
    NewTokenSerializer,
    TokenSerializer,
    UserSerializer,
)
from oncall.tokens import create_login_token, create_token, manageable_tokens

WRONG = "The user name or the password is wrong."


class LoginView(GenericAPIView):
    """A user name and a password for a token that expires."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    serializer_class = CredentialsSerializer

    @extend_schema(responses={200: LoginSerializer, **errors(401, 429)})
    def post(self, request: Request) -> Response:
        credentials = self.get_serializer(data=request.data)
        credentials.is_valid(raise_exception=True)
        try:
            user = sign_in(request._request, **credentials.validated_data)
        except TooManyAttempts as error:
            raise RateLimited(error.text, wait=error.wait) from None
        if user is None:
            raise AuthenticationFailed(WRONG)
        token, text = create_login_token(user)
        user_logged_in.send(sender=User, request=request._request, user=user)
        return Response(LoginSerializer({"token": text, "expiry": token.expiry, "user": user}).data)

    def get_authenticate_header(self, request: Request) -> str:
        # Without a challenge Django REST Framework would turn the 401 into a 403.
        return "Bearer"


class LogoutView(APIView):
    """Revokes the token that the call came with; a session is ended."""

    @extend_schema(request=None, responses={204: OpenApiResponse(description="Signed out.")})
    def post(self, request: Request) -> Response:
        if isinstance(request.auth, Token):
            request.auth.delete()
            user_logged_out.send(sender=User, request=request._request, user=request.user)
        else:
            logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MeView(APIView):
    """Who the caller is, and in which teams."""

    @extend_schema(responses=UserSerializer)
    def get(self, request: Request) -> Response:
        return Response(UserSerializer(request.user).data)


class TokensView(ListAPIView):
    """The tokens that the caller made, and those of teams in which the caller is admin."""

    queryset = Token.objects.none()
    serializer_class = TokenSerializer
    ordering = ("-created", "-id")

    def get_queryset(self) -> QuerySet[Token]:
        return manageable_tokens(_user(self.request))

    @extend_schema(request=NewTokenSerializer, responses={201: CreatedTokenSerializer})
    def post(self, request: Request) -> Response:
        """Make a token. Its text is in this answer and in no other."""
        wanted = NewTokenSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        values = wanted.validated_data
        owner_id = values.pop("owner_user_id", None)
        token, text = create_token(_user(request), owner_id=owner_id, **values)
        return Response(CreatedTokenSerializer(token, context={"token": text}).data, status=status.HTTP_201_CREATED)


class TokenView(APIView):
    """One token, to revoke it: from that moment on it opens nothing."""

    @extend_schema(responses={204: OpenApiResponse(description="Revoked.")})
    def delete(self, request: Request, id: str) -> Response:
        row = find_row(manageable_tokens(_user(request)), id)
        row.delete()
        return Response(status=status.HTTP_204_NO_CONTENT)


def _user(request: Request) -> User:
    """The signed-in user: the default permission has let nobody else in."""
    assert isinstance(request.user, User)
    return request.user
