"""Bodies: JSON that is malformed in whatever way is a 400, never an error of ours."""

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class StrictJSONParser(JSONParser):
    """JSON without NaN or Infinity; a body nested too deep for the parser is malformed, too."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError:
            raise ParseError("JSON parse error: the body is nested too deep.") from None
