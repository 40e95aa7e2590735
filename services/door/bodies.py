"""Bodies read strictly: a number is no string, a string no number, and nothing is read twice."""

from functools import lru_cache
from typing import Any

import msgspec
from litestar import Request
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from services.door.keys import Caller
from services.door.problems import Declined


class StrictRequest(Request[Caller, Any, State]):
    """A request whose JSON body is decoded straight into what its route asks for.

    Litestar decodes a body into anything and converts it leniently: the amount `"1"` would be 1.
    """

    async def json(self) -> Any:
        """Decode the body into the type of the handler's `data`. Raises Declined with the place that is wrong."""
        try:
            return _decoder(self.route_handler).decode(await self.body())
        except msgspec.ValidationError as error:
            what, _, where = str(error).partition(" - at ")
            raise Declined(400, what, where=f"body {where.strip('`') or '$'}") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Declined(400, f"not JSON: {error}", where="body") from None


@lru_cache(maxsize=256)
def _decoder(handler: BaseRouteHandler) -> msgspec.json.Decoder[Any]:
    data = handler.parsed_fn_signature.parameters.get("data")
    return msgspec.json.Decoder(data.raw if data else Any)
