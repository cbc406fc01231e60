"""The full-text table: FTS5 on SQLite, a tsvector with a GIN index on PostgreSQL, both over our own tokens.

One row per chunk: ``scope`` holds the ids of its base and document, ``heading`` and ``body`` tokens of ``documents.tokens``.
Its rows go with their chunks in ``documents.stores``, on both databases; a foreign key would keep Django's ``flush``, which
knows only its models, from emptying the chunks on PostgreSQL.
"""

from django.db import migrations

SQLITE = (
    """CREATE VIRTUAL TABLE documents_lexicon
       USING fts5(scope, heading, body, tokenize="unicode61 remove_diacritics 0 tokenchars '_'")""",
    "CREATE VIRTUAL TABLE documents_lexicon_terms USING fts5vocab(documents_lexicon, 'row')",
)
SQLITE_BACK = ("DROP TABLE documents_lexicon_terms", "DROP TABLE documents_lexicon")

POSTGRESQL = (
    """CREATE TABLE documents_lexicon (
           rowid bigint PRIMARY KEY,
           base_id varchar(40) NOT NULL,
           document_id varchar(40) NOT NULL,
           length integer NOT NULL,
           tokens tsvector NOT NULL
       )""",
    "CREATE INDEX documents_lexicon_tokens ON documents_lexicon USING gin (tokens)",
    "CREATE INDEX documents_lexicon_base ON documents_lexicon (base_id)",
)
POSTGRESQL_BACK = ("DROP TABLE documents_lexicon",)


def _run(schema_editor, *, sqlite, postgresql):
    statements = {"sqlite": sqlite, "postgresql": postgresql}[schema_editor.connection.vendor]
    for statement in statements:
        schema_editor.execute(statement)


def forwards(apps, schema_editor):
    _run(schema_editor, sqlite=SQLITE, postgresql=POSTGRESQL)


def backwards(apps, schema_editor):
    _run(schema_editor, sqlite=SQLITE_BACK, postgresql=POSTGRESQL_BACK)


class Migration(migrations.Migration):
    dependencies = [("documents", "0001_initial")]

    operations = [migrations.RunPython(forwards, backwards)]
