"""The log itself: its entries verbatim, in pages, as a stream and as tiles, and the checkpoints that seal it."""

import gzip
from base64 import b64encode

from litestar.response import Response, Stream

from schemas import policy
from schemas import tile as tiles
from schemas.tile import Tile
from services.table import follow
from services.table.http.lost import found
from services.table.http.route import AUDITORS, PUBLIC, Place, view
from services.table.http.words import TILE
from services.table.pit import Pit
from services.table.shelf import Shelf
from services.table.told import Beginning

NDJSON, SSE, TEXT, OCTETS = "application/x-ndjson", "text/event-stream", "text/plain", "application/octet-stream"
FOR_EVER = "max-age=31536000, immutable"
FOR_A_MOMENT = {"Cache-Control": "public, max-age=1"}


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
    return Stream(
        follow.events(pit.journal, pit.closing, place.after), media_type=SSE, headers={"Cache-Control": "no-store"}
    )


@view("/log/checkpoint", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_checkpoint(pit: Pit, _: Place) -> Response[bytes]:
    """Give the newest signed checkpoint, with the cosignatures that it has: a second is waited for its quorum."""
    return Response((await pit.witnesses.show()).note, media_type=TEXT, headers=FOR_A_MOMENT)


@view("/log/checkpoint", method="POST", tells=bytes, media_type=TEXT, roles=AUDITORS)
async def sign_checkpoint(pit: Pit, _: Place) -> Response[bytes]:
    """Have a checkpoint signed now, of everything that is durable."""
    signed = await pit.notary.cover(await pit.journal.size() - 1)
    return Response(signed.note, media_type=TEXT)


@view("/log/tile/{level}/{number}", tells=bytes, media_type=OCTETS, roles=PUBLIC)
async def show_tile(pit: Pit, place: Place) -> Response[bytes]:
    """Give 256 hashes of the tree, or as many as a partial tile has: C2SP tlog-tiles."""
    return await tiled(pit.notary.shelf, await _signed(pit, place))


@view("/log/tile/entries/{number}", tells=bytes, media_type=OCTETS, roles=AUDITORS)
async def show_entry_bundle(pit: Pit, place: Place) -> Response[bytes]:
    """Give the entries below a tile of level 0, each behind its length in two bytes: C2SP tlog-tiles."""
    return await bundled(pit.notary.shelf, await _signed(pit, place), takes_gzip=place.takes_gzip)


@view("/log/consistency", tells=Beginning, roles=PUBLIC, query=("old", "new"))
async def prove_beginning(pit: Pit, place: Place) -> Beginning:
    """Prove that the log of so many entries is the beginning of the log of so many more."""
    signed = (await pit.notary.ready()).size
    new = signed if place.new is None else place.new
    right = f"old and new, in this order, from 0 to {signed}"
    found(place.old <= new <= signed or None, "tree", right=right, where="query old, new")
    hashes = await pit.notary.prove_beginning(place.old, new)
    return Beginning(old=place.old, new=new, hashes=tuple(b64encode(value).decode() for value in hashes))


@view("/log/vkey", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_vkey(pit: Pit, _: Place) -> Response[bytes]:
    """Give the key that checkpoints are verified with. To trust it, get it elsewhere too."""
    return Response(pit.notary.vkey.encode() + b"\n", media_type=TEXT)


@view("/log/policy", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_policy(pit: Pit, _: Place) -> Response[bytes]:
    """Give the policy that checkpoints are to meet: C2SP tlog-policy. To trust it, get its keys elsewhere too."""
    return Response(policy.encode(pit.witnesses.policy), media_type=TEXT)


async def tiled(shelf: Shelf, tile: Tile) -> Response[bytes]:
    """Give the hashes of a tile."""
    hashes = await shelf.read(tile.level, tile.start, tile.end)
    return Response(b"".join(hashes), media_type=OCTETS, headers={"Cache-Control": f"public, {FOR_EVER}"})


async def bundled(shelf: Shelf, tile: Tile, *, takes_gzip: bool) -> Response[bytes]:
    """Give the entries below a tile of level 0."""
    body = tiles.pack(await shelf.lines(tile.start, tile.end))
    headers = {"Cache-Control": f"private, {FOR_EVER}", "Vary": "Accept-Encoding, Authorization"}
    if takes_gzip:
        body, headers["Content-Encoding"] = gzip.compress(body, 1, mtime=0), "gzip"
    return Response(body, media_type=OCTETS, headers=headers)


async def _signed(pit: Pit, place: Place) -> Tile:
    """Give the tile that is wanted, when the newest checkpoint covers all of it. Raises Declined (404)."""
    assert place.tile is not None, "the route's path has one"
    signed = await pit.notary.ready()
    tile = place.tile if place.tile.is_covered(signed.size) else None
    return found(tile, "tile", right=f"{TILE}, of a log of {signed.size} entries")


ROUTES = (
    page_entries,
    stream_entries,
    show_checkpoint,
    sign_checkpoint,
    show_tile,
    show_entry_bundle,
    prove_beginning,
    show_vkey,
    show_policy,
)
