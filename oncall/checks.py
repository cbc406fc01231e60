"""What is checked at every start beyond the settings' own types: values that only fail later, when they are used."""

from ipaddress import ip_network
from typing import Any

from django.conf import settings
from django.core.checks import Error, register
from django.core.exceptions import ImproperlyConfigured

from oncall.crypto import encrypt


@register
def encryption_key_fits(app_configs: Any, **kwargs: Any) -> list[Error]:
    try:
        encrypt("")
    except ImproperlyConfigured as error:
        return [Error(str(error), id="oncall.E001")]
    return []


@register
def trusted_proxies_are_networks(app_configs: Any, **kwargs: Any) -> list[Error]:
    return [
        Error(f"ONCALL_TRUSTED_PROXIES: {proxy!r} is neither an address nor a network.", id="oncall.E002")
        for proxy in settings.ONCALL_TRUSTED_PROXIES
        if not _is_network(proxy)
    ]


@register
def allowed_networks_are_networks(app_configs: Any, **kwargs: Any) -> list[Error]:
    return [
        Error(f"ONCALL_ALLOWED_NETWORKS: {network!r} is neither an address nor a network.", id="oncall.E003")
        for network in settings.ONCALL_ALLOWED_NETWORKS
        if not _is_network(network)
    ]


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True
