"""The data folder (``ONCALL_HOME``) and the keys kept in it; read while the settings load, so it imports no Django."""

import os
import secrets
from base64 import urlsafe_b64encode
from pathlib import Path
from tempfile import mkstemp


def key_from(folder: Path, *, name: str) -> str:
    """The key stored in ``folder/name``, made there on first use with owner-only permissions.

    Several processes may start at once on an empty folder: the first to create the file wins and all read the same key.
    """
    path = folder / name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # The database in it holds what people uploaded.
        descriptor, draft = mkstemp(dir=folder, prefix=f".{name}.")  # Readable by its owner alone.
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(urlsafe_b64encode(secrets.token_bytes(32)).decode("ascii"))
        try:
            # A link, unlike a rename, fails when the name is taken: nobody's key is replaced, nobody reads half a file.
            os.link(draft, path)
        except FileExistsError:
            pass  # Another process was first; its key is the one.
        finally:
            Path(draft).unlink()
    return path.read_text(encoding="ascii").strip()
