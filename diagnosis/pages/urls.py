from django.urls import path

from diagnosis.pages import diagnoses, incidents, live

app_name = "pages"
urlpatterns = [
    path("incidents/", incidents.incident_list, name="incidents"),
    path("incidents/<str:incident_id>/", incidents.incident_page, name="incident"),
    path("incidents/<str:incident_id>/acknowledge/", incidents.acknowledge_incident, name="incident-acknowledge"),
    path("incidents/<str:incident_id>/note/", incidents.note_incident, name="incident-note"),
    path("incidents/<str:incident_id>/diagnose/", incidents.diagnose, name="incident-diagnose"),
    path("incidents/<str:incident_id>/refresh/", incidents.refresh, name="incident-refresh"),
    path("diagnoses/<str:diagnosis_id>/", diagnoses.diagnosis_page, name="diagnosis"),
    path("diagnoses/<str:diagnosis_id>/outcome/", diagnoses.outcome, name="diagnosis-outcome"),
    path("diagnoses/<str:diagnosis_id>/stream/", live.stream, name="diagnosis-stream"),
    path("diagnoses/<str:diagnosis_id>/cancel/", diagnoses.cancel, name="diagnosis-cancel"),
    path("diagnoses/<str:diagnosis_id>/retry/", diagnoses.retry, name="diagnosis-retry"),
]
