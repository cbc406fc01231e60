"""A file is read in the encoding it was written in, without being told; control characters go, newlines become one."""

import pytest

from documents.extraction.decoding import decode

CHINESE = "# Redis 连接数打满处置手册\n\n先看连接数，再决定是否重启。"
TRADITIONAL = "# 連線數過多處置手冊\n\n先看連線數，再決定是否重新啟動。"
JAPANESE = "# 障害対応手順\n\n接続数を確認してから再起動してください。"
KOREAN = "# 장애 대응 절차\n\n연결 수를 확인한 다음 다시 시작하십시오."
GERMAN = "# Störung\n\nBitte prüfen Sie die Verbindung – dann “neu starten”."
ENGLISH = "# Plain English\n\nRestart the pod, then look at the log again."


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", CHINESE),
        ("utf-8-sig", CHINESE),
        ("gb18030", CHINESE),
        ("big5", TRADITIONAL),
        ("cp932", JAPANESE),
        ("euc_kr", KOREAN),
        ("cp1252", GERMAN),
        ("utf-16", CHINESE),
        ("utf-16-le", CHINESE),
        ("utf-16-be", CHINESE),
        ("utf-16-le", ENGLISH),
        ("utf-16-be", ENGLISH),
        ("utf-32", CHINESE),
    ],
)
def test_the_text_comes_out_as_it_went_in(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding))[0] == text


def test_seventy_bytes_of_japanese_are_enough() -> None:
    rows = "名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪\n髙橋淳,35,名古屋\n"
    assert decode(rows.encode("cp932")) == (rows, "cp932")


@pytest.mark.parametrize("encoding", ["gb18030", "utf_16_le", "utf_16_be"])
def test_a_guess_holds_for_a_long_file(encoding: str) -> None:
    text = (CHINESE + "\n") * 3_000
    assert decode(text.encode(encoding)) == (text, encoding)


def test_control_characters_go_and_newlines_are_one_character() -> None:
    assert decode(b"a\x00b\x07c\r\nd\re\x0cf\tg\x7f")[0] == "abc\nd\ne\nf\tg"


def test_one_bad_byte_far_down_does_not_lose_a_runbook() -> None:
    text = (CHINESE + "\n") * 3_000
    assert decode(text.encode("gb18030") + b"\xff")[0].startswith(text)
