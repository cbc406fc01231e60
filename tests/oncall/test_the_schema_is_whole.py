"""The schema is valid OpenAPI 3.1, made without a warning, and tells of each operation what can go wrong."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    import yaml

    out = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    assert not GENERATOR_STATS
    found: dict[str, Any] = yaml.safe_load(out.getvalue())
    return found


def operations(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(p, m, o) for p, item in schema["paths"].items() for m, o in item.items() if m != "parameters"]


def test_it_is_openapi_3_1(schema: dict[str, Any]) -> None:
    assert schema["openapi"].startswith("3.1")


def test_operation_ids_are_plain_words_and_unique(schema: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(schema)]
    assert len(ids) == len(set(ids))
    assert all(name.replace("_", "").isalnum() and name.isascii() for name in ids)


def test_every_error_is_of_the_one_shape(schema: dict[str, Any]) -> None:
    for path, method, operation in operations(schema):
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                content = response["content"]["application/json"]["schema"]
                assert content == {"$ref": "#/components/schemas/Error"}, (path, method, status)


def test_every_operation_says_what_can_go_wrong(schema: dict[str, Any]) -> None:
    for path, method, operation in operations(schema):
        said = set(operation["responses"])
        assert {"406", "500", "503"} <= said, (path, method)
        if {} not in operation["security"]:
            assert {"401", "403"} <= said, (path, method)
        if "requestBody" in operation:
            assert {"400", "413", "415"} <= said, (path, method)


def test_a_throttled_sign_in_is_told(schema: dict[str, Any]) -> None:
    assert "429" in schema["paths"]["/auth/login"]["post"]["responses"]


def test_names_are_camel_case(schema: dict[str, Any]) -> None:
    for name, component in schema["components"]["schemas"].items():
        assert not [key for key in component.get("properties", {}) if "_" in key], name


@pytest.mark.django_db
def test_whoever_looks_finds_the_way_in(client: Client) -> None:
    assert "auth/tokens" in client.get("/api").json()
    assert client.get("/api/schema").status_code == 200
    page = client.get("/api/docs", headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "//cdn" not in page.text and "https://" not in page.text


@pytest.mark.django_db
@pytest.mark.parametrize("version", ["%00", "1%22;x=%22", "2"])
def test_a_version_from_the_address_reaches_no_header(client: Client, version: str) -> None:
    response = client.get(f"/api/schema?version={version}", headers={"Accept": "application/vnd.oai.openapi+json"})
    assert (response.status_code, response.json()["errors"][0]["attr"]) == (400, "version")
    assert "Content-Disposition" not in response


@pytest.mark.django_db
def test_the_browsable_root_is_a_page_for_a_browser(client: Client) -> None:
    page = client.get("/api", headers={"Accept": "text/html"})
    assert page["Content-Type"].startswith("text/html")
    assert "/accounts/login/" in page.text


def test_every_operation_has_a_summary_of_one_line(schema: dict[str, Any]) -> None:
    for path, method, operation in operations(schema):
        summary = operation.get("summary", "")
        assert 5 < len(summary) <= 120, (path, method, summary)
        assert "\n" not in summary and "``" not in summary, (path, method, summary)
    for path, item in schema["paths"].items():
        said = [operation["summary"] for method, operation in item.items() if method != "parameters"]
        assert len(said) == len(set(said)), path


@pytest.mark.django_db
def test_the_root_names_the_search(client: Client) -> None:
    assert client.get("/api").json()["knowledge:search"].endswith("/knowledge:search")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api", "/api/docs"])
def test_the_pages_of_the_api_lead_home(client: Client, path: str) -> None:
    assert '<a href="/">OncallAgent</a>' in client.get(path, headers={"Accept": "text/html"}).text
