"""The log itself: its entries verbatim, in pages and as a stream, and the checkpoints that seal it."""

from litestar.response import Response, Stream

from schemas import policy
from services.table import follow
from services.table.http.route import AUDITORS, PUBLIC, Place, view
from services.table.pit import Pit

NDJSON, SSE, TEXT = "application/x-ndjson", "text/event-stream", "text/plain"


@view("/log/entries", tells=bytes, media_type=NDJSON, roles=AUDITORS, query=("after", "limit"))
async def page_entries(pit: Pit, place: Place) -> Response[bytes]:
    """Give entries in log order, one a line, verbatim; header `Shoelog-Next` is the `after` of the next page."""
    page = await pit.journal.page(place.after, place.limit)
    body = b"".join(entry.line + b"\n" for entry in page)
    following = max([place.after, *(entry.position for entry in page)])
    return Response(body, media_type=NDJSON, headers={"Shoelog-Next": str(following)})


@view("/log/stream", tells=bytes, media_type=SSE, roles=AUDITORS, query=("after", "last_event_id"))
async def stream_entries(pit: Pit, place: Place) -> Stream:
    """Give entries as they are written: `id` is the place in the log, `data` the line; `Last-Event-ID` resumes."""
    return Stream(follow.events(pit, place.after), media_type=SSE, headers={"Cache-Control": "no-store"})


@view("/log/checkpoint", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_checkpoint(pit: Pit, _: Place) -> Response[bytes]:
    """Give the newest signed checkpoint, with the cosignatures that it has: a second is waited for its quorum."""
    return Response((await pit.witnesses.show()).note, media_type=TEXT)


@view("/log/checkpoint", method="POST", tells=bytes, media_type=TEXT)
async def sign_checkpoint(pit: Pit, _: Place) -> Response[bytes]:
    """Have a checkpoint signed now, of everything that is durable."""
    signed = await pit.notary.cover(await pit.journal.size() - 1)
    return Response(signed.note, media_type=TEXT)


@view("/log/policy", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_policy(pit: Pit, _: Place) -> Response[bytes]:
    """Give the policy that checkpoints are meant to meet: the log's key, its witnesses, their quorum."""
    return Response(policy.encode(pit.witnesses.policy), media_type=TEXT)


@view("/log/vkey", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_vkey(pit: Pit, _: Place) -> Response[bytes]:
    """Give the key that checkpoints are verified with. To trust it, get it elsewhere too."""
    return Response(pit.notary.vkey.encode() + b"\n", media_type=TEXT)


ROUTES = (page_entries, stream_entries, show_checkpoint, sign_checkpoint, show_policy, show_vkey)
