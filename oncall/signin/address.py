"""Where a request comes from, as far as it can be believed."""

from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"


def client_address(request: HttpRequest) -> str:
    """The address of the client. ``X-Forwarded-For`` counts only from proxies of ``ONCALL_TRUSTED_PROXIES``:
    the last hop that none of them vouches for is the client, whatever else a client wrote there.
    """
    address = request.META.get("REMOTE_ADDR") or UNKNOWN
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",") if hop.strip()]
    while hops and _is_trusted(address, tuple(settings.ONCALL_TRUSTED_PROXIES)):
        address = hops.pop()
    return address


def throttled_address(request: HttpRequest) -> str:
    """The client's address; for IPv6 its /64, since whoever has one address there has all of them."""
    address = client_address(request)
    try:
        parsed = ip_address(address)
    except ValueError:
        return UNKNOWN
    return str(ip_network(f"{parsed}/64", strict=False)) if parsed.version == 6 else str(parsed)


def _is_trusted(address: str, proxies: tuple[str, ...]) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in _networks(proxies))


@lru_cache(maxsize=8)
def _networks(proxies: tuple[str, ...]) -> list[IPv4Network | IPv6Network]:
    return [ip_network(proxy, strict=False) for proxy in proxies]
