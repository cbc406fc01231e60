"""A body without ``Content-Length``, sent in chunks, arrives whole: in the API, in a form and on a page."""

import json
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from tests.oncall.server import manage, serving


def pieces(text: str) -> Iterator[bytes]:
    for at in range(0, len(text), 10):
        yield text[at : at + 10].encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int, str]]:
    home = tmp_path_factory.mktemp("home")
    password = next(
        line.split("password: ")[1] for line in manage(home, "bootstrap").stdout.splitlines() if "password: " in line
    )
    with serving(home, "--no-workers") as (_, host, port):
        yield host, port, password


def ask(server: tuple[str, int, str], path: str, body: str, **headers: str) -> tuple[int, dict[str, object]]:
    connection = HTTPConnection(server[0], server[1], timeout=20)
    connection.request("POST", path, pieces(body), headers, encode_chunked=True)
    answer = connection.getresponse()
    found = answer.status, json.loads(answer.read())
    connection.close()
    return found


def test_json_and_a_form_in_chunks(server: tuple[str, int, str]) -> None:
    chunked = {"Transfer-Encoding": "chunked"}
    as_json = {"Content-Type": "application/json"}
    credentials = json.dumps({"username": "admin", "password": server[2]})
    status, login = ask(server, "/auth/login", credentials, **chunked, **as_json)
    assert status == 200
    chunked["Authorization"] = f"Bearer {login['token']}"
    status, base = ask(server, "/knowledge-bases", '{"name": "Mine"}', **chunked, **as_json)
    assert status == 201
    form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n# Disk full\r\n--b--\r\n'
    form_type = {"Content-Type": "multipart/form-data; boundary=b"}
    status, made = ask(server, f"/knowledge-bases/{base['id']}/documents", form, **chunked, **form_type)
    assert status == 201
    assert made["document"]["sizeBytes"] == len("# Disk full")  # type: ignore[index]
