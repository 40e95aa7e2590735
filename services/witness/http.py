"""The witness's routes: `add-checkpoint` as C2SP tlog-witness has it, and what anybody may see. None asks for a key."""

import asyncio
from typing import Annotated, Any

import structlog
from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import PathParameter
from msgspec import Struct

from schemas.submission import ROUTE, SIZE_MEDIA_TYPE, encode_size
from services.door.keys import PUBLIC
from services.door.problems import Declined, Problem, problem, response, responses
from services.witness.evidence import Case, Summary
from services.witness.witness import ConflictError, RefusedError, Witness

TEXT = "text/plain"
CODES = {400: "malformed", 403: "not-signed", 404: "unknown-log", 422: "inconsistent"}
_log = structlog.get_logger()

Mark = Annotated[str, PathParameter(pattern="^[0-9a-f]{64}$", description="SHA-256 of the log's origin, in hex")]
CaseName = Annotated[str, PathParameter(pattern="^[a-z]+-[0-9a-f]{16}$", description="as the list has it")]


class Known(Struct, frozen=True, kw_only=True):
    """Whose cosignatures these are, and the size at which each log was cosigned last."""

    vkey: str
    sizes: dict[str, int]


class Cases(Struct, frozen=True, kw_only=True):
    """All evidence, in the order in which it was seen."""

    cases: tuple[Summary, ...]


@post(ROUTE, opt=PUBLIC, security=[{}], tags=["witness"], status_code=200, responses=responses(404, 409, 422))
async def add_checkpoint(request: Request[Any, Any, Any], witness: NamedDependency[Witness]) -> Response[bytes]:
    """Cosign a checkpoint that grew out of the one cosigned last: the answer is the line to put under it."""
    body = await request.body()
    try:
        return Response(await asyncio.to_thread(witness.add, body), media_type=TEXT)
    except OSError as error:
        _log.critical("not remembered", error=str(error))
        raise Declined(503, "the checkpoint cannot be remembered, and so it is not cosigned") from None


@get("/{mark:str}/checkpoint", opt=PUBLIC, security=[{}], tags=["witness"], responses=responses(404))
async def show_checkpoint(mark: Mark, witness: NamedDependency[Witness]) -> Response[bytes]:
    """Give the checkpoint of a log that was cosigned last, with the cosignature."""
    note = witness.latest(mark)
    if note is None:
        raise Declined(404, "no checkpoint of such a log was cosigned", code="unknown-log")
    return Response(note, media_type=TEXT, headers={"Cache-Control": "no-store"})


@get("/vkey", opt=PUBLIC, security=[{}], tags=["witness"])
async def show_vkey(witness: NamedDependency[Witness]) -> Response[bytes]:
    """Give the key that the cosignatures are verified with. To trust it, get it elsewhere too."""
    return Response(witness.vkey.encode() + b"\n", media_type=TEXT)


@get("/logs", opt=PUBLIC, security=[{}], tags=["witness"])
async def list_logs(witness: NamedDependency[Witness]) -> Known:
    """List the logs that were cosigned, and how far."""
    return Known(vkey=witness.vkey, sizes=dict(witness.sizes))


@get("/evidence", opt=PUBLIC, security=[{}], tags=["evidence"])
async def list_evidence(witness: NamedDependency[Witness]) -> Cases:
    """List what was shown to this witness and does not go with what it cosigned."""
    return Cases(cases=tuple(witness.evidence.summaries))


@get("/evidence/{name:str}", opt=PUBLIC, security=[{}], tags=["evidence"], responses=responses(404))
async def show_evidence(name: CaseName, witness: NamedDependency[Witness]) -> Case:
    """Give a case with both notes, as they were signed."""
    case = witness.evidence.case(name)
    if case is None:
        raise Declined(404, "there is no such case", code="unknown-case", would_be_right="a name that /evidence lists")
    return case


def tell_conflict(_: Request[Any, Any, Any], error: ConflictError) -> Response[bytes]:
    """Tell the size that was cosigned last, in the protocol's own form."""
    return Response(encode_size(error.size), status_code=error.status, headers={"content-type": SIZE_MEDIA_TYPE})


def tell_refusal(_: Request[Any, Any, Any], error: RefusedError) -> Response[Problem]:
    """Tell why nothing is cosigned."""
    _log.warning("not cosigned", status=error.status, reason=str(error))
    return response(problem(error.status, str(error), code=CODES[error.status]))


ROUTES = (add_checkpoint, show_checkpoint, show_vkey, list_logs, list_evidence, show_evidence)
REFUSALS: dict[type[Exception] | int, Any] = {ConflictError: tell_conflict, RefusedError: tell_refusal}
