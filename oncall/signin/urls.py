from django.urls import path

from oncall.signin.views import LoginView, LogoutView, MeView, TokensView, TokenView

urlpatterns = [
    path("auth/login", LoginView.as_view(), name="auth-login"),
    path("auth/logout", LogoutView.as_view(), name="auth-logout"),
    path("auth/me", MeView.as_view(), name="auth-me"),
    path("auth/tokens", TokensView.as_view(), name="auth-tokens"),
    path("auth/tokens/<str:id>", TokenView.as_view(), name="auth-token"),
]
