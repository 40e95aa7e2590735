"""Outsiders: whoever adds the last ingredient to a shuffle and is not the house. A signer, or a beacon, asked by HTTP.

A signer signs one mix for each shoe, ever: from the moment it is asked, nothing more may be contributed.
"""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated, Any

import httpx
import msgspec
from msgspec import Meta, Struct

from schemas.ingredient import LastIngredient, Mixed
from schemas.words import Contribution, Hash
from services.table.game import shoe as shoes
from services.table.game.entropy import SIGNER, is_complete, last_source
from services.table.game.refusal import RefusedError
from services.table.game.state import ShoeInPlay

WAIT_SECONDS = 5.0
_MOST_BYTES = 1 << 16


class Ingredient(Struct, frozen=True):
    """A contribution to a shuffle: who gives it, and what."""

    source: str
    value: bytes


class AwayError(Exception):
    """The last ingredient cannot be had just now. It will be the same when it is asked for again."""


class Round(Struct, frozen=True):
    """A round of a beacon, as drand's HTTP interface tells it."""

    round: Annotated[int, Meta(ge=1)]
    randomness: Hash
    signature: Contribution


Ask = Callable[[], Awaitable[Ingredient | RefusedError]]


class Outsiders:
    """A signer's and a beacon's addresses; without one, that ingredient is contributed like any other."""

    def __init__(self, *, signer_url: str = "", signer_key: str = "", beacon_url: str = "") -> None:
        self._signer_url = signer_url.rstrip("/")
        self._signer_key = signer_key
        self._beacon_url = beacon_url.rstrip("/")
        self._asked: dict[str, int] = {}
        self._client: httpx.AsyncClient | None = None

    def whom_to_ask(self, table: str, shoe: ShoeInPlay) -> Ask | None:
        """Give the one to ask for a shoe's last ingredient, if somebody is; nothing can be contributed from here on."""
        source = last_source(shoe)
        if source is None or is_complete(shoe):
            return None
        if source.startswith(SIGNER):
            if not self._signer_url:
                return None
            self._asked[table] = shoe.number
            mixed = Mixed(
                shoe_id=f"{table}/{shoe.number}",
                seed_commitment=shoe.commitment,
                mix=shoes.mix(shoe.contributions).hex(),
            )
            return lambda: self._ask_signer(table, mixed)
        return (lambda: self._ask_beacon(source)) if self._beacon_url else None

    def have_been_asked(self, table: str, shoe: ShoeInPlay) -> bool:
        """Whether a signer may have signed the mix of this shoe as it is."""
        return self._asked.get(table) == shoe.number

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _ask_signer(self, table: str, mixed: Mixed) -> Ingredient | RefusedError:
        headers = {"Authorization": f"Bearer {self._signer_key}", "Content-Type": "application/json"}
        try:
            status, body = await self._exchange(
                "POST", f"{self._signer_url}/v1/sign", content=msgspec.json.encode(mixed), headers=headers
            )
        except httpx.ConnectError:
            self._asked.pop(table, None)  # it was not asked after all
            raise AwayError("the signer of the last ingredient cannot be reached") from None
        except httpx.HTTPError as error:
            raise AwayError(f"the signer of the last ingredient does not answer: {type(error).__name__}") from None
        if status == HTTPStatus.CONFLICT:
            return RefusedError(
                "entropy",
                f"the signer refuses: another mix was signed for {mixed.shoe_id}",
                where="shuffle",
                right="give the shoe up: POST /v1/tables/{table}/shoes/current/void",
            )
        if status != HTTPStatus.OK:
            raise AwayError(f"the signer of the last ingredient answers {status}")
        given = _read(body, LastIngredient, "signer")
        return Ingredient(given.source, bytes.fromhex(given.value))

    async def _ask_beacon(self, source: str) -> Ingredient | RefusedError:
        """Ask for a round of a chain. Its signature is not verified here: those who can, will."""
        _, chain, number = source.split(":")
        try:
            status, body = await self._exchange("GET", f"{self._beacon_url}/{chain}/public/{number}")
        except httpx.HTTPError as error:
            raise AwayError(f"the beacon does not answer: {type(error).__name__}") from None
        if status != HTTPStatus.OK:
            raise AwayError(f"the beacon has no round {number} yet: it answers {status}")
        told = _read(body, Round, "beacon")
        signature = bytes.fromhex(told.signature)
        if told.round != int(number) or sha256(signature).hexdigest() != told.randomness:
            raise AwayError(f"what the beacon answers is not its round {number}")
        return Ingredient(source, signature)

    async def _exchange(self, method: str, url: str, **more: Any) -> tuple[int, bytes]:
        """Ask, and read no more than an answer may have. Raises httpx.HTTPError."""
        if self._client is None:
            self._client = httpx.AsyncClient(timeout=WAIT_SECONDS, trust_env=False)
        async with self._client.stream(method, url, **more) as answer:
            body = b""
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise httpx.DecodingError("the answer is too long")
            return answer.status_code, body


def _read(body: bytes, shape: type[Any], whose: str) -> Any:
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AwayError(f"the {whose}'s answer cannot be read: {error}") from None
