"""What a text is found by: whole words, the parts of compound ones, stems, and pairs of CJK characters."""

import re

from hypothesis import given
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


@given(st.text())
def test_any_text_gives_plain_tokens(text: str) -> None:
    for token in tokenize(text):  # The last planes of Han grow with each Unicode version.
        assert re.fullmatch("[\\w\U00020000-\U0003ffff]+", token) and token == token.lower()


def test_matches_are_ranges_of_the_text() -> None:
    text = "Pods restarted. 连接数打满了"
    found = [text[start:end] for start, end in matches(text, query_terms("pod restarting 连接数打满"))]
    assert found == ["Pods", "restarted", "连接数打满"]
