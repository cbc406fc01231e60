"""A verdict as a word with a mark, on every page the same as in the report."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from diagnosis.reports.words import verdict_word
from diagnosis.states import Verdict

register = template.Library()


@register.filter
def verdict(value: str) -> SafeString | str:
    if value not in Verdict.ALL:
        return ""
    return format_html('<span class="verdict {}">{}</span>', value.replace("_", "-"), verdict_word(value))
