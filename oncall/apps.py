from django.apps import AppConfig


class OncallConfig(AppConfig):
    name = "oncall"
    verbose_name = "Owners"
