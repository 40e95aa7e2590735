"""The logs that the journal has filled, by their numbers: those that have ended are read as they stand."""

from litestar.response import Response

from schemas import policy
from schemas.tile import Tile
from services.table import archive
from services.table.archive import Kept
from services.table.http.log import FOR_A_MOMENT, OCTETS, TEXT, bundled, tiled
from services.table.http.lost import found
from services.table.http.route import AUDITORS, PUBLIC, Place, view
from services.table.http.words import TILE
from services.table.pit import Pit
from services.table.scribe import Signed
from services.table.told import LogLine, LogList


@view("/logs", tells=LogList, roles=PUBLIC)
async def list_logs(pit: Pit, _: Place) -> LogList:
    """List every log of this journal, the one that is being filled last; `size` is what can still be read of it."""
    kept = await archive.logs(pit)
    return LogList(
        logs=tuple(
            LogLine(
                number=each.volume.number,
                origin=each.volume.verifier.name,
                vkey=each.volume.vkey,
                first_position=each.volume.base,
                size=0 if each.signed is None else each.signed.size,
                has_ended=each.has_ended,
            )
            for each in kept
        )
    )


@view("/logs/{log}/checkpoint", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_log_checkpoint(pit: Pit, place: Place) -> Response[bytes]:
    """Give a log's last checkpoint whose entries are all still here, with its cosignatures."""
    signed = _found(await archive.checkpoint(pit, await _log(pit, place)))
    return Response(signed.note, media_type=TEXT, headers=FOR_A_MOMENT)


@view("/logs/{log}/tile/{level}/{number}", tells=bytes, media_type=OCTETS, roles=PUBLIC)
async def show_log_tile(pit: Pit, place: Place) -> Response[bytes]:
    """Give 256 hashes of a log's tree, or as many as a partial tile has: C2SP tlog-tiles."""
    kept = await _log(pit, place)
    return await tiled(kept.shelf, _covered(kept, place))


@view("/logs/{log}/tile/entries/{number}", tells=bytes, media_type=OCTETS, roles=AUDITORS)
async def show_log_entry_bundle(pit: Pit, place: Place) -> Response[bytes]:
    """Give a log's entries below a tile of level 0, each behind its length in two bytes: C2SP tlog-tiles."""
    kept = await _log(pit, place)
    return await bundled(kept.shelf, _covered(kept, place), takes_gzip=place.takes_gzip)


@view("/logs/{log}/vkey", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_log_vkey(pit: Pit, place: Place) -> Response[bytes]:
    """Give the key that a log's checkpoints are verified with. To trust it, get it elsewhere too."""
    return Response((await _log(pit, place)).volume.vkey.encode() + b"\n", media_type=TEXT)


@view("/logs/{log}/policy", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def show_log_policy(pit: Pit, place: Place) -> Response[bytes]:
    """Give the policy that a log's checkpoints are to meet: an earlier log had, for all we know, today's witnesses."""
    return Response(policy.encode((await _log(pit, place)).policy), media_type=TEXT)


async def _log(pit: Pit, place: Place) -> Kept:
    return found(await archive.log(pit, place.log), "log", right="a number that GET /v1/logs lists")


def _found(signed: Signed | None) -> Signed:
    return found(signed, "checkpoint", right="one of a log of which something is left")


def _covered(kept: Kept, place: Place) -> Tile:
    """Give the tile that is wanted, when the log's last checkpoint covers all of it. Raises Declined (404)."""
    assert place.tile is not None, "the route's path has one"
    size = _found(kept.signed).size
    return found(
        place.tile if place.tile.is_covered(size) else None, "tile", right=f"{TILE}, of a log of {size} entries"
    )


ROUTES = (
    list_logs,
    show_log_checkpoint,
    show_log_tile,
    show_log_entry_bundle,
    show_log_vkey,
    show_log_policy,
)
