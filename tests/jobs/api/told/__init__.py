"""An app with two job kinds, for a worker of its own process (``ONCALL_EXTRA_APPS``)."""
