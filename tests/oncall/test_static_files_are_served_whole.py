"""Stylesheets and icons come from our own address, whole, with a type and a time to keep them."""

import pytest
from django.test import Client


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("app.css", "text/css"),
        ("icon.svg", "image/svg+xml"),
        ("drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css", "text/css"),
    ],
)
def test_a_file(client: Client, path: str, kind: str) -> None:
    response = client.get(f"/static/{path}")
    assert response.status_code == 200 and not response.streaming
    assert response["Content-Type"].startswith(kind)
    assert int(response["Content-Length"]) == len(response.content) > 100
    assert response["Last-Modified"] and "max-age" in response["Cache-Control"]


def test_what_has_not_changed_is_not_sent_again(client: Client) -> None:
    modified = client.get("/static/app.css")["Last-Modified"]
    again = client.get("/static/app.css", headers={"If-Modified-Since": modified})
    assert (again.status_code, again.content) == (304, b"")


def test_no_file_outside_is_served(client: Client) -> None:
    for path in ("../manage.py", "%2e%2e/manage.py", "nothing.css"):
        assert client.get(f"/static/{path}").status_code == 404
