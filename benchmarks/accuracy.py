"""Does the engine find the faulty node: ``python benchmarks/accuracy.py PATH_TO_PETSHOP [PATH_TO_NEZHA]``.

Printed for each set, and for PetShop also for each fault: top-1 and top-3 of the engine beside three plain baselines on
the very same series (largest z, correlation with the target, deepest unusual callee), the verdicts with how often they
named the right node, and seconds an incident (all stages, report included). For PetShop also the verdicts in quiet
windows of normal operation, where nothing should be found. Labels are read here only, never by the engine.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from diagnosis.engine.times import iso, seconds_of, window_of
from diagnosis.engine.types import Series
from diagnosis.replay import nezha, petshop
from diagnosis.replay.incident import Incident
from diagnosis.replay.run import Diagnosed, diagnose
from diagnosis.replay.tools import FolderTools

Ranking = Callable[[Diagnosed, Incident], list[str]]
QUIET_EVERY = 7  # Steps between two quiet windows.


def main(arguments: list[str]) -> None:
    sets = [("PetShop, low traffic", petshop.incidents(Path(arguments[0])))]
    if len(arguments) > 1:
        found = list(nezha.incidents(Path(arguments[1])))
        for name, day in (("Online Boutique", "2022-08-22"), ("Train Ticket", "2023-01-29")):
            sets.append((name, iter([row for row in found if row[0].startswith(day)])))
    for name, incidents in sets:
        measure(name, incidents)
    quiet(Path(arguments[0]))


def measure(name: str, incidents: Iterator[tuple[str, Incident]]) -> None:
    places: dict[str, list[int]] = defaultdict(list)
    verdicts: dict[str, list[bool]] = defaultdict(list)
    seconds = []
    print(name)
    for identifier, incident in incidents:
        begun = time.perf_counter()
        diagnosed = diagnose(incident.subject, FolderTools(incident))
        seconds.append(time.perf_counter() - begun)
        truth = str(incident.truth["node"])
        found = {method: place(rank(diagnosed, incident), truth) for method, rank in METHODS.items()}
        for method, at in found.items():
            places[method].append(at)
        verdicts[diagnosed.report["verdict"]].append(found["engine"] == 1)
        if "PetShop" in name:
            print(f"  {identifier:26} {truth:46} " + "  ".join(f"{m} {at or '-'}" for m, at in found.items()))
    for method, all_places in places.items():
        print(f"  {method:12} top-1 {share(all_places, 1):.2f}  top-3 {share(all_places, 3):.2f}")
    for verdict, right in sorted(verdicts.items()):
        print(f"  {verdict:12} {len(right):3} times, right node first in {sum(right) / len(right):.2f}")
    print(f"  {sum(seconds) / len(seconds):.3f} s an incident, {max(seconds):.3f} s the slowest")


def place(ranking: list[str], truth: str) -> int:
    """From 1; 0 where the node is not there."""
    return ranking.index(truth) + 1 if truth in ranking else 0


def share(places: list[int], limit: int) -> float:
    return sum(0 < at <= limit for at in places) / len(places)


# The plain baselines, on the engine's own judgements of the same series.


def by_engine(diagnosed: Diagnosed, incident: Incident) -> list[str]:
    return diagnosed.ranking


def by_z(diagnosed: Diagnosed, incident: Incident) -> list[str]:
    return best_first(diagnosed, lambda row: float(row["z"] or 0.0))


def by_correlation(diagnosed: Diagnosed, incident: Incident) -> list[str]:
    return best_first(diagnosed, lambda row: float(row["alike"] or 0.0))


def by_depth(diagnosed: Diagnosed, incident: Incident) -> list[str]:
    """From the target down along unusual nodes: the deepest first."""
    depth = {
        row["node"]: row["distance"] for row in diagnosed.state.of("scope")["nodes"] if row["relation"] != "caller"
    }
    unusual = {row["node"] for row in diagnosed.state.of("analyse")["anomalies"]}
    reached, edge = set(), [diagnosed.state.of("intake")["target"]]
    while edge:
        edge = [n for node in edge for n in incident.topology.callees(node) if n in unusual and n not in reached]
        reached.update(edge)
    return sorted(reached, key=lambda node: (-depth.get(node, 0), node))


def best_first(diagnosed: Diagnosed, value: Callable[[Mapping[str, float]], float]) -> list[str]:
    best: dict[str, float] = {}
    for row in diagnosed.state.of("analyse")["anomalies"]:
        best[row["node"]] = max(best.get(row["node"], 0.0), value(row))
    return sorted(best, key=lambda node: (-best[node], node))


METHODS: dict[str, Ranking] = {"engine": by_engine, "z": by_z, "correlation": by_correlation, "depth": by_depth}


def quiet(path: Path) -> None:
    """Both alerts of the set over windows of normal operation."""
    _, incident = next(petshop.incidents(path))
    window = window_of(incident.subject["window"])
    assert window is not None
    first, verdicts = incident.series[0].start, defaultdict(int)
    usual = int((window.start - first) / petshop.STEP)
    for at in range(usual // 2, usual - 4, QUIET_EVERY):
        for alert_name in ("LatencyHigh", "AvailabilityLow"):
            moved = quiet_incident(incident, first + at * petshop.STEP, alert_name)
            verdicts[diagnose(moved.subject, FolderTools(moved)).report["verdict"]] += 1
    total = sum(verdicts.values())
    calm = verdicts["no_anomaly"] + verdicts["inconclusive"]
    print(f"PetShop, {total} quiet windows: no anomaly or inconclusive in {calm / total:.3f} ({dict(verdicts)})")


def quiet_incident(incident: Incident, start: float, alert_name: str) -> Incident:
    """The same services with a window of five steps from ``start``, and nothing after it."""
    end = start + 4 * petshop.STEP
    series = [cut_after(row, end) for row in incident.series]
    alert = {**incident.subject["alert"], "name": alert_name, "startsAt": iso(start + 2 * petshop.STEP)}
    baseline = {"start": iso(series[0].start), "end": iso(start)}
    window = {"start": iso(start), "end": iso(end)}
    assert seconds_of(window["start"]) == start
    subject = {**incident.subject, "window": window, "baseline": baseline, "alert": alert, "alerts": [alert]}
    return replace(incident, subject=subject, series=series, alerts=[alert], truth={})


def cut_after(row: Series, end: float) -> Series:
    return replace(row, values=row.values[: int((end - row.start) / row.step) + 1])


if __name__ == "__main__":
    main(sys.argv[1:])
