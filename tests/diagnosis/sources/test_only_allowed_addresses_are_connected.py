"""What is not inside ``ONCALL_ALLOWED_NETWORKS`` is never connected, nor is a metadata service, by whatever name."""

import socket
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from diagnosis.datasources import connection
from diagnosis.datasources.fetching import Endpoint, get_json
from diagnosis.datasources.network import is_allowed, origin_of
from diagnosis.datasources.protocol import REFUSED_ADDRESS, UNREACHABLE, SourceFailed
from tests.daemons import free_port
from tests.diagnosis.sources.misbehaving import Misbehaving

LookUp = Callable[..., Any]


def failure(url: str) -> SourceFailed:
    with pytest.raises(SourceFailed) as caught:
        get_json(Endpoint(url), "/", {}, deadline=time.monotonic() + 5)
    return caught.value


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection in spite of everything fails the test."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        pytest.fail(f"connected to {args}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.usefixtures("no_connection")
@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://[fd00:ec2::254]/",
        "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/",
        "http://0.0.0.0:9090/",
        "http://[::]:9090/",
        "http://10.0.0.1:9090",
        "http://93.184.215.14",
        "http://[2001:db8::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:a9fe:a9fe::]/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1./",
        "http://0x7f.1/",
        "http://1.2.3.4.5/",
        "http://user:hunter2@127.0.0.1/",
        "http://user@127.0.0.1/",
        "http://@127.0.0.1/",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "//127.0.0.1/",
        "127.0.0.1:9090",
        "",
        "http://",
        "http:///path",
        "http://127.0.0.1:0/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:x/",
        "http://127.0.0.1\\@169.254.169.254/",
        "http://127.0.0.1 /",
        "http://127.0.0.1/\r\nX: y",
        "http://127.0.0.1/?query=1",
        "http://127.0.0.1/#x",
        "http://[::1/",
        "http://exa mple/",
        "http://①②⑦.⓪.⓪.①/",
        "http://-a/",
        "http://" + "a" * 300,
    ],
)
def test_refused_before_anything_is_connected(url: str) -> None:
    assert failure(url).code == REFUSED_ADDRESS
    assert "hunter2" not in failure(url).sentence


@pytest.mark.parametrize(
    ("network", "address"),
    [
        ("0.0.0.0/0", "169.254.169.254"),
        ("169.254.0.0/16", "169.254.169.254"),
        ("0.0.0.0/0", "0.0.0.0"),
        ("0.0.0.0/0", "100.100.100.200"),
        ("0.0.0.0/0", "224.0.0.1"),
        ("::/0", "fd00:ec2::254"),
        ("::/0", "fe80::1"),
        ("::/0", "::"),
        ("::/0", "::ffff:169.254.169.254"),
        ("::/0", "64:ff9b::169.254.169.254"),
        ("::/0", "2002:a9fe:a9fe::1"),
    ],
)
def test_what_no_operator_can_allow(settings: Any, network: str, address: str) -> None:
    settings.ONCALL_ALLOWED_NETWORKS = [network, "0.0.0.0/0", "::/0"]
    assert not is_allowed(ip_address(address))


def test_what_the_operator_adds_is_allowed(settings: Any) -> None:
    assert not is_allowed(ip_address("10.1.2.3"))
    settings.ONCALL_ALLOWED_NETWORKS = ["10.0.0.0/8", "fd12::/16"]
    assert is_allowed(ip_address("10.1.2.3")) and is_allowed(ip_address("::ffff:10.1.2.3"))
    assert is_allowed(ip_address("fd12::1"))
    assert not is_allowed(ip_address("127.0.0.1")), "setting it replaces loopback"


@pytest.mark.parametrize(
    "url", ["http://localhost:9090", "https://[::1]/prometheus", "http://127.8.8.8", "http://a_b.c"]
)
def test_a_usual_url_is_taken(url: str) -> None:
    assert origin_of(url).host


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """``names(a, b)``: any name has these addresses, in this order; gives the list of names that were looked up."""
    real = socket.getaddrinfo

    def put(*answers: list[str]) -> list[str]:
        asked: list[str] = []

        def look_up(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                ip_address(host)
            except ValueError:
                found = answers[min(len(asked), len(answers) - 1)]
                asked.append(host)
                return [row for address in found for row in real(address, port, type=socket.SOCK_STREAM)]
            return real(host, port, *args, **kwargs)

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        return asked

    return put


@pytest.mark.usefixtures("no_connection")
@pytest.mark.parametrize(
    "addresses",
    [["169.254.169.254"], ["127.0.0.1", "169.254.169.254"], ["127.0.0.1", "10.0.0.1"], ["::1", "fd00:ec2::254"]],
)
def test_every_address_of_a_name_must_be_allowed(names: Callable[..., list[str]], addresses: list[str]) -> None:
    names(addresses)
    assert failure("http://prometheus.test:9090").code == REFUSED_ADDRESS


def test_the_address_that_was_allowed_is_the_one_connected(
    names: Callable[..., list[str]], misbehaving: Misbehaving
) -> None:
    """The name means the metadata service from the second look-up on; there is none."""
    asked = names(["127.0.0.1"], ["169.254.169.254"])
    misbehaving.says({"fine": True})
    port = misbehaving.url.rpartition(":")[2]
    found = get_json(Endpoint(f"http://prometheus.test:{port}"), "/x", {}, deadline=time.monotonic() + 5)
    assert found.value == {"fine": True}
    assert asked == ["prometheus.test"]
    assert misbehaving.asked[0][1]["Host"] == f"prometheus.test:{port}"


def test_the_next_address_is_tried(names: Callable[..., list[str]], misbehaving: Misbehaving) -> None:
    """``localhost`` often listens on one of its two addresses only."""
    names(["127.0.0.9", "127.0.0.1"])
    misbehaving.says({})
    port = misbehaving.url.rpartition(":")[2]
    assert get_json(Endpoint(f"http://localhost:{port}"), "/", {}, deadline=time.monotonic() + 5).value == {}


def test_a_name_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    assert failure("http://nowhere.test").code == UNREACHABLE


def certificate(folder: Path, name: str) -> Path:
    """Key and self-signed certificate for ``name`` in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(text + made.public_bytes(serialization.Encoding.PEM))
    return path


def test_the_certificate_is_checked_against_the_name(
    names: Callable[..., list[str]], misbehaving: Misbehaving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = certificate(tmp_path, "prometheus.test")
    trust = ssl.create_default_context(cafile=str(file))
    monkeypatch.setattr(connection, "_trust", lambda: trust)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file)
    misbehaving.server.socket = serving.wrap_socket(misbehaving.server.socket, server_side=True)
    misbehaving.says({"over": "tls"})
    names(["127.0.0.1"])
    port = misbehaving.url.rpartition(":")[2]
    found = get_json(Endpoint(f"https://prometheus.test:{port}"), "/", {}, deadline=time.monotonic() + 5)
    assert found.value == {"over": "tls"}
    for url in (f"https://other.test:{port}", f"https://127.0.0.1:{port}"):
        failed = failure(url)
        assert failed.code == UNREACHABLE and "certificate" in failed.sentence


def test_a_plain_server_behind_https(misbehaving: Misbehaving) -> None:
    assert failure(misbehaving.url.replace("http:", "https:")).code == UNREACHABLE
    assert failure(f"https://127.0.0.1:{free_port()}").code == UNREACHABLE
