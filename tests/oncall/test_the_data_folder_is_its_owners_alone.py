"""The data folder and the keys in it are made once, for whoever runs the installation, and for nobody else."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from oncall.home import key_from


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_folder_and_keys_are_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    key_from(folder, name="secret.key")
    assert mode_of(folder) == 0o700
    assert mode_of(folder / "secret.key") == 0o600


def test_all_who_start_at_once_read_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: key_from(tmp_path / "var", name="secret.key"), range(8)))
    assert len(keys) == 1


def test_a_key_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text("mine\n")
    assert key_from(tmp_path, name="secret.key") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]
