"""The WSGI application, for those who host it so: without streams, and with the size limit left to the host."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oncall.settings")
application = get_wsgi_application()
