"""What was delivered or found is shown to operators with a permission of its own, and each look is on record."""

from typing import Any

from django.http import HttpRequest
from structlog import get_logger

from oncall.admin_site import ReadOnlyModelAdmin

log = get_logger(__name__)
PERMISSION = "diagnosis.view_content"


def may_see_content(request: HttpRequest) -> bool:
    return bool(request.user.has_perm(PERMISSION))


class ContentAdmin(ReadOnlyModelAdmin):
    """``content_fields`` and ``content_inlines`` stand on the page of one row for those who may see content."""

    content_fields: list[str] = []
    content_inlines: list[Any] = []

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = [name for name in super().get_fields(request, obj) if name not in self.content_fields]
        return [*shown, *self.content_fields] if may_see_content(request) else shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [*super().get_readonly_fields(request, obj), *self.content_fields]

    def get_inlines(self, request: HttpRequest, obj: Any = None) -> Any:
        inlines = list(super().get_inlines(request, obj))
        return [*inlines, *self.content_inlines] if may_see_content(request) else inlines

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        row = kwargs.get("obj")
        if row is not None and may_see_content(request):
            self.log_change(request, row, "read what was delivered")
            log.info("admin.content_shown", user_id=request.user.pk, model=row._meta.label_lower, row_id=row.pk)
        return super().render_change_form(request, context, *args, **kwargs)
