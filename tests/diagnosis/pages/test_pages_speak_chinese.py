"""Who asks for Chinese reads Chinese; the choice on the page wins over the browser's, and no text is left out."""

import gettext
import re
from collections.abc import Callable

from django.conf import settings
from django.test import Client

from diagnosis.models import Diagnosis
from diagnosis.states import FAILED
from oncall.models import User

SignIn = Callable[[User], Client]
CATALOGUE = settings.LOCALE_PATHS[0] / "zh_Hans" / "LC_MESSAGES"


def test_by_the_browsers_wish(as_user: SignIn, alice: User, diagnosed: Callable[..., Diagnosis]) -> None:
    diagnosis = diagnosed(status=FAILED)
    for path in ("/", "/incidents/", f"/incidents/{diagnosis.incident_id}/", f"/diagnoses/{diagnosis.pk}/"):
        page = as_user(alice).get(path, headers={"Accept-Language": "zh-CN"}).content.decode()
        assert '<html lang="zh-hans">' in page and "知识库" in page and ">Incidents<" not in page


def test_by_ones_own_choice(as_user: SignIn, alice: User) -> None:
    client = as_user(alice)
    answer = client.post("/accounts/language/", {"language": "zh-hans", "next": "/incidents/?page=2"})
    assert answer["Location"] == "/incidents/?page=2"
    assert "没有更多事件" in client.get("/incidents/?page=2", headers={"Accept-Language": "en"}).content.decode()
    client.post("/accounts/language/", {"language": "en", "next": "//evil.example"})
    assert "There are no more incidents." in client.get("/incidents/?page=2").content.decode()


def test_every_text_has_its_translation_and_it_is_compiled() -> None:
    texts = (CATALOGUE / "django.po").read_text(encoding="utf-8")
    assert not re.search(r'msgstr(\[0\])? ""\n(?!")', texts) and "#, fuzzy" not in texts
    with (CATALOGUE / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for wanted, translated in re.findall(r'^msgid "(.+)"\nmsgstr "(.+)"$', texts, re.MULTILINE):
        plain = [text.replace('\\"', '"') for text in (wanted, translated)]
        assert compiled.gettext(plain[0]) == plain[1]
