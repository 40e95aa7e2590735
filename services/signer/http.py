"""The signer's routes: one asks for a signature, the others show the key and all that was signed."""

import asyncio

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.types import ControllerRouterHandler

from schemas.ingredient import LastIngredient, Mixed
from schemas.note import Verifier
from services.door import problems
from services.door.keys import PUBLIC
from services.door.problems import Declined
from services.signer.daybook import Daybook, DaybookError, OtherwiseSignedError

TEXT, NDJSON = "text/plain", "application/x-ndjson"


@post("/v1/sign", tags=["signer"], responses=problems.responses(409, 413, 415), status_code=200)
async def sign(
    data: JSONBody[Mixed], daybook: NamedDependency[Daybook], verifier: NamedDependency[Verifier]
) -> LastIngredient:
    """Sign the message made of a shoe's id, commitment and mix, and nothing else; one mix for each shoe, ever."""
    try:
        signed = await asyncio.to_thread(daybook.sign, data)
    except OtherwiseSignedError as otherwise:
        before = otherwise.signed
        raise Declined(
            409,
            f"for {before.shoe_id} another mix was signed, at {before.at}",
            code="otherwise-signed",
            where="body",
            would_be_right="the very request that was signed, or another shoe",
            values={"seed_commitment": before.seed_commitment, "mix": before.mix},
        ) from None
    except DaybookError as error:
        raise Declined(503, str(error), code="daybook") from None
    return LastIngredient(source=f"signer:{verifier.name}", value=signed.signature)


@get("/v1/signed", tags=["signer"], opt=dict(PUBLIC), security=[{}], media_type=NDJSON, responses=problems.responses())
async def show_signed(daybook: NamedDependency[Daybook]) -> Response[bytes]:
    """Give everything that was signed, a line each. Held against the log, it shows a shoe that is missing there."""
    lines = await asyncio.to_thread(daybook.all)
    return Response(b"".join(msgspec.json.encode(signed) + b"\n" for signed in lines), media_type=NDJSON)


@get(
    "/v1/vkey",
    tags=["signer"],
    opt=dict(PUBLIC),
    security=[{}],
    media_type=TEXT,
    responses=problems.responses(),
    sync_to_thread=False,
)
def show_vkey(verifier: NamedDependency[Verifier]) -> Response[str]:
    """Give the key that the signatures are verified with. To trust it, get it elsewhere too."""
    return Response(verifier.vkey + "\n", media_type=TEXT)


ROUTES: tuple[ControllerRouterHandler, ...] = (sign, show_signed, show_vkey)
