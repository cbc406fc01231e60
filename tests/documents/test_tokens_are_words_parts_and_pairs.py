"""What a text is found by: whole words, the parts of compound ones, stems, and pairs of CJK characters."""

import re
import sys

from hypothesis import example, given
from hypothesis import strategies as st

from documents.tokens import matches, query_terms, tokenize


def test_a_compound_word_is_found_by_itself_and_by_its_parts() -> None:
    assert tokenize("KubePodCrashLooping") == ["kubepodcrashloop", "kube", "pod", "crash", "loop"]
    assert tokenize("node_memory_MemAvailable_bytes")[0] == "node_memory_memavailable_bytes"
    assert {"memori", "mem", "avail", "byte"} <= set(tokenize("node_memory_MemAvailable_bytes"))
    assert tokenize("HTTPServer2xx") == ["httpserver2xx", "http", "server", "2", "xx"]


def test_forms_of_a_word_meet() -> None:
    assert tokenize("restarting restarts restarted") == ["restart"] * 3


def test_cjk_is_found_by_pairs_of_characters() -> None:
    assert tokenize("连接数打满") == ["连接", "接数", "数打", "打满"]
    assert tokenize("Redis连接") == ["redi", "连接"]
    assert tokenize("満") == ["満"]


def test_width_and_case_do_not_matter() -> None:
    assert tokenize("ＲＥＤＩＳ ５００ Überlauf") == ["redi", "500", "überlauf"]


def test_stop_words_leave_the_query_and_stay_in_the_text() -> None:
    assert query_terms("what is the state of the pod") == ["state", "pod"]
    assert "the" in tokenize("the pod")
    assert query_terms("what is this") == ["what", "is", "thi"]


def test_no_token_holds_query_syntax() -> None:
    terms = query_terms('NEAR(a b) OR "x" AND -y * ^z {c}: \' \\ ; DROP TABLE')
    assert all(re.fullmatch(r"\w+", term) for term in terms)


def is_plain(token: str) -> bool:
    """Lower-case letters, digits, ``_``; the planes of Han grow with each Unicode version, so they count as a whole."""
    plain = re.fullmatch("[\\w\U00020000-\U0002fffd\U00030000-\U0003fffd]+", token)
    return plain is not None and token == token.lower()


@given(st.text())
@example("\u2e80")  # a radical that stands for no character
@example("\u30c7\u30fb\u30bf")  # a dot between kana
@example("\uff9e")  # half-width forms become full ones first, here a mark without its kana
@example("\u0130")  # its lower case is two characters
def test_any_text_gives_plain_tokens(text: str) -> None:
    assert [token for token in tokenize(text) if not is_plain(token)] == []


def test_any_character_gives_plain_tokens() -> None:
    every = (chr(number) for number in range(sys.maxunicode + 1))
    assert [hex(ord(one)) for one in every if not all(map(is_plain, tokenize(one)))] == []


def test_signs_of_the_han_blocks_part_words() -> None:
    assert tokenize("データ・ベース") == ["デー", "ータ", "ベー", "ース"]
    assert tokenize("磁盘\u2e80满了") == ["磁盘", "满了"]
    assert tokenize("\u31c0 \u30a0 \u3099") == []


def test_other_forms_of_a_character_become_the_usual_one() -> None:
    assert tokenize("\u2f00\u2f0a") == tokenize("一入") == ["一入"]  # radicals that stand for a character
    assert tokenize("ﾃﾞｰﾀ") == tokenize("データ")
    assert tokenize("\ufa6a") == tokenize("頻")
    assert tokenize("İstanbul") == tokenize("Istanbul")


def test_matches_are_ranges_of_the_text() -> None:
    text = "Pods restarted. 连接数打满了"
    found = [text[start:end] for start, end in matches(text, query_terms("pod restarting 连接数打满"))]
    assert found == ["Pods", "restarted", "连接数打满"]
