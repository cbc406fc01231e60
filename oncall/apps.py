from django.apps import AppConfig


class OncallConfig(AppConfig):
    name = "oncall"
    verbose_name = "Owners"

    def ready(self) -> None:
        """Stop the start, with ``ImproperlyConfigured``, when a key does not fit: of the environment or of the file."""
        from oncall.crypto import encrypt

        encrypt("")
