from django.urls import path

from oncall.api.root import ApiRoot, DocsView, SchemaView

urlpatterns = [
    path("api", ApiRoot.as_view(), name="api-root"),
    path("api/schema", SchemaView.as_view(), name="schema"),
    path("api/docs", DocsView.as_view(), name="api-docs"),
]
