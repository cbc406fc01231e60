"""Retrieval quality and indexing speed on a set of runbooks: ``python benchmarks/knowledge.py PATH_TO_RUNBOOKS``.

The folder holds ``corpus.jsonl`` (id, title, text), ``queries.jsonl`` (id, kind, text) and ``qrels.tsv`` (query,
document, relevance). Every file goes the real way (upload, job, index, search) in a data folder that is thrown away.
A document counts as found at its best chunk; printed are nDCG@10 per kind of query, their mean over the kinds
(macro), chunks indexed per second of CPU, milliseconds of CPU per query, and the peak memory of the process.
"""

import json
import math
import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any


def main(folder: Path) -> None:
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as home:
        start_project(home)
        owner, names, chunks, seconds, refused = index(corpus)
        print(
            f"indexed {len(names)} documents, {chunks} chunks in {seconds:.1f} s CPU: {chunks / seconds:.0f} chunks/s"
        )
        for name, sentence in refused:
            print(f"  refused {name}: {sentence}")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory while indexing {peak:.0f} MB")
        report(queries, read_relevance(folder / "qrels.tsv"), owner=owner, names=names)


def start_project(home: str) -> None:
    """Django on an empty database in ``home``."""
    # In place of this folder, whose ``queue.py`` would hide Python's.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    os.environ |= {"ONCALL_HOME": home, "DJANGO_SETTINGS_MODULE": "oncall.settings"}
    os.environ.pop("DATABASE_URL", None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def index(corpus: list[dict[str, Any]]) -> tuple[int, dict[str, str], int, float, list[tuple[str, str]]]:
    """``owner id, {document id: corpus id}, chunks, CPU seconds, refused files``."""
    from documents.bases import default_base
    from documents.conflicts import DocumentConflict
    from documents.models import Chunk
    from documents.uploads import upload
    from jobs.testing import run_until_idle
    from oncall.models import User

    owner = User.objects.create_user("benchmark")
    base = default_base(owner.pk)
    names: dict[str, str] = {}
    refused: list[tuple[str, str]] = []
    started = time.process_time()
    for entry in corpus:
        file_name = entry["id"].replace("/", "__") + ".md"
        try:
            names[upload(base, file_name=file_name, data=entry["text"].encode()).document.pk] = entry["id"]
        except DocumentConflict as conflict:
            refused.append((file_name, str(conflict)))
    run_until_idle()
    return owner.pk, names, Chunk.objects.count(), time.process_time() - started, refused


def read_relevance(path: Path) -> dict[str, dict[str, int]]:
    relevance: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        relevance[query][document] = int(grade)
    return relevance


def report(
    queries: list[dict[str, Any]], relevance: dict[str, dict[str, int]], *, owner: int, names: dict[str, str]
) -> None:
    from documents.scope import scope_for
    from documents.search import MODES, search

    scope = scope_for([owner])
    for mode in MODES:
        by_kind: dict[str, list[float]] = defaultdict(list)
        started = time.process_time()
        for query in queries:
            hits = search(scope, query["text"], limit=10, mode=mode, one_per_document=True)
            found = [names[hit.chunk.document_id] for hit in hits]
            by_kind[query["kind"]].append(ndcg(found, relevance[query["id"]]))
        each = (time.process_time() - started) * 1000 / len(queries)
        means = {kind: sum(values) / len(values) for kind, values in by_kind.items()}
        macro = sum(means.values()) / len(means)
        print(f"{mode}: macro nDCG@10 {macro:.3f}, {each:.0f} ms CPU a query")
        print("  " + ", ".join(f"{kind} {value:.3f}" for kind, value in sorted(means.items())))


def ndcg(found: list[str], relevance: dict[str, int]) -> float:
    gain = sum(relevance.get(name, 0) / math.log2(place + 2) for place, name in enumerate(found[:10]))
    best = sum(grade / math.log2(place + 2) for place, grade in enumerate(sorted(relevance.values())[::-1][:10]))
    return gain / best if best else 0.0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/knowledge.py PATH_TO_RUNBOOKS")
    main(Path(sys.argv[1]))
