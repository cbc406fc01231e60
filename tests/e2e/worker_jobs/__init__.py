"""An app that is nothing but job handlers, as ``ONCALL_EXTRA_APPS`` installs it."""
