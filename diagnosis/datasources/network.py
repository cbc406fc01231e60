"""Where outgoing connections may go: ``ONCALL_ALLOWED_NETWORKS``, and never to a metadata service.

A name is looked up once, for the connection itself: *all* its addresses must be allowed, and one of exactly these is
connected (``diagnosis.datasources.connection``). There is no second look-up that could answer differently.
"""

import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from diagnosis.datasources.protocol import REFUSED_ADDRESS, TIMEOUT, UNREACHABLE, SourceFailed

Address = IPv4Address | IPv6Address

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# Refused whatever an operator allows: link-local with the metadata services, others of these, "this host", multicast.
NEVER: Final = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.100.100.200",
        "168.63.129.16",
        "169.254.0.0/16",
        "192.0.0.192",
        "224.0.0.0/4",
        "255.255.255.255",
        "::",
        "fd00:ec2::/32",
        "fe80::/10",
        "ff00::/8",
    )
)
# The well-known prefix of NAT64: its last 32 bits are an IPv4 address.
NAT64: Final = ip_network("64:ff9b::/96")
HOST: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?", re.IGNORECASE)
# What C libraries read as an address, though it does not look like one: 2130706433, 0177.0.0.1, 0x7f.1
ENDS_IN_A_NUMBER: Final = re.compile(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Origin:
    """What of a URL decides who is talked to."""

    scheme: str
    host: str
    port: int


def refused(sentence: str) -> SourceFailed:
    return SourceFailed(REFUSED_ADDRESS, sentence)


def origin_of(url: str) -> Origin:
    """The origin of a source's URL. Raises ``SourceFailed`` for a URL that we never connect to; looks nothing up."""
    if any(character <= " " or character in "\\\x7f" for character in url):
        raise refused("The URL holds blanks, control characters or backslashes.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise refused("The URL cannot be read.") from None
    if parts.scheme not in DEFAULT_PORTS:
        raise refused("The URL must start with http:// or https://.")
    if "@" in parts.netloc:
        raise refused("The URL must not hold a user name or password; give them as the source's secret.")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise refused("The URL must end with its path: no query and no fragment.")
    if port == 0:
        raise refused("Port 0 cannot be connected to.")
    return Origin(parts.scheme, _host(parts.hostname or ""), port or DEFAULT_PORTS[parts.scheme])


def _host(host: str) -> str:
    """A name, or an address that is allowed."""
    address = literal(host)
    if address is not None:
        refuse_unless_allowed([address])
    elif ENDS_IN_A_NUMBER.search(host):
        raise refused("The host must be a name, or an address in its usual form.")
    elif len(host) > 253 or not HOST.fullmatch(host):
        raise refused("The URL has no valid host.")
    return host.lower()


def literal(host: str) -> Address | None:
    """The address that ``host`` is, in its usual form; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def addresses_of(host: str, port: int, *, timeout: float) -> list[str]:
    """Every address of ``host``, all of them allowed, in the system's order. Raises ``SourceFailed``."""
    address = literal(host)
    found = [address] if address is not None else _looked_up(host, port, timeout=timeout)
    refuse_unless_allowed(found)
    return [str(one) for one in found]


def refuse_unless_allowed(addresses: list[Address]) -> None:
    for address in addresses:
        if not is_allowed(address):
            raise refused("The host is, or has, an address outside ONCALL_ALLOWED_NETWORKS, or one that is never used.")


def is_allowed(address: Address) -> bool:
    """Whether an address may be connected to; one that carries another inside is judged by both."""
    if isinstance(address, IPv6Address) and address.scope_id:
        return False
    forms = list(_forms(address))
    if any(form in network for form in forms for network in NEVER if form.version == network.version):
        return False
    allowed = [ip_network(text, strict=False) for text in settings.ONCALL_ALLOWED_NETWORKS]
    return all(any(form in network for network in allowed if form.version == network.version) for form in forms)


def _forms(address: Address) -> Iterator[Address]:
    if isinstance(address, IPv4Address):
        yield address
        return
    if address.ipv4_mapped is not None:
        # On the wire it is that IPv4 address, so that alone is judged.
        yield address.ipv4_mapped
        return
    yield address
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield address.teredo[1]
    if address in NAT64:
        yield IPv4Address(int(address) & 0xFFFF_FFFF)


def _looked_up(host: str, port: int, *, timeout: float) -> list[Address]:
    """In a thread: the system's look-up knows no time limit."""
    answers: list[list[Address] | None] = []

    def look_up() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.append(list(dict.fromkeys(ip_address(row[4][0]) for row in rows)))
        except (OSError, ValueError):
            answers.append(None)

    thread = threading.Thread(target=look_up, name="look-up", daemon=True)
    thread.start()
    thread.join(max(0.0, timeout))
    if not answers:
        raise SourceFailed(TIMEOUT, "The host's name was not looked up in time.")
    if not answers[0]:
        raise SourceFailed(UNREACHABLE, "The host's name has no address.")
    return answers[0]
