from pathlib import Path

from tests.diagnosis.engine.planted import diagnosed, incident_of, slow_pay

SAMPLE = Path(__file__).resolve().parents[3] / "documents" / "samples" / "connection-pool-exhausted.md"
FIX = """# Pay resource pool exhausted

## Put it right

- Roll back pay
  before anything else.
1. Raise the pool.

```sql
- this is code
```

## Afterwards

- Write it down.
"""


def test_actions_are_the_words_of_the_runbook_under_its_cure() -> None:
    report = diagnosed(incident_of(slow_pay(), runbooks={"pay-latency": FIX})).report
    assert [action["text"] for action in report["actions"]] == [
        "Roll back pay before anything else.",
        "Raise the pool.",
    ]
    assert {action["title"] for action in report["actions"]} == {"pay latency"}


def test_at_most_three_passages_are_quoted_and_each_is_evidence() -> None:
    books = {f"shop-pay-latency-{n}": FIX for n in range(6)}
    found = diagnosed(incident_of(slow_pay(), runbooks=books))
    assert len(found.report["runbooks"]) == 3
    for passage in found.report["runbooks"]:
        assert found.evidence[passage["evidence"][0]].kind == "runbook"


def test_a_runbook_about_something_else_is_not_quoted() -> None:
    report = diagnosed(incident_of(slow_pay(), runbooks={"certificates": "# Renew\n\nOpen the vault.\n"})).report
    assert report["runbooks"] == []
    assert report["actions"] == []


def test_there_is_one_query_made_of_alert_service_and_mechanism() -> None:
    query = diagnosed(incident_of(slow_pay())).state.of("retrieve")["query"]
    assert query == "ShopLatencyHigh pay shop exhausted pool saturation"


def test_a_warning_about_the_cure_is_no_action() -> None:
    warned = FIX + "\n## A rollback does not help when\n\n- the database was migrated\n"
    report = diagnosed(incident_of(slow_pay(), runbooks={"pay-latency": warned})).report
    assert "the database was migrated" not in [action["text"] for action in report["actions"]]
    assert report["actions"]
