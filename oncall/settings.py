"""All settings, read from the environment: ``docs/settings.md`` is the table. A bad value stops the start, named."""

from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from oncall.home import key_from
from oncall.logging import logging_settings

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()


def _setting(name: str, read: Any, default: Any) -> Any:
    """The value of ``name``, or an error that names it; an empty value counts as not set."""
    if env.str(name, default="") == "":
        return default
    try:
        return read(name)
    except (ValueError, TypeError, ImproperlyConfigured) as error:
        raise ImproperlyConfigured(f"{name}: cannot be read: {error}") from None


def _number(name: str, default: float, *, least: float, most: float = float("inf"), kind: type = int) -> Any:
    value = _setting(name, lambda name: kind(env.str(name)), default)
    if not value >= least:
        raise ImproperlyConfigured(f"{name}: must be at least {least}, not {value}.")
    if value > most:
        raise ImproperlyConfigured(f"{name}: must be at most {most}, not {value}.")
    return value


def _choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value: str = _setting(name, env.str, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name}: must be one of {', '.join(choices)}, not {value!r}.")
    return value


def _networks(name: str, default: list[str]) -> list[str]:
    found: list[str] = _setting(name, env.list, default)
    for text in found:
        try:
            ip_network(text, strict=False)
        except ValueError:
            raise ImproperlyConfigured(f"{name}: {text!r} is neither an address nor a network.") from None
    return found


def _apps(name: str, *, taken: list[str]) -> list[str]:
    found: list[str] = [app.strip() for app in _setting(name, env.list, [])]
    for index, app in enumerate(found):
        if not _is_importable(app):
            raise ImproperlyConfigured(f"{name}: there is no app {app!r}. It must be importable from {BASE_DIR}.")
        if app in taken or app in found[:index]:
            raise ImproperlyConfigured(f"{name}: {app!r} is installed already.")
    return found


def _is_importable(app: str) -> bool:
    """Whether there is such a module, or one that may hold such an app's configuration; imports packages above it."""
    for name in (app, app.rpartition(".")[0]):
        try:
            if name and find_spec(name):
                return True
        except (ImportError, ValueError):
            continue
    return False


# --- The data folder and its keys -----------------------------------------------------------------------------------

ONCALL_HOME = Path(_setting("ONCALL_HOME", env.str, str(BASE_DIR / "var"))).expanduser().resolve()


def _kept(name: str) -> str:
    try:
        return key_from(ONCALL_HOME, name=name)
    except OSError as error:
        raise ImproperlyConfigured(f"ONCALL_HOME: {name} cannot be kept in {ONCALL_HOME}: {error.strerror}.") from None


SECRET_KEY = _setting("ONCALL_SECRET_KEY", env.str, None) or _kept("secret.key")
ONCALL_ENCRYPTION_KEY = _setting("ONCALL_ENCRYPTION_KEY", env.str, None) or _kept("encryption.key")

# --- The server -----------------------------------------------------------------------------------------------------

DEBUG = False
ONCALL_HOST: str = _setting("ONCALL_HOST", env.str, "127.0.0.1")
ONCALL_PORT: int = _number("ONCALL_PORT", 8000, least=0, most=65_535)
ONCALL_BASE_URL: str = _setting("ONCALL_BASE_URL", env.str, f"http://{ONCALL_HOST}:{ONCALL_PORT}").rstrip("/")
ALLOWED_HOSTS: list[str] = _setting("ONCALL_ALLOWED_HOSTS", env.list, ["127.0.0.1", "localhost", "[::1]"])
ONCALL_TRUSTED_PROXIES: list[str] = _networks("ONCALL_TRUSTED_PROXIES", [])
ONCALL_ADMIN_PASSWORD: str | None = _setting("ONCALL_ADMIN_PASSWORD", env.str, None)

if not ONCALL_BASE_URL.startswith(("http://", "https://")):
    raise ImproperlyConfigured(f"ONCALL_BASE_URL: must start with http:// or https://, not {ONCALL_BASE_URL!r}.")
_https = ONCALL_BASE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
CSRF_TRUSTED_ORIGINS = [ONCALL_BASE_URL] if _https else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ONCALL_TRUSTED_PROXIES and _https else None
SESSION_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
APPEND_SLASH = False

ROOT_URLCONF = "oncall.urls"
ASGI_APPLICATION = "oncall.asgi.application"
WSGI_APPLICATION = "oncall.wsgi.application"

# --- The database ---------------------------------------------------------------------------------------------------

ONCALL_DURABILITY = _choice("ONCALL_DURABILITY", "normal", ("normal", "full"))
_url = _setting("DATABASE_URL", env.str, f"sqlite:///{ONCALL_HOME / 'oncall.sqlite3'}")
if not _url.startswith(("sqlite:///", "postgres://", "postgresql://")) or _url == "sqlite:///":
    raise ImproperlyConfigured("DATABASE_URL: must start with sqlite:/// or postgres://.")
try:
    _database: dict[str, Any] = env.db_url_config(_url)
except ValueError:  # What it says may hold a piece of the password.
    raise ImproperlyConfigured("DATABASE_URL: cannot be read as scheme://user:password@host:port/name.") from None
if _database["ENGINE"] == "django.db.backends.sqlite3":
    _database["OPTIONS"] = {
        # IMMEDIATE takes the write lock first: a read that turns into a write would fail at once instead of waiting.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL;"
            f"PRAGMA synchronous={ONCALL_DURABILITY.upper()};"
            "PRAGMA journal_size_limit=67108864;"
            "PRAGMA wal_autocheckpoint=1000"
        ),
    }
    # A file, as in production: WAL and locks between connections are what the tests are about.
    _database["TEST"] = {"NAME": _setting("ONCALL_TEST_DATABASE", env.str, str(ONCALL_HOME / "test.sqlite3"))}
else:
    _database["CONN_HEALTH_CHECKS"] = True
    _database["CONN_MAX_AGE"] = 60
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Applications ---------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "drf_standardized_errors",
    "oncall",
    "jobs",
    "documents",
    "diagnosis",
]
ONCALL_EXTRA_APPS: list[str] = _apps("ONCALL_EXTRA_APPS", taken=INSTALLED_APPS)
INSTALLED_APPS += ONCALL_EXTRA_APPS

MIDDLEWARE = [
    "oncall.requests.request_id",
    "django.middleware.security.SecurityMiddleware",
    "oncall.static_files.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "oncall.csp.ContentPolicy",
    "oncall.requests.error_shape",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from where the packages have them: nothing to collect, nothing to go stale.
WHITENOISE_USE_FINDERS = True

# --- Owners ---------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "oncall.User"
AUTHENTICATION_BACKENDS = ["oncall.signin.attempt.PersonBackend"]
KNOX_TOKEN_MODEL = "oncall.Token"
REST_KNOX = {"TOKEN_PREFIX": "oncall_"}
# Knox's own token table is never used: ours stands in its place.
MIGRATION_MODULES = {"knox": None}
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = LOGIN_URL
CSRF_FAILURE_VIEW = "oncall.pages.errors.csrf_failure"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# --- The API --------------------------------------------------------------------------------------------------------

MAX_UPLOAD_BYTES = 50 * 1024 * 1024
# Django's own limit on a body that is no file: that of the largest such body, Alertmanager's. ``oncall.asgi`` has a
# lower one for all others.
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
REST_FRAMEWORK = {
    # The token comes first: its challenge makes an anonymous call a 401.
    "DEFAULT_AUTHENTICATION_CLASSES": ["oncall.tokens.TokenAuthentication", "oncall.tokens.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["oncall.api.permissions.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["oncall.api.parsers.StrictJSONParser"],
    "DEFAULT_PAGINATION_CLASS": "oncall.api.pagination.CursorPages",
    "DEFAULT_FILTER_BACKENDS": ["oncall.api.filters.StrictFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "oncall.api.schema.OperationSchema",
    "EXCEPTION_HANDLER": "oncall.api.handling.exception_handler",
    "NON_FIELD_ERRORS_KEY": "nonFieldErrors",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
DRF_STANDARDIZED_ERRORS = {"EXCEPTION_FORMATTER_CLASS": "oncall.api.handling.ErrorFormatter"}
SPECTACULAR_SETTINGS = {
    "TITLE": "OncallAgent",
    "DESCRIPTION": "Durable jobs, documents and search of an on-call workbench.",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.0",
    "COMPONENT_SPLIT_REQUEST": True,
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # Sets of words whose fields have the same name.
    "ENUM_NAME_OVERRIDES": {
        "DiagnosisStatusEnum": "diagnosis.states.DIAGNOSIS_STATUSES",
        "ToolCallStatusEnum": "diagnosis.models.ToolCall.Status",
        "DataSourceKindEnum": "diagnosis.models.DataSource.Kind",
        "ServiceKindEnum": "diagnosis.models.Service.Kind",
        "SourceResultEnum": "diagnosis.catalogue.checking.SOURCE_RESULTS",
        "FamilyResultEnum": "diagnosis.catalogue.checking.FAMILY_RESULTS",
        "AlertStateEnum": "diagnosis.states.ALERT_STATES",
        "IncidentStateEnum": "diagnosis.states.INCIDENT_STATES",
    },
}

# --- The admin ------------------------------------------------------------------------------------------------------

UNFOLD = {
    "SITE_TITLE": "OncallAgent",
    "SITE_HEADER": "OncallAgent",
    "SITE_SYMBOL": "notifications_active",
    # The blue of static/app.css.
    "COLORS": {
        "primary": {
            "50": "#eff5fe",
            "100": "#dce9fc",
            "200": "#bcd4fa",
            "300": "#84b3ff",
            "400": "#5c97f2",
            "500": "#3a7be0",
            "600": "#1f5fbf",
            "700": "#1b52a5",
            "800": "#19458a",
            "900": "#183a70",
            "950": "#102548",
        },
    },
    "SIDEBAR": {"show_search": False, "navigation": "oncall.admin_site.navigation"},
}

# --- Logs -----------------------------------------------------------------------------------------------------------

LOGGING = logging_settings()

# --- Jobs -----------------------------------------------------------------------------------------------------------

ONCALL_CONCURRENCY: int = _number("ONCALL_CONCURRENCY", 4, least=1)
ONCALL_LEASE_SECONDS: float = _number("ONCALL_LEASE_SECONDS", 30, least=6, most=86_400, kind=float)
JOBS_OWNER_SCOPE = "oncall.owners.visible_owner_ids"

# --- Data sources: where we may connect to --------------------------------------------------------------------------

ONCALL_ALLOWED_NETWORKS: list[str] = _networks("ONCALL_ALLOWED_NETWORKS", ["127.0.0.0/8", "::1"])

# --- Language and time ----------------------------------------------------------------------------------------------

LANGUAGE_CODE = _choice("ONCALL_LANGUAGE", "en", ("en", "zh-hans"))
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
