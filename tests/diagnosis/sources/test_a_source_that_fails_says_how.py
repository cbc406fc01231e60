"""Every way in which a source goes wrong is a class of failure with a sentence of ours, in time, and never its body."""

import gzip
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from diagnosis.datasources.credentials import Bearer
from diagnosis.datasources.fetching import Endpoint
from diagnosis.datasources.prometheus import Prometheus
from diagnosis.datasources.protocol import (
    BAD_ANSWER,
    BAD_QUERY,
    TIMEOUT,
    TOO_MUCH,
    UNAUTHORISED,
    UNREACHABLE,
    SourceFailed,
)
from tests.daemons import free_port, prometheus
from tests.diagnosis.sources.misbehaving import Misbehaving
from tests.diagnosis.sources.recorded_shop import STEP, WINDOW

BODY = "the-body-of-the-source"
EMPTY = {"status": "success", "data": {"resultType": "matrix", "result": []}}


def ask(url: str, *, query: str = "up", seconds: float = 5, token: str = "") -> Any:
    source = Prometheus(Endpoint(url, Bearer(token) if token else None))
    return source.expression(query, WINDOW, STEP, deadline=time.monotonic() + seconds)


def failure(url: str, **options: Any) -> SourceFailed:
    with pytest.raises(SourceFailed) as caught:
        ask(url, **options)
    assert BODY not in str(caught.value) and caught.value.sentence.endswith(".")
    return caught.value


@pytest.mark.parametrize("query", ["sum(", "up{", "rate(up)", "☃"])
def test_a_real_prometheus_refuses_what_is_no_promql(source: Prometheus, query: str) -> None:
    with pytest.raises(SourceFailed) as caught:
        source.expression(query, WINDOW, STEP)
    assert caught.value.code == BAD_QUERY and "400" in caught.value.sentence


def test_a_real_prometheus_answers_422_for_what_it_cannot_carry_out(source: Prometheus) -> None:
    with pytest.raises(SourceFailed) as caught:
        source.expression("many * on (job) many", WINDOW, STEP)
    assert caught.value.code == BAD_QUERY and "422" in caught.value.sentence


def test_a_real_prometheus_that_hangs_and_one_that_died(tmp_path: Path) -> None:
    with prometheus(tmp_path / "p") as daemon:
        assert ask(daemon.url, query="vector(1)")
        daemon.freeze()
        began = time.monotonic()
        assert failure(daemon.url, seconds=0.5).code == TIMEOUT
        assert time.monotonic() - began < 2
        daemon.thaw()
        assert ask(daemon.url, query="vector(1)")
        daemon.kill()
        assert failure(daemon.url).code == UNREACHABLE


def test_nothing_listens() -> None:
    assert failure(f"http://127.0.0.1:{free_port()}").code == UNREACHABLE


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, BAD_QUERY),
        (401, UNAUTHORISED),
        (403, UNAUTHORISED),
        (404, BAD_ANSWER),
        (413, TOO_MUCH),
        (422, BAD_QUERY),
        (429, TOO_MUCH),
        (500, BAD_ANSWER),
        (503, UNREACHABLE),
        (504, TIMEOUT),
        (201, BAD_ANSWER),
        (204, BAD_ANSWER),
    ],
)
def test_a_status(misbehaving: Misbehaving, status: int, code: str) -> None:
    misbehaving.says(b"" if status == 204 else {"status": "error", "error": BODY}, status=status)
    assert failure(misbehaving.url).code == code


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(misbehaving: Misbehaving, status: int) -> None:
    misbehaving.says(BODY.encode(), status=status, Location=f"{misbehaving.url}/elsewhere")
    failed = failure(misbehaving.url)
    assert failed.code == BAD_ANSWER and str(status) in failed.sentence
    assert [path.split("?")[0] for path, _ in misbehaving.asked] == ["/api/v1/query_range"]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>the-body-of-the-source</html>",
        b"",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        [],
        "text",
        {"status": "error", "error": BODY},
        {"status": "success"},
        {"status": "success", "data": BODY},
        {"status": "success", "data": {"resultType": "vector", "result": []}},
        {"status": "success", "data": {"resultType": "matrix"}},
        {"status": "success", "data": {"resultType": "matrix", "result": [BODY]}},
        {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}, "values": [BODY]}]}},
        {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}, "values": [[1, BODY]]}]}},
        {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}, "values": [[None, "1"]]}]}},
    ],
)
def test_an_answer_that_is_none(misbehaving: Misbehaving, body: Any) -> None:
    misbehaving.says(body)
    assert failure(misbehaving.url).code == BAD_ANSWER


def test_no_http(misbehaving: Misbehaving) -> None:
    misbehaving.answer = lambda handler: handler.wfile.write(BODY.encode() + b"\r\n\r\n") and None
    assert failure(misbehaving.url).code == BAD_ANSWER


def test_half_an_answer(misbehaving: Misbehaving) -> None:
    misbehaving.says(b'{"status":', Content_Length="1000")
    assert failure(misbehaving.url).code == BAD_ANSWER


def test_too_much_is_cut_off_while_it_is_read(misbehaving: Misbehaving) -> None:
    sent = []

    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while len(sent) < 10_000:
            handler.wfile.write(b"x" * 100_000)
            sent.append(1)

    misbehaving.answer = flood
    assert failure(misbehaving.url).code == TOO_MUCH
    assert len(sent) < 1_000  # Five megabytes, and what the sockets hold; not the gigabyte.


def test_a_packed_answer_is_not_unpacked(misbehaving: Misbehaving) -> None:
    misbehaving.says(gzip.compress(b" " * 50_000_000), Content_Encoding="gzip")
    assert failure(misbehaving.url).code == BAD_ANSWER
    assert misbehaving.asked[0][1]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("where", ["headers", "body"])
def test_dripping_bytes_does_not_beat_the_deadline(misbehaving: Misbehaving, where: str) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        if where == "body":
            handler.end_headers()
        else:
            handler.flush_headers()
        for _ in range(300):
            handler.wfile.write(b"X-A: 1\r\n" if where == "headers" else b" ")
            handler.wfile.flush()
            time.sleep(0.02)

    misbehaving.answer = drip
    began = time.monotonic()
    assert failure(misbehaving.url, seconds=0.4).code == TIMEOUT
    assert time.monotonic() - began < 2


def test_a_deadline_that_is_over_asks_nothing(misbehaving: Misbehaving) -> None:
    assert failure(misbehaving.url, seconds=-1).code == TIMEOUT
    assert misbehaving.asked == []


def test_a_partial_answer_is_taken_and_said(misbehaving: Misbehaving) -> None:
    misbehaving.says({**EMPTY, "warnings": [BODY, BODY]})
    assert ask(misbehaving.url).notes == ("The source warns that its answer is partial (2 warnings).",)


def test_points_off_the_grid_are_dropped(misbehaving: Misbehaving) -> None:
    points = [[WINDOW.start - 3_600, "1"], [WINDOW.start + 15, "2"], [WINDOW.end + 3_600, "3"]]
    row = {"metric": {"a": "b"}, "values": points}
    misbehaving.says({"status": "success", "data": {"resultType": "matrix", "result": [row]}})
    (found,) = ask(misbehaving.url)
    assert [value for value in found.values if value == value] == [2]


def test_the_token_is_sent(misbehaving: Misbehaving) -> None:
    misbehaving.says(EMPTY)
    ask(misbehaving.url, token="tok-1")
    assert misbehaving.asked[0][1]["Authorization"] == "Bearer tok-1"


def test_proxies_of_the_environment_are_not_used(misbehaving: Misbehaving, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    misbehaving.says(EMPTY)
    assert ask(misbehaving.url) == []
