from django.apps import AppConfig


class OncallConfig(AppConfig):
    name = "oncall"
    verbose_name = "Owners"

    def ready(self) -> None:
        from oncall import checks  # noqa: F401  (registers the system checks)
