from django.urls import path

from diagnosis.api.service_views import CheckServiceView, ServicesView, ServiceView
from diagnosis.api.source_views import CheckDataSourceView, DataSourcesView, DataSourceView

_SOURCE = "aiops/data-sources/<str:source_id>"
_SERVICE = "aiops/services/<str:service_id>"

# A verb stands before the plain id, which would take it for a part of itself.
urlpatterns = [
    path("aiops/data-sources", DataSourcesView.as_view(), name="data-sources"),
    path(f"{_SOURCE}:check", CheckDataSourceView.as_view(), name="data-source-check"),
    path(_SOURCE, DataSourceView.as_view(), name="data-source"),
    path("aiops/services", ServicesView.as_view(), name="services"),
    path(f"{_SERVICE}:check", CheckServiceView.as_view(), name="service-check"),
    path(_SERVICE, ServiceView.as_view(), name="service"),
]
