"""Bodies read strictly: a number is no string, a string no number, no key is said twice, and nothing is read twice."""

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import msgspec
from litestar import Request
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler
from msgspec import inspect

from services.door.keys import Caller
from services.door.problems import Declined


class StrictRequest(Request[Caller, Any, State]):
    """A request whose JSON body is decoded straight into what its route asks for.

    Litestar decodes a body into anything and converts it leniently: the amount `"1"` would be 1.
    """

    async def json(self) -> Any:
        """Decode the body into the type of the handler's `data`. Raises Declined with the place that is wrong."""
        try:
            return _decoder_at(self.route_handler)(await self.body())
        except msgspec.ValidationError as error:
            what, _, where = str(error).partition(" - at ")
            raise Declined(400, what, where=f"body {where.strip('`') or '$'}") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Declined(400, f"not JSON: {error}", where="body") from None


@lru_cache(maxsize=256)
def _decoder_at(route: BaseRouteHandler) -> Callable[[bytes], Any]:
    data = route.parsed_fn_signature.parameters.get("data")
    return decoder(data.raw if data else Any)


def decoder(shape: Any) -> Callable[[bytes], Any]:
    """Make what decodes bodies of a shape. It raises msgspec's errors, and Declined for a key that is said twice.

    Of a bet, or of a list of them, its quotation marks tell: every name and every text has two, and none is left over.
    """
    decode, quotes = msgspec.json.Decoder(shape).decode, _quotes(shape)

    def decode_strictly(body: bytes) -> Any:
        said = decode(body)
        if not quotes or body.count(b'"') != quotes * (len(said) if type(said) is tuple else 1):
            refuse_repetition(body)
        return said

    return decode_strictly


def refuse_repetition(body: bytes) -> None:
    """See that no object of a JSON text has a key twice: readers differ in which one they take. Raises Declined."""
    told = json.loads(body, object_pairs_hook=_read_object)
    for path, key in _said_twice(told, "$"):
        raise Declined(
            400,
            f"{key[:64]} is said twice, and which one is meant cannot be told",
            code="said-twice",
            where=f"body {path}.{key[:64]}",
            would_be_right=f"{key[:64]} once",
        )


class _Twice(str):
    """A key that an object has twice, in place of the object."""

    __slots__ = ()


def _read_object(pairs: list[tuple[str, Any]]) -> Any:
    read = dict(pairs)
    if len(read) == len(pairs):
        return read
    keys = [key for key, _ in pairs]
    return _Twice(next(key for at, key in enumerate(keys) if key in keys[:at]))


def _said_twice(told: Any, path: str) -> Iterator[tuple[str, str]]:
    """Find the keys that are said twice, each with where its object is."""
    if isinstance(told, _Twice):
        yield path, str(told)
    elif isinstance(told, dict):
        for key, value in told.items():
            yield from _said_twice(value, f"{path}.{key}")
    elif isinstance(told, list):
        for at, value in enumerate(told):
            yield from _said_twice(value, f"{path}[{at}]")


def _quotes(shape: Any) -> int:
    """Count the quotation marks in what holds a struct of texts and numbers; 0 where they are not always as many.

    The shape is such a struct, or a tuple of it, or either.
    """
    kind = inspect.type_info(shape)
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    struct, *others = [one.item_type if isinstance(one, inspect.VarTupleType) else one for one in kinds]
    if not isinstance(struct, inspect.StructType) or any(one != struct for one in others):
        return 0
    texts = sum(isinstance(field.type, inspect.StrType) for field in struct.fields)
    numbers = sum(isinstance(field.type, inspect.IntType) for field in struct.fields)
    is_plain = all(field.required for field in struct.fields) and struct.tag is None and not struct.array_like
    return 4 * texts + 2 * numbers if is_plain and texts + numbers == len(struct.fields) else 0
